"""What formats cannot hold is counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from msgspec.structs import replace

from limner.corpus import Box, Candidate, Caption, Chain, Image, ImageLabel, Mention, open_corpus, write_corpus
from limner.corpus.formats import FORMATS
from limner.corpus.formats.losses import KINDS, LIMITS
from strategies import corpora

# An image with something of every kind.
FULL = Image(
    "7",
    20,
    20,
    (
        Box("0", 0, 0, 5, 5, "man", types=("people", "other"), flags=("crowd", "occluded")),
        Box("1", 5, 5, 9, 9, "dog", score=0.5, attributes=("brown",)),
    ),
    (
        Caption(
            "0",
            "A man and a dog .",
            (
                Mention(0, 5, ("0",), "1", ("people",), origin="gold"),
                Mention(10, 15, ("1",), "2", candidates=(Candidate("1", 0.5),)),
            ),
        ),
        Caption("1", "A dog .", source="person:w1"),
    ),
    (Chain("1", ("0",)), Chain("2", ("1",)), Chain("3")),
    "7.jpg",
    {"split": "val", "domain": "near"},
    {"mentions": "linked"},
    (ImageLabel("Park"),),
)
GROUNDING = {"mentions": 2, "chains": 2, "chains nobody mentions": 1}
COCO = {
    **GROUNDING,
    "types of boxes but the first": 1,
    "attributes of boxes": 1,
    "flags of boxes but crowd": 1,
    "labels of images": 1,
    "notes on provenance": 1,
}


@pytest.mark.parametrize(
    ("format", "lost"),
    [
        ("jsonl", {}),
        ("parquet", {}),
        (
            "flickr30k-entities",
            {
                "candidates of mentions": 1,
                "origins of mentions": 1,
                "labels of boxes": 2,
                "scores of boxes": 1,
                "types of boxes": 1,
                "attributes of boxes": 1,
                "flags of boxes": 1,
                "sources of captions": 1,
                "labels of images": 1,
                "notes on provenance but of labels": 1,
                "attributes of images": 2,
            },
        ),
        (
            "tsv",
            {
                "chains": 2,
                "chains nobody mentions": 1,
                "types of mentions": 1,
                "candidates of mentions": 1,
                "origins of mentions": 1,
                "labels of images": 1,
                "notes on provenance": 1,
                "attributes of images": 2,
            },
        ),
        ("coco", {**COCO, "attributes of images": 2}),
        ("nocaps", {**COCO, "attributes of images": 1}),
        (
            "karpathy",
            {
                "boxes": 2,
                **GROUNDING,
                "sizes of pictures": 1,
                "labels of images": 1,
                "notes on provenance": 1,
                "attributes of images": 1,
            },
        ),
    ],
)
def test_what_a_format_cannot_hold_is_counted_by_kind(tmp_path: Path, format: str, lost: dict[str, int]) -> None:
    counted: Counter[str] = Counter()
    write_corpus([FULL], tmp_path / "out", format, lost=counted)
    assert [(kind, n) for kind, n in counted.items() if n] == list(lost.items())


def test_kinds_are_listed_in_one_order_by_formats_that_can_be_written() -> None:
    order = list(KINDS)
    for name, limits in LIMITS.items():
        assert FORMATS[name].is_writable
        assert [order.index(kind) for kind in limits.kinds] == sorted(order.index(kind) for kind in limits.kinds)


@given(images=corpora())
def test_tables_from_which_nothing_is_lost_read_back_equal(tmp_path: Path, images: list[Image]) -> None:
    counted: Counter[str] = Counter()
    bare = [replace(image, attributes={}, provenance={}, labels=()) for image in images]
    write_corpus(bare, tmp_path / "out", "tsv", replace=True, lost=counted)
    assert (list(open_corpus(tmp_path / "out", "tsv")) == bare) == (not counted.total())
