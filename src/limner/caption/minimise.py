"""The smallest machine that counts as another does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limner.caption.machine import FORBIDDEN, Machine

ENOUGH = -1


def minimised(table: Machine, at_least: int) -> Machine:
    """The table with states merged that no continuation tells apart, and without columns that do what their class does.

    Told apart is by what a sentence may do and by the mask; but once `at_least` constraints are met all masks are one,
    and `gains` is that of the first state merged: enough, and not always those that the sentence meets.
    """
    masks = np.stack([table.gains, table.gains | table.pending], axis=1)
    masks[np.bitwise_count(masks) >= at_least] = ENOUGH
    kinds = _numbered(np.column_stack([masks, table.may_end]))
    while True:
        refined = _numbered(np.column_stack([kinds, _kinds_after(table, kinds)]))
        if refined.max() == kinds.max():
            break
        kinds = refined
    first = np.unique(kinds, return_index=True)[1]
    merged = replace(
        table,
        next=_kinds_after(table, kinds)[first],
        gains=table.gains[first],
        pending=table.pending[first],
        may_end=table.may_end[first],
    )
    return _without_idle_columns(merged)


def _kinds_after(table: Machine, kinds: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.append(kinds, np.int32(FORBIDDEN))[table.next]


def _numbered(rows: NDArray[np.signedinteger[Any]]) -> NDArray[np.int32]:
    """A number for each row, the same for equal ones, counted from 0 as they first occur."""
    number: dict[bytes, int] = {}
    return np.array([number.setdefault(row.tobytes(), len(number)) for row in rows], dtype=np.int32)


def _without_idle_columns(table: Machine) -> Machine:
    n_special = len(table.special)
    if table.token_class is None:
        same = np.full(n_special, n_special)
    else:
        same = n_special + table.token_class[table.special].astype(np.int64)
    needed = (table.next[:, :n_special] != table.next[:, same]).any(axis=0)
    columns = np.append(needed, np.ones(table.n_columns - n_special, dtype=np.bool_))
    return replace(
        table, special=table.special[needed], next=table.next[:, columns].copy(), boundary=table.boundary[columns]
    )
