"""How long it takes to score a ranking of many boxes for every phrase, and how much memory.

    python benchmarks/localisation.py ANNOTATIONS [--ids LIST] [--boxes N] [--protocol P] [--json]

`ANNOTATIONS` are gold phrases, such as those of Flickr30k Entities; `LIST` has
the ids of the images, such as those of val. Every image gets N boxes: its gold
boxes, moved a little, and random ones; every phrase ranks all of them by a
random score, gold boxes tending to be first. Times are of scoring results as
they are read from a file, of reading alone, and of scoring what is in memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from limner.corpus import Box, Candidate, Image, Mention, open_corpus, write_corpus
from limner.corpus.caption import Caption
from limner.score.localisation.gold_phrases import GoldPhrases, read_gold
from limner.score.localisation.localisation_evaluation import evaluate_localisation
from limner.score.localisation.phrase_recall import Protocol


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("annotations")
    parser.add_argument("--ids", type=Path)
    parser.add_argument("--boxes", type=int, default=200)
    parser.add_argument("--protocol", default="merged")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    ids = frozenset(options.ids.read_text().split()) if options.ids else None
    images = list(open_corpus(options.annotations, ids=ids))
    gold = read_gold(images)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.jsonl"
        write_corpus((ranked(image, options.boxes, np.random.default_rng(n)) for n, image in enumerate(images)), path)
        row = {"images": len(images), "phrases": gold.n_phrases, "boxes": options.boxes, "protocol": options.protocol}
        row["megabytes_of_results"] = path.stat().st_size / 1e6
        row |= times(path, gold, options.protocol)
    if options.json:
        print(json.dumps(row, indent=2))
        return
    print(f"{row['images']:,} images, {row['phrases']:,} phrases, {options.boxes} boxes each, {options.protocol}")
    print(f"R@1 {row['R@1']:.4f}, R@5 {row['R@5']:.4f}, R@10 {row['R@10']:.4f}, bound {row['bound']:.4f}")
    print(f"from a file of {row['megabytes_of_results']:.0f} MB: {_said(row, 'from_file')}")
    print(f"  peak of memory so far {row['peak_megabytes']:.0f} MB")
    print(f"reading alone: {_said(row, 'reading')}")
    print(f"scoring results in memory: {_said(row, 'scoring')}; with intervals {_said(row, 'with_intervals')}")


def _said(row: dict[str, float], name: str) -> str:
    return f"{row[f'{name}_s']:.2f} s ({row[f'{name}_cpu_s']:.2f} s of computing)"


def ranked(image: Image, n_boxes: int, random: np.random.Generator) -> Image:
    """The image with boxes near its gold boxes and random ones, ranked for every mention."""
    width, height = image.width or 500, image.height or 500
    near = [np.array(box.corners) + random.normal(0, 6, size=4) for box in image.boxes][:n_boxes]
    others = random.uniform(0, 1, size=(n_boxes - len(near), 4)) * [width, height, width, height]
    corners = np.array([*near, *others]).clip(0, [width, height, width, height])
    low, high = np.minimum(corners[:, :2], corners[:, 2:]), np.maximum(corners[:, :2], corners[:, 2:])
    boxes = [Box(str(i), *row) for i, row in enumerate(np.round(np.hstack([low, high]), 1).tolist())]
    captions = tuple(
        Caption(caption.id, caption.text, tuple(_mention(m, len(near), n_boxes, random) for m in caption.mentions))
        for caption in image.captions
    )
    return Image(image.id, width, height, tuple(boxes), captions, provenance={"candidates": "proposals"})


def _mention(mention: Mention, n_near: int, n_boxes: int, random: np.random.Generator) -> Mention:
    scores = np.round(random.uniform(0, 1, n_boxes) + (np.arange(n_boxes) < n_near), 4)
    order = np.argsort(-scores, kind="stable")
    candidates = tuple(
        Candidate(str(i), score) for i, score in zip(order.tolist(), scores[order].tolist(), strict=True)
    )
    return Mention(mention.start, mention.end, (str(order[0]),), candidates=candidates, origin="localised")


class Stopwatch:
    """Seconds by the clock, and of computing: on a busy machine the two differ."""

    def __init__(self) -> None:
        self.row: dict[str, float] = {}

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        wall, computing = time.perf_counter(), time.process_time()
        yield
        self.row[f"{name}_s"] = time.perf_counter() - wall
        self.row[f"{name}_cpu_s"] = time.process_time() - computing


def times(path: Path, gold: GoldPhrases, protocol: Protocol) -> dict[str, float]:
    def score(results: Iterable[Image], samples: int) -> dict[str, float]:
        scores = evaluate_localisation({"made": results}, gold, protocol=protocol, samples=samples)
        return scores.systems[0].values

    watch = Stopwatch()
    with watch.time("from_file"):
        values = score(open_corpus(path), 2000)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    with watch.time("reading"):
        results = list(open_corpus(path))
    with watch.time("scoring"):
        score(results, 0)
    with watch.time("with_intervals"):
        score(results, 2000)
    return {**values, **watch.row, "peak_megabytes": peak}


if __name__ == "__main__":
    main()
