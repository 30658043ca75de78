"""Self-critical training: captions that the model made itself, of which better ones are to become more probable.

Rennie et al. (2017) compare a sampled caption with the model's own best one.
Here the best captions that a beam search finds are compared with each other:
minimum risk over an n-best list (Edunov et al. 2018). These are the captions
that a search chooses from when the captioner is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from torch import Tensor

from limner.arrays import Floats, Integers
from limner.caption.search.beam_search import SearchResult
from limner.caption.search.hypotheses import place_in_run
from limner.learn.vocabulary import EOS
from limner.score.cider import Cider
from limner.score.document_frequencies import DocumentFrequencies, document_frequencies
from limner.score.run import Run

# A word that ends every sentence: without it, a caption that stops in the middle ("a dog in a") would lose nothing.
END = "<end>"


class CiderReward:
    """CIDEr-D of captions against an image's references, with document frequencies of all of them.

    `references` has lists of words for each image. The end of a sentence
    counts as a word.
    """

    def __init__(self, references: Sequence[Sequence[Sequence[str]]]) -> None:
        self._references = [[_ended(words) for words in image] for image in references]
        ids = [str(at) for at in range(len(references))]
        run = Run(ids, [END] * len(ids), self._references)
        self.frequencies: DocumentFrequencies = document_frequencies(run)

    def rewards(
        self, images: Iterable[int], captions: Sequence[Sequence[str]], ends: Sequence[bool] | None = None
    ) -> Floats:
        """The CIDEr-D of each caption, which is about the image at this position; 1 is as good as people are.

        Where `ends` is False, a caption was cut off, and has no end.
        """
        ids = [str(at) for at in range(len(captions))]
        has_end = [True] * len(captions) if ends is None else ends
        texts = [_ended(words) if end else " ".join(words) for words, end in zip(captions, has_end, strict=True)]
        run = Run(ids, texts, [self._references[at] for at in images])
        return np.asarray(Cider(self.frequencies).measure(run).per_image[:, 0])


class CandidateCaptions(NamedTuple):
    """The best captions of images by a model: numbers of words, whether each has an end, and its image's position."""

    numbers: list[list[int]]
    ends: list[bool]
    images: Integers


def candidate_captions(results: Sequence[SearchResult]) -> CandidateCaptions:
    """The captions that a search found for images; an image may have fewer than others."""
    sentences = [(at, result.tokens) for at, best in enumerate(results) for result in (best, *best.others)]
    ends = [tokens[-1] == EOS for _, tokens in sentences]
    numbers = [tokens[:-1] if has_end else tokens for (_, tokens), has_end in zip(sentences, ends, strict=True)]
    return CandidateCaptions(numbers, ends, np.array([at for at, _ in sentences]))


def expected_reward(log_probs: Tensor, rewards: Tensor, images: Tensor) -> Tensor:
    """The reward of a caption drawn from an image's candidates by their probabilities, summed over images.

    `images` has the position of each candidate's image; candidates of an image are together. Probabilities are those
    of the model, divided by their sum over the image's candidates.
    """
    n_images = int(images.max()) + 1
    column = place_in_run(images)
    by_image = log_probs.new_full((n_images, int(column.max()) + 1), -float("inf"))
    probabilities = by_image.index_put((images, column), log_probs).softmax(dim=1)[images, column]
    return (probabilities * rewards).sum()


def _ended(words: Sequence[str]) -> str:
    return " ".join([*words, END])
