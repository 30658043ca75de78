"""English noun phrases: their head, what describes it, and how many things they speak of.

There is no tagger here. A caption's noun phrase is short and regular, and a
list of function words with a few rules finds its head as surely as a
statistical model does, several hundred times faster.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from limner.text.forms import is_plural, singular
from limner.text.lexicon import (
    ACTORS,
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    ADVERBS,
    CLAUSE_WORDS,
    COLLECTIVES,
    CONJUNCTIONS,
    DETERMINERS,
    ED_NOUNS,
    ING_NOUNS,
    NOT_ADJECTIVES,
    NUMBERS,
    PREPOSITIONS,
    TRANSITIVE,
)
from limner.text.noun_tables import PLURAL_AS_SINGULAR
from limner.text.words import word_spans


def head_noun(phrase: str) -> str:
    """The noun that the phrase is about, in lower case as it is written there.

    "a black and white dog" is about "dog", "a group of people" about "group",
    "a man in a red shirt" about "man". Of things joined by "and" it is the
    first. A phrase without a noun gives its last word, one without any word
    itself.
    """
    return _parse(phrase).head


def modifiers(phrase: str) -> list[str]:
    """The words between the determiner or number and the head, in lower case, without "and" and commas."""
    return list(_parse(phrase).modifiers)


def count(phrase: str) -> int | None:
    """How many things the phrase speaks of, where it says so: a dog is 1, both dogs 2, the dogs None.

    "a pair of shoes" is 2, but "a pair of jeans" is 1: jeans are one thing.
    "a group of five men" is 5.
    """
    return _parse(phrase).number


def is_plural_phrase(phrase: str) -> bool:
    """Whether the phrase speaks of more than one thing: by its number, its noun, or an "and" between nouns."""
    parsed = _parse(phrase)
    if parsed.number is not None:
        return parsed.number > 1
    return parsed.joined or is_plural(parsed.head) or singular(parsed.head) in COLLECTIVES


class _Parsed(NamedTuple):
    head: str
    modifiers: tuple[str, ...]
    number: int | None
    joined: bool
    """Whether another noun is joined to the head by "and"."""


_BREAK = re.compile(r"[,;:/()&]")


@lru_cache(maxsize=1 << 18)
def _parse(phrase: str) -> _Parsed:
    tokens = _tokens(phrase)
    if not tokens:
        return _Parsed(phrase.strip().lower(), (), None, False)
    start = _after_determiners(tokens)
    end = _end(tokens, start)
    joined = end < len(tokens) and tokens[end] in ("and", "&")
    while end - start > 1 and _is_no_head(tokens, start, end - 1):
        end -= 1
    described = tuple(t for t in tokens[start : end - 1] if t not in CONJUNCTIONS and t != "," and t not in DETERMINERS)
    return _Parsed(tokens[end - 1], described, _count(tokens, start, end), joined)


def _tokens(phrase: str) -> list[str]:
    """The phrase's words in lower case, with a comma where punctuation stands between them."""
    tokens: list[str] = []
    reached = 0
    for start, end in word_spans(phrase):
        if tokens and start - reached > 1 and _BREAK.search(phrase, reached, start):
            tokens.append("&" if "&" in phrase[reached:start] else ",")
        tokens.append(phrase[start:end].lower().replace("’", "'"))
        reached = end
    return tokens


def _after_determiners(tokens: list[str]) -> int:
    """Where the words that describe or are the head begin: never past the last word, never at a boundary."""
    at = 0
    while at < len(tokens) - 1:
        token, following = tokens[at], tokens[at + 1]
        opens = token in DETERMINERS or is_number(token) or token in ADVERBS or (at == 0 and token in PREPOSITIONS)
        if not opens or (_is_boundary(following) and not is_number(following) and following not in DETERMINERS):
            break
        at += 1
    return at


def _end(tokens: list[str], start: int) -> int:
    """Where the phrase's own words end: before a preposition, clause, participle or joined noun."""
    for at in range(start + 1, len(tokens)):
        token, before = tokens[at], tokens[at - 1]
        if token in CONJUNCTIONS or token == ",":
            after = tokens[at + 1] if at + 1 < len(tokens) else ""
            if not (is_adjective(before) or before in CONJUNCTIONS or before == ",") or after in DETERMINERS:
                return at
        elif before in CONJUNCTIONS or before == ",":
            continue
        elif _is_boundary(token) or token in DETERMINERS or _begins_clause(tokens, at, start):
            return at
    return len(tokens)


def _is_boundary(token: str) -> bool:
    return token in PREPOSITIONS or token in CLAUSE_WORDS or token in CONJUNCTIONS or token == ","


def _begins_clause(tokens: list[str], at: int, start: int) -> bool:
    """Whether a participle here says what the noun before it does, as in "man riding a horse"."""
    token, before = tokens[at], tokens[at - 1]
    if not token.endswith("ing") or is_adjective(before):
        return False
    after = tokens[at + 1] if at + 1 < len(tokens) else ""
    if token in TRANSITIVE and after and not _is_boundary(after):
        return before in ACTORS or token not in ING_NOUNS
    if before in ACTORS:
        return token not in ING_NOUNS or after in DETERMINERS or after in PREPOSITIONS
    return token not in ING_NOUNS and (after in DETERMINERS or after in PREPOSITIONS)


def _is_no_head(tokens: list[str], start: int, at: int) -> bool:
    """Whether the last word of several is a participle, adverb or number rather than the noun."""
    token, before = tokens[at], tokens[at - 1]
    if token in ADVERBS or token == "," or token in CONJUNCTIONS or token.isdigit():
        return True
    return token.endswith("ed") and token not in ED_NOUNS and before in ACTORS


def is_adjective(word: str) -> bool:
    """Whether a lower-case word is likely an adjective, by list and ending."""
    if word in ADJECTIVES:
        return True
    if word in NOT_ADJECTIVES:
        return False
    return word.endswith(ADJECTIVE_ENDINGS) or (word.endswith("ed") and len(word) > 4 and word not in ED_NOUNS)


def is_number(word: str) -> bool:
    """Whether a lower-case word is a number, in digits or letters."""
    return word in NUMBERS or word.isdigit()


def _count(tokens: list[str], start: int, end: int) -> int | None:
    head = tokens[end - 1]
    named = _number(tokens[:start])
    size = COLLECTIVES.get(singular(head), 0)
    if size == 0:
        if named is None and is_number(head):
            return _number([head])
        return 1 if named is None and _is_single(tokens[:start]) and not is_plural(head) else named
    held = _held(tokens, end)
    if held is not None and held[-1] in PLURAL_AS_SINGULAR:
        return named or 1
    if size is not None:
        return size * (named or 1) if named or not is_plural(head) else None
    return _number(held) if held else None


def _is_single(before: list[str]) -> bool:
    return any(token in ("a", "an", "another") for token in before) and "few" not in before


def _number(tokens: list[str]) -> int | None:
    """The number that a run of determiners says: "all three" is 3, "two dozen" 24, "both" 2."""
    total: int | None = None
    for token in tokens:
        value = 2 if token == "both" else NUMBERS.get(token)
        if token.isdecimal() and len(token) < 7:
            value = int(token)
        if value is not None:
            total = value if total is None else total * value
    return total


def _held(tokens: list[str], end: int) -> list[str] | None:
    """What a collective holds: the words after its "of"."""
    if tokens[end : end + 1] != ["of"] or len(tokens) == end + 1:
        return None
    rest = tokens[end + 1 :]
    start = _after_determiners(rest)
    return rest[: _end(rest, start)]
