"""ROUGE-L as programs written for pycocoevalcap call it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from limner.arrays import Floats
from limner.score.rouge_l import RougeL
from limner.score.run import Run, tokenised_run


class Rouge:
    """ROUGE-L of captions that are tokens between single spaces, by image id."""

    def __init__(self) -> None:
        self.beta = 1.2

    def calc_score(self, candidate: Sequence[str], refs: Sequence[str]) -> float:
        """The value of one caption, in a list, against its references."""
        (caption,) = candidate
        return float(RougeL(self.beta).measure(Run(["0"], [caption], [refs])).value()[0])

    def compute_score(
        self, gts: Mapping[Any, Sequence[str]], res: Mapping[Any, Sequence[str]]
    ) -> tuple[np.float64, Floats]:
        """The mean over images, and the images' own values, in the order of `gts`."""
        found = RougeL(self.beta).measure(tokenised_run(gts, res))
        return np.float64(found.value()[0]), found.per_image[:, 0]

    def method(self) -> str:
        return "Rouge"
