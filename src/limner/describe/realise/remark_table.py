"""What captions teach about settings and acts, as a phrasebook holds it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated

import msgspec

from limner.describe.realise.evidence import Evidence
from limner.describe.realise.remarks import act_of, setting_of
from limner.errors import shown
from limner.text.noun_forms import singular

# Weights beyond this say no more, and a table of more weights would take much memory.
MAX_WEIGHT = 100
MAX_EVIDENCE = 1 << 20

Count = Annotated[int, msgspec.Meta(ge=1, le=1 << 40)]


class RemarkTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said, by whom, and what it takes to be true.

    `settings` are counts by the noun and by the kind ("kind people") of the first
    thing that a caption mentions, and by "" for any; `acts` by the noun of who does them;
    `prepositions` of settings by the verb before, `NO_VERB` for none and "" for
    any. `shown` is how many images
    each truth holds of, `n_captions` the number of captions of an image.
    `ranking` is in older files only, and has no meaning any more.
    """

    settings: dict[str, dict[str, Count]]
    acts: dict[str, dict[str, Count]]
    prepositions: dict[str, dict[str, Count]]
    shown: dict[str, Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]]
    n_captions: Annotated[float, msgspec.Meta(gt=0, le=1 << 20)]
    evidence: Evidence
    ranking: dict[str, float] = {}


# Stands for the verb before a setting where there is none.
NO_VERB = "-"

# Words that say more of a person than that it is one.
WORDS_FOR_PEOPLE = ("man", "woman", "boy", "girl", "child", "baby")


def table_faults(table: RemarkTable) -> Iterator[str]:
    """What no learning would have written, in words: no file puts other words into a sentence than captions may."""
    for counts, read, name in (
        *((counts, setting_of, "setting") for counts in table.settings.values()),
        *((counts, act_of, "act") for counts in table.acts.values()),
    ):
        for text in counts:
            if read(text) is None:
                yield f"{shown(text)} is not {'an' if name == 'act' else 'a'} {name}"
    if "" not in table.settings or "" not in table.acts or "" not in table.prepositions:
        yield "remarks: the counts of all things together are missing"
    said = {truth_of(text) for counts in (*table.settings.values(), *table.acts.values()) for text in counts}
    if unknown := (said | set(WORDS_FOR_PEOPLE)) - table.evidence.weights.keys():
        yield f"remarks: there is no evidence for {shown(min(unknown))}"
    if any(not table.shown.get(truth) for truth in said):
        yield "remarks: something is said that no image shows"
    weights = [weight for by_clue in table.evidence.weights.values() for weight in by_clue.values()]
    if not all(abs(weight) <= MAX_WEIGHT for weight in weights):
        yield f"remarks: a weight is not a number from -{MAX_WEIGHT} to {MAX_WEIGHT}"
    n_clues = len({clue for by_clue in table.evidence.weights.values() for clue in by_clue})
    if n_clues * len(table.evidence.weights) > MAX_EVIDENCE:
        yield f"remarks: evidence of {n_clues:,} clues for {len(table.evidence.weights):,} outcomes is too large"


@lru_cache(maxsize=1 << 14)
def truth_of(text: str) -> str:
    """What must be spoken of for a setting or act to be true: the place, the game, or the verb."""
    setting = setting_of(text)
    if setting is not None:
        return setting.noun
    act = act_of(text)
    assert act is not None
    return singular(act.object.split(" ")[-1]) if act.object else act.verb


@lru_cache(maxsize=1 << 14)
def alike(truth: str) -> frozenset[str]:
    """Words that make the same true: whoever talks on a phone holds it."""
    return frozenset({truth}).union(*(group for group in _ALIKE if truth in group), _IMPLIED_BY.get(truth, ()))


_ALIKE = [
    frozenset(group.split())
    for group in (
        "street road highway intersection",
        "ocean sea water",
        "grass field pasture meadow lawn",
        "slope hill mountain",
        "track railroad rail",
        "beach shore sand",
        "lie lay sleep rest",
        "travel drive",
    )
]

# Acts that are true if others are spoken of.
_IMPLIED_BY = {
    act: frozenset(others.split())
    for act, others in {
        "hold": "carry use talk swing throw eat drink read brush hit cut take",
        "ride": "surf skateboard snowboard skate bike",
        "sit": "seated seat",
    }.items()
}
