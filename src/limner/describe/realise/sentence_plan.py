"""What is said of what: things are ordered, told apart where one acts alone, and arranged into a clause.

A clause has heads, their parts, and what is related to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from limner.corpus.box import Box
from limner.describe.realise.described_things import Thing
from limner.describe.realise.relation_words import NAMED_TOGETHER, SUPPORT, Relation
from limner.describe.realise.relator import Relator
from limner.describe.realise.remarks import Remark
from limner.describe.realise.spatial_relations import is_company
from limner.describe.realise.thing_layout import Frame, layout
from limner.describe.realise.thing_names import AGENTS, PARTS
from limner.text.kinds import KINDS
from limner.text.lexicon import ADJECTIVES
from limner.text.noun_forms import singular
from limner.text.verb_tables import POSTURES

if TYPE_CHECKING:
    from limner.describe.realise.phrasebook import Phrasebook

# So many captions with two nouns weigh as much as all that is known of their kinds.
PRIOR = 10.0

# Things that are compared pair by pair; the rest are ordered by kind alone, lest the cost grow with the square.
MOST_ORDERED = 40


def ordered(things: Sequence[Thing], book: Phrasebook | None, focus: str | None = None) -> list[Thing]:
    """The things in the order of a sentence: those in focus first, then as people order them in captions.

    Without a phrasebook: people, animals, things, places. Equals stay in the
    order in which they are given.
    """
    compared, rest = list(things[:MOST_ORDERED]), things[MOST_ORDERED:]
    if book is None or len(compared) < 2:
        compared.sort(key=_rank)
    else:
        score = {
            id(thing): sum(precedence(thing, rival, book) for rival in compared if rival is not thing)
            for thing in compared
        }
        # Rounded, so that the order of summation cannot break ties.
        compared.sort(key=lambda thing: -round(score[id(thing)], 9))
    compared += sorted(rest, key=_rank)
    return compared if focus is None else sorted(compared, key=lambda thing: not in_focus(thing, focus))


def precedence(first: Thing, second: Thing, book: Phrasebook) -> float:
    """How likely people are to mention the first before the second."""
    by_kind = _precedence(book.kinds_before, first.kind, second.kind, 0.5, 2.0)
    return _precedence(book.before, book.known_as(first.noun), book.known_as(second.noun), by_kind, PRIOR)


def in_focus(thing: Thing, focus: str) -> bool:
    """Whether a thing has the noun, label or kind that is in focus."""
    wanted = singular(focus.strip().lower())
    return focus == thing.kind or wanted in (thing.noun, thing.word, thing.kind, singular(thing.kind))


def _precedence(counts: dict[str, dict[str, int]], first: str, second: str, prior: float, weight: float) -> float:
    before = counts.get(first, {}).get(second, 0)
    after = counts.get(second, {}).get(first, 0)
    return (before + weight * prior) / (before + after + weight)


_RANKS = {kind: rank for rank, kind in enumerate(KINDS)}


def _rank(thing: Thing) -> int:
    return _RANKS.get(thing.kind, len(_RANKS))


# In a larger group nobody is told apart.
MOST_DIVIDED = 8

# Only so many things are examined for somebody who acts on them.
MOST_EXAMINED = 20


def divided(things: Sequence[Thing], relator: Relator) -> list[Thing]:
    """The things, with whoever alone of a group acts on another thing split from the group and put before it.

    Three people of whom one rides a skateboard become "a person" and "two other
    people". Groups stay together if several have parts of one noun, such as hats.
    """
    if any(thing.kind in PARTS and thing.n > 1 for thing in things):
        return list(things)
    result: list[Thing] = []
    for thing in things:
        actor = _actor(thing, things, relator)
        if actor is None:
            result.append(thing)
        else:
            result.append(thing.part([actor]))
            result.append(thing.part([box for box in thing.boxes if box is not actor], is_other=True))
    return result


def _actor(group: Thing, things: Sequence[Thing], relator: Relator) -> Box | None:
    """The box of the member that alone acts on one of the other things."""
    if group.kind not in AGENTS or group.is_group or group.is_plural_label or not 1 < group.n <= MOST_DIVIDED:
        return None
    for thing in things[:MOST_EXAMINED]:
        if thing is group or thing.n > 1 or thing.kind in PARTS or thing.kind in ("scene", "furniture"):
            continue
        meeting = [box for box in group.boxes if layout(Frame(*box.corners), thing.frame).touching]
        acting = [box for box in meeting if relator.relation(group.part([box]), thing).is_verbal]
        if len(acting) == 1 and len(meeting) == 1:
            return acting[0]
    return None


# Of several who might wear something, those come into question whose boxes hold this share of what the best one holds.
NEARLY_ALL = 0.9

MOST_HEADS = 3
MOST_JOINED = 3
MOST_ACTS = 2
# An animal that is smaller than this share of another, and before it, does not do the same.
SMALLER = 0.35
# How much rather something is said of the heads than of what was said of them.
HEADS_FIRST = 1.15


@dataclass(slots=True, eq=False)
class Arm:
    """A relation, and the things it leads to, which are named together.

    With `of_some` it is said of some of several only: "two men, one in a hat".
    """

    relation: Relation
    objects: list[Node]
    of_some: bool = False

    @property
    def leads_to_place(self) -> bool:
        return self.objects[0].thing.kind == "scene"

    def copy(self) -> Arm:
        return Arm(self.relation, [node.copy() for node in self.objects], self.of_some)


@dataclass(slots=True, eq=False)
class Node:
    """A thing in a sentence, with what is said of it right after its name."""

    thing: Thing
    arms: list[Arm] = field(default_factory=list)

    def copy(self) -> Node:
        return Node(self.thing, [arm.copy() for arm in self.arms])


@dataclass(slots=True, eq=False)
class Clause:
    """Heads that are named together, what is said of them all, and things that are left for another sentence.

    `act` and `setting` are said of the heads in words that name no box.
    """

    heads: list[Node]
    arms: list[Arm] = field(default_factory=list)
    rest: list[Thing] = field(default_factory=list)
    act: Remark | None = None
    setting: Remark | None = None

    @property
    def objects(self) -> list[Node]:
        return [node for arm in self.arms for node in arm.objects]

    @property
    def is_single(self) -> bool:
        """Whether it names one thing and nothing else."""
        return len(self.heads) == 1 and not (self.heads[0].arms or self.arms or self.rest)

    def copy(self) -> Clause:
        """The same clause, whose parts can be rearranged."""
        heads, arms = [node.copy() for node in self.heads], [arm.copy() for arm in self.arms]
        return Clause(heads, arms, list(self.rest), self.act, self.setting)

    def completed(self, act: Remark | None, setting: Remark | None) -> Clause:
        """The same clause with an act and a setting."""
        return replace(self, act=act, setting=setting)


def plan(things: Sequence[Thing], relator: Relator, *, most: int) -> Clause:
    """A clause of at most `most` things, roughly in their order."""
    clause = Clause([Node(things[0])], rest=list(things[most:]))
    following = things[1:most]
    joined = _joined(things[0], following, relator)
    clause.heads += [Node(thing) for thing in joined]
    for thing in following:
        if thing not in joined:
            _attach(clause, thing, relator)
    return clause


def _joined(head: Thing, following: Sequence[Thing], relator: Relator) -> list[Thing]:
    """The following things that become heads beside the first: "a man and a woman".

    There are none if the first has been told apart from its like for what it does.
    """
    joined: list[Thing] = []
    if head.kind == "scene" or any(thing.is_other and thing.noun == head.noun for thing in following):
        return joined
    for thing in following:
        if len(joined) + 1 == MOST_HEADS:
            break
        if thing.kind in PARTS or thing.kind == "scene" or thing.is_other:
            continue
        remaining = [rest for rest in following if rest is not thing and rest not in joined]
        if _are_alike(head, thing, relator) or (
            relator.named_together(head, thing) and all(_can_share(head, thing, rest, relator) for rest in remaining)
        ):
            joined.append(thing)
    return joined


def _are_alike(head: Thing, thing: Thing, relator: Relator) -> bool:
    """Whether two of a kind go together whatever else there is."""
    if thing.kind != head.kind:
        return False
    if head.kind == "animals" and (_is_carried(thing, head) or _is_carried(head, thing)):
        return False
    return head.kind in AGENTS or relator.relation(head, thing) == NAMED_TOGETHER


def _is_carried(thing: Thing, other: Thing) -> bool:
    """Whether a thing is much smaller than another, and mostly before it: a bird that a dog has caught."""
    how = layout(thing.frame, other.frame)
    return how.a_in_b >= 0.5 and how.size < SMALLER


def _can_share(head: Thing, thing: Thing, target: Thing, relator: Relator) -> bool:
    """Whether what the head does to a target can be said of both; what is worn concerns its wearer alone."""
    if target.kind in PARTS:
        return True
    relation = relator.relation(head, target)
    return not relation.is_verbal or relator.holds(relation, thing, target)


def _attach(clause: Clause, thing: Thing, relator: Relator) -> None:
    """Attach a thing to its owner, or to what it has most to do with."""
    if thing.kind in PARTS:
        owner = _owner(clause, thing)
        if owner is not None and _wears(clause, owner, thing, relator):
            return
    if len(clause.heads) > 1 and (holder := _holder(clause, thing)) is not None:
        _hang(holder.arms, relator.relation(holder.thing, thing, together=False), thing)
        return
    best: Node | None = None
    strength = relator.strength(clause.heads[0].thing, thing) * HEADS_FIRST
    for node in clause.objects if thing.kind != "scene" else ():
        if node.thing.kind in PARTS or node.thing.kind == "scene" or node.arms:
            continue
        if (rival := relator.strength(node.thing, thing)) > strength:
            best, strength = node, rival
    if best is None or not _say_of_object(clause, best, thing, relator):
        _hang(clause.arms, _relation_of_heads(clause, thing, relator), thing)


def _holder(clause: Clause, thing: Thing) -> Node | None:
    """The only head that a thing meets, of several people or animals: a man and a woman do not share a phone."""
    if thing.kind in _SHARED or thing.kind in AGENTS or any(node.thing.kind not in AGENTS for node in clause.heads):
        return None
    meeting = [node for node in clause.heads if layout(node.thing.frame, thing.frame).touching]
    return meeting[0] if len(meeting) == 1 else None


# What several are in, on or at together.
_SHARED = frozenset({"scene", "furniture", "vehicles"}) | PARTS


def _owner(clause: Clause, part: Thing) -> Node | None:
    """The person or animal that the part is on."""
    nodes = [node for node in (*clause.heads, *clause.objects) if node.thing.kind in AGENTS]
    shares = [(how.b_in_a, node) for node in nodes if (how := layout(node.thing.frame, part.frame)).touching]
    most = max((share for share, _ in shares), default=0.0)
    # A jacket that lies in a man's box and in that of the crowd around him is the man's.
    owners = [node for share, node in shares if share >= NEARLY_ALL * most]
    return min(owners, key=lambda node: (node.thing.is_group, node.thing.frame.area / node.thing.n), default=None)


def _wears(clause: Clause, owner: Node, thing: Thing, relator: Relator) -> bool:
    """Attach what somebody wears or has, all clothes together; False if it is rather something the heads do."""
    relation = relator.relation(owner.thing, thing, together=False)
    if relation.is_verbal and relation.verb != "wear" and relation.participle != "dressed":
        if any(owner is head for head in clause.heads):
            return False
        relation = relator.relation(owner.thing, thing, acts=False, together=False)
    if thing.kind == "clothing" and thing.noun in ADJECTIVES:
        relation = Relation(preposition="in")
    of_some = not thing.is_many if owner.thing.is_group else thing.n < owner.thing.n
    for arm in owner.arms:
        clothes = arm.objects[0].thing.kind == thing.kind == "clothing"
        if (arm.relation == relation or clothes) and arm.of_some == of_some and len(arm.objects) < MOST_JOINED:
            arm.objects.append(Node(thing))
            return True
    owner.arms.append(Arm(relation, [Node(thing)], of_some))
    return True


def _relation_of_heads(clause: Clause, thing: Thing, relator: Relator) -> Relation:
    """What can be said of all heads: the best that fits; an act before a location before nearness."""
    head = clause.heads[0].thing
    for acts, support in ((True, True), (False, True), (False, False)):
        relation = relator.relation(head, thing, acts=acts, support=support, together=False)
        if _fits(clause, relation, thing, relator):
            # "Riding a skateboard with another person" would have both on it.
            return Relation(preposition="near") if thing.is_other and relation.preposition == "with" else relation
    return Relation(preposition="with" if is_company(head, thing) else "near")


def _fits(clause: Clause, relation: Relation, thing: Thing, relator: Relator) -> bool:
    """Whether a relation agrees with what is said already: everybody is in one place and posture at a time."""
    if not all(relator.holds(relation, head.thing, thing) for head in clause.heads[1:]):
        return False
    if len(clause.heads) > 1 and thing.kind not in _SHARED and _takes_hand(relation, clause, thing):
        return False
    is_scene = thing.kind == "scene" and not _is_posture(relation)
    places = [arm.relation.preposition for arm in clause.arms if arm.leads_to_place]
    if is_scene and relation.preposition in SUPPORT and relation.preposition in places:
        # Nobody is on a street and a road.
        return False
    if relation.preposition in SUPPORT and not is_scene and _is_supported(clause, relation):
        return False
    if not relation.is_verbal:
        return True
    acts = [arm.relation for arm in clause.arms if arm.relation.is_verbal and arm.relation != relation]
    if _is_posture(relation) and any(_is_posture(act) for act in acts):
        return False
    return len(acts) < MOST_ACTS and all(act.verb != relation.verb or not act.verb for act in acts)


def _takes_hand(relation: Relation, clause: Clause, thing: Thing) -> bool:
    """Whether an act needs a thing for everybody, and there are not so many: two people do not talk on one phone."""
    return relation.is_verbal and thing.n < sum(head.thing.n for head in clause.heads)


def _is_posture(relation: Relation) -> bool:
    return relation.verb in POSTURES or bool(relation.participle)


def _is_supported(clause: Clause, relation: Relation) -> bool:
    """Whether the heads are said to be on or in something already; several may be on this and that."""
    several = len(clause.heads) > 1 or clause.heads[0].thing.is_many
    return any(
        arm.relation.verb == "ride"
        or (arm.relation.preposition in SUPPORT and (arm.relation.is_verbal or not arm.leads_to_place))
        for arm in clause.arms
        if not (several and arm.relation == relation)
    )


def _say_of_object(clause: Clause, node: Node, thing: Thing, relator: Relator) -> bool:
    """Name a thing beside an object if the same holds of both, otherwise after it; False if neither works."""
    arm = next(arm for arm in clause.arms if any(item is node for item in arm.objects))
    relation = relator.relation(node.thing, thing)
    if relation != NAMED_TOGETHER and not relator.is_said(relation, node.thing, thing):
        return False
    alike = node.thing.kind == thing.kind and not arm.relation.is_verbal
    if relation in (NAMED_TOGETHER, arm.relation) or alike:
        if len(arm.objects) < MOST_JOINED and all(
            relator.holds(arm.relation, head.thing, thing) for head in clause.heads
        ):
            arm.objects.append(Node(thing))
            return True
        relation = relator.relation(node.thing, thing, together=False)
        if relation == arm.relation:
            return False
    _hang(node.arms, relation, thing)
    return True


def _hang(arms: list[Arm], relation: Relation, thing: Thing) -> None:
    """Add a thing to what is said, beside things of which the same is said."""
    for arm in arms:
        alike = arm.leads_to_place == (thing.kind == "scene")
        if arm.relation == relation and alike and len(arm.objects) < MOST_JOINED:
            arm.objects.append(Node(thing))
            return
    arms.append(Arm(relation, [Node(thing)]))
