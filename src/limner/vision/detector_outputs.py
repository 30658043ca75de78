"""The outputs of detectors that were exported as tensors: which kind they are, and what they say.

| kind | outputs |
|---|---|
| `tf` | boxes `[1, n, 4]` as top, left, bottom, right in shares of the picture; classes, scores `[1, n]`; count `[1]` |
| `torchvision` | `boxes [n, 4]` in pixels, `labels [n]`, `scores [n]` |
| `detr` | `logits [1, n, classes]`, `pred_boxes [1, n, 4]` as centre and size in shares |
| `yolo` | one tensor: `[1, 4 + classes, n]`, `[1, n, 5 + classes]` or, suppressed already, `[1, n, 6]` |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from limner.arrays import Floats, Indices
from limner.vision.runtimes.tensor_models import ModelNotes, Tensor, TensorSpec

# Where a picture is filled up that does not have the proportions of what a model takes; with `none` it is stretched.
Padding = Literal["none", "even", "end"]


class RawDetections(NamedTuple):
    """Things that a model sees: corners in pixels of what it was given, scores and numbers of classes."""

    corners: Floats
    scores: Floats
    classes: Indices


class OutputKind(NamedTuple):
    """A way to write detections as tensors.

    `decode` takes the outputs, the width and height of the picture that the
    model was given, and the number of class names. `scaling` is how such
    models usually want their pixels, `padding` where a picture that keeps its
    proportions is filled up, and `side` its length where the model takes any.
    """

    name: str
    decode: Callable[[Sequence[Tensor], tuple[int, int], int], RawDetections]
    scaling: str
    padding: Padding = "none"
    side: int | None = None


def recognise_outputs(outputs: Sequence[TensorSpec], notes: ModelNotes) -> tuple[OutputKind, list[int]] | None:
    """The kind of a model's outputs, and their positions in the order that `decode` wants; None if it is not known."""
    for recognise in (_as_named, _as_tf, _as_yolo):
        if recognised := recognise(outputs, notes):
            return recognised
    return None


def _as_named(outputs: Sequence[TensorSpec], notes: ModelNotes) -> tuple[OutputKind, list[int]] | None:
    position = {output.name: i for i, output in enumerate(outputs)}
    for kind, names in NAMED.items():
        if set(names) <= position.keys():
            return kind, [position[name] for name in names]
    return None


def _as_tf(outputs: Sequence[TensorSpec], notes: ModelNotes) -> tuple[OutputKind, list[int]] | None:
    """The four outputs of TensorFlow Lite's own suppression, by what the file or the tensors' numbers call them."""
    by_rank = {n: [i for i, output in enumerate(outputs) if len(output.shape) == n] for n in (1, 2, 3)}
    if len(outputs) != 4 or [len(by_rank[n]) for n in (1, 2, 3)] != [1, 2, 1]:
        return None
    (boxes,), (count,), pair = by_rank[3], by_rank[1], by_rank[2]
    said = [name.lower() for name in notes.output_names or ()]
    if len(said) == 4 and any("score" in said[i] for i in pair):
        scores = next(i for i in pair if "score" in said[i])
    else:
        # The operation numbers its outputs boxes, classes, scores, count; some converters count backwards.
        number = [_number(output.name) for output in outputs]
        if number[boxes] not in (0, 3) or sorted(number) != [0, 1, 2, 3]:
            return None
        scores = max(pair, key=lambda i: abs(number[i] - number[boxes]))
    classes = next(i for i in pair if i != scores)
    return TF_LITE, [boxes, classes, scores, count]


def _number(name: str) -> int:
    """The number after the colon of a tensor's name: 0 without one."""
    match = re.search(r":([0-9])$", name)
    return int(match[1]) if match else 0


def _as_yolo(outputs: Sequence[TensorSpec], notes: ModelNotes) -> tuple[OutputKind, list[int]] | None:
    if len(outputs) == 1 and len(outputs[0].shape) == 3 and outputs[0].dtype.kind == "f":
        return YOLO, [0]
    return None


def _decode_tf(arrays: Sequence[Tensor], size: tuple[int, int], n_names: int) -> RawDetections:
    boxes, classes, scores, count = arrays
    n = int(np.clip(count.reshape(-1)[0], 0, scores.size))
    corners = boxes.reshape(-1, 4)[:n][:, [1, 0, 3, 2]] * _twice(size)
    return _raw(corners, scores.reshape(-1)[:n], classes.reshape(-1)[:n])


def _decode_torchvision(arrays: Sequence[Tensor], size: tuple[int, int], n_names: int) -> RawDetections:
    boxes, labels, scores = arrays
    return _raw(boxes.reshape(-1, 4), scores.reshape(-1), labels.reshape(-1))


def _decode_detr(arrays: Sequence[Tensor], size: tuple[int, int], n_names: int) -> RawDetections:
    logits, boxes = (array.reshape(-1, array.shape[-1]).astype(np.float64) for array in arrays)
    if logits.shape[1] == n_names + 1:
        # One more than there are names: the last class is that nothing is there.
        powers = np.exp(logits - logits.max(1, keepdims=True))
        chances = (powers / powers.sum(1, keepdims=True))[:, :-1]
    else:
        chances = 1 / (1 + np.exp(-np.clip(logits, -500, 500)))
    return _best_class(_from_centre(boxes) * _twice(size), chances)


def _decode_yolo(arrays: Sequence[Tensor], size: tuple[int, int], n_names: int) -> RawDetections:
    rows = arrays[0][0].astype(np.float64)
    if rows.shape[1] == 6 and _is_suppressed(rows):
        return _raw(rows[:, :4], rows[:, 4], rows[:, 5])
    if rows.shape[0] == 4 + n_names:
        return _best_class(_from_centre(rows[:4].T), rows[4:].T)
    if rows.shape[1] == 5 + n_names:
        return _best_class(_from_centre(rows[:, :4]), rows[:, 5:] * rows[:, 4:5])
    raise ValueError(f"its output is {rows.shape[0]} by {rows.shape[1]}, which does not fit {n_names} class names")


def _is_suppressed(rows: Floats) -> bool:
    """Whether rows of six are corners, score and class, and not centre, size, and two chances.

    A class is a whole number, and corners are in order: rows of the other kind
    are a fraction at the end, or wider than they are far from the left.
    """
    scored = rows[rows[:, 4] > 0]
    is_ordered = (scored[:, :2] <= scored[:, 2:4]).all()
    return bool(is_ordered and (np.abs(scored[:, 5] - np.rint(scored[:, 5])) < 1e-3).all())


def _best_class(corners: Floats, chances: Floats) -> RawDetections:
    classes = chances.argmax(1) if chances.shape[1] else np.zeros(len(chances), dtype=np.intp)
    return RawDetections(corners, chances[np.arange(len(chances)), classes], classes)


def _raw(corners: Tensor, scores: Tensor, classes: Tensor) -> RawDetections:
    return RawDetections(corners.astype(np.float64), scores.astype(np.float64), np.rint(classes).astype(np.intp))


def _from_centre(boxes: Floats) -> Floats:
    """Corners from centre x, centre y, width and height."""
    half = boxes[:, 2:] / 2
    return np.concatenate([boxes[:, :2] - half, boxes[:, :2] + half], axis=1)


def _twice(size: tuple[int, int]) -> Floats:
    return np.array([*size, *size], dtype=np.float64)


TF_LITE = OutputKind("tf", _decode_tf, scaling="-1-1", padding="end")
TF = OutputKind("tf", _decode_tf, scaling="0-255")
TORCHVISION = OutputKind("torchvision", _decode_torchvision, scaling="0-1")
DETR = OutputKind("detr", _decode_detr, scaling="imagenet", side=800)
YOLO = OutputKind("yolo", _decode_yolo, scaling="0-1", padding="even", side=640)

# Kinds that the names of the outputs tell, in the order in which they are decoded.
NAMED = {
    TF: ("detection_boxes", "detection_classes", "detection_scores", "num_detections"),
    TORCHVISION: ("boxes", "labels", "scores"),
    DETR: ("logits", "pred_boxes"),
}
