"""SPICE* as programs written for pycocoevalcap call SPICE, and SPICE itself where the user has its program."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from limner.score.run import tokenised_run
from limner.score.spice.original_spice import OriginalSpice
from limner.score.spice.scene_graph import CATEGORIES, Counts
from limner.score.spice.spice_metric import SpiceStar

CATEGORY_NAMES = {"count": "Cardinality"}
"""What the original calls a category otherwise than by its name with a capital."""


class Spice:
    """SPICE* of captions that are tokens between spaces, by image id.

    With `original`, the folder of the original program, it is SPICE. Other
    arguments are those of `SpiceStar`.
    """

    def __init__(self, *, original: Path | None = None, **arguments: Any) -> None:
        self._metric = SpiceStar(**arguments) if original is None else OriginalSpice(original, **arguments)

    def compute_score(
        self, gts: Mapping[Any, Sequence[str]], res: Mapping[Any, Sequence[str]]
    ) -> tuple[np.float64, list[dict[str, dict[str, float]]]]:
        """The mean of F over images, and each image's scores by category, in the order of sorted ids.

        A category has `pr`, `re` and `f`, NaN where neither the caption nor
        the references speak of it, and the numbers `tp`, `fp` and `fn`.
        """
        ids = sorted(gts)
        run = tokenised_run({id: gts[id] for id in ids}, res)
        if isinstance(self._metric, OriginalSpice):
            scores = self._metric.breakdown(run)
        else:
            for warning in self._metric.warnings(run):
                warnings.warn(warning, stacklevel=2)
            scores = [_scores(counts) for counts in self._metric.breakdown(run.candidates, run.references)]
        values = [one["All"]["f"] for one in scores]
        return np.float64(sum(values) / len(values) if values else math.nan), scores

    def method(self) -> str:
        return "SPICE" if isinstance(self._metric, OriginalSpice) else "SPICE*"


def _scores(counts: Mapping[str, Counts]) -> dict[str, dict[str, float]]:
    return {
        CATEGORY_NAMES.get(category, category.capitalize()): _score(counts.get(category)) for category in CATEGORIES
    }


def _score(counts: Counts | None) -> dict[str, float]:
    if counts is None:
        return {"pr": math.nan, "re": math.nan, "f": math.nan, "fn": 0.0, "numImages": 1.0, "fp": 0.0, "tp": 0.0}
    return {
        "pr": counts.precision,
        "re": counts.recall,
        "f": counts.f,
        "fn": float(max(counts.expected - counts.matched, 0)),
        "numImages": 1.0,
        "fp": float(counts.said - counts.matched),
        "tp": float(counts.matched),
    }
