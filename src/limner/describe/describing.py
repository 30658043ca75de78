"""A corpus described: boxes chosen, ordered and put into words, as results that never touch gold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol, runtime_checkable

from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.describe.selectors import Selector, seen

BATCH = 500
"""Images that a selector for many at once is given together."""


class Realiser(Protocol):
    """Whatever puts chosen boxes into words."""

    def realise(self, image: Image, selected: Sequence[str]) -> Caption: ...


@runtime_checkable
class ManySelector(Protocol):
    """A selector that is faster for many images at once."""

    def select_many(self, images: Sequence[Image]) -> list[list[str]]: ...


def describe(images: Iterable[Image], selector: Selector | ManySelector, realiser: Realiser) -> Iterator[Image]:
    """A result for every image: its id and the one caption; boxes are named, not copied."""
    for view, selected in select_each(images, selector):
        yield Image(view.id, captions=(realiser.realise(view, selected),))


def select_each(images: Iterable[Image], selector: Selector | ManySelector) -> Iterator[tuple[Image, list[str]]]:
    """Every image as a selector may see it, with the boxes chosen in it."""
    views = map(seen, images)
    if not isinstance(selector, ManySelector):
        for view in views:
            yield view, selector.select(view)
        return
    while batch := list(islice(views, BATCH)):
        yield from zip(batch, selector.select_many(batch), strict=True)
