"""Noun phrases: how a describer refers to things, in their own words and with their own mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from limner.playground.attention import Viewpoint
from limner.playground.catalogue import KINDS, Word, word
from limner.playground.describers import WRONG_CLASS, WRONG_COLOUR, WRONG_COUNT, Describer
from limner.playground.grammar import HERDS, NUMBERS, Sentence
from limner.playground.scene import Thing
from limner.text.articles import article

Item = TypeVar("Item")


class Speaker:
    """A describer's way with nouns, in one caption."""

    def __init__(self, view: Viewpoint, who: Describer, rng: Random, out: Sentence) -> None:
        self.view = view
        self.who = who
        self.rng = rng
        self.random = rng.random
        self.out = out
        self.telegraphic = rng.random() < who.telegraphic
        self.definite = rng.random() < who.definite
        self._named: set[str] = set()
        self._precise = False

    def pick(self, options: Sequence[Item]) -> Item:
        """One of the options, all equally likely."""
        return options[int(self.random() * len(options))]

    def refer(
        self, things: Sequence[Thing], *, owner: Thing | None = None, verb: str = "", precise: bool = False
    ) -> None:
        """Say a noun phrase for the things, as one mention; a precise one is no `person`."""
        numbers = tuple(sorted(t.number for t in things))
        self._precise = precise
        self.out.refer(self._single(things[0], owner, verb) if len(things) == 1 else self._several(things), numbers)

    def clothes(self, people: Sequence[Thing]) -> list[int]:
        """Say what they wear; the numbers of what was named."""
        if len(people) > 1:
            return self._shared_clothes(people)
        worn = people[0].garments
        picks = sorted(worn, key=lambda g: -g.kind.eye * (0.4 + self.random()))
        # Last what is said with another preposition: in a hat with a backpack.
        picks.sort(key=lambda g: g.kind.name == "backpack")
        n = 2 if len(picks) > 1 and self.random() < 0.26 + 0.36 * self.who.detail else 1
        for i, garment in enumerate(picks[:n]):
            if garment.kind.name == "backpack":
                self.out.say("with")
            else:
                self.out.say("and" if i else self.pick(_WEARING))
            self.out.refer(self._garment(garment), (garment.number,))
        return [garment.number for garment in picks[:n]]

    def _shared_clothes(self, people: Sequence[Thing]) -> list[int]:
        """What all of them wear, if there is such a thing: helmets, jackets."""
        first = {g.kind.name for g in people[0].garments}
        for person in people[1:]:
            first &= {g.kind.name for g in person.garments}
        shared = [name for name in _COMMON if name in first]
        if not shared:
            return []
        name = shared[0]
        pieces = [g for person in people for g in person.garments if g.kind.name == name]
        plural = self._word(name).many
        colours = {g.colour for g in pieces}
        self.out.say(self.pick(_WEARING))
        text = f"{pieces[0].colour} {plural}" if len(colours) == 1 else plural
        self.out.refer(text, tuple(sorted(g.number for g in pieces)))
        return [g.number for g in pieces]

    def _single(self, thing: Thing, owner: Thing | None, verb: str) -> str:
        noun = self._noun(thing)
        described = self._described(thing, noun.one)
        if self.telegraphic and self.random() < 0.85:
            return described
        if owner is not None and verb in _OWNED and owner.kind.type == "people" and self.random() < self.who.own:
            return f"{_POSSESSIVE[owner.kind.name]} {described}"
        if noun.bare:
            return f"a pair of {described}" if noun.one == "skis" and self.random() < 0.3 else described
        # A second dog in the same caption is another dog.
        again = thing.kind.name in self._named
        self._named.add(thing.kind.name)
        if again:
            return f"another {described}"
        if self.definite:
            return f"the {described}"
        return f"{article(described)} {described}"

    def _garment(self, garment: Thing) -> str:
        noun = self._word(garment.kind.name)
        # Blue pants are mostly called jeans, and jeans have no colour.
        if garment.kind.name == "pants" and garment.colour == "blue" and self.random() < 0.6:
            noun = _JEANS
        words = []
        if self.random() < 0.35 + 0.6 * self.who.colour and noun is not _JEANS:
            words.append(self._colour(garment))
        if "striped" in garment.attributes and self.random() < 0.6:
            words.insert(0, "striped") if not words or self.random() < 0.2 else words.append("striped")
        words.append(noun.one)
        text = " ".join(words)
        return text if noun.bare or self.telegraphic else f"{article(text)} {text}"

    def _noun(self, thing: Thing) -> Word:
        mistaken = thing.kind.mistaken
        # Small things are mistaken thrice as often.
        if mistaken and self.random() < WRONG_CLASS * (3 if thing.area < 3000 else 1):
            noun = self._word(self.pick(mistaken))
            if noun.one not in self.view.unsaid:
                return noun
        noun = self._word(thing.kind.name)
        return thing.kind.words[0] if self._precise and noun.one == "person" else noun

    def _word(self, name: str) -> Word:
        """The describer's noun for a class, or another of its nouns where that must not be said."""
        noun = self.who.word(name, self.rng)
        if noun.one in self.view.unsaid:
            return next((w for w in KINDS[name].words if w.one not in self.view.unsaid), noun)
        return noun

    def _described(self, thing: Thing, noun: str) -> str:
        """The noun with what adjectives this describer gives it."""
        words: list[str] = []
        who = self.who
        if thing.kind.type == "people":
            if thing.kind.name in ("boy", "girl"):
                if noun in ("boy", "girl", "kid", "child") and self.random() < 0.45:
                    words.append("little" if self.random() < 0.5 else "young")
            elif thing.attributes and self.random() < 0.1 + 0.2 * who.detail:
                words.append(thing.attributes[0])
            elif noun in ("man", "woman", "person", "lady") and self.random() < 0.1:
                words.append("young") if "older" not in thing.attributes else None
        else:
            size = thing.attributes[-1] if thing.attributes and thing.attributes[-1] in _SIZES else ""
            if size and self.random() < 0.45:
                words.append(self.pick(_SIZES[size]))
            if thing.colour and self.random() < who.colour * thing.kind.named:
                words.append(self._colour(thing))
        words.append(noun)
        return " ".join(words)

    def _colour(self, thing: Thing) -> str:
        if self.random() < WRONG_COLOUR:
            return _CONFUSED.get(thing.colour, thing.colour)
        return thing.colour

    def _several(self, things: Sequence[Thing]) -> str:
        """A count, or a vaguer word, and a plural."""
        self._named.update(t.kind.name for t in things)
        noun, name = self._plural(things)
        n = len(things)
        adjective = ""
        colours = {t.colour for t in things}
        if (
            len(colours) == 1
            and name
            and things[0].colour
            and self.random() < 0.6 * self.who.colour * things[0].kind.named
        ):
            adjective = things[0].colour + " "
        elif noun in ("boys", "girls", "children", "kids") and self.random() < 0.3:
            adjective = "young "
        # Nobody miscounts two.
        if n > 2 and self.random() < WRONG_COUNT:
            n += 1 if self.random() < 0.5 else -1
        if self.definite and self.random() < 0.5:
            return f"the {NUMBERS.get(n, 'many')} {adjective}{noun}"
        luck = self.random()
        if luck < self.who.count:
            return f"{NUMBERS.get(n, 'many')} {adjective}{noun}"
        if len(things) == 2:
            return self.pick(("a couple of", "a pair of", "two")) + f" {adjective}{noun}"
        if "herd" in things[0].kind.traits and name and self.random() < 0.6:
            return f"a {HERDS.get(name, 'herd')} of {adjective}{noun}"
        gathered = "a group of" if things[0].kind.type == "people" or self.random() < 0.5 else "some"
        return self.pick((gathered, "several", "some")) + f" {adjective}{noun}"

    def _plural(self, things: Sequence[Thing]) -> tuple[str, str]:
        """A noun for all of them, and their class where they are of one."""
        kinds = {t.kind.name for t in things}
        if len(kinds) == 1:
            name = things[0].kind.name
            return self._word(name).many, name
        types = {t.kind.type for t in things}
        if types == {"people"}:
            if kinds == {"boy", "girl"}:
                return ("children" if self.random() < 0.6 else "kids"), ""
            return ("people" if self.random() < 0.9 else "friends"), ""
        if types == {"animals"}:
            return "animals", ""
        if types == {"vehicles"}:
            return "vehicles", ""
        return "things", ""


_JEANS = word("~jeans")
_WEARING = ("in", "in", "in", "wearing", "wearing", "with")
_COMMON = ("helmet", "beanie", "backpack", "jacket", "dress", "sweater", "shirt", "shorts")
_OWNED = frozenset(("walk dog", "ride", "play", "pet", "hold umbrella", "push", "eat"))
_POSSESSIVE = {"man": "his", "boy": "his", "woman": "her", "girl": "her"}
_SIZES = {"big": ("big", "large", "huge", "big"), "small": ("small", "little", "tiny", "small")}
_CONFUSED = {
    "red": "orange",
    "orange": "red",
    "blue": "purple",
    "purple": "blue",
    "green": "blue",
    "yellow": "orange",
    "pink": "red",
    "brown": "black",
    "black": "blue",
    "white": "gray",
    "gray": "white",
    "tan": "brown",
    "golden": "brown",
}
