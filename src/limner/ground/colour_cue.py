"""The colour cue (Plummer et al. 2016, eq. 3): how likely a region has the colour that a phrase names."""

from __future__ import annotations

from collections.abc import Sequence

from limner.arrays import Floats
from limner.ground.colour_classifiers import ColourClassifiers, named_colour
from limner.ground.phrase_queries import PhraseQuery
from limner.ground.picture_regions import PictureRegions


class ColourCue:
    """The probability of the phrase's colour, by the one of two classifiers that is used.

    Without any it is the share of the region's pixels that have the colour.
    """

    name = "colour"

    def __init__(self, classifiers: ColourClassifiers | None = None) -> None:
        self.classifiers = classifiers or ColourClassifiers()

    def scores(self, queries: Sequence[PhraseQuery], regions: PictureRegions) -> list[Floats | None]:
        numbers = [named_colour(query) for query in queries]
        if not any(number is not None for number in numbers):
            return [None] * len(queries)
        chances = self.classifiers.chances(regions)
        return [None if number is None else chances[:, number] for number in numbers]
