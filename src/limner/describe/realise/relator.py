"""How one thing is related to another: as people say of such a pair in such a layout, or as the layout shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from math import log1p
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from limner.describe.realise.described_things import Thing
from limner.describe.realise.relation_words import ALONE, AND, NAMED_TOGETHER, SUPPORT, Relation, relation_of
from limner.describe.realise.spatial_relations import WITH, is_company, is_plausible, spatial_relation
from limner.describe.realise.thing_layout import Layout, layout
from limner.text.verb_tables import POSTURES

if TYPE_CHECKING:
    from limner.describe.realise.phrasebook import Phrasebook

# So many captions with the exact pair weigh as much as all that is known of its kind.
PRIOR = 8.0

# An act is said only if it is at least this share of what people say of such a pair in such a layout.
RARE_ACT = 0.25

# What has a smaller share than this is not considered, and with less than the second is hardly ever said.
NEGLIGIBLE = 0.005
RARE = 0.1

# Of several acts with one preposition (sitting on, lying on) one is said if it has this share; otherwise just "on".
CLEAR_ACT = 0.4

# Shares from which on something is in front of something, and somebody with what is larger than themselves.
CLEAR_PLACE = 0.3
COMMON = 0.2
PLACING = frozenset({"in front of", "behind", "under", "underneath", "beneath", "below", "above", "over", "against"})

# If this share of the acts with a preposition are postures, the preposition alone says as much.
STILL = 0.7

# An act is not said if its verb is less likely than this to be in any caption of an image with such boxes.
UNLIKELY_ACT = 0.35

# From this likelihood on, an act counts so many times its share.
LIKELY_ACT = 0.4
BOOST = 2.5

# An act must have been said so often of an object to be said again.
MIN_ACTS = 3


class Said(NamedTuple):
    """A relation and its probability among what people say."""

    relation: Relation
    p: float


class Relator:
    """Finds relations between things, by a phrasebook if there is one.

    `simple` relations use only frequent words; without `acts` none has a verb.
    """

    def __init__(self, book: Phrasebook | None, *, simple: bool = False, acts: bool = True) -> None:
        self._book = book
        self._simple = simple
        self._acts = acts
        self._spoken: Mapping[str, float] = {}
        self._said: dict[tuple[str, ...], list[Said]] = {}
        self._of_objects: dict[tuple[str, ...], dict[str, float]] = {}
        self._familiar: dict[tuple[str, ...], float] = {}

    def in_image(self, spoken: Mapping[str, float]) -> Relator:
        """The same for an image of which each of these verbs is likely to be spoken, by all its boxes."""
        here = copy(self)
        here._spoken = spoken
        return here

    def without_acts(self) -> Relator:
        """The same, that relates things by where they are alone."""
        still = copy(self)
        still._acts = False
        return still

    def relation(
        self, a: Thing, b: Thing, *, acts: bool = True, together: bool = True, support: bool = True
    ) -> Relation:
        """The best relation of A to B.

        Without `acts` it has no verb, without `together` it is not merely "and",
        and without `support` not that A is on, in or at B.
        """
        how = layout(a.frame, b.frame)
        candidates = self.said(a, b, how)
        if not (acts and self._acts):
            candidates = [Said(still, p) for relation, p in candidates if (still := without_act(relation)) is not None]
        said = [
            Said(relation, p)
            for relation, p in candidates
            if (together or relation != NAMED_TOGETHER)
            and (support or relation.preposition not in SUPPORT)
            and (not self._simple or is_simple(relation))
            and self._is_likely(relation)
            and (relation.is_verbal or p >= _least_share(relation))
            and is_plausible(relation, a, b, how)
        ]
        best = _best([(relation, p * self._boost(relation)) for relation, p in said])
        best = _worded(_placed(best, said), b) or self._spatial(a, b, how, together=together, support=support)
        if best == WITH and not is_company(a, b) and not any(relation == WITH and p >= COMMON for relation, p in said):
            return Relation(preposition="near")
        return best

    def _spatial(self, a: Thing, b: Thing, how: Layout, *, together: bool, support: bool) -> Relation:
        """What the layout shows by itself; what is on or in something must be so one by one."""
        relation = spatial_relation(a, b, how, together=together, support=support)
        if relation.preposition in SUPPORT and not is_plausible(relation, a, b, how):
            return spatial_relation(a, b, how, together=together, support=False)
        return relation

    def is_said(self, relation: Relation, a: Thing, b: Thing) -> bool:
        """Whether captions, and not rules alone, relate such things so."""
        return any(relation == said and p >= RARE for said, p in self.said(a, b, layout(a.frame, b.frame)))

    def rests_on(self, a: Thing, b: Thing) -> bool:
        """Whether captions say that A is on or in B."""
        relation = self.relation(a, b, together=False)
        return relation.preposition in SUPPORT and self.is_said(relation, a, b)

    def _is_likely(self, relation: Relation) -> bool:
        """Whether people would speak of such an act at all, by all boxes of the image."""
        return self._spoken.get(relation.verb, 1.0) >= UNLIKELY_ACT

    def _boost(self, relation: Relation) -> float:
        """How much more an act counts because all boxes of the image speak for it."""
        return BOOST if self._spoken.get(relation.verb, 0.0) >= LIKELY_ACT else 1.0

    def named_together(self, a: Thing, b: Thing) -> bool:
        """Whether people would rather name both than say something of one to the other."""
        how = layout(a.frame, b.frame)
        said = [(relation, p) for relation, p in self.said(a, b, how) if is_plausible(relation, a, b, how)]
        return _best(said) == NAMED_TOGETHER

    def holds(self, relation: Relation, a: Thing, b: Thing) -> bool:
        """Whether a relation may be said of this pair too."""
        how = layout(a.frame, b.frame)
        if not is_plausible(relation, a, b, how):
            return False
        if not relation.is_verbal:
            return True
        return any(relation == said and p >= RARE_ACT / 2 for said, p in self.said(a, b, how))

    def strength(self, a: Thing, b: Thing) -> float:
        """How much two things have to do with each other: how often people relate them, and how near they are."""
        how = layout(a.frame, b.frame)
        closeness = 1.0 if how.touching else 0.6 if how.near else 0.25
        return closeness * (1 + _kept(self._familiar, self._familiarity, a.noun, a.kind, b.noun, b.kind))

    def _familiarity(self, a: str, a_kind: str, b: str, b_kind: str) -> float:
        """How often people relate such things, at each level less."""
        return sum(
            weight * log1p(sum(_total(buckets) for text, buckets in level.items() if text != AND))
            for weight, level in zip((1.0, 0.5, 0.1), self._levels(a, a_kind, b, b_kind), strict=True)
        )

    def said(self, a: Thing, b: Thing, how: Layout) -> list[Said]:
        """Everything people say of such a pair in such a layout, the likeliest first."""
        return _kept(self._said, self._estimate, a.noun, a.kind, b.noun, b.kind, how.bucket)

    def _estimate(self, a: str, a_kind: str, b: str, b_kind: str, bucket: str) -> list[Said]:
        """Probabilities by the nouns, backed off to the object's noun, and that to the kinds."""
        by_nouns, by_object, _ = self._levels(a, a_kind, b, b_kind)
        of_object = _kept(self._of_objects, self._of_object, a_kind, b, b_kind, bucket)
        estimate = _estimated(by_nouns, bucket, of_object)
        known = {
            text for level in (by_nouns, by_object) for text, buckets in level.items() if _total(buckets) >= MIN_ACTS
        }
        said = [
            (-p, text, relation)
            for text, p in estimate.items()
            if p >= NEGLIGIBLE
            and (relation := relation_of(text)) is not None
            and (text in known or not (relation.is_verbal or relation.preposition in PLACING))
        ]
        return [Said(relation, -p) for p, _, relation in sorted(said)]

    def _of_object(self, a_kind: str, b: str, b_kind: str, bucket: str) -> dict[str, float]:
        """What is said of the object's noun by something of a kind, backed off to the kinds of both."""
        _, by_object, by_kinds = self._levels("", a_kind, b, b_kind)
        if b_kind not in _CONVENTIONAL:
            by_kinds = {text: buckets for text, buckets in by_kinds.items() if text in _GENERAL}
        return _estimated(by_object, bucket, _estimated(by_kinds, bucket, {}))

    def _levels(self, a: str, a_kind: str, b: str, b_kind: str) -> tuple[_Level, _Level, _Level]:
        book = self._book
        if book is None:
            return {}, {}, {}
        a, b = book.known_as(a), book.known_as(b)
        return (
            book.by_nouns.get(a, {}).get(b, {}),
            book.by_object.get(a_kind, {}).get(b, {}),
            book.by_kinds.get(a_kind, {}).get(b_kind, {}),
        )


_Level = Mapping[str, Mapping[str, int]]
Answer = TypeVar("Answer")
# Entries after which a cache begins anew: a corpus has few nouns, but its labels may be anything.
_CACHED = 1 << 13
# Kinds of which nearly the same is said whatever they are.
_CONVENTIONAL = frozenset({"clothing", "bodyparts", "scene"})
# What may be said of two things if nothing but their kinds is known.
_GENERAL = frozenset({"and", "with", "next to", "near", "in front of", "behind", "by", "beside"})


def _kept(cache: dict[tuple[str, ...], Answer], compute: Callable[..., Answer], *key: str) -> Answer:
    """What is computed from a key, and kept for the next time."""
    if key not in cache:
        if len(cache) > _CACHED:
            cache.clear()
        cache[key] = compute(*key)
    return cache[key]


def _estimated(level: _Level, bucket: str, prior: Mapping[str, float]) -> dict[str, float]:
    """Shares of what was said in a layout, backed off to what was said in any, and that to a prior."""
    totals = {text: _total(buckets) for text, buckets in level.items()}
    in_layout = {text: buckets[bucket] for text, buckets in level.items() if bucket in buckets}
    return _smoothed(in_layout, _smoothed(totals, prior))


def _smoothed(counts: Mapping[str, int], prior: Mapping[str, float]) -> dict[str, float]:
    """Shares of counts, with a prior distribution that weighs as much as a few of them."""
    weight = PRIOR if prior else 0.0
    total = sum(counts.values()) + weight
    if not total:
        return dict(prior)
    mixed = {text: weight * p / total for text, p in prior.items()}
    for text, n in counts.items():
        mixed[text] = mixed.get(text, 0.0) + n / total
    return mixed


def _least_share(relation: Relation) -> float:
    """The share that a preposition alone must have: boxes do not show what is in front of what."""
    if relation.preposition in PLACING:
        return CLEAR_PLACE
    return 0.0 if relation.preposition in _GENERAL else RARE


def _best(said: list[tuple[Relation, float]]) -> Relation | None:
    """The likeliest, where acts that end in one preposition stand together.

    If none of these acts is clearly the one, only the preposition is said: a
    cat that may be lying or sitting on a couch is "on" it.
    """
    mass: dict[str, float] = {}
    for relation, p in said:
        if relation.preposition or p >= RARE_ACT:
            mass[_ending(relation)] = mass.get(_ending(relation), 0.0) + p
    for ending in sorted(mass, key=lambda key: -mass[key]):
        members = [(relation, p) for relation, p in said if _ending(relation) == ending]
        relation, p = max(members, key=lambda member: member[1])
        if not relation.is_verbal or not relation.preposition or p >= max(RARE_ACT, CLEAR_ACT * mass[ending]):
            return relation
        # Whoever sits or lies on something is on it; whoever looks at something is not at it.
        still = sum(p for member, p in members if member.verb in POSTURES or not member.verb)
        if ending in ALONE and still >= STILL * mass[ending]:
            return Relation(preposition=ending)
    return None


def _placed(act: Relation | None, said: Sequence[Said]) -> Relation | None:
    """The act with the preposition that captions say more often than its verb: "riding on" a surfboard.

    Captions must have verb and preposition together, too. Most of them say that
    somebody is riding a horse, but that they are on a surfboard.
    """
    if act is None or not act.verb or act.preposition:
        return act
    variants = [(p, relation) for relation, p in said if relation.verb == act.verb and relation.preposition in SUPPORT]
    if not variants:
        return act
    _, placed = max(variants)
    of_verb = sum(p for relation, p in said if relation == act)
    of_place = sum(p for relation, p in said if relation.preposition == placed.preposition)
    return placed if of_place >= of_verb else act


def without_act(relation: Relation) -> Relation | None:
    """What is left to say if not what somebody does: who sits on something, or rides it, is on it."""
    if not relation.is_verbal:
        return relation
    if relation.verb == "ride":
        return Relation(preposition="on")
    if (relation.verb in POSTURES or relation.participle) and relation.preposition in ALONE - {"by"}:
        return Relation(preposition=relation.preposition)
    return None


def _worded(relation: Relation | None, b: Thing) -> Relation | None:
    """Games are played without an article, so that it is better to play with what is used for them.

    Who is on skis does not ride them.
    """
    if relation is not None and relation.verb == "ride" and b.noun in ("ski", "skis"):
        return Relation(preposition="on")
    if relation == PLAYING and b.kind != "instruments" and b.noun not in _PLAYED:
        return Relation("play", preposition="with")
    return relation


PLAYING = Relation("play")
_PLAYED = frozenset({"game", "instrument", "music", "song", "card", "video game", "board game"})


def _ending(relation: Relation) -> str:
    return relation.preposition or str(relation)


def _total(buckets: Mapping[str, int]) -> int:
    return sum(buckets.values())


def is_simple(relation: Relation) -> bool:
    """Whether its words are among the most frequent ones."""
    return relation.participle == "" and relation.verb in _SIMPLE_VERBS and relation.preposition in _SIMPLE_PREPOSITIONS


_SIMPLE_VERBS = frozenset({"", "sit", "stand", "ride", "hold", "wear", "eat", "play", "walk", "read", "look"})
_SIMPLE_PREPOSITIONS = frozenset(
    {"", "and", "on", "in", "with", "near", "under", "at", "by", "next to", "behind", "of"}
)
