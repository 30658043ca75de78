"""Errors name the place and the remedy, and survive the way from one process to another."""

from __future__ import annotations

import errno
import pickle
from pathlib import Path

import pytest

from limner import cli
from limner.corpus.formats import UnknownFormat
from limner.errors import FULL, BadInput, LimnerError, MissingLibrary, cannot, shown, unknown

ERRORS = [
    LimnerError("something is wrong"),
    LimnerError("no scores", code="no-scores", system="a"),
    BadInput("a.json:3", "not a caption", "give a string", code="not-a-caption", line=3),
    UnknownFormat("a.bin", "unrecognised format", "name it as format:path"),
    MissingLibrary("ray", "ray"),
    unknown("metric", "cidr", ["cider", "bleu"]),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_that_was_pickled_is_the_same_error(error: LimnerError) -> None:
    restored = pickle.loads(pickle.dumps(error))
    assert type(restored) is type(error)
    assert str(restored) == str(error)
    assert vars(restored) == vars(error)


def test_a_bad_input_is_one_line_whatever_the_file_holds() -> None:
    error = BadInput("a\nb", "c\x1b[31m" + "d" * 1000, "e")
    assert "\n" not in str(error)
    assert "\x1b" not in str(error)
    assert len(str(error)) < 800


def test_an_unknown_name_offers_the_nearest_or_lists_them() -> None:
    assert "did you mean 'cider'?" in str(unknown("metric", "cidr", ["cider", "bleu"]))
    assert "choose from: bleu, cider" in str(unknown("metric", "xyz", ["bleu", "cider"]))


@pytest.mark.parametrize(
    ("name", "nearest"), [("BLEU", "bleu"), ("Cidr", "cider"), ("ANIMAL", "Animal"), ("dgo", "dog")]
)
def test_the_nearest_name_may_differ_in_capitals(name: str, nearest: str) -> None:
    known = ["bleu", "cider", "Animal", "animal", "dog"]
    assert str(unknown("name", name, known)) == f"unknown name {name!r}; did you mean {nearest!r}?"


def test_a_value_is_quoted_in_a_few_words() -> None:
    assert len(shown("x" * 10_000)) <= 80


@pytest.mark.parametrize("number", sorted(FULL))
def test_where_there_is_no_room_permissions_are_not_to_blame(number: int) -> None:
    usual = cannot("write", Path("a"), OSError(errno.EACCES, "no"))
    told = [cannot("write", Path("a"), OSError(number, "no")), cli._explained(OSError(number, "no", "a"))]
    assert [error.place for error in told] == ["a", "a"]
    assert {error.remedy for error in told} == {FULL[number]}
    assert usual.remedy not in FULL.values()
    assert str(cli._explained(OSError(number, "no"))).endswith(FULL[number])
