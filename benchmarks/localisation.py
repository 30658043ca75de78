"""How long it takes to score a ranking of many boxes for every phrase, and how much memory.

    python benchmarks/localisation.py ANNOTATIONS [--ids LIST] [--boxes N] [--protocol P] [--json]

`ANNOTATIONS` are gold phrases, such as those of Flickr30k Entities; `LIST` has
the ids of the images, such as those of val. Every image gets N boxes: its gold
boxes, moved a little, and random ones; every phrase ranks all of them by a
random score, gold boxes tending to be first. Times are of reading results from
a file, of scoring with and without intervals, and of the same loop over `Box`
objects on a part of the images, for comparison.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from limner.corpus import Box, Candidate, Image, Mention, open_corpus, write_corpus
from limner.corpus.caption import Caption
from limner.score.localisation.gold_phrases import GoldPhrases, read_gold
from limner.score.localisation.localisation_evaluation import evaluate_localisation

# Images on which the plain loop is timed: it would take minutes on all.
LOOPED = 20


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
    row["peak_megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    if options.json:
        print(json.dumps(row, indent=2))
        return
    print(f"{row['images']:,} images, {row['phrases']:,} phrases, {options.boxes} boxes each, {options.protocol}")
    print(f"R@1 {row['R@1']:.4f}, R@5 {row['R@5']:.4f}, R@10 {row['R@10']:.4f}, bound {row['bound']:.4f}")
    print(f"reading {row['megabytes_of_results']:.0f} MB of results: {row['reading_s']:.2f} s")
    print(f"scoring images in memory: {row['scoring_s']:.2f} s; with intervals {row['with_intervals_s']:.2f} s")
    print(f"from file to scores: {row['from_file_s']:.2f} s; peak {row['peak_megabytes']:.0f} MB")
    print(f"a loop over boxes: {row['loop_s_per_image'] / row['scoring_s_per_image']:.0f} times as long an image")


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


def times(path: Path, gold: GoldPhrases, protocol: str) -> dict[str, float]:
    def seconds(results: Iterator[Image] | list[Image], samples: int) -> tuple[float, dict[str, float]]:
        start = time.perf_counter()
        scores = evaluate_localisation({"made": results}, gold, protocol=protocol, samples=samples, missing="zero")  # type: ignore[arg-type]
        return time.perf_counter() - start, scores.systems[0].values

    from_file, values = seconds(iter(open_corpus(path)), 2000)
    start = time.perf_counter()
    results = list(open_corpus(path))
    reading = time.perf_counter() - start
    scoring, _ = seconds(results, 0)
    with_intervals, _ = seconds(results, 2000)
    start = time.perf_counter()
    n_right = sum(loop(image, gold) for image in results[:LOOPED])
    looped = time.perf_counter() - start
    assert n_right >= 0
    return {
        **values,
        "reading_s": reading,
        "scoring_s": scoring,
        "with_intervals_s": with_intervals,
        "from_file_s": from_file,
        "loop_s_per_image": looped / min(LOOPED, len(results)),
        "scoring_s_per_image": scoring / len(results),
    }


def loop(image: Image, gold: GoldPhrases) -> int:
    """How many phrases of an image are right at rank 10, by `Box` objects and no array."""
    box_by_id, truth = image.box_by_id(), gold.images[image.id]
    mentions = {(caption.id, m.start, m.end): m for caption, m in image.mentions()}
    n_right = 0
    for phrase, union in zip(truth.phrases, truth.unions.tolist(), strict=True):
        target = Box("gold", *union)
        kept: list[Box] = []
        mention = mentions[truth.captions[phrase.caption].id, phrase.mention.start, phrase.mention.end]
        for candidate in mention.candidates:
            box = box_by_id[candidate.box]
            if len(kept) < 10 and all(box.iou(better) <= 0.5 for better in kept):
                kept.append(box)
        n_right += any(box.iou(target) >= 0.5 for box in kept)
    return n_right


if __name__ == "__main__":
    main()
