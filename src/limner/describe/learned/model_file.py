"""Writing the file of a learned selector, and reading one that is not trusted.

Nothing in a file is run, and every number that is used as an index has been
checked: what is read is a sound model or one line about what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from limner.describe.learned.features import feature_names
from limner.describe.learned.model import Model
from limner.describe.learned.model_record import (
    KIND,
    VERSION,
    EffectsRecord,
    ModelRecord,
    TableRecord,
    TreeRecord,
    model_of,
    record_of,
    tree_of,
)
from limner.describe.learned.priors import ALL
from limner.describe.learned.tally import PAIRINGS
from limner.describe.learned.trees import LEAF, depth
from limner.errors import BadInput, shown
from limner.learn.model_files import ModelKind, read_record, write_record

SELECTOR = ModelKind(KIND, VERSION)

MAX_TREES = 5_000
MAX_DEPTH = 64


def write_model(model: Model, path: Path) -> None:
    """Write a model; the file is whole or not there."""
    write_record(record_of(model), path)


def read_model(path: Path) -> Model:
    """A model from its file, checked."""
    record = read_record(path, SELECTOR, ModelRecord)
    for problem in _faults(record):
        raise BadInput(str(path), problem, SELECTOR.remedy)
    return model_of(record)


def _faults(record: ModelRecord) -> Iterator[str]:
    """What no training would have written, in words."""
    yield from _feature_faults(record.features)
    yield from _table_faults("labels", record.labels)
    yield from _table_faults("kinds", record.kinds)
    if record.kinds.names[:1] != [ALL]:
        yield "kinds: the first is not the empty name, which stands for all boxes"
    if sorted(record.pairs) != sorted(PAIRINGS):
        yield f"pairs: there should be {', '.join(PAIRINGS)}"
    for pairing, effects in record.pairs.items():
        yield from _effects_faults(f"pairs: {pairing}", effects, len(record.labels.names))
    for name in ("p", "r"):
        yield from _forest_faults(f"forests: {name}", getattr(record.forests, name), len(record.features))


def _feature_faults(names: Sequence[str]) -> Iterator[str]:
    known = frozenset(feature_names())
    for name in names:
        if name not in known:
            yield f"features: {shown(name)} is none that this Limner knows"
    if not names or len(set(names)) < len(names):
        yield "features: there is none, or one stands there twice"


def _table_faults(place: str, table: TableRecord) -> Iterator[str]:
    if _uneven(table):
        yield f"{place}: the columns are not of one length"
    if len(set(table.names)) < len(table.names):
        yield f"{place}: a name stands there twice"


def _effects_faults(place: str, effects: EffectsRecord, n_labels: int) -> Iterator[str]:
    if _uneven(effects):
        yield f"{place}: the columns are not of one length"
    if max([*effects.first, *effects.second], default=0) >= max(n_labels, 1):
        yield f"{place}: a pair names a label that is not there"
    elif len(set(zip(effects.first, effects.second, strict=False))) < len(effects.first):
        yield f"{place}: a pair stands there twice"


def _forest_faults(place: str, trees: Sequence[TreeRecord], n_features: int) -> Iterator[str]:
    if len(trees) > MAX_TREES:
        yield f"{place}: there are more than {MAX_TREES} trees"
    for i, tree in enumerate(trees):
        if _uneven(tree) or not tree.feature:
            yield f"{place}[{i}]: the columns are not of one length, or empty"
        elif not all(LEAF <= feature < n_features for feature in tree.feature):
            yield f"{place}[{i}]: a node asks for a feature that is not there"
        elif not _is_tree(tree):
            yield f"{place}[{i}]: the nodes are no tree whose children come after their parents"
        elif depth(tree_of(tree)) > MAX_DEPTH:
            yield f"{place}[{i}]: a way through the tree is longer than {MAX_DEPTH}"


def _is_tree(tree: TreeRecord) -> bool:
    """Whether every node but the first is the child of exactly one node before it."""
    children: list[int] = []
    for node, feature in enumerate(tree.feature):
        if feature != LEAF:
            below = (tree.left[node], tree.right[node])
            if min(below) <= node:
                return False
            children += below
    return sorted(children) == list(range(1, len(tree.feature)))


def _uneven(record: msgspec.Struct) -> bool:
    return len({len(column) for column in msgspec.structs.astuple(record)}) > 1
