"""The forms under which words are compared: dogs are dog, riding and ridden are ride."""

from __future__ import annotations

from functools import lru_cache

from limner.text.lexicon import NUMBERS
from limner.text.verb_forms import verb_lemma

# Part of the signature: goes up when a lemma changes.
LEMMAS = 1


@lru_cache(maxsize=1 << 16)
def verb_base(word: str, tag: str) -> str:
    """The base form of a verb in lower case, from the lists of verbs, otherwise by its tag and spelling."""
    if word in _WHERE_VERBS:
        return _WHERE_VERBS[word]
    known = verb_lemma(word)
    if known is not None and not _is_guess(word, known):
        return known
    if tag in ("VB", "VBP"):
        return word
    if tag == "VBZ" or (tag not in ("VBG", "VBD", "VBN") and word.endswith("s")):
        return _without_s(word)
    if word.endswith("ing") and len(word) > 4:
        return _base_of_stem(word[:-3])
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    return _base_of_stem(word[:-2]) if word.endswith("ed") and len(word) > 4 else word


@lru_cache(maxsize=1 << 16)
def modifier_base(word: str) -> str:
    """An adjective or participle before a noun; the base of its verb if it is a form of a known one.

    Taggers take the same word now for an adjective, now for a verb. This does
    not depend on them.
    """
    known = verb_lemma(word) if word.endswith(("ing", "ed", "en", "wn")) else None
    return word if known is None or _is_guess(word, known) else known


def number_word(word: str) -> str:
    """A small number in letters; any other word unchanged."""
    return _WORD_BY_NUMBER.get(word, word)


def _is_guess(word: str, lemma: str) -> bool:
    """Whether the lists did not know the verb and only its ending was removed."""
    return word.endswith("ing") and word.startswith(lemma) and verb_lemma(lemma) is None


def _without_s(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes", "oes")):
        return word[:-2]
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word


def _base_of_stem(stem: str) -> str:
    """The base form of a stem without -ing or -ed: a dropped e comes back, a doubled letter goes."""
    if len(stem) < 3:
        return stem
    last, before = stem[-1], stem[-2]
    if last == "e":
        return stem if before == "e" else stem + "e"
    if last == before and last not in "lsfz":
        return stem[:-1]
    if last in "vcu" or (last == "z" and before != "z") or stem.endswith(_SILENT_E):
        return stem + "e"
    syllables = sum(letter in VOWELS and (i == 0 or stem[i - 1] not in VOWELS) for i, letter in enumerate(stem))
    closed = last not in VOWELS + "wxyh" and before in VOWELS and stem[-3] not in VOWELS
    # A single closed syllable would have doubled its consonant, were there no e: "pok-ing" is poke, "pop-ping" pop.
    return stem + "e" if closed and syllables == 1 else stem


VOWELS = "aeiou"

_WORD_BY_NUMBER = {str(value): word for word, value in NUMBERS.items() if word != "dozen"}

# Forms that the lists of verbs leave out because they are other words too. Here a tagger has said that it is a verb.
_WHERE_VERBS = {
    **dict.fromkeys(("be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m"), "be"),
    "lit": "light",
    "left": "leave",
    "rose": "rise",
    "felt": "feel",
    "found": "find",
    "saw": "see",
    "bit": "bite",
}

# Stems with these endings lost an e: execut-ing, utiliz-ing, enclos-ing, sprinkl-ing.
_SILENT_E = (
    *(
        "ut",
        "is",
        "os",
        "us",
        "as",
        "uir",
        "ur",
        "ir",
        "ns",
        "rs",
        "ps",
        "id",
        "rib",
        "iat",
        "uat",
        "lud",
        "lod",
        "lar",
    ),
    *("chang", "rrang", "oung", "lung", "rg", "dg", "ag", "bl", "cl", "dl", "fl", "gl", "kl", "pl", "tl", "zl", "sl"),
    *(consonant + "at" for consonant in "bcdfghjklmnprstvz"),
)
