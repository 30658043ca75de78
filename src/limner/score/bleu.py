"""BLEU-1 to BLEU-n (Papineni et al. 2002), as the COCO evaluation computes it.

Matches and lengths are summed over the images first: the score of a corpus is
not the mean of its images'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limner.arrays import Floats, Integers
from limner.score.metric import SHARE, Choices, Metric, Statistics
from limner.score.ngrams import Sentences, matches, ngram_sentences
from limner.score.run import Run

# Added to matches and to the captions' length, as the COCO evaluation does: no root of 0 and equal figures.
TINY = 1e-15

# Added to what these are divided by, for the same reason.
SMALL = 1e-9


@dataclass(frozen=True, slots=True)
class Bleu(Metric):
    """The geometric mean of the precisions of 1-grams up to n-grams, times a penalty for captions that are too short.

    The length to reach is that of the reference closest in length, of two
    that are as close the shorter.
    """

    n: int = 4

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"an n-gram has at least one word, not {self.n}")

    @property
    def name(self) -> str:
        return "bleu"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"bleu{k}" for k in range(1, self.n + 1))

    def measure(self, run: Run) -> Statistics:
        """Of each image its matches, its n-grams (both for 1 to n), its length and its references'."""
        _, sentences = ngram_sentences(run)
        length, closest = _lengths(sentences)
        n_grams = np.maximum(length[:, None] - np.arange(self.n), 0)
        rows = np.concatenate([matches(sentences, self.n), n_grams, length[:, None], closest[:, None]], axis=1)
        rows = rows.astype(np.float64)
        choices: Choices = {"n": self.n, "length": "closest", "smoothing": "1e-15/1e-9"}
        return Statistics(rows, _bleu, _bleu(rows), choices, ranges=[SHARE] * self.n)


def _bleu(sums: Floats) -> Floats:
    """BLEU-1 to BLEU-n of sums of rows."""
    n = sums.shape[-1] // 2 - 1
    precisions = (sums[..., :n] + TINY) / (sums[..., n : 2 * n] + SMALL)
    means = np.cumprod(precisions, axis=-1) ** (1.0 / np.arange(1, n + 1))
    ratio = (sums[..., -2] + TINY) / (sums[..., -1] + SMALL)
    return np.asarray(means * np.exp(np.minimum(1.0 - 1.0 / ratio, 0.0))[..., None], dtype=np.float64)


def _lengths(sentences: Sentences) -> tuple[Integers, Integers]:
    """The length of each image's caption, and of the reference closest to it."""
    lengths = sentences.lengths
    length = lengths[sentences.groups[:-1]]
    if not len(length):
        return length, length
    away = np.abs(lengths - length[sentences.image_of])
    # The least distance, and then the least length, by one number; a caption is no reference of its own.
    scale = int(lengths.max()) + 1
    both = np.where(sentences.is_caption, scale * scale, away * scale + lengths)
    return length, np.minimum.reduceat(both, sentences.groups[:-1]) % scale
