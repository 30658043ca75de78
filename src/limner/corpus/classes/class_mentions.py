"""Where sentences mention classes, and whether they mean one thing or several.

`ClassMentions` finds the terms it is given; which ones is the caller's choice.
Linking gives it broad synonyms and reads noun phrases. CHAIR (`chair_objects`)
adds its published rules, and `count_mentions` gives only the names of classes;
both take every occurrence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from limner.corpus.classes.class_words import Term, name_terms
from limner.text.lexicon import (
    ADJECTIVES,
    CLAUSE_WORDS,
    COLLECTIVES,
    CONJUNCTIONS,
    NUMBER_BY_DETERMINER,
    PREPOSITIONS,
    SPECIFIERS,
    word_set,
)
from limner.text.noun_forms import singular
from limner.text.noun_tables import COMPOUND_HEADS, NOUNS_OR_ADJECTIVES, NOUNS_OR_VERBS
from limner.text.phrases import is_adjective, is_number
from limner.text.words import word_spans


class NounPhrase(NamedTuple):
    """A noun phrase, from its determiner through the term, as a half-open span of characters."""

    start: int
    end: int
    term: Term
    several: bool


class Occurrence(NamedTuple):
    """A term where it stands in a text, as a half-open span of characters."""

    start: int
    end: int
    term: Term


class ClassMentions:
    """Finds terms for classes in sentences, the longest first."""

    def __init__(self, terms: Mapping[tuple[str, ...], Term]) -> None:
        self._terms = terms
        self._longest: dict[str, int] = {}
        for key in terms:
            self._longest[key[0]] = max(self._longest.get(key[0], 0), len(key))

    def noun_phrases(self, text: str) -> list[NounPhrase]:
        """The things that the text names, from left to right.

        A term that only describes another noun ("a bus driver", "a train
        station") is left out, and so is what is said to be absent ("no dog").
        """
        tokens = _tokens(text)
        matches = self._find(tokens)
        describing: set[int] = set()
        phrases: list[NounPhrase] = []
        floor = 0
        for k, (first, last, term) in enumerate(matches):
            if _describes(tokens, matches, k):
                describing.update(range(first, last))
                continue
            if _is_verb(tokens, matches, k):
                continue
            # A noun phrase says how many it means: "two dogs", "no dog".
            start, number = _start(tokens, first, floor, describing)
            if number != "none" and not _is_no_object(tokens, start, first, term):
                phrases.append(NounPhrase(tokens[start].start, tokens[last - 1].end, term, _is_several(term, number)))
            # The next phrase cannot begin inside this one.
            floor = last
        return phrases

    def occurrences(self, text: str) -> list[Occurrence]:
        """Every term of the text from left to right, whatever the sentence does with it."""
        tokens = _tokens(text)
        return [Occurrence(tokens[first].start, tokens[last - 1].end, term) for first, last, term in self._find(tokens)]

    def _find(self, tokens: Sequence[_Token]) -> list[_Match]:
        """The terms in the text from left to right: the longest at each word, never part of a hyphenated word."""
        matches: list[_Match] = []
        at = 0
        while at < len(tokens):
            reach = 0 if tokens[at].gap == "-" else self._longest.get(tokens[at].word, 0)
            for last in range(min(at + reach, len(tokens)), at, -1):
                if (last < len(tokens) and tokens[last].gap == "-") or any(t.gap == "," for t in tokens[at + 1 : last]):
                    continue
                term = self._terms.get(tuple(token.word for token in tokens[at:last]))
                if term is not None:
                    matches.append(_Match(at, last, term))
                    at = last
                    break
            else:
                at += 1
        return matches


def count_mentions(captions: Iterable[str], classes: Iterable[str]) -> Counter[str]:
    """How often the captions mention each class by name, 0 for those they never mention.

    A class is mentioned by its name in the singular or the plural, as whole
    words in any case, and without what only tells it from other classes:
    "hands" for `Human hand`, "dining room table" for `Kitchen & dining room
    table`. Of overlapping names only the longest counts: a hot dog is no dog.
    """
    names = list(dict.fromkeys(classes))
    mentions = ClassMentions(name_terms(names))
    counts = Counter(dict.fromkeys(names, 0))
    for text in captions:
        for occurrence in mentions.occurrences(text):
            counts.update(occurrence.term.classes)
    return counts


class _Token(NamedTuple):
    word: str
    start: int
    end: int
    # What stands between it and the word before: " " only space, "-" a hyphen, "'" a possessive 's, "," anything else.
    gap: str


class _Match(NamedTuple):
    first: int
    last: int
    term: Term


def _tokens(text: str) -> list[_Token]:
    """The text's words in lower case, hyphenated ones in their parts."""
    tokens: list[_Token] = []
    reached = 0
    for start, end in word_spans(text):
        between = text[reached:start]
        gap = " " if between == " " else _GAPS.get(between.strip().lower(), ",")
        for part in text[start:end].split("-"):
            tokens.append(_Token(part.lower(), start, start + len(part), gap))
            start += len(part) + 1
            gap = "-"
        reached = end
    return tokens


_GAPS = {"": " ", "'s": "'", "’s": "'", "'": "'", "’": "'"}


def _describes(tokens: Sequence[_Token], matches: Sequence[_Match], k: int) -> bool:
    """Whether a term only describes the noun after it, or a group before "of"."""
    _, last, term = matches[k]
    if last == len(tokens) or not _follows(tokens, last):
        return False
    following = tokens[last].word
    if term.is_collective and following == "of":
        return True
    if term.several and not term.is_collective:
        return False
    if term.word in NOUNS_OR_ADJECTIVES and not (following in NO_MODIFIERS or following.endswith("ing")):
        return True
    if term.word in ADJECTIVES and is_adjective(following):
        return True
    # Two terms in a row make a compound ("a pizza truck"), unless the second is a verb ("a dog skis").
    if k + 1 < len(matches) and matches[k + 1].first == last:
        return not _is_verb(tokens, matches, k + 1)
    return following in COMPOUND_HEADS


def _is_verb(tokens: Sequence[_Token], matches: Sequence[_Match], k: int) -> bool:
    """Whether a term is used as a verb: "a man skis", "ready to bat"."""
    first, last, _ = matches[k]
    if first == 0 or last - first > 1 or not _follows(tokens, first):
        return False
    word, previous = tokens[first].word, tokens[first - 1].word
    subject = matches[k - 1].term if k and matches[k - 1].last == first else None
    if word in NOUNS_OR_VERBS:
        if previous in BEFORE_VERBS:
            # "He is about to bat" is a verb; after "next to", "close to" comes a noun.
            return previous != "to" or first < 2 or tokens[first - 2].word not in BEFORE_TO
        return subject is not None and bool(subject.several)
    return word.endswith("s") and word[:-1] in NOUNS_OR_VERBS and subject is not None and not subject.several


def _is_no_object(tokens: Sequence[_Token], start: int, first: int, term: Term) -> bool:
    """Whether the noun is a colour, a game or worn: "in bright orange", "playing baseball", "wearing glasses"."""
    if term.word == "glass" and term.several:
        return start > 0 and tokens[start - 1].word in BEFORE_WORN
    before = (token.word for token in tokens[start:first])
    return term.word in NEED_DETERMINER and not term.several and not any(w == "of" or _is_determiner(w) for w in before)


def _start(tokens: Sequence[_Token], at: int, floor: int, describing: Collection[int]) -> tuple[int, str]:
    """Where the noun phrase of the noun at `at` begins, and which number it states.

    It reaches left over what surely belongs to it: adjectives ("a large brown
    dog"), numbers, determiners and groups ("a herd of").
    """
    number = ""
    while True:
        start = _before_modifiers(tokens, at, floor, describing)
        start = _before_unknown(tokens, start, floor, describing)
        while start > floor and _follows(tokens, start) and _is_determiner(tokens[start - 1].word):
            start -= 1
            number = number or NUMBER_BY_DETERMINER.get(tokens[start].word, "several")
        group = _group(tokens, start, floor)
        if not group:
            return start, number
        number, at = group, start - 2


def _group(tokens: Sequence[_Token], at: int, floor: int) -> str:
    """The number that a group ending in "of" before a word states: "a herd of", "one of"; empty if there is none."""
    if at - 2 < floor or tokens[at - 1].word != "of" or not (_follows(tokens, at) and _follows(tokens, at - 1)):
        return ""
    word = tokens[at - 2].word
    if word in ONE_OF:
        return "one of"
    if word == "pair":
        return "pair"
    group = singular(word)
    return "several" if group in COLLECTIVES or group in ONE_OF or _is_determiner(word) else ""


def _is_determiner(word: str) -> bool:
    return word in NUMBER_BY_DETERMINER or is_number(word)


def _before_modifiers(tokens: Sequence[_Token], at: int, floor: int, describing: Collection[int]) -> int:
    """Where the adjectives before a noun begin; commas and "and" may join them."""
    start = at
    while start > floor:
        if tokens[start - 1].word in NUMBER_BY_DETERMINER:
            break
        if start - 1 in describing or _is_modifier(tokens, start - 1, floor):
            if not _follows(tokens, start) and (start == at or not _is_modifier(tokens, start, floor)):
                break
            start -= 1
        elif tokens[start - 1].word in CONJUNCTIONS and start - 2 >= floor and start < at:
            if not (_is_modifier(tokens, start, floor) and _is_modifier(tokens, start - 2, floor)):
                break
            start -= 2
        else:
            break
    return start


def _before_unknown(tokens: Sequence[_Token], start: int, floor: int, describing: Collection[int]) -> int:
    """Where the modifiers begin if one more word, in no list, stands between an article and the noun."""
    if start - 2 < floor or not _follows(tokens, start):
        return start
    word = tokens[start - 1].word
    if _is_determiner(word) or word in NO_MODIFIERS or word.endswith(("ing", "ed")):
        return start
    first = _before_modifiers(tokens, start - 1, floor, describing)
    is_after_article = first > floor and _follows(tokens, first) and tokens[first - 1].word in SPECIFIERS
    return first if is_after_article else start


def _follows(tokens: Sequence[_Token], at: int) -> bool:
    """Whether only a space parts a token from the one before it."""
    return tokens[at].gap == " "


def _is_modifier(tokens: Sequence[_Token], at: int, floor: int) -> bool:
    """Whether a word describes the noun after it; participles only where a determiner or adjective leads up to them."""
    word = tokens[at].word
    if word in ADJECTIVES or word == "very":
        return word not in NUMBER_BY_DETERMINER
    if not (is_adjective(word) or word.endswith(("ing", "ly"))) or at == floor:
        return False
    if not word.endswith(("ed", "ing", "ly")):
        return True
    before = tokens[at - 1].word
    return _is_determiner(before) or (before in ADJECTIVES and before != "other")


def _is_several(term: Term, number: str) -> bool:
    if number == "several":
        return True
    # "A women" is a misspelt singular.
    if number == "one of" or (number == "one" and not term.is_collective):
        return False
    # "A pair of skis" is two; "a pair of scissors", whose form does not tell, is one.
    if number == "pair":
        return term.several is not None
    return term.several is not False


ONE_OF = word_set("one each either piece slice")
NO_MODIFIERS = PREPOSITIONS | CLAUSE_WORDS | CONJUNCTIONS

# Words before glasses that somebody wears.
BEFORE_WORN = word_set("wearing wears wear wore in")

# Colours, substances and games unless a determiner makes them objects: "a man in orange", "playing baseball".
NEED_DETERMINER = word_set("orange glass baseball basketball football softball volleyball")

# What a verb follows, and what makes "to" a preposition: "close to a bat".
BEFORE_VERBS = word_set("to they we you can could will would")
BEFORE_TO = word_set("next close attached tied connected up near adjacent")
