"""A step of the search: the model is called once, and every sentence under way goes on with its best tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isnan
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor

from limner.caption.constraints.token_machine import FORBIDDEN
from limner.caption.search.hypotheses import Hypotheses, joined
from limner.caption.search.machine_batch import MachineBatch
from limner.errors import LimnerError, shown

State: TypeAlias = dict[str, Tensor]
Step: TypeAlias = Callable[[Tensor, State], tuple[Tensor, State]]

ROUNDING = 1e-3  # how far above 0 arithmetic of low precision may put a log-probability
DEPTH = 32  # tokens in a strand
MIN_VOCABULARY = 2048  # below, a strand is one token
# Barred tokens spoil strands. Where more than one strand in three would have to be searched, a copy is cheaper.
MANY = 3
NONE = float("-inf")
SCORES_AT_ONCE = 1 << 27  # log-probabilities in memory: 512 MB


class Model:
    """The caller's step function and its state; what the function returns is checked."""

    def __init__(self, step: Step, state: State, n_vocab: int, images: Sequence[int]) -> None:
        self._step = step
        self._state = state
        self._n_vocab = n_vocab
        self._images = images  # the caller's numbers of the images in this batch

    def rows(self, under_way: Hypotheses) -> Iterator[tuple[slice, Rows]]:
        """The log-probabilities of the next token, a row for each of some sentences at a time, and which these are.

        Where there are very many sentences, only the rows of some are in memory: a state has a beam of its own, and
        there may be thousands of states.
        """
        at_once = max(1, SCORES_AT_ONCE // self._n_vocab)
        before, after = self._state, []
        for start in range(0, len(under_way.token), at_once):
            part = slice(start, start + at_once)
            rows, state = self._call(under_way.take(part), before)
            after.append(state)
            yield part, rows
        self._state = after[0] if len(after) == 1 else {name: torch.cat([s[name] for s in after]) for name in after[0]}

    def _call(self, under_way: Hypotheses, before: State) -> tuple[Rows, State]:
        state = {name: tensor.index_select(0, under_way.row) for name, tensor in before.items()}
        output: object = self._step(under_way.token, state)
        n = len(under_way.token)
        if not (isinstance(output, tuple) and len(output) == 2):
            kind = shown(type(output).__name__)
            raise LimnerError(f"step returned {kind}, not a pair of log-probabilities and state")
        log_probs, after = output
        check_state(after, n, "the step's new state")
        self._check(log_probs, under_way.token)
        rows = rows_of(log_probs)
        if not bool((rows.peaks <= ROUNDING).all()):  # NaN fails too
            raise self._not_log_probs(log_probs, under_way)
        return rows, after

    def _check(self, log_probs: Any, tokens: Tensor) -> None:
        n = len(tokens)
        if not isinstance(log_probs, torch.Tensor) or not log_probs.is_floating_point():
            kind = log_probs.dtype if isinstance(log_probs, torch.Tensor) else type(log_probs).__name__
            raise LimnerError(f"step returned log-probabilities as {kind}, not as a floating-point tensor")
        if tuple(log_probs.shape) != (n, self._n_vocab):
            raise LimnerError(
                f"step returned log-probabilities of shape {tuple(log_probs.shape)} for {n} tokens and a vocabulary of "
                f"{self._n_vocab}; the shape must be ({n}, {self._n_vocab})"
            )
        if log_probs.device != tokens.device:
            raise LimnerError(
                f"step returned log-probabilities on {log_probs.device} for tokens on {tokens.device}; the search "
                "runs on the device of the first state's tensors"
            )

    def _not_log_probs(self, log_probs: Tensor, under_way: Hypotheses) -> LimnerError:
        row, token = (~(log_probs <= ROUNDING)).nonzero()[0].tolist()
        value, position = float(log_probs[row, token]), int(under_way.n_tokens[row])
        image = self._images[int(under_way.image[row])]
        remedy = "" if isnan(value) else "; log-probabilities must be at most 0: apply log_softmax"
        return LimnerError(
            f"step returned {value:g} for token {token} at position {position} of the sentence of image {image}{remedy}"
        )


def check_state(state: Any, n: int, what: str) -> None:
    """Raises an error where a state is not a dict of tensors with a row for each of n sentences."""
    if not isinstance(state, dict):
        raise LimnerError(f"{what} is {shown(type(state).__name__)}, not a dict of tensors")
    for name, part in state.items():
        if not isinstance(part, torch.Tensor):
            raise LimnerError(f"{what} has {shown(type(part).__name__)} as {shown(name)}, not a tensor")
        if part.dim() == 0 or part.shape[0] != n:
            raise LimnerError(
                f"{what} has {shown(name)} of shape {tuple(part.shape)}; its first dimension must be {n}, "
                "a row for each sentence"
            )


def successors(under_way: Hypotheses, at: Tensor, model: Model, batch: MachineBatch, beam: int, eos: int) -> Hypotheses:
    """Every sentence under way with one more token, where `at` are their positions among all hypotheses."""
    parts = []
    for part, rows in model.rows(under_way):
        longer = _successors(under_way.take(part), at[part], rows, batch, beam, eos)
        parts.append(longer._replace(row=longer.row + part.start) if part.start else longer)
    return joined(*parts)


def _successors(under_way: Hypotheses, at: Tensor, rows: Rows, batch: MachineBatch, beam: int, eos: int) -> Hypotheses:
    """Every sentence under way with one more token: each special one, the end, and the best of every class of others.

    What is forbidden or impossible is left out. No other
    token can be among the best `beam` of any state, since tokens of one class lead to one node.
    """
    image = under_way.image
    n_special = batch.n_special
    special = batch.special[image]
    best, best_tokens = best_others(rows, image, batch, beam)
    end = torch.full_like(image[:, None], eos)
    tokens = torch.cat([special, best_tokens.flatten(1), end], 1)
    named = rows.log_probs.gather(1, torch.cat([special, end], 1))
    added = torch.cat([named[:, :n_special], best.flatten(1), named[:, n_special:]], 1)
    classes = torch.arange(batch.n_classes, device=image.device).repeat_interleave(best.shape[2])
    columns = torch.cat(
        [torch.arange(n_special, device=image.device), n_special + classes, n_special + classes[-1:] + 1]
    )

    following = batch.next[under_way.node][:, columns]
    row, choice = ((following != FORBIDDEN) & (added > NONE)).nonzero(as_tuple=True)
    parents, node, token = under_way.take(row), following[row, choice], tokens[row, choice]
    # In float64: the errors of float32 would add up over the tokens. What rounding put above 0 is cut off.
    log_prob = parents.log_prob + added[row, choice].double().clamp(max=0)
    met = batch.pending[parents.node] & batch.boundary[parents.image, columns[choice]]
    return parents._replace(
        node=node,
        mask=parents.mask | met | batch.gains[node],
        log_prob=log_prob,
        n_tokens=parents.n_tokens + 1,
        ended=token == eos,
        rank=parents.rank * rows.log_probs.shape[1] + token,
        token=token,
        parent=at[row],
        row=row,
    )


class Rows(NamedTuple):
    """The log-probabilities of the next token of each sentence, and the best of every strand of them.

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
    n_full = n_vocab // n_strands  # the last link is short where the vocabulary does not divide
    peaks = log_probs[:, : n_full * n_strands].view(len(log_probs), n_full, n_strands).amax(1)
    rest = n_vocab - n_full * n_strands
    peaks[:, :rest] = peaks[:, :rest].maximum(log_probs[:, n_vocab - rest :])
    return Rows(log_probs, peaks)


def best_others(rows: Rows, image: Tensor, batch: MachineBatch, beam: int) -> tuple[Tensor, Tensor]:
    """The log-probabilities of the best tokens of each class, and those tokens, both [n, classes, beam].

    `image` names the machine of each row. Of equals the lowest ids are taken. Where a class has fewer tokens, -inf
    stands for the rest; where the vocabulary has, there are fewer columns.
    """
    if batch.n_classes == 1 and MANY * (beam + batch.n_barred) < rows.peaks.shape[1]:
        # A copy of the rows, without the special tokens, would cost more than all the rest.
        values, tokens = _best(rows, beam, Allowed(batch.token_class, image, batch.n_barred))
        return values[:, None], tokens[:, None]
    classes = batch.token_class[image]
    best = [
        _best(rows_of(rows.log_probs.masked_fill(classes != number, NONE)), beam, None)
        for number in range(batch.n_classes)
    ]
    return torch.stack([values for values, _ in best], 1), torch.stack([tokens for _, tokens in best], 1)


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
    ids = torch.arange(log_probs.shape[1], device=log_probs.device)
    if allowed:
        log_probs = allowed.bar(log_probs, ids, of)
    last = values[:, -1:]
    lowest = torch.where(log_probs == last, len(ids) - ids, 0).topk(values.shape[1]).indices
    position = torch.arange(values.shape[1], device=values.device) - (values > last).sum(1, keepdim=True)
    return torch.where(values == last, lowest.gather(1, position.clamp(min=0)), tokens)
