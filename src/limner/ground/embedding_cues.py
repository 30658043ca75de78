"""Cues that compare vectors of phrases and regions: normalised CCA, and a network that was shown wrong regions too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limner.arrays import Floats
from limner.ground.phrase_queries import PhraseEncoder, PhraseQuery
from limner.ground.picture_regions import PictureRegions
from limner.learn.cca import NormalisedCCA
from limner.learn.ranking_network import RankingNetwork


class CcaCue:
    """The cosine of phrase and region in the space of normalised CCA; silent about phrases with no known word."""

    name = "cca"

    def __init__(self, cca: NormalisedCCA, encoder: PhraseEncoder) -> None:
        self._cca, self._encoder = cca, encoder

    def scores(self, queries: Sequence[PhraseQuery], regions: PictureRegions) -> list[Floats | None]:
        phrases = self._cca.transform_y(self._encoder.encode(queries))
        cosines = (phrases @ self._cca.transform(regions.descriptors()).T).astype(np.float64)
        return [row if self._encoder.knows(q) else None for row, q in zip(cosines, queries, strict=True)]


class MatchCue:
    """What a ranking network says, less the mean over all regions of the picture.

    It was trained to rank right regions above wrong ones, where CCA sees right
    ones only. It is silent about phrases with no known word.
    """

    name = "match"

    def __init__(self, network: RankingNetwork, encoder: PhraseEncoder) -> None:
        self._network, self._encoder = network, encoder

    def scores(self, queries: Sequence[PhraseQuery], regions: PictureRegions) -> list[Floats | None]:
        scores = self._network.score(regions.descriptors(), self._encoder.encode(queries)).astype(np.float64)
        scores -= scores.mean(axis=1, keepdims=True)
        return [row if self._encoder.knows(q) else None for row, q in zip(scores, queries, strict=True)]
