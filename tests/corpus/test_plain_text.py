from __future__ import annotations

from pathlib import Path

import pytest

from limner.corpus.plain_text import is_plain_text, read_plain_captions, read_plain_references
from limner.errors import BadInput
from refusals import refusal


@pytest.mark.parametrize(
    ("source", "is_text"), [("a.txt", True), ("a.txt.gz", True), ("text:-", True), ("a.json", False), ("-", False)]
)
def test_plain_text_is_told_by_its_name(source: str, is_text: bool) -> None:
    assert is_plain_text(source) is is_text


def test_lines_are_captions_and_references_line_up(tmp_path: Path) -> None:
    for name, text in (("c.txt", "a dog\n\ncat"), ("r0.txt", "dog\nx\ncats\n"), ("r1.txt", "one dog\r\n\n\n")):
        (tmp_path / name).write_text(text, newline="")
    assert read_plain_captions(str(tmp_path / "c.txt")) == {"1": "a dog", "2": "", "3": "cat"}
    found = read_plain_references([f"text:{tmp_path / 'r0.txt'}", str(tmp_path / "r1.txt")])
    assert found == {"1": ["dog", "one dog"], "2": ["x"], "3": ["cats"]}


@pytest.mark.parametrize("files", [["a\nb\n", "a\n"], ["a\nb\n", "a\nb\nc\n"], ["a\n", ""], ["a\n\n", "b\n \n"], [""]])
def test_references_that_do_not_line_up_are_refused(tmp_path: Path, files: list[str]) -> None:
    for n, text in enumerate(files):
        (tmp_path / f"r{n}.txt").write_text(text)
    with refusal(BadInput):
        read_plain_references([str(tmp_path / f"r{n}.txt") for n in range(len(files))])


def test_a_file_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    with refusal(BadInput):
        read_plain_captions(str(tmp_path / "none.txt"))


def test_lines_without_references_are_given_up_at_the_first(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("a\nb\nc\n")
    assert len(read_plain_captions(str(tmp_path / "c.txt"), most=3)) == 3
    with refusal(BadInput):
        read_plain_captions(str(tmp_path / "c.txt"), most=2)
