"""What tells whether two mentions of different captions are of one thing: a row of numbers for every two.

A feature's name begins with its family: `noun.odds`. The names are part of the
file format of trained chainers. Types, boxes and chains of mentions have no
influence, nor has the order of the captions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Indices
from limner.ground.mention_words import SEVERAL, MentionWords
from limner.ground.noun_pairs import MENTION_TYPES, NounPairs

# A difference that no two log odds have.
FAR = 12.0

# Larger numbers of things are as good as this one.
MOST_THINGS = 12.0

_LIVING = [MENTION_TYPES.index("people"), MENTION_TYPES.index("animals")]


class Pairs(NamedTuple):
    """Every two mentions of different captions: the numbers of both, and their features `[pairs, features]`."""

    first: Indices
    second: Indices
    features: Floats


class _Read:
    """The mentions of an image as arrays, and what is known of their nouns."""

    def __init__(self, mentions: Sequence[MentionWords], known: NounPairs) -> None:
        self.mentions = mentions
        self.phrases = [mention.phrase for mention in mentions]
        self.caption = np.array([mention.caption for mention in mentions], dtype=np.intp)
        self.n_captions = max(1, len(set(self.caption.tolist())))
        self.apart: Booleans = self.caption[:, None] != self.caption
        self.nouns = [phrase.noun for phrase in self.phrases]
        self.lemmas = [noun.removesuffix(SEVERAL) for noun in self.nouns]
        distinct = list(dict.fromkeys(self.nouns))
        number = {noun: i for i, noun in enumerate(distinct)}
        at = np.array([number[noun] for noun in self.nouns], dtype=np.intp)
        odds, evidence = known.log_odds(distinct)
        self.odds, self.evidence = odds[np.ix_(at, at)], evidence[np.ix_(at, at)]
        self.types = known.type_shares(distinct)[at]
        self.kind = self.types.argmax(axis=1)


def pair_features(mentions: Sequence[MentionWords], known: NounPairs) -> Pairs:
    """The features of every two mentions of different captions, in the order of `feature_names`."""
    read = _Read(mentions, known)
    first, second = np.nonzero(np.triu(read.apart))
    columns = np.stack([column for family in FAMILIES.values() for column in family(read).values()])
    return Pairs(first, second, np.ascontiguousarray(columns[:, first, second].T))


@cache
def feature_names() -> tuple[str, ...]:
    """Every feature, family by family."""
    # The names do not depend on mentions: none will do.
    read = _Read([], NounPairs({}, {}, {}, 0.5, 0.5))
    return tuple(f"{name}.{column}" for name, family in FAMILIES.items() for column in family(read))


def _noun(read: _Read) -> dict[str, Floats]:
    """How often people called one thing by both nouns, and by each of them twice."""
    alone = read.odds.diagonal()
    return {
        "odds": read.odds,
        "evidence": np.log1p(read.evidence),
        "same": _equal(read.nouns),
        "same_lemma": _equal(read.lemmas),
        **_both("alone", alone),
    }


def _words(read: _Read) -> dict[str, Floats]:
    """The words that the phrases share, colours and other qualities among them."""
    content = [phrase.content for phrase in read.phrases]
    shared = _shared(content)
    qualities = _shared([phrase.qualities for phrase in read.phrases])
    colours = _shared([phrase.colours for phrase in read.phrases])
    has_colour = colours.diagonal() > 0
    holds = _table([{lemma} for lemma in read.lemmas], content) @ _table(content, content).T
    return {
        "shared": shared,
        "jaccard": _jaccard(shared),
        "noun_in_other": holds + holds.T,
        "qualities": qualities,
        **_both("n_qualities", qualities.diagonal()),
        "colours": colours,
        "colour_conflict": (has_colour[:, None] & has_colour & (colours == 0)).astype(np.float64),
    }


def _number(read: _Read) -> dict[str, Floats]:
    """How many things the phrases mean."""
    number = np.minimum(np.array([phrase.n_things for phrase in read.phrases], dtype=np.float64), MOST_THINGS)
    several = np.array([phrase.is_several for phrase in read.phrases], dtype=np.float64)
    group = np.array([phrase.is_group for phrase in read.phrases], dtype=np.float64)
    is_known = (number[:, None] > 0) & (number > 0)
    return {
        "equal": (is_known & (number[:, None] == number)).astype(np.float64),
        "conflict": (is_known & (number[:, None] != number)).astype(np.float64),
        **_both("count", number),
        "several": several[:, None] + several,
        "differ": np.abs(several[:, None] - several),
        "group": group[:, None] + group,
    }


def _type(read: _Read) -> dict[str, Floats]:
    """The types that the nouns suggest."""
    types = read.types
    return {
        "agreement": types @ types.T,
        "same": (read.kind[:, None] == read.kind).astype(np.float64),
        **{name: np.sqrt(types[:, None, i] * types[None, :, i]) for i, name in enumerate(MENTION_TYPES)},
        "notvisual_high": np.maximum(types[:, None, -1], types[:, -1]),
    }


def _context(read: _Read) -> dict[str, Floats]:
    """Determiners, the verbs and prepositions around, and whom the thing belongs to."""
    around = _shared([mention.around for mention in read.mentions])
    determiner = np.array([phrase.determiner for phrase in read.phrases], dtype=np.float64)
    return {
        "before": _equal([mention.before for mention in read.mentions]),
        "after": _equal([mention.after for mention in read.mentions]),
        "shared": around,
        "jaccard": _jaccard(around),
        **_both("determiner", determiner),
        "owner_odds": _owner_odds(read),
    }


def _place(read: _Read) -> dict[str, Floats]:
    """Where the mentions stand in their captions, and among those of their kind."""
    order = np.array([mention.order for mention in read.mentions], dtype=np.float64)
    place = np.array([mention.place for mention in read.mentions], dtype=np.float64)
    n_mentions = np.array([mention.n_mentions for mention in read.mentions], dtype=np.float64)
    is_first, is_last = (order == 0).astype(np.float64), (order == n_mentions - 1).astype(np.float64)
    alike = ~read.apart & (read.kind[:, None] == read.kind)
    rank = np.tril(alike, -1).sum(axis=1).astype(np.float64)
    return {
        "apart": np.abs(place[:, None] - place),
        "order_apart": np.abs(order[:, None] - order),
        "first": is_first[:, None] + is_first,
        "last": is_last[:, None] + is_last,
        **_both("n_mentions", n_mentions),
        "rank_apart": np.abs(rank[:, None] - rank),
        **_both("rank", rank),
        **_both("n_of_kind", alike.sum(axis=1).astype(np.float64)),
    }


def _rival(read: _Read) -> dict[str, Floats]:
    """Whether another mention of either caption would be the better partner."""
    margin = _margins(np.where(read.apart, read.odds, -FAR), read.caption)
    same = _equal(read.lemmas)
    # How many mentions of the column's caption, but the column's itself, have the lemma of the row's.
    elsewhere = (same @ (~read.apart).astype(np.float64) - same > 0).astype(np.float64)
    return {
        "margin_low": np.minimum(margin, margin.T),
        "margin_high": np.maximum(margin, margin.T),
        "lemma_elsewhere": np.maximum(elsewhere, elsewhere.T),
        **_both("frequency", same.sum(axis=1) / read.n_captions),
    }


FAMILIES: dict[str, Callable[[_Read], dict[str, Floats]]] = {
    "noun": _noun,
    "words": _words,
    "number": _number,
    "type": _type,
    "context": _context,
    "place": _place,
    "rival": _rival,
}


def _both(name: str, values: Floats) -> dict[str, Floats]:
    """The smaller and the larger value of two mentions: it must not matter which of them comes first."""
    return {
        f"{name}_low": np.minimum(values[:, None], values),
        f"{name}_high": np.maximum(values[:, None], values),
    }


def _equal(names: Sequence[str]) -> Floats:
    """Whether every two names are equal; an empty one equals nothing."""
    numbers: dict[str, int] = {}
    codes = np.array([numbers.setdefault(name, len(numbers)) if name else -1 for name in names], dtype=np.intp)
    is_equal: Booleans = (codes[:, None] == codes) & (codes >= 0)
    return is_equal.astype(np.float64)


def _table(rows: Sequence[Iterable[str]], words: Sequence[frozenset[str]]) -> Floats:
    """Which of all these words each row has, `[rows, words]`."""
    number = {word: i for i, word in enumerate(sorted(frozenset().union(*words)))}
    table = np.zeros((len(rows), len(number)))
    for row, of_row in enumerate(rows):
        table[row, [number[word] for word in of_row if word in number]] = 1.0
    return table


def _shared(sets: Sequence[frozenset[str]]) -> Floats:
    """How many words every two sets share."""
    table = _table(sets, sets)
    return np.asarray(table @ table.T, dtype=np.float64)


def _jaccard(shared: Floats) -> Floats:
    size = shared.diagonal()
    return np.asarray(shared / np.maximum(1.0, size[:, None] + size - shared), dtype=np.float64)


def _owner_odds(read: _Read) -> Floats:
    """The log odds of the nearest people or animals before both mentions; 0 if one of them has none."""
    owner = np.full(len(read.mentions), -1, dtype=np.intp)
    is_living = read.types[:, _LIVING].sum(axis=1) > 0.5
    last = -1
    for i in range(len(owner)):
        if last >= 0 and not read.apart[last, i]:
            owner[i] = last
        if is_living[i]:
            last = i
    has_owner = owner >= 0
    odds: Floats = read.odds[np.ix_(owner, owner)]
    return np.where(has_owner[:, None] & has_owner, odds, 0.0)


def _margins(scores: Floats, caption: Indices) -> Floats:
    """By how much the column's mention suits the row's better than any other mention of the column's caption."""
    margin = np.full(scores.shape, FAR)
    for number in set(caption.tolist()):
        columns = np.flatnonzero(caption == number)
        if len(columns) > 1:
            of_caption = scores[:, columns]
            ranked = np.sort(of_caption, axis=1)
            best, second = ranked[:, -1:], ranked[:, -2:-1]
            margin[:, columns] = of_caption - np.where(of_caption == best, second, best)
    return np.asarray(np.clip(margin, -FAR, FAR), dtype=np.float64)
