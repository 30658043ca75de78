"""Content selection told apart by label, type and size of the boxes, and by how many boxes an image has.

Boxes are pooled over the images. With p the share of an image's gold captions
that mention a box, the precision of a group of boxes is the mean p of those
that were selected, its recall the share of the sum of p that they hold, and F
the harmonic mean of the two. People's own (each caption against the image's
others) has one value for all three, since who agrees with whom is mutual.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from limner.corpus.box import Box
from limner.corpus.image import Image
from limner.score.content import PRF, Boxes, weights
from limner.score.measure import mean

# Where the bands of sizes begin, as shares of the picture's area; a box on the edge of two is in the larger.
SIZES = (0.01, 0.05, 0.2, 0.5)

SIZE_NAMES = ("0-1%", "1-5%", "5-20%", "20-50%", "50-100%")

# The band of boxes in pictures whose size is not known.
UNSIZED = "unknown"

# Where the bands of numbers of boxes begin: single numbers where most images are, wider above.
NUMBERS = (2, 3, 4, 5, 7, 10, 15, 20)

NUMBER_NAMES = ("1", "2", "3", "4", "5-6", "7-9", "10-14", "15-19", "20+")

# The group of boxes that have no type.
UNTYPED = "untyped"


@dataclass(slots=True)
class Group:
    """Boxes of one kind: how many there are, were selected, and are mentioned by people."""

    n_boxes: int = 0
    n_selected: int = 0
    said: float = 0.0
    hit: float = 0.0
    people_said: float = 0.0
    people_agreed: float = 0.0

    def add(self, share: float, is_selected: bool, n_captions: int) -> None:
        """Count a box that this share of its image's n captions mention."""
        self.n_boxes += 1
        self.said += share
        if is_selected:
            self.n_selected += 1
            self.hit += share
        if n_captions > 1:
            self.people_said += share
            self.people_agreed += share * (share * n_captions - 1) / (n_captions - 1)

    def to_json(self) -> dict[str, Any]:
        total = self.n_selected + self.said
        return {
            "n_boxes": self.n_boxes,
            "n_selected": self.n_selected,
            "mentioned": self.said / self.n_boxes,
            "P": self.hit / self.n_selected if self.n_selected else None,
            "R": self.hit / self.said if self.said else None,
            # The harmonic mean of hit / n_selected and hit / said.
            "F": 2 * self.hit / total if total else None,
            "human": self.people_agreed / self.people_said if self.people_said else None,
        }


@dataclass(slots=True)
class BoxSubsets:
    """The groups of a corpus, image by image."""

    by_label: dict[str, Group] = field(default_factory=dict)
    by_type: dict[str, Group] = field(default_factory=dict)
    by_size: dict[str, Group] = field(default_factory=dict)
    by_number: dict[str, list[tuple[PRF, PRF | None]]] = field(default_factory=dict)

    def add(self, image: Image, selected: Boxes, gold: Sequence[Boxes], score: PRF, people: PRF | None) -> None:
        """Count an image's boxes, those that were selected, and its scores; there is a gold caption at least."""
        worth = weights(gold)
        for box in image.boxes:
            share = worth[box.id][0] / len(gold) if box.id in worth else 0.0
            for group in self._groups(image, box):
                group.add(share, box.id in selected, len(gold))
        self.by_number.setdefault(_band(len(image.boxes), NUMBERS, NUMBER_NAMES), []).append((score, people))

    def to_json(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Labels and types by number of boxes, the most first; bands from small to large."""
        return {
            "label": _by_frequency(self.by_label),
            "type": _by_frequency(self.by_type),
            "size": {name: self.by_size[name].to_json() for name in (*SIZE_NAMES, UNSIZED) if name in self.by_size},
            "boxes": {name: _means(self.by_number[name]) for name in NUMBER_NAMES if name in self.by_number},
        }

    def _groups(self, image: Image, box: Box) -> Iterable[Group]:
        yield _group(self.by_label, box.label)
        for kind in dict.fromkeys(box.types) or (UNTYPED,):
            yield _group(self.by_type, kind)
        yield _group(self.by_size, size_band(image, box))


def size_band(image: Image, box: Box) -> str:
    """The band of a box's share of its picture."""
    if image.width is None or image.height is None:
        return UNSIZED
    return _band(box.area / (image.width * image.height), SIZES, SIZE_NAMES)


def _band(value: float, edges: Sequence[float], names: Sequence[str]) -> str:
    return names[bisect_right(edges, value)]


def _group(groups: dict[str, Group], name: str) -> Group:
    if name not in groups:
        groups[name] = Group()
    return groups[name]


def _by_frequency(groups: Mapping[str, Group]) -> dict[str, dict[str, Any]]:
    ordered = sorted(groups, key=lambda name: (-groups[name].n_boxes, name))
    return {name: groups[name].to_json() for name in ordered}


def _means(scores: Sequence[tuple[PRF, PRF | None]]) -> dict[str, Any]:
    """The mean scores of images, and people's F."""
    means = {name: mean(getattr(score, name) for score, _ in scores) for name in PRF._fields}
    return {"n_images": len(scores), **means, "human": mean(people.F for _, people in scores if people is not None)}
