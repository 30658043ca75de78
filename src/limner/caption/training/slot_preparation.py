"""What a model with slots needs before it learns: its words and classes, and captions with slots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from limner.caption.captioner_config import CaptionerConfig
from limner.caption.models.model_making import ModelPlan, slot_words
from limner.caption.slot_proposals import RegionSlots
from limner.caption.training.caption_pairs import RegionTable
from limner.caption.training.slot_targets import CaptionNouns, SlottedCaptions
from limner.caption.training.training_images import CaptionedImage
from limner.learn.vocabulary import Vocabulary


class SlotPreparation(NamedTuple):
    """The plan of a model, and captions with slots for it."""

    plan: ModelPlan
    captions: SlottedCaptions

    @property
    def notice(self) -> str:
        """What came of it, for people."""
        n_words = sum(len(caption.numbers) for caption in self.captions.captions)
        share = self.captions.n_slots / max(n_words, 1)
        return f"{len(self.plan.class_map.classes):,} classes; {share:.1%} of the captions' words are slots"


def prepare_slots(
    config: CaptionerConfig,
    words: Sequence[str],
    pairs: Sequence[CaptionedImage],
    regions: RegionTable,
    held_regions: RegionTable,
    n_features: int,
) -> SlotPreparation:
    """Plan a model by the text's `words` and the labels of regions, which find their slots.

    Any label counts, however few boxes have it, in the order of their frequency.
    """
    labels = tuple(sorted(regions.names, key=lambda name: (-regions.names[name], name)))
    nouns = CaptionNouns(pairs, labels)
    plan = ModelPlan("nbt", config, words, slot_words(labels, nouns.said, words), labels, n_features)
    class_map = plan.class_map
    finder = RegionSlots(config.slots, {name: number for number, name in enumerate(class_map.classes, 1)})
    for table in (regions, held_regions):
        table.find_slots(finder)
    return SlotPreparation(plan, nouns.slotted(regions, class_map, Vocabulary(words), plan.vocabulary))
