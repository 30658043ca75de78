"""Whether what is said of two things can be so, going by how they lie to each other."""

from __future__ import annotations

from collections.abc import Callable

from limner.describe.realise.layout import Frame, Layout, layout
from limner.describe.realise.things import AGENTS, Thing
from limner.describe.realise.wording import SUPPORT, Relation
from limner.text.lexicon import word_set

Test = Callable[[Layout], bool]

MOST = 0.6
"""The share of several things of which something must hold to be said of all."""

MOST_COMPARED = 12
"""How many boxes of each thing are looked at one by one."""


def is_plausible(relation: Relation, a: Thing, b: Thing, how: Layout) -> bool:
    """Whether the boxes allow to say it: nobody rides what is beside them, and a hat that is worn is on somebody.

    What needs contact must hold for most of the things one by one: not all of
    a crowd that surrounds a bus is on it.
    """
    if not _allows(relation, a, b, how):
        return False
    if b.n > a.n and not a.is_many and (relation.preposition in SUPPORT or relation.verb in _MOUNTED):
        return False
    if (a.n == 1 and b.n == 1) or not _needs_contact(relation):
        return True
    pairs = [
        [
            _allows(relation, a, b, layout(Frame(*one.corners), Frame(*other.corners)))
            for other in b.boxes[:MOST_COMPARED]
        ]
        for one in a.boxes[:MOST_COMPARED]
    ]
    doing = sum(any(row) for row in pairs) / len(pairs)
    undergoing = sum(any(column) for column in zip(*pairs, strict=True)) / len(pairs[0])
    return doing >= MOST and undergoing >= MOST


def _needs_contact(relation: Relation) -> bool:
    if relation.preposition:
        return relation.preposition in ("on", "in", "inside", "on the back of", "against")
    return relation.verb not in _AT_A_DISTANCE


def _allows(relation: Relation, a: Thing, b: Thing, how: Layout) -> bool:
    if relation.preposition == "between" and b.n != 2:
        return False
    if not _can_act(relation, a) or not _can_undergo(relation, b):
        return False
    if (relation.preposition in _NEED_MANY or relation.participle in _MANY) and not a.is_many:
        return False
    if relation.verb == "wear" or (relation.preposition == "in" and b.kind == "clothing"):
        return b.kind != "bodyparts" and how.b_in_a >= 0.4
    if relation.verb in _AIMED:
        return True
    if relation.verb in _NOT_OF_PLACE:
        return how.near
    if relation.preposition and not _PREPOSITIONS.get(relation.preposition, _near)(how):
        return False
    if relation.verb in _MOUNTED:
        return how.touching and (how.up > 0 or how.a_in_b >= 0.7)
    if relation.verb and not relation.preposition:
        return relation.verb in _AT_A_DISTANCE or how.touching
    return True


def _can_act(relation: Relation, a: Thing) -> bool:
    """Things that do not live can only lie about and the like; vehicles move besides; "of" needs a container."""
    if relation.preposition in ("of", "full of"):
        return a.noun.rpartition(" ")[2] in _HOLDERS
    if not relation.verb or a.kind in AGENTS:
        return True
    return relation.verb in STATES or (a.kind == "vehicles" and relation.verb in _MOTIONS)


def _can_undergo(relation: Relation, b: Thing) -> bool:
    """Nobody is on or in somebody, unless it is an animal to ride."""
    if b.kind in AGENTS and relation.preposition in ("on", "in", "inside", "on the back of"):
        return b.noun in RIDDEN and relation.preposition.startswith("on")
    return not (b.kind == "bodyparts" and relation.verb and not relation.preposition)


def _near(how: Layout) -> bool:
    return how.near


def _on(how: Layout) -> bool:
    return how.touching and (how.up > -0.25 or how.a_in_b >= 0.6)


def _under(how: Layout) -> bool:
    return how.up < -0.1 and how.x_overlap and how.gap <= 2


def _over(how: Layout) -> bool:
    return how.up > 0.1 and how.x_overlap


def _in(how: Layout) -> bool:
    return how.a_in_b >= 0.5


def _beside(how: Layout) -> bool:
    return how.near and how.y_overlap and max(how.a_in_b, how.b_in_a) < 0.9


def _in_front(how: Layout) -> bool:
    return how.near and how.y_overlap and how.bottom < 0.35


def _behind(how: Layout) -> bool:
    return how.near and how.y_overlap and how.bottom > -0.1


def _holding(how: Layout) -> bool:
    return how.b_in_a >= 0.5


def _touching(how: Layout) -> bool:
    return how.touching


def _about(how: Layout) -> bool:
    return how.gap <= 2


def _anywhere(how: Layout) -> bool:
    return True


_PREPOSITIONS: dict[str, Test] = {
    "and": _anywhere,
    "with": _about,
    "on": _on,
    "on the back of": _on,
    "in": _in,
    "inside": _in,
    "in the middle of": _in,
    "under": _under,
    "underneath": _under,
    "beneath": _under,
    "below": _under,
    "above": _over,
    "over": _over,
    "next to": _beside,
    "beside": _beside,
    "in front of": _in_front,
    "behind": _behind,
    "of": _holding,
    "full of": _holding,
    "against": _touching,
    "down": _touching,
    "along": _touching,
    "across": _touching,
    "through": _touching,
    "into": _touching,
    "onto": _touching,
    "to": _anywhere,
    "toward": _anywhere,
}
STATES = word_set(
    """
    sit stand lie hang lean rest float hover contain surround overlook face fly land blow display light roll
    """
)
_MOTIONS = word_set(
    """
    drive pass travel cross pull tow carry sail race approach enter exit follow speed taxi
    """
)
RIDDEN = word_set("horse pony donkey mule camel elephant bull cow ox")
_HOLDERS = word_set(
    """
    bowl plate cup mug glass bottle vase basket box tray pot pan bag bunch pile slice piece dish bucket jar can
    crate pack stack group crowd row bouquet carton platter cart truck
    """
)
_AIMED = word_set("look stare gaze point peer listen smile wave glance bark")
_NOT_OF_PLACE = word_set("talk speak work play sing type read write draw paint perform dance cook")
"""Acts whose preposition tells no place: talking on a phone, working on a car."""
_MOUNTED = frozenset({"ride", "drive"})
_AT_A_DISTANCE = word_set(
    """
    watch chase face overlook follow photograph throw catch kick hit pull fly serve feed approach herd lead walk
    view observe admire race toss tow guard water
    """
)
_NEED_MANY = frozenset({"around"})
_MANY = frozenset({"gathered", "lined", "huddled", "stacked", "piled"})
