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

from limner.corpus.caption import Caption
from limner.score.measure import Compared, Measure

Places = Mapping[str, int]
"""The first mention of each box that a caption refers to, counted from its beginning."""


def places(caption: Caption) -> Places:
    """Where each box is first mentioned: 0 for the caption's first mention that refers to boxes."""
    found: dict[str, int] = {}
    grounded = (mention for mention in caption.mentions if mention.boxes)
    for place, mention in enumerate(grounded):
        for box in mention.boxes:
            found.setdefault(box, place)
    return found


def tau(one: Places, other: Places) -> float | None:
    """Kendall's τ-b over the boxes that both mention, -1 to 1; None where no order can be compared.

    Takes time n log n in the boxes shared.
    """
    pairs = sorted((one[box], other[box]) for box in one.keys() & other.keys())
    n_pairs = len(pairs) * (len(pairs) - 1) // 2
    tied_one = _tied([x for x, _ in pairs])
    tied_other = _tied(sorted(y for _, y in pairs))
    if n_pairs in (tied_one, tied_other):
        return None
    discordant = _discordant(pairs)
    concordant = n_pairs - tied_one - tied_other + _tied(pairs) - discordant
    return (concordant - discordant) / sqrt((n_pairs - tied_one) * (n_pairs - tied_other))


def compare(said: Places, gold: Sequence[Places]) -> Compared:
    """The mean τ against the gold captions that can be compared; said and judged count gold captions."""
    found = [value for value in (tau(said, one) for one in gold) if value is not None]
    return Compared((fsum(found) / len(found) if found else None,), len(gold), len(found))


ORDERING = Measure("ordering", ("tau",), places, compare, pools_gold=False)


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
