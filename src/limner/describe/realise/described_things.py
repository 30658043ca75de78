"""The things that a sentence speaks of: selected boxes of one noun together, each thing counted once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from limner.corpus.box import Box
from limner.corpus.held_out_labels import PLURAL
from limner.corpus.image import Image
from limner.describe.realise.place_words import EXPANSES
from limner.describe.realise.thing_layout import MOSTLY, Frame
from limner.describe.realise.thing_names import AGENTS, ENSEMBLES, PARTS, Name, name_of
from limner.errors import shown
from limner.text.lexicon import word_set


@dataclass(slots=True, eq=False)
class Thing:
    """One mention in the making: boxes that are spoken of with one noun.

    `noun` is the singular noun of the label; `word` is what is said for it.
    `collective` is a word for many ("group") that the label itself is, or that
    the annotation's flags call for. `is_other` is true if things of the same
    noun come before it, `n_left_out` how many more of the noun are in the
    picture than are spoken of. `doubles` are ids of further boxes around the same
    thing, by the id of its box; `further` are the boxes themselves of an expanse, such as a field, which is as large as
    all of them.
    """

    boxes: tuple[Box, ...]
    noun: str
    kind: str
    word: str = ""
    collective: str = ""
    is_plural_label: bool = False
    is_other: bool = False
    n_left_out: int = 0
    doubles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    further: tuple[Box, ...] = ()
    frame: Frame = field(init=False)

    def __post_init__(self) -> None:
        self.word = self.word or self.noun
        self.frame = Frame.around((*self.boxes, *self.further))

    @property
    def n(self) -> int:
        return len(self.boxes)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(id for box in self.boxes for id in (box.id, *self.doubles.get(box.id, ())))

    @property
    def is_group(self) -> bool:
        """Whether its word is one for several people who belong together, whatever the number of boxes."""
        return bool(self.collective) or self.noun in ENSEMBLES

    @property
    def is_many(self) -> bool:
        """Whether it is more than one thing."""
        return len(self.boxes) > 1 or bool(self.collective) or self.is_plural_label

    def part(self, boxes: Iterable[Box], *, is_other: bool = False) -> Thing:
        """Some of its boxes, as a thing of their own."""
        return replace(self, boxes=tuple(boxes), is_other=is_other)


# Whether people use both of two nouns of one thing.
Synonyms = Callable[[str, str], bool]


def no_synonyms(noun: str, other: str) -> bool:
    """What is said of synonyms if nothing is known of them."""
    return False


def nameable(things: Sequence[Thing]) -> list[Thing]:
    """The things whose labels say something; all of them if none does.

    That somebody has a face or wears clothes goes without saying, unless
    something is said of these. A person whose box meets a man's may be the man.
    """
    telling = [thing for thing in things if says_something(thing)]
    named = [thing for thing in telling if thing.kind in AGENTS and thing.noun not in _ANYBODY | {"animal"}]
    crowds = [thing for thing in telling if thing.kind == "people" and thing.collective]
    return [thing for thing in telling if not (_may_be_said(thing, named) or _is_among(thing, crowds))] or list(things)


def _may_be_said(thing: Thing, agents: Sequence[Thing]) -> bool:
    """Whether a thing is a person or animal of which nothing is known, and may be one of those that are named."""
    if thing.n > 1 or thing.collective or not _is_anybody(thing):
        return False
    (box,) = thing.boxes
    named = [other for agent in agents if agent.kind == thing.kind for other in agent.boxes]
    if thing.is_many:
        # "A woman and people": she is among them.
        return any(_covered(other, box) >= MOSTLY for other in named)
    return any(box.intersection(other) > 0 for other in named)


def _is_among(thing: Thing, crowds: Sequence[Thing]) -> bool:
    """Whether a thing is people of whom nothing is known, beside a crowd: "a crowd of people and some people"."""
    return not thing.collective and thing.noun in _SOMEBODY and _is_anybody(thing) and bool(crowds)


def _is_anybody(thing: Thing) -> bool:
    return (thing.noun in _SOMEBODY or thing.noun == "animal") and not any(box.attributes for box in thing.boxes)


def says_something(thing: Thing) -> bool:
    """Whether the words for a thing say what it is, and more than that somebody has clothes and a face."""
    if thing.noun == "thing":
        return False
    return not goes_without_saying(thing) or any(box.attributes for box in thing.boxes)


def worn_by_others(things: Sequence[Thing], image: Image, selected: Sequence[str]) -> list[Thing]:
    """Clothes and parts of people who are not spoken of: who wears a shirt is the smallest person it lies in.

    In a crowd nobody can tell, and there are none.
    """
    parts = [thing for thing in things if thing.kind in PARTS and thing.n <= MOST_COMPARED]
    people = [box for box in image.boxes if _name(box).kind in AGENTS] if parts else []
    if len(people) > MOST_COMPARED:
        return []
    chosen = set(selected)
    spoken_of = [box for box in people if box.id in chosen]
    return [thing for thing in parts if all(_is_worn_by_another(box, people, spoken_of) for box in thing.boxes)]


def _is_worn_by_another(garment: Box, people: Sequence[Box], spoken_of: Sequence[Box]) -> bool:
    wearers = [box for box in people if _covered(garment, box) >= MOSTLY]
    if not wearers:
        return False
    wearer = min(wearers, key=lambda box: box.area)
    return all(wearer is not box and wearer.iou(box) < SAME for box in spoken_of)


def goes_without_saying(thing: Thing) -> bool:
    """Whether everybody has it: clothes, a face."""
    return thing.noun in _COMMONPLACE or thing.word in _COMMONPLACE


_COMMONPLACE = word_set(
    "clothing clothes apparel attire garment outfit face head hand arm leg foot body eye ear nose mouth neck finger"
)


def things_of(image: Image, selected: Sequence[str], synonyms: Synonyms = no_synonyms) -> list[Thing]:
    """The chosen boxes as things, in the order in which their first box was chosen.

    Things are counted once, however many boxes are around each. `synonyms` tells
    of two nouns whether people use both of one thing.
    """
    box_by_id = image.box_by_id()
    boxes = []
    for id in dict.fromkeys(selected):
        if id not in box_by_id:
            raise ValueError(f"image {shown(image.id)} has no box {shown(id)}")
        boxes.append(box_by_id[id])
    doubles = doubles_of(boxes, synonyms)
    again = {id for ids in doubles.values() for id in ids}
    by_name: dict[tuple[str, str], list[Box]] = {}
    for box in boxes:
        if box.id not in again:
            name = name_of(box.label, box.types)
            by_name.setdefault((name.noun, name.collective or _crowd(box, name.kind)), []).append(box)
    things = [_thing(alike, collective, doubles, box_by_id) for (_, collective), alike in by_name.items()]
    spoken_of = {id for thing in things for id in thing.ids}
    left_out = Counter(name_of(box.label, box.types).noun for box in image.boxes if box.id not in spoken_of)
    for thing in things:
        thing.n_left_out = left_out[thing.noun]
    return things


# Boxes of a kind that are compared with each other; in a larger crowd nobody is told apart.
MOST_COMPARED = 40

# Two boxes are around one person or thing if they share this much of what they cover together.
SAME = 0.6

# The share of a couch that lies in another's box from which on the two are one.
WITHIN = 0.9
_LARGE = word_set("couch sofa bed")


def doubles_of(boxes: Sequence[Box], synonyms: Synonyms = no_synonyms) -> dict[str, list[str]]:
    """For each box the ids of further boxes around the same person or thing, or around a group that holds it.

    Captions call somebody a man and a person, a kid and a child, and a man and
    his friends a group; annotators box a couch that is also a chair twice. The box
    of the most telling name stands for all, of equals the first.
    """
    by_kind: dict[str, list[tuple[Box, Name]]] = {}
    for box in boxes:
        name = _name(box)
        if "crowd" not in box.flags and len(alike := by_kind.setdefault(name.kind, [])) < MOST_COMPARED:
            alike.append((box, name))
    compared = [item for alike in by_kind.values() if len(alike) > 1 for item in alike]
    ranked = sorted(compared, key=lambda item: (_is_many(item[1]), item[1].noun in _ANYBODY))
    doubles: dict[str, list[str]] = {}
    standing: list[tuple[Box, Name]] = []
    for box, name in ranked:
        if _is_many(name):
            held = [other for other, of in standing if _is_member(of, name) and _covered(other, box) >= MOSTLY]
            same = held[0] if len(held) > 1 else None
        else:
            rivals = [other for other, of in standing if _may_be_one(name, of, synonyms)]
            same = next((other for other in rivals if _is_same(box, other, name)), None)
        if same is None:
            standing.append((box, name))
        else:
            doubles.setdefault(same.id, []).append(box.id)
    return doubles


def _name(box: Box) -> Name:
    name = name_of(box.label, box.types)
    return name._replace(is_plural=True) if PLURAL in box.flags else name


def _is_many(name: Name) -> bool:
    return bool(name.collective) or name.is_plural


def _is_member(name: Name, group: Name) -> bool:
    return name.kind == group.kind == "people" and not _is_many(name)


def _may_be_one(name: Name, other: Name, synonyms: Synonyms) -> bool:
    """Whether two names may be of one: a man is a person, and no woman; a couch may be called a chair."""
    if _is_many(other) or name.kind != other.kind:
        return False
    if name.noun == other.noun or name.kind in _BOXED_TWICE or synonyms(name.noun, other.noun):
        return True
    return name.kind == "people" and (name.noun in _ANYBODY or other.noun in _ANYBODY)


def _is_same(a: Box, b: Box, name: Name) -> bool:
    """Whether two boxes are around one thing: they nearly cover each other, or a couch would stand in a couch.

    A field in two boxes is one field, with something before it.
    """
    if name.noun in EXPANSES and _name(b).noun == name.noun and not name.is_plural:
        return True
    return a.iou(b) >= SAME or (name.noun in _LARGE and max(_covered(a, b), _covered(b, a)) >= WITHIN)


def _covered(a: Box, b: Box) -> float:
    """The share of A that lies in B."""
    return a.intersection(b) / a.area if a.area else 0.0


def _thing(
    boxes: list[Box], collective: str, doubles: Mapping[str, Sequence[str]], box_by_id: Mapping[str, Box]
) -> Thing:
    names = [_name(box) for box in boxes]
    many = not collective and any(name.is_plural for name in names)
    is_expanse = names[0].noun in EXPANSES
    further = [box_by_id[id] for box in boxes for id in doubles.get(box.id, ())] if is_expanse else []
    return Thing(
        tuple(boxes),
        names[0].noun,
        names[0].kind,
        collective=collective,
        is_plural_label=many,
        doubles=doubles,
        further=tuple(further),
    )


def _crowd(box: Box, kind: str) -> str:
    """The collective for a box around many, which annotations flag."""
    return ("crowd" if kind == "people" else "group") if "crowd" in box.flags else ""


# Kinds of which annotators box one thing twice under two names.
_BOXED_TWICE = frozenset({"furniture", "vehicles", "animals", "food"})

# Nouns for people that say least of them.
_ANYBODY = word_set("person people human individual someone somebody male female adult one figure")

# Those that leave even their age and sex open.
_SOMEBODY = word_set("person human individual someone somebody one figure")
