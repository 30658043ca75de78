"""Sentences under way, as columns of tensors, and the way back through the steps that made them."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from limner.caption.search.machine_batch import MachineBatch

NOTHING = -1  # in place of a token, for a sentence that has ended


class Hypotheses(NamedTuple):
    """Sentences under way and ended, of all images; each part has an item for each of them.

    - `image`: which image of the batch it describes.
    - `node`, `mask`: where it is in the batch, and the constraints it has met.
    - `log_prob`: of its tokens, float64.
    - `n_tokens`: how many tokens it has, the end of the sentence counted.
    - `ended`: whether its last token is the end of the sentence.
    - `rank`: its place in the dictionary, token by token, among the sentences of the batch.
    - `token`: what was added last, NOTHING where it had ended; `parent`: to which hypothesis of the step before.
    - `row`: its parent's row in the last call of the model.
    """

    image: Tensor
    node: Tensor
    mask: Tensor
    log_prob: Tensor
    n_tokens: Tensor
    ended: Tensor
    rank: Tensor
    token: Tensor
    parent: Tensor
    row: Tensor

    def take(self, chosen: Tensor | slice) -> Hypotheses:
        """Those at the given positions, or where a mask is true."""
        return Hypotheses(*(part[chosen] for part in self))

    def ranked_anew(self) -> Hypotheses:
        """The same, with ranks from 0 on: they grow with every token, and only their order counts."""
        return self._replace(rank=self.rank.argsort().argsort())


def beginnings(batch: MachineBatch, bos: int) -> Hypotheses:
    """A sentence of no tokens yet for each image."""
    images = torch.arange(batch.n_images, device=batch.start.device)
    none = torch.zeros_like(images)
    return Hypotheses(
        image=images,
        node=batch.start,
        mask=none,
        log_prob=none.double(),
        n_tokens=none,
        ended=none.bool(),
        rank=images,
        token=torch.full_like(images, bos),
        parent=none,
        row=images,
    )


def joined(*hypotheses: Hypotheses) -> Hypotheses:
    """All of them, one after the other; there must be some."""
    if len(hypotheses) == 1:
        return hypotheses[0]
    return Hypotheses(*(torch.cat(parts) for parts in zip(*hypotheses, strict=True)))


class History:
    """What every step added to which hypothesis of the one before."""

    def __init__(self) -> None:
        self._steps: list[tuple[Tensor, Tensor, Tensor]] = []

    def add(self, hypotheses: Hypotheses) -> None:
        self._steps.append((hypotheses.parent, hypotheses.token, hypotheses.log_prob))

    def sentences(self, at: Tensor) -> list[list[tuple[int, float]]]:
        """The tokens of the hypotheses at these positions after the last step, each with its log-probability."""
        tokens, sums = [], []
        for parent, token, log_prob in reversed(self._steps):
            tokens.append(token[at])
            sums.append(log_prob[at])
            at = parent[at]
        by_sentence = torch.stack(tokens[::-1], dim=1).tolist()
        sums.append(torch.zeros_like(sums[-1]))
        log_probs = torch.stack(sums[::-1], dim=1).diff(dim=1).tolist()
        return [
            [(token, log_prob) for token, log_prob in zip(*rows, strict=True) if token != NOTHING]
            for rows in zip(by_sentence, log_probs, strict=True)
        ]


def sorted_by(*keys: Tensor) -> Tensor:
    """The positions of items, ascending by the first key, equals by the second, and so on; the rest as it was."""
    order = torch.arange(len(keys[0]), device=keys[0].device)
    for key in reversed(keys):  # stable sorts, the least important key first
        order = order[key[order].argsort(stable=True)]
    return order


def place_in_run(sorted_keys: Tensor) -> Tensor:
    """How many equal items come right before each: 0, 1, 2, … within every run of equals."""
    places = torch.arange(len(sorted_keys), device=sorted_keys.device)
    begins = torch.ones_like(places, dtype=torch.bool)
    begins[1:] = sorted_keys[1:] != sorted_keys[:-1]
    return places - torch.where(begins, places, 0).cummax(0).values if len(places) else places
