"""Captions parsed by spaCy, each once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from limner.errors import LimnerError, MissingLibrary
from limner.score.spice import SpiceStar
from refusals import refusal

if TYPE_CHECKING:
    from limner.score.spice import spice_parser as module
    from limner.score.spice.spice_parser import Parser, plain_sentence
else:
    pytest.importorskip("spacy", reason="sentences are parsed with spaCy")
    from limner.score.spice import spice_parser as module
    from limner.score.spice.spice_parser import Parser, plain_sentence

CAPTIONS = ["A dog runs .", "Two cats sleep on a bed", "a dog runs"]


@pytest.mark.parametrize(
    ("caption", "plain"),
    [
        ("A dog runs", "a dog runs ."),
        ("  A dog\n runs . ", "a dog runs ."),
        ("A dog runs!!", "a dog runs ."),
        ("A dog, a cat.", "a dog, a cat ."),
        ("", " ."),
        ("...", " ."),
        ("a \ud800 dog", "a ? dog ."),
    ],
)
def test_captions_are_made_plain(caption: str, plain: str) -> None:
    assert plain_sentence(caption) == plain


def test_a_caption_without_end_is_cut() -> None:
    assert len(plain_sentence("dog " * 50_000)) <= module.MAX_CHARACTERS + 2


def test_a_parse_has_words_tags_arcs_and_heads(parser: Parser) -> None:
    (parse,) = parser.parse(["The dog is brown"])
    assert parse.words == ("the", "dog", "is", "brown", ".")
    assert parse.tags == ("DT", "NN", "VBZ", "JJ", ".")
    assert parse.arcs == ("det", "nsubj", "ROOT", "acomp", "punct")
    assert parse.heads == (1, 2, 2, 2, 2)


def test_captions_that_are_alike_are_parsed_once(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    given = counted(monkeypatch)
    first, _, third = parser.parse(CAPTIONS)
    assert first == third
    assert given == ["a dog runs .", "two cats sleep on a bed ."]


def test_stored_parses_are_not_parsed_again(parser: Parser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "new" / "parses"
    expected = list(Parser(store=store).parse(CAPTIONS))
    given = counted(monkeypatch)
    assert list(Parser(store=store).parse([*CAPTIONS, "A boat"])) == [*expected, *parser.parse(["A boat"])]
    assert given == ["a boat .", "a boat ."]


def test_several_processes_and_long_captions_give_the_same(parser: Parser) -> None:
    captions = [f"a man holds {n} red balls" for n in range(300)] + ["a dog " * 500]
    assert list(Parser(n_process=2).parse(captions)) == list(parser.parse(captions))


def test_the_choices_name_model_and_version(parser: Parser) -> None:
    assert str(parser.choices["parser"]).startswith("en_core_web_sm")
    assert parser.choices.keys() == {"parser", "spacy"}


def test_without_spacy_the_error_names_the_extra_before_anything_is_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    monkeypatch.delitem(sys.modules, module.__name__)
    with refusal(MissingLibrary):
        SpiceStar(synonyms=False)


def test_a_model_that_is_not_there_is_named(parser: Parser) -> None:
    with refusal(LimnerError):
        list(Parser("en_core_web_none").parse(["A dog"]))


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sentences that reach spaCy from now on."""
    given: list[str] = []
    parsed = Parser._parsed

    def counting(self: Parser, sentences: list[str]) -> object:
        given.extend(sentences)
        return parsed(self, sentences)

    monkeypatch.setattr(Parser, "_parsed", counting)
    return given
