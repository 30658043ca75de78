"""Labels of boxes as the nouns that sentences use: classes of COCO and Open Images, synsets of WordNet, plain words."""

from __future__ import annotations

import re
from functools import lru_cache

from limner.text.noun_forms import plural, singular

# Characters of a label that a sentence takes. A longer one is cut at a word.
MAX_LENGTH = 60


@lru_cache(maxsize=1 << 16)
def first_lemma(label: str) -> str:
    """The first of the names in a label, as a sentence would write it.

    `male_child.n.01` is "male child"; "tench, Tinca tinca", as ImageNet lists
    synonyms, is "tench". Words that only begin with a capital lose it. A label
    without a name is an "object".
    """
    lemma = without_sense(label).partition(",")[0]
    shown = "".join(c if c.isprintable() else " " for c in lemma.replace("_", " "))
    words = [word.lower() if word[1:] == word[1:].lower() else word for word in shown.split()]
    return _cut(words) or "object"


def without_sense(label: str) -> str:
    """A label without the sense of a WordNet synset: `dog.n.01` is "dog"."""
    return _SENSE.sub("", label.strip())


@lru_cache(maxsize=1 << 16)
def noun(label: str) -> str:
    """The noun for a label: its first lemma, without what only keeps classes apart.

    Open Images' "Human face" is a "face", its "Bat (Animal)" a "bat" and its
    "Kitchen & dining room table" a "dining room table". Always in lower case;
    `written` gives abbreviations their capitals.
    """
    words = _ASIDE.sub(" ", first_lemma(label).lower()).rpartition("&")[2].split()
    if len(words) > 1 and words[0] == "human" and words[1] not in ("being", "body"):
        words = words[1:]
    return _SPELT.get(" ".join(words), " ".join(words)) or "object"


def one(noun: str) -> str:
    """The singular of a noun: "chests of drawers" is "chest of drawers"."""
    head, of, rest = noun.partition(" of ")
    return singular(head) + of + rest


def many(noun: str) -> str:
    """The plural of a noun: "chest of drawers" is "chests of drawers"."""
    head, of, rest = noun.partition(" of ")
    return plural(head) + of + rest


def written(phrase: str) -> str:
    """A phrase with abbreviations in capitals: "two TVs"."""
    return _ABBREVIATION.sub(lambda match: match[1].upper() + match[2], phrase)


def _cut(words: list[str]) -> str:
    """The words with spaces between them, as many as fit."""
    text = " ".join(words)
    if len(text) <= MAX_LENGTH:
        return text
    complete_words = text[: MAX_LENGTH + 1].rpartition(" ")[0]
    return complete_words or text[:MAX_LENGTH]


_SENSE = re.compile(r"\.[nvars]\.\d+$")
_ABBREVIATION = re.compile(r"\b(tv|suv|atv|bmx|cd|dvd|mp3)(s?)\b")
_ASIDE = re.compile(r"\([^()]*\)")
_SPELT = {"hair drier": "hair dryer", "bmx": "bmx bike"}
