"""`limner detect` in a process of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture

from command_line import limner
from small_detectors import onnx_detector

LIMNER = [sys.executable, "-m", "limner"]

# A thing of the second class in the upper half of everything, and one that is less sure.
SEEN = {"boxes": [[0, 0, 40, 15], [20, 0, 40, 30]], "labels": [1, 0], "scores": [0.9, 0.2]}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "kite.onnx"
    return onnx_detector(path, SEEN, shape=(1, 3, 30, 40), metadata={"names": "{0: 'dog', 1: 'kite'}"})


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    (folder / "beach").mkdir(parents=True)
    for name in ("a.png", "beach/b.jpg"):
        Picture.fromarray(np.full((30, 40, 3), 90, dtype=np.uint8)).save(folder / name)
    return folder


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_photographs_are_described_and_shown(model: Path, photos: Path, tmp_path: Path) -> None:
    seen = limner("detect", photos, "--model", model, "-o", "-")
    assert seen.returncode == 0
    assert seen.stderr == "limner: 2 images written to -\nlimner: 2 boxes of 1 class\n"
    said = limner("describe", "-", "-o", "-", "--realise", "template", given=seen.stdout)
    assert said.returncode == 0
    results = [json.loads(line) for line in said.stdout.splitlines()]
    assert [(image["id"], image["captions"][0]["text"]) for image in results] == [
        ("a", "A kite."),
        ("beach/b", "A kite."),
    ]
    assert results[0]["provenance"]["labels"] == "detected"
    assert "|score:0.5|nms:0.5|" in results[0]["provenance"]["detector"]
    (tmp_path / "seen.jsonl").write_text(seen.stdout)
    (tmp_path / "said.jsonl").write_text(said.stdout)
    page = tmp_path / "page.html"
    shown = limner("show", tmp_path / "seen.jsonl", tmp_path / "said.jsonl", "-o", page, "--pictures", photos)
    assert shown.returncode == 0
    assert "no picture" not in shown.stderr


def test_a_corpus_keeps_its_captions_and_says_what_goes(model: Path, photos: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(
        '{"limner":2,"id":"a","width":80,"height":60,"boxes":[{"id":"0","x0":0,"y0":0,"x1":5,"y1":5,"label":"dog"}],'
        '"captions":[{"id":"0","text":"A kite .","mentions":[{"start":0,"end":6,"boxes":["0"]}]}]}\n'
    )
    out = tmp_path / "out.jsonl"
    done = limner("detect", corpus, "--pictures", photos, "--model", model, "-o", out, "--score", 0.1)
    assert done.stderr == (
        f"limner: 1 image written to {out}\nlimner: 2 boxes of 2 classes\nlimner: replaced by them: 1 box, 1 mention\n"
    )
    (image,) = lines(out)
    assert image["boxes"] == [
        {"id": "d0", "x0": 0.0, "y0": 0.0, "x1": 80.0, "y1": 30.0, "label": "kite", "score": 0.9},
        {"id": "d1", "x0": 40.0, "y0": 0.0, "x1": 80.0, "y1": 60.0, "label": "dog", "score": 0.2},
    ]
    assert image["captions"] == [{"id": "0", "text": "A kite ."}]
    linked, scores = tmp_path / "linked.jsonl", tmp_path / "said.jsonl"
    assert limner("link", out, linked).returncode == 0
    assert limner("describe", linked, "-o", scores).returncode == 0
    assert "labels:detected by onnx:" in limner("score", "content", scores, "--gold", linked, "--json").stdout


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--seed", "0"), "--seed, --false-positives and --every-label are for a simulated detector"),
        (("--every-label",), "--seed, --false-positives and --every-label are for a simulated detector"),
        (("--model", "simulated", "--threads", "2"), "--threads are for detectors that look at pictures"),
        (("--model", "simulated", "--labels", "coco"), "--threads are for detectors that look at pictures"),
    ],
)
def test_an_option_that_would_do_nothing_is_wrong_usage(
    model: Path, photos: Path, tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    which = () if "--model" in arguments else ("--model", model)
    done = limner("detect", photos, *arguments, *which, "-o", tmp_path / "out.jsonl")
    assert done.returncode == 2
    assert problem in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("empty",), "empty: there is no picture in the folder; names end with .jpg"),
        (
            ("broken",),
            "broken/x.jpg: is text, not a picture; convert it to JPEG or PNG, or remove it, or pass --lenient",
        ),
        (("iphone",), "x.heic: is HEIC, which is not read here; convert it to JPEG or PNG, or pass --lenient"),
        (("iphone/x.heic",), "x.heic: is HEIC, which is not read here"),
        (("gone",), "gone: there is no such file or folder"),
        (
            ("photos", "--model", "photos/a.png"),
            "a.png: is no model of a known kind by its name; give a .tflite or .onnx",
        ),
        (("photos", "--labels", "cocoa"), "cocoa: cannot read (no such file or directory)"),
        (("photos", "--labels", "one.txt"), "it detects class 1, but there are names for 0 to 0"),
        (("corpus.jsonl",), "there is no picture of image 'z'; pass --pictures to name"),
        (("corpus.jsonl", "--pictures", "photos"), "photos: there is no picture of image 'z'; pass --lenient to leave"),
    ],
)
def test_a_fault_is_one_line_and_leaves_nothing(
    model: Path, photos: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    for folder, name, content in (("empty", "x.txt", ""), ("broken", "x.jpg", "dear diary"), ("iphone", "x.heic", "")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(content or "\0\0\0\x18ftypheic" + "\0" * 40)
    (tmp_path / "one.txt").write_text("dog\n")
    (tmp_path / "corpus.jsonl").write_text('{"limner":2,"id":"z"}\n')
    before = sorted(tmp_path.iterdir())
    given = [argument if argument.startswith("-") else tmp_path / argument for argument in arguments]
    if "--model" not in arguments:
        given += ["--model", model]
    done = limner("detect", *given, "-o", tmp_path / "out.jsonl")
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_lenient_leaves_out_what_cannot_be_used(model: Path, photos: Path) -> None:
    (photos / "c.jpg").write_text("dear diary")
    whole = (photos / "a.png").read_bytes()
    (photos / "cut.png").write_bytes(whole[: len(whole) // 2])
    done = limner("detect", photos, "--model", model, "-o", "-", "--lenient")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 2
    assert "left out: 2 × picture that cannot be used (first: " in done.stderr
    strict = limner("detect", photos / "cut.png", "--model", model, "-o", "-")
    assert strict.returncode == 1
    assert "cannot be decoded" in strict.stderr


def test_nothing_detected_is_warned_of(model: Path, photos: Path) -> None:
    done = limner("detect", photos, "--model", model, "-o", "-", "--score", 0.95)
    assert done.returncode == 0
    assert "warning: nothing was detected in any picture; pass a lower --score" in done.stderr


def test_pictures_are_for_a_corpus(model: Path, photos: Path) -> None:
    done = limner("detect", photos, "--model", model, "-o", "-", "--pictures", photos)
    assert done.returncode == 2
    assert "--pictures is for a corpus" in done.stderr


@pytest.mark.parametrize("option", ["--score", "--nms", "--false-positives"])
def test_what_is_no_number_is_wrong_usage(option: str) -> None:
    done = limner("detect", "photos", "--model", "m.tflite", "-o", "seen.jsonl", option, "nan")
    assert done.returncode == 2
    assert f"Invalid value for '{option}': 'nan' is not a number" in done.stderr
