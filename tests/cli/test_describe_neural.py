"""`limner describe --realise neural`: sentences of a captioner about selected boxes."""

from __future__ import annotations

from pathlib import Path

import pytest

import tiny_captioners
from captioner_runs import CONFIG, train_captioner
from command_line import Done, limner
from limner.corpus import open_corpus, write_corpus
from limner.playground import World, playground, write_world
from limner.score.content import mentioned


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("describe-neural")
    write_corpus(playground(40), folder / "world.jsonl")
    write_corpus(playground(10, seed=1), folder / "others.jsonl")
    (folder / "tiny.toml").write_text(
        CONFIG.replace("min_count = 2", "min_count = 1").replace("max_len = 12", "max_len = 20")
    )
    assert train_captioner(folder, "model").returncode == 0
    return folder


def describe(folder: Path, *options: object, corpus: str = "others.jsonl") -> Done:
    return limner("describe", folder / corpus, "-o", folder / "said.jsonl", *options)


def test_sentences_name_the_selected_things_and_tell_what_they_do_not(folder: Path) -> None:
    done = describe(folder, "--realise", "neural", "--captioner", folder / "model", "--k", 2)
    assert done.returncode == 0, done.stderr
    gold = open_corpus(folder / "others.jsonl").index()
    n_unsaid = 0
    for result in open_corpus(folder / "said.jsonl"):
        (caption,) = result.captions
        assert caption.source == "system:neural"
        largest = {box.id for box in sorted(gold[result.id].boxes, key=lambda box: -box.area)[:2]}
        assert mentioned(caption) <= largest
        assert all(mention.origin == "constraint" for mention in caption.mentions)
        n_unsaid += bool(largest - mentioned(caption))
    # Words that no training caption had cannot be said; most of the things are.
    assert 0 < n_unsaid < 8
    images = "1 image" if n_unsaid == 1 else f"{n_unsaid} images"
    assert f"not said, in sentences of {images}: " in done.stderr


def test_equal_commands_write_equal_files_and_many_things_are_no_error(folder: Path) -> None:
    options = ("--realise", "neural", "--captioner", folder / "model", "--select", "all")
    assert describe(folder, *options).returncode == 0
    first = (folder / "said.jsonl").read_bytes()
    assert describe(folder, *options).returncode == 0
    assert (folder / "said.jsonl").read_bytes() == first


def test_training_images_are_warned_of(folder: Path) -> None:
    done = describe(folder, "--realise", "neural", "--captioner", folder / "model", corpus="world.jsonl")
    assert "40 of 40 images are training images" in done.stderr


def test_a_captioner_of_pictures_needs_them(folder: Path, tmp_path: Path) -> None:
    write_world(World(captions=(1, 1), size=(120, 120)), 3, str(tmp_path / "others.jsonl"), pictures=True)
    tiny_captioners.blip(tmp_path / "blip")
    options = ("--realise", "neural", "--captioner", tmp_path / "blip", "--k", 1)
    refused = describe(tmp_path, *options)
    assert (refused.returncode, "pass --pictures to name their folder" in refused.stderr) == (1, True)
    done = describe(tmp_path, *options, "--pictures", tmp_path / "others_pictures")
    assert done.returncode == 0, done.stderr
    assert len(list(open_corpus(tmp_path / "said.jsonl"))) == 3


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--realise", "neural"], 2, "pass --captioner DIR"),
        (["--captioner", "model"], 2, "--captioner is for --realise neural"),
        (["--pictures", "."], 2, "--pictures is for --realise neural"),
        (["--realise", "neural", "--captioner", "none"], 1, "there is no such captioner"),
        (["--realise", "neural", "--captioner", "model", "--why", "why.jsonl"], 2, "--why is for the fluent realiser"),
    ],
)
def test_wrong_options_are_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], code: int, said: str
) -> None:
    monkeypatch.chdir(folder)
    done = limner("describe", "others.jsonl", "-o", "x.jsonl", *options)
    assert (done.returncode, said in " ".join(done.stderr.split())) == (code, True)
