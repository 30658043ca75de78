"""How fast BLEU, ROUGE-L and CIDEr are beside pycocoevalcap, whether they agree, and how they grow, in one run.

    python benchmarks/ngram_metrics.py CAPTIONS.json [--json]

CAPTIONS.json is a COCO file of captions: the first of each image is scored
against its others. Words are made by a plain tokeniser, which is not timed.
Seconds are of the processor. Growth is over copies of the images under new
ids, with the same words and with words of their own, each in a process of its
own whose memory is told.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from limner.score import ngrams
from limner.score.bleu import Bleu
from limner.score.cider import Cider
from limner.score.metric import Metric
from limner.score.pycocoevalcap import COCO
from limner.score.rouge_l import RougeL
from limner.score.run import Run
from limner.text.words import words

METRICS: dict[str, Metric] = {"bleu": Bleu(), "rouge_l": RougeL(), "cider": Cider()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captions", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--copies", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--own-words", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    run = first_against_others(given.captions)
    if given.copies:
        print(json.dumps(scored_copies(run, given.copies, given.own_words)))
        return
    found = {**beside_pycocoevalcap(run), "growth": growth(given.captions)}
    print(json.dumps(found, indent=2) if given.json else as_text(found))


def first_against_others(path: Path) -> Run:
    said = [[" ".join(words(one["caption"])) for one in some] for some in COCO(path).imgToAnns.values()]
    said = [some for some in said if len(some) > 1]
    return Run([str(i) for i in range(len(said))], [one for one, *_ in said], [some for _, *some in said])


def beside_pycocoevalcap(run: Run) -> dict[str, Any]:
    from pycocoevalcap.bleu.bleu import Bleu as TheirBleu
    from pycocoevalcap.cider.cider import Cider as TheirCider
    from pycocoevalcap.rouge.rouge import Rouge as TheirRouge

    gts = dict(zip(run.ids, map(list, run.references), strict=True))
    res = {id: [caption] for id, caption in zip(run.ids, run.candidates, strict=True)}
    theirs = {"bleu": TheirBleu(4), "rouge_l": TheirRouge(), "cider": TheirCider()}
    table, _ = timed(lambda: run.tokens)
    rows = {}
    for name, metric in METRICS.items():
        compiled, found = timed(lambda metric=metric: metric.measure(run).per_image, repeats=5)
        kernel = ngrams.KERNEL
        ngrams.KERNEL = None
        plain, again = timed(lambda metric=metric: metric.measure(run).per_image, repeats=2)
        ngrams.KERNEL = kernel
        with contextlib.redirect_stdout(io.StringIO()):
            peer, (_, expected) = timed(lambda name=name: theirs[name].compute_score(gts, res), repeats=5)
        difference = np.abs(found - np.atleast_2d(expected).T).max()
        rows[name] = {
            "compiled_s": compiled if kernel is not None else None,
            "python_s": plain,
            "pycocoevalcap_s": peer,
            "largest_difference": float(difference),
            "largest_difference_without_kernels": float(np.abs(found - again).max()),
        }
    together, _ = timed(lambda: measured_anew(run), repeats=5)
    return {
        "n_images": len(run),
        "n_captions": len(run.tokens),
        "token_table_s": table,
        "from_strings_s": together,
        "metrics": rows,
    }


def measured_anew(run: Run) -> list[Any]:
    """All three metrics from strings: the table of tokens that they share is made as well."""
    fresh = Run(run.ids, run.candidates, run.references)
    return [metric.measure(fresh).per_image for metric in METRICS.values()]


def growth(path: Path) -> list[dict[str, Any]]:
    """The three metrics over 1, 20 and 40 copies of the images, and over 40 whose words are their own."""
    found = []
    for copies, own in ((1, False), (20, False), (40, False), (40, True)):
        command = [sys.executable, __file__, str(path), "--copies", str(copies), *(["--own-words"] if own else [])]
        found.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    for row in found:
        row["times_the_first"] = row["metrics_s"] / found[0]["metrics_s"]
    return found


def scored_copies(run: Run, copies: int, own_words: bool) -> dict[str, Any]:
    def copy(text: str, i: int) -> str:
        return " ".join(f"{word}{i}" for word in text.split()) if own_words else text

    many = Run(
        [f"{i}/{id}" for i in range(copies) for id in run.ids],
        [copy(text, i) for i in range(copies) for text in run.candidates],
        [[copy(text, i) for text in some] for i in range(copies) for some in run.references],
    )
    table, _ = timed(lambda: many.tokens)
    before = peak()
    seconds, _ = timed(lambda: [metric.measure(many).value() for metric in METRICS.values()])
    return {
        "copies": copies,
        "own_words": own_words,
        "n_captions": len(many.tokens),
        "token_table_s": table,
        "metrics_s": seconds,
        "captions_and_tokens_mb": before,
        "peak_mb": peak(),
    }


def peak() -> float:
    """The most memory that this process has had, in MB; 0 where the system does not tell."""
    status = Path("/proc") / str(os.getpid()) / "status"
    if not status.exists():
        return 0.0
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def timed(work: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """The least processor time of several runs, and the answer."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        answer = work()
        times.append(time.process_time() - started)
    return min(times), answer


def as_text(found: dict[str, Any]) -> str:
    lines = [f"{found['n_captions']:,} captions of {found['n_images']:,} images, seconds of the processor"]
    lines.append(f"all three from strings, the table of tokens included: {found['from_strings_s']:.3f}")
    for name, row in found["metrics"].items():
        compiled = "not built" if row["compiled_s"] is None else f"{row['compiled_s']:.3f}"
        lines.append(
            f"{name}: compiled {compiled}, Python {row['python_s']:.2f}, pycocoevalcap {row['pycocoevalcap_s']:.2f}; "
            f"largest difference of an image {row['largest_difference']:.1e}"
        )
    for row in found["growth"]:
        words_of = ", words of their own" if row["own_words"] else ""
        lines.append(
            f"{row['n_captions']:,} captions{words_of}: tokens {row['token_table_s']:.2f}, metrics "
            f"{row['metrics_s']:.2f} ({row['times_the_first']:.1f}×), {row['peak_mb']:.0f} MB at most, "
            f"{row['captions_and_tokens_mb']:.0f} MB of them before the metrics began"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
