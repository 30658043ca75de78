"""Corpora that must have boxes."""

from __future__ import annotations

import pytest

from limner.corpus import Box, Image
from limner.corpus.boxed_images import WAITING, BoxCheck
from limner.errors import LimnerError
from refusals import refusal

BARE, BOXED = Image("bare"), Image("boxed", boxes=(Box("0", 0, 0, 1, 1, "dog"),))


@pytest.mark.parametrize("images", [[], [BOXED], [BARE, BOXED, BARE], [BARE] * WAITING + [BOXED]])
def test_images_pass_in_their_order_if_one_has_a_box(images: list[Image]) -> None:
    assert list(BoxCheck().watch(images)) == images


@pytest.mark.parametrize("n", [1, 2, WAITING + 1])
def test_images_without_a_box_are_refused(n: int) -> None:
    with refusal(LimnerError):
        list(BoxCheck("a.jsonl").watch([BARE] * n))


def test_nothing_passes_before_the_first_box() -> None:
    with pytest.raises(LimnerError):
        next(BoxCheck().watch([BARE, BARE]))


def test_images_without_a_box_are_counted() -> None:
    check = BoxCheck()
    assert list(check.watch([BARE, BOXED, BARE])) == [BARE, BOXED, BARE]
    assert list(check.warnings()) == ["2 of 3 images have no box: nothing can be said of them"]
