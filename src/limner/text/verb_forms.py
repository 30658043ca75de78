"""The forms of English verbs, as captions use them: rides, riding and ridden are ride, and back."""

from __future__ import annotations

from functools import cache

from limner.text.lexicon import ING_NOUNS, PREPOSITIONS
from limner.text.verb_tables import (
    CAPTION_VERBS,
    IRREGULAR,
    MORE_OFTEN_NOUNS,
    ODD_FORMS,
    OTHER_WORDS,
    REGULAR,
    STRESSED_LAST,
)


def verb_lemma(word: str) -> str | None:
    """The base form of the verb that a lower-case word is a form of, None if it is not a known verb.

    A word in -ing that is in no list counts as a verb unless it is known as a
    noun. Auxiliaries do not count. "laying" is "lie": captions use it for
    what lies.
    """
    known = _lemma_by_form().get(word)
    if known is not None:
        return known
    if (
        len(word) > 5
        and word.endswith("ing")
        and not (word in ING_NOUNS or word in PREPOSITIONS or word in OTHER_WORDS)
    ):
        return _without_ing(word)
    return None


def is_participle(word: str) -> bool:
    """Whether a lower-case word is the past participle of a known verb: ridden, parked, held."""
    return word in _participles()


def third(base: str) -> str:
    """The third person singular of a verb: rides, watches, flies."""
    if base == "have":
        return "has"
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    return base[:-1] + "ies" if base.endswith("y") and not _is_vowel(base[-2]) else base + "s"


def gerund(base: str) -> str:
    """The -ing form of a verb: riding, sitting, lying."""
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return base[:-1] + "ing"
    return _doubled(base) + "ing"


@cache
def _lemma_by_form() -> dict[str, str]:
    lemmas: dict[str, str] = {}
    for base in REGULAR:
        # British spelling doubles an l whatever the stress: pedalling, travelled.
        british = (base + "ling", base + "led") if base.endswith("l") and _is_vowel(base[-2]) else ()
        for form in (base, third(base), gerund(base), _past(base), *british):
            lemmas.setdefault(form, base)
    for base, (past, participle) in _irregular().items():
        for form in (base, third(base), gerund(base), past, participle):
            lemmas[form] = base
    return {**{form: lemma for form, lemma in lemmas.items() if form not in OTHER_WORDS}, **ODD_FORMS}


@cache
def _participles() -> frozenset[str]:
    regular = {_past(base) for base in REGULAR}
    return frozenset(regular | {participle for _, participle in _irregular().values()}) - OTHER_WORDS


@cache
def _irregular() -> dict[str, tuple[str, str]]:
    """The base of each irregular verb, with its past and its participle."""
    table = {}
    for line in IRREGULAR.split(","):
        base, *rest = line.split()
        table[base] = (rest[0], rest[-1]) if rest else (base, base)
    return table


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and not _is_vowel(base[-2]):
        return base[:-1] + "ied"
    return _doubled(base) + "ed"


def _doubled(base: str) -> str:
    """The base as endings with a vowel find it: run becomes runn-, open stays."""
    if base.endswith("ic"):
        return base + "k"
    sounds = base.replace("qu", "q")
    closed = len(base) > 2 and base[-1] not in "aeiouwxyh" and _is_vowel(base[-2])
    return base + base[-1] if closed and (sum(map(_is_vowel, sounds)) == 1 or base in STRESSED_LAST) else base


def _is_vowel(letter: str) -> bool:
    return letter in "aeiou"


def _without_ing(word: str) -> str:
    """A guess at the base of a form in -ing: what matters is that it is the same each time."""
    stem = word.removesuffix("ing")
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsfz":
        return stem[:-1]
    return stem


# Every present-tense form of the verbs that captions use.
BASE_BY_FORM: dict[str, str] = {
    **{third(base): base for base in CAPTION_VERBS - MORE_OFTEN_NOUNS},
    **{base: base for base in CAPTION_VERBS - MORE_OFTEN_NOUNS},
    **{gerund(base): base for base in CAPTION_VERBS},
    # As captions write them.
    "laying": "lie",
    "lays": "lie",
    "lay": "lie",
    "siting": "sit",
    "travelling": "travel",
}

GERUNDS = frozenset([*(gerund(base) for base in CAPTION_VERBS), "laying", "siting", "travelling"])
