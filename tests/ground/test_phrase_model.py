"""The built-in model: phrases of captions as people write them, and files that are not sound."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.errors import BadInput
from limner.ground import NOT_VISUAL, TYPES, PhraseModel, built_in_phrases, chunk
from limner.ground.phrase_model import PhraseRecord


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A man in an orange hat starring at something.", ["A man", "an orange hat", "something"]),
        ("A group of people sit at a table.", ["A group of people", "a table"]),
        ("Two young, White males are outside near many bushes.", ["Two young, White males", "many bushes"]),
        ("A woman's red umbrella", ["A woman's red umbrella"]),
        ("a black and white dog and a cat", ["a black and white dog", "a cat"]),
        ("They look at each other in the background.", []),
        ("A zebra grazing next to three giraffes.", ["A zebra", "three giraffes"]),
        ("", []),
        (" \n ", []),
        ("...", []),
        ("🙂 ,", []),
    ],
)
def test_phrases_of_captions(text: str, expected: list[str]) -> None:
    phrases = chunk(text)
    assert [phrase.text for phrase in phrases] == expected
    assert [text[phrase.start : phrase.end] for phrase in phrases] == expected


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("Two firefighters", ("people",)),
        ("a man in blue", ("clothing",)),
        ("his left hand", ("bodyparts",)),
        ("a brown dog", ("animals",)),
        ("a bicycle", ("vehicles",)),
        ("an electric guitar", ("instruments",)),
        ("the beach", ("scene",)),
        ("a wooden spoon", ("other",)),
        ("He is having fun", (NOT_VISUAL,)),
        # Several types, as people gave them.
        ("a double-decker bus", ("vehicles", "scene")),
        # In no training caption: the dictionary of kinds tells.
        ("an armadillo", ("animals",)),
        ("two blorbs", ("other",)),
    ],
)
def test_types_of_phrases(text: str, types: tuple[str, ...]) -> None:
    assert chunk(text)[-1].types == types


def test_a_phrase_knows_its_head_number_and_colours() -> None:
    (phrase,) = chunk("three black and white puppies")
    assert (phrase.head, phrase.number, phrase.is_plural, phrase.colours) == ("puppy", 3, True, ("black", "white"))
    assert phrase.is_visual


@pytest.mark.parametrize(
    "tokenised",
    ["A man 's dog , asleep , lies on the porch .", "Two men ( one in red ) watch a child 's toy , a truck ."],
)
def test_spaces_before_marks_make_no_difference(tokenised: str) -> None:
    raw = tokenised.replace(" ,", ",").replace(" .", ".").replace(" 's", "'s").replace("( ", "(").replace(" )", ")")
    letters = [("".join(phrase.text.split()), phrase.types) for phrase in chunk(raw)]
    assert letters == [("".join(phrase.text.split()), phrase.types) for phrase in chunk(tokenised)]


WORDS = st.sampled_from(
    ["A", "the", "two", "red", "dogs", "man's", "'s", "of", "in", "and", ",", "It", "\n", "7", "é", "🙂"]
)


@given(st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=30))
def test_phrases_are_in_order_do_not_overlap_and_begin_and_end_with_a_word_or_mark(text: str) -> None:
    reached = 0
    for phrase in chunk(text):
        assert reached <= phrase.start < phrase.end <= len(text)
        assert phrase.text == phrase.text.strip() == text[phrase.start : phrase.end]
        assert set(phrase.types) <= {*TYPES, NOT_VISUAL}
        reached = phrase.end


def test_types_of_spans_that_hold_no_word_are_told_too() -> None:
    model = built_in_phrases()
    assert len(model.types("a dog  .", [(0, 5), (5, 6), (7, 8)])) == 3
    assert model.types("a dog", []) == []


def test_files_are_written_and_read(tmp_path: Path) -> None:
    model = built_in_phrases()
    model.save(tmp_path / "model.json.gz")
    assert PhraseModel.load(tmp_path / "model.json.gz").record == model.record
    assert "29,783 images" in repr(model)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda record: record["types"]["tags"].__setitem__(0, "furniture"), "'furniture' is not made of"),
        (lambda record: record["chunks"]["tags"].reverse(), "the tags are not O, B, I"),
        (lambda record: record["chunks"]["weights"].pop(), "weights for each"),
        (lambda record: record["chunks"].pop("transitions"), "is not a phrases"),
        (lambda record: record.__setitem__("version", 99), "version 99"),
    ],
)
def test_unsound_files_are_refused(tmp_path: Path, change: object, problem: str) -> None:
    record = msgspec.to_builtins(built_in_phrases().record)
    change(record)  # type: ignore[operator]
    path = tmp_path / "model.json"
    path.write_bytes(msgspec.json.encode(record))
    with pytest.raises(BadInput, match=problem):
        PhraseModel.load(path)


def test_the_built_in_model_is_small() -> None:
    record = built_in_phrases().record
    assert isinstance(record, PhraseRecord)
    assert record.trained_on.n_captions == 148_894
