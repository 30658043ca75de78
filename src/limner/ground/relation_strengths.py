"""How much relations count beside the cues: chosen by the phrases that they bring to the right region."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Integers, Singles
from limner.ground.joint_grounding import RelatedPair, RelationModel, pair_geometry, pass_messages, sharedness
from limner.ground.phrase_relations import EXCLUSIVE, GROUPS, Relation, find_relations
from limner.ground.training_pictures import RIGHT, TrainingPicture
from limner.progress import Progress, silent

if TYPE_CHECKING:
    from limner.ground.grounder import Grounder

# What is tried: strengths of relations, and points for sharing a region; of exclusive groups the latter alone.
STRENGTHS = (0.2, 0.4, 0.6, 0.8, 1.0)
SHARING = (0.0, -1.0)
EXCLUSION = (-1.0, -1.5, -2.0, -2.5, -3.0, -4.0, -6.0)

# A phrase's best regions, among which the right one is looked for while strengths are chosen.
MOST_REGIONS = 40

# Parts of the pictures: what is chosen on all others is checked on each.
FOLDS = 5

# Draws of the test of gains, and the share of them that may gain as much by chance.
DRAWS = 2000
DOUBT = 0.05


class TiedPair(NamedTuple):
    """A relation, with the log probabilities of the second region given the first, None if unknown, and sharedness."""

    relation: Relation
    energies: Singles | None
    shared: Singles


class TiedSentence(NamedTuple):
    """A sentence with relations: of each phrase the scores of its best regions, `[phrases, best]`, and which are right.

    Phrases without a box have no right region.
    """

    picture: int
    scores: Floats
    is_right: Booleans
    pairs: Sequence[TiedPair]


def tied_sentences(
    grounder: Grounder, pictures: Sequence[TrainingPicture], model: RelationModel, first: int = 0
) -> Iterator[TiedSentence]:
    """The sentences of pictures that the grounder has not learnt from, with the scores of `full`.

    Pictures are numbered from `first` on.
    """
    for number, picture in enumerate(pictures, first):
        related = [(c, relations) for c in picture.captions if (relations := find_relations(c.text, c.queries))]
        if not related or not len(picture.gold) or not len(picture.proposals):
            continue
        # What every caption of a picture needs is made once.
        geometry = pair_geometry(picture.proposals.corners, picture.proposals.corners)
        overlaps = picture.overlaps()
        queries = [query for caption, _ in related for query in caption.queries]
        scores = grounder.cue_scores(grounder.cue_table(queries, picture.proposals), queries, "full")
        starts = np.cumsum([len(caption.queries) for caption, _ in related])[:-1]
        for (caption, relations), rows in zip(related, np.split(scores, starts), strict=True):
            is_right = (overlaps[caption.gold] >= RIGHT) & (caption.gold >= 0)[:, None]
            yield _tied(number, rows, is_right, relations, geometry, model)


def _tied(
    number: int,
    scores: Floats,
    is_right: Booleans,
    relations: Sequence[Relation],
    geometry: Singles,
    model: RelationModel,
) -> TiedSentence:
    best = np.argsort(-scores, axis=1, kind="stable")[:, :MOST_REGIONS]
    pairs = []
    for relation in relations:
        energies = model.energies(relation, geometry)
        some = np.ix_(best[relation.first], best[relation.second])
        short = None if energies is None else energies[some].astype(np.float32)
        pairs.append(TiedPair(relation, short, sharedness(geometry[some]).astype(np.float32)))
    best_scores, best_right = np.take_along_axis(scores, best, axis=1), np.take_along_axis(is_right, best, axis=1)
    return TiedSentence(number, best_scores, best_right, pairs)


def fit_strengths(
    model: RelationModel, sentences: Sequence[TiedSentence], n_pictures: int, progress: Progress = silent
) -> RelationModel:
    """The relations with the strengths and points for sharing that bring most phrases to a right region.

    A group counts only if what is chosen on four fifths of the pictures gains on the last fifth, beyond chance
    (`helps`); or else its strength is 0. Groups are
    chosen one by one. Time grows with the relations and the numbers that are tried.
    """
    strengths, sharing = dict.fromkeys(GROUPS, 0.0), dict.fromkeys(GROUPS, 0.0)
    for done, group in enumerate(GROUPS, 1):
        tried = [(0.0, points) for points in EXCLUSION] if group in EXCLUSIVE else [*product(STRENGTHS, SHARING)]
        with_group = [s for s in sentences if any(pair.relation.group == group for pair in s.pairs)]
        gains = np.stack([_gains(with_group, group, *numbers, n_pictures) for numbers in tried])
        if helps(gains):
            strengths[group], sharing[group] = tried[int(gains.sum(axis=1).argmax())]
        progress("strengths", done, len(GROUPS))
    return RelationModel(model.weights, strengths, sharing)


def helps(gains: Integers) -> bool:
    """Whether the best of several settings, chosen on other pictures, gains beyond chance.

    `gains` are `[settings, pictures]`. The test flips the signs of pictures' gains at random. Folds share pictures, so
    that it is a little too sure: of 15 settings that are noise, and have nothing in common, one in seven groups passes.
    """
    folds = np.arange(gains.shape[1]) % FOLDS
    held_out = np.zeros(gains.shape[1])
    for fold in range(FOLDS):
        chosen = int(gains[:, folds != fold].sum(axis=1).argmax())
        held_out[folds == fold] = gains[chosen, folds == fold]
    changed = held_out[held_out != 0]
    signs = np.random.default_rng(0).choice((-1.0, 1.0), (DRAWS, len(changed)))
    return bool(changed.sum() > 0) and float((signs @ changed >= changed.sum()).mean()) <= DOUBT


def _gains(sentences: Sequence[TiedSentence], group: str, strength: float, sharing: float, n_pictures: int) -> Integers:
    """How many more phrases of each picture are at a right region with a group of relations than without."""
    gains = np.zeros(n_pictures, dtype=np.int64)
    for sentence in sentences:
        pairs = [
            RelatedPair(pair.relation.first, pair.relation.second, group, points, group in EXCLUSIVE)
            for pair in sentence.pairs
            if pair.relation.group == group and (points := _points(pair, strength, sharing)) is not None
        ]
        rows = np.arange(len(sentence.scores))
        joint, _ = pass_messages(sentence.scores, pairs)
        after = sentence.is_right[rows, joint.argmax(axis=1)].sum()
        gains[sentence.picture] += after - sentence.is_right[:, 0].sum()
    return gains


def _points(pair: TiedPair, strength: float, sharing: float) -> Floats | None:
    if strength and pair.energies is None and not sharing:
        return None
    energies = 0.0 if pair.energies is None else strength * pair.energies.astype(np.float64)
    return energies + sharing * pair.shared.astype(np.float64)
