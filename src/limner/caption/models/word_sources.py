"""Where a captioner's words come from: what makes them for a new model, and adds to those of a trained one."""

from __future__ import annotations

from collections.abc import Container, Sequence
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor

from limner.caption.captioner_config import WordSettings
from limner.caption.captioner_files import WordsRecord
from limner.caption.models.language_model_words import LanguageModelWords
from limner.caption.models.language_models import open_language_model
from limner.caption.models.lstm_language_model import SeenSplit
from limner.caption.models.word_inputs import AnchoredWords, FixedWords, FrozenWords, LearntWords, WordInputs
from limner.caption.word_matrix import matrix_signature, word_matrix
from limner.corpus.seen_images import SeenImages
from limner.errors import BadInput, LimnerError, shown
from limner.learn.vocabulary import N_SPECIAL, Vocabulary
from limner.text.word_vectors import WordVectors, open_word_vectors

# The file of vectors, in a captioner's folder, that were learnt from its parsed training captions.
DEPENDENCY_VECTORS = "dependency_vectors.txt"

# Vectors of words know no images; those of grammar are learnt from the captioner's own.
NOTHING_SEEN = SeenSplit(SeenImages(), SeenImages())


class WordSource(Protocol):
    """Makes the words of captioners.

    `known` are the words that it has vectors for; None if it can learn any.
    `why_lacking` says why it cannot give a trained captioner a word. `seen`
    are images whose captions the words were learnt from before; None if
    nobody knows.
    """

    why_lacking: str

    @property
    def seen(self) -> SeenSplit | None: ...

    @property
    def record(self) -> WordsRecord: ...

    @property
    def known(self) -> Container[str] | None: ...

    def make(self, words: Sequence[str], n_hidden: int) -> WordInputs:
        """Words of a model with this vocabulary whose weights are going to be read."""

    def begin(self, words: Sequence[str], n_hidden: int) -> WordInputs:
        """Words of a new model with this vocabulary."""

    def can_add(self, word: str) -> bool:
        """Whether a trained captioner can be given this word, which its vocabulary lacks."""

    def extended(self, inputs: WordInputs, words: Sequence[str]) -> WordInputs:
        """The inputs with new words after the others."""


class FixedWordSource(WordSource, Protocol):
    """Makes the words of captioners with slots, which know words by fixed vectors.

    The `slots` of a vocabulary are words and phrases after its `words`, which
    slots alone say. A phrase has the mean of the vectors of its words.
    """

    @property
    def n_fixed(self) -> int:
        """The length of a fixed vector."""

    def make_fixed(self, words: Sequence[str], slots: Sequence[str], n_hidden: int) -> FixedWords:
        """Words of a model with this vocabulary whose weights are going to be read."""

    def begin_fixed(self, words: Sequence[str], slots: Sequence[str], n_hidden: int) -> FixedWords:
        """Words of a new model with this vocabulary."""

    def fixed_vectors(self, phrases: Sequence[str]) -> Tensor:
        """The fixed vectors of words and phrases, `[phrases, n_fixed]`; 0 for what nothing is known of."""


class LearntSource:
    """Vectors that are learnt with the model."""

    known = None
    why_lacking = "its vectors of words were learnt from captions alone"
    seen = NOTHING_SEEN

    def __init__(self, n_dims: int) -> None:
        self.record = WordsRecord(n_dims)

    def make(self, words: Sequence[str], n_hidden: int) -> WordInputs:
        return LearntWords(len(words) + N_SPECIAL, self.record.n_dims, n_hidden)

    def begin(self, words: Sequence[str], n_hidden: int) -> WordInputs:
        return self.make(words, n_hidden)

    def can_add(self, word: str) -> bool:
        return False

    def extended(self, inputs: WordInputs, words: Sequence[str]) -> WordInputs:
        check_words(words, self)
        return inputs


class FrozenSource:
    """Word vectors of files, which stay as they are.

    Several stand beside each other, each scaled to length 1, so that none
    outweighs the others. The files are opened when they are needed: a model
    that was trained has the vectors of its vocabulary in its own file.
    """

    why_lacking = "its word vectors do not have it either"
    seen = NOTHING_SEEN

    def __init__(self, paths: Sequence[str | None], record: WordsRecord | None = None) -> None:
        self._paths = paths
        self._unit = len(paths) > 1
        self._opened: list[WordVectors] | None = None
        self._record = record

    @property
    def _vectors(self) -> list[WordVectors]:
        if self._opened is None:
            if self._record is not None:
                _check_there(self._paths)
            self._opened = [open_word_vectors(path) for path in self._paths]
            signature = matrix_signature(self._opened, unit=self._unit)
            if self._record is not None and self._record.signature != signature:
                problem = f"the word vectors are not those of training: {signature}, not {self._record.signature}"
                raise BadInput(str(self._paths[0] or "the installed word vectors"), problem, "give the same vectors")
            self._record = WordsRecord(sum(vectors.n_dims for vectors in self._opened), signature)
        return self._opened

    @property
    def record(self) -> WordsRecord:
        # Opening the vectors tells what they are.
        if self._record is None and not self._vectors:
            raise ValueError("there are no word vectors")
        assert self._record is not None
        return self._record

    @property
    def known(self) -> Container[str]:
        return _AnyOf(self._vectors)

    def make(self, words: Sequence[str], n_hidden: int) -> WordInputs:
        return FrozenWords(torch.zeros(len(words), self.record.n_dims), n_hidden, N_SPECIAL)

    def begin(self, words: Sequence[str], n_hidden: int) -> WordInputs:
        return FrozenWords(self._rows(words), n_hidden, N_SPECIAL)

    def _rows(self, words: Sequence[str]) -> Tensor:
        return torch.from_numpy(word_matrix(words, *self._vectors, unit=self._unit).rows)

    @property
    def n_fixed(self) -> int:
        return self.record.n_dims

    def make_fixed(self, words: Sequence[str], slots: Sequence[str], n_hidden: int) -> FixedWords:
        vectors = torch.zeros(len(words) + len(slots), self.record.n_dims)
        return FrozenWords(vectors, n_hidden, N_SPECIAL, has_biases=True)

    def begin_fixed(self, words: Sequence[str], slots: Sequence[str], n_hidden: int) -> FixedWords:
        return FrozenWords(self.fixed_vectors([*words, *slots]), n_hidden, N_SPECIAL, has_biases=True)

    def fixed_vectors(self, phrases: Sequence[str]) -> Tensor:
        return self._rows(phrases)

    def can_add(self, word: str) -> bool:
        return word in self.known

    def extended(self, inputs: WordInputs, words: Sequence[str]) -> WordInputs:
        assert isinstance(inputs, FrozenWords)
        check_words(words, self)
        return inputs.extended(self._rows(words))


class AnchoredSource(LearntSource):
    """Vectors that are learnt with the model, beside fixed ones of a file, by which slots know words."""

    def __init__(self, n_dims: int, path: str | None, record: WordsRecord | None = None) -> None:
        fixed = None if record is None else WordsRecord(record.n_fixed or record.n_dims, record.signature)
        self._fixed = FrozenSource([path], fixed)
        self.record = WordsRecord(n_dims, self._fixed.record.signature, self._fixed.n_fixed)

    @property
    def n_fixed(self) -> int:
        return self.record.n_fixed

    def make_fixed(self, words: Sequence[str], slots: Sequence[str], n_hidden: int) -> FixedWords:
        return self._anchored(words, torch.zeros(len(words) + len(slots), self.n_fixed), n_hidden)

    def begin_fixed(self, words: Sequence[str], slots: Sequence[str], n_hidden: int) -> FixedWords:
        return self._anchored(words, self.fixed_vectors([*words, *slots]), n_hidden)

    def fixed_vectors(self, phrases: Sequence[str]) -> Tensor:
        return self._fixed.fixed_vectors(phrases)

    def _anchored(self, words: Sequence[str], vectors: Tensor, n_hidden: int) -> FixedWords:
        return AnchoredWords(len(words) + N_SPECIAL, vectors, self.record.n_dims, n_hidden, N_SPECIAL)


class LanguageModelSource:
    """A language model in a folder, which stays as it is and where it is: the captioner remembers its signature."""

    why_lacking = "its language model does not have it either"

    def __init__(self, folder: Path, record: WordsRecord | None = None) -> None:
        if record is not None:
            _check_there([str(folder)])
        self._model = open_language_model(folder)
        self.record = WordsRecord(self._model.n_dims, self._model.signature)
        if record is not None and record != self.record:
            problem = f"is not the language model of training: {self.record.signature}, not {record.signature}"
            raise BadInput(str(folder), problem, "give the same language model")
        self.known: Container[str] = frozenset(self._model.words)
        self.seen = self._model.seen

    def make(self, words: Sequence[str], n_hidden: int) -> WordInputs:
        return LanguageModelWords(self._model, Vocabulary(words), n_hidden)

    def begin(self, words: Sequence[str], n_hidden: int) -> WordInputs:
        return self.make(words, n_hidden)

    def can_add(self, word: str) -> bool:
        return word in self.known

    def extended(self, inputs: WordInputs, words: Sequence[str]) -> WordInputs:
        assert isinstance(inputs, LanguageModelWords)
        check_words(words, self)
        return inputs.extended(words)


class _AnyOf:
    """The words that any of some vectors have."""

    def __init__(self, vectors: Sequence[WordVectors]) -> None:
        self._vectors = vectors

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and any(word in vectors for vectors in self._vectors)


def _check_there(paths: Sequence[str | None]) -> None:
    """An error if what a captioner was trained with is not where it was then."""
    for path in paths:
        if path is not None and not Path(path).exists():
            problem = "the captioner was trained with the words of this path, and it is not there"
            raise BadInput(path, problem, "say where they are now", code="no-captioner-words")


def no_word(phrases: Sequence[str], source: WordSource) -> str:
    """What is wrong if a captioner has none of some phrases, and cannot be given their words."""
    return f"the captioner has no word for {' or '.join(map(shown, phrases))}, and {source.why_lacking}"


def check_words(words: Sequence[str], source: WordSource) -> None:
    """An error for words that a captioner lacks and cannot be given."""
    for word in words:
        if not source.can_add(word):
            raise LimnerError(f"{no_word([word], source)}; ask for other words", code="no-word")


def open_word_source(settings: WordSettings, record: WordsRecord | None, folder: Path) -> WordSource:
    """The source of words of a captioner in a folder; `record` is None for one that is going to be trained."""
    if settings.kind in (None, "learnt"):
        return LearntSource(settings.size)
    if settings.kind == "language-model":
        return LanguageModelSource(Path(settings.language_model), record)
    return _frozen_source(settings, record, folder)


def open_fixed_source(settings: WordSettings, record: WordsRecord | None, folder: Path) -> FixedWordSource:
    """The source of words of a captioner with slots, likewise."""
    if settings.kind == "learnt":
        return AnchoredSource(settings.size, settings.vectors or None, record)
    return _frozen_source(settings, record, folder)


def _frozen_source(settings: WordSettings, record: WordsRecord | None, folder: Path) -> FrozenSource:
    paths: list[str | None] = [settings.vectors or None]
    if settings.kind == "glove+dependency":
        paths.append(str(folder / DEPENDENCY_VECTORS))
    return FrozenSource(paths, record)
