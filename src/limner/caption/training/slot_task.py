"""People's captions with slots, as a task of the training loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from limner.arrays import Integers
from limner.caption.models.neural_baby_talk import NeuralBabyTalk
from limner.caption.models.region_batches import RegionBatch
from limner.caption.training.caption_pairs import RegionTable
from limner.caption.training.caption_tasks import no_loss
from limner.caption.training.held_out_cider import HeldOutImages
from limner.caption.training.slot_targets import SlotBatch, SlottedCaptions
from limner.caption.training.word_loss import smoothed_cross_entropy
from limner.learn.length_batches import LengthBatches
from limner.learn.torch.training_stage import BatchLoss
from limner.learn.vocabulary import EOS


@dataclass(frozen=True)
class SlotTask:
    """The next word of people's captions, given those before it: from the text, or from slots where it is tied.

    `smoothing` is the share of probability that a word of the text spreads over all of them.
    """

    model: NeuralBabyTalk
    regions: RegionTable
    captions: SlottedCaptions
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
        regions = self.regions.batch(self.captions.images[rows]).to(self.model.device)
        captions = self.captions.batch(rows, regions.mask.shape[1]).to(self.model.device)
        return BatchLoss(slot_loss(self.model, regions, captions, self.smoothing), n_items)

    def validate(self) -> dict[str, float]:
        return self.held_out.figures(self.model)


def slot_loss(model: NeuralBabyTalk, regions: RegionBatch, captions: SlotBatch, smoothing: float = 0.0) -> Tensor:
    """The loss of captions, summed over their words.

    A word of the text costs −log s · P_text(word); a slot −log Σ p(r) ·
    P(word | r) over the regions r that are tied to it, where P(word | r) is 1
    for a region whose class lacks the word.
    """
    sentences = captions.sentences
    words, _ = model.run(regions, sentences.tokens)
    targets, mask = sentences.targets.flatten(), sentences.mask.flatten()
    # What slots alone say is no word of the text; its place is masked.
    text_targets = targets.masked_fill(mask == 0, EOS)
    text = smoothed_cross_entropy(model.text_scores(words), text_targets, mask, smoothing)
    sentinel = -(words.pointing.sentinel * mask).sum()
    if not len(captions.at):
        return text + sentinel
    slots = words.take(captions.at)
    said, _ = model.form_log_probs(slots, targets[captions.at])
    tied = (slots.pointing.regions + said).masked_fill(~captions.tied, -float("inf"))
    return text + sentinel - torch.logsumexp(tied, dim=1).sum()
