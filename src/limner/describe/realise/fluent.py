"""Fluent sentences about chosen boxes, each of them mentioned once."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.describe.realise.alone import alone, place_of
from limner.describe.realise.clauses import Clauses
from limner.describe.realise.division import divided
from limner.describe.realise.lexical import choose_words
from limner.describe.realise.noun_phrases import NounPhrases, after_there, is_singular
from limner.describe.realise.order import ordered
from limner.describe.realise.phrasebook import Phrasebook
from limner.describe.realise.plan import plan
from limner.describe.realise.relations import Relator
from limner.describe.realise.things import Thing, things_of
from limner.describe.realise.writing import Text, joints
from limner.errors import unknown

DETAILS = ("low", "medium", "high")
WORDS = ("true", "people's")
MOST_IN_CLAUSE = {"low": 4, "medium": 5, "high": 6}
MOST_IN_LIST = 4

EMPTY = "A picture."
"""What is said where nothing was chosen."""


class FluentRealiser:
    """Puts chosen boxes into a sentence or two.

    Wording, order and relations are learnt from a phrasebook; without one the
    kinds of things and how they lie in the picture decide. `detail` says how
    much is told of the things, `simple` asks for short sentences of frequent
    words, and `focus` names a noun or kind that comes first. `words` is
    "true" for nouns that are certain to hold, "people's" for what people
    say most. The same seed and image give the same sentence.
    """

    name = "fluent"

    def __init__(
        self,
        phrasebook: Phrasebook | None = None,
        *,
        seed: int = 0,
        detail: str = "medium",
        simple: bool = False,
        focus: str | None = None,
        words: str = "true",
    ) -> None:
        if detail not in DETAILS:
            raise unknown("detail", detail, DETAILS)
        if words not in WORDS:
            raise unknown("choice of words", words, WORDS)
        self._book = phrasebook
        self._seed = seed
        self._detail = detail
        self._simple = simple
        self._focus = focus
        self._words = words
        self._relator = Relator(phrasebook, simple=simple, acts=detail != "low")
        self._phrases = NounPhrases(phrasebook, detail, simple=simple)
        self._clauses = Clauses(self._phrases, simple=simple)

    def realise(self, image: Image, selected: Sequence[str]) -> Caption:
        """The chosen boxes in words: each is in exactly one mention, and nothing else is mentioned."""
        rng = Random(f"{self._seed}:{image.id}")
        text = Text()
        things = things_of(image, selected)
        if not things:
            return Caption("0", EMPTY, source=f"system:{self.name}")
        choose_words(things, self._book, self._words)
        things = ordered(divided(things, self._relator), self._book, self._focus)
        if len(things) == 1:
            alone(text, things[0], image, self._phrases, rng, places=self._detail != "low")
        else:
            self._tell(text, things, image, rng)
        return text.caption(f"system:{self.name}")

    def _tell(self, text: Text, things: list[Thing], image: Image, rng: Random) -> None:
        clause = plan(things, self._relator, most=3 if self._simple else MOST_IN_CLAUSE[self._detail])
        self._clauses.write(text, clause, rng)
        text.stop()
        step = 2 if self._simple else MOST_IN_LIST
        for at in range(0, len(clause.rest), step):
            self._list(text, clause.rest[at : at + step], image, rng, first=at == 0)

    def _list(self, text: Text, things: Sequence[Thing], image: Image, rng: Random, *, first: bool) -> None:
        """A sentence that there are these things too."""
        seen = not self._simple and rng.random() < 0.4
        phrases = [self._phrases.phrase(thing, rng, again=thing.word in text.nouns) for thing in things]
        if not seen:
            verb = "is" if is_singular(phrases[0], things[0]) else "are"
            text.say(f"there {verb} also" if first else f"there {verb}")
            phrases[0] = after_there(phrases[0], things[0])
        for joint, thing, phrase in zip(joints(len(things)), things, phrases, strict=True):
            text.joint(joint)
            text.refer(phrase, thing)
            if self._detail == "high" and (place := place_of(thing, image)):
                text.say(place)
        if seen:
            text.say("can also be seen" if first else "can be seen as well")
        elif not first:
            text.say("too")
        text.stop()
