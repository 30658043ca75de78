"""Parses kept on disk."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limner.errors import LimnerError
from limner.score.spice.parse_store import ParseStore, default_store
from limner.score.spice.parse_tree import Parse
from refusals import refusal

PARSE = Parse(("a", "dog"), ("DT", "NN"), ("det", "ROOT"), (1, 1))
EMPTY = Parse((), (), (), ())

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


@st.composite
def parses(draw: st.DrawFn) -> Parse:
    n = draw(st.integers(0, 4))
    column = st.lists(words, min_size=n, max_size=n).map(tuple)
    heads = st.lists(st.integers(0, max(n - 1, 0)), min_size=n, max_size=n).map(tuple)
    return Parse(draw(column), draw(column), draw(column), draw(heads))


@settings(max_examples=20)
@given(st.dictionaries(words, parses(), max_size=5))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, by_sentence: dict[str, Parse]) -> None:
    path = tmp_path_factory.mktemp("store") / "parses"
    with ParseStore(path, "p") as store:
        store.write(list(by_sentence.items()))
    with ParseStore(path, "p") as store:
        assert store.read([*by_sentence, "not there"]) == by_sentence


def test_parsers_do_not_read_each_others_parses(tmp_path: Path) -> None:
    with ParseStore(tmp_path / "parses", "one") as store:
        store.write([("a dog", PARSE)])
    with ParseStore(tmp_path / "parses", "other") as store:
        assert store.read(["a dog"]) == {}
        store.write([("a dog", EMPTY)])
    with ParseStore(tmp_path / "parses", "one") as store:
        assert store.read(["a dog"]) == {"a dog": PARSE}


@pytest.mark.parametrize(
    "value",
    [b"", b"\xff\xff", b"\x94\x91\xa1a\x90\x90\x90", b"\x94\x91\xa1a\x91\xa1a\x91\xa1a\x91\x05", "text", 7, None],
)
def test_what_is_no_parse_is_passed_over_and_replaced(tmp_path: Path, value: object) -> None:
    with ParseStore(tmp_path / "parses", "p") as store:
        store.write([("a dog", PARSE)])
    with sqlite3.connect(tmp_path / "parses") as database:
        database.execute("UPDATE parse SET value = ?", (value,))
    database.close()
    with ParseStore(tmp_path / "parses", "p") as store:
        assert store.read(["a dog"]) == {}
        store.write([("a dog", PARSE)])
        assert store.read(["a dog"]) == {"a dog": PARSE}


def test_a_file_that_is_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("what I would not lose " * 100)
    with refusal(LimnerError):
        ParseStore(path, "p")
    assert path.read_text().startswith("what I would not lose")


def test_a_place_where_nothing_can_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refusal(LimnerError):
        ParseStore(tmp_path / "file" / "parses", "p")


def test_the_oldest_go_when_the_file_grows_too_large(tmp_path: Path) -> None:
    with ParseStore(tmp_path / "parses", "p", max_bytes=200_000) as store:
        for start in range(0, 8000, 500):
            store.write([(f"sentence {n}", PARSE) for n in range(start, start + 500)])
        there = store.read(f"sentence {n}" for n in range(8000))
    assert 500 <= len(there) < 6000
    assert "sentence 7999" in there
    assert "sentence 0" not in there
    assert (tmp_path / "parses").stat().st_size < 600_000


def test_several_may_write_at_once(tmp_path: Path) -> None:
    def work(worker: int) -> None:
        with ParseStore(tmp_path / "parses", "p") as store:
            for n in range(20):
                store.write([(f"{worker} {n}", PARSE), ("shared", PARSE)])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    with ParseStore(tmp_path / "parses", "p") as store:
        assert len(store.read([*(f"{worker} {n}" for worker in range(4) for n in range(20)), "shared"])) == 81


def test_the_users_cache_has_a_place_for_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LIMNER_CACHE", str(tmp_path))
    assert default_store() == tmp_path / "parses.sqlite"
