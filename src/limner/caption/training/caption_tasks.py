"""What a captioner learns, as tasks of the training loop: people's captions word by word, then to please CIDEr."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from limner.arrays import Integers
from limner.caption.captioner_config import DecodingSettings
from limner.caption.models.caption_model import CaptionModel
from limner.caption.models.region_batches import RegionBatch
from limner.caption.training.caption_pairs import CaptionNumbers, RegionTable, sentence_batch
from limner.caption.training.free_search import search_freely
from limner.caption.training.held_out_cider import HeldOutImages
from limner.caption.training.self_critical import (
    CandidateCaptions,
    CiderReward,
    candidate_captions,
    expected_reward,
)
from limner.caption.training.word_loss import smoothed_cross_entropy
from limner.learn.length_batches import LengthBatches
from limner.learn.torch.training_stage import BatchLoss
from limner.learn.vocabulary import Vocabulary

# Captions of the model's own that are read together: of like length, so that little is padding.
CHUNK = 64


@dataclass(frozen=True)
class WordTask:
    """The next word of people's captions, given those before it: cross-entropy, which is summed over words.

    `smoothing` is the share of probability that the target spreads over all words.
    """

    model: CaptionModel
    regions: RegionTable
    captions: CaptionNumbers
    held_out: HeldOutImages
    order: LengthBatches
    smoothing: float = 0.0

    def batches(self, epoch: int) -> Sequence[Integers]:
        return self.order.epoch(epoch)

    def loss(self, batch: Any, rank: int, n_ranks: int) -> BatchLoss:
        n_items = int(self.order.lengths[batch].sum())
        rows = batch[rank::n_ranks]
        if not len(rows):
            return BatchLoss(no_loss(self.model), n_items)
        sentences = self.captions.batch(rows).to(self.model.device)
        regions = self.regions.batch(self.captions.images[rows]).to(self.model.device)
        scores = self.model(regions, sentences.tokens)
        loss = smoothed_cross_entropy(scores, sentences.targets, sentences.mask, self.smoothing)
        return BatchLoss(loss, n_items)

    def validate(self) -> dict[str, float]:
        return self.held_out.figures(self.model)


@dataclass(frozen=True)
class SelfCriticalTask:
    """The model's own best captions of images: the expected CIDEr of one drawn from them, to be maximised.

    Items are images. There is no dropout. Memory grows with the images of a batch times `n_candidates`.
    """

    model: CaptionModel
    regions: RegionTable
    reward: CiderReward
    held_out: HeldOutImages
    order: LengthBatches
    vocabulary: Vocabulary
    n_candidates: int
    decoding: DecodingSettings

    def batches(self, epoch: int) -> Sequence[Integers]:
        return self.order.epoch(epoch)

    def loss(self, batch: Any, rank: int, n_ranks: int) -> BatchLoss:
        rows = batch[rank::n_ranks]
        if not len(rows):
            return BatchLoss(no_loss(self.model), len(batch))
        self.model.eval()
        device = self.model.device
        regions = self.regions.batch(rows).to(device)
        results = search_freely(self.model, regions, len(self.vocabulary), self.decoding, n_best=self.n_candidates)
        captions = candidate_captions(results)
        words = [self.vocabulary.text(numbers) for numbers in captions.numbers]
        rewards = torch.from_numpy(self.reward.rewards(rows[captions.images], words, captions.ends)).float().to(device)
        log_probs = self._log_probs(regions, captions)
        return BatchLoss(-expected_reward(log_probs, rewards, torch.from_numpy(captions.images).to(device)), len(batch))

    def _log_probs(self, regions: RegionBatch, captions: CandidateCaptions) -> Tensor:
        """The log-probability of each caption, with gradients."""
        order = np.argsort([len(numbers) for numbers in captions.numbers], kind="stable")
        parts = []
        for chunk in np.array_split(order, -(-len(order) // CHUNK)):
            numbers, ends = [captions.numbers[at] for at in chunk], [captions.ends[at] for at in chunk]
            sentences = sentence_batch(numbers, ends=ends).to(self.model.device)
            images = torch.from_numpy(captions.images[chunk])
            log_probs = self.model.log_probs(regions.take(images), sentences.tokens)
            # Padding behind a sentence may have no probability at all, which times 0 would be no number.
            said = log_probs.gather(2, sentences.targets.unsqueeze(2)).squeeze(2).masked_fill(sentences.mask == 0, 0.0)
            parts.append(said.sum(dim=1))
        return torch.cat(parts)[torch.from_numpy(np.argsort(order))]

    def validate(self) -> dict[str, float]:
        return self.held_out.figures(self.model)


def no_loss(model: nn.Module) -> Tensor:
    """A loss of 0 that still has a gradient: this process has no share of a small batch."""
    return sum((parameter.sum() * 0.0 for parameter in model.parameters()), start=torch.zeros(()))
