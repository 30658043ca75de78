"""The position cue: where in a picture, and how large, things of a type and noun usually are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Floats, Indices
from limner.ground.phrase_model import TYPES
from limner.ground.phrase_queries import PhraseQuery
from limner.ground.picture_regions import PictureRegions

# Edges of bins: of the centre across, of the centre down, of the square root of the area; all as shares.
CENTRE_EDGES = (0.2, 0.4, 0.6, 0.8)
SIDE_EDGES = (0.1, 0.18, 0.28, 0.4, 0.55, 0.75, 0.92)
N_CENTRES, N_SIDES = len(CENTRE_EDGES) + 1, len(SIDE_EDGES) + 1
N_BINS = N_CENTRES * N_CENTRES * N_SIDES

# Nouns that were met less often than this share the prior of their type.
FEWEST_MENTIONS = 20

# How strongly counts are drawn to those of the type, and types to all regions: as much as so many regions.
SHRINKAGE = 30.0

# Log odds beyond this say no more.
MOST_ODDS = 4.0


def position_bins(position: NDArray[Any]) -> Indices:
    """The bin of each region by its position, `[regions, 8]` as features give it."""
    x = (position[:, 0] + position[:, 2]) / 2
    y = (position[:, 1] + position[:, 3]) / 2
    side = np.sqrt(np.maximum(position[:, 6], 0.0))
    across, down = np.digitize(x, CENTRE_EDGES), np.digitize(y, CENTRE_EDGES)
    return np.asarray((across * N_CENTRES + down) * N_SIDES + np.digitize(side, SIDE_EDGES), dtype=np.intp)


class PositionCue:
    """The log odds that a region's place and size are those of the phrase's noun, against any proposal's."""

    name = "position"

    def __init__(self, odds: Mapping[str, Floats]) -> None:
        self.odds = dict(odds)

    @classmethod
    def learn(cls, said: Sequence[tuple[PhraseQuery, int]], proposed: Floats) -> PositionCue:
        """The cue of phrases, each with the bin of its region, and of how many proposals are in each bin."""
        by_name: dict[str, Floats] = {}
        counts: Counter[str] = Counter()
        for query, number in said:
            for name in (*query.types, f"noun:{query.noun}"):
                by_name.setdefault(name, np.zeros(N_BINS))[number] += 1.0
            counts[query.noun] += 1
        background = _smoothed(proposed + 1.0, np.full(N_BINS, 1.0 / N_BINS))
        every = sum((by_name[name] for name in TYPES if name in by_name), np.zeros(N_BINS))
        of_all = _smoothed(every, background)
        of_types = {name: _smoothed(by_name[name], of_all) if name in by_name else of_all for name in TYPES}
        odds = {name: _odds(share, background) for name, share in of_types.items()}
        first_type: dict[str, str] = {}
        for query, _ in said:
            first_type.setdefault(query.noun, query.types[0])
        for noun, n in sorted(counts.items()):
            if n >= FEWEST_MENTIONS:
                odds[f"noun:{noun}"] = _odds(_smoothed(by_name[f"noun:{noun}"], of_types[first_type[noun]]), background)
        return cls(odds)

    def scores(self, queries: Sequence[PhraseQuery], regions: PictureRegions) -> list[Floats | None]:
        bins = position_bins(regions.position)
        return [self._of(query)[bins] for query in queries]

    def _of(self, query: PhraseQuery) -> Floats:
        by_noun = self.odds.get(f"noun:{query.noun}")
        return by_noun if by_noun is not None else np.mean([self.odds[name] for name in query.types], axis=0)


def _smoothed(counts: Floats, prior: Floats) -> Floats:
    return np.asarray((counts + SHRINKAGE * prior) / (counts.sum() + SHRINKAGE), dtype=np.float64)


def _odds(share: Floats, background: Floats) -> Floats:
    return np.clip(np.log(share / background), -MOST_ODDS, MOST_ODDS)
