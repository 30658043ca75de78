"""Detections as boxes: thresholds, suppression by class, the picture's edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.vision.detections import DetectionSettings, boxes_of
from limner.vision.detector_outputs import RawDetections
from refusals import refusal

NAMES = ("dog", "cat", "???")


def raw(*rows: tuple[float, float, float, float, float, int]) -> RawDetections:
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)
    return RawDetections(table[:, :4], table[:, 4], table[:, 5].astype(np.intp))


def labels(rows: RawDetections, **options: float) -> list[tuple[str, float]]:
    boxes = boxes_of(rows, NAMES, DetectionSettings(**options), (100, 80))  # type: ignore[arg-type]
    assert [box.id for box in boxes] == [f"d{i}" for i in range(len(boxes))]
    return [(box.label, box.score) for box in boxes]


def test_boxes_come_best_first_and_sure_enough() -> None:
    rows = raw((0, 0, 9, 9, 0.31, 0), (20, 0, 29, 9, 0.9, 1), (40, 0, 49, 9, 0.29, 0))
    assert labels(rows, score=0.3) == [("cat", 0.9), ("dog", 0.31)]
    assert labels(rows, score=0.31) == [("cat", 0.9), ("dog", 0.31)]
    assert labels(rows, score=0.0, most=2) == [("cat", 0.9), ("dog", 0.31)]


def test_only_boxes_of_one_class_suppress_each_other() -> None:
    rows = raw((0, 0, 10, 10, 0.9, 0), (0, 0, 10, 9, 0.8, 0), (0, 0, 10, 9, 0.7, 1))
    assert labels(rows, nms=0.5) == [("dog", 0.9), ("cat", 0.7)]
    assert labels(rows, nms=0.95) == [("dog", 0.9), ("dog", 0.8), ("cat", 0.7)]


def test_boxes_are_cut_to_the_picture_and_dropped_outside() -> None:
    rows = raw((-5, -5, 120, 90, 0.9, 0), (200, 0, 300, 10, 0.8, 1), (50, 5, 50, 9, 0.7, 1), (9, 9, 3, 3, 0.6, 1))
    (box,) = boxes_of(rows, NAMES, DetectionSettings(), (100, 80))
    assert (box.label, box.corners) == ("dog", (0, 0, 100, 80))


def test_a_number_without_a_class_is_dropped_and_one_beyond_the_names_is_an_error() -> None:
    assert labels(raw((0, 0, 9, 9, 0.9, 2))) == []
    assert labels(raw((0, 0, 9, 9, 0.1, 3))) == []
    with refusal(ValueError):
        labels(raw((0, 0, 9, 9, 0.9, 3)))
    with refusal(ValueError):
        labels(raw((0, 0, 9, 9, 0.9, -1)))


rows_of = st.tuples(*[st.floats(-50, 150)] * 4, st.floats(0, 1), st.integers(0, 2))


@given(st.lists(rows_of, max_size=12), st.floats(0, 1), st.floats(0, 1))
def test_suppression_is_what_its_definition_says(
    rows: list[tuple[float, float, float, float, float, int]], score: float, nms: float
) -> None:
    boxes = boxes_of(raw(*rows), NAMES, DetectionSettings(score, nms), (100, 80))
    kept: list[tuple[float, float, float, float, float, int]] = []
    for row in sorted(rows, key=lambda row: -row[4]):
        x0, y0, x1, y1 = (
            float(np.round(np.clip(v, 0, limit), 2)) for v, limit in zip(row, (100, 80) * 2, strict=False)
        )
        if row[4] < score or row[5] == 2 or x1 <= x0 or y1 <= y0:
            continue
        if all(row[5] != other[5] or _iou((x0, y0, x1, y1), other) <= nms for other in kept):
            kept.append((x0, y0, x1, y1, row[4], row[5]))
    assert [box.corners for box in boxes] == [row[:4] for row in kept]
    assert [box.label for box in boxes] == [NAMES[row[5]] for row in kept]


def _iou(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(width, 0) * max(height, 0)
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


@pytest.mark.parametrize("options", [{"score": 1.1}, {"score": float("nan")}, {"nms": -0.1}, {"most": 0}])
def test_impossible_settings_are_refused(options: dict[str, float]) -> None:
    with refusal(ValueError):
        DetectionSettings(**options)  # type: ignore[arg-type]
