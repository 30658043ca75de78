"""Models by their kind: new ones to train, and ones whose weights are going to be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from limner.caption.captioner_config import CaptionerConfig, CaptionerKind, WordSettings
from limner.caption.captioner_files import WordsRecord
from limner.caption.class_map import ClassMap
from limner.caption.models.caption_model import CaptionModel
from limner.caption.models.neural_baby_talk import NeuralBabyTalk
from limner.caption.models.slot_table import SlotTable, TokenPair
from limner.caption.models.up_down import UpDown
from limner.caption.models.word_inputs import FixedWords, WordInputs
from limner.caption.models.word_sources import (
    AnchoredSource,
    FixedWordSource,
    FrozenSource,
    WordSource,
    open_fixed_source,
    open_word_source,
)
from limner.caption.region_inputs import Labels
from limner.learn.vocabulary import N_SPECIAL, PhraseVocabulary, Vocabulary


@dataclass(frozen=True)
class ModelPlan:
    """All that decides the sizes of a model: its kind and config, words, what slots alone say, labels, and features."""

    kind: CaptionerKind
    config: CaptionerConfig
    words: Sequence[str]
    slots: Sequence[str]
    labels: Sequence[str]
    n_features: int

    @property
    def vocabulary(self) -> Vocabulary:
        """The words and, after them, what slots alone say."""
        return Vocabulary(self.words) if self.kind == "up-down" else PhraseVocabulary([*self.words, *self.slots])

    @property
    def class_map(self) -> ClassMap:
        """What things of the labels are called, as far as the vocabulary has it, and of other labels."""
        return ClassMap(self.labels, frozenset(self.vocabulary.words))

    def begin(self, source: WordSource) -> CaptionModel:
        """A new model."""
        n_hidden = self.config.model.hidden
        if self.kind == "up-down":
            return self._up_down(source.begin(self.words, n_hidden))
        fixed = fixed_source(source)
        vectors = fixed.fixed_vectors(self.class_map.classes)
        return self._neural_baby_talk(fixed.begin_fixed(self.words, self.slots, n_hidden), vectors)

    def make(self, source: WordSource) -> CaptionModel:
        """A model whose weights are going to be read."""
        n_hidden = self.config.model.hidden
        if self.kind == "up-down":
            return self._up_down(source.make(self.words, n_hidden))
        fixed = fixed_source(source)
        vectors = torch.zeros(len(self.class_map.classes), fixed.n_fixed)
        return self._neural_baby_talk(fixed.make_fixed(self.words, self.slots, n_hidden), vectors)

    def _up_down(self, words: WordInputs) -> UpDown:
        return UpDown(words, self.n_features, len(Labels(self.labels)), self.config.model)

    def _neural_baby_talk(self, words: FixedWords, vectors: Tensor) -> NeuralBabyTalk:
        class_map, vocabulary = self.class_map, self.vocabulary
        table = SlotTable(vectors, [token_pairs(class_map, name, vocabulary) for name in class_map.classes])
        return NeuralBabyTalk(words, self.n_features, len(self.words) + N_SPECIAL, table, self.config.model)


def token_pairs(class_map: ClassMap, label: str, vocabulary: Vocabulary) -> list[TokenPair]:
    """The words for things of a label, by their numbers in a vocabulary that has them all."""
    return [
        TokenPair(*vocabulary.numbers([word.singular]), *(vocabulary.numbers([word.plural]) if word.plural else [0]))
        for word in class_map.words(label)
    ]


def slot_words(labels: Sequence[str], said: Iterable[str], words: Sequence[str]) -> tuple[str, ...]:
    """The words and phrases that slots alone say: forms of words for the labels' classes that captions say.

    `said` are the forms that were met in captions, `words` those of the text.
    """
    known = frozenset([*said, *words])
    while True:
        class_map = ClassMap(labels, known)
        forms = dict.fromkeys(form for name in class_map.classes for form in class_map.forms(name))
        # A form may let in a word of another class: a captioner that is read again knows the vocabulary alone.
        if known.issuperset(forms):
            text = frozenset(words)
            return tuple(form for form in forms if form not in text)
        known = known.union(forms)


def open_model_words(
    kind: CaptionerKind, settings: WordSettings, record: WordsRecord | None, folder: Path
) -> WordSource:
    """The source of words of a captioner in a folder; `record` is None for one that is going to be trained."""
    return (open_word_source if kind == "up-down" else open_fixed_source)(settings, record, folder)


def fixed_source(source: WordSource) -> FixedWordSource:
    """A source that has fixed vectors, as models with slots need it."""
    if not isinstance(source, FrozenSource | AnchoredSource):
        raise TypeError(f"{type(source).__name__} has no fixed vectors of words")
    return source
