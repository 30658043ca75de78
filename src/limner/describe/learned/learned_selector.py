"""The learned selector, and its file.

Nothing in a file is run, and every number that is used as an index has been
checked: what is read is a sound model, or the error says what is wrong.
Numbers stand in columns, one array for each quantity, so that the file can be
read, and plotted, without Limner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from limner.arrays import Floats
from limner.corpus.image import Image
from limner.corpus.seen_images import SeenImages, is_hash
from limner.describe.learned.box_features import feature_names
from limner.describe.learned.box_layout import Layout
from limner.describe.learned.mention_priors import ALL, PAIRINGS, Effects, Priors, Table
from limner.describe.learned.selection_alternatives import alternatives
from limner.describe.learned.selection_reasons import Explanation, explain
from limner.describe.learned.selector_model import Model, Trained, choose
from limner.describe.selectors import Selection
from limner.errors import shown
from limner.learn.forests import Forest, Tree, forest_faults
from limner.learn.model_files import ModelKind, has_uneven_columns, read_record, write_record

SELECTOR = ModelKind("selector", 1, "limner.describe.train_selector")


class LearnedSelector:
    """Chooses for each image the boxes that promise the largest F against what people mention.

    Captions, chains and the order of boxes have no influence. At least one box
    is chosen in an image that has any.
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    def __repr__(self) -> str:
        trained = self.model.trained
        return f"LearnedSelector({len(self.model.features)} features, trained on {trained.n_images:,} images)"

    @classmethod
    def load(cls, path: Path | str) -> LearnedSelector:
        """The selector that a file holds."""
        return cls(_model(read_record(Path(path), SELECTOR, ModelRecord, _faults)))

    def save(self, path: Path | str) -> None:
        """Write the selector as JSON, compressed if the name ends in .gz or .zst."""
        write_record(_record(self.model), Path(path))

    def select(self, image: Image) -> list[str]:
        """The ids of the boxes to mention, the likeliest to be mentioned first."""
        return self.select_many([image])[0]

    def select_many(self, images: Sequence[Image]) -> list[list[str]]:
        """What `select` returns for each image, in much less time."""
        layout = Layout(images)
        p, r = self.model.worth(layout)
        chosen = choose(layout.offsets, p, r).chosen
        order = np.lexsort((-p, layout.image))
        order = order[chosen[order]]
        ids = [layout.ids[row] for row in order]
        ends = np.searchsorted(layout.image[order], np.arange(len(images)), side="right")
        return [ids[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def offer_many(self, images: Sequence[Image]) -> list[list[Selection]]:
        """What `select` returns for each image, and selections that promise nearly as much."""
        layout = Layout(images)
        p, r = self.model.worth(layout)
        return list(alternatives(layout, p, r, choose(layout.offsets, p, r).chosen))

    def explain(self, image: Image) -> Explanation:
        """Why each box was chosen, or not."""
        return explain(self.model, image)


Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Effect = Annotated[float, msgspec.Meta(ge=-1.0, le=1.0)]
LogArea = Annotated[float, msgspec.Meta(ge=-100.0, le=0.0)]


class TrainedRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the selector was trained on; `hashes` are of its images, and missing in files of before there were any."""

    images: Count
    boxes: Count
    seed: int
    hashes: list[str] | None = None


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
    size: list[LogArea]


class EffectsRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What pairs of labels do to p; a label is given by its position among the labels' names."""

    first: list[Count]
    second: list[Count]
    n: list[Count]
    effect: list[Effect]


class ForestsRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trees whose sums, squashed, are p and r; a feature is given by its position among the features' names."""

    p: list[Tree]
    r: list[Tree]


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


def _record(model: Model) -> ModelRecord:
    """A model as its file has it."""
    return ModelRecord(
        SELECTOR.name,
        SELECTOR.version,
        _trained_record(model.trained),
        list(model.features),
        _table_record(model.priors.labels),
        _table_record(model.priors.kinds),
        {pairing: _effects_record(effects) for pairing, effects in model.priors.effects.items()},
        ForestsRecord(list(model.p.trees), list(model.r.trees)),
    )


def _trained_record(trained: Trained) -> TrainedRecord:
    hashes = None if trained.seen is None else trained.seen.to_json()
    return TrainedRecord(trained.n_images, trained.n_boxes, trained.seed, hashes)


def _trained(record: TrainedRecord) -> Trained:
    seen = None if record.hashes is None else SeenImages(record.hashes)
    return Trained(record.images, record.boxes, record.seed, seen)


def _table_record(table: Table) -> TableRecord:
    names, n, p, r, standing_p, standing_r, named, size = table
    columns = np.vstack([p, r, standing_p.T, standing_r.T, named, size]).tolist()
    return TableRecord(list(names), _integers(n), *columns)


def _effects_record(effects: Effects) -> EffectsRecord:
    return EffectsRecord(effects.first.tolist(), effects.second.tolist(), _integers(effects.n), effects.effect.tolist())


def _integers(numbers: Floats) -> list[int]:
    return [int(number) for number in numbers]


def _model(record: ModelRecord) -> Model:
    """The model of a record that has no faults."""
    effects = {pairing: _effects(pairs) for pairing, pairs in record.pairs.items()}
    return Model(
        record.features,
        Priors(_table(record.labels), _table(record.kinds), effects),
        Forest(record.forests.p),
        Forest(record.forests.r),
        _trained(record.trained),
    )


def _table(record: TableRecord) -> Table:
    names, *columns = msgspec.structs.astuple(record)
    n, p, r, *standing, named, size = map(_floats, columns)
    return Table(names, n, p, r, np.stack(standing[:3], axis=-1), np.stack(standing[3:], axis=-1), named, size)


def _effects(record: EffectsRecord) -> Effects:
    first, second = np.array(record.first, dtype=np.intp), np.array(record.second, dtype=np.intp)
    return Effects(first, second, _floats(record.n), _floats(record.effect))


def _floats(column: Sequence[float]) -> Floats:
    return np.array(column, dtype=np.float64)


def _faults(record: ModelRecord) -> Iterator[str]:
    """What no training would have written, in words."""
    if not all(map(is_hash, record.trained.hashes or ())):
        yield "trained: there is a hash that is none"
    yield from _feature_faults(record.features)
    yield from _table_faults("labels", record.labels)
    yield from _table_faults("kinds", record.kinds)
    if record.kinds.names[:1] != [ALL]:
        yield "kinds: the first must be the empty name, which stands for all boxes"
    if sorted(record.pairs) != sorted(PAIRINGS):
        yield f"pairs: there must be {', '.join(PAIRINGS)}"
    for pairing, effects in record.pairs.items():
        yield from _effects_faults(f"pairs: {pairing}", effects, len(record.labels.names))
    yield from forest_faults("forests: p", record.forests.p, len(record.features))
    yield from forest_faults("forests: r", record.forests.r, len(record.features))


def _feature_faults(names: Sequence[str]) -> Iterator[str]:
    known = frozenset(feature_names())
    for name in names:
        if name not in known:
            yield f"features: unknown feature {shown(name)}"
    if not names:
        yield "features: there are none"
    if len(set(names)) < len(names):
        yield "features: a name occurs twice"


def _table_faults(name: str, table: TableRecord) -> Iterator[str]:
    if has_uneven_columns(table):
        yield f"{name}: the columns differ in length"
    if len(set(table.names)) < len(table.names):
        yield f"{name}: a name occurs twice"


def _effects_faults(name: str, effects: EffectsRecord, n_labels: int) -> Iterator[str]:
    if has_uneven_columns(effects):
        yield f"{name}: the columns differ in length"
    if max([*effects.first, *effects.second], default=0) >= max(n_labels, 1):
        yield f"{name}: a pair names a label that does not exist"
    elif len(set(zip(effects.first, effects.second, strict=False))) < len(effects.first):
        yield f"{name}: a pair occurs twice"
