"""Verbs that speak of a class of objects without its noun: "skiing" for skis, "riding" beside a horse.

The list is closed and written by hand, for COCO's classes. For each class:

- verbs that imply it: nobody skis without skis;
- verbs that fit it, but others too: one rides horses, bicycles and waves;
- nouns for who does it: a skier.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from limner.corpus.classes.class_names import class_name
from limner.text.lexicon import word_set
from limner.text.verb_forms import is_participle, verb_lemma
from limner.text.words import words

# What a caption has in place of the noun, the surest first.
Kind = Literal["verb", "fitting", "agent"]
KINDS: tuple[Kind, ...] = ("verb", "fitting", "agent")


class RelatedWords(NamedTuple):
    """The words that speak of a class: verbs by their base forms, nouns in the singular."""

    verb: frozenset[str]
    fitting: frozenset[str]
    agent: frozenset[str]


# class: verbs that imply it; verbs that fit it; who does it.
_LISTED = """
skis: ski; race, slalom; skier
snowboard: snowboard; ride, board; snowboarder, boarder
surfboard: surf, windsurf, bodyboard, paddleboard, wakeboard; ride, board; surfer, windsurfer, boarder
skateboard: skateboard, skate; ride, board, grind; skateboarder, skater, boarder
bicycle: cycle, bicycle, bike, pedal; ride; cyclist, bicyclist, biker
motorcycle: motorcycle; ride, race; motorcyclist, biker
horse: gallop, trot, canter, saddle; ride; equestrian, jockey, rider
elephant: ; ride;
kite: kitesurf, kiteboard; fly; kiteboarder, kitesurfer
frisbee: ; throw, toss, catch;
sports ball: dribble; kick, throw, pitch, hit, catch, bounce, serve; pitcher, batter, catcher
baseball bat: bat; swing, hit; batter
baseball glove: ; catch, pitch; catcher, pitcher, outfielder
tennis racket: ; serve, swing, hit, volley, return;
boat: sail, row, canoe, kayak, boat; paddle, float, dock; sailor, rower, boater, kayaker
car: ; drive, park; driver
bus: ; drive, park; driver
truck: ; drive, park, haul; driver
airplane: taxi; fly, land; pilot
bench: ; sit, rest;
chair: ; sit;
couch: ; sit, lounge, recline, relax;
bed: ; sleep, lie, nap;
toilet: flush, urinate, pee; sit;
dining table: ; eat;
fork: ; eat;
knife: ; cut, slice, carve, chop;
spoon: stir; eat;
cup: ; drink, sip;
wine glass: ; drink, sip;
bottle: ; drink, pour;
oven: ; bake, roast, cook;
microwave: microwave; heat;
sink: ; wash;
tv: ; watch, play;
remote: ; play, control;
laptop: type; work, compute;
keyboard: type; work;
cell phone: phone, text; talk, call;
book: ; read; reader
scissors: snip; cut;
toothbrush: ; brush;
hair drier: ; dry;
umbrella: ; shade;
"""


def _parsed() -> Iterator[tuple[str, RelatedWords]]:
    for line in filter(None, _LISTED.splitlines()):
        name, _, groups = line.partition(":")
        kinds = [frozenset(word.strip() for word in group.split(",") if word.strip()) for group in groups.split(";")]
        yield class_name(name), RelatedWords(*kinds)


RELATED: dict[str, RelatedWords] = dict(_parsed())

# A base form is a verb after these; elsewhere it may be a noun, or describe one: "a ski slope".
BEFORE_BASE = word_set("to who can men women people children kids boys girls guys they")


def verbs_of(text: str) -> set[str]:
    """The base forms of the verbs that a caption has in the present tense.

    A base form itself counts after "to" or a plural subject alone. A
    participle mostly describes: "sliced bread".
    """
    tokens = [word.lower() for word in words(text)]
    said = set()
    for before, word in zip(["", *tokens], tokens, strict=False):
        lemma = verb_lemma(word)
        if lemma is not None and (before in BEFORE_BASE if word == lemma else not is_participle(word)):
            said.add(lemma)
    return said


def continuous_verbs(text: str) -> set[str]:
    """The base forms of the verbs of a caption in -ing: no other form is as seldom a noun."""
    lemmas = (verb_lemma(word.lower()) for word in words(text) if word.lower().endswith("ing"))
    return {lemma for lemma in lemmas if lemma is not None}


def related_kind(text: str, name: str) -> Kind | None:
    """How a caption that does not name a class speaks of it all the same; None if it does not."""
    listed = RELATED.get(name)
    if listed is None:
        return None
    verbs, tokens = verbs_of(text), {word.lower() for word in words(text)}
    if verbs & listed.verb:
        return "verb"
    if verbs & listed.fitting:
        return "fitting"
    agents = {form for noun in listed.agent for form in (noun, f"{noun}s")}
    return "agent" if tokens & agents else None
