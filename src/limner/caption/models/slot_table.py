"""What slots can say: classes by number with fixed vectors, and the words for things of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn


class TokenPair(NamedTuple):
    """The numbers of a word's singular and plural in a vocabulary; the plural is 0 for a word with one form."""

    singular: int
    plural: int


class SlotChoices(NamedTuple):
    """What the slots of some images can say, `u` words in all.

    `vectors [u, n_dims]`, `singular [u]` and `plural [u]` are of words;
    `fits [classes, u]` tells which words are for which of the classes that are
    there, and `rows [images, regions]` the class of each region among them.
    """

    vectors: Tensor
    singular: Tensor
    plural: Tensor
    fits: Tensor
    rows: Tensor

    @property
    def has_both(self) -> Tensor:
        """Which words have a form for each number."""
        return self.plural != 0


class SlotTable(nn.Module):
    """Classes, from number 1 on, with the vectors of their names and the words for things of each.

    Number 0 is that of regions without a class, whose vector is 0. Vectors are
    brought to length 1, so that the same scale fits all words.
    """

    def __init__(self, vectors: Tensor, words_by_class: Sequence[Sequence[TokenPair]]) -> None:
        super().__init__()
        self.words_by_class = tuple(map(tuple, words_by_class))
        self.register_buffer("vectors", unit(vectors.float()))
        pairs = list(dict.fromkeys(pair for words in self.words_by_class for pair in words))
        number = {pair: at for at, pair in enumerate(pairs)}
        n_most = max((len(words) for words in self.words_by_class), default=0)
        lists = [[number[pair] for pair in words] for words in ((), *self.words_by_class)]
        padded = [[*row, *[-1] * (n_most - len(row))] for row in lists]
        # Both can be had from the class map again, and are not saved with the model.
        self.register_buffer("pairs", torch.tensor(pairs, dtype=torch.long).reshape(-1, 2), persistent=False)
        self.register_buffer("lists", torch.tensor(padded, dtype=torch.long), persistent=False)

    @property
    def n_dims(self) -> int:
        return int(self.get_buffer("vectors").shape[1])

    def extended(self, vectors: Tensor, words_by_class: Sequence[Sequence[TokenPair]]) -> SlotTable:
        """This table with new classes after the others."""
        known = self.get_buffer("vectors")
        grown = SlotTable(torch.cat([known, vectors.to(known)]), [*self.words_by_class, *words_by_class])
        return grown.to(known.device)

    def class_vectors(self, classes: Tensor) -> Tensor:
        """The vectors of classes by number, `[…, n_dims]`."""
        vectors = self.get_buffer("vectors")
        return nn.functional.embedding(classes, torch.cat([vectors.new_zeros(1, self.n_dims), vectors]))

    def choices(self, classes: Tensor, word_vectors: Tensor) -> SlotChoices:
        """What slots of regions can say, by their classes `[images, regions]`.

        `word_vectors [n_vocab, n_dims]` are those of the vocabulary's words, by which forms are known.
        """
        present, rows = torch.unique(classes, return_inverse=True)
        lists = self.get_buffer("lists")[present]
        words = torch.unique(lists[lists >= 0])
        fits = torch.zeros(len(present), len(words), dtype=torch.bool, device=classes.device)
        at = torch.searchsorted(words, lists.clamp(min=0))
        fits[torch.nonzero(lists >= 0, as_tuple=True)[0], at[lists >= 0]] = True
        pairs = self.get_buffer("pairs")[words]
        return SlotChoices(unit(word_vectors[pairs[:, 0]]), pairs[:, 0], pairs[:, 1], fits, rows)


def unit(vectors: Tensor) -> Tensor:
    """Vectors of length 1; those of length 0 stay."""
    lengths = vectors.norm(dim=-1, keepdim=True)
    return vectors / torch.where(lengths > 0, lengths, torch.ones_like(lengths))
