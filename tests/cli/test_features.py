"""`limner features` in a process of its own."""

from __future__ import annotations

import sys
from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture

from command_line import Done, limner
from limner.corpus import Box, Image, write_corpus
from limner.vision.features import open_features

LIMNER = [sys.executable, "-m", "limner", "features"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three pictures, and a corpus with two boxes in each."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pictures").mkdir()
    generator = np.random.default_rng(0)
    for name in "abc":
        pixels = generator.integers(0, 256, (30, 40, 3), dtype=np.uint8)
        Picture.fromarray(pixels).save(tmp_path / "pictures" / f"{name}.png")
    boxes = (Box("0", 0, 0, 10, 10), Box("1", 5, 5, 40, 30))
    write_corpus([Image(name, 40, 30, boxes) for name in "abc"], tmp_path / "corpus.jsonl")
    return tmp_path


def features(*arguments: object) -> Done:
    return limner("features", *arguments)


def test_a_corpus_becomes_a_store_that_is_resumed_only_if_asked_for() -> None:
    done = features("corpus.jsonl", "--pictures", "pictures", "--model", "colour", "-o", "store", "--dtype", "float32")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "limner: 6 regions of 3 images written to store, 81 numbers each\n"
    assert open_features("store").features("b", ["1"]).shape == (1, 81)
    again = features("corpus.jsonl", "--pictures", "pictures", "--model", "colour", "-o", "store", "--dtype", "float32")
    assert again.returncode == 1
    assert again.stderr == (
        "limner: store: is a store of features already; name another folder, or pass --resume to go on with it\n"
    )
    resumed = features(
        *("corpus.jsonl", "--pictures", "pictures", "--model", "colour", "-o", "store", "--dtype", "float32"),
        "--resume",
    )
    assert resumed.returncode == 0
    assert "limner: 3 images were there before\n" in resumed.stderr


@pytest.mark.parametrize(
    ("options", "n_regions", "n_dims"),
    [
        (["--model", "colour"], 3, 81),
        (["--model", "shape", "--boxes", "grid:2x3"], 18, 136),
        (["--model", "position", "--boxes", "grid"], 147, 8),
        (["--model", "position", "--boxes", "mixed"], 15, 8),
        (["--model", "position", "--boxes", "mixed:36:0"], 3, 8),
        (["--model", "position", "--boxes", "mixed:0:3"], 30, 8),
    ],
)
def test_a_folder_of_pictures_has_the_whole_or_a_grid(options: list[str], n_regions: int, n_dims: int) -> None:
    done = features("pictures", "-o", "store", *options)
    assert done.stderr == f"limner: {n_regions} regions of 3 images written to store, {n_dims} numbers each\n"


def test_a_picture_that_cannot_be_read_is_named_or_left_out(files: Path) -> None:
    (files / "pictures" / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    arguments = ("corpus.jsonl", "--pictures", "pictures", "--model", "shape", "-o", "store")
    strict = features(*arguments)
    assert strict.returncode == 1
    assert strict.stderr.startswith("limner: pictures/b.png: ")
    assert strict.stderr.count("\n") == 1
    lenient = features(*arguments, "--lenient", "--resume")
    assert "limner: left out: 1 × image without features (pictures/b.png: " in lenient.stderr
    assert "4 regions of 2 images written to store" in lenient.stderr


def test_features_of_others_need_no_model(files: Path) -> None:
    boxes, rows = np.array([[1, 1, 9, 9]], dtype=np.float32), np.ones((1, 5), dtype=np.float32)
    cells = ["42", "40", "30", "1", b64encode(boxes).decode(), b64encode(rows).decode()]
    (files / "features.tsv").write_text("\t".join(cells) + "\n")
    done = features("features.tsv", "-o", "store")
    assert done.stderr == "limner: 1 regions of 1 images written to store, 5 numbers each\n"
    assert open_features("store").boxes("42")[0].corners == (1, 1, 10, 10)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["corpus.jsonl", "-o", "s"], 2, "Missing option '--model'"),
        (
            ["corpus.jsonl", "-o", "s", "--model", "colour", "--boxes", "grid:0x3"],
            2,
            "'grid:0x3' is none of corpus",
        ),
        (
            ["corpus.jsonl", "-o", "s", "--model", "colour", "--boxes", "mixed:9999:0"],
            2,
            "boxes is 9999 and grid 0; they must be 0 to 1,000 and 0 to 32",
        ),
        (["corpus.jsonl", "-o", "s", "--model", "colour", "--boxes", "mixed:36"], 2, "'mixed:36' is none of corpus"),
        (["corpus.jsonl", "-o", "s", "--model", "kolour"], 1, "kolour: there is no such model"),
        (["corpus.jsonl", "-o", "s", "--model", "corpus.jsonl"], 1, "corpus.jsonl: is not a model"),
        (["corpus.jsonl", "-o", "s", "--model", "colour"], 1, "there is no picture of image 'a'"),
        (["nowhere", "-o", "s", "--model", "colour"], 1, "nowhere: there is no such file or folder"),
        (["pictures", "-o", "s", "--model", "colour", "--boxes", "corpus"], 1, "none of them has a box"),
        (["pictures", "-o", "corpus.jsonl", "--model", "colour"], 1, "corpus.jsonl: is a file"),
        *(
            (
                ["pictures", "-o", "s", "--model", "shape", *option],
                2,
                f"{option[0]} is for models, and shape needs none",
            )
            for option in (
                ["--layer", "x"],
                ["--size", "32"],
                ["--by", "crop"],
                ["--pixels", "0-1"],
                ["--batch", "4"],
            )
        ),
        *(
            (["f.npz", "-o", "s", *option], 2, f"{option[0]} is for features that are computed")
            for option in (["--boxes", "grid"], ["--workers", "3"], ["--pictures", "pictures"], ["--size", "32"])
        ),
        (["pictures", "-o", "s", "--model", "pictures", "--layer", "x"], 2, "--layer is for .tflite and .onnx files"),
        (["pictures", "-o", "s", "--model", "shape", "--corpus", "corpus.jsonl"], 2, "--corpus is for FEATURES"),
        (["pictures", "-o", "s", "--model", "shape", "--address", "auto"], 2, "--address is for ray"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments: list[str], code: int, said: str) -> None:
    np.savez("f.npz", features=np.ones((1, 3)), boxes=[[0, 0, 1, 1]])
    done = features(*arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert not Path("s").exists()
    assert "Traceback" not in done.stderr
