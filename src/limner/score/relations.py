"""Relations: do the preposition and the verb between two things join them as people's words do?

A link is a word between two neighbouring groups of mentions of a caption: "on"
and "ride" in "[a man] is riding on [a horse]". Mentions that only "and", "or"
or a comma keep apart are one group. Of a mention that refers to no box only
its noun counts; nothing is linked across the end of a sentence.

A caption's link is judged if people link the two as well: some gold caption
has a link, whichever way round, of which each end shares a box with an end of
it. It is right if the word is the same, the same way round: "under" is "over"
the other way round, "ridden by" is "ride", and "near" has no direction.
Precision is the share of the judged links that are right. Recall is the mean
over gold captions of the share of their links, of which the caption mentions
both ends, that it has too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import fsum
from typing import ClassVar, NamedTuple

from limner.corpus.caption import Caption, Mention
from limner.score.content import Boxes, mentioned
from limner.score.measure import Compared, GroundedMeasure
from limner.score.metric import Choices
from limner.text.connectives import Connective, connective, joins
from limner.text.phrases import head_noun
from limner.text.words import words


class Link(NamedTuple):
    """A word that joins the boxes of one group of mentions to those of the next."""

    first: Boxes
    second: Boxes
    word: str


class Linked(NamedTuple):
    """The boxes that a caption mentions, and its links."""

    boxes: Boxes
    links: tuple[Link, ...]


class Joint(NamedTuple):
    """Two neighbouring groups of mentions, and what the words between them say."""

    first: Boxes
    second: Boxes
    said: Connective


# Prepositions and verbs are read one after the other, of a few hundred images at a time.
@lru_cache(maxsize=4096)
def joints(caption: Caption) -> tuple[Joint, ...]:
    """Every two neighbouring groups of a caption's mentions that a word joins."""
    grounded = [mention for mention in caption.mentions if mention.boxes]
    said = _between(caption)
    joined = []
    for (start, middle), (_, end) in pairwise(_groups(said)):
        between = said[middle - 1]
        if isinstance(between, Connective):
            first, second = _apart(_boxes(grounded[start:middle]), _boxes(grounded[middle:end]))
            if first and second:
                joined.append(Joint(first, second, between))
    return tuple(joined)


class Relations(GroundedMeasure[Linked]):
    """Precision, recall and F of a caption's links."""

    value_names: ClassVar[tuple[str, ...]] = ("P", "R", "F")
    choices: ClassVar[Choices] = {"relations": "neighbouring mentions"}

    def compare(self, said: Linked, gold: Sequence[Linked]) -> Compared:
        gold_links = [link for reference in gold for link in reference.links]
        judged = right = 0
        for link in said.links:
            of_the_same = [gold_link for gold_link in gold_links if _join_the_same(link, gold_link)]
            if of_the_same:
                judged += 1
                right += any(_same(link, gold_link) for gold_link in of_the_same)
        precision = right / judged if judged else None
        recall = _recall(said, gold)
        if recall is None:
            return Compared((None, None, None), len(said.links), 0)
        total = (precision or 0.0) + recall
        f = 2 * (precision or 0.0) * recall / total if total else 0.0
        return Compared((precision, recall, f), len(said.links), judged)


class Prepositions(Relations):
    """The prepositions between the things that captions mention."""

    name: ClassVar[str] = "prepositions"

    def read(self, caption: Caption) -> Linked:
        return _linked(caption, _preposition)


class Verbs(Relations):
    """What the things that captions mention do to one another."""

    name: ClassVar[str] = "verbs"

    def read(self, caption: Caption) -> Linked:
        return _linked(caption, _verb)


# Prepositions that hold either way round.
SYMMETRIC = frozenset({"near", "next to", "beside", "by", "close to", "alongside", "between", "among", "amongst"})

# Prepositions by what they are the other way round.
CONVERSE = {"under": "over", "below": "above", "behind": "in front of"}


def _preposition(joint: Joint) -> Link | None:
    word = joint.said.preposition
    if word is None:
        return None
    if word in CONVERSE:
        return Link(joint.second, joint.first, CONVERSE[word])
    return Link(joint.first, joint.second, word)


def _verb(joint: Joint) -> Link | None:
    if joint.said.verb is None:
        return None
    if joint.said.is_passive:
        return Link(joint.second, joint.first, joint.said.verb)
    return Link(joint.first, joint.second, joint.said.verb)


def _linked(caption: Caption, word: Callable[[Joint], Link | None]) -> Linked:
    links = (word(joint) for joint in joints(caption))
    return Linked(mentioned(caption), tuple(link for link in links if link is not None))


def _recall(said: Linked, gold: Sequence[Linked]) -> float | None:
    """The mean over gold captions of the share of their links within reach that are made."""
    shares = []
    for reference in gold:
        reached = made = 0
        for link in reference.links:
            if not (link.first.isdisjoint(said.boxes) or link.second.isdisjoint(said.boxes)):
                reached += 1
                made += any(_same(link, said_link) for said_link in said.links)
        if reached:
            shares.append(made / reached)
    return fsum(shares) / len(shares) if shares else None


def _join_the_same(a: Link, b: Link) -> bool:
    """Whether two links join the same things, whichever way round."""
    return _straight(a, b) or _crossed(a, b)


def _same(a: Link, b: Link) -> bool:
    """Whether two links say the same of the same things."""
    if a.word != b.word:
        return False
    return _straight(a, b) or (a.word in SYMMETRIC and _crossed(a, b))


def _straight(a: Link, b: Link) -> bool:
    return not a.first.isdisjoint(b.first) and not a.second.isdisjoint(b.second)


def _crossed(a: Link, b: Link) -> bool:
    return not a.first.isdisjoint(b.second) and not a.second.isdisjoint(b.first)


_APART = "apart"
_SIDE_BY_SIDE = "side by side"

# What joins two mentions: a connective, or that they stand side by side, or apart.
Between = Connective | str


def _between(caption: Caption) -> list[Between]:
    """What joins each mention that refers to boxes to the next that does."""
    between: list[Between] = []
    pieces: list[str] = []
    reached = -1
    for mention in caption.mentions:
        if reached >= 0:
            pieces.append(caption.text[reached : mention.start])
        if mention.boxes:
            if reached >= 0:
                between.append(_read(" ".join(pieces)))
            pieces = []
        else:
            # "the", so that it is seen to be a noun: "in [the middle] of", "takes [breaks] on".
            pieces.append(f"the {head_noun(caption.phrase(mention))}")
        if mention.boxes or reached >= 0:
            reached = mention.end
    return between


_SENTENCE_END = re.compile(r"[.!?;](?:\s|$)")


@lru_cache(maxsize=1 << 16)
def _read(between: str) -> Between:
    """What the text between two mentions says."""
    if _SENTENCE_END.search(between):
        return _APART
    tokens = words(between)
    if joins(tokens):
        return _SIDE_BY_SIDE if tokens or "," in between or "&" in between else _APART
    said = connective(tokens)
    return said if said.preposition or said.verb else _APART


def _groups(between: Sequence[Between]) -> list[tuple[int, int]]:
    """The half-open runs of mentions that stand side by side.

    "and" after something that is linked to what is before it, followed by a
    verb, begins a new clause: "a man on [a horse] and [a dog] chases …".
    """
    acting = _followed_by_verb(between)
    groups, start, is_linked = [], 0, False
    for at, said in enumerate(between):
        is_linked = is_linked or isinstance(said, Connective)
        if said is not _SIDE_BY_SIDE or (is_linked and acting[at]):
            groups.append((start, at + 1))
            start = at + 1
    return [*groups, (start, len(between) + 1)]


def _followed_by_verb(between: Sequence[Between]) -> list[bool]:
    """For each place between two mentions, whether the run of mentions after it is followed by a verb."""
    is_followed = [False] * len(between)
    after = False
    for at in range(len(between) - 1, -1, -1):
        is_followed[at] = after
        said = between[at]
        if said is not _SIDE_BY_SIDE:
            after = isinstance(said, Connective) and said.verb is not None
    return is_followed


def _apart(first: Boxes, second: Boxes) -> tuple[Boxes, Boxes]:
    """The two without what both have, unless that is all there is of one: "[two people] … [one of them]"."""
    shared = first & second
    if not shared:
        return first, second
    return (first - shared, second) if first > shared else (first, second - shared)


def _boxes(mentions: Sequence[Mention]) -> Boxes:
    return frozenset(box for mention in mentions for box in mention.boxes)
