"""Linear-chain taggers: from the features of each item of a sequence to its tag, with weights read from a file.

Weights are whole numbers, so that equal files tag alike on every machine;
`chain_training` learns them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import add

import msgspec
import numpy as np

from limner.arrays import Integers

# Weights are written as whole numbers of this unit's inverse: two digits after the point are enough.
UNIT = 100

# The largest weight that a file may have, which keeps sums small whatever a file says.
LARGEST = 1 << 24


class ChainRecord(msgspec.Struct, frozen=True):
    """A tagger as model files hold it.

    `weights` has a row for each of `features`, with a weight for each tag.
    `transitions` has a row for each tag that may come before, and a last one
    for the start of the sequence.
    """

    tags: list[str]
    features: list[str]
    weights: list[list[int]]
    transitions: list[list[int]]


def chain_faults(record: ChainRecord, name: str) -> Iterator[str]:
    """What is wrong with the tagger of this name in a file, in words."""
    n_tags = len(record.tags)
    if not n_tags or len(set(record.tags)) < n_tags:
        yield f"{name}: it needs distinct tags"
    if len(record.features) != len(record.weights) or len(set(record.features)) < len(record.features):
        yield f"{name}: it needs distinct features, and weights for each"
    if len(record.transitions) != n_tags + 1:
        yield f"{name}: it needs transitions from every tag and from the start"
    for row in (*record.weights, *record.transitions):
        if len(row) != n_tags or max(map(abs, row), default=0) > LARGEST:
            yield f"{name}: a row of weights is not one moderate number for each tag"
            return


class ChainTagger:
    """Gives each item of a sequence the tag by which the whole sequence scores highest."""

    def __init__(self, record: ChainRecord) -> None:
        self.tags = tuple(record.tags)
        self._number_by_feature = {feature: i for i, feature in enumerate(record.features)}
        # The last row is of features that nothing is known of.
        self._weights = np.array([*record.weights, [0] * len(self.tags)], dtype=np.int64)
        *transitions, self._start = record.transitions
        # For each tag the transitions to it.
        self._steps = list(zip(*transitions, strict=True))

    def knows(self, feature: str) -> bool:
        """Whether a feature has weights."""
        return feature in self._number_by_feature

    def scores(self, items: Sequence[Sequence[str]]) -> Integers:
        """The scores of tags for each item, `[items, tags]`, without its neighbours; all have as many features."""
        number, unknown = self._number_by_feature.get, len(self._number_by_feature)
        numbers = [number(feature, unknown) for features in items for feature in features]
        rows = np.array(numbers, dtype=np.intp).reshape(len(items), -1)
        return np.asarray(self._weights[rows].sum(axis=1), dtype=np.int64)

    def tag_alone(self, items: Sequence[Sequence[str]]) -> list[str]:
        """The tag of each item as if it were a sequence by itself; of equal ones the first."""
        if not items:
            return []
        return [self.tags[tag] for tag in (self.scores(items) + self._start).argmax(axis=1).tolist()]

    def tag(self, items: Sequence[Sequence[str]]) -> list[str]:
        """The tags of a sequence of items, by Viterbi's algorithm; of equal ones the first."""
        return self.decode(self.scores(items).tolist()) if items else []

    def decode(self, emitted: Sequence[Sequence[int]]) -> list[str]:
        """The tags of a sequence of items with these scores, of which there is one at least."""
        # Maps of built-in functions take half the time of loops.
        first, *others = emitted
        scores = list(map(add, first, self._start))
        origins: list[list[int]] = []
        for here in others:
            arrivals = [list(map(add, scores, steps)) for steps in self._steps]
            highest = list(map(max, arrivals))
            origins.append(list(map(list.index, arrivals, highest)))
            scores = list(map(add, highest, here))
        at = scores.index(max(scores))
        path = [at]
        for origin in reversed(origins):
            at = origin[at]
            path.append(at)
        return [self.tags[tag] for tag in reversed(path)]
