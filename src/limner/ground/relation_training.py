"""Learning how the phrases of a sentence lie to each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats, Singles
from limner.ground.joint_grounding import pair_geometry
from limner.ground.phrase_relations import Relation, find_relations
from limner.ground.training_pictures import TrainingPicture, right_shares
from limner.learn.choice_model import Choice, fit_choices
from limner.progress import Progress, silent

# A kind of relation that was met less often than this is known by its family alone.
FEWEST_PAIRS = 25

# Pairs of one kind that are learnt from: more would only cost time.
MOST_PAIRS = 1500

# How strongly a kind is drawn to 0, or to the kind that it is one of: as by so many pairs.
SHRINKAGE = 5.0
KIND_SHRINKAGE = 20.0


class _Pair(NamedTuple):
    """Two phrases whose regions are known: the picture, the first's proposal, the second's right shares."""

    picture: int
    relation: Relation
    first: int
    shares: Singles


def learn_relations(pictures: Sequence[TrainingPicture], progress: Progress = silent) -> dict[str, Floats]:
    """Weights of pair features by kind: where the second region is among the proposals, given the first."""
    by_kind: dict[str, list[_Pair]] = {}
    for number, picture in enumerate(pictures):
        for pair in _pairs(picture, number):
            for kind in pair.relation.kinds:
                by_kind.setdefault(kind, []).append(pair)
    weights: dict[str, Floats] = {}
    # A family comes before its kinds, which are drawn to it.
    kinds = sorted((kind for kind in by_kind if len(by_kind[kind]) >= FEWEST_PAIRS), key=lambda k: (k.count(":"), k))
    for done, kind in enumerate(kinds, 1):
        parent = weights.get(kind.rpartition(":")[0])
        shrinkage = SHRINKAGE if parent is None else KIND_SHRINKAGE
        step = -(-len(by_kind[kind]) // MOST_PAIRS)
        choices = _choices(by_kind[kind][::step], pictures)
        weights[kind] = fit_choices(choices, prior=parent, shrinkage=shrinkage)
        progress("relations", done, len(kinds))
    return weights


def _choices(pairs: Sequence[_Pair], pictures: Sequence[TrainingPicture]) -> list[Choice]:
    choices = []
    for pair in pairs:
        corners = pictures[pair.picture].proposals.corners
        seen = pair_geometry(corners[pair.first : pair.first + 1], corners)[0]
        choices.append(Choice(seen.astype(np.float64), pair.shares.astype(np.float64)))
    return choices


def _pairs(picture: TrainingPicture, number: int) -> Iterator[_Pair]:
    """The relations between two phrases both of which have a right proposal."""
    if not len(picture.gold):
        return
    overlaps = picture.overlaps()
    shares = right_shares(overlaps)
    nearest = overlaps.argmax(axis=1)
    for caption in picture.captions:
        for relation in find_relations(caption.text, caption.queries):
            first, second = caption.gold[relation.first], caption.gold[relation.second]
            if first >= 0 and second >= 0 and shares[first].any() and shares[second].any():
                yield _Pair(number, relation, int(nearest[first]), shares[second])
