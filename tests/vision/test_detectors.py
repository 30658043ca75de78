"""Detectors by their model's path: what each runtime runs, and what is refused."""

from __future__ import annotations

import io
import json
import os
import threading
import zipfile
from pathlib import Path

import numpy as np
import PIL
import pytest
import torch
import transformers

from conftest import REPOSITORY
from limner.errors import BadInput
from limner.vision import DetectionSettings, Pixels, open_detector, read_pixels
from limner.vision.runtimes import litert_models
from refusals import refusal
from small_detectors import UINT8, onnx_detector, spread_model, yolos_folder

NAMES = ("dog", "cat", "kite")
ALL = DetectionSettings(score=0.0, nms=1.0)


@pytest.fixture(scope="session")
def models() -> Path:
    """The folder of real models beside the repository."""
    folder = REPOSITORY.parent / "shared" / "models"
    if not folder.is_dir():
        pytest.skip("real models are not at hand (shared/models beside the repository)")
    return folder


def grey(value: int, height: int = 80, width: int = 120) -> Pixels:
    return np.full((height, width, 3), value, dtype=np.uint8)


# --- ONNX

# One thing in the middle, of the class that is likeliest; a test says which.
DETR = {"logits": np.zeros((1, 1, 3)), "pred_boxes": [[[0.5, 0.5, 0.25, 0.5]]]}
TF = {
    "detection_boxes": [[[0.25, 0.5, 0.75, 1.0]]],
    "detection_classes": [[1.0]],
    "detection_scores": [[0.9]],
    "num_detections": [1.0],
}


@pytest.mark.parametrize(
    ("scaling", "mean"),
    [("0-255", 3.0), ("0-1", 3 / 255), ("-1-1", 3 / 127.5 - 1), ("imagenet", -2.0157), (None, -2.0157)],
)
def test_pixels_are_scaled_as_the_model_wants_them(tmp_path: Path, scaling: str | None, mean: float) -> None:
    path = onnx_detector(tmp_path / "m.onnx", DETR, mean_at=("logits", 1))
    ((box,),) = open_detector(path, NAMES, ALL, scaling=scaling).detect([grey(3)])
    assert box.score == pytest.approx(max(0.5, 1 / (1 + np.exp(-mean))), abs=1e-3)
    assert box.label == ("cat" if mean > 0 else "dog")
    assert box.corners == (45, 20, 75, 60)


@pytest.mark.parametrize("shape", [(1, 40, 60, 3), ("n", "h", "w", 3), (1, "h", "w", 3)])
def test_bytes_stay_bytes_whatever_the_layout(tmp_path: Path, shape: tuple[int | str, ...]) -> None:
    # The mean of the bytes is the class' number, so that any scaling would show.
    outputs = {**TF, "detection_classes": [[0.0]]}
    path = onnx_detector(tmp_path / "m.onnx", outputs, shape=shape, kind=UINT8, mean_at=("detection_classes", 0))
    ((box,),) = open_detector(path, NAMES, ALL).detect([grey(2)])
    assert (box.label, box.corners) == ("kite", (60, 20, 120, 60))


def test_bytes_cannot_be_scaled(tmp_path: Path) -> None:
    path = onnx_detector(tmp_path / "m.onnx", TF, shape=(1, 40, 60, 3), kind=UINT8)
    assert open_detector(path, NAMES, scaling="0-255").signature == open_detector(path, NAMES).signature
    with refusal(BadInput):
        open_detector(path, NAMES, scaling="0-1")


def test_a_signature_names_what_draws_and_pads_the_picture(tmp_path: Path) -> None:
    padded = onnx_detector(tmp_path / "yolo.onnx", {"output0": np.zeros((1, 7, 2))})
    stretched = onnx_detector(tmp_path / "tf.onnx", TF)
    assert f"|pillow:{PIL.__version__}|kind:yolo|pixels:0-1|padding:even114|" in open_detector(padded, NAMES).signature
    assert "|padding:none|" in open_detector(stretched, NAMES).signature
    assert open_detector(padded, NAMES).signature.endswith("|code:1")


def test_a_padded_picture_gives_boxes_in_its_own_pixels(tmp_path: Path) -> None:
    # 96 by 64 pixels for a picture of 120 by 40: scaled by 0.8, with 16 rows of grey above and below.
    rows = np.zeros((1, 7, 2))
    rows[0, :, 0] = [48, 32, 96, 32, 0, 0, 0.8]
    rows[0, :, 1] = [8, 20, 16, 8, 0, 0.5, 0]
    path = onnx_detector(tmp_path / "m.onnx", {"output0": rows}, metadata={"names": "{0: 'dog', 1: 'cat', 2: 'kite'}"})
    (boxes,) = open_detector(path).detect([grey(7, 40, 120)])
    assert [(box.label, box.score, box.corners) for box in boxes] == [
        ("kite", 0.8, (0, 0, 120, 40)),
        ("cat", 0.5, (0, 0, 20, 10)),
    ]


@pytest.mark.parametrize(
    ("outputs", "options", "said"),
    [
        (
            {"probability": np.zeros((1, 1000))},
            {},
            "is not a detector of a known kind: it returns 'probability [1, 1000]",
        ),
        (TF, {"shape": (1, 16000)}, "does not take one picture but 'picture [1, 16000] float32'"),
        (TF, {"shape": (4, 64, 64, 3)}, "does not take one picture"),
        ({**TF, "detection_scores": [[np.nan]]}, {}, "the model returned nan; it is damaged, or"),
        ({**TF, "detection_boxes": [[[0, 0, np.inf, 1]]]}, {}, "the model returned inf"),
        ({**TF, "detection_classes": [[7.0]]}, {}, "it detects class 7, but there are names for 0 to 2"),
        ({"output0": np.zeros((1, 84, 50))}, {}, "which does not fit 3 class names"),
    ],
)
def test_a_model_of_the_wrong_kind_is_refused(
    tmp_path: Path, outputs: dict[str, object], options: dict[str, object], said: str
) -> None:
    path = onnx_detector(tmp_path / "m.onnx", outputs, **options)  # type: ignore[arg-type]
    with pytest.raises(BadInput) as caught:
        open_detector(path, NAMES).detect([grey(0)])
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)


@pytest.mark.parametrize("names", ["{0: open('x')}", "[" * 999, "{1: 'dog'}", "{1e999: 'dog'}"])
def test_names_in_a_model_are_never_run(tmp_path: Path, names: str) -> None:
    path = onnx_detector(tmp_path / "m.onnx", TF, metadata={"names": names})
    with refusal(BadInput):
        open_detector(path)


@pytest.mark.parametrize("where", ["initializer", "constant", "branch", "sparse", "function"])
def test_weights_in_other_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("weights.bin").write_bytes(np.zeros(4, dtype=np.float32).tobytes())
    path = spread_model(tmp_path / "m.onnx", where, "weights.bin")
    with refusal(BadInput) as caught:
        open_detector(path, NAMES)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_model_without_class_names_is_refused_until_they_are_given(tmp_path: Path) -> None:
    path = onnx_detector(tmp_path / "m.onnx", TF)
    with refusal(BadInput) as caught:
        open_detector(path)
    assert caught.value.code == "model-without-names"
    (tmp_path / "names.txt").write_text("dog\ncat\n")
    ((box,),) = open_detector(path, tmp_path / "names.txt").detect([grey(0)])
    assert box.label == "cat"


@pytest.mark.parametrize("name", ["m.onnx", "m.tflite", "m.pt"])
@pytest.mark.parametrize("content", [b"", b"not a model", bytes(5000), b"\0\0\0\x1cTFL3" + bytes(range(200))])
def test_what_is_no_model_is_told_in_one_line(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput) as caught:
        open_detector(tmp_path / name, NAMES)
    assert str(tmp_path / name) in str(caught.value)


def test_signatures_differ_where_the_boxes_may(tmp_path: Path) -> None:
    one = onnx_detector(tmp_path / "one.onnx", TF)
    other = onnx_detector(tmp_path / "other.onnx", {**TF, "detection_scores": [[0.8]]})
    again = onnx_detector(tmp_path / "again.onnx", TF)
    made = [
        open_detector(one, NAMES),
        open_detector(other, NAMES),
        open_detector(one, ("dog", "cat", "bird")),
        open_detector(one, NAMES, DetectionSettings(score=0.1)),
        open_detector(one, NAMES, DetectionSettings(nms=0.1)),
        open_detector(one, NAMES, scaling="0-1"),
    ]
    assert len({detector.signature for detector in made}) == len(made)
    assert open_detector(again, NAMES).signature == made[0].signature


# --- Hugging Face


@pytest.fixture(scope="module")
def yolos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return yolos_folder(tmp_path_factory.mktemp("yolos"))


def test_a_folder_of_hugging_face_detects_what_its_own_code_does(yolos: Path) -> None:
    pixels = np.random.default_rng(2).integers(0, 256, (30, 44, 3), dtype=np.uint8)
    (boxes,) = open_detector(yolos, settings=ALL).detect([pixels])
    model = transformers.AutoModelForObjectDetection.from_pretrained(yolos).eval()
    processor = transformers.AutoImageProcessor.from_pretrained(yolos, backend="pil")
    with torch.inference_mode():
        output = model(**processor(images=pixels, return_tensors="pt"))
    (expected,) = processor.post_process_object_detection(output, threshold=0.0, target_sizes=[(30, 44)])
    best_first = expected["scores"].argsort(descending=True)
    clipped = expected["boxes"][best_first].numpy().clip(0, [44, 30, 44, 30])
    assert len(boxes) > 2
    # Boxes that lie outside, or are cut to nothing, are dropped.
    inside = [i for i, row in enumerate(np.round(clipped, 2)) if row[2] > row[0] and row[3] > row[1]]
    np.testing.assert_allclose([box.corners for box in boxes], clipped[inside], atol=0.01)
    assert [box.label for box in boxes] == [NAMES[label] for label in expected["labels"][best_first][inside]]


def test_a_folder_with_made_up_names_needs_names(tmp_path: Path) -> None:
    folder = yolos_folder(tmp_path, names=())
    with refusal(BadInput):
        open_detector(folder)
    assert open_detector(folder, NAMES).class_names == NAMES


def test_a_folder_that_holds_no_detector_is_refused(yolos: Path, tmp_path: Path) -> None:
    with refusal(BadInput):
        open_detector(tmp_path, NAMES)
    config = json.loads((yolos / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": "bert"}))
    with refusal(BadInput):
        open_detector(tmp_path, NAMES)
    (tmp_path / "model.safetensors").write_bytes((yolos / "model.safetensors").read_bytes())
    with refusal(BadInput):
        open_detector(tmp_path, NAMES)


# --- LiteRT


def test_a_real_detector_sees_what_is_in_real_pictures(models: Path, shared_data: Path) -> None:
    detector = open_detector(models / "efficientdet_lite2.tflite")
    assert detector.class_names[:2] == ("person", "bicycle")
    picture = sorted((shared_data / "flickr30k_images").glob("*.jpg"))[0]
    pixels = read_pixels(picture)
    (boxes,) = detector.detect([pixels])
    assert boxes
    assert all(box.score >= 0.5 and 0 <= box.x0 < box.x1 <= pixels.shape[1] for box in boxes)
    assert detector.detect([pixels]) == [boxes]


def test_a_classifier_is_no_detector(models: Path) -> None:
    with refusal(BadInput):
        open_detector(models / "efficientnet_lite0.tflite", "coco")


def test_a_damaged_zip_of_names_is_told_of(models: Path, tmp_path: Path) -> None:
    raw = (models / "efficientdet_lite2.tflite").read_bytes()
    path = tmp_path / "m.tflite"
    extra = io.BytesIO(raw)
    with zipfile.ZipFile(extra, "a") as archive:
        archive.writestr("more.txt", "dog\n")
    path.write_bytes(extra.getvalue())
    # Two files could be the names: neither is taken.
    with refusal(BadInput):
        open_detector(path)
    assert open_detector(path, "coco-90").class_names[0] == "person"


def test_two_threads_leave_standard_error_as_it_was() -> None:
    before = os.fstat(2)
    within, is_done = threading.Event(), threading.Event()

    def open_another() -> None:
        with litert_models._without_notices():
            within.set()
            is_done.wait()

    with litert_models._without_notices():
        thread = threading.Thread(target=open_another)
        thread.start()
        # Nobody else gets in meanwhile.
        assert not within.wait(0.1)
    is_done.set()
    thread.join()
    assert (os.fstat(2).st_ino, os.fstat(2).st_dev) == (before.st_ino, before.st_dev)
