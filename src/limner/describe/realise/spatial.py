"""Relations that the boxes alone show, where no captions tell what people would say."""

from __future__ import annotations

from limner.describe.realise.layout import Layout
from limner.describe.realise.things import AGENTS, PARTS, Thing
from limner.describe.realise.wording import NAMED_TOGETHER, SUPPORT, Relation
from limner.text.lexicon import word_set


def spatial_relation(a: Thing, b: Thing, how: Layout, *, together: bool = True, support: bool = True) -> Relation:
    """What can be said of A to B by their kinds and how they lie; "and" or "near" if nothing more."""
    words = _of_kinds(a, b, how)
    if not words or (words in SUPPORT and not support):
        words = _of_layout(b, how)
    if words:
        return Relation(preposition=words) if words != "wearing" else Relation("wear")
    if how.near or not together:
        return Relation(preposition="near" if how.gap <= 2 else "with")
    return NAMED_TOGETHER


def _of_kinds(a: Thing, b: Thing, how: Layout) -> str:
    """What the kinds of two things suggest, where the layout allows it."""
    if a.kind in AGENTS and b.kind == "clothing" and how.b_in_a >= 0.4:
        return "wearing" if a.kind == "people" else "with"
    if b.kind in PARTS:
        return "with" if how.near else ""
    if b.kind == "scene":
        return _of_place(b, how)
    if how.touching and how.up > -0.25:
        if b.noun in _SAT_AT and a.kind == "people":
            return "at"
        if b.noun in _STOOD_ON and a.n >= b.n and (how.up > 0 or how.a_in_b > 0.6):
            return "on"
    if how.a_in_b >= 0.8 and b.n == 1 and b.noun in (_CABINS if a.kind in AGENTS else _CONTAINERS):
        return "in"
    if a.kind in AGENTS and how.b_in_a >= 0.5 and how.size > 2:
        return "with"
    return ""


def _of_place(place: Thing, how: Layout) -> str:
    if not how.touching:
        return "near"
    if place.noun in _UPRIGHT:
        return "in front of"
    return "on" if place.noun in _GROUND else "in" if place.noun in _AROUND else "at"


def _of_layout(b: Thing, how: Layout) -> str:
    if how.gap > 1:
        return ""
    if b.kind in _STANDING and how.x_overlap and abs(how.up) > 0.6:
        # Of what stands on the ground, the lower in the picture is the nearer.
        return "in front of" if how.bottom < 0 else "behind"
    if how.b_in_a >= 0.8 and how.size > 2:
        return "with"
    if how.x_overlap and how.up > 0.6 and not how.y_overlap:
        return "above"
    if how.x_overlap and how.up < -0.6 and not how.y_overlap:
        return "below"
    if how.y_overlap and not how.x_overlap:
        return "next to" if how.gap <= 0.5 else "near"
    return "near" if how.gap > 0.1 else "next to" if max(how.a_in_b, how.b_in_a) < 0.5 else "with"


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
_UPRIGHT = word_set(
    "building house wall fence tower church castle store shop window door skyscraper barn waterfall gate mountain"
)
_GROUND = word_set(
    """
    street road sidewalk path trail beach sand grass lawn field stage track court floor ground pavement hill slope
    dirt rock slide roadside shoreline platform dock pier deck roof runway highway crosswalk rink ramp patio porch
    balcony bridge mountain shore
    """
)
_AROUND = word_set(
    """
    room kitchen bedroom bathroom classroom office hallway forest woods jungle desert park garden yard backyard water
    ocean sea lake river pool pond snow rain city town village alley restaurant store shop cafe bar market mall library
    museum gym stadium arena church school hospital garage barn valley tunnel lobby theater parking-lot field meadow
    pasture area wild air sky mud tent cave courtyard plaza square
    """
) | {"living room", "dining room", "parking lot", "swimming pool"}
