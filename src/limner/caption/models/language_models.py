"""Language models that a captioner uses without changing them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from torch import Tensor

from limner.caption.models.lstm_language_model import RECORD, LstmLanguageModel, SeenSplit
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.caption.models import hugging_face_language_model
else:
    # Few captioners use one, and transformers takes seconds to import.
    hugging_face_language_model = lazy("limner.caption.models.hugging_face_language_model")


class FrozenLanguageModel(Protocol):
    """A model that reads sentences from left to right, word by word, and is not trained any more.

    `words` are those that it can read and say. They are numbered as in a
    `Vocabulary`: 0 begins a sentence, 1 ends it, 2 is any other word, `words`
    follow from 3 on. All is computed without gradients.
    """

    words: tuple[str, ...]
    # What it computes for a word: so many vectors of so many numbers, the word's own vector first.
    n_layers: int
    n_dims: int
    signature: str
    # The images whose captions it has learnt from; None if they are unknown.
    seen: SeenSplit | None

    def layers(self, tokens: Tensor) -> Tensor:
        """The vectors of all layers `[n_layers, sentences, words, n_dims]` for whole sentences `[sentences, words]`.

        A word's vectors depend on the words before it and not on those after
        it, so what follows the end of a shorter sentence does not matter.
        """

    def start(self, n: int) -> dict[str, Tensor]:
        """The state before the first word of n sentences; its tensors have a row for each."""

    def step(self, tokens: Tensor, state: Mapping[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
        """The vectors of all layers `[n_layers, n, n_dims]` for the last words `[n]`, and the state behind them."""

    @property
    def output(self) -> tuple[Tensor, Tensor]:
        """The layer that scores the next word: weights `[numbers, size]` and biases `[numbers]`."""


def open_language_model(folder: Path) -> FrozenLanguageModel:
    """The language model in a folder: one that Limner trained, or a causal one as transformers saves them."""
    if (folder / RECORD).exists():
        return LstmLanguageModel.load(folder)
    return hugging_face_language_model.HuggingFaceLanguageModel(folder)
