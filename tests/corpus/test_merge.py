from __future__ import annotations

import pytest
from hypothesis import given
from msgspec.structs import replace

from limner.corpus import Box, Caption, Image, ImageLabel
from limner.corpus.merge import join, merge
from limner.corpus.reading import Reading
from limner.errors import LimnerError
from refusals import refusal
from strategies import images

BOXES = Image("a", 10, 10, (Box("0", 0, 0, 5, 5, "dog"),))
SAID = Image("a", captions=(Caption("0", "A dog ."),), attributes={"split": "val"})


def test_what_only_one_source_says_is_taken_from_it() -> None:
    both = merge(BOXES, SAID)
    assert both == replace(BOXES, captions=SAID.captions, attributes={"split": "val"})


@given(images())
def test_merging_an_image_with_itself_changes_nothing(image: Image) -> None:
    assert merge(image, image) == image


def test_different_captions_of_one_id_both_stay() -> None:
    other = replace(SAID, captions=(Caption("0", "A cat ."), Caption("1", "A cow .")))
    assert [(c.id, c.text) for c in merge(SAID, other).captions] == [
        ("0", "A dog ."),
        ("0-2", "A cat ."),
        ("1", "A cow ."),
    ]


@pytest.mark.parametrize("other", [Image("a", 11, 10), Image("a", 10, 10, (Box("0", 0, 0, 5, 5, "cat"),))])
def test_contradictions_are_errors(other: Image) -> None:
    with refusal(LimnerError):
        merge(BOXES, other)


def test_facts_that_contradict_are_errors() -> None:
    with refusal(LimnerError):
        merge(SAID, replace(SAID, attributes={"split": "test"}))


def test_images_come_in_the_order_of_first_appearance() -> None:
    streams = [[Image("b"), Image("a")], [Image("c"), Image("a")], [Image("d"), Image("b")]]
    assert [image.id for image in join(streams)] == ["b", "a", "c", "d"]


def test_labels_of_both_sources_are_kept_once() -> None:
    first = Image("a", labels=(ImageLabel("Dog"), ImageLabel("Cat", 0)))
    second = Image("a", labels=(ImageLabel("Cat", 0), ImageLabel("Dog", 0.5, "machine")))
    assert merge(first, second).labels == (*first.labels, ImageLabel("Dog", 0.5, "machine"))
    with refusal(LimnerError):
        merge(first, Image("a", labels=(ImageLabel("Dog", 0),)))


def test_sources_without_a_common_image_are_warned_of() -> None:
    reading = Reading()
    assert len(list(join([[BOXES], [replace(SAID, id="x9")]], reading))) == 2
    (what,) = reading.warnings
    assert what == "join of sources that have no image in common"
    assert reading.first[what] == "'a' in the first, 'x9' in another"
    for streams in ([[BOXES], [SAID, replace(SAID, id="x9")]], [[BOXES], []], [[], [SAID]]):
        reading = Reading()
        list(join(streams, reading))
        assert not reading.warnings
