"""All phrases of a sentence at once: what each says of the others' regions (mean-field inference)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats, Singles
from limner.corpus.geometry import area, intersection
from limner.ground.phrase_relations import Relation
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
    features = [shared / second_areas[None, :], shared / first_areas[:, None], shared / np.maximum(together, 1e-6)]
    features += [x, y, np.abs(x), np.abs(y), x * x, y * y, size, size * size]
    return np.stack(features, axis=-1).astype(np.float32)


@dataclass(frozen=True)
class RelationModel:
    """Where the second phrase of a relation is, given the first: weights of `PAIR_FEATURES` by kind.

    `strengths` say by group how much that counts beside the cues, `sharing` how many points an IoU of
    1 between the two regions is worth: below 0 for two people, who are not in one box.
    """

    weights: Mapping[str, Floats]
    strengths: Mapping[str, float]
    sharing: Mapping[str, float] = field(default_factory=dict)

    def energies(self, relation: Relation, geometry: Singles) -> Floats | None:
        """Log probabilities of the second region given the first, `[first, second]`; None for an unknown relation."""
        known = [kind for kind in relation.kinds if kind in self.weights]
        if not known:
            return None
        return log_shares((geometry @ self.weights[known[-1]].astype(np.float32)).astype(np.float64), axis=1)

    def points(self, relation: Relation, geometry: Singles) -> Floats | None:
        """What the relation adds to the scores of two regions, `[first, second]`; None if it adds nothing."""
        strength, sharing = self.strengths.get(relation.group, 0.0), self.sharing.get(relation.group, 0.0)
        energies = self.energies(relation, geometry) if strength else None
        if energies is None and not sharing:
            return None
        overlaps = geometry[:, :, IOU].astype(np.float64) * sharing
        return overlaps if energies is None else strength * energies + overlaps


class Influence(NamedTuple):
    """What a phrase says of the regions of another, by its number: points for each region."""

    phrase: int
    kind: str
    points: Floats


def solve_together(
    scores: Floats, relations: Sequence[Relation], geometry: Singles, model: RelationModel
) -> tuple[Floats, list[list[Influence]]]:
    """Scores of regions for phrases, `[phrases, regions]`, each with what the others say; and who says what.

    Scores must be log odds. A phrase's influence on another is the mean of the
    relation's log probability over where it may be itself. Cost grows with the relations and the
    square of the regions.
    """
    pairs = [(relation, points) for relation in relations if (points := model.points(relation, geometry)) is not None]
    joint = scores.copy()
    influences: list[list[Influence]] = [[] for _ in scores]
    for _ in range(ROUNDS if pairs else 0):
        for number in range(len(scores)):
            influences[number] = list(_influences(number, pairs, joint))
            joint[number] = scores[number] + sum(influence.points for influence in influences[number])
    return joint, influences


def _influences(number: int, pairs: Sequence[tuple[Relation, Floats]], joint: Floats) -> list[Influence]:
    heard = []
    for relation, pair_points in pairs:
        if number == relation.second:
            points = np.exp(log_shares(joint[relation.first])) @ pair_points
            heard.append(Influence(relation.first, relation.kinds[-1], points - points.mean()))
        elif number == relation.first:
            points = pair_points @ np.exp(log_shares(joint[relation.second]))
            heard.append(Influence(relation.second, relation.kinds[-1], points - points.mean()))
    return heard
