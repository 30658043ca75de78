"""Cues: what speaks for a region when a phrase is looked for. Any cue may be silent about a phrase.

`size` and `detector` are those of Plummer et al. (2016, eq. 1 and 2), `scene` is
that places fill the picture. Cues that are learnt are in modules of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np

from limner.arrays import Floats
from limner.corpus.classes.class_names import term_key
from limner.corpus.classes.class_words import built_in_synonyms
from limner.corpus.classes.detector_classes import DetectorClasses
from limner.ground.phrase_queries import PhraseQuery
from limner.ground.picture_regions import PictureRegions
from limner.vision.class_labels import is_class

# The numbers of a position: left, top, right, bottom, width, height, area.
_AREA = 6


class Cue(Protocol):
    """Scores regions for phrases."""

    @property
    def name(self) -> str: ...

    def scores(self, queries: Sequence[PhraseQuery], regions: PictureRegions) -> list[Floats | None]:
        """For each phrase a number for every region, more is better; None where the cue is silent."""


class SizeCue:
    """The share of the picture that a region covers: people speak of what is large."""

    name = "size"

    def scores(self, queries: Sequence[PhraseQuery], regions: PictureRegions) -> list[Floats | None]:
        shares = np.asarray(regions.position[:, _AREA], dtype=np.float64)
        return [shares] * len(queries)


class SceneCue:
    """How much of the picture a region covers, for phrases of places alone; silent about all others."""

    name = "scene"

    def scores(self, queries: Sequence[PhraseQuery], regions: PictureRegions) -> list[Floats | None]:
        # The IoU of a region with the whole picture is its share of it; squared, the whole stands out.
        shares = np.asarray(regions.position[:, _AREA], dtype=np.float64) ** 2
        return [shares if "scene" in query.types else None for query in queries]


class DetectorCue:
    """The best detection of the phrase's class: its score times IoU; silent about phrases that name no class."""

    name = "detector"

    def __init__(self, class_names: Sequence[str]) -> None:
        self.class_names = tuple(class_names)
        named = [name for name in class_names if is_class(name)]
        self._classes = DetectorClasses(named) if named else None
        self._numbers: dict[str, list[int]] = {}
        for number, name in enumerate(class_names):
            self._numbers.setdefault(name, []).append(number)
        self._find = lru_cache(maxsize=1 << 14)(self._find_classes)

    def scores(self, queries: Sequence[PhraseQuery], regions: PictureRegions) -> list[Floats | None]:
        return [self._score(query, regions) for query in queries]

    def classes(self, query: PhraseQuery) -> tuple[str, ...]:
        """The classes that a phrase may mean: those of its noun, or of the last two words before its end."""
        return self._find(query.noun, " ".join(query.words[-2:]))

    def _score(self, query: PhraseQuery, regions: PictureRegions) -> Floats | None:
        numbers = [number for name in self.classes(query) for number in self._numbers[name]]
        if not numbers:
            return None
        return np.asarray(regions.classes[:, numbers].max(axis=1), dtype=np.float64)

    def _find_classes(self, *names: str) -> tuple[str, ...]:
        if self._classes is None:
            return ()
        for name in reversed(names):
            meant = self._classes.find(name) if name else None
            if meant is not None:
                return (meant.name,)
        # A "bike" may be a bicycle or a motorcycle: either will do.
        terms = built_in_synonyms().terms
        for name in reversed(names):
            term = terms.get(term_key(name)) if name else None
            listed = [found.name for label in (term.classes if term else ()) if (found := self._classes.find(label))]
            if listed:
                return tuple(dict.fromkeys(listed))
        return ()
