"""The phrases of gold captions that can be localised: those that refer to boxes.

Phrases that are not visual, and those whose thing has no box, are left out and
counted, as the paper does (footnote 3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Integers
from limner.corpus.caption import Caption, Mention
from limner.corpus.geometry import area, corners
from limner.corpus.image import Image
from limner.errors import BadInput, shown
from limner.score.letter_spans import letter_spans

NOT_VISUAL = "notvisual"

# A phrase by the position of its caption among the image's gold captions, and its span in which spaces do not count.
Span = tuple[int, int, int]


class GoldPhrase(NamedTuple):
    """A phrase that refers to boxes: its caption's position among the gold captions, and its mention."""

    caption: int
    mention: Mention
    text: str


@dataclass(frozen=True, eq=False)
class GoldImage:
    """An image's phrases that can be localised, in the order of its captions.

    `corners` are the boxes of all phrases end to end: phrase i has the rows
    `offsets[i]` to `offsets[i + 1]`.
    """

    image: Image
    captions: tuple[Caption, ...]
    phrases: tuple[GoldPhrase, ...]
    phrase_by_span: dict[Span, int]
    spans_left_out: frozenset[Span]
    corners: Floats
    offsets: Integers

    def __len__(self) -> int:
        return len(self.phrases)

    @cached_property
    def unions(self) -> Floats:
        """The smallest box around the boxes of each phrase, `[phrases, 4]`."""
        starts = self.offsets[:-1]
        low = np.minimum.reduceat(self.corners[:, :2], starts, axis=0)
        high = np.maximum.reduceat(self.corners[:, 2:], starts, axis=0)
        return np.concatenate([low, high], axis=1)

    @property
    def n_boxes(self) -> Integers:
        """How many boxes each phrase refers to."""
        return np.diff(self.offsets)

    @cached_property
    def is_same(self) -> Booleans:
        """Whether two phrases refer to the same boxes, `[phrases, phrases]`."""
        numbers: dict[frozenset[str], int] = {}
        sets = (frozenset(phrase.mention.boxes) for phrase in self.phrases)
        thing = np.array([numbers.setdefault(boxes, len(numbers)) for boxes in sets], dtype=np.int64)
        return np.asarray(thing[:, None] == thing, dtype=np.bool_)

    def shares(self) -> Floats:
        """The share of the picture that each phrase's union covers, NaN if the picture's size is unknown."""
        if not (self.image.width and self.image.height):
            return np.full(len(self), np.nan)
        return area(self.unions) / (self.image.width * self.image.height)

    def descriptions(self) -> list[str]:
        """Each phrase with all that its score depends on, for the fingerprint of the data."""
        rows = np.split(self.corners, self.offsets[1:-1])
        return [
            f"{self.captions[phrase.caption].text} {phrase.mention.start}-{phrase.mention.end} "
            f"{sorted(phrase.mention.types)} {sorted(boxes.tolist())}"
            for phrase, boxes in zip(self.phrases, rows, strict=True)
        ]


@dataclass(frozen=True)
class GoldPhrases:
    """The gold images that have phrases to localise, by id, and what was left out, in numbers."""

    place: str
    images: dict[str, GoldImage]
    left_out: Counter[str]

    @property
    def n_phrases(self) -> int:
        return sum(map(len, self.images.values()))


def read_gold(gold: Iterable[Image], ids: Collection[str] | None = None, place: str = "gold") -> GoldPhrases:
    """The phrases of gold images, of these `ids` if any are given; `place` names gold in errors."""
    images: dict[str, GoldImage] = {}
    left_out: Counter[str] = Counter({"not_visual": 0, "no_box": 0, "images": 0})
    met: set[str] = set()
    for image in gold:
        if ids is not None and image.id not in ids:
            continue
        if image.id in met:
            raise BadInput(place, f"image {shown(image.id)} appears twice", "give each its own id")
        met.add(image.id)
        made = _gold_image(image, left_out)
        if made.phrases:
            images[image.id] = made
        else:
            left_out["images"] += 1
    if not images:
        problem = "no gold caption refers to a box"
        raise BadInput(place, problem, "give a corpus whose mentions have boxes", code="no-mentions")
    return GoldPhrases(place, images, left_out)


def _gold_image(image: Image, left_out: Counter[str]) -> GoldImage:
    captions = tuple(caption for caption in image.captions if caption.source == "gold")
    box_by_id = image.box_by_id()
    phrases: list[GoldPhrase] = []
    phrase_by_span: dict[Span, int] = {}
    spans_left_out: set[Span] = set()
    for number, caption in enumerate(captions):
        for start, end, mention in letter_spans(caption):
            # Results may name boxes that only gold has, but gold has nobody else's to name.
            if any(id in box_by_id for id in mention.boxes):
                phrase_by_span[number, start, end] = len(phrases)
                phrases.append(GoldPhrase(number, mention, caption.phrase(mention)))
            else:
                spans_left_out.add((number, start, end))
                is_visual = NOT_VISUAL not in mention.types and bool(mention.chain is not None or mention.types)
                left_out["no_box" if is_visual else "not_visual"] += 1
    boxes = [[box_by_id[id] for id in dict.fromkeys(p.mention.boxes) if id in box_by_id] for p in phrases]
    offsets = np.cumsum([0, *map(len, boxes)], dtype=np.int64)
    drawn = corners(box for several in boxes for box in several)
    return GoldImage(image, captions, tuple(phrases), phrase_by_span, frozenset(spans_left_out), drawn, offsets)
