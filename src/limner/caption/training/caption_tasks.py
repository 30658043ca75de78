"""What a captioner learns, as tasks of the training loop: people's captions word by word, then to please CIDEr."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from limner.arrays import Integers
from limner.caption.models.up_down import UpDown
from limner.caption.training.caption_pairs import CaptionNumbers, RegionTable, sentence_batch
from limner.caption.training.held_out_cider import HeldOutImages
from limner.caption.training.self_critical import CiderReward, advantages, reward_loss, sample_sentences
from limner.caption.training.word_loss import sayable_log_probs, smoothed_cross_entropy
from limner.learn.length_batches import LengthBatches
from limner.learn.torch.training_stage import BatchLoss
from limner.learn.vocabulary import Vocabulary

# Captions of the model's own that are looked at together.
CHUNK = 64


@dataclass(frozen=True)
class WordTask:
    """The next word of people's captions, given those before it: cross-entropy, which is summed over words.

    `smoothing` is the share of probability that the target spreads over all words.
    """

    model: UpDown
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
            return BatchLoss(_nothing(self.model), n_items)
        sentences = self.captions.batch(rows).to(self.model.device)
        regions = self.regions.batch(self.captions.images[rows]).to(self.model.device)
        scores = self.model(regions, sentences.tokens)
        loss = smoothed_cross_entropy(scores, sentences.targets, sentences.mask, self.smoothing)
        return BatchLoss(loss, n_items)

    def validate(self) -> dict[str, float]:
        return self.held_out.figures(self.model)


@dataclass(frozen=True)
class SelfCriticalTask:
    """Captions that the model samples, weighed by how much better by CIDEr they are than others of the same image.

    Items are captions, whose loss is by a word of a caption of `mean_length`,
    people's: so learning rates are alike in both stages. They are drawn from the model as it is used, without
    dropout, and learnt with it.
    """

    model: UpDown
    regions: RegionTable
    reward: CiderReward
    held_out: HeldOutImages
    order: LengthBatches
    vocabulary: Vocabulary
    n_samples: int
    max_len: int
    mean_length: float

    def batches(self, epoch: int) -> Sequence[Integers]:
        return self.order.epoch(epoch)

    def loss(self, batch: Any, rank: int, n_ranks: int) -> BatchLoss:
        n_items = len(batch) * self.n_samples
        rows = batch[rank::n_ranks]
        if not len(rows):
            return BatchLoss(_nothing(self.model), n_items)
        self.model.eval()
        regions = self.regions.batch(rows).to(self.model.device)
        numbers, ends = sample_sentences(self.model, regions, self.n_samples, self.max_len)
        # Few images are soon learnt by heart without dropout.
        self.model.train()
        words = [self.vocabulary.text(sentence) for sentence in numbers]
        rewards = torch.from_numpy(self.reward.rewards(np.repeat(rows, self.n_samples), words)).float()
        weights = advantages(rewards, self.n_samples).to(self.model.device)
        # Sentences of like length together: little of a chunk is padding.
        order = np.argsort([len(sentence) for sentence in numbers], kind="stable")
        total = weights.new_zeros(())
        for chunk in np.array_split(order, -(-len(order) // CHUNK)):
            sentences = sentence_batch([numbers[at] for at in chunk], ends=[ends[at] for at in chunk])
            sentences = sentences.to(self.model.device)
            scores = self.model(regions.take(torch.from_numpy(chunk // self.n_samples)), sentences.tokens)
            said = sayable_log_probs(scores).gather(2, sentences.targets.unsqueeze(2)).squeeze(2)
            total = total + reward_loss(said, sentences.mask, weights[torch.from_numpy(chunk)])
        return BatchLoss(total / self.mean_length, n_items)

    def validate(self) -> dict[str, float]:
        return self.held_out.figures(self.model)


def _nothing(model: nn.Module) -> torch.Tensor:
    """A loss of 0 that still has a gradient: this process has no share of a small batch."""
    return sum((parameter.sum() * 0.0 for parameter in model.parameters()), start=torch.zeros(()))
