"""Made phrases with rankings, and their recall by brute force over `Box` objects."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from limner.corpus import Box, Candidate, Caption, Image, Mention

SIDE = 12
TYPES = ("people", "clothing", "animals", "scene")


def made_case(seed: int, n_images: int = 4, n_boxes: int = 14, most_gold: int = 3) -> tuple[list[Image], list[Image]]:
    """Gold images and results on a small grid, where boxes often overlap and scores are often equal."""
    random = np.random.default_rng(seed)
    gold, results = [], []
    for number in range(n_images):
        truth = [box(random, f"g{i}") for i in range(5)]
        drawn = [box(random, str(i)) for i in range(n_boxes)]
        captions, answered = [], []
        for c in range(2):
            mentions, ranked = [], []
            for m in range(3):
                n = int(random.integers(0, most_gold + 1))
                boxes = tuple(truth[i].id for i in random.choice(5, size=n, replace=False).tolist())
                types = tuple(random.choice(TYPES, size=random.integers(1, 3), replace=False).tolist())
                mentions.append(Mention(2 * m, 2 * m + 1, boxes, types=types))
                ranked.append(_ranked(2 * m, drawn, random))
            captions.append(Caption(str(c), "a b c", tuple(mentions)))
            answered.append(Caption(str(c), "a b c", tuple(ranked)))
        gold.append(Image(str(number), SIDE, SIDE, tuple(truth), tuple(captions)))
        results.append(Image(str(number), SIDE, SIDE, tuple(drawn), tuple(answered)))
    return gold, results


def box(random: np.random.Generator, id: str) -> Box:
    x, y = (np.sort(random.choice(SIDE + 1, size=2, replace=False)).tolist() for _ in range(2))
    return Box(id, x[0], y[0], x[1], y[1])


def _ranked(start: int, drawn: list[Box], random: np.random.Generator) -> Mention:
    scores = np.sort(random.integers(0, 5, size=random.integers(0, len(drawn) + 1)))[::-1]
    order = random.choice(len(drawn), size=len(scores), replace=False)
    candidates = tuple(Candidate(drawn[i].id, s) for i, s in zip(order.tolist(), scores.tolist(), strict=True))
    n_answers = int(random.integers(0, 3))
    boxes = tuple(drawn[i].id for i in random.choice(len(drawn), size=n_answers, replace=False).tolist())
    return Mention(start, start + 1, boxes, candidates=candidates)


def reference(gold: list[Image], results: list[Image], protocol: str, iou: float, nms: float | None) -> np.ndarray:
    """R@1, R@5, R@10 and the bound of every phrase with boxes, `[phrases, 4]`."""
    rows = []
    for truth, result in zip(gold, results, strict=True):
        drawn, box_by_id = result.box_by_id(), truth.box_by_id()
        for caption, answered in zip(truth.captions, result.captions, strict=True):
            for mention, answer in zip(caption.mentions, answered.mentions, strict=True):
                if mention.boxes:
                    targets = [box_by_id[id] for id in mention.boxes]
                    rows.append(_values(targets, answer, drawn, protocol, iou, nms))
    return np.array(rows)


def union(boxes: list[Box]) -> Box:
    return Box(
        "union", min(b.x0 for b in boxes), min(b.y0 for b in boxes), max(b.x1 for b in boxes), max(b.y1 for b in boxes)
    )


def _values(
    targets: list[Box], answer: Mention, drawn: dict[str, Box], protocol: str, iou: float, nms: float | None
) -> list[float]:
    order = [candidate.box for candidate in answer.candidates]
    chosen = sorted(answer.boxes, key=lambda id: order.index(id) if id in order else len(order))
    if protocol == "merged" and len(chosen) > 1:
        entries = [union([drawn[id] for id in chosen]), *(drawn[id] for id in (order or answer.boxes))]
        n_answer = 1
    else:
        entries = [drawn[id] for id in [*chosen, *(id for id in order if id not in chosen)]]
        n_answer = len(chosen)
    kept: list[tuple[int, Box]] = []
    for place, entry in enumerate(entries):
        better = [other for at, other in kept if not (at < n_answer and place < n_answer)]
        if nms is None or all(entry.iou(other) <= nms for other in better):
            kept.append((place, entry))
    boxes = [entry for _, entry in kept]
    if protocol == "merged":
        targets = [union(targets)]
    if protocol == "as-many":
        n = len(targets)
        found = [_n_paired(boxes[: k * n], targets, iou) / n for k in (1, 5, 10)]
        return [*found, _n_paired(list(drawn.values()), targets, iou) / n]
    is_right = [any(entry.iou(target) >= iou for target in targets) for entry in boxes]
    within_reach = any(entry.iou(target) >= iou for entry in drawn.values() for target in targets)
    return [*(float(any(is_right[:k])) for k in (1, 5, 10)), float(within_reach or any(is_right[:10]))]


def _n_paired(boxes: list[Box], targets: list[Box], iou: float) -> int:
    """The most gold boxes that can have a box of their own."""
    is_match = np.array([[entry.iou(target) >= iou for target in targets] for entry in boxes])
    if not is_match.size:
        return 0
    return int(is_match[linear_sum_assignment(is_match, maximize=True)].sum())
