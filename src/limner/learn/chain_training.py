"""Training linear-chain taggers: conditional random fields (Lafferty et al. 2001) over binary features.

A sequence whose items each have a row of features gets one tag an item. A
score is the sum of the weights of an item's features and of the transition
from the tag before. Sequences of one item make it multinomial logistic
regression.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Floats, Indices, Integers
from limner.learn.chain_tagger import UNIT, ChainRecord
from limner.progress import Progress, silent

# The least number of items that a feature must have to be learnt from.
FEWEST = 8

# Sequences of one step, how often all are seen at least, and at most where these are few steps.
BATCH = 512
EPOCHS = 6
STEPS = 300
MAX_EPOCHS = 60
RATE = 0.25
SPARSITY = 1.0


def train_chain(
    sequences: Iterable[Sequence[tuple[Sequence[str], str]]],
    tags: Sequence[str],
    *,
    forbidden: Collection[tuple[str | None, str]] = (),
    fewest: int = FEWEST,
    sparsity: float = SPARSITY,
    epochs: int = EPOCHS,
    batch_size: int = BATCH,
    seed: int = 0,
    progress: Progress = silent,
) -> ChainRecord:
    """A tagger learnt from sequences of items, each with its features and its tag.

    Every item has as many features as the others. Those of fewer than
    `fewest` items teach nothing. `forbidden` are transitions that never
    happen, None being the start of a sequence. `sparsity` and the rest are as
    `fit_chain` takes them.
    """
    counted = _Counted(tags)
    for sequence in sequences:
        counted.add(sequence)
    data, features = counted.frequent(fewest)
    number = {tag: i for i, tag in enumerate(tags)}
    never = tuple((len(tags) if before is None else number[before], number[after]) for before, after in forbidden)
    fitted = fit_chain(
        data,
        len(features),
        len(tags),
        forbidden=never,
        sparsity=sparsity,
        epochs=epochs,
        batch_size=batch_size,
        seed=seed,
        progress=progress,
    )
    whole = np.rint(fitted.weights * UNIT).astype(np.int64)
    used = np.flatnonzero(whole.any(axis=1))
    return ChainRecord(
        list(tags),
        [features[i] for i in used.tolist()],
        whole[used].tolist(),
        np.rint(fitted.transitions * UNIT).astype(np.int64).tolist(),
    )


class _Counted:
    """Sequences as they come, their features as numbers."""

    def __init__(self, tags: Sequence[str]) -> None:
        self._number_by_tag = {tag: i for i, tag in enumerate(tags)}
        self._number_by_feature: dict[str, int] = {}
        self._features, self._tags, self._lengths = array("i"), array("i"), array("i")

    def add(self, sequence: Sequence[tuple[Sequence[str], str]]) -> None:
        if not sequence:
            return
        numbers = self._number_by_feature
        for features, tag in sequence:
            self._features.extend([numbers.setdefault(feature, len(numbers)) for feature in features])
            self._tags.append(self._number_by_tag[tag])
        self._lengths.append(len(sequence))

    def frequent(self, fewest: int) -> tuple[Sequences, list[str]]:
        """The sequences with the features of at least so many items, and the names of these."""
        n_items = len(self._tags)
        rows = np.array(self._features, dtype=np.int32).reshape(n_items, -1)
        is_kept = np.bincount(rows.ravel(), minlength=len(self._number_by_feature)) >= fewest
        number = np.where(is_kept, np.cumsum(is_kept) - 1, is_kept.sum()).astype(np.int32)
        names = [name for name, kept in zip(self._number_by_feature, is_kept.tolist(), strict=True) if kept]
        tags, lengths = (np.array(column, dtype=np.int64) for column in (self._tags, self._lengths))
        return Sequences(number[rows], tags, lengths), names


class Chain(NamedTuple):
    """Weights `[features, tags]`, and `[tags + 1, tags]` of transitions, whose last row is the start."""

    weights: Floats
    transitions: Floats


class Sequences(NamedTuple):
    """Items of many sequences, one after the other.

    `rows` is `[items, templates]`: the features of each item, where
    `n_features` stands for none. `tags` has a tag for each item, `lengths` the
    number of items of each sequence.
    """

    rows: NDArray[np.int32]
    tags: Integers
    lengths: Integers


def fit_chain(
    sequences: Sequences,
    n_features: int,
    n_tags: int,
    *,
    forbidden: tuple[tuple[int, int], ...] = (),
    sparsity: float = SPARSITY,
    epochs: int = EPOCHS,
    batch_size: int = BATCH,
    seed: int = 0,
    progress: Progress = silent,
) -> Chain:
    """The weights under which the tags are most likely, most of them 0.

    `forbidden` are transitions that never happen, `n_tags` being the start.
    `sparsity` is the strength of the L1 penalty: a feature must explain more
    than so many items to get a weight. `batch_size` sequences make a step of
    AdaGrad on the log likelihood, with the penalty as a proximal step. Few
    sequences are seen more often than `epochs` says. Equal seeds and data give
    equal weights.
    """
    weights = np.zeros((n_features + 1, n_tags))
    transitions = np.zeros((n_tags + 1, n_tags))
    for before, after in forbidden:
        transitions[before, after] = FORBIDDEN
    is_free = transitions == 0.0
    squares, transition_squares = np.full_like(weights, 1e-2), np.full_like(transitions, 1e-2)
    starts = np.concatenate([[0], np.cumsum(sequences.lengths)[:-1]])
    n_sequences = len(sequences.lengths)
    generator = np.random.default_rng(seed)
    n_epochs = max(epochs, min(MAX_EPOCHS, -(-STEPS * batch_size // n_sequences)))
    for epoch in range(n_epochs):
        progress("epochs", epoch, n_epochs)
        order = generator.permutation(n_sequences)
        for at in range(0, n_sequences, batch_size):
            batch = order[at : at + batch_size]
            slope, transition_slope = slopes(sequences, starts, batch, weights, transitions)
            squares += slope**2
            step = RATE / np.sqrt(squares)
            weights -= step * slope
            # The penalty of the whole data, by the share of it that this step has seen.
            shrunk = np.abs(weights) - step * (sparsity * len(batch) / n_sequences)
            weights = np.sign(weights) * np.maximum(shrunk, 0.0)
            # The row of the feature that stands for none.
            weights[-1] = 0.0
            transition_squares += transition_slope**2
            transitions -= is_free * RATE * transition_slope / np.sqrt(transition_squares)
    return Chain(weights[:-1], transitions)


# The score of a transition that never happens: so low that no other scores outweigh it.
FORBIDDEN = -1e4


def slopes(
    sequences: Sequences, starts: Indices, batch: Indices, weights: Floats, transitions: Floats
) -> tuple[Floats, Floats]:
    """The slopes of the negative log likelihood of a batch, by weights and by transitions."""
    # The longest first, so that at every step those that go on are the first ones.
    batch = batch[np.argsort(-sequences.lengths[batch], kind="stable")]
    lengths = sequences.lengths[batch]
    n_steps = int(lengths[0])
    going = [int((lengths > step).sum()) for step in range(n_steps)]
    items = [starts[batch[:n]] + step for step, n in enumerate(going)]
    emissions = [weights[sequences.rows[at]].sum(axis=1) for at in items]
    forward = _forward(emissions, transitions)
    n_tags = weights.shape[1]
    total = np.empty(len(batch))
    for step, n in enumerate(going):
        ends = going[step + 1] if step + 1 < n_steps else 0
        total[ends:n] = _log_sum(forward[step][ends:], axis=1)
    transition_slope = np.zeros_like(transitions)
    errors: list[Floats] = [np.empty(0)] * n_steps
    backward = np.zeros((going[-1], n_tags))
    for step in range(n_steps - 1, -1, -1):
        n = going[step]
        tags = sequences.tags[items[step]]
        likely = np.exp(forward[step] + backward - total[:n, None])
        likely[np.arange(n), tags] -= 1.0
        errors[step] = likely
        ahead = emissions[step] + backward
        if step == 0:
            transition_slope[-1] += likely.sum(axis=0)
            break
        before = forward[step - 1]
        pairs = np.exp(before[:n, :, None] + transitions[:-1] + ahead[:, None, :] - total[:n, None, None])
        transition_slope[:-1] += pairs.sum(axis=0)
        np.subtract.at(transition_slope, (sequences.tags[items[step - 1][:n]], tags), 1.0)
        backward = np.zeros((going[step - 1], n_tags))
        backward[:n] = _log_sum(transitions[:-1] + ahead[:, None, :], axis=2)
    rows = sequences.rows[np.concatenate(items)]
    error = np.concatenate(errors)
    slope = np.stack(
        [
            np.bincount(rows.ravel(), weights=np.repeat(error[:, tag], rows.shape[1]), minlength=len(weights))
            for tag in range(n_tags)
        ],
        axis=1,
    )
    return slope.astype(np.float64), transition_slope


def _forward(emissions: list[Floats], transitions: Floats) -> list[Floats]:
    """For each step the log of the summed weight of everything that ends in each tag there."""
    forward = [emissions[0] + transitions[-1]]
    for emission in emissions[1:]:
        before = forward[-1][: len(emission)]
        forward.append(_log_sum(before[:, :, None] + transitions[:-1], axis=1) + emission)
    return forward


def _log_sum(values: Floats, axis: int) -> Floats:
    most = values.max(axis=axis, keepdims=True)
    return np.asarray(np.log(np.exp(values - most).sum(axis=axis)) + most.squeeze(axis), dtype=np.float64)
