"""How fast METEOR is beside the reference program, whether they agree, and how it grows, in one run.

    python benchmarks/meteor.py CAPTIONS.json … [--json]

Each file is COCO's of captions, where the first of each image is scored against
its others, or a list of objects with `prediction` and `captions`. Tokens are
made beforehand. The reference program is pycocoevalcap's, which needs Java; it
is timed from its start, with its tables to load, as it is in every run. Ours
are compiled before, and opened in the time that is told, in a process that has
done nothing yet. `ratio` is of the clock's seconds, `processor_ratio` of the
processor's, all threads of Java included.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from limner.score.meteor import Meteor, load_tables
from limner.score.pycocoevalcap import COCO
from limner.score.run import Run
from limner.text.ptb import tokenise

CLOSE = 1e-6
LONG = 2_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captions", type=Path, nargs="+")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--score", type=int, metavar="COPIES", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.score:
        print(json.dumps(scored(run_of(given.captions[0]), given.score)))
        return
    load_tables()
    results = {"files": [beside_the_jar(path) for path in given.captions], "growth": growth(given.captions[0])}
    results["long_texts"] = long_texts(run_of(given.captions[0]))
    print(json.dumps(results, indent=2) if given.json else as_text(results))


def run_of(path: Path) -> Run:
    contents = json.loads(path.read_text())
    if isinstance(contents, list):
        images = [[item["prediction"], *item["captions"]] for item in contents]
    else:
        images = [[item["caption"] for item in texts] for texts in COCO(path).imgToAnns.values()]
    images = [texts for texts in images if len(texts) > 1]
    tokens = iter(tokenise([sentence for texts in images for sentence in texts]))
    made = [[next(tokens) for _ in texts] for texts in images]
    return Run([str(i) for i in range(len(made))], [item for item, *_ in made], [texts for _, *texts in made])


def beside_the_jar(path: Path) -> dict[str, Any]:
    run = run_of(path)
    ours, plain = fresh(path, 1), fresh(path, 1, pure=True)
    theirs, (value, values) = timed_with_children(lambda: by_the_jar(run))
    apart = np.abs(np.array(ours["per_image"]) - values)
    return {
        "file": path.name,
        "n_images": len(run),
        "meteor": ours["value"],
        "reference_meteor": value,
        "limner_s": ours["clock_s"],
        "limner_pure_python_s": plain["clock_s"],
        "reference_s": theirs[0],
        "ratio": theirs[0] / ours["clock_s"],
        "processor_ratio": theirs[1] / ours["processor_s"],
        "share_of_images_within_1e-6": float((apart <= CLOSE).mean()),
        "largest_difference": float(apart.max()),
        "python_as_compiled": plain["per_image"] == ours["per_image"],
    }


def by_the_jar(run: Run) -> tuple[float, list[float]]:
    from pycocoevalcap.meteor.meteor import Meteor as Theirs

    scorer = Theirs()
    gts = dict(zip(run.ids, map(list, run.references), strict=True))
    answer = scorer.compute_score(gts, {id: [text] for id, text in zip(run.ids, run.candidates, strict=True)})
    del scorer
    return answer


def fresh(path: Path, copies: int, *, pure: bool = False) -> dict[str, Any]:
    """What a process of its own says of so many copies of the images."""
    environment = {**os.environ, "LIMNER_PURE_PYTHON": "1" if pure else "0"}
    command = [sys.executable, __file__, str(path), "--score", str(copies)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    return dict(json.loads(said))


def scored(run: Run, copies: int) -> dict[str, Any]:
    many = Run(
        [f"{i}/{id}" for i in range(copies) for id in run.ids],
        [*run.candidates] * copies,
        [*run.references] * copies,
    )
    _ = many.tokens
    before = peak()
    started = time.perf_counter(), time.process_time()
    statistics = Meteor().measure(many)
    value = float(statistics.value()[0])
    return {
        "clock_s": time.perf_counter() - started[0],
        "processor_s": time.process_time() - started[1],
        "value": value,
        "per_image": statistics.per_image[:, 0].tolist() if copies == 1 else [],
        "captions_and_tokens_mb": before,
        "peak_mb": peak(),
    }


def growth(path: Path) -> list[dict[str, Any]]:
    rows = [{"copies": copies, **fresh(path, copies)} for copies in (1, 20)]
    return [{key: row[key] for key in row if key != "per_image"} for row in rows]


def long_texts(run: Run) -> list[dict[str, Any]]:
    """Two texts that are all captions in a row, and two that are one word again and again."""
    metric, words = Meteor(), " ".join(run.candidates).split()
    rows = []
    for n in (LONG, 2 * LONG):
        pairs = {
            "captions in a row": (" ".join(words[:n]), " ".join(words[n : 2 * n])),
            "one word": ("cat " * n, "cat " * (n - 1) + "dog"),
        }
        for what, (caption, reference) in pairs.items():
            started = time.process_time()
            metric.measure(Run(["0"], [caption], [[reference]]))
            rows.append({"texts": what, "n_words": n, "seconds": time.process_time() - started})
    return rows


def timed_with_children(work: Callable[[], Any]) -> tuple[tuple[float, float], Any]:
    """Seconds of the clock, and of the processor with those of processes that were started; and the answer."""

    def spent() -> float:
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    started = time.perf_counter(), spent()
    answer = work()
    return (time.perf_counter() - started[0], spent() - started[1]), answer


def peak() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


ABOUT_A_FILE = [
    "{file}, {n_images:,} images: METEOR {meteor:.6f}, by the reference program {reference_meteor:.6f}",
    "  {limner_s:.2f} s, in Python alone {limner_pure_python_s:.1f} s, the reference program {reference_s:.1f} s",
    "  {ratio:.0f}× by the clock, {processor_ratio:.0f}× by the processor",
    "  {share_of_images_within_1e-6:.2%} of the images within 1e-6, at most {largest_difference:.1e} apart",
]


def as_text(results: dict[str, Any]) -> str:
    lines = []
    for row in results["files"]:
        lines += [line.format(**row) for line in ABOUT_A_FILE]
    for row in results["growth"]:
        lines.append(f"{row['copies']}× the first file: {row['processor_s']:.2f} s, at most {row['peak_mb']:.0f} MB")
    for row in results["long_texts"]:
        lines.append(f"two texts of {row['n_words']:,} words, {row['texts']}: {row['seconds']:.2f} s")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
