"""`limner train language-model`, in processes of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Done, limner
from limner.corpus import Image, write_corpus
from limner.corpus.caption import Caption

pytest.importorskip("torch")

CONFIG = """
n_dims = 8
min_count = 1
[training]
epochs = 2
batch = 8
best_by = "log_likelihood"
"""


def run(folder: Path, *arguments: object) -> Done:
    return limner(*arguments, cwd=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with captions of two lots of images, and settings of a tiny model."""
    colours = ["red", "blue", "green"]
    for name, numbers in (("mine.jsonl", range(30)), ("others.jsonl", range(30, 40))):
        texts = {str(i): f"A {colours[i % 3]} dog number {i} runs." for i in numbers}
        write_corpus([Image(id, captions=(Caption("0", text),)) for id, text in texts.items()], tmp_path / name)
    (tmp_path / "tiny.toml").write_text(CONFIG)
    return tmp_path


def test_a_model_is_trained_written_and_not_replaced(folder: Path) -> None:
    arguments = ("train", "language-model", "mine.jsonl", "--out", "model", "--config", "tiny.toml", "--threads", 1)
    done = run(folder, *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("perplexity ")
    assert "of a bigram model" in done.stdout
    assert sorted(path.name for path in (folder / "model").iterdir()) == ["language_model.json", "weights.safetensors"]
    assert not (folder / "model.checkpoint").exists()
    weights = (folder / "model" / "weights.safetensors").read_bytes()
    refused = run(folder, *arguments)
    assert refused.returncode == 1
    assert refused.stderr == "limner: model: the folder is not empty; name another, or pass --force\n"
    assert run(folder, *arguments, "--force").returncode == 0
    assert (folder / "model" / "weights.safetensors").read_bytes() == weights


def test_validation_images_that_were_trained_on_are_refused(folder: Path) -> None:
    arguments = ("train", "language-model", "mine.jsonl", "--out", "model", "--config", "tiny.toml", "--threads", 1)
    seen = run(folder, *arguments, "--valid", "./mine.jsonl")
    assert seen.returncode == 1
    assert seen.stderr.startswith("limner: mine.jsonl: 30 of 30 images are training images")
    assert "Traceback" not in seen.stderr
    assert run(folder, *arguments, "--valid", "others.jsonl").returncode == 0


def test_a_misspelt_setting_is_told(folder: Path) -> None:
    (folder / "tiny.toml").write_text(CONFIG.replace("epochs", "epoches"))
    done = run(folder, "train", "language-model", "mine.jsonl", "--out", "model", "--config", "tiny.toml")
    assert done.returncode == 1
    assert "epoches" in done.stderr
    assert not (folder / "model").exists()


def test_a_folder_below_others_that_are_not_there_is_made(folder: Path) -> None:
    arguments = ("train", "language-model", "mine.jsonl", "--config", "tiny.toml", "--threads", 1)
    done = run(folder, *arguments, "--out", "new/dir/model")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (folder / "new" / "dir").iterdir()] == ["model"]


def test_the_working_folder_and_files_are_refused_before_training(folder: Path) -> None:
    (folder / "empty").mkdir()
    arguments = ("train", "language-model", "../mine.jsonl", "--config", "../tiny.toml", "--out")
    refused = run(folder / "empty", *arguments, ".")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "limner: .: is the working folder; name another folder to write\n"
    refused = run(folder / "empty", *arguments, "../tiny.toml", "--force")
    assert refused.stderr == "limner: ../tiny.toml: is a file; name a folder to write\n"
    refused = run(folder / "empty", *arguments, "../tiny.toml/model")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
