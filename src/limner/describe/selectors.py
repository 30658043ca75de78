"""Selectors, which choose the boxes to mention: those of Wang & Gaizauskas (2015), sections 4 and 5.1.

A selector sees what a detector could provide: boxes with their labels, types
and scores, and the size of the picture. It orders boxes, the best first, and
the first k of them are mentioned. `size` and `position` break ties by the order
of the boxes. Selectors that look at text break them at random, by the seed and
the ids: the order of boxes in a file may tell what people mention, as COCO's
tells size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import msgspec

from limner.corpus.box import Box
from limner.corpus.held_out_labels import visible
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.errors import LimnerError, unknown

# What the first concept of a sentence follows; no label is empty.
START = ""


class Selector(Protocol):
    """Anything that chooses boxes of an image: it returns their ids, the best first."""

    def select(self, image: Image) -> list[str]: ...


@runtime_checkable
class ManySelector(Protocol):
    """A selector that is faster for many images at once."""

    def select_many(self, images: Sequence[Image]) -> list[list[str]]: ...


class Selection(NamedTuple):
    """Ids of boxes to mention, the best first, and what share of the best selection's F they promise."""

    boxes: Sequence[str]
    promise: float = 1.0


@runtime_checkable
class OfferingSelector(Protocol):
    """A selector that offers several selections for each image, the best first, for a realiser to choose from."""

    def offer_many(self, images: Sequence[Image]) -> list[list[Selection]]: ...


def seen(image: Image) -> Image:
    """The image as a selector may see it: without captions, chains, hidden boxes or anything else that people said."""
    boxes = visible(image).boxes
    return Image(image.id, image.width, image.height, boxes, file=image.file, provenance=image.provenance)


class Limited:
    """The first k boxes of another selector, or all if there are fewer."""

    def __init__(self, selector: Selector, k: int) -> None:
        if k < 1:
            raise ValueError(f"k is {k}; it must be at least 1")
        self._selector = selector
        self._k = k

    def select(self, image: Image) -> list[str]:
        return self._selector.select(image)[: self._k]


class All:
    """Every box, in order."""

    def select(self, image: Image) -> list[str]:
        return [box.id for box in image.boxes]


class Random:
    """Every box, in an order that depends on the seed and the image's id alone."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def select(self, image: Image) -> list[str]:
        ids = [box.id for box in image.boxes]
        random_stream("selection", self._seed, image.id).shuffle(ids)
        return ids


class Size:
    """The largest box first."""

    def select(self, image: Image) -> list[str]:
        return _ranked(image.boxes, lambda box: -box.area)


class Position:
    """First the box whose centre is nearest to the image's centre."""

    def select(self, image: Image) -> list[str]:
        if image.width is None or image.height is None:
            raise LimnerError(f"image {image.id!r} has no width and height, which the selector `position` needs")
        x, y = image.width / 2, image.height / 2
        return _ranked(image.boxes, lambda box: (box.centre[0] - x) ** 2 + (box.centre[1] - y) ** 2)


class Concepts(msgspec.Struct, frozen=True):
    """How often people mention each label, and which label they mention after which."""

    mentions: dict[str, int]
    followers: dict[str, dict[str, int]]

    @classmethod
    def count(cls, images: Iterable[Image]) -> Concepts:
        """The counts of the gold captions of a corpus.

        A mention of several boxes counts once for each label among them, and
        follows every label of the mention before it.
        """
        mentions: Counter[str] = Counter()
        followers: dict[str, Counter[str]] = {START: Counter()}
        for image in map(visible, images):
            label_by_id = {box.id: box.label for box in image.boxes}
            for caption in image.captions:
                if caption.source != "gold":
                    continue
                before = [START]
                for mention in caption.mentions:
                    labels = list(dict.fromkeys(label_by_id[box] for box in mention.boxes if box in label_by_id))
                    if not labels:
                        continue
                    mentions.update(labels)
                    for label in before:
                        followers.setdefault(label, Counter()).update(labels)
                    before = labels
        return cls(dict(mentions), {label: dict(counts) for label, counts in followers.items()})


class Unigram:
    """First the box whose label people mention most."""

    def __init__(self, concepts: Concepts, seed: int = 0) -> None:
        self._mentions = concepts.mentions
        self._seed = seed

    def select(self, image: Image) -> list[str]:
        return _ranked(_shuffled(image, self._seed), lambda box: -self._mentions.get(box.label, 0))


class Bigram:
    """The label likeliest to come first, then always the likeliest to follow the last one.

    Ends when none of the remaining labels ever followed, so it may choose few boxes or none.
    """

    def __init__(self, concepts: Concepts, seed: int = 0) -> None:
        self._followers = concepts.followers
        self._seed = seed

    def select(self, image: Image) -> list[str]:
        remaining: dict[str, list[str]] = {}
        for box in _shuffled(image, self._seed):
            remaining.setdefault(box.label, []).append(box.id)
        chosen: list[str] = []
        last = START
        while remaining:
            counts = self._followers.get(last, {})
            # max() keeps the first of equals, and labels are in the shuffled order of their first box.
            label = max(remaining, key=lambda label: counts.get(label, 0))
            if not counts.get(label):
                break
            chosen.append(remaining[label].pop(0))
            if not remaining[label]:
                del remaining[label]
            last = label
        return chosen


class Combined:
    """The boxes by their average rank under two selectors (section 5.1).

    Boxes that a selector leaves out share the mean of the remaining ranks: with
    3 of 9 boxes selected the other six have the rank 6.5.
    """

    def __init__(self, *selectors: Selector, seed: int = 0) -> None:
        self._selectors = selectors
        self._seed = seed

    def select(self, image: Image) -> list[str]:
        ids = [box.id for box in _shuffled(image, self._seed)]
        ranks = [average_ranks(ids, selector.select(image)) for selector in self._selectors]
        total = {id: sum(rank[id] for rank in ranks) for id in ids}
        return sorted(ids, key=total.__getitem__)


def average_ranks(ids: Sequence[str], selected: Sequence[str]) -> dict[str, float]:
    """Each box's rank, from 1: its position among the selected boxes, or the common rank of the rest."""
    unselected = 0.5 * ((len(ids) + 1) - len(selected)) + len(selected)
    return {**dict.fromkeys(ids, unselected), **{id: float(rank) for rank, id in enumerate(selected, start=1)}}


VISUAL: dict[str, Callable[[int], Selector]] = {
    "random": Random,
    "size": lambda seed: Size(),
    "position": lambda seed: Position(),
    "all": lambda seed: All(),
}
TEXTUAL: dict[str, Callable[[Concepts, int], Selector]] = {"unigram": Unigram, "bigram": Bigram}


def find_selector(name: str, concepts: Concepts | None = None, seed: int = 0) -> Selector:
    """The selector of a name: `size`, `bigram`, or two joined by + as in `bigram+position`."""
    if "+" in name:
        return Combined(*(find_selector(part, concepts, seed) for part in name.split("+")), seed=seed)
    if name in VISUAL:
        return VISUAL[name](seed)
    if name not in TEXTUAL:
        raise unknown("selector", name, [*VISUAL, *TEXTUAL, "bigram+position", "learned"])
    if concepts is None:
        raise LimnerError(f"the selector {name} needs counts of what people mention", code="no-concepts")
    return TEXTUAL[name](concepts, seed)


def _shuffled(image: Image, seed: int) -> list[Box]:
    """The boxes in an order that depends on the seed and the ids alone, whatever that of the file is."""
    boxes = sorted(image.boxes, key=lambda box: box.id)
    random_stream("ties", seed, image.id).shuffle(boxes)
    return boxes


def _ranked(boxes: Sequence[Box], key: Callable[[Box], float]) -> list[str]:
    return [box.id for box in sorted(boxes, key=key)]
