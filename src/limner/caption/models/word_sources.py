"""Where a captioner's words come from: what makes them for a new model, and adds to those of a trained one."""

from __future__ import annotations

from collections.abc import Container, Sequence
from pathlib import Path
from typing import Protocol

import torch

from limner.caption.captioner_config import WordSettings
from limner.caption.captioner_files import WordsRecord
from limner.caption.models.language_model_words import LanguageModelWords
from limner.caption.models.language_models import open_language_model
from limner.caption.models.word_inputs import FrozenWords, LearntWords, WordInputs
from limner.caption.word_matrix import word_matrix
from limner.errors import BadInput, LimnerError, shown
from limner.learn.vocabulary import N_SPECIAL, Vocabulary
from limner.text.word_vectors import WordVectors, open_word_vectors

# The file of vectors, in a captioner's folder, that were learnt from its parsed training captions.
DEPENDENCY_VECTORS = "dependency_vectors.txt"


class WordSource(Protocol):
    """Makes the words of captioners.

    `known` are the words that it has something to say of, None for all.
    """

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


class LearntSource:
    """Vectors that are learnt with the model."""

    known = None

    def __init__(self, n_dims: int) -> None:
        self.record = WordsRecord(n_dims)

    def make(self, words: Sequence[str], n_hidden: int) -> WordInputs:
        return LearntWords(len(words) + N_SPECIAL, self.record.n_dims, n_hidden)

    def begin(self, words: Sequence[str], n_hidden: int) -> WordInputs:
        return self.make(words, n_hidden)

    def can_add(self, word: str) -> bool:
        return False

    def extended(self, inputs: WordInputs, words: Sequence[str]) -> WordInputs:
        raise LimnerError(
            f"the captioner has never met the word {shown(words[0])}, and its vectors of words are learnt, so that it "
            "cannot know it; train one on word vectors, or ask for another word",
            code="no-word",
        )


class FrozenSource:
    """Word vectors of files, which stay as they are; several stand beside each other.

    The files are opened when they are needed: a model that was trained has
    the vectors of its vocabulary in its own file.
    """

    def __init__(self, paths: Sequence[str | None], record: WordsRecord | None = None) -> None:
        self._paths = paths
        self._opened: list[WordVectors] | None = None
        self._record = record

    @property
    def _vectors(self) -> list[WordVectors]:
        if self._opened is None:
            self._opened = [open_word_vectors(path) for path in self._paths]
            signature = "+".join(vectors.signature for vectors in self._opened)
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
        return FrozenWords(torch.from_numpy(word_matrix(words, *self._vectors).rows), n_hidden, N_SPECIAL)

    def can_add(self, word: str) -> bool:
        return word in self.known

    def extended(self, inputs: WordInputs, words: Sequence[str]) -> WordInputs:
        assert isinstance(inputs, FrozenWords)
        matrix = word_matrix(words, *self._vectors)
        if matrix.missing:
            raise LimnerError(
                f"neither the captioner nor its word vectors have the word {shown(matrix.missing[0])}; use another",
                code="no-word",
            )
        return inputs.extended(torch.from_numpy(matrix.rows))


class LanguageModelSource:
    """A language model in a folder, which stays as it is and where it is: the captioner remembers its signature."""

    def __init__(self, folder: Path, record: WordsRecord | None = None) -> None:
        self._model = open_language_model(folder)
        self.record = WordsRecord(self._model.n_dims, self._model.signature)
        if record is not None and record != self.record:
            problem = f"is not the language model of training: {self.record.signature}, not {record.signature}"
            raise BadInput(str(folder), problem, "give the same language model")
        self.known: Container[str] = frozenset(self._model.words)

    def make(self, words: Sequence[str], n_hidden: int) -> WordInputs:
        return LanguageModelWords(self._model, Vocabulary(words), n_hidden)

    def begin(self, words: Sequence[str], n_hidden: int) -> WordInputs:
        return self.make(words, n_hidden)

    def can_add(self, word: str) -> bool:
        return word in self.known

    def extended(self, inputs: WordInputs, words: Sequence[str]) -> WordInputs:
        assert isinstance(inputs, LanguageModelWords)
        if lacking := [word for word in words if word not in self.known]:
            raise LimnerError(
                f"neither the captioner nor its language model has the word {shown(lacking[0])}; use another",
                code="no-word",
            )
        return inputs.extended(words)


class _AnyOf:
    """The words that any of some vectors have."""

    def __init__(self, vectors: Sequence[WordVectors]) -> None:
        self._vectors = vectors

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and any(word in vectors for vectors in self._vectors)


def open_word_source(settings: WordSettings, record: WordsRecord | None, folder: Path) -> WordSource:
    """The source of words of a captioner in a folder; `record` is None for one that is going to be trained."""
    if settings.kind == "learnt":
        return LearntSource(settings.size)
    if settings.kind == "language-model":
        return LanguageModelSource(Path(settings.language_model), record)
    paths: list[str | None] = [settings.vectors or None]
    if settings.kind == "glove+dependency":
        paths.append(str(folder / DEPENDENCY_VECTORS))
    return FrozenSource(paths, record)
