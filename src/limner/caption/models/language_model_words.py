"""Words as a frozen language model reads and scores them (nocaps, equations 1 to 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from limner.caption.models.language_models import FrozenLanguageModel
from limner.caption.models.word_inputs import State, WordInputs
from limner.errors import LimnerError, shown
from limner.learn.vocabulary import BOS, EOS, N_SPECIAL, UNKNOWN, Vocabulary

# What the names of the language model's part of a state begin with.
_PREFIX = "language model "


class LanguageModelWords(WordInputs):
    """The vectors of a language model's layers, mixed, and its softmax as output layer.

    The vector of a word is the sum of the layers, each times a number of its
    own that is learnt (eq. 1). The decoder's output is turned by a tanh layer
    into v (eq. 4), and the scores are the language model's weights times v
    plus its biases (eqs. 2, 3 and 5), which stay as they are.

    The words of `vocabulary` must be among the language model's; see
    `caption_vocabulary`. The language model is shared and not part of the
    module: its weights are neither learnt, nor saved, nor copied with it.
    """

    def __init__(self, language_model: FrozenLanguageModel, vocabulary: Vocabulary, n_hidden: int) -> None:
        super().__init__()
        self.n_vocab, self.n_dims = len(vocabulary), language_model.n_dims
        self._shared = _Shared(language_model)
        weights, biases = language_model.output
        self.mix = nn.Parameter(torch.full((language_model.n_layers,), 1 / language_model.n_layers))
        self.turn = nn.Linear(n_hidden, int(weights.shape[1]))
        numbers = torch.tensor([BOS, EOS, UNKNOWN, *_numbers(language_model, vocabulary.words)], device=weights.device)
        # All of these can be had from the language model again, and are left out of the captioner's weights.
        self.register_buffer("numbers", numbers, persistent=False)
        self.register_buffer("weights", weights[numbers].float(), persistent=False)
        self.register_buffer("biases", biases[numbers].float(), persistent=False)

    @property
    def language_model(self) -> FrozenLanguageModel:
        return self._shared.model

    @property
    def signature(self) -> str:
        """Which language model this is, to be remembered with the captioner."""
        return self.language_model.signature

    def vectors(self, tokens: Tensor) -> Tensor:
        return self._mixed(self.language_model.layers(self._theirs(tokens)))

    def start(self, n: int, device: torch.device) -> State:
        return {f"{_PREFIX}{name}": rows.to(device) for name, rows in self.language_model.start(n).items()}

    def step(self, tokens: Tensor, state: Mapping[str, Tensor]) -> tuple[Tensor, State]:
        # The state has the decoder's tensors too.
        before = {name.removeprefix(_PREFIX): rows for name, rows in state.items() if name.startswith(_PREFIX)}
        layers, after = self.language_model.step(self._theirs(tokens), before)
        return self._mixed(layers), {f"{_PREFIX}{name}": rows for name, rows in after.items()}

    def scores(self, hidden: Tensor) -> Tensor:
        turned = torch.tanh(self.turn(hidden))
        return nn.functional.linear(turned, self.get_buffer("weights"), self.get_buffer("biases"))

    def extended(self, words: Sequence[str]) -> LanguageModelWords:
        """These words, and new ones after them by the language model's own rows; what is learnt is shared."""
        numbers = self.get_buffer("numbers")[N_SPECIAL:].tolist()
        old = [self.language_model.words[number - N_SPECIAL] for number in numbers]
        # The new module's own parameters are replaced: they must not use up random numbers.
        with torch.random.fork_rng(devices=[]):
            grown = LanguageModelWords(self.language_model, Vocabulary([*old, *words]), self.turn.in_features)
        grown.mix, grown.turn = self.mix, self.turn
        return grown.train(self.training)

    def _theirs(self, tokens: Tensor) -> Tensor:
        return self.get_buffer("numbers")[tokens]

    def _mixed(self, layers: Tensor) -> Tensor:
        return torch.einsum("l...,l->...", layers.to(self.mix), self.mix)

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        # The language model goes to the device that the captioner goes to.
        model: Any = self.language_model
        if isinstance(model, nn.Module):
            model._apply(fn)  # type: ignore[no-untyped-call]
        return super()._apply(fn, recurse)  # type: ignore[no-untyped-call]


class _Shared:
    """A language model that copies of a captioner have in common."""

    def __init__(self, model: FrozenLanguageModel) -> None:
        self.model = model

    def __deepcopy__(self, memo: dict[int, Any]) -> _Shared:
        return self


def _numbers(language_model: FrozenLanguageModel, words: Sequence[str]) -> list[int]:
    number_of = {word: number for number, word in enumerate(language_model.words, N_SPECIAL)}
    if lacking := [word for word in words if word not in number_of]:
        examples = ", ".join(shown(word) for word in lacking[:3])
        problem = f"{len(lacking):,} words are none of the language model's, such as {examples}"
        raise LimnerError(f"{problem}; leave them out of the vocabulary, or use another language model")
    return [number_of[word] for word in words]
