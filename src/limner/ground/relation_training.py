"""Learning how the phrases of a sentence lie to each other, and how much that counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from limner.arrays import Floats, Singles
from limner.ground.joint_grounding import IOU, RelationModel, pair_geometry
from limner.ground.phrase_relations import GROUPS, Relation, find_relations
from limner.ground.training_pictures import SaidCaption, TrainingPicture, right_shares
from limner.learn.choice_model import Choice, fit_choices
from limner.progress import Progress, silent

if TYPE_CHECKING:
    from limner.ground.grounder import Grounder

# A kind of relation that was met less often than this is known by its family alone.
FEWEST_PAIRS = 25

# Pairs of one kind that are learnt from: more would only cost time.
MOST_PAIRS = 1500

# How strongly a kind is drawn to 0, or to the kind that it is one of: as by so many pairs.
SHRINKAGE = 5.0
KIND_SHRINKAGE = 20.0

# Points that an IoU of 1 is worth at most, for or against.
MOST_SHARING = 20.0


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


def learn_strengths(
    grounder: Grounder, pictures: Sequence[TrainingPicture], progress: Progress = silent
) -> RelationModel:
    """The relations with what suits these pictures: how much each group counts beside the cues of `full`.

    A group that does not help has a strength of 0.
    """
    model = grounder.parts.relations
    by_group: dict[str, list[Choice]] = {name: [] for name in GROUPS}
    for number, picture in enumerate(pictures):
        for caption, pairs in _by_caption(picture, number):
            table = grounder.cue_table(caption.queries, picture.proposals)
            weights = np.stack([grounder.weights(query, "full") for query in caption.queries])
            scores = np.einsum("qrc,qc->qr", table.scores, weights)
            geometry = pair_geometry(picture.proposals.corners, picture.proposals.corners)
            for pair in pairs:
                energies = model.energies(pair.relation, geometry)
                if energies is not None:
                    features = np.stack([energies[pair.first], geometry[pair.first, :, IOU]], axis=1)
                    choice = Choice(features, pair.shares.astype(np.float64), scores[pair.relation.second])
                    by_group[pair.relation.group].append(choice)
        progress("tuned", number + 1, len(pictures))
    fitted = {name: _fitted(choices) for name, choices in by_group.items()}
    strengths, sharing = ({name: pair[i] for name, pair in fitted.items()} for i in (0, 1))
    return RelationModel(model.weights, strengths, sharing)


def _fitted(choices: Sequence[Choice]) -> tuple[float, float]:
    """The strength of energies, and what an IoU of 1 is worth; energies never count against what they say."""
    if not choices:
        return 0.0, 0.0
    strength, sharing = fit_choices(choices).tolist()
    if strength < 0.0:
        overlaps = [choice._replace(features=choice.features[:, 1:]) for choice in choices]
        strength, sharing = 0.0, float(fit_choices(overlaps)[0])
    return min(strength, 1.0), float(np.clip(sharing, -MOST_SHARING, MOST_SHARING))


def _choices(pairs: Sequence[_Pair], pictures: Sequence[TrainingPicture]) -> list[Choice]:
    choices = []
    for pair in pairs:
        corners = pictures[pair.picture].proposals.corners
        seen = pair_geometry(corners[pair.first : pair.first + 1], corners)[0]
        choices.append(Choice(seen.astype(np.float64), pair.shares.astype(np.float64)))
    return choices


def _pairs(picture: TrainingPicture, number: int) -> Iterator[_Pair]:
    for _, pairs in _by_caption(picture, number):
        yield from pairs


def _by_caption(picture: TrainingPicture, number: int) -> Iterator[tuple[SaidCaption, list[_Pair]]]:
    """The captions with relations between two phrases both of which have a right proposal."""
    if not len(picture.gold):
        return
    overlaps = picture.overlaps()
    shares = right_shares(overlaps)
    nearest = overlaps.argmax(axis=1)
    for caption in picture.captions:
        pairs = []
        for relation in find_relations(caption.text, caption.queries):
            first, second = caption.gold[relation.first], caption.gold[relation.second]
            if first >= 0 and second >= 0 and shares[first].any() and shares[second].any():
                pairs.append(_Pair(number, relation, int(nearest[first]), shares[second]))
        if pairs:
            yield caption, pairs
