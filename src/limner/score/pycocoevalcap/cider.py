"""CIDEr-D as programs written for pycocoevalcap call it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from limner.arrays import Floats
from limner.errors import LimnerError
from limner.score import cider
from limner.score.document_frequencies import DocumentFrequencies, N
from limner.score.run import tokenised_run


class Cider:
    """CIDEr-D of captions that are tokens between spaces, by image id.

    `test` and `refs` are for those who pass them: they never had a part in
    the score. `df` are document frequencies counted before.
    """

    def __init__(
        self,
        test: object = None,
        refs: object = None,
        n: int = N,
        sigma: float = 6.0,
        df: DocumentFrequencies | None = None,
    ) -> None:
        if n != N:
            raise LimnerError(f"CIDEr is made of n-grams of 1 to {N} words, not to {n}; leave n out")
        self._metric = cider.Cider(df, sigma)

    def compute_score(
        self, gts: Mapping[Any, Sequence[str]], res: Mapping[Any, Sequence[str]]
    ) -> tuple[np.float64, Floats]:
        """The mean over images, and the images' own values, in the order of `gts`; warns where they mean nothing."""
        found = self._metric.measure(tokenised_run(gts, res))
        for warning in found.warnings:
            warnings.warn(warning, stacklevel=2)
        return np.float64(found.value()[0]), found.per_image[:, 0]

    def method(self) -> str:
        return "CIDEr"
