"""What the statistics of a corpus hold: plain figures, None where a corpus gives no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any


def ratio(part: float, total: float) -> float | None:
    """`part / whole`, or None where there is nothing to divide by."""
    return part / total if total else None


@dataclass(frozen=True, slots=True)
class Distribution:
    """How often each whole number occurs: pairs of value and count, by value."""

    histogram: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> Distribution:
        return cls(tuple(sorted(counts.items())))

    @property
    def n(self) -> int:
        return sum(count for _, count in self.histogram)

    @property
    def total(self) -> int:
        """The sum of all values."""
        return sum(value * count for value, count in self.histogram)

    @property
    def mean(self) -> float | None:
        return ratio(self.total, self.n)

    @property
    def median(self) -> float | None:
        """The value in the middle; of two in the middle their mean."""
        n, seen = self.n, 0
        middle: list[int] = []
        for value, count in self.histogram:
            middle += [value for location in ((n - 1) // 2, n // 2) if seen <= location < seen + count]
            seen += count
        return sum(middle) / 2 if middle else None

    def number(self, condition: Callable[[int], bool]) -> int:
        """How many have a value of which the condition holds."""
        return sum(count for value, count in self.histogram if condition(value))

    def share(self, condition: Callable[[int], bool]) -> float | None:
        """The share of those that have a value of which the condition holds."""
        return ratio(self.number(condition), self.n)

    def summary(self) -> Summary:
        ends = (self.histogram[0][0], self.histogram[-1][0]) if self.histogram else (None, None)
        return Summary(self.n, self.mean, self.median, *ends)

    def to_json(self) -> dict[str, Any]:
        return {**_as_json(self.summary()), "histogram": [list(pair) for pair in self.histogram]}


@dataclass(frozen=True, slots=True)
class Summary:
    """A distribution in five numbers."""

    n: int
    mean: float | None
    median: float | None
    lowest: int | None
    highest: int | None


@dataclass(frozen=True, slots=True)
class Pictures:
    """`attributes` and `provenance` count the images of each value of each name.

    None stands for a name with too many values to be kinds of images.
    `labels` are image labels, `absent_labels` those of confidence 0, and
    `labelled` the images that have one.
    """

    sized: int
    width: Summary
    height: Summary
    attributes: Mapping[str, Mapping[str, int] | None]
    provenance: Mapping[str, Mapping[str, int] | None]
    labels: int = 0
    absent_labels: int = 0
    labelled: int = 0


@dataclass(frozen=True, slots=True)
class Captions:
    """`words` is a caption's length; `without_box` counts captions that refer to no box, None without mentions."""

    count: int
    per_image: Distribution
    words: Distribution
    sources: Mapping[str, int]
    without_box: int | None


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes (object instances) and their labels (classes).

    `per_image` and `classes_per_image` are over all images; the shares of
    images with one class and with more than six too. `best_iou` is the mean
    over boxes of the IoU with the other box of the image that overlaps most;
    `enclosed` the share of boxes that lie wholly within another one.
    `unmentioned` counts boxes that no mention refers to, None without mentions.
    """

    count: int
    per_image: Distribution
    classes_per_image: Distribution
    one_class: float | None
    many_classes: float | None
    labels: int
    top_labels: tuple[tuple[str, int], ...]
    flags: Mapping[str, int]
    without_area: int
    unmentioned: int | None
    best_iou: float | None
    enclosed: float | None


@dataclass(frozen=True, slots=True)
class Mentions:
    """`expressions` are the mentions of something: those with a chain or a box. The rest is `not_visual`.

    All but `count` and `not_visual` is about expressions. `words` is an
    expression's mean length; `noun_phrases` the number of distinct phrases once all but nouns is left out.
    """

    count: int
    expressions: int
    not_visual: int
    with_box: int
    per_image: float | None
    per_caption: float | None
    words: float | None
    noun_phrases: int


@dataclass(frozen=True, slots=True)
class Chains:
    """Chains that somebody mentions, and apart from them the number of those that nobody does.

    `with_unmentioned` counts both: every chain that the annotations name, the total of the Flickr30k Entities paper.
    `boxes` are the distinct boxes of chains. In `types` a chain counts in each of its types.
    """

    count: int
    unmentioned: int
    mentions: int
    boxes: int
    per_image: float | None
    mentions_per_chain: float | None
    boxes_per_chain: float | None
    several_mentions: float | None
    one_box: float | None
    several_boxes: float | None
    no_box: float | None
    images_with_several_boxes: float | None
    types: tuple[TypeFigures, ...]
    with_unmentioned: int = 0


@dataclass(frozen=True, slots=True)
class TypeFigures:
    """The chains of one type, their mentions and their boxes, a box once for each chain.

    `images` is the share of images in which the type is mentioned.
    """

    type: str
    chains: int
    mentions: int
    boxes: int
    mentions_per_chain: float | None
    boxes_per_chain: float | None
    images: float | None


@dataclass(frozen=True, slots=True)
class WordFigures:
    """A word of expressions: how many have it, how many boxes those refer to, and the shares of all."""

    word: str
    occurrences: int
    boxes: int
    occurrence_share: float | None
    box_share: float | None


@dataclass(frozen=True, slots=True)
class Words:
    """The words expressions use most. `tagger` tells how they were found.

    Without a tagger `nouns` are head nouns and `adjectives` whatever stands before the head.
    """

    tagger: str
    nouns: tuple[WordFigures, ...]
    adjectives: tuple[WordFigures, ...]


@dataclass(frozen=True, slots=True)
class Ngrams:
    """The number of distinct 1-, 2-, 3- and 4-grams in all captions or in a sample of them.

    `captions_each` and `seed` are None where every caption was taken.
    """

    images: int
    captions: int
    captions_each: int | None
    seed: int | None
    distinct: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Statistics:
    """The statistics of a corpus.

    `object_categories` are the distinct labels, or, where labels come from
    captions or are not there, the distinct noun phrases of mentions;
    `categories_from` says which ("labels", "phrases").
    """

    name: str
    images: int
    pictures: Pictures
    captions: Captions
    boxes: Boxes
    mentions: Mentions
    chains: Chains
    words: Words
    ngrams: Ngrams | None
    object_categories: int | None
    categories_from: str | None
    objects_per_category: float | None

    def to_json(self) -> dict[str, Any]:
        """The figures as JSON's own types, under the same keys for every corpus."""
        figures: dict[str, Any] = _as_json(self)
        return figures


def _as_json(value: Any) -> Any:
    if isinstance(value, Distribution):
        return value.to_json()
    if is_dataclass(value):
        return {field.name: _as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: _as_json(inner) for name, inner in value.items()}
    if isinstance(value, str) or not isinstance(value, Iterable):
        return value
    return [_as_json(inner) for inner in value]
