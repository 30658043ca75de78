"""Wording: is a thing called and described as people call and describe it?

Lexicalisation looks at nouns. A mention's noun is that of what is to be seen
("people" in "a group of people"), in the singular. For each of the mention's
boxes that some gold caption names, the noun is right if a gold caption used it
for that box; the mention scores the share of these boxes for which it is, an
image the mean over its mentions. A mention of boxes that nobody names is not
judged, nor is one without a noun ("another", "them").

Attributes are the adjectives and participles between determiner and noun, and
words for colours, materials and patterns ("small" and "white" in "a small
white police car"), paired with each box that the mention refers to. A noun
there is part of a compound ("police car", "tennis racket"), and says what the
thing is. Over the boxes that both the caption and people mention, precision is
the share of the caption's pairs that a gold caption has too, recall the share
of all pairs of the gold captions that the caption has, F their harmonic mean.
Precision is asked where the caption gives an attribute, recall where people
do, F where either does; it is 0 where only one of them does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import fsum
from typing import ClassVar, NamedTuple

from limner.corpus.caption import Caption
from limner.score.content import Boxes, mentioned
from limner.score.measure import Compared, GroundedMeasure
from limner.score.metric import Choices
from limner.text.lexicon import DETERMINERS, INDEFINITE, ING_NOUNS, PERSONAL_PRONOUNS, word_set
from limner.text.noun_forms import singular
from limner.text.phrases import head_noun, held_phrase, is_adjective, is_number, modifiers, thing_noun


class Noun(NamedTuple):
    """What a mention calls the boxes it refers to."""

    boxes: Boxes
    noun: str


class Described(NamedTuple):
    """The boxes that a caption mentions, and each attribute it gives to one of them."""

    boxes: Boxes
    attributes: frozenset[tuple[str, str]]


def nouns(caption: Caption) -> list[Noun]:
    """What a caption calls the boxes it refers to, mention by mention, without those that have no noun."""
    named = ((mention, noun_of(caption.phrase(mention))) for mention in caption.mentions if mention.boxes)
    return [Noun(frozenset(mention.boxes), noun) for mention, noun in named if noun is not None]


def described(caption: Caption) -> Described:
    """Which attributes a caption gives to which boxes."""
    pairs = frozenset(
        (box, attribute)
        for mention in caption.mentions
        if mention.boxes
        for attribute in attributes_of(caption.phrase(mention))
        for box in mention.boxes
    )
    return Described(mentioned(caption), pairs)


class Lexicalisation(GroundedMeasure[list[Noun]]):
    """The mean over mentions of the share of their boxes for which somebody used the same noun."""

    name: ClassVar[str] = "lexicalisation"
    value_names: ClassVar[tuple[str, ...]] = ("score",)
    choices: ClassVar[Choices] = {"noun": "singular head"}

    read = staticmethod(nouns)

    def compare(self, said: list[Noun], gold: Sequence[list[Noun]]) -> Compared:
        used = {(box, noun) for caption in gold for boxes, noun in caption for box in boxes}
        named = {box for box, _ in used}
        shares: list[float] = []
        for boxes, noun in said:
            right = [(box, noun) in used for box in boxes if box in named]
            if right:
                shares.append(sum(right) / len(right))
        return Compared((fsum(shares) / len(shares) if shares else None,), len(said), len(shares))


class Attributes(GroundedMeasure[Described]):
    """Precision, recall and F of the attributes given to the boxes that both sides mention."""

    name: ClassVar[str] = "attributes"
    value_names: ClassVar[tuple[str, ...]] = ("P", "R", "F")
    choices: ClassVar[Choices] = {"attributes": "adjectives before the head"}

    read = staticmethod(described)

    def compare(self, said: Described, gold: Sequence[Described]) -> Compared:
        shared = said.boxes & frozenset().union(*(reference.boxes for reference in gold))
        given = {pair for pair in said.attributes if pair[0] in shared}
        expected = {pair for reference in gold for pair in reference.attributes if pair[0] in shared}
        right = len(given & expected)
        precision = right / len(given) if given else None
        recall = right / len(expected) if expected else None
        f = 2 * right / (len(given) + len(expected)) if given or expected else None
        return Compared((precision, recall, f), len(said.attributes), len(given))


# Heads of phrases that name nothing, singular as `singular` has them.
NAMELESS = DETERMINERS | INDEFINITE | PERSONAL_PRONOUNS | word_set("other who which there here none")


@lru_cache(maxsize=1 << 16)
def noun_of(phrase: str) -> str | None:
    """The noun, singular, for what a phrase shows; None for one that names nothing."""
    noun = singular(thing_noun(phrase))
    return None if noun in NAMELESS or is_number(noun) else noun


@lru_cache(maxsize=1 << 16)
def attributes_of(phrase: str) -> frozenset[str]:
    """The words that describe what a phrase shows: "young" of "a large group of young tennis players"."""
    held = held_phrase(phrase)
    described_by = modifiers(held)
    compounds = {
        first for first, second in pairwise([*described_by, singular(head_noun(held))]) if (first, second) in COMPOUNDS
    }
    return frozenset(word for word in described_by if is_descriptive(word) and word not in compounds)


def is_descriptive(word: str) -> bool:
    """Whether a word before a noun says how a thing is, rather than what it is; in lower case."""
    if is_adjective(word) or word in DESCRIPTIVE:
        return True
    if word.endswith("ing"):
        return word not in ING_NOUNS and word not in PURPOSES
    first, hyphen, last = word.partition("-")
    return bool(hyphen) and (is_adjective(first) or is_adjective(last))


# Adjectives, materials and patterns that noun phrases are parsed well enough without.
DESCRIPTIVE = word_set(
    """
    acrobatic adolescent agile alcoholic annual arabic architectural arid athletic australian avid awkward barren
    bloody blurry boxy brass bronze buddhist burlap calico canvas cardboard cement ceramic classic clay colonial
    commercial compact complex contemporary corporate cotton crazy crystal cultural curvy damp darker dense digital
    diverse double downhill dual eccentric egyptian elegant energetic entire ethnic evergreen exterior fabric faux
    favorite flamboyant flannel floppy fluorescent friendly frothy funky fur gay geometric gigantic glossy goofy
    gothic graphic gravel grotesque hardwood hawaiian heavier hollow homemade hungry immense industrial intense
    irish knit lace liquid lush majestic makeshift marble medieval messy misshapen mosaic multi-colour multicolor
    multicolour neutral newborn nondescript nylon ornamental overhead oversized panoramic paper pastel patriotic
    persian personal petite plush pointy polka-dot potential pristine puffy quirky rainbow random realistic roman
    scenic scientific sequin sexy shadowy shady sheer silk silly silvery similar skimpy sleek social sparkly spiral
    stark stiff stripey stripy styrofoam suburban surreal tabby tartan taupe temporary tile tin trendy tribal tweed
    twin underwater unique unlit unmade upward vast velvet vietnamese vinyl whole wicker wool wooly
    """
)

# Words in -ing that say what a thing is for: "a dining table".
PURPOSES = word_set(
    """
    bathing changing cleaning cutting dining diving drinking driving fencing jogging living loading marching measuring
    mixing nursing operating punching riding serving shaving shipping vending viewing wading washing wrapping
    """
)

# Adjectives that make a compound with the noun after them.
COMPOUNDS = frozenset(
    {
        ("bald", "eagle"),
        ("bmx", "bike"),
        ("bmx", "rider"),
        ("french", "fry"),
        ("french", "horn"),
        ("golden", "retriever"),
        ("hard", "hat"),
        ("high", "chair"),
        ("high", "heel"),
        ("hot", "air"),
        ("hot", "dog"),
        ("potted", "plant"),
    }
)
