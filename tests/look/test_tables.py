"""Plain text tables."""

from __future__ import annotations

import pytest

from limner.errors import one_line
from limner.look import tables


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (tables.whole(12345), "12,345"),
        (tables.whole(0), "0"),
        (tables.whole(None), "—"),
        (tables.decimal(1234.567), "1,234.57"),
        (tables.decimal(2.0, 1), "2.0"),
        (tables.decimal(None), "—"),
        (tables.percent(0.5914), "59.1%"),
        (tables.percent(None), "—"),
        (one_line("abcdef", 6), "abcdef"),
        (one_line("abcdefg", 6), "abcde…"),
        (tables.cut_left("folder/corpus.json", 12), "…corpus.json"),
        (tables.cut_left("corpus.json", 12), "corpus.json"),
        (one_line("a\tb", 12), "a\\tb"),
        (tables.cut_left("a\tb", 12), "a\\tb"),
    ],
)
def test_values_are_written_as_people_write_them(shown: str, expected: str) -> None:
    assert shown == expected


def test_columns_line_up() -> None:
    assert tables.aligned([("type", "n"), ("people", "12"), ("x", "1,000")], "<>") == [
        "type        n",
        "people     12",
        "x       1,000",
    ]
    assert tables.aligned([], "<>") == []


def test_blocks_stand_beside_each_other() -> None:
    assert tables.beside([["a", "bbb"], ["c"], []], gap=2) == ["a    c", "bbb"]
    assert tables.indented(["a", ""]) == ["  a", ""]
