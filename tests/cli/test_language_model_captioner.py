"""A captioner that reads by a language model: both trained by the command line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from captioner_runs import CONFIG, train_captioner
from command_line import limner
from limner.caption.captioner_files import read_captioner_record
from limner.corpus import open_corpus, write_corpus
from limner.corpus.seen_images import SeenImages
from limner.playground import playground

LANGUAGE_MODEL = """
n_dims = 8
min_count = 1
[training]
epochs = 1
batch = 16
best_by = "log_likelihood"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenes, more of them for the language model, and the language model."""
    folder = tmp_path_factory.mktemp("language-model-captioner")
    images = list(playground(40))
    write_corpus(images, folder / "all.jsonl")
    write_corpus(images[:30], folder / "world.jsonl")
    write_corpus(playground(5, seed=1), folder / "others.jsonl")
    (folder / "lm.toml").write_text(LANGUAGE_MODEL)
    (folder / "tiny.toml").write_text(
        CONFIG.replace("[words]\n", '[words]\nkind = "language-model"\nlanguage_model = "lm"\n')
    )
    trained = limner(
        *("train", "language-model", folder / "all.jsonl", "--out", folder / "lm"),
        *("--config", folder / "lm.toml", "--threads", 1),
    )
    assert trained.returncode == 0, trained.stderr
    return folder


@pytest.fixture(scope="module")
def captioner(folder: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = train_captioner(folder, "captioner")
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    return folder / "captioner"


def test_the_captioner_has_seen_what_its_language_model_has_read(folder: Path, captioner: Path) -> None:
    seen = SeenImages(read_captioner_record(captioner).seen or ())
    assert [seen.find(image) for image in open_corpus(folder / "all.jsonl")] == ["seen"] * 40


def test_held_out_images_that_the_language_model_has_read_are_warned_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    done = train_captioner(folder, "other", "--seed", 5)
    assert done.returncode == 0, done.stderr
    assert "warning: the language model has learnt from " in done.stderr


def test_a_captioner_is_used_from_any_folder_and_finds_a_language_model_that_was_moved(
    folder: Path, captioner: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = ("caption", folder / "others.jsonl", "--model", captioner, "-o", tmp_path / "said.jsonl")
    assert limner(*run).returncode == 0
    shutil.copytree(captioner, tmp_path / "captioner")
    record = tmp_path / "captioner" / "captioner.json"
    record.write_text(record.read_text().replace(str(folder / "lm"), "/nowhere/lm"))
    run = (*run[:3], tmp_path / "captioner", *run[4:])
    lost = limner(*run)
    assert (lost.returncode, lost.stderr.count("\n")) == (1, 1)
    assert "/nowhere/lm: the captioner was trained with the words of this path" in lost.stderr
    assert "pass --words-from to say where they are now" in lost.stderr
    first = (tmp_path / "said.jsonl").read_bytes()
    assert limner(*run, "--words-from", folder / "lm").returncode == 0
    assert (tmp_path / "said.jsonl").read_bytes() == first
    described = limner(
        *("describe", folder / "others.jsonl", "-o", tmp_path / "described.jsonl", "--realise", "neural"),
        *("--captioner", tmp_path / "captioner", "--words-from", folder / "lm"),
    )
    assert described.returncode == 0, described.stderr


def test_a_run_is_finished_by_the_same_config_though_its_paths_are_relative(
    folder: Path, captioner: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert train_captioner(folder, "captioner", "--resume").returncode == 0
    assert read_captioner_record(captioner).config.words.language_model == str(folder / "lm")
