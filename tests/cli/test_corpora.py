"""What commands that read corpora share."""

from __future__ import annotations

from pathlib import Path

import pytest

from limner.cli.corpora import is_stdio


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("-", True),
        ("jsonl:-", True),
        ("text:-", True),
        ("./-", True),
        ("jsonl:./-", True),
        ("text:./-", True),
        ("a/b:-", False),
        ("a.jsonl", False),
        ("text:a", False),
    ],
)
def test_standard_input_is_what_is_opened_as_such(source: str, expected: bool) -> None:
    assert is_stdio(source) is expected


def test_a_file_that_is_called_so_is_no_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jsonl:-").touch()
    assert not is_stdio("jsonl:-")
