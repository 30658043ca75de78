"""What the layout of two things permits to say of them, and what it shows by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from limner.describe.realise.described_things import Thing
from limner.describe.realise.place_words import AROUND, GROUND, UPRIGHT
from limner.describe.realise.relation_words import NAMED_TOGETHER, SUPPORT, Relation
from limner.describe.realise.thing_layout import Frame, Layout, layout
from limner.describe.realise.thing_names import AGENTS, PARTS
from limner.text.articles import is_mass
from limner.text.lexicon import word_set

Test = Callable[[Layout], bool]

# What is said of several things must hold of all of them; of a group that is not counted, of this share.
MOST = 0.8
COUNTED = 5

# Boxes of each thing that are compared pair by pair.
MOST_COMPARED = 12

# Somebody is with what is at most so many times as large.
LARGER = 2.0

# Somebody whose box is so many times as high as wide is not lying.
UPRIGHT_FROM = 1.4

# How much higher than furniture's feet an animal's are that is on it, in units of their mean height.
OFF_THE_GROUND = 0.05

# What share of a thing lies in the box of what it is on: an umbrella beside a chair is not on it.
ON_IT = 0.4

# Nobody holds or wears what is more than twice as large as they are.
TOO_LARGE = 0.5


def is_plausible(relation: Relation, a: Thing, b: Thing, how: Layout) -> bool:
    """Whether the boxes permit a relation: nobody rides what is beside them, and a hat that is worn is on somebody.

    A relation that tells where things are must hold of them one by one: a crowd
    that surrounds a bus is not on it.
    """
    if not _allows(relation, a, b, how):
        return False
    if b.n > a.n and not a.is_many and relation.preposition in SUPPORT:
        return False
    if b.n > a.n and not a.collective and relation.verb in _MOUNTED:
        return False
    if _is_too_many(a, b) and (relation.preposition in SUPPORT or relation.verb in _MOUNTED):
        return False
    if _takes_hands(relation, b) and (_are_more(a, b) or how.size < TOO_LARGE):
        return False
    if relation.verb and not relation.preposition and b.n > 2 * a.n and not a.collective:
        # Nobody flies many kites at a time.
        return False
    if (a.n == 1 and b.n == 1) or not _is_of_each(relation):
        return True
    pairs = [
        [
            _allows(relation, a, b, layout(Frame(*first.corners), Frame(*second.corners)))
            for second in b.boxes[:MOST_COMPARED]
        ]
        for first in a.boxes[:MOST_COMPARED]
    ]
    doing = [any(row) for row in pairs]
    undergoing = [any(column) for column in zip(*pairs, strict=True)]
    return _hold_of_most(doing) and _hold_of_most(undergoing)


def _hold_of_most(answers: Sequence[bool]) -> bool:
    return all(answers) if len(answers) <= COUNTED else sum(answers) >= MOST * len(answers)


def _is_too_many(a: Thing, b: Thing) -> bool:
    """Whether A are more than B can carry: three people are not on one horse, nor two on one skateboard."""
    return (b.noun in _FOR_ONE and a.n > b.n) or (b.noun in _FOR_TWO and a.n > 2 * b.n)


def _takes_hands(relation: Relation, b: Thing) -> bool:
    """Whether everybody who does it needs a thing of their own."""
    return relation.verb in _IN_HAND or (relation.verb == "play" and b.kind == "instruments")


def _are_more(a: Thing, b: Thing) -> bool:
    """Whether A are more than B; a band plays several instruments."""
    if a.is_group:
        return not b.is_many
    return a.n > b.n or (a.is_many and not b.is_many)


def _is_of_each(relation: Relation) -> bool:
    """Whether a relation of several things is one of each of them."""
    if relation.preposition:
        return relation.preposition in _OF_EACH
    return relation.verb not in _AT_A_DISTANCE


def _allows(relation: Relation, a: Thing, b: Thing, how: Layout) -> bool:
    if relation.preposition == "between" and b.n != 2:
        return False
    if relation == WITH and is_fixed(b):
        return False
    if not relation.is_verbal and relation.preposition == "at" and b.kind != "scene" and b.noun not in _SAT_AT:
        # A batter is at bat, and nobody is at a bat, nor at a bench.
        return False
    if relation.participle == "surrounded" and not b.is_many and not is_mass(b.noun):
        return False
    if relation.verb == "lie" and a.kind == "people" and _is_upright(a):
        return False
    if a.kind == "animals" and b.kind == "furniture" and relation.preposition == "on" and how.bottom < OFF_THE_GROUND:
        # An animal that stands on the ground is beside the bench, or under it.
        return False
    if not _can_act(relation, a) or not _can_undergo(relation, b):
        return False
    if (relation.preposition in _NEED_MANY or relation.participle in _MANY) and not a.is_many:
        return False
    if relation.verb == "wear" or (relation.preposition == "in" and b.kind == "clothing"):
        return b.kind != "bodyparts" and how.b_in_a >= 0.4
    if not relation.verb and relation.preposition in ("on", "in", "inside") and _is_too_small(a, b, how):
        return False
    if b.noun in RIDDEN and relation.preposition.startswith("on") and how.bottom < 0.1:
        # Whoever is on an animal has their feet above its feet.
        return False
    if b.noun in _CABINS and relation.preposition in ("in", "inside") and how.bottom < 0:
        # Whoever stands before a car is lower in the picture than the car.
        return False
    if relation.verb in _AIMED:
        return True
    if relation.verb in _NOT_OF_PLACE:
        return how.near
    test = _PREPOSITIONS.get(relation.preposition)
    if relation.preposition and not (test(how) if test else how.near):
        return False
    if relation.verb in _MOUNTED:
        return how.touching and (how.up > 0 or how.a_in_b >= 0.7)
    if relation.verb and not relation.preposition:
        return relation.verb in _AT_A_DISTANCE or how.touching
    return True


def _is_upright(a: Thing) -> bool:
    """Whether somebody is too tall, for their width, to be lying."""
    return any(box.height > UPRIGHT_FROM * box.width for box in a.boxes)


def _can_act(relation: Relation, a: Thing) -> bool:
    """Whether A can do it: lifeless things are in states, vehicles also move, and "of" needs a container."""
    if relation.preposition in ("of", "full of"):
        return a.noun.rpartition(" ")[2] in _HOLDERS
    if not relation.verb or a.kind in AGENTS:
        return True
    return relation.verb in STATES or (a.kind == "vehicles" and relation.verb in _MOTIONS)


def _can_undergo(relation: Relation, b: Thing) -> bool:
    """Whether it can be done to B: nobody is on or in somebody, unless it is an animal to ride."""
    if b.kind in AGENTS and relation.preposition in ("on", "in", "inside", "on the back of"):
        return b.noun in RIDDEN and relation.preposition.startswith("on")
    return not (b.kind == "bodyparts" and relation.verb and not relation.preposition)


def _is_too_small(a: Thing, b: Thing, how: Layout) -> bool:
    """Whether B cannot hold A: a person who is said to be on a phone talks, and does not stand on it."""
    return a.kind in AGENTS and how.size > 5 and b.kind != "scene" and b.noun not in _FOR_ONE


def is_company(a: Thing, b: Thing) -> bool:
    """Whether A can be with B: with somebody, or with what is not much larger; nobody is with stairs or with a wave."""
    if b.kind == "scene" or is_fixed(b):
        return False
    if a.kind in AGENTS and ((b.kind == "vehicles" and b.noun not in _FOR_TWO) or b.noun in _NO_COMPANY):
        return False
    return b.kind in AGENTS or a.kind not in AGENTS or b.frame.area <= LARGER * a.frame.area


def is_fixed(thing: Thing) -> bool:
    """Whether a thing has its place: nobody is with a sink or a couch, but near it."""
    return thing.kind == "furniture" or thing.noun in _FIXTURES


# What the layout must show before a preposition may be said; of one that is not here, that the things are near.
_PREPOSITIONS: dict[str, Test] = {
    preposition: test
    for prepositions, test in (
        ("and, to, toward", lambda how: True),
        ("with", lambda how: how.gap <= 2),
        ("on, on the back of", lambda how: how.touching and (how.up > -0.25 or how.a_in_b >= 0.6)),
        ("in, inside, in the middle of", lambda how: how.a_in_b >= 0.5),
        ("under, underneath, beneath, below", lambda how: how.up < -0.1 and how.x_overlap and how.gap <= 2),
        ("above, over", lambda how: how.up > 0.1 and how.x_overlap),
        ("next to, beside", lambda how: how.near and how.y_overlap and max(how.a_in_b, how.b_in_a) < 0.9),
        ("in front of", lambda how: how.near and how.y_overlap and how.bottom < 0.35),
        ("behind", lambda how: how.near and how.y_overlap and how.bottom > -0.1),
        ("of, full of", lambda how: how.b_in_a >= 0.5),
        ("against, down, along, across, through, into, onto", lambda how: how.touching),
    )
    for preposition in prepositions.split(", ")
}
WITH = Relation(preposition="with")
_OF_EACH = frozenset(_PREPOSITIONS) - {"and", "to", "toward", "with", "next to", "beside", "of", "full of"} | {"at"}
_FIXTURES = word_set("sink refrigerator fridge oven stove toilet bathtub bath shower dishwasher tv television") | {
    "fire hydrant", "traffic light", "stop sign", "street sign", "parking meter",
}  # fmt: skip
# What people and animals are near, but not with.
_NO_COMPANY = word_set("clock door window wall rock tree")
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
_FOR_ONE = word_set("skateboard surfboard snowboard ski skis chair stool unicycle")
_FOR_TWO = RIDDEN | word_set("bicycle bike motorcycle scooter")
_HOLDERS = word_set(
    """
    bowl plate cup mug glass bottle vase basket box tray pot pan bag bunch pile slice piece dish bucket jar can
    crate pack stack group crowd row bouquet carton platter cart truck
    """
)
_AIMED = word_set("look stare gaze point peer listen smile wave glance bark")
# Acts whose preposition tells no location: talking on a phone, working on a car.
_NOT_OF_PLACE = word_set("talk speak work play sing type read write draw paint perform dance cook")
_MOUNTED = frozenset({"ride", "drive"})
_AT_A_DISTANCE = word_set(
    """
    watch chase face overlook follow photograph throw catch kick hit pull fly serve feed approach herd lead walk
    view observe admire race toss tow guard water
    """
)
# What everybody does with a thing of their own: three people do not hold one racket.
_IN_HAND = word_set("hold carry swing hit throw catch kick use wear eat read")
_NEED_MANY = frozenset({"around"})
_MANY = frozenset({"gathered", "lined", "huddled", "stacked", "piled"})


def spatial_relation(a: Thing, b: Thing, how: Layout, *, together: bool = True, support: bool = True) -> Relation:
    """The relation of A to B by their kinds and layout; "and" or "near" if nothing more can be said."""
    words = _of_kinds(a, b, how)
    if not words or (words in SUPPORT and not support):
        words = _of_layout(b, how)
    if words in ("with", "above", "below") and is_fixed(b):
        words = ""
    if words:
        return Relation(preposition=words) if words != "wearing" else Relation("wear")
    if how.near or not together:
        return Relation(preposition="near" if how.gap <= 2 or is_fixed(b) else "with")
    return NAMED_TOGETHER


def _of_kinds(a: Thing, b: Thing, how: Layout) -> str:
    """What the kinds of two things suggest, if the layout permits it."""
    if a.kind in AGENTS and b.kind == "clothing" and how.b_in_a >= 0.4:
        return "wearing" if a.kind == "people" else "with"
    if b.kind in PARTS:
        return "with" if how.near else ""
    if b.kind == "scene":
        return _of_scene(b, how)
    if how.touching and how.up > -0.25:
        if b.noun in _SAT_AT and a.kind == "people":
            return "at"
        is_above = how.up > 0 if a.kind in AGENTS else how.a_in_b >= ON_IT
        if b.noun in _STOOD_ON and a.n >= b.n and not _is_too_many(a, b) and (is_above or how.a_in_b > 0.6):
            return "on"
    if how.a_in_b >= 0.8 and b.n == 1 and b.noun in (_CABINS if a.kind in AGENTS else _CONTAINERS):
        return "in"
    if a.kind in AGENTS and how.size > 2 and (how.b_in_a >= 0.5 or (how.touching and how.x_overlap)):
        return "with"
    return ""


def _of_scene(scene: Thing, how: Layout) -> str:
    if not how.touching:
        return "near"
    # A tennis court is a court.
    nouns = {scene.noun, scene.noun.rpartition(" ")[2]}
    for preposition, places in (("in front of", UPRIGHT), ("on", GROUND), ("in", AROUND), ("at", _EVENTS)):
        if not nouns.isdisjoint(places):
            return preposition
    return "near"


def _of_layout(b: Thing, how: Layout) -> str:
    if how.gap > 1:
        return ""
    if b.kind in _STANDING and how.x_overlap and abs(how.up) > 0.6:
        # What is higher in the picture may be on it, above it, or farther away.
        return "near"
    if how.b_in_a >= 0.8 and how.size > 2:
        return "with"
    if how.x_overlap and how.up > 0.6 and not how.y_overlap:
        return "above"
    if how.x_overlap and how.up < -0.6 and not how.y_overlap:
        return "below"
    if how.y_overlap and not how.x_overlap:
        return "next to" if how.gap <= 0.5 else "near"
    return "near" if how.gap > 0.1 else "next to" if max(how.a_in_b, how.b_in_a) < 0.5 else "with"


_EVENTS = word_set(
    "airport station intersection event party concert game festival zoo playground site stop terminal ceremony wedding"
    " parade race fair carnival"
)
_SAT_AT = word_set("table desk counter bar") | {"dining table", "coffee table", "kitchen table"}
_STOOD_ON = word_set(
    """
    chair couch sofa bench bed stool table desk shelf counter plate tray rug mat blanket horse bicycle bike motorcycle
    scooter skateboard surfboard snowboard skis platform roof branch wall rock log elephant camel donkey armchair
    """
) | {"dining table", "coffee table"}
_CABINS = word_set("car bus truck van boat canoe kayak train cart crib stroller wagon carriage")
_CONTAINERS = _CABINS | word_set("bowl basket box vase cup glass pot pan bag bottle suitcase sink")
_STANDING = frozenset({"people", "animals", "vehicles", "furniture", "scene"})
