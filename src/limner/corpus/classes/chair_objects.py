"""The objects that sentences speak of, as CHAIR reads them, and those that an image is known to show.

Rohrbach et al. (2018), "Object Hallucination in Image Captioning". Every word
or run of words that names a class is a mention, whatever the sentence does
with it: "a train station" speaks of a train. Of terms that begin at the same
word only the longest counts, so that a hot dog is no dog. The rules below are
theirs, made for COCO's classes and harmless to others'.

A collective is never a person, whatever it is listed for: "a group of cows"
speaks of cows, and of nobody.

A word that may mean several classes stands for any of them: it is right if the
image shows one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from limner.corpus.classes.class_mentions import ClassMentions, Occurrence
from limner.corpus.classes.class_names import class_name, term_key
from limner.corpus.classes.class_tables import NO_CLASS
from limner.corpus.classes.class_words import Synonyms, Term, Terms
from limner.corpus.image import Image
from limner.text.lexicon import COLLECTIVES
from limner.text.noun_forms import plural

Classes = frozenset[str]

# The classes of which a word may mean any; usually a single one.
Meaning = tuple[str, ...]


class SpokenObject(NamedTuple):
    """An object that a sentence speaks of: a half-open span of its characters, and the classes it may mean."""

    start: int
    end: int
    classes: Meaning


class ShownObjects(NamedTuple):
    """What an image is known to show, by the labels of its boxes and by its references."""

    boxes: frozenset[Meaning]
    references: frozenset[Meaning]


class ChairObjects:
    """Reads sentences as CHAIR does, with listed words for classes and the labels of boxes that are not listed."""

    def __init__(self, synonyms: Synonyms, labels: Iterable[str] = ()) -> None:
        self._terms = synonyms.vocabulary({class_name(label): None for label in labels})
        self._groups = {term.word for term in self._terms.values() if term.is_collective and PERSON in term.classes}
        # Listed terms come last, so that they win over rules, and rules over misspelt plurals.
        self._mentions = ClassMentions({**_misspelt(self._terms), **dict(_rules(self._terms)), **self._terms})

    def spoken(self, text: str) -> list[SpokenObject]:
        """The objects that the text speaks of, from left to right, repeated ones too."""
        occurrences = [
            occurrence
            for occurrence in self._mentions.occurrences(text)
            if _classes(occurrence.term) and not self._is_collective(occurrence, text)
        ]
        # The seat of a toilet is no chair: one of the published rules.
        if any(term.word == "toilet" for _, _, term in occurrences):
            occurrences = [occurrence for occurrence in occurrences if occurrence.term.word != "seat"]
        return [SpokenObject(start, end, term.classes) for start, end, term in occurrences]

    def shown(self, image: Image | None, references: Iterable[str]) -> ShownObjects:
        """The objects that an image shows, by its boxes and references."""
        labels = {box.label for box in image.boxes} if image is not None else set()
        return ShownObjects(
            frozenset(map(self.labelled, labels)),
            frozenset(spoken.classes for reference in references for spoken in self.spoken(reference)),
        )

    def _is_collective(self, occurrence: Occurrence, text: str) -> bool:
        """Whether a term is listed as a group of people, or is a collective that says what it consists of."""
        word = occurrence.term.word
        return word in self._groups or (word in COLLECTIVES and _OF.match(text, occurrence.end) is not None)

    def labelled(self, label: str) -> Meaning:
        """The class of a label, or the classes that it is a word for: a box labelled "man" shows a person."""
        name = class_name(label)
        term = self._terms.get(term_key(name))
        classes = _classes(term) if term is not None else ()
        return classes if classes and name not in classes else (name,)


def possible_classes(meanings: Iterable[Meaning]) -> Classes:
    """All classes that may be meant."""
    return frozenset(name for meaning in meanings for name in meaning)


def certain_classes(meanings: Iterable[Meaning]) -> Classes:
    """The classes that are certainly meant."""
    return frozenset(meaning[0] for meaning in meanings if len(meaning) == 1)


def chair_objects(images: Iterable[Image] | None, synonyms: Synonyms) -> ChairObjects:
    """The reading with words for the listed classes and for the labels of the images' boxes."""
    return ChairObjects(synonyms, {box.label: None for image in images or () for box in image.boxes})


PERSON = "person"

_OF = re.compile(r"\s+of\b", re.IGNORECASE)

YOUNG_OR_OLD = ("baby", "adult")
# What may be a baby or an adult without being a person.
ANIMALS = ("bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe", "animal", "cub")

# What is called after its passengers without speaking of them: "a passenger train".
CARRIERS = ("jet", "train")

# Pairs of words that together mean another class than each alone, or none.
PAIRS = {("toilet", "seat"): "toilet", ("home", "plate"): "", ("train", "track"): ""}


def _rules(terms: Terms) -> Iterator[tuple[tuple[str, ...], Term]]:
    """The terms of the rules; those whose class is not listed mean nothing."""
    for (first, second), meant in PAIRS.items():
        yield (first, second), _meaning(terms, meant)
        yield (first, plural(second)), _meaning(terms, meant)
    pairs = [(word, animal) for word in YOUNG_OR_OLD for animal in ANIMALS]
    for word, thing in (*pairs, *(("passenger", carrier) for carrier in CARRIERS)):
        yield (word, thing), _meaning(terms, thing)
        yield (word, plural(thing)), _meaning(terms, plural(thing))


def _misspelt(terms: Terms) -> Terms:
    """Plurals in s of words that have another: "persons", "knifes"."""
    return {(*key[:-1], f"{key[-1]}s"): term for key, term in terms.items() if not term.several}


def _meaning(terms: Terms, word: str) -> Term:
    return terms.get((word,), Term(word, (), None))


def _classes(term: Term) -> tuple[str, ...]:
    return tuple(name for name in term.classes if name != NO_CLASS)
