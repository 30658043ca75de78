"""All phrases of a sentence at once: what each says of the others' regions (message passing)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats, Singles
from limner.corpus.geometry import area, intersection
from limner.ground.phrase_relations import EXCLUSIVE, Relation
from limner.learn.choice_model import log_shares

# Numbers that describe how a region lies to another.
PAIR_FEATURES = (
    "inside",
    "covers",
    "iou",
    "right",
    "below",
    "across",
    "down",
    "across²",
    "down²",
    "size",
    "size²",
)

IOU = PAIR_FEATURES.index("iou")

# Below the first IoU two regions are not shared, from the second on they are one and the same.
SHARED = (0.3, 0.6)

# Rounds in which every phrase hears of all others; later ones change next to nothing.
ROUNDS = 3

# Distances beyond this many widths or heights, and sizes beyond this power of e, are all alike.
FAR = 2.0


def pair_geometry(firsts: Floats, seconds: Floats) -> Singles:
    """How each second region lies to each first one, `[firsts, seconds, features]`.

    Shares of the second in the first and of the first in the second, IoU, offsets
    of centres in widths and heights of the first, and the logarithm of the sizes' ratio.
    """
    shared = intersection(firsts, seconds)
    first_areas, second_areas = (np.maximum(area(corners), 1e-6) for corners in (firsts, seconds))
    together = first_areas[:, None] + second_areas[None, :] - shared
    first_centres, second_centres = ((corners[:, :2] + corners[:, 2:]) / 2 for corners in (firsts, seconds))
    sides = np.maximum(firsts[:, 2:] - firsts[:, :2], 1.0)
    offsets = np.clip((second_centres[None, :] - first_centres[:, None]) / sides[:, None], -FAR, FAR)
    x, y = offsets[..., 0], offsets[..., 1]
    size = np.clip(np.log(second_areas[None, :] / first_areas[:, None]) / 2, -FAR, FAR)
    geometry = np.empty((*shared.shape, len(PAIR_FEATURES)), dtype=np.float32)
    geometry[..., 0] = shared / second_areas[None, :]
    geometry[..., 1] = shared / first_areas[:, None]
    geometry[..., IOU] = shared / np.maximum(together, 1e-6)
    geometry[..., 3], geometry[..., 4] = x, y
    geometry[..., 5], geometry[..., 6] = np.abs(x), np.abs(y)
    geometry[..., 7], geometry[..., 8] = x * x, y * y
    geometry[..., 9], geometry[..., 10] = size, size * size
    return geometry


@dataclass(frozen=True)
class RelationModel:
    """Where the second phrase of a relation is, given the first: weights of `PAIR_FEATURES` by kind.

    `strengths` say by group how much that counts beside the cues, `sharing` how many points it is worth that
    both regions are one: below 0 for two people, who are not in one box.
    """

    weights: Mapping[str, Floats]
    strengths: Mapping[str, float]
    sharing: Mapping[str, float] = field(default_factory=dict)

    def known_kind(self, relation: Relation) -> str | None:
        """The most special kind of the relation that has weights; None for an unknown relation."""
        return next((kind for kind in reversed(relation.kinds) if kind in self.weights), None)

    def energies(self, relation: Relation, geometry: Singles) -> Floats | None:
        """Log probabilities of the second region given the first, `[first, second]`; None for an unknown relation."""
        kind = self.known_kind(relation)
        if kind is None:
            return None
        return log_shares((geometry @ self.weights[kind].astype(np.float32)).astype(np.float64), axis=1)

    def points(self, relation: Relation, geometry: Singles) -> Floats | None:
        """What the relation adds to the scores of two regions, `[first, second]`; None if it adds nothing."""
        strength, sharing = self.strengths.get(relation.group, 0.0), self.sharing.get(relation.group, 0.0)
        energies = self.energies(relation, geometry) if strength else None
        if energies is None and not sharing:
            return None
        shared = sharing * sharedness(geometry) if sharing else 0.0
        return np.asarray(shared if energies is None else strength * energies + shared, dtype=np.float64)


def sharedness(geometry: Singles) -> Floats:
    """How far two regions are one, from 0 to 1, by their IoU (`SHARED`): neighbours that touch are not."""
    low, high = SHARED
    return np.clip((geometry[..., IOU].astype(np.float64) - low) / (high - low), 0.0, 1.0)


class Influence(NamedTuple):
    """What a phrase says of the regions of another, by its number: points for each region."""

    phrase: int
    kind: str
    points: Floats


class RelatedPair(NamedTuple):
    """Two phrases by their numbers, and the points of their regions together, `[first, second]`.

    `is_exclusive` says that they cannot both have what both want most.
    """

    first: int
    second: int
    kind: str
    points: Floats
    is_exclusive: bool


def solve_together(
    scores: Floats, relations: Sequence[Relation], geometry: Singles, model: RelationModel
) -> tuple[Floats, list[list[Influence]]]:
    """Scores of regions for phrases, `[phrases, regions]`, each with what the others say; and who says what.

    Scores must be log odds. Cost grows with the relations and the square of the regions.
    """
    # Relations of one kind share a matrix: a sentence of many people has hundreds of thousands of pairs.
    points_by_kind: dict[tuple[str, str | None], Floats | None] = {}
    pairs = []
    for relation in relations:
        kind = relation.group, model.known_kind(relation)
        if kind not in points_by_kind:
            points_by_kind[kind] = model.points(relation, geometry)
        if (points := points_by_kind[kind]) is not None:
            is_exclusive = relation.group in EXCLUSIVE
            pairs.append(RelatedPair(relation.first, relation.second, relation.kinds[-1], points, is_exclusive))
    return pass_messages(scores, pairs)


def pass_messages(scores: Floats, pairs: Sequence[RelatedPair]) -> tuple[Floats, list[list[Influence]]]:
    """The scores after every phrase has heard of the others, and what each heard.

    What a phrase says is the mean of a pair's points over where it may be itself (mean field). Of an exclusive
    pair it is what a region costs it: its best score if the other has that region, less its best score
    (max-product), so that of two that want one region the one with the better second choice
    makes way. Later phrases hear first: the first one of a sentence is where it seems to be more often.
    """
    joint = scores.copy()
    heard: list[dict[int, Influence]] = [{} for _ in scores]
    for _ in range(ROUNDS if pairs else 0):
        for number in reversed(range(len(scores))):
            heard[number] = {
                at: _message(number, at, pair, joint, heard)
                for at, pair in enumerate(pairs)
                if number in (pair.first, pair.second)
            }
            joint[number] = scores[number] + sum(influence.points for influence in heard[number].values())
    return joint, [list(influences.values()) for influences in heard]


def _message(
    number: int, at: int, pair: RelatedPair, joint: Floats, heard: Sequence[Mapping[int, Influence]]
) -> Influence:
    """What the other phrase of a pair, which is the one at a place of the list, says to a phrase."""
    is_second = number == pair.second
    speaker = pair.first if is_second else pair.second
    points = pair.points if is_second else pair.points.T
    if pair.is_exclusive:
        # Without what it heard from the listener, which would hear its own echo.
        own = joint[speaker] - heard[speaker][at].points if at in heard[speaker] else joint[speaker]
        said = (own[:, None] + points).max(axis=0)
    else:
        said = np.exp(log_shares(joint[speaker])) @ points
    return Influence(speaker, pair.kind, said - said.mean())
