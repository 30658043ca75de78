"""Exact search in both directions at once: each row's best columns and each column's best rows, in one pass.

Scores are made a block at a time and never kept, so that 31,783 pictures and
158,915 sentences need no 20 GB. It knows nothing of pictures and sentences.

- The rank of a gold item is pessimistic: one more than the number of items
  that are not gold for the query and score at least as much. Scores within
  `TOLERANCE` of the gold one count as equal, since a product of singles is not
  surer than that: copies of the gold item never lose to rounding.
- Of equal scores, the item with the smaller number comes first in a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Booleans, Indices, Integers, Singles
from limner.progress import Progress, silent

# Scores that differ by less are equal. Cosines of vectors of a thousand singles are exact to about a third of it.
TOLERANCE = 1e-6

# Rows and columns of a block: 8 MB of scores, of which the processor's caches hold most while they are looked at.
BLOCK_ROWS = 1020
BLOCK_COLUMNS = 2040


class ScoreBlocks(Protocol):
    """The scores of all rows and columns, made when they are asked for."""

    @property
    def shape(self) -> tuple[int, int]: ...

    def block(self, rows: slice, columns: slice) -> Singles:
        """The scores of some rows and columns, `[rows, columns]`; larger is better."""

    def pairs(self, rows: Integers, columns: Integers) -> Singles:
        """The scores of single pairs, `[pairs]`."""


class Products:
    """Scores that are products of vectors: cosines, where the vectors have unit length."""

    def __init__(self, rows: Singles, columns: Singles) -> None:
        if rows.ndim != 2 or columns.ndim != 2 or rows.shape[1] != columns.shape[1]:
            raise ValueError(f"vectors of shapes {rows.shape} and {columns.shape} have no products")
        self.rows, self.columns = rows, columns

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.columns)

    def block(self, rows: slice, columns: slice) -> Singles:
        return np.asarray(self.rows[rows], dtype=np.float32) @ np.asarray(self.columns[columns], dtype=np.float32).T

    def pairs(self, rows: Integers, columns: Integers) -> Singles:
        # A million rows at a time would be as large as the vectors themselves.
        parts = [
            np.einsum("pd,pd->p", self.rows[rows[at]], self.columns[columns[at]], dtype=np.float32)
            for at in (slice(start, start + 16_384) for start in range(0, len(rows), 16_384))
        ]
        return np.concatenate([np.zeros(0, dtype=np.float32), *parts])


class Ranking(NamedTuple):
    """What was found for each query: the rank of its best gold item, from 1 (0 without one), and its best items.

    `items` is `[queries, k]`, best first, with their `scores`; -1 and -inf where there are fewer items than k.
    """

    ranks: Integers
    items: Indices
    scores: Singles


class CrossSearch(NamedTuple):
    """The answers of both directions: for each row its columns, and for each column its rows."""

    of_rows: Ranking
    of_columns: Ranking


def cross_search(scores: ScoreBlocks, gold_rows: Integers, k: int = 10, *, progress: Progress = silent) -> CrossSearch:
    """The ranks of gold and the k best items in both directions.

    `gold_rows` has the row that is gold for each column, -1 for none; a row may
    have several such columns, and its rank is that of the best. Time grows
    with rows times columns times dimensions; memory with (rows + columns) times k.
    """
    n_rows, n_columns = scores.shape
    gold = np.asarray(gold_rows, dtype=np.int64)
    if gold.shape != (n_columns,) or (n_columns and not -1 <= gold.min() <= gold.max() < n_rows):
        raise ValueError(f"gold must have a row below {n_rows:,}, or -1, for each of the {n_columns:,} columns")
    if k < 1:
        raise ValueError(f"k is {k}; ask for at least one item")
    rows, columns = _Queries(n_rows, k), _Queries(n_columns, k)
    with_gold = np.flatnonzero(gold >= 0)
    of_gold = scores.pairs(gold[with_gold], with_gold)
    columns.gold[with_gold] = of_gold - np.float32(TOLERANCE)
    np.fmax.at(rows.gold, gold[with_gold], of_gold - np.float32(TOLERANCE))
    # One thread looks at a block for rows, one for columns, while the next block is being made.
    with ThreadPoolExecutor(2, thread_name_prefix="search") as pool:
        begun: list[Future[None]] = []
        for at_rows, at_columns in blocks_of(n_rows, n_columns):
            block = scores.block(at_rows, at_columns)
            pairs = _gold_pairs(gold, at_rows, at_columns)
            for future in begun:
                future.result()
            begun = [
                pool.submit(rows.see, block, at_rows, at_columns, pairs, by_row=True),
                pool.submit(columns.see, block, at_columns, at_rows, pairs, by_row=False),
            ]
            progress("rows", at_rows.stop, n_rows)
        for future in begun:
            future.result()
    return CrossSearch(rows.ranking(), columns.ranking())


def best_of_rows(scores: Singles, k: int) -> tuple[Indices, Singles]:
    """The k best columns of each row, best first, and their scores; -1 and -inf where there are fewer columns."""
    queries = _Queries(len(scores), k)
    if scores.size:
        queries.keep_best(scores, slice(0, len(scores)), 0, by_row=True)
    return queries.items, queries.scores


class _Queries:
    """What is known so far of the queries of one direction.

    `gold` is the score from which an item is counted against the gold one.
    """

    def __init__(self, n: int, k: int) -> None:
        self.gold = np.full(n, np.nan, dtype=np.float32)
        self.items = np.full((n, k), -1, dtype=np.intp)
        self.scores = np.full((n, k), -np.inf, dtype=np.float32)
        self._n_above = np.zeros(n, dtype=np.int64)

    def see(self, block: Singles, queries: slice, items: slice, gold: tuple[Indices, Indices], *, by_row: bool) -> None:
        """Look at a block of scores, of which the rows are queries, or the columns are."""
        axis = 1 if by_row else 0
        above = block >= np.expand_dims(self.gold[queries], axis)
        # Gold items are not counted against each other, nor against themselves.
        above[gold] = False
        self._n_above[queries] += _counts(above, by_row=by_row)
        self.keep_best(block, queries, items.start, by_row=by_row)

    def keep_best(self, block: Singles, queries: slice, first_item: int, *, by_row: bool) -> None:
        """Put what is better than the best k of before in its place among them."""
        axis, k = (1 if by_row else 0), self.items.shape[1]
        least = self.scores[queries, -1]
        if first_item == 0 and block.shape[axis] > k:
            # What the first block alone says of the k-th best saves sorting all of it.
            order = block.shape[axis] - k
            least = np.nextafter(np.partition(block, order, axis=axis).take(order, axis=axis), np.float32(-np.inf))
        places = np.flatnonzero(block > np.expand_dims(least, axis))
        rows, columns = np.divmod(places, block.shape[1])
        values = block.ravel()[places]
        by_query, of_items = (rows, columns) if by_row else (columns, rows)
        if not by_row:
            order_of_queries = np.argsort(by_query, kind="stable")
            by_query, of_items, values = (part[order_of_queries] for part in (by_query, of_items, values))
        self._merge(by_query + queries.start, of_items + first_item, values)

    def _merge(self, queries: Indices, items: Indices, values: Singles) -> None:
        """Sort new items, which come by query and then by number, in among the best."""
        if not len(queries):
            return
        starts = np.flatnonzero(np.concatenate([[True], queries[1:] != queries[:-1]]))
        changed, counts = queries[starts], np.diff(starts, append=len(queries))
        k, width = self.items.shape[1], int(counts.max())
        at = np.repeat(np.arange(len(changed)), counts), k + np.arange(len(queries)) - np.repeat(starts, counts)
        scores = np.full((len(changed), k + width), -np.inf, dtype=np.float32)
        numbers = np.full((len(changed), k + width), -1, dtype=np.intp)
        scores[:, :k], numbers[:, :k] = self.scores[changed], self.items[changed]
        scores[at], numbers[at] = values, items
        # Stable: those of before, whose numbers are smaller, stay first among equals.
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        self.scores[changed] = np.take_along_axis(scores, best, axis=1)
        self.items[changed] = np.take_along_axis(numbers, best, axis=1)

    def ranking(self) -> Ranking:
        return Ranking(np.where(np.isnan(self.gold), 0, self._n_above + 1), self.items, self.scores)


def blocks_of(n_rows: int, n_columns: int) -> Iterator[tuple[slice, slice]]:
    """The blocks, row by row and from left to right: smaller numbers are seen first."""
    for row in range(0, n_rows, BLOCK_ROWS):
        for column in range(0, n_columns, BLOCK_COLUMNS):
            yield slice(row, min(row + BLOCK_ROWS, n_rows)), slice(column, min(column + BLOCK_COLUMNS, n_columns))


def _gold_pairs(gold: Integers, rows: slice, columns: slice) -> tuple[Indices, Indices]:
    """Where in a block the pairs of gold are."""
    of_columns = gold[columns]
    within = np.flatnonzero((of_columns >= rows.start) & (of_columns < rows.stop))
    return (of_columns[within] - rows.start).astype(np.intp), within


def _counts(mask: Booleans, *, by_row: bool) -> Integers:
    """How many are true in each row, or in each column.

    Numpy adds booleans up one by one. As bytes of words they are added eight
    at a time; a byte overflows after 255.
    """
    words = _words(mask)
    if by_row:
        total = np.zeros(len(mask), dtype=np.int64)
        for start in range(0, words.shape[1], 255):
            sums = words[:, start : start + 255].sum(axis=1, dtype=np.uint64)
            total += sums.view(np.uint8).reshape(-1, 8).sum(axis=1, dtype=np.int64)
        return total
    total = np.zeros(words.shape[1] * 8, dtype=np.int64)
    for start in range(0, len(words), 255):
        total += words[start : start + 255].sum(axis=0, dtype=np.uint64).view(np.uint8)
    return total[: mask.shape[1]]


def _words(mask: Booleans) -> NDArray[np.uint64]:
    """A mask as words of eight bytes, filled up with what is false."""
    missing = -mask.shape[1] % 8
    whole = np.pad(mask, ((0, 0), (0, missing))) if missing else mask
    return np.ascontiguousarray(whole).view(np.uint64)
