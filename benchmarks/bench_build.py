"""How long choosing a benchmark takes, how much memory, and how evenly classes occur in what is chosen.

    python benchmarks/bench_build.py [--json] [--images N] [--size N] [--sample N]

The corpus is made up: N images of 8 boxes, their classes drawn from 600 by
Zipf's law (exponent 1.1: few classes have most of the boxes), 1 to 8 classes an image
with few of many, some pictures rotated. `limner bench build` runs over its
jsonl file, of a quarter, a half and all of the images, in processes of their
own: reading the file twice, choosing and writing are in the time.

Beside it, over the same candidates: a random choice; the same greedy choice
from one pool instead of five; and a greedy pass that takes every image that
raises the entropy, until there are enough or no more images.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np

from limner.bench.benchmark import Composition
from limner.bench.candidate_images import Candidates, gather_candidates
from limner.bench.counted_classes import CountedClasses
from limner.bench.image_selection import ClassEntropy, select, select_randomly
from limner.corpus import Box, Image, open_corpus, write_corpus

CLASSES, BOXES, EXPONENT = 600, 8, 1.1
SHARES = (0.40, 0.26, 0.15, 0.09, 0.05, 0.03, 0.01, 0.01)
"""Of images with 1, 2, 3 … classes; 8 boxes can have no more than 8."""

Row = dict[str, str | float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--images", type=int, default=125_000)
    parser.add_argument("--size", type=int, default=10_600)
    parser.add_argument("--sample", type=int, default=50)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.jsonl"
        rows = []
        for share in (4, 2, 1):
            make(corpus, given.images // share)
            rows.append(measured(corpus, given.size // share, given.sample))
        same = written(corpus, given.size, given.sample) == written(corpus, given.size, given.sample)
        candidates = gather_candidates(open_corpus(corpus), CountedClasses())
    one_pool = select(candidates, given.size, sample=given.sample, in_pools=False)
    choices = [
        described("five pools", candidates, select(candidates, given.size, sample=given.sample)),
        described("one pool, same draws", candidates, one_pool),
        described("greedy pass", candidates, greedy_pass(candidates, given.size)),
        described("random", candidates, select_randomly(candidates, given.size)),
    ]
    if given.json:
        print(json.dumps({"runs": rows, "choices": choices, "same_seed_same_set": same}, indent=2))
        return
    for row in rows:
        print(
            f"{row['images']:,} images to {row['size']:,}: {row['seconds']:.1f} s, of that {row['cpu']:.1f} s busy; "
            f"{row['megabytes']:.0f} MB; {1e6 * float(row['cpu']) / float(row['images']):.0f} µs an image"
        )
    print(f"the same seed gives the same set: {same}")
    print(f"{'':22}{'images':>8}{'entropy':>9}{'joint':>8}{'classes/image':>15}{'of 2 classes':>14}")
    for row in choices:
        print(
            f"{row['choice']:22}{row['images']:8,}{row['entropy']:9.3f}{row['joint_entropy']:8.3f}"
            f"{row['classes_per_image']:15.2f}{row['of_two_classes']:14.0%}"
        )


def make(path: Path, n: int) -> None:
    """Write a made-up corpus."""
    rng = np.random.default_rng(0)
    weights = -EXPONENT * np.log(np.arange(1, CLASSES + 1))
    sizes = rng.choice(np.arange(1, len(SHARES) + 1), n, p=np.array(SHARES) / sum(SHARES))
    rotations = rng.choice([0, 90, 180, 270, -1], n, p=[0.94, 0.015, 0.005, 0.015, 0.025])

    def images() -> Iterator[Image]:
        for i in range(n):
            # The greatest of these are a draw without replacement by the weights.
            drawn = np.argpartition(-(weights + rng.gumbel(size=CLASSES)), sizes[i])[: sizes[i]].tolist()
            classes = drawn + rng.choice(drawn, BOXES - len(drawn)).tolist()
            boxes = tuple(Box(str(b), 10 * b, 5, 10 * b + 40, 90, f"class {c:03}") for b, c in enumerate(classes))
            facts = {} if rotations[i] < 0 else {"rotation": int(rotations[i])}
            yield Image(f"{rng.integers(1 << 62):016x}", 640, 480, boxes, attributes=facts)

    write_corpus(images(), path)


def measured(corpus: Path, size: int, sample: int) -> Row:
    """Time and peak memory of the command in a process of its own."""
    program = (
        "import resource, sys; from limner.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: used = resource.getrusage(resource.RUSAGE_SELF); "
        "print(used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments(corpus, size, sample)], capture_output=True, text=True, check=True
    )
    seconds = time.perf_counter() - started
    megabytes, cpu = map(float, done.stdout.split()[-2:])
    n = sum(1 for _ in corpus.open())
    return {"images": n, "size": size, "seconds": seconds, "cpu": cpu, "megabytes": megabytes}


def written(corpus: Path, size: int, sample: int) -> bytes:
    """What the command writes."""
    subprocess.run([sys.executable, "-m", "limner", *arguments(corpus, size, sample)], capture_output=True, check=True)
    return corpus.with_name("chosen.jsonl").read_bytes()


def arguments(corpus: Path, size: int, sample: int) -> list[str]:
    out = str(corpus.with_name("chosen.jsonl"))
    return ["bench", "build", str(corpus), "--size", str(size), "--sample", str(sample), "-o", out]


def greedy_pass(candidates: Candidates, size: int) -> list[int]:
    """Images in a random order, of which each is taken that raises the entropy."""
    order = list(range(len(candidates.ids)))
    Random(0).shuffle(order)
    entropy = ClassEntropy(len(candidates.classes))
    taken: list[int] = []
    for image in order:
        if len(taken) == size:
            break
        if not taken or entropy.with_each(*candidates.of_each(np.array([image])))[0] > entropy.value:
            entropy.add(candidates.of(image))
            taken.append(image)
    return taken


def described(choice: str, candidates: Candidates, images: list[int]) -> Row:
    found = Composition.of(candidates, images)
    return {
        "choice": choice,
        "images": len(images),
        "entropy": found.entropy,
        "joint_entropy": found.joint_entropy,
        "classes_per_image": found.classes_per_image.mean or 0.0,
        "of_two_classes": found.classes_per_image.share(lambda n: n == 2) or 0.0,
    }


if __name__ == "__main__":
    main()
