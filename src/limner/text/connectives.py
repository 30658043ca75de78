"""The relation between two noun phrases by the words between them: a verb and a preposition.

"A man | is riding on | a horse": ride, on. There is no parser here. The word
nearest to the second phrase counts, and lists with a few rules distinguish
verbs from nouns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from limner.text.lexicon import CONJUNCTIONS, DETERMINERS, PREPOSITIONS, word_set
from limner.text.phrases import is_adjective, is_number
from limner.text.verb_forms import is_participle, verb_lemma
from limner.text.verb_tables import AUXILIARIES


class Connective(NamedTuple):
    """The preposition and the verb between two phrases; each may be None.

    `is_passive` is true if the second phrase acts on the first: "ridden by".
    """

    preposition: str | None = None
    verb: str | None = None
    is_passive: bool = False


def connective(tokens: Sequence[str]) -> Connective:
    """The connective in the lower-case words between two phrases.

    The verb is the last one. "has" and "does" count only if there is no other
    verb, and "is" never does. The preposition is the last one after the verb,
    as `preposition_at` names it.
    """
    verb_at, verb = _last_verb(tokens)
    at = next((i for i in range(len(tokens) - 1, verb_at, -1) if tokens[i] in RELATING), None)
    preposition = None if at is None else preposition_at(tokens, at)
    is_passive = preposition == "by" and is_participle(tokens[verb_at])
    return Connective(preposition, verb, is_passive)


def joins(tokens: Sequence[str]) -> bool:
    """Whether the words between two phrases only join them: "and", "or", or nothing at all."""
    return all(token in CONJUNCTIONS for token in tokens)


def preposition_at(tokens: Sequence[str], at: int) -> str:
    """The preposition that ends with the word at index `at`, including the words before it that belong to it.

    "next to" and "out of" are one each; "in the middle of" and "at the far end
    of" lose what is between: "in middle of", "at end of". "off of" is "off",
    and "with a plate of" is "with".
    """
    before = tokens[at - 1] if at else ""
    pair = f"{before} {tokens[at]}"
    if pair in _PAIRS:
        return _PAIRS[pair]
    if tokens[at] == "of" and at > 1 and before not in PREPOSITIONS:
        opening = next((i for i in range(at - 2, max(at - 5, -1), -1) if tokens[i] in RELATING), None)
        if opening is not None and all(
            word in DETERMINERS or is_adjective(word) for word in tokens[opening + 1 : at - 1]
        ):
            return "with" if tokens[opening] == "with" else f"{tokens[opening]} {before} of"
    return tokens[at]


# Words that can be a preposition between two things. "as" begins a clause more often: "as people watch".
RELATING = PREPOSITIONS - {"as", "per", "about"} | word_set("alongside opposite")

_PAIRS = {
    "next to": "next to",
    "close to": "close to",
    "up to": "to",
    "over to": "to",
    "on to": "onto",
    "in to": "into",
    "out of": "out of",
    "away from": "from",
    "off of": "off",
    "inside of": "inside",
    "outside of": "outside",
    "in between": "between",
    "along with": "with",
    "together with": "with",
    "on top": "on top of",
}


def _last_verb(tokens: Sequence[str]) -> tuple[int, str | None]:
    """The index of the last verb and its base form; -1 and None if there is none."""
    light: tuple[int, str | None] = (-1, None)
    for at in range(len(tokens) - 1, -1, -1):
        lemma = None if tokens[at] in AUXILIARIES else verb_lemma(tokens[at])
        if lemma is None or not _can_be_verb(tokens, at, lemma):
            continue
        if lemma not in _LIGHT:
            return at, lemma
        if light[1] is None:
            light = at, lemma
    return light


# Verbs that count only if there is no other: "has", but "has been riding".
_LIGHT = frozenset({"have", "do"})

_BEFORE_VERBS = (
    CONJUNCTIONS
    | AUXILIARIES
    | word_set("to who that which what as while not also then just now has have had it they them he she")
)


def _can_be_verb(tokens: Sequence[str], at: int, lemma: str) -> bool:
    """Whether a word with the form of a verb is one in its position, and not a noun or an adjective."""
    if at == 0:
        return True
    token, before = tokens[at], tokens[at - 1]
    if before in _BEFORE_VERBS:
        return before != "to" or token in (lemma, "lay")
    if before in DETERMINERS or is_number(before) or _only_describes(before):
        return False
    if token.endswith("ing"):
        return True
    if token == lemma:
        return before.endswith("ly")
    return before not in RELATING


def _only_describes(word: str) -> bool:
    """Whether a word is an adjective but not a participle: "red", not "seated"."""
    return is_adjective(word) and verb_lemma(word) is None
