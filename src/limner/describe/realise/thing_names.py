"""What boxes are called: the noun of a label, its kind, and whether it is a word for many."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from limner.text.kinds import kind_of
from limner.text.labels import noun, one
from limner.text.lexicon import ADJECTIVES, NUMBERS, word_pairs, word_set

AGENTS = frozenset({"people", "animals"})
PARTS = frozenset({"clothing", "bodyparts"})


class Name(NamedTuple):
    """What boxes of a label are called."""

    noun: str
    kind: str
    collective: str
    is_plural: bool


@lru_cache(maxsize=1 << 14)
def name_of(label: str, types: tuple[str, ...]) -> Name:
    """The noun, kind and collective of boxes of a label, and whether it is a plural."""
    called = noun(label)
    # A saxophone that is also said to be a scene is an instrument.
    kind = kind_of(called, sorted(types, key=lambda name: name == "scene"))
    if called in _NOWHERE:
        return Name("thing", "other", "", False)
    if (group := one(called)) in _GROUPS and (kind in AGENTS or called in ("group", "bunch", "lot", "pile")):
        return Name(GENERIC.get(kind, "thing"), kind, _GROUPS[group], False)
    if called in _VAGUE or called in NUMBERS or _is_quality(called, kind):
        called = GENERIC.get(kind, "thing")
    single = one(called)
    if kind == "people" and single in _RELATIVES:
        return Name(_RELATIVES[single], kind, "", single != called)
    return Name(single, kind, "", single != called)


def _is_quality(called: str, kind: str) -> bool:
    """Whether a label is an adjective and names no thing; clothes are called by their colours."""
    return called in ADJECTIVES and kind != "clothing" and called not in _NOUNS_TOO


# Words for people that say whose they are, and what may be said without that.
_RELATIVES = word_pairs(
    "husband man, wife woman, son boy, daughter girl, brother boy, sister girl, friend person, colleague person,"
    " coworker person, teammate player, companion person, buddy person, boyfriend man, girlfriend woman, sibling child,"
    " grandson boy, granddaughter girl, owner person, partner person, opponent player, counterpart person"
)

_NOUNS_TOO = word_set("orange peach lime olive glass stone straw cream rust brick male female adult human local native")

GENERIC = {
    "people": "person",
    "animals": "animal",
    "vehicles": "vehicle",
    "instruments": "instrument",
    "clothing": "clothes",
    "food": "food",
    "furniture": "furniture",
    "scene": "area",
}

# Labels that captions left behind and that name nothing by themselves.
_VAGUE = word_set(
    """
    other one all some something anything someone somebody both another many several any each thing item type kind sort
    half part rest front side middle end edge piece variety object member selection assortment array reflection
    """
)

# Places that are never where something is.
_NOWHERE = word_set("horizon background foreground distance day night afternoon evening morning daytime nighttime")

# Nouns for several people who belong together; each of them may have a box.
ENSEMBLES = word_set("team family crew orchestra band class audience choir squad staff army cast")

# A collective whose members may be boxed one by one.
COUPLE = "couple"

_GROUPS = {
    **dict.fromkeys(word_set("group bunch lot number row line gathering column amount cluster"), "group"),
    **dict.fromkeys(word_set("couple pair duo"), COUPLE),
    "crowd": "crowd",
    "herd": "herd",
    "flock": "flock",
    "pile": "pile",
}
