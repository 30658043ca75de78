"""Noun phrases for things: the noun, its article or number, and adjectives that are known to hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING

from limner.corpus.box import Box
from limner.describe.realise.described_things import Thing
from limner.describe.realise.thing_names import COUPLE, ENSEMBLES, GENERIC
from limner.text.articles import article, is_mass, is_pair, is_unique, is_worn_pair
from limner.text.kinds import kind_of_noun
from limner.text.labels import many, written
from limner.text.lexicon import ADJECTIVE_ORDER, ADJECTIVES, COMMON_COLOURS, SHADES, word_set
from limner.text.noun_tables import FLOCK_ANIMALS, HERD_ANIMALS, PLURAL_AS_SINGULAR
from limner.text.phrases import is_adjective

if TYPE_CHECKING:
    from limner.describe.realise.phrasebook import Phrasebook

NUMBER_WORDS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip

MOST_ATTRIBUTES = {"low": 0, "medium": 2, "high": 4}

# More things than this are not counted but called "several" or "a group", by detail.
COUNTED = {"low": 4, "medium": 5, "high": 12}

# A noun must be used by more than this share of people to be trusted to hold of all things of a label.
MAJORITY = 0.5

# A noun of which captions have less than this share is not understood without the picture.
OBSCURE = 1e-4

# The share of captions that say whose a thing is, from which on it may be said again.
OWNED = 0.2

# The same of a noun that tells a person's sex, where the label does not.
SURE = 0.95


class NounPhrases:
    """Makes noun phrases: by detail, by what captions say of a noun, and at random where there is a choice."""

    def __init__(self, book: Phrasebook | None, detail: str, *, simple: bool = False) -> None:
        self._book = book
        self._detail = detail
        self._simple = simple

    def phrase(
        self, thing: Thing, rng: Random, *, shared: bool = False, again: bool = False, owner: Thing | None = None
    ) -> str:
        """The thing's noun phrase.

        `shared` things are one for each of several, as in "two men wearing
        hats"; with `again`, things of the same noun have been named before. What
        is said of an `owner` may refer back to it: "a man riding his bike".
        """
        described = _in_a_row(self.attributes(thing))
        if thing.word == "thing":
            return f"something {described}".rstrip() if thing.n == 1 else f"some {described}things"
        if thing.collective:
            return written(self._group(thing, described, rng))
        if (thing.n > 1 and thing.word not in ENSEMBLES) or thing.is_plural_label:
            return written(self._several(thing, described, rng, shared=shared, again=again))
        if owner is not None and not again and self._refers_back(thing, rng) and (whose := possessive(owner)):
            return written(f"{whose} {described}{thing.word}")
        return written(self._single(thing, described, again=again))

    def _refers_back(self, thing: Thing, rng: Random) -> bool:
        """Whether to say whose a thing is: as often as not, where captions often do so."""
        counts = self._book.determiners.get(thing.word, {}) if self._book is not None and not self._simple else {}
        total = sum(counts.values())
        return total >= _ENOUGH and counts.get("possessive", 0) >= OWNED * total and rng.random() < 0.5

    def attributes(self, thing: Thing) -> list[str]:
        """The adjectives that are said of a thing."""
        return attributes(thing.boxes, MOST_ATTRIBUTES[self._detail], thing.word, thing.kind)

    def _several(self, thing: Thing, before: str, rng: Random, *, shared: bool, again: bool) -> str:
        if is_uncounted(thing.word) or is_colour_worn(thing):
            return before + thing.word
        plural = many(thing.word)
        if thing.is_plural_label and thing.n == 1:
            return before + plural
        if is_pair(plural):
            return before + plural if shared else f"{self._number(thing, rng, again)}pairs of {before}{plural}"
        quantity = "" if shared or thing.is_plural_label else self._number(thing, rng, again)
        return f"{quantity}{'other ' if again else ''}{before}{plural}"

    def _single(self, thing: Thing, before: str, *, again: bool) -> str:
        noun = thing.word
        if is_pair(noun):
            return before + noun if is_worn_pair(noun) else f"a pair of {before}{noun}"
        if again and not is_uncounted(noun):
            return f"another {before}{noun}"
        determiner = self._determiner(thing)
        if determiner == "a":
            return f"{article(written(before + noun))} {before}{noun}"
        return f"the {before}{noun}" if determiner == "the" else before + noun

    def _determiner(self, thing: Thing) -> str:
        """`a`, `the` or `bare`, as captions have it if they say enough of the noun."""
        noun = thing.word
        if is_colour_worn(thing):
            return "bare"
        counts = self._book.determiners.get(noun, {}) if self._book is not None else {}
        total = sum(counts.values()) - counts.get("possessive", 0)
        if is_uncounted(noun):
            return "the" if thing.kind == "scene" and counts.get("the", 0) * 2 > total else "bare"
        if total >= _ENOUGH:
            if counts.get("the", 0) * 2 > total and thing.kind == "scene":
                return "the"
            if counts.get("bare", 0) > _BARE * total and thing.kind not in ("people", "animals", "vehicles"):
                return "bare"
            return "a"
        return "the" if is_unique(noun) else "a"

    def _group(self, thing: Thing, before: str, rng: Random) -> str:
        held = before + many(thing.word)
        if thing.collective == COUPLE and thing.n <= 2:
            # The members of a couple may have a box each.
            return f"{article(before + COUPLE)} {before}{COUPLE}"
        if thing.n == 1:
            return f"{article(thing.collective)} {thing.collective} of {held}"
        if thing.collective == "crowd":
            return f"a crowd of {held}"
        return f"{self._number(thing, rng, False)}{many(thing.collective)} of {held}"

    def _number(self, thing: Thing, rng: Random, again: bool) -> str:
        """The word for how many, with a space after it."""
        n = thing.n
        if thing.n_left_out:
            # There are more of them in the picture.
            return "several " if n > 2 else "some "
        if n == 2 and not again and not self._simple and rng.random() < _VARIED:
            return "a couple of " if thing.kind == "people" else "a pair of "
        if n <= COUNTED[self._detail] and n < len(NUMBER_WORDS):
            return f"{NUMBER_WORDS[n]} "
        if again or thing.collective:
            return "several "
        if self._simple:
            return "many "
        return rng.choice(_for_many(thing))


def possessive(owner: Thing) -> str:
    """The pronoun that refers back to somebody or something that acts; empty if it would tell what nobody knows."""
    if owner.kind == "people":
        if owner.is_many:
            return "their"
        return "his" if owner.word in _HIS else "her" if owner.word in _HER else ""
    return ("their" if owner.is_many else "its") if owner.kind == "animals" else ""


_HIS = word_set("man boy guy gentleman father")
_HER = word_set("woman girl lady mother")


def is_singular(phrase: str, thing: Thing) -> bool:
    """Whether the verb after "there" is singular: there is a dog, or a group of dogs; there are two."""
    if phrase.startswith(_PLURAL_QUANTITIES):
        return phrase.startswith("a pair of ") and is_pair(thing.word)
    return phrase.startswith(("a ", "an ")) or not _is_plural(thing)


def takes_plural(phrase: str, thing: Thing) -> bool:
    """Whether the verb of a sentence about a thing is plural: two dogs are, and so are a group of dogs."""
    return _is_plural(thing) and not (thing.n == 1 and phrase.startswith("a pair of "))


def _is_plural(thing: Thing) -> bool:
    if is_mass(thing.word) or (thing.word in ENSEMBLES and not thing.is_plural_label):
        return False
    return thing.is_many or thing.word in PLURAL_AS_SINGULAR or is_pair(thing.word)


def after_there(phrase: str, thing: Thing) -> str:
    """A phrase as it stands after "there is": some water."""
    return f"some {phrase}" if is_mass(thing.word) and not phrase.startswith(("the ", "a ", "some ")) else phrase


def is_colour_worn(thing: Thing) -> bool:
    """Whether a label calls clothes by their colour: somebody "in black"."""
    return thing.kind == "clothing" and thing.noun in ADJECTIVES


def is_uncounted(noun: str) -> bool:
    """Whether neither article nor number goes with a noun: grass, clothes."""
    return is_mass(noun) or (noun in PLURAL_AS_SINGULAR and not is_pair(noun))


def _for_many(thing: Thing) -> Sequence[str]:
    """Words for many of a thing."""
    if thing.kind == "people":
        return ("a group of ", "several ", "a group of ") if thing.n < 10 else ("a group of ", "a crowd of ", "many ")
    if thing.noun in HERD_ANIMALS:
        return ("a herd of ", "several ")
    if thing.noun in FLOCK_ANIMALS:
        return ("a flock of ", "several ")
    if thing.kind == "animals":
        return ("a group of ", "several ")
    return ("several ", "a number of ") if thing.n < 10 else ("many ", "a lot of ")


def attributes(boxes: Sequence[Box], most: int, noun: str, kind: str = "other") -> list[str]:
    """At most `most` adjectives that hold of all the boxes, in the order of English.

    Only words that are surely adjectives are used, each once, and none that is
    part of the noun.
    """
    if most == 0:
        return []
    first, *rest = (box.attributes for box in boxes)
    shared = dict.fromkeys(a for a in first if all(a in words for words in rest))
    said = [a.lower() for a in shared if _can_be_said(a.lower(), noun)]
    if kind == "people":
        said = [a for a in said if a in _OF_PEOPLE]
    adjectives = sorted(dict.fromkeys(said), key=_rank)
    colours = [a for a in adjectives if a in _COLOURS]
    # With three colours or more, none of them describes the thing.
    if len(colours) > 2:
        adjectives = [a for a in adjectives if a not in _COLOURS]
    # One word for age or size is enough: nobody is "an older old man" or "a little young girl".
    extra = [a for a in adjectives if a in _AGE_AND_SIZE][1:] if kind == "people" else []
    return [a for a in adjectives if a not in extra][:most]


def _can_be_said(attribute: str, noun: str) -> bool:
    if not attribute.replace("-", "").isalpha() or attribute in noun.split() or attribute in _NOT_BEFORE_NOUNS:
        return False
    return is_adjective(attribute)


def _in_a_row(adjectives: Sequence[str]) -> str:
    """The adjectives as they stand before a noun, with a space after each: "big black and white "."""
    text = ""
    for at, adjective in enumerate(adjectives):
        both = at and adjective in _COLOURS and adjectives[at - 1] in _COLOURS
        text += f"and {adjective} " if both else f"{adjective} "
    return text


def _rank(attribute: str) -> int:
    """Where an adjective stands: opinion, size, age, shape, colour, what it is made of."""
    for rank, words in enumerate(ADJECTIVE_ORDER):
        if attribute in words:
            return rank
    return len(ADJECTIVE_ORDER) - 3


_PLURAL_QUANTITIES = ("a couple of ", "a pair of ", "a lot of ", "a number of ")

# Captions that must use a noun before what they say of it counts.
_ENOUGH = 10
# The share of captions without an article from which on a noun has none.
_BARE = 0.7
# How often "a couple of" is said for "two".
_VARIED = 0.12
_COLOURS = COMMON_COLOURS | SHADES
# What is said of people: age, size, hair and state. Opinions and words for descent and build are not: whoever writes
# them, a machine should not repeat them.
_OF_PEOPLE = word_set(
    """
    young old older elderly younger adult teenage middle-aged little small tall short big blond blonde blond-haired
    red-haired dark-haired brown-haired gray-haired long-haired curly-haired bald balding bearded shirtless barefoot
    barefooted masked smiling costumed uniformed
    """
)
_AGE_AND_SIZE = word_set(
    "young old older elderly younger little small tiny big large huge adult teenage middle-aged aged senior"
)
_NOT_BEFORE_NOUNS = word_set(
    "asleep awake alive lit afloat aloft alone ill upright next same other only own left right"
)


def _is_odd(thing: Thing, book: Phrasebook) -> bool:
    """Whether hardly a caption uses a label, and no list, of somebody or something of a known type: "a zara"."""
    if thing.kind not in GENERIC or thing.kind == "scene" or kind_of_noun(thing.noun) != "other":
        return False
    # What somebody is called may be what they are at: "an event".
    return sum(book.nouns.get(thing.noun, {}).values()) < (_ENOUGH if thing.kind == "people" else 1)


def is_obscure(thing: Thing, book: Phrasebook) -> bool:
    """Whether a label of no known type or list is hardly ever used in as many captions as there are: "a wiki"."""
    if thing.kind != "other" or kind_of_noun(thing.noun) != "other":
        return False
    return sum(book.nouns.get(thing.noun, {}).values()) < int(OBSCURE * book.n_captions)


def _compound(thing: Thing, known: Mapping[str, int]) -> str:
    """The thing's noun with one before it that all its boxes have, if captions have both together: a tennis ball."""
    if thing.kind == "people":
        # What stands before a word for people is mostly their descent.
        return ""
    first, *rest = (box.attributes for box in thing.boxes)
    shared = [name for name in first if name in known and all(name in names for names in rest)]
    return f"{max(shared, key=lambda name: (known[name], name))} {thing.noun}" if shared else ""


def _tells_sex(word: str, thing: Thing) -> bool:
    """Whether a word says of somebody what the label does not: most artists are men, but not all."""
    return thing.kind == "people" and word in _SEXED and thing.noun not in _SEXED


_SEXED = word_set("man woman boy girl guy lady gentleman male female mother father")


def choose_words(things: Sequence[Thing], book: Phrasebook | None, words: str) -> None:
    """Give each thing its word.

    With "true" it is the label's noun, or another that most people use for
    such things ("table" for a dining table): a word that fewer use may claim
    what nobody knows ("man" for a person). With "people's" it is whatever word
    they use most.
    """
    if book is None:
        return
    for thing in things:
        counts = book.nouns.get(thing.noun, {})
        if _is_odd(thing, book):
            thing.word = GENERIC[thing.kind]
            continue
        if compound := _compound(thing, book.compounds.get(thing.noun, {})):
            thing.word = compound
            continue
        total = sum(counts.values())
        if total < _ENOUGH or thing.is_plural_label:
            continue
        word, n = max(counts.items(), key=lambda item: item[1])
        # Glasses are worn: several glasses to drink from keep their label.
        if thing.n > 1 and is_pair(many(word)) and word != thing.noun:
            continue
        if words == "people's" or n > (SURE if _tells_sex(word, thing) else MAJORITY) * total:
            thing.word = word if thing.n == 1 or words == "true" or thing.noun != "person" else thing.noun
    nouns = Counter(thing.word for thing in things)
    for thing in things:
        # A label that names nothing known is not said even so.
        if nouns[thing.word] > 1 and not _is_odd(thing, book):
            thing.word = thing.noun
