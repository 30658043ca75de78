"""The scorers and the tokeniser of pycocoevalcap, under their own names.

Captions are tokens between single spaces, by image id. `compute_score` answers
with the value of all images and with the images' own, in the order of `gts`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from limner.arrays import Floats
from limner.errors import LimnerError, shown
from limner.score import bleu, cider
from limner.score.document_frequencies import DocumentFrequencies, N
from limner.score.meteor import meteor_metric
from limner.score.meteor.meteor_sources import no_tables
from limner.score.meteor.meteor_tables import MODULES
from limner.score.rouge_l import RougeL
from limner.score.run import Run, tokenised_run
from limner.score.spice.original_spice import OriginalSpice
from limner.score.spice.scene_graph import CATEGORIES, Counts
from limner.score.spice.spice_metric import SpiceStar
from limner.text.ptb import tokenise

Id = TypeVar("Id", bound=Hashable)


class PTBTokenizer:
    """Captions to tokens, as `pycocoevalcap.tokenizer.ptbtokenizer.PTBTokenizer` does it."""

    def tokenize(self, captions_for_image: Mapping[Id, Sequence[Mapping[str, Any]]]) -> dict[Id, list[str]]:
        """For each image its captions, tokens between spaces; given as `{id: [{"caption": text}, …]}`.

        The captions are taken as the lines of one file, in the order given.
        Images without captions are left out, and no caption is ever put with
        another's image.
        """
        ids = [id for id, captions in captions_for_image.items() for _ in captions]
        said = [record["caption"] for captions in captions_for_image.values() for record in captions]
        for id, caption in zip(ids, said, strict=True):
            if not isinstance(caption, str):
                raise LimnerError(f"image {shown(id)} has a caption that is no text: {shown(caption)}")
        tokenised: dict[Id, list[str]] = {}
        for id, tokens in zip(ids, tokenise(said, as_one_file=True), strict=True):
            tokenised.setdefault(id, []).append(tokens)
        return tokenised


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
        statistics = self._metric.measure(tokenised_run(gts, res))
        return statistics.value().tolist(), statistics.per_image.T.tolist()

    def method(self) -> str:
        return "Bleu"


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
        statistics = RougeL(self.beta).measure(tokenised_run(gts, res))
        return np.float64(statistics.value()[0]), statistics.per_image[:, 0]

    def method(self) -> str:
        return "Rouge"


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
        statistics = self._metric.measure(tokenised_run(gts, res))
        for warning in statistics.warnings:
            warnings.warn(warning, stacklevel=2)
        return np.float64(statistics.value()[0]), statistics.per_image[:, 0]

    def method(self) -> str:
        return "CIDEr"


class Meteor:
    """METEOR of captions that are tokens between single spaces, by image id."""

    def __init__(self) -> None:
        self._metric = meteor_metric.Meteor()

    def compute_score(
        self, gts: Mapping[Any, Sequence[str]], res: Mapping[Any, Sequence[str]]
    ) -> tuple[float, list[float]]:
        """The value of all images together, and the images' own, in the order of `gts`."""
        if self._metric.tables.modules != MODULES:
            raise no_tables()
        # The reference tool parts what it is given at |||, and takes these out of captions.
        said = {id: [text.replace("|||", "") for text in texts] for id, texts in res.items()}
        statistics = self._metric.measure(tokenised_run(gts, said))
        return float(statistics.value()[0]), statistics.per_image[:, 0].tolist()

    def method(self) -> str:
        return "METEOR"


class Spice:
    """SPICE* of captions that are tokens between spaces, by image id.

    With `original`, the folder of the original program, it is SPICE. Other
    arguments are those of `SpiceStar`.
    """

    def __init__(self, *, original: Path | None = None, **arguments: Any) -> None:
        self._original = None if original is None else OriginalSpice(original, **arguments)
        self._star = SpiceStar(**arguments) if original is None else None

    def compute_score(
        self, gts: Mapping[Any, Sequence[str]], res: Mapping[Any, Sequence[str]]
    ) -> tuple[np.float64, list[dict[str, dict[str, float]]]]:
        """The mean of F over images, and each image's scores by category, in the order of sorted ids.

        A category has `pr`, `re` and `f`, NaN where neither the caption nor
        the references speak of it, and the numbers `tp`, `fp` and `fn`.
        """
        ids = sorted(gts)
        run = tokenised_run({id: gts[id] for id in ids}, res)
        scores: list[dict[str, dict[str, float]]] = []
        if self._original is not None:
            scores = self._original.breakdown(run)
        elif self._star is not None:
            for warning in self._star.warnings(run):
                warnings.warn(warning, stacklevel=2)
            scores = [_scores(counts) for counts in self._star.breakdown(run.candidates, run.references)]
        values = [of_image["All"]["f"] for of_image in scores]
        return np.float64(sum(values) / len(values) if values else math.nan), scores

    def method(self) -> str:
        return "SPICE*" if self._original is None else "SPICE"


# The original calls other categories by their names with a capital.
CATEGORY_NAMES = {"count": "Cardinality"}


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
