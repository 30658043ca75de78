from __future__ import annotations

import pytest

from limner.corpus.box import Box
from limner.corpus.image import Image
from limner.errors import LimnerError
from limner.score.run import Run
from limner.score.subsets import attribute_names, subset_names, subsets
from refusals import refusal


def box(id: str, label: str) -> Box:
    return Box(id, 0, 0, 1, 1, label)


RUN = Run(
    ["a", "b", "c"],
    ["x", "y", "z"],
    [["w " * 9], ["w " * 3, "w " * 4], ["w " * 20]],
    images=[
        Image("a", 9, 9, (box("0", "dog"), box("1", "dog")), attributes={"domain": "out"}),
        Image("b", 9, 9, (box("0", "dog"), box("1", "cat")), attributes={"domain": "in"}),
        Image("c", attributes={"year": 2019}),
    ],
)


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("domain", {"(none)": [2], "in": [1], "out": [0]}),
        ("label", {"(none)": [2], "cat": [1], "dog": [0, 1]}),
        ("length", {"up to 8 words": [1], "9 to 11 words": [0], "16 words and more": [2]}),
        ("year", {"(none)": [0, 1], "2019": [2]}),
    ],
)
def test_parts_are_of_the_images_that_share_a_trait(key: str, parts: dict[str, list[int]]) -> None:
    assert {name: places.tolist() for name, places in subsets(RUN, key).items()} == parts


def test_an_attribute_that_no_image_has_is_answered_with_the_nearest() -> None:
    with refusal(LimnerError):
        subsets(RUN, "domains")


def test_a_share_of_the_images_may_lack_an_attribute_that_others_have() -> None:
    share = RUN.subset([0, 1])
    with refusal(LimnerError):
        subsets(share, "year")
    found = subsets(share, "year", known=attribute_names(RUN.images or ()))
    assert {name: places.tolist() for name, places in found.items()} == {"(none)": [0, 1]}


@pytest.mark.parametrize("key", ["length", "label", "domain"])
def test_names_of_parts_have_one_order_wherever_they_come_from(key: str) -> None:
    assert subset_names(key, reversed(subsets(RUN, key))) == list(subsets(RUN, key))


def test_without_images_only_lengths_can_be_told() -> None:
    bare = Run(["a"], ["x"], [["y"]])
    assert list(subsets(bare, "length")) == ["up to 8 words"]
    with refusal(LimnerError):
        subsets(bare, "domain")
