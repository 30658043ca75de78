"""Random choices for an image, each by numbers of its own."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import get_args

import pytest

from limner.corpus import Box, Caption, Image
from limner.corpus.held_out_labels import hold_out
from limner.corpus.linking import link
from limner.corpus.random_streams import Purpose, random_stream
from limner.describe.selectors import find_selector
from limner.score.leave_one_out import matched
from limner.score.rouge_l import RougeL
from limner.score.run import Run

# Two fair choices for each of 2,000 images agree half the time, with a standard deviation of .011.
N_IMAGES = 2_000
FOUR_DEVIATIONS = 0.045

BOXES = (Box("a", 0, 0, 5, 5, "dog"), Box("b", 4, 4, 9, 9, "dog"))
CAPTIONS = (Caption("0", "A dog ."), Caption("1", "A cat ."))
IMAGES = [Image(str(i), 10, 10, BOXES, CAPTIONS) for i in range(N_IMAGES)]


def is_first_linked(image: Image) -> bool:
    return link(image, linker="random").captions[0].mentions[0].boxes == ("a",)


def is_first_selected(image: Image) -> bool:
    return find_selector("random").select(image)[0] == "a"


def gives_first_labels(image: Image) -> bool:
    labelled = hold_out(image, 1)
    assert labelled is not None
    return labelled.captions[0].source != "gold"


def is_first_person(image: Image) -> bool:
    run = Run([image.id], ["a cat"], [["a dog", "a cat"]])
    return bool(matched(RougeL(), held_out=1).measure(run).per_image[0, 0] == 1)


CHOICES = (is_first_linked, is_first_selected, gives_first_labels, is_first_person)


@pytest.fixture(scope="module")
def chosen() -> dict[str, list[bool]]:
    return {choice.__name__: [choice(image) for image in IMAGES] for choice in CHOICES}


@pytest.mark.parametrize(("first", "second"), list(combinations(CHOICES, 2)))
def test_choices_by_one_seed_agree_as_often_as_chance_has_it(
    first: Callable[[Image], bool], second: Callable[[Image], bool], chosen: dict[str, list[bool]]
) -> None:
    pairs = zip(chosen[first.__name__], chosen[second.__name__], strict=True)
    assert sum(one == other for one, other in pairs) / N_IMAGES == pytest.approx(0.5, abs=FOUR_DEVIATIONS)


def test_every_purpose_has_its_own_numbers_and_the_same_ones_again() -> None:
    purposes: tuple[Purpose, ...] = get_args(Purpose)
    numbers = {purpose: [random_stream(purpose, 0, image.id).random() for image in IMAGES] for purpose in purposes}
    assert len({number for of_purpose in numbers.values() for number in of_purpose}) == len(purposes) * N_IMAGES
    assert numbers["labels"] == [random_stream("labels", 0, image.id).random() for image in IMAGES]
    assert numbers["labels"] != [random_stream("labels", 1, image.id).random() for image in IMAGES]
