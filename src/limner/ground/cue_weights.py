"""Weights of cues by type, tuned on pictures that the cues have not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from limner.arrays import Floats
from limner.ground.phrase_model import TYPES
from limner.ground.systems import CUES, FITTED, JOINT, SYSTEMS
from limner.ground.training_pictures import TrainingPicture, right_shares
from limner.learn.choice_model import Choice, fit_choices
from limner.progress import Progress, silent

if TYPE_CHECKING:
    from limner.ground.grounder import Grounder

# How strongly the weights of a type are drawn to those of all phrases: as by so many phrases.
TYPE_SHRINKAGE = 20.0

# How strongly the weights of all phrases are drawn to 0.
SHRINKAGE = 1.0


def fit_weights(
    grounder: Grounder,
    pictures: Sequence[TrainingPicture],
    progress: Progress = silent,
    systems: Sequence[str] = FITTED,
) -> dict[str, Floats]:
    """For each of some systems the weights `[types, cues]` under which right regions are likeliest to be chosen.

    The weights of all phrases come first, and those of a type are drawn to them.
    A cue that is not the system's has a weight of 0. Those of `full` are also those of `joint`.
    """
    choices, types = _choices(grounder, pictures)
    if not choices:
        # No proposal is right anywhere: every cue counts alike.
        return _with_joint({name: _uniform(SYSTEMS[name]) for name in systems})
    scale = np.maximum(np.concatenate([choice.features for choice in choices]).std(axis=0), 1e-3)
    scaled = [choice._replace(features=choice.features / scale) for choice in choices]
    weights = {}
    for done, name in enumerate(systems, 1):
        columns = [CUES.index(cue) for cue in SYSTEMS[name]]
        chosen = [choice._replace(features=choice.features[:, columns]) for choice in scaled]
        general = fit_choices(chosen, shrinkage=SHRINKAGE)
        table = np.zeros((len(TYPES), len(CUES)))
        for row, kind in enumerate(TYPES):
            of_type = [choice for choice, kinds in zip(chosen, types, strict=True) if kind in kinds]
            fitted = fit_choices(of_type, prior=general, shrinkage=TYPE_SHRINKAGE) if of_type else general
            table[row, columns] = fitted / scale[columns]
        weights[name] = table
        progress("systems", done, len(systems))
    return _with_joint(weights)


def _with_joint(weights: dict[str, Floats]) -> dict[str, Floats]:
    return {**weights, JOINT: weights["full"]} if "full" in weights else weights


def _uniform(cues: Sequence[str]) -> Floats:
    return np.tile([float(name in cues) for name in CUES], (len(TYPES), 1))


def _choices(grounder: Grounder, pictures: Sequence[TrainingPicture]) -> tuple[list[Choice], list[tuple[str, ...]]]:
    """What cues say of the proposals for each phrase that has a right one, and the phrases' types."""
    choices, types = [], []
    for picture in pictures:
        phrases = list(picture.phrases())
        if not phrases:
            continue
        shares = right_shares(picture.overlaps()).astype(np.float64)
        table = grounder.cue_table([query for query, _ in phrases], picture.proposals)
        for scores, (query, row) in zip(table.scores, phrases, strict=True):
            if shares[row].any():
                choices.append(Choice(scores, shares[row]))
                types.append(query.types)
    return choices, types
