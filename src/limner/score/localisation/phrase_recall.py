"""Whether a phrase's box is among the best k, under three protocols for phrases of several boxes.

- `merged`: the gold boxes of a phrase are one, the smallest box around them.
- `any`: a box is right if it matches any gold box of the phrase.
- `as-many`: a phrase of n gold boxes has n answers. Of the best k times n boxes
  as many as possible are paired with gold boxes, one to one; the value is the
  share of gold boxes that get one.

Boxes match from an IoU of `iou` on. Before ranks are counted, a box that
overlaps a better one by more than `nms` is dropped, except that the boxes of
one answer do not drop each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from limner.arrays import Booleans, Floats, Indices, Integers
from limner.corpus import geometry
from limner.errors import LimnerError, unknown
from limner.score.localisation.gold_phrases import GoldImage
from limner.score.localisation.phrase_ranking import PhraseRanking

Protocol = Literal["merged", "any", "as-many"]

# How many boxes are looked at.
RECALLS = (1, 5, 10)

IOU = 0.5
NMS = 0.5

# Pairs of boxes whose IoU is worked out at a time, for pictures with very many: 32 MB of numbers.
PAIRS = 1 << 22

# Candidates of a phrase that are compared with each other at a time: with fewer, near boxes would often leave too few.
WINDOW = 32


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """The protocol, the IoU from which boxes match, and that above which a better box drops another (None: none)."""

    protocol: Protocol = "merged"
    iou: float = IOU
    nms: float | None = NMS

    def __post_init__(self) -> None:
        if self.protocol not in get_args(Protocol):
            raise unknown("protocol", self.protocol, get_args(Protocol))
        if not 0 < self.iou <= 1:
            raise LimnerError(f"boxes are to match from an IoU of {self.iou}; give a number above 0, at most 1")
        if self.nms is not None and not 0 <= self.nms <= 1:
            raise LimnerError(f"boxes are to be dropped above an IoU of {self.nms}; give a number from 0 to 1, or none")


@dataclass(frozen=True, eq=False)
class PhraseRecall:
    """What the ranking of an image's phrases achieves.

    `recalls` is `[phrases, 3]`: 1 where the best 1, 5 or 10 boxes have a right
    one, or the share of gold boxes that are found under `as-many`. `bound` is
    what the best ranking of the image's boxes would achieve. `rank` is that of
    the first right box among those that are left, from 1, or 0. `kept` are the
    rows of these boxes, best first, -1 after the last. `answer_iou` is how far
    the first of them overlaps its gold box.
    """

    recalls: Floats
    bound: Floats
    rank: Integers
    kept: Integers
    answer_iou: Floats


def recall_of(ranking: PhraseRanking, gold: GoldImage, settings: RecallSettings) -> PhraseRecall:
    """The recall of each phrase of an image."""
    n_answers = gold.n_boxes if settings.protocol == "as-many" else np.ones(len(gold), dtype=np.int64)
    kept = kept_rows(ranking, RECALLS[-1] * n_answers, settings.nms)
    overlaps = target_overlaps(ranking.corners, gold, settings.protocol)
    # A row of its own for what is not there, which -1 finds.
    padded = np.concatenate([overlaps, np.zeros((1, len(gold)))])
    of_kept = padded[kept, np.arange(len(gold))[:, None]]
    is_right = of_kept >= settings.iou
    rank = np.where(is_right.any(axis=1), is_right.argmax(axis=1) + 1, 0)
    recalls = ((rank[:, None] > 0) & (rank[:, None] <= np.array(RECALLS))).astype(np.float64)
    is_within_reach = (overlaps[: ranking.n_boxes] >= settings.iou).any(axis=0) | (rank > 0)
    bound = is_within_reach.astype(np.float64)
    if settings.protocol == "as-many":
        _share_found(ranking, gold, kept, settings.iou, recalls, bound)
    return PhraseRecall(recalls, bound, rank.astype(np.int64), kept, of_kept[:, 0])


def target_overlaps(corners: Floats, gold: GoldImage, protocol: Protocol) -> Floats:
    """The IoU of each box with each phrase's gold box, `[boxes, phrases]`: with the union, or the best of several."""
    if protocol == "merged":
        return geometry.iou(corners, gold.unions)
    overlaps = geometry.iou(corners, gold.corners)
    if not len(overlaps):
        return np.zeros((0, len(gold)))
    return np.asarray(np.maximum.reduceat(overlaps, gold.offsets[:-1], axis=1), dtype=np.float64)


def kept_rows(ranking: PhraseRanking, n_wanted: Integers, nms: float | None) -> Integers:
    """The best rows of each phrase after suppression, `[phrases, most wanted]`, -1 after the last.

    Candidates are looked at a window at a time: mostly the first window has as
    many as are wanted, whatever the number of candidates.
    """
    rows = ranking.rows
    n_phrases, longest = rows.shape
    most = int(n_wanted.max(initial=0))
    kept = np.full((n_phrases, most), -1, dtype=np.int64)
    if nms is None:
        kept[:, :longest] = rows[:, :most]
        kept[np.arange(most) >= n_wanted[:, None]] = -1
        return kept
    n_kept = np.zeros(n_phrases, dtype=np.int64)
    step = WINDOW
    for start in range(0, longest, step):
        is_open = (n_kept < n_wanted) & (rows[:, start] >= 0)
        for some in _portions(np.flatnonzero(is_open), step * (step + most)):
            window = _Window(ranking, some, slice(start, start + step), nms)
            window.fill(kept, n_kept, n_wanted)
    return kept


@dataclass(frozen=True, eq=False)
class _Window:
    """Some candidates of some phrases, and which of them are too near each other."""

    ranking: PhraseRanking
    phrases: Indices
    columns: slice
    nms: float

    def fill(self, kept: Integers, n_kept: Integers, n_wanted: Integers) -> None:
        """Keep the candidates that are not too near better ones, as long as more are wanted."""
        rows = self.ranking.rows[self.phrases, self.columns]
        corners = self.ranking.corners[rows]
        is_near = geometry.iou(corners, corners) > self.nms
        # The boxes of an answer stay together.
        is_answer = (
            np.arange(*self.columns.indices(self.ranking.rows.shape[1])) < self.ranking.n_answer[self.phrases, None]
        )
        is_near &= ~(is_answer[:, :, None] & is_answer[:, None, :])
        is_left = (rows >= 0) & ~self._near_kept(corners, kept, is_answer)
        number = np.arange(len(rows))
        while True:
            is_taking = is_left.any(axis=1) & (n_kept[self.phrases] < n_wanted[self.phrases])
            if not is_taking.any():
                return
            first = is_left.argmax(axis=1)
            takers = self.phrases[is_taking]
            kept[takers, n_kept[takers]] = rows[number, first][is_taking]
            n_kept[takers] += 1
            is_left &= ~is_near[number, first]
            is_left[number, first] = False

    def _near_kept(self, corners: Floats, kept: Integers, is_answer: Booleans) -> Booleans:
        """Whether candidates are too near what was kept of the windows before, `[phrases, window]`."""
        if not self.columns.start:
            return np.zeros(corners.shape[:2], dtype=np.bool_)
        before = kept[self.phrases]
        n_answer = self.ranking.n_answer[self.phrases]
        is_near = geometry.iou(corners, self.ranking.corners[before]) > self.nms
        is_near &= (before >= 0)[:, None, :]
        is_near &= ~(is_answer[:, :, None] & (np.arange(before.shape[1]) < n_answer[:, None])[:, None, :])
        return np.asarray(is_near.any(axis=2), dtype=np.bool_)


def _portions(phrases: Indices, n_pairs: int) -> Iterator[Indices]:
    """Phrases of which each has so many pairs of boxes, in portions that fit the memory."""
    size = max(1, PAIRS // n_pairs)
    for start in range(0, len(phrases), size):
        yield phrases[start : start + size]


def _share_found(
    ranking: PhraseRanking, gold: GoldImage, kept: Integers, iou: float, recalls: Floats, bound: Floats
) -> None:
    """Set the recalls and the bound of phrases of several gold boxes to the share of these that is found."""
    several = np.flatnonzero(gold.n_boxes > 1)
    is_match = geometry.iou(ranking.corners, gold.corners) >= iou if len(several) else np.zeros((0, 0), dtype=np.bool_)
    for phrase in several.tolist():
        first, last = gold.offsets[phrase : phrase + 2].tolist()
        n = last - first
        matching = _Matching(is_match[:, first:last])
        ranked = [row for row in kept[phrase].tolist() if row >= 0]
        n_paired = [0, *map(matching.add, ranked)]
        recalls[phrase] = [n_paired[min(k * n, len(ranked))] / n for k in RECALLS]
        # The boxes that were not ranked, or not so high, could still have been.
        rest = np.setdiff1d(np.flatnonzero(is_match[: ranking.n_boxes, first:last].any(axis=1)), ranked)
        bound[phrase] = max([matching.n_paired, *map(matching.add, rest.tolist())]) / n


class _Matching:
    """As many pairs of boxes and gold boxes as possible, one to one, while boxes come one by one (Kuhn 1955)."""

    def __init__(self, is_match: Booleans) -> None:
        self._is_match = is_match
        self._box_of: dict[int, int] = {}

    @property
    def n_paired(self) -> int:
        return len(self._box_of)

    def add(self, box: int) -> int:
        """Add a box, and return how many gold boxes are paired now.

        It gets a free gold box, or one whose own box can take another, and so on.
        """
        wanted_by: dict[int, int] = {}
        waiting = [box]
        while waiting:
            seeker = waiting.pop()
            for gold in np.flatnonzero(self._is_match[seeker]).tolist():
                if gold in wanted_by:
                    continue
                wanted_by[gold] = seeker
                if gold not in self._box_of:
                    self._pass_on(gold, wanted_by, box)
                    return self.n_paired
                waiting.append(self._box_of[gold])
        return self.n_paired

    def _pass_on(self, gold: int, wanted_by: dict[int, int], last: int) -> None:
        """Give a free gold box to the box that wants it, what that had to the one that wants this, up to the last."""
        gold_of = {box: paired for paired, box in self._box_of.items()}
        while True:
            seeker = wanted_by[gold]
            self._box_of[gold] = seeker
            if seeker == last:
                return
            gold = gold_of[seeker]
