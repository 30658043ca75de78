"""What scoring very many captions costs: time, and memory at most, on one machine or with ray.

    python benchmarks/sharded_scoring.py [CAPTIONS.json] [--captions N] [--engine local|ray] [--metrics M,…] [--json]

CAPTIONS are COCO's (captions_val2017.json); without them a playground's are
taken. They are repeated under new ids until there are N: for each image a
caption and four references, of which every third has a word of its own, so that the
counts of n-grams grow as they do with more pictures. Memory is that of all
processes together, pages that several share counted once.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from limner.corpus import Caption, Image, write_corpus
from limner.playground import playground

REFERENCES = 4
SHARD = 10_000
"""Images of a shard."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="CAPTIONS", nargs="?")
    parser.add_argument("--captions", type=int, default=1_000_000)
    parser.add_argument("--engine", choices=["local", "ray"], default="local")
    parser.add_argument("--metrics", default="bleu,rouge_l,cider")
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--score", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.score:
        print(json.dumps(scored(*given.score, given)))
        return
    n_images = given.captions // (REFERENCES + 1)
    asked = ["--engine", given.engine, "--metrics", given.metrics, "--samples", str(given.samples)]
    with tempfile.TemporaryDirectory() as folder:
        files = written(Path(folder), texts(given.source), n_images, given.engine)
        found = measured([sys.executable, __file__, *asked, "--score", *files])
    found = {"captions": n_images * (REFERENCES + 1), "images": n_images, "engine": given.engine, **found}
    print(json.dumps(found) if given.json else rendered(found))


def texts(source: str | None) -> list[list[str]]:
    """The captions of each image, five or more of them."""
    found: dict[str, list[str]] = {}
    if source is None:
        for image in playground(2000):
            found[image.id] = [caption.text for caption in image.captions]
    else:
        for one in json.loads(Path(source).read_text())["annotations"]:
            found.setdefault(str(one["image_id"]), []).append(one["caption"].strip())
    return [captions for captions in found.values() if len(captions) > REFERENCES]


def images(known: list[list[str]], n: int) -> Iterator[tuple[Image, Image]]:
    """n images' references and results."""
    draw = random.Random(0)
    words = sorted({word for captions in known for caption in captions for word in caption.split()})
    for i in range(n):
        said, *rest = (varied(text, words, draw) for text in known[i % len(known)][: REFERENCES + 1])
        captions = tuple(Caption(str(k), text) for k, text in enumerate(rest))
        yield (
            Image(f"image-{i:08d}", captions=captions),
            Image(f"image-{i:08d}", captions=(Caption("0", said, source="system:bench"),)),
        )


def varied(text: str, words: list[str], draw: random.Random) -> str:
    if draw.random() > 1 / 3:
        return text
    own = text.split()
    own[draw.randrange(len(own))] = draw.choice(words)
    return " ".join(own)


def written(folder: Path, known: list[list[str]], n: int, engine: str) -> tuple[str, str]:
    """Results and references: a file each, or a folder of shards each."""
    made = images(known, n)
    if engine == "local":
        both = list(made)
        for name, k in (("references", 0), ("results", 1)):
            write_corpus((pair[k] for pair in both), folder / f"{name}.jsonl")
        return str(folder / "results.jsonl"), str(folder / "references.jsonl")
    number = 0
    while some := list(islice(made, SHARD)):
        for name, k in (("references", 0), ("results", 1)):
            (folder / name).mkdir(exist_ok=True)
            write_corpus((pair[k] for pair in some), folder / name / f"part-{number:05d}.jsonl")
        number += 1
    return str(folder / "results"), str(folder / "references")


def scored(results: str, references: str, given: argparse.Namespace) -> dict[str, Any]:
    """The scores, in this process and those that it starts."""
    from limner.score.caption_evaluation import evaluate
    from limner.score.sharded.ray_engine import evaluate_with_ray

    metrics = given.metrics.split(",")
    if given.engine == "local":
        return evaluate(results, references, metrics=metrics, samples=given.samples).to_json()
    return evaluate_with_ray([results], references, metrics=metrics, samples=given.samples).systems[0].to_json()


def measured(command: list[str]) -> dict[str, Any]:
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    most = [0.0, 0]
    watch = threading.Thread(target=watch_memory, args=(process, most))
    watch.start()
    said, _ = process.communicate()
    seconds = time.perf_counter() - started
    watch.join()
    if process.returncode:
        sys.exit(f"scoring failed with {process.returncode}")
    # Samples may miss the moment of the most; of the largest process alone the system knows it.
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {
        "seconds": seconds,
        "peak_mb": max(most[0], largest),
        "processes": most[1],
        "scores": json.loads(said)["scores"],
    }


def watch_memory(process: subprocess.Popen[str], most: list[Any]) -> None:
    """Keep the most memory in MB that a process and its descendants had together, and how many they were then."""
    while process.poll() is None:
        family = descendants(process.pid)
        together = sum(map(megabytes, family))
        if together > most[0]:
            most[:] = [together, len(family)]
        time.sleep(0.5)  # looking at what processes share is work for the system


def descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def megabytes(pid: int) -> float:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in rollup.splitlines() if line.startswith("Pss:")), 0.0)


def rendered(found: dict[str, Any]) -> str:
    scores = ", ".join(f"{name} {value:.4f}" for name, value in found["scores"].items())
    return (
        f"{found['captions']:,} captions of {found['images']:,} images, {found['engine']}: {found['seconds']:.1f} s, "
        f"{found['peak_mb']:,.0f} MB at most in {found['processes']} processes\n{scores}"
    )


if __name__ == "__main__":
    main()
