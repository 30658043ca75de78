"""CIDEr-D and CIDEr (Vedantam, Zitnick & Parikh 2015).

What is reported as "CIDEr" nearly everywhere is CIDEr-D, and so it is here:
`Cider` is CIDEr-D, `PlainCider` the measure without the D. Both weigh n-grams
by how few images have them: those of the run, or document frequencies that
were counted before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from limner.arrays import Floats
from limner.errors import LimnerError
from limner.score.document_frequencies import DocumentFrequencies, N, document_frequencies
from limner.score.metric import Choices, Metric, Scope, Settings, Statistics, means
from limner.score.ngrams import Sentences, cosines, ngram_sentences
from limner.score.run import Run

# What the mean cosine is multiplied by, as the published figures are.
SCALE = 10.0

# The advice in a warning, by which others know it.
GIVE_FREQUENCIES = "give document frequencies"

# Document frequencies that were counted before; None for those of the images that are scored together; `corpus` for
# those of the whole run, for its subsets too.
Frequencies = DocumentFrequencies | Literal["corpus"] | None


@dataclass(frozen=True, slots=True)
class _Cider(Metric):
    """What both have: document frequencies, without which an image's value depends on the others'."""

    df: Frequencies = None

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def scope(self) -> Scope:
        if self.df is None:
            return "frequencies"
        return "corpus" if isinstance(self.df, str) else "image"

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(None if settings.df == "run" else settings.df)


@dataclass(frozen=True, slots=True)
class Cider(_Cider):
    """CIDEr-D: the mean cosine of a caption and its references, clipped, and less the more they differ in length.

    `sigma` is the standard deviation of the penalty on the difference in
    length. Without `df` the document frequencies are those of the run's own
    references, so that an image's value depends on the others. `is_of_run`
    says that `df` are the same: the run is a share of a larger one, whose
    frequencies these are.
    """

    sigma: float = 6.0
    is_of_run: bool = False

    def __post_init__(self) -> None:
        _check(self.df)
        if not self.sigma > 0.0:
            raise ValueError(f"sigma is {self.sigma}; it is a standard deviation, above 0")

    @property
    def name(self) -> str:
        return "cider"

    def with_frequencies(self, df: DocumentFrequencies) -> Metric:
        return replace(self, df=df, is_of_run=self.df is None)

    def measure(self, run: Run) -> Statistics:
        return _measured(run, self, {"variant": "D", "n": N, "sigma": self.sigma}, self.sigma)


@dataclass(frozen=True, slots=True)
class PlainCider(_Cider):
    """CIDEr without clipping and without a penalty on length: the mean cosine of a caption and its references.

    Words are compared as they are, without stemming, and the mean is
    multiplied by 10, as in its authors' program.
    """

    is_of_run: bool = False

    def __post_init__(self) -> None:
        _check(self.df)

    @property
    def name(self) -> str:
        return "cider-plain"

    def with_frequencies(self, df: DocumentFrequencies) -> Metric:
        return replace(self, df=df, is_of_run=self.df is None)

    def measure(self, run: Run) -> Statistics:
        return _measured(run, self, {"variant": "plain", "n": N, "stemming": "none"}, None)


def _check(df: Frequencies) -> None:
    if isinstance(df, DocumentFrequencies) and (df.n_images < 1 or df.counts.n < N):
        raise LimnerError(f"{df!r} are too few for CIDEr; count n-grams of up to {N} words over some images")


def _measured(run: Run, metric: Cider | PlainCider, choices: Choices, sigma: float | None) -> Statistics:
    df = document_frequencies(run) if isinstance(metric.df, str) else metric.df
    is_of_run = df is None or metric.is_of_run
    words, sentences = ngram_sentences(run)
    n_images = len(run) if df is None else df.n_images
    given = None if df is None else df.counts.numbered(words, N)
    # Each order of n-grams counts the same, however many n-grams it has.
    similar = cosines(sentences, N, n_images, given, is_clipped=sigma is not None).mean(axis=1)
    if sigma is not None:
        similar *= np.exp(-(_differences(sentences) ** 2) / (2.0 * sigma**2))
    values = np.add.reduceat(similar, sentences.groups[:-1]) / sentences.n_references * SCALE if len(run) else similar
    source: Choices = {"df": "run"} if df is None or is_of_run else {"df": df.digest, "df_images": df.n_images}
    # Cosines of weights that are not negative lie between 0 and 1.
    statistics = means(values, {**choices, **source}, depends_on_run=is_of_run, value_range=(0.0, SCALE))
    return replace(statistics, warnings=tuple(_warnings(run, df)))


def _differences(sentences: Sentences) -> Floats:
    """By how many pairs of neighbouring words each sentence is shorter than its image's caption."""
    n_pairs = np.maximum(sentences.lengths - 1, 0)
    return (n_pairs[sentences.groups[:-1]][sentences.image_of] - n_pairs).astype(np.float64)


def _warnings(run: Run, df: DocumentFrequencies | None) -> list[str]:
    if (len(run) if df is None else df.n_images) == 1:
        reason = "its n-grams are in every image, and weigh nothing"
        return [f"CIDEr of one image is 0 whatever is written: {reason}; {GIVE_FREQUENCIES}"]
    if df is not None and df.tokeniser != run.tokeniser_name:
        return [f"the document frequencies are of words by {df.tokeniser!r}, the captions' by {run.tokeniser_name!r}"]
    return []
