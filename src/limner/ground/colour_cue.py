"""The colour cue (Plummer et al. 2016, eq. 3): how likely a region has the colour that a phrase names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limner.arrays import Floats, Singles
from limner.ground.phrase_queries import PhraseQuery
from limner.ground.picture_regions import PictureRegions
from limner.learn.softmax_classifier import SoftmaxClassifier, train_classifier
from limner.vision.features.colour_table import NAMES

# A classifier of fewer regions would know next to nothing: the shares of colours themselves are used instead.
FEWEST_REGIONS = 50

# The last numbers of a region's colours are the shares of the eleven names.
_SHARES = slice(-len(NAMES), None)


def named_colour(query: PhraseQuery) -> int | None:
    """The number in `NAMES` of the one colour that a phrase names.

    None for people, whose colours are said of skin and hair, for phrases of
    several colours, and for colours that are not among the eleven.
    """
    if "people" in query.types:
        return None
    said = {"grey" if colour == "gray" else colour for colour in query.colours}
    return NAMES.index(next(iter(said))) if len(said) == 1 and said <= set(NAMES) else None


class ColourCue:
    """The probability of the phrase's colour, by a small network over the colours of the region.

    Without a network it is the share of the region's pixels that have the colour.
    """

    name = "colour"

    def __init__(self, classifier: SoftmaxClassifier | None = None) -> None:
        self.classifier = classifier

    @classmethod
    def learn(cls, rows: Sequence[Singles], queries: Sequence[PhraseQuery], seed: int = 0) -> ColourCue:
        """The cue of regions that phrases were said of, each given by its colours."""
        named = [(row, n) for row, query in zip(rows, queries, strict=True) if (n := named_colour(query)) is not None]
        if len(named) < FEWEST_REGIONS:
            return cls()
        numbers = np.array([number for _, number in named], dtype=np.int64)
        return cls(train_classifier(np.stack([row for row, _ in named]), numbers, len(NAMES), seed=seed))

    def scores(self, queries: Sequence[PhraseQuery], regions: PictureRegions) -> list[Floats | None]:
        numbers = [named_colour(query) for query in queries]
        if not any(number is not None for number in numbers):
            return [None] * len(queries)
        chances = regions.colours[:, _SHARES] if self.classifier is None else self.classifier.chances(regions.colours)
        columns = np.asarray(chances, dtype=np.float64)
        return [None if number is None else columns[:, number] for number in numbers]
