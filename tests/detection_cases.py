"""Detections and gold boxes as pycocotools takes them, and what it makes of them."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from limner.corpus import Box, Image

LABELS = ("cat", "dog", "horse")


def made_case(seed: int, n_images: int = 12, n_labels: int = 3, most: int = 25) -> tuple[list[Image], list[Image]]:
    """Gold and detections with crowds, ties of scores and IoU, empty images, unmatched classes and tiny boxes."""
    random = np.random.default_rng(seed)
    gold, detected = [], []
    # Not in the order of their ids: pycocotools sorts images.
    for id in random.permutation(n_images * 3)[:n_images]:
        truth = tuple(_box(random, f"g{i}", n_labels, gold=True) for i in range(random.integers(0, 8)))
        found = [_box(random, f"d{i}", n_labels) for i in range(random.integers(0, most))]
        # Some detections are gold boxes moved a little, so that there is something to match.
        for box in (*truth, *truth):
            if random.random() < 0.7:
                found.append(_moved(random, box, f"m{len(found)}"))
        order = random.permutation(len(found))
        gold.append(Image(str(id), 300, 300, truth))
        detected.append(Image(str(id), 300, 300, tuple(found[i] for i in order)))
    return gold, detected


def _box(random: np.random.Generator, id: str, n_labels: int, *, gold: bool = False) -> Box:
    x, y = random.integers(0, 200, size=2).tolist()
    width, height = random.choice([4, 16, 32, 50, 96, 100], size=2).tolist()
    label = LABELS[random.integers(0, n_labels)]
    flags = ("crowd",) if gold and random.random() < 0.15 else ()
    # Few different scores, so that many are equal.
    score = 1.0 if gold else float(random.integers(0, 11) / 10)
    return Box(id, x, y, x + width, y + height, label, score, flags=flags)


def _moved(random: np.random.Generator, box: Box, id: str) -> Box:
    x, y = random.integers(-3, 4, size=2).tolist()
    x0, y0 = max(0, box.x0 + x), max(0, box.y0 + y)
    return Box(id, x0, y0, min(300, box.x1 + x), min(300, box.y1 + y), box.label, float(random.integers(3, 11) / 10))


def reference(gold: list[Image], detected: list[Image]) -> COCOeval:
    """pycocotools' evaluation of the same boxes, summarised."""
    labels = sorted({box.label for image in (*gold, *detected) for box in image.boxes})
    category = {label: i + 1 for i, label in enumerate(labels)}
    annotations: list[dict[str, Any]] = []
    for image in gold:
        for box in image.boxes:
            shape = {"bbox": [box.x0, box.y0, box.width, box.height], "area": box.area}
            entry = {"id": len(annotations) + 1, "image_id": int(image.id), "category_id": category[box.label]}
            annotations.append({**entry, **shape, "iscrowd": int("crowd" in box.flags)})
    results = [
        {
            "image_id": int(image.id),
            "category_id": category[box.label],
            "bbox": [box.x0, box.y0, box.width, box.height],
            "score": box.score,
        }
        for image in detected
        for box in image.boxes
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = {
            "images": [{"id": int(image.id)} for image in gold],
            "annotations": annotations,
            "categories": [{"id": number, "name": label} for label, number in category.items()],
        }
        truth.createIndex()
        evaluation = COCOeval(truth, truth.loadRes(results), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation


def summary(evaluation: COCOeval) -> NDArray[np.float64]:
    """The twelve figures; NaN where pycocotools has -1."""
    return np.where(evaluation.stats < 0, np.nan, evaluation.stats)
