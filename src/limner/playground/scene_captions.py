"""Captions: what a describer tells of a scene, and in which words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random

from limner.playground.attention import Viewpoint, relation
from limner.playground.describer_phrases import Speaker
from limner.playground.describers import MISSPELT, Describer
from limner.playground.grammar import IDLE, STATIC, VERBS, Sentence, VerbPhrase
from limner.playground.scene import Fact, Group, Thing
from limner.playground.scene_settings import Wheel
from limner.text.verb_forms import gerund, third


def describe(view: Viewpoint, who: Describer, rng: Random) -> tuple[str, list[tuple[int, int, tuple[int, ...] | str]]]:
    """A caption's text and its mentions: start, end, and the numbers of things or the part of the setting."""
    typo = int(rng.random() * 9) if rng.random() < MISSPELT else -1
    sentence = Sentence(typo, int(rng.random() * 1000))
    telling = _Telling(view, who, rng, sentence)
    telling.tell()
    capital = rng.random() < who.capital and not telling.telegraphic
    stop = rng.random() < who.stop and not telling.telegraphic
    return sentence.text(capital=capital or rng.random() < 0.5, stop=stop), sentence.spans


class _Telling(Speaker):
    """One describer putting one scene into words."""

    def __init__(self, view: Viewpoint, who: Describer, rng: Random, out: Sentence) -> None:
        super().__init__(view, who, rng, out)
        # Everybody has another eye for what matters, and the noisier theirs the less they agree.
        spread = 5.0 * who.noise
        self.weights = [w + spread * (rng.random() - 0.5) for w in view.weights]
        self.told: set[int] = set()
        self.placed = False

    def tell(self) -> None:
        facts = self._ranked()
        style = self.who.style.spin(self.rng)
        if not facts or (style == "inventory" and (self.view.setting.indoor or self.random() < 0.35)):
            self._inventory()
            return
        main = facts[0]
        if len(main.subjects) > 1 and self.random() < self.who.single_out:
            # One of several who do the same, the one that catches this describer's eye.
            main = main._replace(subjects=(max(main.subjects, key=lambda t: self.weights[t.number]),))
        if self.random() < self.who.place_first and style not in ("existential", "passive"):
            self._setting(main, lead=True)
        self._clause(main, style)
        self._more(main, facts[1:], style)

    def _ranked(self) -> list[Fact]:
        spread = 6.0 * self.who.noise
        scored = [(w + spread * (self.random() - 0.5), i) for i, w in enumerate(self.view.fact_weights)]
        scored.sort(reverse=True)
        return [self.view.facts[i] for _, i in scored]

    def _clause(self, fact: Fact, style: str) -> None:
        """The main clause in a style, with clothes for those who act."""
        phrase = self._phrase(fact)
        if style == "passive" and phrase.passive and fact.objects:
            plural = self._things(fact.objects)
            self.out.say(("are" if plural else "is") + " being " + phrase.passive + " by")
            self._things(fact.subjects, dressed=True)
            return
        if style == "existential":
            plural = len(fact.subjects) > 1
            self.definite = False
            self.out.say("there are" if plural else "there is")
            self._things(fact.subjects, dressed=True, alike=True)
            self._verb(fact, phrase, "participle", plural)
            return
        plural = self._things(fact.subjects, dressed=True)
        self._verb(fact, phrase, "participle" if style in ("passive", "inventory") else style, plural)

    def _phrase(self, fact: Fact) -> VerbPhrase:
        """A way to put an act, without `to somebody` where there is nobody, or `to each other` where one is alone."""
        return _ways(fact.verb, fact.other is not None, len(fact.subjects) > 1).spin(self.rng)

    def _verb(self, fact: Fact, phrase: VerbPhrase, style: str, plural: bool) -> None:
        out = self.out
        be = "are" if plural else "is"
        if not phrase.base:
            if style in ("progressive", "present"):
                out.say(be)
        elif style == "progressive":
            out.say(f"{be} {gerund(phrase.base)}")
        elif style == "present":
            out.say(phrase.base if plural else third(phrase.base))
        else:
            out.say(gerund(phrase.base))
        for piece in phrase.tail:
            if piece == "{o}":
                self._things(fact.objects, owner=fact.subjects[0] if len(fact.subjects) == 1 else None, verb=fact.verb)
            elif piece == "{x}":
                self._things((fact.other,) if fact.other is not None else ())
            else:
                out.say(piece)

    def _things(
        self,
        things: Sequence[Thing],
        *,
        dressed: bool = False,
        alike: bool = False,
        owner: Thing | None = None,
        verb: str = "",
    ) -> bool:
        """Refer to things; whether the reference is plural."""
        self.told.update(t.number for t in things)
        if len(things) > 1 and not alike and self.random() > self.who.gather:
            groups = _by_kind(things)
            if 1 < len(groups) <= 3:
                for i, group in enumerate(groups):
                    self.out.list_item(i, len(groups))
                    self._refer(group, dressed and len(things) <= 2 and self.random() < 0.6, precise=True)
                return True
        self._refer(things, dressed, owner, verb)
        return len(things) > 1

    def _refer(
        self,
        things: Sequence[Thing],
        dressed: bool,
        owner: Thing | None = None,
        verb: str = "",
        *,
        precise: bool = False,
    ) -> None:
        self.refer(things, owner=owner, verb=verb, precise=precise)
        if dressed and things[0].garments and self.random() < self.who.clothes * (1.0 if len(things) == 1 else 0.35):
            self.told.update(self.clothes(things))

    def _more(self, main: Fact, rest: list[Fact], style: str) -> None:
        """What else is told after the main clause: a second act, something nearby, where it is."""
        who = self.who
        if self.random() < who.second and (same := self._same(main, rest)) is not None:
            self._too(same, main, style)
        elif self.random() < 0.25 + 0.3 * who.detail:
            self._laid(main)
        if self.random() < who.landmark:
            self._landmark(main)
        if not self.placed and self.random() < who.place:
            self._setting(main)
        if self.random() < who.second and (another := self._another_act(rest)) is not None:
            self._alongside(another, main, style)
        elif self.random() < 0.45 * who.landmark:
            self._background(main)

    def _same(self, main: Fact, rest: list[Fact]) -> Fact | None:
        """Another act of the same people, with something not yet told."""
        for fact in rest:
            fresh = fact.objects and not any(t.number in self.told for t in fact.objects)
            if fresh and fact.subjects == main.subjects and fact.verb != main.verb and fact.verb not in STATIC:
                return fact
        return None

    def _another_act(self, rest: list[Fact]) -> Fact | None:
        """An act of somebody not yet told, who is worth telling."""
        for fact in rest:
            fresh = not any(t.number in self.told for t in (*fact.subjects, *fact.objects))
            if fresh and max(self.weights[t.number] for t in fact.subjects) > 0.35:
                return fact
        return None

    def _too(self, fact: Fact, main: Fact, style: str) -> None:
        """What they are doing as well: sitting on a bench reading, or reading while they sit on a bench."""
        phrase = self._phrase(fact)
        if not phrase.base:
            return
        resting = phrase.base in ("sit", "stand", "lie", "relax", "rest")
        luck = self.random()
        if not resting and luck < 0.3:
            self.out.say("and")
            self._verb(fact, phrase, "present" if style == "present" else "participle", len(fact.subjects) > 1)
            return
        if resting or not main.verb.startswith(("sit", "lie")):
            self.out.say("while")
        self._verb(fact, phrase, "participle", len(fact.subjects) > 1)

    def _laid(self, main: Fact) -> None:
        """What is on the table that people sit at."""
        if not main.objects or main.objects[0].number not in self.told:
            return
        items = [t for t in self.view.scene.things if t.on is main.objects[0] and t.number not in self.told]
        if items:
            best = max(items, key=lambda t: self.weights[t.number])
            self.out.say("with")
            self._things(tuple(t for t in items if t.kind is best.kind))
            where = "in front of " if main.verb in _AT_TABLE else "next to "
            self.out.say("on it" if self.random() < 0.6 else where + _pronoun(main.subjects))

    def _alongside(self, fact: Fact, main: Fact, style: str) -> None:
        """A second act, by somebody else."""
        luck = self.random()
        if fact.verb in IDLE or luck < 0.2:
            self.out.say("with")
            self._things(fact.subjects)
            places = _WHEREABOUTS[relation(fact.subjects[0], main.subjects[0], self.view.scene)]
            self.out.say(self.pick(places).replace("them", _pronoun(main.subjects)))
            return
        phrase = self._phrase(fact)
        if luck < 0.62:
            self.out.say("while" if self.random() < 0.75 else "as")
            second = "present" if style == "present" or self.random() < 0.25 else "progressive"
        else:
            self.out.say("and" if luck < 0.85 or style != "participle" else "with")
            second = "participle" if style not in ("present", "progressive") else style
        plural = self._things(fact.subjects, dressed=self.random() < 0.3)
        self._verb(fact, phrase, second, plural)
        if fact.verb in _ELSEWHERE and self.random() < 0.6:
            self._setting(fact)

    def _landmark(self, main: Fact) -> None:
        """Something that they are next to, in front of, or under."""
        subject = main.subjects[0]
        partners = {t.number for t in main.objects}
        if main.other is not None:
            partners.add(main.other.number)
        best, landmark, how = 0.0, None, ""
        # Chairs of one's own table are no landmarks.
        partners.update(t.number for t in self._group_of(subject).things if t.kind.name == "chair")
        for thing in self.view.scene.things:
            number = thing.number
            if thing.wearer is not None or thing.holder is not None or number in self.told or number in partners:
                continue
            weight = self.weights[thing.number] + 0.4
            if weight > best and (place := relation(subject, thing, self.view.scene)):
                best, landmark, how = weight, thing, place
        if landmark is not None:
            options = _PREPOSITIONS[how]
            self.out.say(self.pick(options))
            self._things(self._with_its_like(landmark))

    def _with_its_like(self, thing: Thing) -> tuple[Thing, ...]:
        """The thing with the others of its kind in its group, told as one."""
        things = self._group_of(thing).things
        return tuple(t for t in things if t.kind is thing.kind and t.number not in self.told) or (thing,)

    def _group_of(self, thing: Thing) -> Group:
        return next(group for group in self.view.scene.groups if thing in group.things)

    def _background(self, main: Fact) -> None:
        """What can be seen behind it all."""
        scene = self.view.scene
        row = max(t.box[3] for t in main.subjects)
        behind = [
            t
            for t in scene.things
            if t.wearer is None and t.holder is None and t.number not in self.told and t.on is None
            and t.box[3] < row - 0.06 * scene.height and self.weights[t.number] > -0.1
        ]  # fmt: skip
        if behind:
            best = max(behind, key=lambda t: self.weights[t.number])
            like = tuple(t for t in behind if t.kind is best.kind)
            self.out.say("with")
            self._things(like)
            self.out.say("in the background")

    def _setting(self, main: Fact, *, lead: bool = False) -> None:
        """Where it happens, or what the weather is like."""
        self.placed = True
        aloft = main.verb in ("fly", "float", "swim", "sail")
        if aloft:
            if lead:
                return
            prep, noun, part = self.pick(_ELSEWHERE[main.verb])
        else:
            prep, noun, part = self.view.setting.places.spin(self.rng)
            # One walks down a street and stands on it.
            if prep in ("down", "through") and main.verb not in _MOVING:
                prep = "on" if prep == "down" else "in"
        if self.telegraphic:
            noun = noun.removeprefix("the ").removeprefix("a ").removeprefix("an ")
        self.out.say(prep)
        if part == "day":
            self.out.say(noun)
        else:
            self.out.refer(noun, part)
        if lead:
            self.out.comma()
        elif self.random() < 0.06 and not self.view.setting.indoor and not aloft and part != "day":
            weather = _WEATHER.get(self.view.scene.light, "")
            if weather:
                self.out.say(weather)

    def _inventory(self) -> None:
        """Where it is and what there is to see, without anything happening."""
        things = [t for t in self.view.scene.things if t.wearer is None and t.holder is None]
        things.sort(key=lambda t: -self.weights[t.number])
        rooms = [place.noun for place in self.view.setting.places.items if place.part == "place"]
        room = self.pick(rooms) if rooms else ""
        seen: list[tuple[Thing, ...]] = []
        for thing in things:
            if thing.number not in self.told:
                like = tuple(t for t in things if t.kind is thing.kind and t.number not in self.told)
                self.told.update(t.number for t in like)
                seen.append(like)
            # Terse people list two things, others up to four.
            if len(seen) >= 2 + int(self.who.detail * 2.5):
                break
        if not seen:
            self.out.refer(self.view.scene.setting, "place")
            return
        if room and self.random() < 0.7 and room not in ("home", "stage"):
            self.out.refer(room, "place")
            self.out.say("with")
            self.definite = False
        elif self.random() < 0.5:
            self.out.say("there are" if len(seen[0]) > 1 else "there is")
            self.definite = False
        for i, group in enumerate(seen):
            self.out.list_item(i, len(seen))
            self.refer(group)


def _pronoun(things: Sequence[Thing]) -> str:
    if len(things) > 1:
        return "them"
    return {"man": "him", "boy": "him", "woman": "her", "girl": "her"}.get(things[0].kind.name, "it")


def _by_kind(things: Sequence[Thing]) -> list[tuple[Thing, ...]]:
    groups: dict[str, list[Thing]] = {}
    for thing in things:
        groups.setdefault(thing.kind.name, []).append(thing)
    return [tuple(group) for group in groups.values()]


@cache
def _ways(verb: str, has_other: bool, many: bool) -> Wheel[VerbPhrase]:
    """The ways to put an act, of several or one, with regard to another or not."""
    fitting = [
        phrase for phrase in VERBS[verb] if (has_other or "{x}" not in phrase.tail) and (many or not phrase.many)
    ]
    return Wheel({phrase: phrase.weight for phrase in fitting})


_PREPOSITIONS = {
    "on": ("on", "on top of", "on"),
    "under": ("under", "underneath", "beneath", "under"),
    "in front of": ("in front of",),
    "behind": ("behind",),
    "next to": ("next to", "beside", "by", "near", "next to"),
    "near": ("near", "close to", "near", "not far from"),
}
_WHEREABOUTS = {
    "on": ("nearby",),
    "under": ("nearby",),
    "in front of": ("in front", "nearby", "in the foreground"),
    "behind": ("behind", "in the background", "nearby"),
    "next to": ("nearby", "close by", "next to them", "beside them"),
    "near": ("nearby", "close by"),
    "": ("in the distance", "in the background", "off to the side"),
}
_ELSEWHERE = {
    "fly": (("in", "the sky", "sky"), ("through", "the air", "sky"), ("across", "the sky", "sky")),
    "float": (("in", "the sky", "sky"), ("through", "the sky", "sky")),
    "swim": (("in", "the water", "water"), ("on", "the water", "water")),
    "sail": (("on", "the water", "water"), ("across", "the water", "water")),
}
_MOVING = frozenset(("walk", "ride", "run", "push", "walk dog", "drive", "hike", "ride board", "chase"))
_AT_TABLE = frozenset(("sit at", "eat at", "have", "use", "celebrate"))
_WEATHER = {"day": "on a sunny day", "sunset": "at sunset", "overcast": "on a cloudy day", "morning": "in the morning"}
