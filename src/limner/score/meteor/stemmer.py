"""Stems of English words, as METEOR 1.5 computes them.

The algorithm is Martin Porter's second for English ("Porter2"), as Snowball
published it before its third release. That release gives some words other
stems, and would change METEOR's scores.

A word's region R1 is what follows the first consonant after a vowel, R2 the
same within R1. Most endings are removed only if they lie in one of them.
"""

from __future__ import annotations

import re

VOWELS = "aeiouy"

# A capital Y is one that is a consonant. Of two in a row only the first is.
_CONSONANT_Y = re.compile("([aeiouy])y")
_REGION = re.compile("[aeiouy][^aeiouy]")
_HAS_VOWEL = re.compile("[aeiouy]")
_SHORT_SYLLABLE = re.compile("(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$")
_DOUBLED = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_BEFORE_LI = tuple("cdeghkmnrt")
_WHOLE_PREFIXES = ("gener", "commun", "arsen")

# Exceptions: words with a stem that no rule gives; None for words that are their own stem.
_WHOLE_WORDS = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    **dict.fromkeys(["sky", "news", "howe", "atlas", "cosmos", "bias", "andes"]),
}

_KEPT_PLURAL_STEMS = {"inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"}

_STEP_2 = {
    "ization": "ize",
    "ational": "ate",
    "fulness": "ful",
    "ousness": "ous",
    "iveness": "ive",
    "tional": "tion",
    "biliti": "ble",
    "lessli": "less",
    "entli": "ent",
    "ation": "ate",
    "alism": "al",
    "aliti": "al",
    "ousli": "ous",
    "iviti": "ive",
    "fulli": "ful",
    "enci": "ence",
    "anci": "ance",
    "abli": "able",
    "izer": "ize",
    "ator": "ate",
    "alli": "al",
    "bli": "ble",
    "ogi": "og",
    "li": "",
}
_STEP_3 = {
    "ational": "ate",
    "tional": "tion",
    "alize": "al",
    "icate": "ic",
    "iciti": "ic",
    "ative": "",
    "ical": "ic",
    "ness": "",
    "ful": "",
}
_STEP_4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize"),
    *("ion", "al", "er", "ic"),
)
_STEP_2_ENDS, _STEP_3_ENDS = tuple(_STEP_2), tuple(_STEP_3)


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    # No rule changes what ends in a digit, and captions have many different numbers.
    if len(word) <= 2 or ("0" <= word[-1] <= "9" and word[0] != "'"):
        return word
    if word in _WHOLE_WORDS:
        return _WHOLE_WORDS[word] or word
    word = word.removeprefix("'")
    if word.startswith("y"):
        word = "Y" + word[1:]
    word = _CONSONANT_Y.sub(r"\1Y", word)
    r1, r2 = _regions(word)
    word = _without_possessive(word)
    word = _without_plural(word)
    if word in _KEPT_PLURAL_STEMS:
        return word
    word = _without_tense(word, r1)
    if word[-1:] in ("y", "Y") and len(word) > 2 and word[-2] not in VOWELS:
        word = word[:-1] + "i"
    word = _step_2(word, r1)
    word = _step_3(word, r1, r2)
    word = _step_4(word, r2)
    return _without_last(word, r1, r2).replace("Y", "y")


def _regions(word: str) -> tuple[int, int]:
    """Where R1 and R2 begin."""
    prefix = next((known for known in _WHOLE_PREFIXES if word.startswith(known)), None)
    r1 = len(prefix) if prefix else _after_consonant(word, 0)
    return r1, _after_consonant(word, r1)


def _after_consonant(word: str, start: int) -> int:
    match = _REGION.search(word, start)
    return match.end() if match else len(word)


def _without_possessive(word: str) -> str:
    for ending in ("'s'", "'s", "'"):
        if word.endswith(ending):
            return word[: -len(ending)]
    return word


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _HAS_VOWEL.search(word, 0, len(word) - 2):
        return word[:-1]
    return word


def _without_tense(word: str, r1: int) -> str:
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            cut = len(word) - len(ending)
            return word[:cut] + "ee" if cut >= r1 else word
    ending = next((known for known in ("ingly", "edly", "ing", "ed") if word.endswith(known)), "")
    if not ending or not _HAS_VOWEL.search(word, 0, len(word) - len(ending)):
        return word
    word = word[: -len(ending)]
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if word.endswith(_DOUBLED):
        return word[:-1]
    return word + "e" if r1 >= len(word) and _SHORT_SYLLABLE.search(word) else word


def _step_2(word: str, r1: int) -> str:
    if not word.endswith(_STEP_2_ENDS):
        return word
    ending = next(known for known in _STEP_2 if word.endswith(known))
    rest = word[: -len(ending)]
    if len(rest) < r1 or (ending == "ogi" and not rest.endswith("l")):
        return word
    return word if ending == "li" and not rest.endswith(_BEFORE_LI) else rest + _STEP_2[ending]


def _step_3(word: str, r1: int, r2: int) -> str:
    if not word.endswith(_STEP_3_ENDS):
        return word
    ending = next(known for known in _STEP_3 if word.endswith(known))
    rest = word[: -len(ending)]
    return rest + _STEP_3[ending] if len(rest) >= (r2 if ending == "ative" else r1) else word


def _step_4(word: str, r2: int) -> str:
    if not word.endswith(_STEP_4):
        return word
    ending = next(known for known in _STEP_4 if word.endswith(known))
    rest = word[: -len(ending)]
    if len(rest) < r2 or (ending == "ion" and not rest.endswith(("s", "t"))):
        return word
    return rest


def _without_last(word: str, r1: int, r2: int) -> str:
    rest = word[:-1]
    if word.endswith("e") and (len(rest) >= r2 or (len(rest) >= r1 and not _SHORT_SYLLABLE.search(rest))):
        return rest
    return rest if word.endswith("ll") and len(rest) >= r2 else word
