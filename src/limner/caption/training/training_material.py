"""What the stages of a captioner's training share: model, regions, captions, and what tells one run from another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import msgspec
import numpy as np
import torch
from msgspec import structs

from limner.caption.captioner_config import CaptionerConfig
from limner.caption.models.caption_model import CaptionModel
from limner.caption.models.neural_baby_talk import NeuralBabyTalk
from limner.caption.training.caption_pairs import CaptionNumbers, RegionTable
from limner.caption.training.caption_tasks import SelfCriticalTask, WordTask
from limner.caption.training.held_out_cider import HeldOutImages
from limner.caption.training.self_critical import CiderReward
from limner.caption.training.slot_targets import SlottedCaptions
from limner.caption.training.slot_task import SlotTask
from limner.caption.training.training_images import CaptionedImage, TrainingImages
from limner.learn.length_batches import LengthBatches
from limner.learn.torch.training_stage import TrainingTask
from limner.learn.vocabulary import Vocabulary

# Regions whose mean and deviation features are standardised by.
MOST_STANDARDISED = 200_000


@dataclass(frozen=True)
class TrainingMaterial:
    """A model and what it learns from; `identity` is a text that is another for other images, words or features.

    `slotted` are the captions with slots, for a model that has them.
    """

    config: CaptionerConfig
    model: CaptionModel
    regions: RegionTable
    pairs: Sequence[CaptionedImage]
    vocabulary: Vocabulary
    held_out: HeldOutImages
    identity: str
    seed: int
    slotted: SlottedCaptions | None = None

    def digest(self, *, is_last: bool) -> str:
        """A few letters that are others for another run; the first stage does not depend on the settings of the last.

        How often checkpoints are written changes nothing.
        """
        config = structs.replace(self.config, training=structs.replace(self.config.training, checkpoint_steps=0))
        if config.self_critical is not None:
            training = structs.replace(config.self_critical.training, checkpoint_steps=0)
            critical = structs.replace(config.self_critical, training=training)
            config = structs.replace(config, self_critical=critical if is_last else None)
        return _digest(config, self.identity)

    def word_task(self) -> TrainingTask:
        """People's captions, word by word, or by words and slots."""
        size = self.config.training.batch
        if isinstance(self.model, NeuralBabyTalk):
            assert self.slotted is not None
            order = LengthBatches(self.slotted.numbers.lengths, size, self.seed)
            return SlotTask(self.model, self.regions, self.slotted, self.held_out, order, self.config.smoothing)
        captions = [(at, words) for at, pair in enumerate(self.pairs) for words in pair.captions]
        numbers = CaptionNumbers(
            [self.vocabulary.numbers(words) for _, words in captions], np.array([at for at, _ in captions])
        )
        order = LengthBatches(numbers.lengths, size, self.seed)
        return WordTask(self.model, self.regions, numbers, self.held_out, order, self.config.smoothing)

    def self_critical_task(self) -> SelfCriticalTask:
        """The model's own captions, by CIDEr."""
        settings = self.config.self_critical
        assert settings is not None
        return SelfCriticalTask(
            self.model,
            self.regions,
            CiderReward([pair.captions for pair in self.pairs]),
            self.held_out,
            LengthBatches([1] * len(self.pairs), settings.training.batch, self.seed),
            self.vocabulary,
            settings.candidates,
            self.config.decoding,
        )


def images_digest(images: TrainingImages) -> str:
    """A few letters that are others for other images or captions, learnt from or held out."""
    groups = [[(pair.image.id, pair.captions) for pair in pairs] for pairs in (images.learnt, images.held_out)]
    return _digest(groups)


def material_identity(
    images: TrainingImages, tables: Sequence[RegionTable], labels: Sequence[str], words: Sequence[str], *signatures: str
) -> str:
    """A few letters that are others for other images, regions, labels, words, or sources of either."""
    return _digest(images_digest(images), [table.digest for table in tables], labels, words, signatures)


def region_moments(regions: RegionTable) -> tuple[torch.Tensor, torch.Tensor]:
    """The mean and the standard deviation of each number of regions, of at most `MOST_STANDARDISED` of them."""
    total = squares = np.zeros(1)
    n = 0
    for at in range(len(regions)):
        rows = regions[at].rows.astype(np.float64)
        total, squares, n = total + rows.sum(axis=0), squares + (rows**2).sum(axis=0), n + len(rows)
        if n >= MOST_STANDARDISED:
            break
    mean = total / n
    deviation = np.sqrt(np.maximum(squares / n - mean**2, 0.0))
    return torch.from_numpy(mean).float(), torch.from_numpy(deviation).float()


def _digest(*parts: object) -> str:
    return blake2b(msgspec.json.encode(parts), digest_size=8).hexdigest()
