"""The words of a captioner while it is used: those of training, and what constraints and new classes add."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from limner.caption.class_map import class_of
from limner.caption.constraints.vocabulary_adapter import VocabularyAdapter, has_words, missing_words, phrase_words
from limner.caption.constraints.worded_constraints import Worded
from limner.caption.models.caption_model import CaptionModel
from limner.caption.models.model_making import ModelPlan, fixed_source, token_pairs
from limner.caption.models.neural_baby_talk import NeuralBabyTalk
from limner.caption.models.word_sources import WordSource, check_words
from limner.caption.region_inputs import ImageRegions
from limner.caption.slot_proposals import RegionPlaces, RegionSlots
from limner.caption.word_joining import is_sayable


class CaptionerTokens:
    """A vocabulary that grows with its model: a word that is added is there for the images that ask for it alone."""

    def __init__(self, model: CaptionModel, plan: ModelPlan, source: WordSource) -> None:
        self.model = model
        self.vocabulary = plan.vocabulary
        self.adapter = VocabularyAdapter(self.vocabulary)
        self._source = source
        # Numbers of words that were added for constraints of some images, and are not there for others.
        self._borrowed: set[int] = set()
        # Brackets and symbols, which were read in captions and are not to be said.
        self._silent = set(self.vocabulary.numbers(word for word in self.vocabulary.words if not is_sayable(word)))
        # What slots say and the text does not.
        self._only_slots: set[str] = set()

    def borrow(self, phrases: Iterable[str]) -> None:
        """Add the words of phrases that the text lacks, for images that ask for them.

        A captioner whose vectors are learnt cannot know a word that it never
        met, nor can one whose source of vectors lacks it: that is an error.
        """
        missing = self._missing(phrases)
        check_words(missing, self._source)
        if new := [word for word in missing if word not in self.vocabulary]:
            self.model.words = self._source.extended(self.model.words, new)
            self._grow(new)
        self._borrowed.update(self.vocabulary.numbers(missing))

    def sayable(self, phrases: Iterable[str]) -> list[str]:
        """Those of some phrases whose words the text has, or can be given by their vectors."""
        can_add = self._source.can_add
        return [phrase for phrase in phrases if has_words(phrase) and all(map(can_add, self._missing([phrase])))]

    def meet(self, regions: Sequence[ImageRegions]) -> None:
        """Learn of the classes of regions, for a model with slots."""

    def places(self, regions: Sequence[ImageRegions]) -> list[RegionPlaces]:
        """What slots know of regions whose classes were met; empty for a model without slots."""
        return []

    def lacking(self, constraints: Sequence[Sequence[Worded]]) -> Tensor | None:
        """The words that captions of images do not have, `[images, n_vocab]`, by what has to be said of each image.

        They are symbols, and words that were added for other images: captions do not depend on the batch. What an
        image's constraints ask for, it has.
        """
        withheld = self._borrowed | self._silent | set(self.vocabulary.numbers(self._only_slots))
        if not withheld:
            return self._nothing_lacking(len(constraints))
        lacking = torch.zeros(len(constraints), len(self.vocabulary), dtype=torch.bool, device=self.model.device)
        for row, asked in enumerate(constraints):
            numbers = self._numbers(phrase for item in asked for phrase in item.phrases)
            lacking[row, sorted(withheld - numbers)] = True
        return lacking

    def _nothing_lacking(self, n: int) -> Tensor | None:
        return None

    def _missing(self, phrases: Iterable[str]) -> list[str]:
        """The words of phrases that the text lacks."""
        return [word for word in missing_words(phrases, ()) if word not in self.vocabulary or word in self._only_slots]

    def _grow(self, words: Iterable[str]) -> None:
        self.vocabulary = self.vocabulary.extended(words)
        self.adapter = VocabularyAdapter(self.vocabulary)

    def _numbers(self, phrases: Iterable[str]) -> set[int]:
        return {number for phrase in phrases for number in self.vocabulary.numbers(phrase_words(phrase))}


class SlotTokens(CaptionerTokens):
    """The words of a captioner with slots: a class that it meets for the first time brings its own.

    So slots say what no training image had. The text does not have these words, unless a constraint asks for them.
    """

    def __init__(self, model: NeuralBabyTalk, plan: ModelPlan, source: WordSource) -> None:
        super().__init__(model, plan, source)
        self._slot_model = model
        self._fixed = fixed_source(source)
        self._class_map = plan.class_map
        self._number_by_class = {name: number for number, name in enumerate(self._class_map.classes, 1)}
        self._slots = RegionSlots(plan.config.slots, self._number_by_class)
        self._only_slots = set(plan.slots)

    def meet(self, regions: Sequence[ImageRegions]) -> None:
        names = dict.fromkeys(class_of(name) for image in regions for name in image.names if name)
        new = [name for name in names if name not in self._number_by_class and self._class_map.words(name)]
        if not new:
            return
        forms = dict.fromkeys(form for name in new for form in self._class_map.forms(name))
        if words := [form for form in forms if form not in self.vocabulary]:
            self.model.words = self._slot_model.words.extended(self._fixed.fixed_vectors(words))
            self._grow(words)
            self._only_slots.update(words)
        pairs = [token_pairs(self._class_map, name, self.vocabulary) for name in new]
        self._slot_model.table = self._slot_model.table.extended(self._fixed.fixed_vectors(new), pairs)
        self._number_by_class.update({name: len(self._number_by_class) + at for at, name in enumerate(new, 1)})

    def places(self, regions: Sequence[ImageRegions]) -> list[RegionPlaces]:
        return [self._slots.places(image) for image in regions]

    def _nothing_lacking(self, n: int) -> Tensor | None:
        # The model would hide words that were added to its text.
        return torch.zeros(n, len(self.vocabulary), dtype=torch.bool, device=self.model.device)


def captioner_tokens(model: CaptionModel, plan: ModelPlan, source: WordSource) -> CaptionerTokens:
    """The words of a captioner by its model."""
    if isinstance(model, NeuralBabyTalk):
        return SlotTokens(model, plan, source)
    return CaptionerTokens(model, plan, source)
