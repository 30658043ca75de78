"""How much faster AP and AR are than in pycocotools, and whether they are equal, in one run.

    python benchmarks/detection.py [--images N] [--gold CORPUS DETECTIONS] [--json]

Made data by default: 7 gold boxes and 30 detections an image, of 80 classes.
With `--gold`, a corpus and a detector's boxes: both tools get the boxes that
`limner score detection` counts, by the classes that it maps labels to. Both
times are of scoring boxes that are in memory in each tool's own shape.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import time

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from limner.corpus import Box, Image, open_corpus
from limner.corpus.classes import COCO_CLASSES
from limner.score.detection.average_precision import FIGURES, figures
from limner.score.detection.box_arrays import Labelled, detection_arrays, gold_arrays
from limner.score.detection.detection_matching import match
from limner.score.detection.scored_boxes import GoldBoxes, chosen_classes, scored_detections

Boxes = dict[str, list[Labelled]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--gold", nargs=2, metavar=("CORPUS", "DETECTIONS"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    gold, detected = real(*options.gold) if options.gold else made(options.images)
    mine, seconds = limner_figures(gold, detected)
    theirs, seconds_of_peer = pycocotools_figures(gold, detected)
    row = {
        "images": len(gold),
        "gold_boxes": sum(map(len, gold.values())),
        "detections": sum(map(len, detected.values())),
        "limner_s": seconds,
        "pycocotools_s": seconds_of_peer,
        "times_faster": seconds_of_peer / seconds,
        "largest_difference": float(np.nanmax(np.abs(mine - theirs))),
        "figures": dict(zip(FIGURES, mine.tolist(), strict=True)),
    }
    if options.json:
        print(json.dumps(row, indent=2))
        return
    print(f"{row['images']:,} images, {row['gold_boxes']:,} gold boxes, {row['detections']:,} detections")
    print(f"limner {seconds:.3f} s, pycocotools {seconds_of_peer:.3f} s: {row['times_faster']:.1f} times as fast")
    print(f"largest difference of the {len(FIGURES)} figures: {row['largest_difference']:.1e}")
    print(", ".join(f"{name} {value:.4f}" for name, value in row["figures"].items()))


def made(n_images: int) -> tuple[Boxes, Boxes]:
    random = np.random.default_rng(0)
    labels = list(COCO_CLASSES)
    gold: Boxes = {}
    detected: Boxes = {}
    for number in range(n_images):
        truth = [box(random, random.uniform(0, 300, size=4), labels) for _ in range(7)]
        near = [box(random, np.array(b.corners) + random.normal(0, 8, size=4), [b.label]) for b in truth]
        found = [*near, *(box(random, random.uniform(0, 300, size=4), labels) for _ in range(23))]
        gold[str(number)] = [(b, b.label, random.random() < 0.02) for b in truth]
        detected[str(number)] = [(b, b.label, False) for b in found]
    return gold, detected


def box(random: np.random.Generator, given: np.ndarray, labels: list[str]) -> Box:
    x0, x1 = sorted(np.clip(given[[0, 2]], 0, 400).tolist())
    y0, y1 = sorted(np.clip(given[[1, 3]], 0, 400).tolist())
    return Box("0", x0, y0, x1 + 1, y1 + 1, labels[random.integers(len(labels))], float(random.random()))


def real(corpus: str, detections: str) -> tuple[Boxes, Boxes]:
    found: list[Image] = list(open_corpus(detections))
    ids = {image.id for image in found}
    images = {image.id: image for image in open_corpus(corpus) if image.id in ids}
    gold = GoldBoxes(corpus, images, chosen_classes("auto", [found], images))
    scored = scored_detections(detections, found, gold, "zero")
    return gold.boxes, {id: scored.boxes.get(id, []) for id in gold.boxes}


def limner_figures(gold: Boxes, detected: Boxes) -> tuple[np.ndarray, float]:
    start = time.perf_counter()
    labels = sorted({label for boxes in gold.values() for _, label, _ in boxes})
    numbers = {label: i for i, label in enumerate(labels)}
    truth = gold_arrays(gold.values(), numbers)
    counted = ([item for item in boxes if item[1] in numbers] for boxes in detected.values())
    found = detection_arrays(counted, numbers)
    made = figures(found, truth, match(found, truth, len(gold)), len(labels), len(gold))
    return made.values(), time.perf_counter() - start


def pycocotools_figures(gold: Boxes, detected: Boxes) -> tuple[np.ndarray, float]:
    number = {id: i + 1 for i, id in enumerate(gold)}
    labels = sorted({label for boxes in (*gold.values(), *detected.values()) for _, label, _ in boxes})
    category = {label: i + 1 for i, label in enumerate(labels)}
    entries = [
        {
            "image_id": number[id],
            "category_id": category[label],
            "bbox": [b.x0, b.y0, b.width, b.height],
            "area": b.area,
            "iscrowd": int(is_crowd),
        }
        for id, boxes in gold.items()
        for b, label, is_crowd in boxes
    ]
    results = [
        {
            "image_id": number[id],
            "category_id": category[label],
            "bbox": [b.x0, b.y0, b.width, b.height],
            "score": b.score,
        }
        for id, boxes in detected.items()
        for b, label, _ in boxes
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = {
            "images": [{"id": n} for n in number.values()],
            "annotations": [{"id": i + 1, **entry} for i, entry in enumerate(entries)],
            "categories": [{"id": n, "name": label} for label, n in category.items()],
        }
        truth.createIndex()
        evaluation = COCOeval(truth, truth.loadRes(results), "bbox")
        start = time.perf_counter()
        evaluation.evaluate()
        evaluation.accumulate()
        seconds = time.perf_counter() - start
        evaluation.summarize()
    return np.where(evaluation.stats < 0, np.nan, evaluation.stats), seconds


if __name__ == "__main__":
    main()
