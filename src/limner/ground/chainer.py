"""A model of chains: how likely two mentions are of one thing; and its file.

Nothing in a file is run, and every number that is used as an index has been
checked: what is read is a sound model, or the error says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import numpy as np

from limner.arrays import Floats, Indices
from limner.errors import LimnerError
from limner.ground.chain_clusters import cluster
from limner.ground.mention_words import MentionWords
from limner.ground.noun_pairs import MENTION_TYPES, NounPairs
from limner.ground.pair_features import feature_names, pair_features
from limner.learn.forests import Forest, Tree, forest_faults
from limner.learn.model_files import ModelKind, has_uneven_columns, read_record, write_record

CHAINS = ModelKind("chains", 1, "limner.ground.train_chains")

# Mentions of one image, each of which is compared with all others: 500 take 300 MB and up to ten seconds.
MAX_MENTIONS = 500


class TrainedChains(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a chainer was learnt from; `data` is the fingerprint of the captions and their chains."""

    n_images: int
    n_mentions: int
    seed: int
    data: str


class Chainer(NamedTuple):
    """Says which mentions of an image's captions are of one thing.

    Two mentions are rather of one thing if the sum of the trees for their
    features is above the threshold.
    """

    known: NounPairs
    forest: Forest
    threshold: float
    trained: TrainedChains

    def __repr__(self) -> str:
        return f"Chainer({len(self.forest.trees)} trees, trained on {self.trained.n_images:,} images)"

    @classmethod
    def load(cls, path: Path | str) -> Chainer:
        """The chainer that a file holds."""
        return _chainer(read_record(Path(path), CHAINS, ChainsRecord, _faults))

    def save(self, path: Path | str) -> None:
        """Write the chainer as JSON, compressed if the name ends in .gz or .zst."""
        write_record(_record(self), Path(path))

    def things(self, mentions: Sequence[MentionWords], given: Indices | None = None) -> Indices:
        """For every mention of an image, as `read_mentions` reads them, the number of the first one of the same thing.

        `given` has a number of 0 or more for mentions whose thing is known, -1
        for the others. No two mentions of one caption are of the same thing,
        unless they are given so. Raises `LimnerError` for more than
        `MAX_MENTIONS` mentions.
        """
        if len(mentions) > MAX_MENTIONS:
            raise LimnerError(f"{len(mentions):,} mentions are more than the {MAX_MENTIONS:,} that can be chained")
        caption = np.array([mention.caption for mention in mentions], dtype=np.intp)
        scores = np.zeros((len(mentions), len(mentions)))
        first, second, features = pair_features(mentions, self.known)
        scores[first, second] = scores[second, first] = self.forest.predict(features) - self.threshold
        return cluster(scores, caption[:, None] != caption, given)

    def type_shares(self, mentions: Sequence[MentionWords]) -> Floats:
        """How likely every mention is of each of `MENTION_TYPES`, by its noun alone, `[mentions, types]`."""
        return self.known.type_shares([mention.phrase.noun for mention in mentions])


@cache
def built_in_chainer() -> Chainer:
    """The chainer that comes with Limner, learnt from the training images of Flickr30k Entities."""
    with as_file(files("limner.ground") / "chains.json.gz") as path:
        return Chainer.load(path)


Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
Share = Annotated[float, msgspec.Meta(gt=0.0, lt=1.0)]


class PairsRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Pairs of nouns, each noun by its number: how often they were met and how often they were of one thing."""

    first: list[Count]
    second: list[Count]
    n: list[Count]
    linked: list[Count]


class TypesRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many mentions of a noun, by its number, are of a type, by its number; what is not there is 0."""

    noun: list[Count]
    type: list[Count]
    n: list[Count]


class ChainsRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chainer's file."""

    limner_model: str
    version: int
    trained: TrainedChains
    threshold: Annotated[float, msgspec.Meta(ge=-100.0, le=100.0)]
    base_same: Share
    base_other: Share
    features: list[str]
    mention_types: list[str]
    nouns: list[str]
    pairs: PairsRecord
    types: TypesRecord
    trees: list[Tree]


def _record(chainer: Chainer) -> ChainsRecord:
    known = chainer.known
    nouns = sorted({*known.types, *(noun for pair in known.n_pairs for noun in pair)})
    number = {noun: i for i, noun in enumerate(nouns)}
    pairs = sorted(known.n_pairs)
    types = [(number[noun], i, n) for noun, counts in sorted(known.types.items()) for i, n in enumerate(counts) if n]
    return ChainsRecord(
        CHAINS.name,
        CHAINS.version,
        chainer.trained,
        chainer.threshold,
        known.base_same,
        known.base_other,
        list(feature_names()),
        list(MENTION_TYPES),
        nouns,
        PairsRecord(
            [number[first] for first, _ in pairs],
            [number[second] for _, second in pairs],
            [known.n_pairs[pair] for pair in pairs],
            [known.n_linked.get(pair, 0) for pair in pairs],
        ),
        TypesRecord(*([row[i] for row in types] for i in range(3))),
        list(chainer.forest.trees),
    )


def _chainer(record: ChainsRecord) -> Chainer:
    """The chainer of a record that has no faults."""
    nouns, pairs = record.nouns, record.pairs
    named = [(nouns[first], nouns[second]) for first, second in zip(pairs.first, pairs.second, strict=True)]
    types: dict[str, list[int]] = {}
    for noun, type, n in zip(record.types.noun, record.types.type, record.types.n, strict=True):
        types.setdefault(nouns[noun], [0] * len(MENTION_TYPES))[type] = n
    known = NounPairs(
        dict(zip(named, pairs.linked, strict=True)),
        dict(zip(named, pairs.n, strict=True)),
        types,
        record.base_same,
        record.base_other,
    )
    return Chainer(known, Forest(record.trees), record.threshold, record.trained)


def _faults(record: ChainsRecord) -> Iterator[str]:
    """What no training would have written; after this check every number is safe to use as an index."""
    if tuple(record.features) != feature_names():
        yield "features: these are not the features of this version of Limner"
    if tuple(record.mention_types) != MENTION_TYPES:
        yield f"mention_types: expected {', '.join(MENTION_TYPES)}"
    if len(set(record.nouns)) < len(record.nouns):
        yield "nouns: a noun is there twice"
    pairs, types = record.pairs, record.types
    for name, table in (("pairs", pairs), ("types", types)):
        if has_uneven_columns(table):
            yield f"{name}: the columns differ in length"
    n_nouns = len(record.nouns)
    if any(number >= n_nouns for number in (*pairs.first, *pairs.second, *types.noun)):
        yield "pairs, types: a noun is not there"
    if any(number >= len(MENTION_TYPES) for number in types.type):
        yield "types: a type is not there"
    if any(linked > n for linked, n in zip(pairs.linked, pairs.n, strict=False)):
        yield "pairs: more were linked than met"
    yield from forest_faults("trees", record.trees, len(record.features))
