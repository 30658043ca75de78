"""Ordering: are things mentioned in the order in which people mention them?

Kendall's τ-b between two captions over the boxes that both refer to, by the
place of each box's first mention. A mention of several boxes gives them one
place, a tie. Where fewer than two boxes are shared, or one of the captions
puts all of them in one place, no order is expressed and the two are not
compared. An image's value is the mean over the gold captions that can be.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import fsum, sqrt
from typing import ClassVar

from limner.corpus.caption import Caption
from limner.score.measure import Compared, GroundedMeasure
from limner.score.metric import Choices, Range

# The first mention of each box that a caption refers to, counted from its beginning.
Places = Mapping[str, int]


def places(caption: Caption) -> Places:
    """Where each box is first mentioned: 0 for the caption's first mention that refers to boxes."""
    first: dict[str, int] = {}
    grounded = (mention for mention in caption.mentions if mention.boxes)
    for position, mention in enumerate(grounded):
        for box in mention.boxes:
            first.setdefault(box, position)
    return first


def tau(first: Places, second: Places) -> float | None:
    """Kendall's τ-b over the boxes that both mention, -1 to 1; None where no order can be compared.

    Takes time n log n in the boxes shared.
    """
    shared = first.keys() & second.keys()
    if len(shared) < 2:
        return None
    pairs = sorted([(first[box], second[box]) for box in shared])
    n_pairs = len(pairs) * (len(pairs) - 1) // 2
    tied_first = _tied([x for x, _ in pairs])
    tied_second = _tied(sorted([y for _, y in pairs]))
    if n_pairs in (tied_first, tied_second):
        return None
    discordant = _discordant(pairs)
    concordant = n_pairs - tied_first - tied_second + _tied(pairs) - discordant
    return (concordant - discordant) / sqrt((n_pairs - tied_first) * (n_pairs - tied_second))


class Ordering(GroundedMeasure[Places]):
    """The mean τ against the gold captions that can be compared; said and judged count gold captions."""

    name: ClassVar[str] = "ordering"
    value_names: ClassVar[tuple[str, ...]] = ("tau",)
    choices: ClassVar[Choices] = {"order": "tau-b of first mentions"}
    pools_gold: ClassVar[bool] = False
    value_range: ClassVar[Range] = (-1.0, 1.0)

    read = staticmethod(places)

    def compare(self, said: Places, gold: Sequence[Places]) -> Compared:
        taus = [value for value in (tau(said, reference) for reference in gold) if value is not None]
        return Compared((fsum(taus) / len(taus) if taus else None,), len(gold), len(taus))


def _tied(ordered: Sequence[object]) -> int:
    """Of sorted values, the pairs of equal ones."""
    total = run = 0
    for before, value in pairwise(ordered):
        run = run + 1 if value == before else 0
        total += run
    return total


def _discordant(pairs: Sequence[tuple[int, int]]) -> int:
    """Of sorted pairs, those two of which the first numbers rise and the second fall."""
    seen: list[int] = []
    level: list[int] = []
    total, reached = 0, -1
    for x, y in pairs:
        if x != reached:
            for earlier in level:
                insort(seen, earlier)
            level, reached = [], x
        total += len(seen) - bisect_right(seen, y)
        level.append(y)
    return total
