"""The best tokens of each row, of those that no constraint names, without a copy of the log-probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from torch import Tensor

    from limner.caption.machines import Machines

DEPTH = 32  # tokens in a strand
MIN_VOCABULARY = 2048  # below, a strand is one token
MANY = 3  # a copy is made where more than one strand in so many would have to be looked through
NONE = float("-inf")


class Rows(NamedTuple):
    """What the model says of the next token of each sentence.

    Strand j of a row has the tokens j, j + strands, j + 2 · strands, …; `peaks` has the best of each, NaN where a
    strand has one. So one pass over the rows, in the order of memory, leaves a small part of them to choose from.
    """

    log_probs: Tensor
    peaks: Tensor


def rows_of(log_probs: Tensor) -> Rows:
    n_vocab = log_probs.shape[1]
    if n_vocab < MIN_VOCABULARY:
        return Rows(log_probs, log_probs)
    n_strands = -(-n_vocab // DEPTH)
    whole = n_vocab // n_strands * n_strands
    peaks = log_probs[:, :whole].unflatten(1, (-1, n_strands)).amax(1)
    rest = n_vocab - whole
    peaks[:, :rest] = peaks[:, :rest].maximum(log_probs[:, whole:])
    return Rows(log_probs, peaks)


def best_others(rows: Rows, image: Tensor, machines: Machines, beam: int) -> tuple[Tensor, Tensor]:
    """The log-probabilities of the best tokens of each class, and those tokens, both [n, classes, beam].

    `image` names the machine of each row. Of equals the lowest ids are taken. Where a class has fewer tokens, -inf
    stands for the rest; where the vocabulary has, there are fewer columns.
    """
    import torch

    if machines.n_classes == 1 and MANY * (beam + machines.n_barred) < rows.peaks.shape[1]:
        # A copy of the rows, without the special tokens, would cost more than all the rest.
        values, tokens = _best(rows, beam, Allowed(machines.token_class, image, machines.n_barred))
        return values[:, None], tokens[:, None]
    classes = machines.token_class[image]
    found = [
        _best(rows_of(rows.log_probs.masked_fill(classes != each, NONE)), beam, None)
        for each in range(machines.n_classes)
    ]
    return torch.stack([values for values, _ in found], 1), torch.stack([tokens for _, tokens in found], 1)


class Allowed(NamedTuple):
    """The tokens that may be taken: those of class 0. At most `n_barred` of a row are not."""

    token_class: Tensor
    image: Tensor
    n_barred: int

    def bar(self, log_probs: Tensor, tokens: Tensor, of: Tensor | slice = slice(None)) -> Tensor:
        """The log-probabilities of tokens, of some rows, with -inf for those that may not be taken."""
        return log_probs.masked_fill(self.token_class[self.image[of, None], tokens] != 0, NONE)


def _best(rows: Rows, beam: int, allowed: Allowed | None) -> tuple[Tensor, Tensor]:
    """The best `beam` of each row, best first.

    Tokens that are barred spoil one strand each, so that many more strands are looked through.
    """
    import torch

    log_probs, peaks = rows
    n_vocab, n_strands = log_probs.shape[1], peaks.shape[1]
    beam = min(beam, n_vocab)
    n_taken = min(beam + (allowed.n_barred if allowed else 0), n_strands)
    tops, strands = peaks.topk(min(n_taken + 1, n_strands))
    links = torch.arange(0, n_vocab, n_strands, device=peaks.device)
    tokens = (strands[:, :n_taken, None] + links).flatten(1)
    last = tokens.clamp(max=n_vocab - 1)
    values = log_probs.gather(1, last).masked_fill(tokens != last, NONE)
    values = allowed.bar(values, last) if allowed else values
    values, at = values.topk(min(beam + 1, values.shape[1]))
    tokens = tokens.gather(1, at)
    # Where what was left out is as good as the last that was taken, the choice was by chance.
    left_out = torch.cat([values[:, beam:], tops[:, n_taken:]], 1)
    values, tokens = values[:, :beam], tokens[:, :beam]
    chance = ((left_out == values[:, -1:]) & (left_out > NONE)).any(1).nonzero()[:, 0]
    if len(chance):
        tokens[chance] = _first_of_equals(values[chance], tokens[chance], log_probs[chance], allowed, chance)
    return values, tokens


def _first_of_equals(values: Tensor, tokens: Tensor, log_probs: Tensor, allowed: Allowed | None, of: Tensor) -> Tensor:
    """The tokens, with the lowest ids of those whose log-probability is the last of the values."""
    import torch

    ids = torch.arange(log_probs.shape[1], device=log_probs.device)
    if allowed:
        log_probs = allowed.bar(log_probs, ids, of)
    last = values[:, -1:]
    lowest = torch.where(log_probs == last, len(ids) - ids, 0).topk(values.shape[1]).indices
    place = torch.arange(values.shape[1], device=values.device) - (values > last).sum(1, keepdim=True)
    return torch.where(values == last, lowest.gather(1, place.clamp(min=0)), tokens)
