"""BLEU as programs written for pycocoevalcap call it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from limner.score import bleu
from limner.score.run import tokenised_run


class Bleu:
    """BLEU-1 to BLEU-n of captions that are tokens between spaces, by image id."""

    def __init__(self, n: int = 4) -> None:
        self._metric = bleu.Bleu(n)

    def compute_score(
        self, gts: Mapping[Any, Sequence[str]], res: Mapping[Any, Sequence[str]], verbose: int = 0
    ) -> tuple[list[float], list[list[float]]]:
        """The n values of all images together, and n lists of the images' own, in the order of `gts`.

        Nothing is printed; `verbose` is there for those who pass it.
        """
        found = self._metric.measure(tokenised_run(gts, res))
        return found.value().tolist(), found.per_image.T.tolist()

    def method(self) -> str:
        return "Bleu"
