from __future__ import annotations

import re
from pathlib import Path

import PIL.Image
import pytest
from click.testing import CliRunner

from limner.caption.captioner_files import read_captioner_record
from limner.cli.demo import command
from limner.corpus import open_corpus
from limner.experiments import novel_demonstration
from limner.experiments.demonstration import MADE, PICTURES


def test_a_demo_can_be_looked_at_and_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    for _ in range(2):
        done = CliRunner().invoke(command, [str(folder), "--images", "120"], catch_exceptions=False)
        assert done.exit_code == 0
        assert f"Open {folder}/report.html" in done.output
    assert {path.name for path in folder.iterdir()} == MADE
    images = list(open_corpus(folder / "corpus.jsonl"))
    assert len(images) == 120
    assert all((folder / image.file).is_file() for image in images[:PICTURES])
    with PIL.Image.open(folder / "sheet.png") as sheet:
        assert sheet.width > 1000


def test_a_full_demo_ends_with_captions_of_what_no_training_caption_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(novel_demonstration, "EPOCHS", 1)
    folder = tmp_path / "demo"
    done = CliRunner().invoke(command, [str(folder), "--images", "130", "--full"], catch_exceptions=False)
    assert done.exit_code == 0
    assert {path.name for path in folder.iterdir()} == MADE | novel_demonstration.MADE
    (novel,) = re.findall(r"without (.*) or (.*)\.\n", done.output)
    classes = {*novel[0].split(", "), novel[1]}
    assert len(classes) == novel_demonstration.N_NOVEL
    counts = re.findall(r": (\d+) of (\d+) such things named, (\d+) that are not there\.", done.output)
    (free, n_there, _), (asked, *_) = (tuple(map(int, count)) for count in counts)
    assert asked >= free
    # Nobody drew a thing that is not among the pictures, and every caption is of a picture that shows one.
    images = {image.id: image for image in open_corpus(folder / "corpus.jsonl")}
    captioned = list(open_corpus(folder / "novel.jsonl"))
    shown = [{box.label for box in images[result.id].boxes} & classes for result in captioned]
    assert all(shown)
    assert sum(map(len, shown)) == n_there
    record = read_captioner_record(folder / "captioner")
    assert set(record.trained.without) == classes
    assert "novel.html" in done.output
    # A demo of either kind takes the place of the other.
    done = CliRunner().invoke(command, [str(folder), "--images", "120"], catch_exceptions=False)
    assert {path.name for path in folder.iterdir()} == MADE


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    done = CliRunner().invoke(command, [str(tmp_path)])
    assert "not empty; name another" in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_fewer_images_than_are_drawn_is_wrong_usage(tmp_path: Path) -> None:
    assert CliRunner().invoke(command, [str(tmp_path / "d"), "--images", "5"]).exit_code == 2
