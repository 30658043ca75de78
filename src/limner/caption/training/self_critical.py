"""Self-critical training: captions that the model made itself, weighed by how much better than usual they are.

Rennie et al. (2017) compare a sampled caption with the model's own best one.
Here several captions of an image are sampled, and each is compared with the
mean of the others (Luo 2020): no second search is needed, and the comparison
is fairer the more there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch import Tensor

from limner.arrays import Floats
from limner.caption.models.region_batches import RegionBatch
from limner.caption.models.up_down import UpDown
from limner.learn.vocabulary import BOS, EOS
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


def sample_sentences(
    model: UpDown, regions: RegionBatch, n_samples: int, max_len: int
) -> tuple[list[list[int]], list[bool]]:
    """`n_samples` sentences for each image after each other, drawn from the model, and whether each has an end.

    Numbers of words, without beginning and end, at most `max_len`.
    """
    with torch.no_grad():
        decoder = model.decoder(regions)
        alive = torch.arange(len(regions.mask) * n_samples, device=regions.mask.device)
        state = {name: part[alive // n_samples] for name, part in decoder.state.items()}
        tokens = torch.full_like(alive, BOS)
        sentences: list[list[int]] = [[] for _ in alive]
        for _ in range(max_len):
            log_probs, state = decoder.step(tokens, state)
            tokens = torch.multinomial(log_probs.exp(), 1)[:, 0]
            # Sentences that have ended cost nothing more.
            going_on = tokens != EOS
            alive, tokens = alive[going_on], tokens[going_on]
            state = {name: part[going_on] for name, part in state.items()}
            for sentence, token in zip(alive.tolist(), tokens.tolist(), strict=True):
                sentences[sentence].append(token)
            if not len(alive):
                break
    unended = set(alive.tolist())
    return sentences, [at not in unended for at in range(len(sentences))]


def advantages(rewards: Tensor, n_samples: int) -> Tensor:
    """How much better each caption is than the mean of the other captions of its image."""
    by_image = rewards.reshape(-1, n_samples)
    others = (by_image.sum(dim=1, keepdim=True) - by_image) / (n_samples - 1)
    return (by_image - others).reshape(-1)


def reward_loss(log_probs: Tensor, mask: Tensor, weights: Tensor) -> Tensor:
    """The loss whose gradient raises the probability of captions by their weights, summed over words."""
    return -(log_probs * mask * weights.unsqueeze(1)).sum()


def _ended(words: Sequence[str]) -> str:
    return " ".join([*words, END])
