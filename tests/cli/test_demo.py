from __future__ import annotations

from pathlib import Path

import PIL.Image
from click.testing import CliRunner

from limner.cli.demo import command
from limner.corpus import open_corpus
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


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    done = CliRunner().invoke(command, [str(tmp_path)])
    assert "not empty; name another" in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_fewer_images_than_are_drawn_is_wrong_usage(tmp_path: Path) -> None:
    assert CliRunner().invoke(command, [str(tmp_path / "d"), "--images", "5"]).exit_code == 2
