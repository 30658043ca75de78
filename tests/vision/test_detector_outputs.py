"""What exported detectors return: each kind is recognised and means the same boxes."""

from __future__ import annotations

import numpy as np
import pytest

from limner.vision.detector_outputs import DETR, TF, TF_LITE, TORCHVISION, YOLO, OutputKind, recognise_outputs
from limner.vision.runtimes.tensor_models import ModelNotes, Tensor, TensorSpec
from refusals import refusal

F = np.dtype(np.float32)
SIZE = (640, 480)

# Two things: corners in pixels of the canvas, score and class, of three classes.
CORNERS = np.array([[64.0, 48.0, 320.0, 240.0], [100.0, 200.0, 140.0, 300.0]])
SCORES = np.array([0.9, 0.4])
CLASSES = np.array([2, 0])
N_NAMES = 3

SHARES = CORNERS / np.array([640, 480, 640, 480])
CENTRES = np.concatenate([(CORNERS[:, :2] + CORNERS[:, 2:]) / 2, CORNERS[:, 2:] - CORNERS[:, :2]], axis=1)


def chances(others: float) -> Tensor:
    """The chance of every class for both things; those of classes that they are not are lower."""
    rows = np.full((2, N_NAMES), others)
    rows[[0, 1], CLASSES] = SCORES
    return rows


def logits_with_nothing() -> Tensor:
    """Logits whose softmax, of which the last is that nothing is there, gives the scores."""
    rows = np.full((2, N_NAMES + 1), 0.01)
    rows[[0, 1], CLASSES] = SCORES
    rows[:, -1] = 1 - rows[:, :-1].sum(1)
    return np.log(rows) + np.array([[3.0], [-50.0]])


def detr_boxes() -> Tensor:
    return (CENTRES / np.array([640, 480, 640, 480]))[None]


@pytest.mark.parametrize(
    ("kind", "arrays"),
    [
        (TF, [SHARES[None][..., [1, 0, 3, 2]], CLASSES[None].astype(float), SCORES[None], np.array([2.0])]),
        # The count says that what comes after it is not there.
        (
            TF_LITE,
            [
                np.concatenate([SHARES[:, [1, 0, 3, 2]], np.ones((5, 4))])[None],
                np.array([[2.0, 0.0, 9.0, 9.0, 9.0, 9.0, 9.0]]),
                np.array([[0.9, 0.4, 1.0, 1.0, 1.0, 1.0, 1.0]]),
                np.array([2.0]),
            ],
        ),
        (TORCHVISION, [CORNERS, CLASSES, SCORES]),
        (DETR, [logits_with_nothing()[None], detr_boxes()]),
        (DETR, [np.log(chances(0.05) / (1 - chances(0.05)))[None], detr_boxes()]),
        (YOLO, [np.concatenate([CENTRES, chances(0.05)], axis=1).T[None]]),
        (YOLO, [np.concatenate([CENTRES, [[0.95], [0.5]], chances(0.05) / [[0.95], [0.5]]], axis=1)[None]]),
        (YOLO, [np.concatenate([CORNERS, SCORES[:, None], CLASSES[:, None]], axis=1)[None]]),
    ],
    ids=["tf", "tf-lite", "torchvision", "detr", "rt-detr", "yolo-v8", "yolo-v5", "yolo-suppressed"],
)
def test_every_kind_says_the_same(kind: OutputKind, arrays: list[Tensor]) -> None:
    raw = kind.decode([np.asarray(array, dtype=np.float32) for array in arrays], SIZE, N_NAMES)
    np.testing.assert_allclose(raw.corners, CORNERS, atol=0.01)
    np.testing.assert_allclose(raw.scores, SCORES, atol=1e-5)
    assert raw.classes.tolist() == CLASSES.tolist()


@pytest.mark.parametrize(
    "rows",
    [
        np.concatenate([CORNERS, SCORES[:, None], [[0], [0]]], axis=1),
        np.concatenate([CENTRES, [[0.95], [0.5]], SCORES[:, None] / [[0.95], [0.5]]], axis=1),
    ],
    ids=["suppressed", "two chances"],
)
def test_rows_of_six_with_one_name_are_told_apart(rows: Tensor) -> None:
    raw = YOLO.decode([rows[None].astype(np.float32)], SIZE, 1)
    np.testing.assert_allclose(raw.corners, CORNERS, atol=0.01)
    np.testing.assert_allclose(raw.scores, SCORES, atol=1e-5)
    assert raw.classes.tolist() == [0, 0]


def test_two_chances_do_not_fit_several_names() -> None:
    with refusal(ValueError):
        YOLO.decode([np.concatenate([CENTRES, chances(0.3)[:, :2]], axis=1)[None]], SIZE, N_NAMES)


def test_names_that_do_not_fit_the_output_are_an_error() -> None:
    with refusal(ValueError):
        YOLO.decode([np.zeros((1, 84, 90), dtype=np.float32)], SIZE, N_NAMES)


def specs(**shapes: tuple[int | None, ...]) -> list[TensorSpec]:
    return [TensorSpec(name, shape, F) for name, shape in shapes.items()]


def tf_lite(*names: str) -> list[TensorSpec]:
    shape = {"b": (1, 25, 4), "c": (1, 25), "s": (1, 25), "n": (1,)}
    return [TensorSpec(name[1:], shape[name[0]], F) for name in names]


@pytest.mark.parametrize(
    ("outputs", "said", "expected"),
    [
        (specs(logits=(1, 9, 92), pred_boxes=(1, 9, 4), encoder=(1, 5, 5)), None, (DETR, [0, 1])),
        (specs(scores=(None,), labels=(None,), boxes=(None, 4)), None, (TORCHVISION, [2, 1, 0])),
        (
            specs(num_detections=(1,), detection_scores=(1, 9), detection_boxes=(1, 9, 4), detection_classes=(1, 9)),
            None,
            (TF, [2, 3, 1, 0]),
        ),
        (specs(output0=(1, 84, 8400)), None, (YOLO, [0])),
        # Names of the four outputs of the operation, counted forwards and backwards.
        (tf_lite("bX", "cX:1", "sX:2", "nX:3"), None, (TF_LITE, [0, 1, 2, 3])),
        (tf_lite("bY:3", "cY:2", "sY:1", "nY:0"), None, (TF_LITE, [0, 1, 2, 3])),
        (tf_lite("sY:1", "bY:3", "nY:0", "cY:2"), None, (TF_LITE, [1, 3, 0, 2])),
        # What the file calls them counts first.
        (tf_lite("bX", "cX:1", "sX:2", "nX:3"), ("location", "score", "category", "count"), (TF_LITE, [0, 2, 1, 3])),
        (tf_lite("ba", "cb", "sc", "nd"), ("location", "category", "score", "count"), (TF_LITE, [0, 1, 2, 3])),
        (tf_lite("ba", "cb", "sc", "nd"), None, None),
        (specs(probability=(1, 1000)), None, None),
        (specs(a=(1, 9, 4), b=(1, 9, 91)), None, None),
    ],
)
def test_the_kind_is_recognised(
    outputs: list[TensorSpec], said: tuple[str, ...] | None, expected: tuple[OutputKind, list[int]] | None
) -> None:
    assert recognise_outputs(outputs, ModelNotes(output_names=said)) == expected
