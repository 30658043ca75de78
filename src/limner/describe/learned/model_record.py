"""What stands in the file of a learned selector.

Numbers stand in columns, one array for each thing that is told, so that the
file can be read, and plotted, without Limner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np

from limner.corpus.geometry import Numbers
from limner.describe.learned.model import Model, Trained
from limner.describe.learned.priors import Effects, Priors, Table
from limner.describe.learned.trees import Forest, Tree

KIND = "selector"
VERSION = 1

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Effect = Annotated[float, msgspec.Meta(ge=-1.0, le=1.0)]
Size = Annotated[float, msgspec.Meta(ge=-100.0, le=0.0)]
Value = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]


class TrainedRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the selector was trained on."""

    images: Count
    boxes: Count
    seed: int


class TableRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Priors by name; `p` and `r` also for an only box of its label, the largest of several, and the rest."""

    names: list[str]
    n: list[Count]
    p: list[Share]
    r: list[Share]
    p_only: list[Share]
    p_largest: list[Share]
    p_rest: list[Share]
    r_only: list[Share]
    r_largest: list[Share]
    r_rest: list[Share]
    named: list[Share]
    size: list[Size]


class EffectsRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What pairs of labels do to p; labels are told by their place among the labels' names."""

    first: list[Count]
    second: list[Count]
    n: list[Count]
    effect: list[Effect]


class TreeRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tree, its nodes numbered from 0, the root; features are told by their place, and a leaf has -1."""

    feature: list[int]
    threshold: list[float]
    left: list[Count]
    right: list[Count]
    value: list[Value]


class ForestsRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trees whose sums, squashed, are p and r."""

    p: list[TreeRecord]
    r: list[TreeRecord]


class ModelRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A selector's file."""

    limner_model: str
    version: int
    trained: TrainedRecord
    features: list[str]
    labels: TableRecord
    kinds: TableRecord
    pairs: dict[str, EffectsRecord]
    forests: ForestsRecord


def record_of(model: Model) -> ModelRecord:
    """A model as its file has it."""
    return ModelRecord(
        KIND,
        VERSION,
        TrainedRecord(*model.trained),
        list(model.features),
        _table_record(model.priors.labels),
        _table_record(model.priors.kinds),
        {pairing: _effects_record(effects) for pairing, effects in model.priors.effects.items()},
        ForestsRecord(_tree_records(model.p), _tree_records(model.r)),
    )


def model_of(record: ModelRecord) -> Model:
    """The model of a record that has been found sound."""
    return Model(
        record.features,
        Priors(
            _table(record.labels),
            _table(record.kinds),
            {pairing: _effects(effects) for pairing, effects in record.pairs.items()},
        ),
        Forest([tree_of(tree) for tree in record.forests.p]),
        Forest([tree_of(tree) for tree in record.forests.r]),
        Trained(record.trained.images, record.trained.boxes, record.trained.seed),
    )


def tree_of(record: TreeRecord) -> Tree:
    """The tree of a record."""
    return Tree(record.feature, record.threshold, record.left, record.right, record.value)


def _tree_records(forest: Forest) -> list[TreeRecord]:
    return [
        TreeRecord(list(tree.feature), list(tree.threshold), list(tree.left), list(tree.right), list(tree.value))
        for tree in forest.trees
    ]


def _table_record(table: Table) -> TableRecord:
    return TableRecord(
        list(table.names),
        _whole(table.n),
        table.p.tolist(),
        table.r.tolist(),
        table.standing_p[:, 0].tolist(),
        table.standing_p[:, 1].tolist(),
        table.standing_p[:, 2].tolist(),
        table.standing_r[:, 0].tolist(),
        table.standing_r[:, 1].tolist(),
        table.standing_r[:, 2].tolist(),
        table.named.tolist(),
        table.size.tolist(),
    )


def _table(record: TableRecord) -> Table:
    return Table(
        record.names,
        _numbers(record.n),
        _numbers(record.p),
        _numbers(record.r),
        np.stack([_numbers(column) for column in (record.p_only, record.p_largest, record.p_rest)], axis=-1),
        np.stack([_numbers(column) for column in (record.r_only, record.r_largest, record.r_rest)], axis=-1),
        _numbers(record.named),
        _numbers(record.size),
    )


def _effects_record(effects: Effects) -> EffectsRecord:
    return EffectsRecord(effects.first.tolist(), effects.second.tolist(), _whole(effects.n), effects.effect.tolist())


def _effects(record: EffectsRecord) -> Effects:
    first, second = np.array(record.first, dtype=np.intp), np.array(record.second, dtype=np.intp)
    return Effects(first, second, _numbers(record.n), _numbers(record.effect))


def _numbers(column: Sequence[float]) -> Numbers:
    return np.array(column, dtype=np.float64)


def _whole(numbers: Numbers) -> list[int]:
    return [int(number) for number in numbers]
