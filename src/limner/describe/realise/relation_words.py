"""The words that may relate two things: a closed set of shapes, so that nothing else gets into a sentence."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from limner.text.lexicon import word_set
from limner.text.verb_forms import BASE_BY_FORM, GERUNDS, gerund
from limner.text.verb_tables import STATE_PARTICIPLES, TRANSITIVE_VERBS
from limner.text.words import words

AND = "and"


class Relation(NamedTuple):
    """What is said of A in relation to B: a verb or participle, a preposition, or both; or "and".

    `verb` is the base form ("ride"), `participle` a past participle
    ("parked"); at most one of them is given. `particle` stands between the
    verb and the preposition ("looking up at").
    """

    verb: str = ""
    participle: str = ""
    particle: str = ""
    preposition: str = ""

    def __str__(self) -> str:
        """The words as they follow a noun: "riding", "sitting on", "parked next to", "and"."""
        first = gerund(self.verb) if self.verb else self.participle
        return " ".join(part for part in (first, self.particle, self.preposition) if part)

    @property
    def is_verbal(self) -> bool:
        return bool(self.verb or self.participle)


NAMED_TOGETHER = Relation(preposition=AND)

# Prepositions as captions write them, and the one that is said.
PREPOSITIONS = {
    preposition: preposition
    for preposition in (
        "on", "in", "at", "with", "near", "by", "next to", "beside", "behind", "in front of", "under", "underneath",
        "beneath", "below", "above", "over", "inside", "outside", "against", "around", "along", "across", "through",
        "between", "among", "of", "down", "up", "toward", "past", "into", "onto", "off", "out of", "from", "to",
        "full of", "in the middle of", "on the back of", "on the side of", "to the side of", "at the edge of",
        "for", "about",
    )
} | {
    # Variants of one meaning count as one preposition.
    "next": "next to",
    "on top of": "on",
    "atop": "on",
    "upon": "on",
    "inside of": "inside",
    "outside of": "outside",
    "alongside": "next to",
    "close to": "near",
    "nearby": "near",
    "towards": "toward",
    "amongst": "among",
    "in front": "in front of",
    "in between": "between",
    "at the back of": "behind",
    "in back of": "behind",
    "out from": "out of",
}  # fmt: skip

# Prepositions that can relate two things without a verb.
ALONE = frozenset(PREPOSITIONS.values()) - {
    "for", "to", "from", "about", "into", "onto", "off", "up", "down", "out of", "through", "toward", "along", "across",
    "past", "against",
}  # fmt: skip

# The longest shape is a verb, a particle and a preposition of four words.
MAX_WORDS = 6
PARTICLES = frozenset({"up", "down", "out", "away", "back", "over", "around"})


class ReadRelation(NamedTuple):
    """A relation that was read between two mentions.

    It is `adjacent` if nothing separates it from the mention before it, which is
    then its subject; `finite` if it is the predicate of a clause.
    """

    relation: Relation
    adjacent: bool
    finite: bool


@lru_cache(maxsize=1 << 16)
def read_relation(between: str) -> ReadRelation | None:
    """What the words between two mentions say of them; None if they have no known shape."""
    tokens = words(between)
    if not tokens:
        return ReadRelation(NAMED_TOGETHER, True, False) if between.strip() in (",", "&") else None
    if tokens == [AND]:
        return ReadRelation(NAMED_TOGETHER, True, False)
    adjacent = between.lstrip()[:1] != ","
    finite = False
    while tokens and tokens[0] in _LEADING:
        finite = finite or tokens[0] in _AUXILIARIES
        adjacent = False
        tokens = tokens[1:]
    tokens = [token for token in tokens if token not in _ADVERBS]
    if tokens and tokens[0] in ("has", "have", "having"):
        tokens = ["with", *tokens[1:]]
    relation = parse_relation(tokens)
    if relation is not None:
        is_finite = finite or bool(relation.verb and tokens[0] not in GERUNDS)
        return ReadRelation(relation, adjacent and not is_finite, is_finite)
    return _last_act(tokens)


def _last_act(tokens: list[str]) -> ReadRelation | None:
    """The participle with which longer words end: "standing on a court holding"."""
    for at in range(max(1, len(tokens) - 3), len(tokens)):
        if tokens[at] in GERUNDS and tokens[at - 1] not in _BEFORE_NO_ACT:
            relation = parse_relation(tokens[at:])
            return None if relation is None else ReadRelation(relation, False, False)
    return None


def parse_relation(tokens: list[str]) -> Relation | None:
    """The relation that the words make, if all of them together make one."""
    if not 0 < len(tokens) <= MAX_WORDS:
        return None
    first, rest = tokens[0], tokens[1:]
    if rest and first in STATE_PARTICIPLES:
        preposition = PREPOSITIONS.get(" ".join(rest))
        return Relation(participle=first, preposition=preposition) if preposition else None
    if first in BASE_BY_FORM and " ".join(tokens) not in PREPOSITIONS:
        return _with_verb(BASE_BY_FORM[first], rest)
    preposition = PREPOSITIONS.get(" ".join(tokens))
    return Relation(preposition=preposition) if preposition in ALONE else None


def _with_verb(verb: str, rest: list[str]) -> Relation | None:
    if not rest:
        return Relation(verb) if verb in TRANSITIVE_VERBS else None
    if (preposition := PREPOSITIONS.get(" ".join(rest))) is not None:
        return Relation(verb, preposition=preposition)
    if rest[0] in PARTICLES and (preposition := PREPOSITIONS.get(" ".join(rest[1:]))) is not None:
        return Relation(verb, particle=rest[0], preposition=preposition)
    return None


@lru_cache(maxsize=1 << 16)
def relation_of(text: str) -> Relation | None:
    """The relation that a phrasebook writes as text: the very words that `str` gives."""
    if text == AND:
        return NAMED_TOGETHER
    relation = parse_relation(text.split(" "))
    return relation if relation is not None and str(relation) == text else None


_AUXILIARIES = frozenset({"is", "are", "was", "were", "'s", "'re", "being"})
_LEADING = _AUXILIARIES | {"and", "while", "who", "that", "which", "then", "also", "as", "he", "she", "they", "it"}
_ADVERBS = word_set(
    """
    happily quietly closely slowly quickly carefully intently casually calmly gently silently peacefully proudly
    together alone just very all both each outdoors indoors directly right currently busy
    """
)
# After these an -ing word is not an act: "trying to stop eating", "a riding lawn mower".
_BEFORE_NO_ACT = word_set(
    "a an the his her their its of for by from to without stop stops start starts try tries after before like"
)

# Prepositions that say where somebody is, so that one of them is enough.
SUPPORT = frozenset({"on", "in", "inside", "at", "on the back of"})
