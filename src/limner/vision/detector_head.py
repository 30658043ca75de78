"""What a detector knows of every region, not only of the few things that it reports.

A TensorFlow Lite detector ends in an operation that picks a few boxes out of
tens of thousands (`TFLite_Detection_PostProcess`). The tensors before it hold a score for
every class and every anchor: boxes of things that have no class of their own
are among them, with low scores, and cost nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import PIL

from limner.arrays import Floats, Singles
from limner.corpus.geometry import area, clip, corners, iou
from limner.lazy import lazy
from limner.vision.class_labels import is_class, labels_signature
from limner.vision.detections import DetectionSettings
from limner.vision.detectors import open_detector
from limner.vision.protocols import Detector, Pixels
from limner.vision.runtimes.tensor_models import Tensor, TensorModel, TensorSpec, check_numbers
from limner.vision.tensor_detector import FILL, fit

if TYPE_CHECKING:
    from limner.vision.runtimes import litert_models
else:
    litert_models = lazy("limner.vision.runtimes.litert_models")

# Raised whenever the same model would give other scores for the same picture.
CODE = 1

# Anchors of a picture that are kept, the surest first: the others say that nothing is there.
MOST_ANCHORS = 1000

# Square pixels. Anchors that are smaller, cut to the picture, are dropped.
LEAST_AREA = 16.0

# A detection says something of a region that it overlaps with by more than this IoU.
LEAST_IOU = 0.3

# What the offsets of centres and sizes are divided by: nothing in EfficientDet, these in SSD.
OFFSET_SCALES = ((1.0, 1.0, 1.0, 1.0), (10.0, 10.0, 5.0, 5.0))

# How far, as a share of the picture, a reported box may lie from the anchor that it is.
TOLERANCE = 0.02

# A detector without a readable head reports all that it is at least this sure of.
REPORTED = DetectionSettings(score=0.05, nms=0.6, most=100)


class ClassScores(NamedTuple):
    """Boxes of one picture, the surest first: corners in its pixels `[n, 4]`, scores from 0 to 1 `[n, classes]`."""

    corners: Floats
    scores: Singles

    def of_regions(self, regions: Floats) -> Singles:
        """For every region and class the best score times IoU of a box (Plummer et al. 2016, eq. 1, as IoU allows)."""
        best = np.zeros((len(regions), self.scores.shape[1]), dtype=np.float32)
        overlaps = iou(regions, self.corners).astype(np.float32)
        for row, shares in enumerate(overlaps):
            near = np.flatnonzero(shares > LEAST_IOU)
            if len(near):
                best[row] = (self.scores[near] * shares[near, None]).max(axis=0)
        return best


class ClassScorer(Protocol):
    """Says for the boxes of a picture how likely they are of each class."""

    @property
    def signature(self) -> str: ...

    @property
    def class_names(self) -> tuple[str, ...]: ...

    def read(self, pixels: Pixels) -> ClassScores: ...


def open_class_scorer(model: Path) -> ClassScorer:
    """The scores behind a detector: its head's where they can be read, otherwise those that it reports."""
    detector = open_detector(model, settings=REPORTED)
    if model.suffix == ".tflite":
        head = _open_head(model, detector.class_names)
        if head is not None:
            return head
    return ReportedScores(detector)


class ReportedScores:
    """The class scores of any detector: each box has one class."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self.class_names = detector.class_names
        self.signature = f"scores:reported|{detector.signature}|code:{CODE}"
        self._number = {name: number for number, name in reversed([*enumerate(self.class_names)])}

    def read(self, pixels: Pixels) -> ClassScores:
        (boxes,) = self._detector.detect([pixels])
        scores = np.zeros((len(boxes), len(self.class_names)), dtype=np.float32)
        for row, box in enumerate(boxes):
            scores[row, self._number[box.label]] = box.score
        return ClassScores(corners(boxes), scores)


class HeadScores:
    """The class scores of a TensorFlow Lite detector before it picks what it reports.

    `model` returns anchors `[n, 4]`, offsets `[1, n, 4]` and scores of classes
    `[1, n, classes]`, of which numbers outside 0 to 1 are logits.
    """

    def __init__(self, model: TensorModel, class_names: Sequence[str], scales: tuple[float, ...]) -> None:
        self._model, self._scales = model, np.array(scales)
        self.class_names = tuple(class_names)
        self._named = np.array([is_class(name) for name in class_names], dtype=np.bool_)
        height, width = model.inputs[0].shape[1:3]
        self._canvas = width or 0, height or 0
        fill = f"pillow:{PIL.__version__}|padding:end{FILL['end']}|most:{MOST_ANCHORS}"
        self.signature = f"scores:head|{model.signature}|{labels_signature(class_names)}|{fill}|code:{CODE}"

    def read(self, pixels: Pixels) -> ClassScores:
        height, width = pixels.shape[:2]
        fitted, scale, _ = fit(pixels, self._canvas, "end")
        anchors, offsets, raw = self._model.run(self._scaled(fitted))[:3]
        check_numbers((offsets, raw), self._model.path)
        scores = np.where(self._named, _chances(raw.reshape(-1, raw.shape[-1])[:, : len(self._named)]), 0.0)
        sure = np.argsort(-scores.max(axis=1), kind="stable")[: 2 * MOST_ANCHORS]
        boxes = decode_anchors(anchors[sure], offsets.reshape(-1, 4)[sure], self._scales)
        pixel_corners = clip(boxes * np.tile(self._canvas, 2) / np.tile(scale, 2), (width, height))
        kept = np.flatnonzero(area(pixel_corners) > LEAST_AREA)[:MOST_ANCHORS]
        return ClassScores(pixel_corners[kept], scores[sure[kept]].astype(np.float32))

    def _scaled(self, pixels: Pixels) -> Tensor:
        notes, spec = self._model.notes, self._model.inputs[0]
        if spec.dtype == np.uint8:
            return pixels[None]
        mean, std = np.array(notes.mean or 127.5, np.float32), np.array(notes.std or 127.5, np.float32)
        return ((pixels - mean) / std)[None]


def decode_anchors(anchors: Tensor, offsets: Tensor, scales: Floats) -> Floats:
    """Corners, as shares of the canvas, of anchors (centre y, centre x, height, width) moved by their offsets."""
    moved = offsets.astype(np.float64) / scales
    centre = moved[:, :2] * anchors[:, 2:] + anchors[:, :2]
    # A size beyond any picture is cut to it anyway.
    half = np.exp(np.minimum(moved[:, 2:], 10.0)) * anchors[:, 2:] / 2
    return np.concatenate([centre - half, centre + half], axis=1)[:, [1, 0, 3, 2]]


def _chances(scores: Tensor) -> Singles:
    """Scores from 0 to 1; logits are squashed."""
    if scores.size and (scores.min() < 0.0 or scores.max() > 1.0):
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(scores, -30.0, 30.0))), dtype=np.float32)
    return np.asarray(scores, dtype=np.float32)


def _open_head(path: Path, class_names: Sequence[str]) -> HeadScores | None:
    """The head of a model whose tensors are as expected, and lead to the boxes that it reports; None otherwise."""
    outline = litert_models.LiteRtModel(path)
    inner = _head_tensors(outline.tensors, len(class_names))
    if inner is None or len(outline.inputs) != 1:
        return None
    boxes = next((spec.name for spec in outline.outputs if len(spec.shape) == 3), None)
    shape = outline.inputs[0].shape
    if boxes is None or shape[3] != 3 or None in shape[1:3]:
        return None
    model = litert_models.LiteRtModel(path, tensor=[*inner, boxes])
    scales = _offset_scales(model)
    return None if scales is None else HeadScores(model, class_names, scales)


def _head_tensors(specs: Sequence[TensorSpec], n_classes: int) -> list[str] | None:
    """The names of anchors, offsets and class scores; of scores the first, before they are squashed and rounded."""
    names = [spec.name for spec in specs]
    usable = [spec for spec in specs if spec.name and names.count(spec.name) == 1]
    anchors = [s for s in usable if len(s.shape) == 2 and s.shape[1] == 4 and s.dtype == np.float32]
    for spec in anchors:
        n = spec.shape[0]
        offsets = [s.name for s in usable if s.shape == (1, n, 4)]
        scores = [s.name for s in usable if len(s.shape) == 3 and s.shape[:2] == (1, n) and s.shape[2] == n_classes]
        if offsets and scores:
            return [spec.name, offsets[-1], scores[0]]
    return None


def _offset_scales(model: TensorModel) -> tuple[float, ...] | None:
    """The scales of offsets with which the anchors are where the model reports boxes; None if there are none such."""
    height, width = model.inputs[0].shape[1:3]
    noise = np.random.default_rng(0).integers(0, 256, (1, height or 1, width or 1, 3), dtype=np.uint8)
    given = noise if model.inputs[0].dtype == np.uint8 else noise.astype(np.float32) / 127.5 - 1.0
    anchors, offsets, _, reported = model.run(given)
    boxes = reported.reshape(-1, 4)[:, [1, 0, 3, 2]].astype(np.float64)
    for scales in OFFSET_SCALES:
        decoded = decode_anchors(anchors, offsets.reshape(-1, 4), np.array(scales))
        # A few of the reported rows may be empty.
        nearest = [np.abs(decoded - box).max(axis=1).min() for box in boxes[:3]]
        if max(nearest, default=1.0) < TOLERANCE:
            return scales
    return None
