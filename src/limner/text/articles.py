"""The indefinite article, by the sound a phrase begins with; and nouns that take none, or the definite one."""

from __future__ import annotations

import re
from functools import lru_cache

from limner.text.noun_tables import MASS, PAIRS, UNIQUE, WORN_PAIRS


@lru_cache(maxsize=1 << 16)
def article(phrase: str) -> str:
    """`a` or `an` for a phrase: an hour, a unicorn, an SUV, a one-way sign, an 8."""
    first = _FIRST.match(phrase.lstrip())
    word = first.group() if first else ""
    if len(word) > 1 and word.isupper() and (len(word) < 4 or not _VOWEL.search(word)):
        return "an" if word[0] in _LETTERS_WITH_VOWEL else "a"
    return "an" if _begins_with_vowel(word.lower()) else "a"


def _begins_with_vowel(word: str) -> bool:
    if word[:1].isdigit():
        return word.startswith("8") or _ELEVEN.match(word) is not None
    if len(word) == 1:
        return word in _SPOKEN_WITH_VOWEL
    if word.startswith(_SILENT_H):
        return True
    return word[:1] in _VOWELS and not _GLIDE.match(word)


_ELEVEN = re.compile(r"1[18](?!\d(?!\d))")
_FIRST = re.compile(r"[^\W_]+")
_VOWEL = re.compile("[AEIOUY]")
_VOWELS = frozenset("aeiouàáâãäåèéêëìíîïòóôõöùúûüæœ")
_LETTERS_WITH_VOWEL = frozenset("AEFHILMNORSX")
_SPOKEN_WITH_VOWEL = frozenset("aefhilmnorsx")
_SILENT_H = ("hour", "honest", "honor", "honour", "heir", "herb")
# Written with a vowel, but begun with the sound of y or w: European, one, unicorn, used, urinal; not "unimportant".
_GLIDE = re.compile(r"eu|ewe|ouija|once|one(?!i)|ubiq|ukulele|unanim|uni(?!n|mp|de)|uran|urin|us[aeiu]|ut[aeio]")


def is_mass(noun: str) -> bool:
    """Whether a noun is not counted."""
    return _listed(noun, MASS)


def is_unique(noun: str) -> bool:
    return noun in UNIQUE


def is_pair(noun: str) -> bool:
    """Whether the noun is plural in form and one thing."""
    return _listed(noun, PAIRS)


def is_worn_pair(noun: str) -> bool:
    return _listed(noun, WORN_PAIRS)


@lru_cache(maxsize=1 << 14)
def _listed(noun: str, listed: frozenset[str]) -> bool:
    joined = noun.lower().replace(" ", "-")
    return joined in listed or joined.rpartition("-")[2] in listed
