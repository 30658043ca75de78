"""What words are to a captioner: the vectors it reads, and the layer that scores the next one."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from limner.learn.vocabulary import UNKNOWN

State = dict[str, Tensor]


class WordInputs(nn.Module):
    """Turns the numbers of words into vectors, and what the model computed into scores of all words.

    `n_dims` is the length of a vector. Whatever has to be carried from word to
    word is in a state, whose tensors have a row for each sentence.
    """

    n_dims: int
    n_vocab: int

    @abstractmethod
    def vectors(self, tokens: Tensor) -> Tensor:
        """The vectors of whole sentences, `[sentences, words, n_dims]`; each sentence begins with `BOS`."""

    @abstractmethod
    def start(self, n: int, device: torch.device) -> State:
        """The state before the first word of n sentences."""

    @abstractmethod
    def step(self, tokens: Tensor, state: Mapping[str, Tensor]) -> tuple[Tensor, State]:
        """The vectors `[n, n_dims]` of the last words of n sentences, and the state behind them."""

    @abstractmethod
    def scores(self, hidden: Tensor) -> Tensor:
        """The score of every word `[…, n_vocab]`, whose softmax is its probability, by the decoder's output."""


class LearntWords(WordInputs):
    """Vectors that are learnt with the model, and a layer of its own for the scores."""

    def __init__(self, n_vocab: int, n_dims: int, n_hidden: int) -> None:
        super().__init__()
        self.n_vocab, self.n_dims = n_vocab, n_dims
        self.table = nn.Embedding(n_vocab, n_dims)
        self.output = nn.Linear(n_hidden, n_vocab)

    def vectors(self, tokens: Tensor) -> Tensor:
        rows: Tensor = self.table(tokens)
        return rows

    def start(self, n: int, device: torch.device) -> State:
        return {}

    def step(self, tokens: Tensor, state: Mapping[str, Tensor]) -> tuple[Tensor, State]:
        return self.vectors(tokens), {}

    def scores(self, hidden: Tensor) -> Tensor:
        scores: Tensor = self.output(hidden)
        return scores


class FixedWords(WordInputs):
    """Words that have fixed vectors, by which slots know them, whether or not they are read by these."""

    @property
    @abstractmethod
    def fixed(self) -> Tensor:
        """The fixed vectors of the whole vocabulary, `[n_vocab, n]`; 0 for beginning, end and unknown words."""

    @abstractmethod
    def extended(self, vectors: Tensor) -> FixedWords:
        """These words, and new ones after them by their vectors `[words, n]`; what is learnt is shared."""


class FrozenWords(FixedWords):
    """Vectors that stay as they are, such as GloVe's, and score the next word too (nocaps, eqs. 4 and 5).

    The decoder's output is turned by a tanh layer into a vector v, and the
    score of a word is its own vector times v: words with like vectors get like
    scores, so that a word that no caption had can be said. Beginning, end and
    unknown words have vectors that are learnt. With `has_biases`, a number is
    added to each word's score that is learnt: how frequent it is.
    """

    def __init__(self, vectors: Tensor, n_hidden: int, n_special: int, *, has_biases: bool = False) -> None:
        super().__init__()
        self.n_vocab, self.n_dims = n_special + len(vectors), int(vectors.shape[1])
        self.register_buffer("table", vectors.float().contiguous())
        self.special = nn.Parameter(torch.randn(n_special, self.n_dims) * vectors.float().std())
        self.turn = nn.Linear(n_hidden, self.n_dims)
        # One number for how peaked the softmax is: frozen vectors are not of the length that it would choose.
        self.scale = nn.Parameter(torch.ones(()))
        self.biases = nn.Parameter(torch.zeros(self.n_vocab)) if has_biases else None

    @torch.no_grad()
    def begin_biases(self, counts: Tensor) -> None:
        """Have the biases begin with how often the first words of the vocabulary were said, `counts [words]`."""
        if self.biases is not None:
            self.biases.fill_(-math.log(float(counts.sum()) + len(counts)))
            self.biases[: len(counts)] += (counts.to(self.biases) + 1).log()

    def extended(self, vectors: Tensor) -> FrozenWords:
        """These words, and new ones after them by their vectors `[words, n_dims]`; what is learnt is shared.

        So a captioner can be made to say a word that was in none of its
        training captions, by a constraint for example.
        """
        if vectors.dim() != 2 or vectors.shape[1] != self.n_dims or not vectors.isfinite().all():
            raise ValueError(
                f"vectors of the shape {tuple(vectors.shape)} are not finite rows of {self.n_dims} numbers"
            )
        table = self.get_buffer("table")
        # The new module's own parameters are replaced: they must not use up random numbers.
        with torch.random.fork_rng(devices=[]):
            words = FrozenWords(torch.cat([table, vectors.to(table)]), self.turn.in_features, len(self.special))
        words.special, words.turn, words.scale = self.special, self.turn, self.scale
        if self.biases is not None:
            # A new word is as frequent as the rarest.
            biases = torch.cat([self.biases, self.biases.min().expand(len(vectors))])
            words.biases = nn.Parameter(biases.detach())
        return words.train(self.training)

    @property
    def fixed(self) -> Tensor:
        return torch.cat([torch.zeros_like(self.special), self.get_buffer("table")])

    def _rows(self) -> Tensor:
        table = self.get_buffer("table")
        return torch.cat([self.special, table])

    def vectors(self, tokens: Tensor) -> Tensor:
        return nn.functional.embedding(tokens, self._rows())

    def start(self, n: int, device: torch.device) -> State:
        return {}

    def step(self, tokens: Tensor, state: Mapping[str, Tensor]) -> tuple[Tensor, State]:
        return self.vectors(tokens), {}

    def scores(self, hidden: Tensor) -> Tensor:
        scores = self.scale * torch.tanh(self.turn(hidden)) @ self._rows().T
        return scores if self.biases is None else scores + self.biases


class AnchoredWords(FixedWords):
    """Vectors and scores that are learnt, for words that have fixed vectors too.

    Words after the first `n_learnt` are read by their fixed vectors, behind a
    layer that is learnt, and have no score: only slots say them.
    """

    def __init__(self, n_learnt: int, vectors: Tensor, n_dims: int, n_hidden: int, n_special: int) -> None:
        super().__init__()
        self.n_vocab, self.n_dims = n_special + len(vectors), n_dims
        self.learnt = LearntWords(n_learnt, n_dims, n_hidden)
        self.register_buffer("anchors", vectors.float().contiguous())
        self.read = nn.Linear(int(vectors.shape[1]), n_dims, bias=False)

    @property
    def fixed(self) -> Tensor:
        anchors = self.get_buffer("anchors")
        return torch.cat([anchors.new_zeros(self.n_vocab - len(anchors), anchors.shape[1]), anchors])

    def extended(self, vectors: Tensor) -> AnchoredWords:
        anchors = self.get_buffer("anchors")
        n_special = self.n_vocab - len(anchors)
        with torch.random.fork_rng(devices=[]):
            rows = torch.cat([anchors, vectors.to(anchors)])
            words = AnchoredWords(1, rows, self.n_dims, 1, n_special)
        words.learnt, words.read = self.learnt, self.read
        return words.train(self.training)

    def vectors(self, tokens: Tensor) -> Tensor:
        is_learnt = tokens < self.learnt.n_vocab
        learnt = self.learnt.vectors(tokens.masked_fill(~is_learnt, UNKNOWN))
        return torch.where(is_learnt.unsqueeze(-1), learnt, self.read(self.fixed[tokens].to(learnt)))

    def start(self, n: int, device: torch.device) -> State:
        return {}

    def step(self, tokens: Tensor, state: Mapping[str, Tensor]) -> tuple[Tensor, State]:
        return self.vectors(tokens), {}

    def scores(self, hidden: Tensor) -> Tensor:
        learnt = self.learnt.scores(hidden)
        return nn.functional.pad(learnt, (0, self.n_vocab - self.learnt.n_vocab), value=-float("inf"))
