"""Singular and plural of English nouns, by rules and a table of what the rules get wrong."""

from __future__ import annotations

from functools import lru_cache

from limner.text.lexicon import word_pairs
from limner.text.noun_tables import (
    ENDS_IN_S,
    IN_E,
    IN_I_OR_U,
    IN_IE,
    IRREGULAR,
    NOT_FROM_MAN,
    O_TO_OES,
    PLURAL_AS_SINGULAR,
    SINGULAR_IN_MEN,
    SINGULAR_OF,
    UNCHANGING,
)


@lru_cache(maxsize=1 << 16)
def singular(noun: str) -> str:
    """The noun's singular in lower case; a noun that is singular already, or has none, as it is.

    Of a hyphenated noun or one of several words the last part is turned:
    "fire trucks" is "fire truck". What comes only in the plural though it may
    be one thing (pants, scissors, glasses to see with) stays as it is.
    """
    lower = noun.lower()
    if lower in SINGULAR_OF:
        return SINGULAR_OF[lower]
    before, last = _split(lower)
    return before + _singular(last)


@lru_cache(maxsize=1 << 16)
def plural(noun: str) -> str:
    """The noun's plural in lower case; a noun that is plural already as it is."""
    lower = noun.lower()
    if lower in IRREGULAR:
        return IRREGULAR[lower]
    before, last = _split(lower)
    return lower if not last or is_plural(lower) else before + _plural(last)


def is_plural(noun: str) -> bool:
    """Whether the noun is the plural of another: "dogs" and "people", not "sheep", "pants" or "bus"."""
    return singular(noun) != noun.lower()


def _split(noun: str) -> tuple[str, str]:
    """What stands before the noun's last word, and that word."""
    at = max(noun.rfind(" "), noun.rfind("-")) + 1
    return noun[:at], noun[at:]


def _singular(noun: str) -> str:
    if noun in SINGULAR_OF:
        return SINGULAR_OF[noun]
    if noun in UNCHANGING or noun in PLURAL_AS_SINGULAR or len(noun) < 3 or noun[0].isdigit():
        return noun
    for ending, turned in _COMPOUND_ENDINGS.items():
        if noun.endswith(ending):
            return noun.removesuffix(ending) + turned
    if noun.endswith("men") and noun not in SINGULAR_IN_MEN:
        return noun[:-3] + "man"
    return noun if not noun.endswith("s") or _is_singular_in_s(noun) else _without_s(noun)


# Compounds that are written as one word: policewomen, schoolchildren, penknives.
_COMPOUND_ENDINGS = word_pairs(
    """
    women woman, children child, people person, teeth tooth, knives knife, wives wife, leaves leaf, shelves shelf,
    wolves wolf, scarves scarf, loaves loaf, skis ski
    """
)


def _is_singular_in_s(noun: str) -> bool:
    if noun.endswith("eaus"):
        return False
    if noun.endswith(("us", "is")):
        return noun[:-1] not in IN_I_OR_U
    return noun.endswith("ss") or noun in ENDS_IN_S


def _without_s(noun: str) -> str:
    """The singular of a plural that ends in s and is in no table."""
    if noun.endswith("ies"):
        return noun[:-1] if noun[:-1] in IN_IE else noun[:-3] + "y"
    if noun[:-1] in IN_E or not noun.endswith("es"):
        return noun[:-1]
    if noun.endswith(("ches", "shes", "xes", "sses", "zzes", "tzes", "oes")) or noun[:-2] in ENDS_IN_S:
        return noun[:-2]
    if noun.endswith("uses") and not noun.endswith(("ouses", "auses")):
        return noun[:-2]
    return noun[:-1]


def _plural(noun: str) -> str:
    if noun in IRREGULAR:
        return IRREGULAR[noun]
    if noun in UNCHANGING or noun in PLURAL_AS_SINGULAR:
        return noun
    for turned, ending in _COMPOUND_ENDINGS.items():
        if noun.endswith(ending):
            return noun.removesuffix(ending) + turned
    if noun.endswith("man") and noun not in NOT_FROM_MAN:
        return noun[:-3] + "men"
    if noun.endswith("y") and noun[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return noun[:-1] + "ies"
    if noun.endswith("o") and noun in O_TO_OES:
        return noun + "es"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + ("zes" if noun.endswith("iz") else "es")
    return noun + "s"
