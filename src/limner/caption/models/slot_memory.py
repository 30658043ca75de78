"""What sentences with slots have named so far, so that slots can learn not to name it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from limner.caption.models.slot_table import SlotChoices


class SlotMemory(NamedTuple):
    """What sentences have named, a row for each.

    `said [n, u]` is 1 for words of `SlotChoices` that were said, in either
    number. `named [n, regions]` is the share of the proposals of a region's
    class that were named: a word names one of them, a plural all.
    """

    said: Tensor
    named: Tensor

    @classmethod
    def empty(cls, n: int, choices: SlotChoices, like: Tensor) -> SlotMemory:
        """The memory before the first word of n sentences, of the type and device of another tensor."""
        return cls(like.new_zeros(n, len(choices.singular)), like.new_zeros(n, choices.rows.shape[1]))

    @classmethod
    def of(cls, state: Mapping[str, Tensor]) -> SlotMemory:
        """The memory in a decoder's state."""
        return cls(*(state[name] for name in cls._fields))

    def take(self, rows: Tensor) -> SlotMemory:
        return SlotMemory(*(part[rows] for part in self))

    def after(self, words: SlotMemory) -> SlotMemory:
        """The memory after a word more of each sentence, by what the words name."""
        return SlotMemory(*((before + word).clamp(max=1.0) for before, word in zip(self, words, strict=True)))

    def cumulated(self, n_words: int) -> SlotMemory:
        """The memory after each word, where the rows are single words of sentences of this length."""
        sums = (
            part.reshape(len(part) // n_words, n_words, part.shape[1]).cumsum(dim=1).clamp(max=1.0) for part in self
        )
        return SlotMemory(*(part.flatten(0, 1) for part in sums))


def proposal_shares(rows: Tensor, proposals: Tensor) -> Tensor:
    """What a proposal is of all those of its class in its image, `[images, regions]`: 1 / their number."""
    is_same = rows.unsqueeze(1) == rows.unsqueeze(2)
    return 1.0 / (is_same & proposals.unsqueeze(1)).sum(dim=2).clamp(min=1)


def named_by(tokens: Tensor, choices: SlotChoices, rows: Tensor, shares: Tensor) -> SlotMemory:
    """What single words `[n]` name of images whose regions have these classes and shares, `[n, regions]` each."""
    is_singular = choices.singular == tokens.unsqueeze(1)
    is_plural = (choices.plural == tokens.unsqueeze(1)) & choices.has_both
    fits = choices.fits.T.to(shares)
    one, several = (torch.gather(part.to(shares) @ fits, 1, rows) for part in (is_singular, is_plural))
    return SlotMemory((is_singular | is_plural).to(shares), (one * shares + several).clamp(max=1.0))
