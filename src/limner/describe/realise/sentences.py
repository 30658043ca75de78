"""Clauses and single things put into words: verb forms, agreement, and the pattern of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from limner.corpus.image import Image
from limner.describe.realise.caption_text import Text, joints
from limner.describe.realise.described_things import Thing
from limner.describe.realise.relation_words import SUPPORT, Relation
from limner.describe.realise.remarks import Act, Remark, Setting
from limner.describe.realise.sentence_plan import Arm, Clause, Node
from limner.describe.realise.thing_layout import Frame, layout
from limner.describe.realise.thing_names import AGENTS, PARTS
from limner.describe.realise.thing_phrases import (
    NUMBER_WORDS,
    NounPhrases,
    after_there,
    is_singular,
    is_uncounted,
    takes_plural,
)
from limner.text.lexicon import word_set
from limner.text.verb_forms import third

# A man riding a horse. / A man is riding a horse. / A man rides a horse. / There is a man riding a horse.
CAPTION, PROGRESSIVE, PRESENT, EXISTENTIAL = "caption", "progressive", "present", "existential"

# How often each pattern is chosen where all of them fit.
CHANCES = {CAPTION: 0.5, PROGRESSIVE: 0.35, PRESENT: 0.1, EXISTENTIAL: 0.05}

# Prepositions that cannot follow "is".
NO_PREDICATE = frozenset({"with", "of", "and"})

# A thing that fills at least this share of the picture is seen from close by.
CLOSE = 0.55

# How often the position in the picture is told, where it is clear.
PLACED = 0.5


class Clauses:
    """Writes clauses, by chance in one of the patterns that fit."""

    def __init__(self, phrases: NounPhrases, *, simple: bool = False) -> None:
        self._phrases = phrases
        self._simple = simple

    def patterns(self, clause: Clause) -> list[str]:
        """The patterns to try for a clause.

        "There is" comes by chance alone, lest every other sentence begin with it.
        """
        clause = arranged(clause)
        fitting = self._fitting(_predicate(clause, None if clause.act else _main(clause.arms)))
        return [pattern for pattern in fitting if pattern != EXISTENTIAL or len(fitting) == 1]

    def write(self, text: Text, clause: Clause, rng: Random, pattern: str = "") -> None:
        """The clause, without its full stop; in a pattern by chance, if none is given."""
        clause = arranged(clause)
        main = None if clause.act else _main(clause.arms)
        if not pattern:
            fitting = self._fitting(_predicate(clause, main))
            pattern = rng.choices(list(fitting), list(fitting.values()))[0]
        heads = [node.thing for node in clause.heads]
        named = [self._phrases.phrase(thing, rng) for thing in heads]
        several = len(heads) > 1 or takes_plural(named[0], heads[0])
        if pattern == EXISTENTIAL:
            text.say("there is" if is_singular(named[0], heads[0]) else "there are")
            named[0] = after_there(named[0], heads[0])
        self._name(text, clause.heads, named, rng, goes_on=bool(clause.arms))
        if clause.act is not None:
            text.say(_words(_relation(clause.act), pattern, several, is_main=True))
        acted = clause.act is not None
        for at, arm in enumerate(clause.arms):
            if arm.relation.is_verbal and acted:
                text.say("and")
            elif arm.relation.is_verbal and pattern in (CAPTION, EXISTENTIAL) and _is_far(clause.arms[:at]):
                text.comma()
            text.say(_words(arm.relation, pattern, several, is_main=at == main))
            acted = acted or arm.relation.is_verbal
            is_last = at == len(clause.arms) - 1
            self._name(text, arm.objects, self._phrases_of(text, arm, heads, rng), rng, goes_on=not is_last)
        if clause.setting is not None:
            if main is None and clause.act is None and pattern == PROGRESSIVE:
                text.say("are" if several else "is")
            text.place(clause.setting)

    def _fitting(self, main: Relation | None) -> dict[str, float]:
        fitting = dict(CHANCES)
        if main is None:
            del fitting[PROGRESSIVE]
        if main is None or not main.verb:
            del fitting[PRESENT]
        if self._simple:
            del fitting[CAPTION]
        return fitting

    def _phrases_of(self, text: Text, arm: Arm, heads: Sequence[Thing], rng: Random) -> list[str]:
        # Whoever was named before might be meant too.
        owner = heads[0] if len(heads) == 1 and len(text.nouns) == 1 and _is_owned(arm.relation) else None
        return [
            self._phrases.phrase(
                thing, rng, shared=_is_for_each(thing, heads, arm.relation), again=thing.word in text.nouns, owner=owner
            )
            for thing in (node.thing for node in arm.objects)
        ]

    def _name(
        self, text: Text, nodes: Sequence[Node], phrases: Sequence[str], rng: Random, *, goes_on: bool = False
    ) -> None:
        """Things that are named together, each with what is said of it."""
        for joint, node, phrase in zip(joints(len(nodes)), nodes, phrases, strict=True):
            text.joint(joint)
            text.refer(phrase, node.thing)
            for at, arm in enumerate(node.arms):
                self._add(text, node, at, rng)
                if arm.of_some and (node is not nodes[-1] or goes_on or arm is not node.arms[-1]):
                    text.comma()

    def _add(self, text: Text, node: Node, at: int, rng: Random) -> None:
        """What is said of a thing right after its name."""
        arm = node.arms[at]
        if arm.of_some:
            text.comma()
            n = max(item.thing.n for item in arm.objects)
            text.say("one" if n == 1 else f"{NUMBER_WORDS[n]} of them" if n < len(NUMBER_WORDS) else "many of them")
            of = [item.thing for item in arm.objects[:1]]
        else:
            if at and arm.relation.is_verbal:
                text.say("and")
            of = [node.thing]
        text.say(str(arm.relation))
        self._name(text, arm.objects, self._phrases_of(text, arm, of, rng), rng)


def _is_owned(relation: Relation) -> bool:
    """Whether a relation is as good as having: who rides, holds or wears something; not who stands next to it."""
    return bool(relation.verb and not relation.preposition) or relation.preposition in ("with", "in", "on")


def _predicate(clause: Clause, main: int | None) -> Relation | None:
    """What can follow "is": the act, what relates the heads to another thing, or where they are."""
    if clause.act is not None:
        return _relation(clause.act)
    if main is not None:
        return clause.arms[main].relation
    if clause.setting is not None and not clause.arms:
        assert isinstance(clause.setting.what, Setting)
        return Relation(preposition=clause.setting.what.preposition)
    return None


def _relation(act: Remark) -> Relation:
    """An act in the shape of a relation, whose forms are known."""
    what = act.what
    assert isinstance(what, Act)
    rest = " ".join(part for part in (what.particle, what.object) if part)
    return Relation(participle=what.verb) if what.is_state else Relation(what.verb, particle=rest)


def arranged(clause: Clause) -> Clause:
    """The clause, rearranged so that it reads well.

    What the only head wears is its predicate if nothing else is said of it, and
    otherwise said in passing: "a man in a hat riding a horse". A head with a
    list is named last, so that it is clear where the list ends. Other things of
    the head's noun are named after what it does.
    """
    clause = clause.copy()
    head = clause.heads[0]
    if len(clause.heads) == 1 and not clause.arms and not any(arm.of_some for arm in head.arms):
        clause.arms, head.arms = _as_predicate(head), []
    else:
        for node in clause.heads:
            node.arms = _in_passing(node.arms)
    for node in clause.heads:
        node.arms.sort(key=lambda arm: arm.of_some)
    clause.heads.sort(key=lambda node: any(arm.of_some or len(arm.objects) > 1 for arm in node.arms))
    clause.arms = _supported_first(clause.arms)
    # What a bowl is of is part of its name.
    clause.arms.sort(key=lambda arm: arm.relation.preposition not in ("of", "full of"))
    clause.arms.sort(key=lambda arm: any(node.thing.is_other for node in arm.objects))
    _merge(clause.arms)
    if len(clause.heads) == 1 and head.arms and clause.arms and _say_the_same(head.arms[-1], clause.arms[0]):
        head.arms[-1].objects += clause.arms.pop(0).objects
    return clause


def _supported_first(arms: list[Arm]) -> list[Arm]:
    """What somebody is on comes before what is nearby, which would otherwise seem to be on it too."""
    support = [at for at, arm in enumerate(arms) if arm.relation.preposition in SUPPORT and not arm.leads_to_place]
    last = max(support, default=0)
    nearby = [arm for arm in arms[:last] if not arm.relation.is_verbal and arm.relation.preposition not in SUPPORT]
    return [*(arm for arm in arms[: last + 1] if arm not in nearby), *nearby, *arms[last + 1 :]]


def _is_far(before: Sequence[Arm]) -> bool:
    """Whether an act that follows would seem to be that of what was named last: of dogs, say."""
    if len(before) != 1:
        return len(before) > 1
    return any(node.arms or node.thing.kind in AGENTS for node in before[0].objects)


def _main(arms: Sequence[Arm]) -> int | None:
    """Which of the relations is the predicate: the first act, or else the first that can follow "is"."""
    acts = (at for at, arm in enumerate(arms) if arm.relation.is_verbal)
    places = (at for at, arm in enumerate(arms) if arm.relation.preposition not in NO_PREDICATE)
    return next(acts, next(places, None))


def _as_predicate(head: Node) -> list[Arm]:
    """What people have on, with a verb: wearing a hat."""
    return [
        Arm(Relation("wear"), arm.objects)
        if head.thing.kind == "people" and all(_is_garment(node.thing) for node in arm.objects)
        else arm
        for arm in head.arms
    ]


def _is_garment(thing: Thing) -> bool:
    return thing.kind == "clothing" and thing.noun not in _CARRIED


def _in_passing(arms: Sequence[Arm]) -> list[Arm]:
    """What is worn, without the verb: in a hat, with a backpack."""
    turned = []
    for arm in arms:
        if arm.relation.verb == "wear" or (
            arm.relation.preposition == "with" and arm.objects[0].thing.kind == "clothing"
        ):
            garments = all(_is_garment(node.thing) for node in arm.objects)
            turned.append(Arm(Relation(preposition="in" if garments else "with"), arm.objects, arm.of_some))
        else:
            turned.append(arm)
    _merge(turned)
    return turned


def _merge(arms: list[Arm]) -> None:
    """Join neighbours that say the same."""
    for at in range(len(arms) - 1, 0, -1):
        if _say_the_same(arms[at - 1], arms[at]):
            arms[at - 1].objects += arms.pop(at).objects


def _say_the_same(a: Arm, b: Arm) -> bool:
    alike = a.leads_to_place == b.leads_to_place and a.of_some == b.of_some
    return a.relation == b.relation and alike


def _words(relation: Relation, pattern: str, several: bool, *, is_main: bool) -> str:
    """A relation in the form that the sentence's pattern gives it; only the predicate has an auxiliary."""
    if pattern == PRESENT and relation.verb:
        verb = relation.verb if several else third(relation.verb)
        return " ".join(part for part in (verb, relation.particle, relation.preposition) if part)
    if (pattern == PROGRESSIVE and is_main) or (pattern == PRESENT and relation.participle):
        return f"{'are' if several else 'is'} {relation}"
    return str(relation)


def _is_for_each(thing: Thing, heads: Sequence[Thing], relation: Relation) -> bool:
    """Whether there is one for each head: two men holding umbrellas."""
    n_heads = sum(head.n for head in heads)
    if thing.kind in PARTS and n_heads > 1 and thing.n > n_heads:
        # Annotators box somebody's jacket twice, and nobody counts jackets.
        return True
    if thing.n < 2 or thing.n != n_heads:
        return False
    return relation.is_verbal or thing.kind in PARTS


_CARRIED = word_set(
    "backpack glasses sunglasses goggles watch necklace bracelet earring ring headphones belt bag purse umbrella scarf"
    " mask jewelry collar harness leash"
)


def write_alone(text: Text, thing: Thing, image: Image, phrases: NounPhrases, rng: Random, *, places: bool) -> None:
    """A sentence that mentions nothing but one thing."""
    phrase = phrases.phrase(thing, rng)
    luck = rng.random()
    where = ""
    if places:
        where = company(thing) or (place_of(thing, image) if rng.random() < PLACED else "")
    if luck < 0.2 and not thing.is_many and _share(thing, image) >= CLOSE:
        text.say("a close view of")
        where = ""
    elif 0.2 <= luck < 0.42:
        text.say("there is" if is_singular(phrase, thing) else "there are")
        phrase = after_there(phrase, thing)
    elif 0.42 <= luck < 0.52 and not where:
        text.say("a picture of")
    text.refer(phrase, thing)
    text.say(where)
    text.stop()


def company(thing: Thing) -> str:
    """How two things of one noun lie to each other, if their boxes show it."""
    if thing.n != 2 or thing.is_group or is_uncounted(thing.word):
        return ""
    a, b = (Frame(*box.corners) for box in thing.boxes)
    how = layout(a, b)
    alike = 0.5 <= how.size <= 2
    if alike and how.y_overlap and how.gap <= 0.3 and max(how.a_in_b, how.b_in_a) < 0.6:
        return "next to each other"
    return ""


def place_of(thing: Thing, image: Image) -> str:
    """Where in the picture a thing is, if it is clearly at a side or in the middle."""
    if image.width is None or image.height is None or thing.n > 1:
        return ""
    if thing.n_left_out:
        return ""
    left, right = thing.frame.x0 / image.width, thing.frame.x1 / image.width
    middle = (thing.frame.y0 + thing.frame.y1) / 2 / image.height
    if right <= 0.45:
        return "on the left side of the picture"
    if left >= 0.55:
        return "on the right side of the picture"
    if left >= 0.25 and right <= 0.75 and abs(left + right - 1) < 0.1 and 0.3 < middle < 0.7:
        return "in the middle of the picture"
    return ""


def _share(thing: Thing, image: Image) -> float:
    if image.width is None or image.height is None:
        return 0.0
    return thing.frame.area / (image.width * image.height)
