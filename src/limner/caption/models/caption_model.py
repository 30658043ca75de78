"""What every captioning model offers: training, search and captioners know nothing else about it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from limner.caption.models.region_batches import RegionBatch
from limner.caption.models.word_inputs import State, WordInputs
from limner.learn.vocabulary import BOS, EOS, UNKNOWN


class WordGrounds(NamedTuple):
    """What each word of sentences rests on, `[sentences, words, regions]` each.

    `attention` is where the model looked, and sums to 1. `slots` are the
    shares of the word's probability that came from slots tied to regions;
    what is left to 1 came from the text.
    """

    attention: Tensor
    slots: Tensor


class LstmMemory(NamedTuple):
    """Outputs and cells of two LSTMs, `[sentences, hidden]` each: the first looks, the second speaks."""

    top_hidden: Tensor
    top_cell: Tensor
    word_hidden: Tensor
    word_cell: Tensor

    @classmethod
    def empty(cls, n: int, n_hidden: int, like: Tensor) -> LstmMemory:
        """The memory before the first word of n sentences, of the type and device of another tensor."""
        zeros = like.new_zeros(n, n_hidden)
        return cls(zeros, zeros, zeros, zeros)

    @classmethod
    def of(cls, state: Mapping[str, Tensor]) -> LstmMemory:
        """The memory in a decoder's state."""
        return cls(*(state[name] for name in cls._fields))


class CaptionDecoder(Protocol):
    """A model about to describe some images: `state` has a row for each, and `step` goes on by a word."""

    state: State

    def step(self, tokens: Tensor, state: Mapping[str, Tensor]) -> tuple[Tensor, State]:
        """The log-probabilities `[n, n_vocab]` of what follows the tokens `[n]`, and the state behind them.

        The probabilities of what can be said sum to 1. A caption has a word: the end does not come first.
        """


class CaptionModel(nn.Module):
    """A model that scores the next word of sentences about images, by the images' regions.

    `tokens [images, words]` are sentences that begin with `BOS`; row i is
    about image i. `lacking [images, n_vocab]` marks words that the captions of
    an image may not have; None leaves that to the model.
    """

    words: WordInputs

    # Weights that files of older versions lack, and what they are for those.
    added_later: ClassVar[Mapping[str, float]] = MappingProxyType({})

    def __init__(self, n_features: int, word_dropout: float) -> None:
        super().__init__()
        self._word_dropout = word_dropout
        # What is taken from features, and what they are divided by, so that all count alike at first.
        self.register_buffer("centre", torch.zeros(n_features))
        self.register_buffer("spread", torch.ones(n_features))

    @abstractmethod
    def forward(self, regions: RegionBatch, tokens: Tensor) -> Tensor:
        """The scores of what follows each word, `[images, words, n_vocab]`, whose softmax is its probability."""

    @abstractmethod
    def log_probs(self, regions: RegionBatch, tokens: Tensor, lacking: Tensor | None = None) -> Tensor:
        """The log-probabilities of what follows each word, `[images, words, n_vocab]`, as `decoder` gives them."""

    @abstractmethod
    def grounds(self, regions: RegionBatch, tokens: Tensor, said: Tensor, lacking: Tensor | None = None) -> WordGrounds:
        """What the words `said [images, words]` after the tokens rest on."""

    @abstractmethod
    def decoder(self, regions: RegionBatch, lacking: Tensor | None = None) -> CaptionDecoder:
        """The model as a search calls it, for some images."""

    @property
    def device(self) -> torch.device:
        return self.get_buffer("centre").device

    def standardise(self, centre: Tensor, spread: Tensor) -> None:
        """Have features be taken by their distance from a mean, in standard deviations."""
        self.get_buffer("centre").copy_(centre)
        # A number that is always the same says nothing, and must not be divided by zero.
        self.get_buffer("spread").copy_(torch.where(spread > 1e-6, spread, torch.ones_like(spread)))

    def _standardised(self, features: Tensor) -> Tensor:
        return (features - self.get_buffer("centre")) / self.get_buffer("spread")

    def _dropped(self, tokens: Tensor) -> Tensor:
        """The words with some of them unknown, while training."""
        if not (self.training and self._word_dropout):
            return tokens
        lost = torch.rand(tokens.shape, device=tokens.device) < self._word_dropout
        return tokens.masked_fill(lost & (tokens != BOS), UNKNOWN)


def sayable_scores(scores: Tensor, tokens: Tensor, lacking: Tensor | None = None) -> Tensor:
    """Scores `[…, n_vocab]` of what follows tokens `[…]`, -inf for what cannot be said there.

    Nobody says "unknown", no sentence begins twice, and none ends before its first word.
    """
    if lacking is not None:
        scores = scores.masked_fill(lacking, -float("inf"))
    never = torch.tensor([BOS, UNKNOWN], device=scores.device)
    ends_first = torch.zeros_like(scores, dtype=torch.bool)
    ends_first[..., EOS] = tokens == BOS
    return scores.index_fill(-1, never, -float("inf")).masked_fill(ends_first, -float("inf"))


def begin_gates(layers: list[nn.Linear], recurrent: list[nn.Linear], n_hidden: int) -> None:
    """Random weights from which LSTMs learn soon: each gate by itself, recurrent ones orthogonal."""
    with torch.no_grad():
        for layer in layers:
            for gate in torch.split(layer.weight, n_hidden):
                nn.init.xavier_uniform_(gate)
        for layer in recurrent:
            for gate in torch.split(layer.weight[:, -n_hidden:], n_hidden):
                gate.copy_(nn.init.orthogonal_(torch.empty(n_hidden, n_hidden)))
        for layer in layers:
            if layer.bias is not None:
                # An LSTM that forgets nothing at first learns sooner.
                nn.init.zeros_(layer.bias)
                layer.bias[n_hidden : 2 * n_hidden] = 1.0


def lstm(gates: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
    """An LSTM's output and cell from the sums at its gates: input, forget, content and output."""
    enter, forget, content, leave = gates.chunk(4, dim=1)
    cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(content)
    return torch.sigmoid(leave) * torch.tanh(cell), cell
