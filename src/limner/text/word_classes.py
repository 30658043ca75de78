"""The class of a word by lists and endings alone: determiner, noun, verb form, and so on."""

from __future__ import annotations

from functools import lru_cache

from limner.text.kinds import kind_of_noun
from limner.text.lexicon import (
    ADJECTIVES,
    ADVERBS,
    ARTICLES,
    CLAUSE_WORDS,
    COLLECTIVES,
    COLOURS,
    CONJUNCTIONS,
    DETERMINERS,
    INDEFINITE,
    ING_NOUNS,
    PERSONAL_PRONOUNS,
    PREPOSITIONS,
    SPECIFIERS,
)
from limner.text.noun_forms import is_plural, singular
from limner.text.noun_tables import MASS
from limner.text.phrases import is_adjective, is_number
from limner.text.verb_forms import verb_lemma
from limner.text.verb_tables import AUXILIARIES

# Closed classes: the first list that has a word names its class.
_LISTS = (
    ("article", ARTICLES),
    ("possessive", SPECIFIERS),
    ("pronoun", PERSONAL_PRONOUNS),
    ("determiner", DETERMINERS),
    ("conjunction", CONJUNCTIONS),
    ("auxiliary", AUXILIARIES),
    ("clause", CLAUSE_WORDS),
    ("preposition", PREPOSITIONS),
    ("adverb", ADVERBS),
    ("indefinite", INDEFINITE),
    ("colour", COLOURS),
)
_CLOSED = {word: name for name, words in reversed(_LISTS) for word in words}


@lru_cache(maxsize=1 << 16)
def word_class(word: str) -> str:
    """The class of a lower-case word or mark.

    A word that may be a noun and a verb ("fish") has both in its class. An
    unknown word has its ending, where that says something, or is `unknown`.
    """
    if word in _CLOSED:
        return _CLOSED[word]
    if is_number(word):
        return "number"
    if not word[:1].isalnum():
        return word if word in ("'s", ",", ".") else "mark"
    noun, verb = _noun_class(word), _verb_class(word)
    if noun and verb:
        return f"{noun} {verb}"
    if word in ADJECTIVES:
        return "adjective"
    # What only ends as adjectives do comes last: "parked" is a verb first.
    return noun or verb or ("adjective" if is_adjective(word) else _ending(word))


def _noun_class(word: str) -> str:
    base = singular(word)
    if base in COLLECTIVES:
        return "collective"
    if word in ING_NOUNS or base in MASS or kind_of_noun(word) != "other":
        return "nouns" if is_plural(word) else "noun"
    return ""


def _verb_class(word: str) -> str:
    base = verb_lemma(word)
    if base is None:
        return ""
    for ending in ("ing", "ed", "s"):
        if word.endswith(ending) and word != base:
            return f"verb-{ending}"
    return "verb"


def _ending(word: str) -> str:
    for ending in ("ly", "ing", "ed", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return f"unknown-{ending}"
    return "unknown"
