"""Self-critical training: captions that the model made itself, of which better ones are to become more probable.

Rennie et al. (2017) compare a sampled caption with the model's own best one.
Here the best captions that a beam search finds are compared with each other
(minimum risk training, Shen et al. 2016): they are what the captioner chooses
from when it is used, and far better than samples, most of which have a word
that does not fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from limner.arrays import Floats, Integers
from limner.caption.search.beam_search import SearchResult
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

    def rewards(self, images: Iterable[int], captions: Sequence[Sequence[str]]) -> Floats:
        """The CIDEr-D of each caption, which is about the image at this position; 1 is as good as people are."""
        ids = [str(at) for at in range(len(captions))]
        run = Run(ids, [_ended(words) for words in captions], [self._references[at] for at in images])
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
    rank = torch.arange(len(images), device=images.device) - torch.searchsorted(images, images)
    by_image = log_probs.new_full((n_images, int(rank.max()) + 1), -float("inf")).index_put((images, rank), log_probs)
    probabilities = by_image.softmax(dim=1)[images, rank]
    return (probabilities * rewards).sum()


def _ended(words: Sequence[str]) -> str:
    return " ".join([*words, END])
