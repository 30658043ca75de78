"""Why a caption has its METEOR score: what was matched with what, for a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from limner.score.meteor.scoring import measures
from limner.score.meteor.search import Alignment
from limner.score.meteor.tables import MODULES


class Matched(NamedTuple):
    """Words of the caption and of the reference that go together: half-open spans of tokens.

    `chunk` is the number of the run of matches it belongs to, from 0, in the
    order of the reference.
    """

    start: int
    end: int
    reference_start: int
    reference_end: int
    module: str
    chunk: int


class Explanation(NamedTuple):
    """A caption beside the reference it scores best with, in METEOR's tokens.

    `reference_number` is that reference's place among the image's. The score
    is `f_mean` less its `penalty`'s share.
    """

    caption: list[str]
    reference: list[str]
    reference_number: int
    matches: list[Matched]
    chunks: int
    precision: float
    recall: float
    f_mean: float
    penalty: float
    score: float


def explained(
    caption: list[str], reference: list[str], reference_number: int, alignment: Alignment, row: Sequence[int]
) -> Explanation:
    """The explanation of an alignment with these statistics."""
    matches: list[Matched] = []
    for start, length, reference_start, reference_length, module in alignment.matches:
        before = matches[-1] if matches else None
        goes_on = before and (before.end, before.reference_end) == (start, reference_start)
        chunk = 0 if before is None else before.chunk + (not goes_on)
        ends = start + length, reference_start + reference_length
        matches.append(Matched(start, ends[0], reference_start, ends[1], MODULES[module], chunk))
    parts = measures(row)
    return Explanation(
        *(caption, reference, reference_number, matches, alignment.chunks),
        *(float(one) for one in parts),
    )
