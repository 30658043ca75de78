from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from limner.corpus import Box, Corpus, Image, open_corpus
from limner.corpus.formats import UnknownFormat
from limner.corpus.reading import Reading
from limner.errors import BadInput
from refusals import refusal


def warn_of_each(reading: Reading) -> Iterator[Image]:
    for id in "abc":
        reading.warn("image", id)
        yield Image(id)


def test_the_reading_is_that_of_the_iteration_which_ended_last() -> None:
    corpus = Corpus("three", warn_of_each)
    before = corpus.reading
    first, second = iter(corpus), iter(corpus)
    next(first)
    next(second)
    # Neither has ended: what they count so far is theirs alone.
    assert corpus.reading is before
    assert not corpus.reading.warnings
    assert len(list(first)) == 2
    of_first = corpus.reading
    assert of_first.warnings == {"image": 3}
    next(second)
    assert corpus.reading is of_first
    assert len(list(second)) == 1
    of_second = corpus.reading
    assert of_second is not of_first
    assert (of_first.warnings, of_second.warnings) == ({"image": 3}, {"image": 3})


def test_an_iteration_that_is_left_early_or_fails_has_a_reading_too() -> None:
    corpus = Corpus("three", warn_of_each)
    for image in corpus:
        if image.id == "b":
            break
    assert corpus.reading.warnings == {"image": 2}
    missing = Corpus("three", warn_of_each, ids=["d"])
    with pytest.raises(BadInput):
        list(missing)
    assert missing.reading.warnings == {"image": 3}


def test_an_iteration_that_is_left_early_does_not_replace_a_later_reading() -> None:
    corpus = Corpus("three", warn_of_each)
    early = iter(corpus)
    next(early)
    assert len(list(corpus)) == 3
    reading = corpus.reading
    del early
    assert corpus.reading is reading
    assert reading.warnings == {"image": 3}


def test_impossible_arguments_are_refused_with_their_value() -> None:
    with refusal(ValueError):
        Corpus("", warn_of_each)
    with refusal(ValueError):
        Corpus("three", warn_of_each, ids="abc")


def test_the_ids_that_are_wanted_come_and_one_that_is_not_there_is_an_error() -> None:
    assert [image.id for image in Corpus("three", warn_of_each, ids=["c", "a"])] == ["a", "c"]
    with refusal(BadInput):
        list(Corpus("three", warn_of_each, ids=["a", "d", "e", "f", "g"]))


def test_corpora_and_images_have_a_short_repr() -> None:
    boxes = tuple(Box(str(i), 0, 0, 1, 1) for i in range(500))
    assert repr(Image("a", 640, 480, boxes)) == "<Image 'a', 640×480, 500 boxes>"
    assert repr(Corpus("three", warn_of_each)) == "<Corpus 'three'>"
    assert repr(Corpus("three", warn_of_each, lenient=True, ids=["a", "b"])) == "<Corpus 'three', lenient, 2 ids>"


def test_an_unknown_format_is_one_after_it_was_pickled(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("nothing that is known")
    with pytest.raises(UnknownFormat) as caught:
        open_corpus(path)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is UnknownFormat
    assert (str(copy), copy.place, copy.remedy) == (str(caught.value), str(path), caught.value.remedy)
