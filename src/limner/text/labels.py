"""Labels of boxes as the nouns that sentences use: classes of COCO and Open Images, synsets of WordNet, plain words."""

from __future__ import annotations

import re
from functools import lru_cache

from limner.text.forms import plural, singular

MAX_LENGTH = 60
"""Characters of a label that a sentence takes; a longer one is cut at a word."""


@lru_cache(maxsize=1 << 16)
def first_lemma(label: str) -> str:
    """The first of the words that a label offers, as a sentence would write it.

    `male_child.n.01` is "male child"; "tench, Tinca tinca", as ImageNet lists
    synonyms, is "tench". Words that only begin with a capital lose it. A label
    without anything to be read is an "object".
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
    """The noun for a thing of a label: its first lemma, without what only tells classes apart.

    Open Images' "Human face" is a "face", its "Bat (Animal)" a "bat" and its
    "Kitchen & dining room table" a "dining room table". Always in lower case;
    `written` gives abbreviations their capitals.
    """
    words = _ASIDE.sub(" ", first_lemma(label).lower()).rpartition("&")[2].split()
    if len(words) > 1 and words[0] == "human" and words[1] not in ("being", "body"):
        words = words[1:]
    return _SPELT.get(" ".join(words), " ".join(words)) or "object"


def one(noun: str) -> str:
    """A noun's singular; of "chests of drawers" the chests are turned."""
    head, of, rest = noun.partition(" of ")
    return singular(head) + of + rest


def many(noun: str) -> str:
    """A noun's plural; of "chest of drawers" the chest is turned."""
    head, of, rest = noun.partition(" of ")
    return plural(head) + of + rest


def written(phrase: str) -> str:
    """A phrase with the capitals that abbreviations have: "two TVs"."""
    return _ABBREVIATION.sub(lambda found: found.group(1).upper() + found.group(2), phrase)


def _cut(words: list[str]) -> str:
    """The words with spaces between them, as many as fit."""
    text = " ".join(words)
    if len(text) <= MAX_LENGTH:
        return text
    whole = text[: MAX_LENGTH + 1].rpartition(" ")[0]
    return whole or text[:MAX_LENGTH]


_SENSE = re.compile(r"\.[nvars]\.\d+$")
_ABBREVIATION = re.compile(r"\b(tv|suv|atv|bmx|cd|dvd|mp3)(s?)\b")
_ASIDE = re.compile(r"\([^()]*\)")
_SPELT = {"hair drier": "hair dryer", "bmx": "bmx bike"}
