"""How often captions mention classes by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from limner.corpus.classes.class_mentions import Vocabulary
from limner.corpus.classes.synonyms import Term, Terms, term_key
from limner.corpus.image import Image
from limner.errors import LimnerError, shown
from limner.text.labels import first_lemma, many, noun, one

_ID = re.compile(r"/[a-z]+/\w+")


def count_mentions(captions: Iterable[str], classes: Iterable[str]) -> Counter[str]:
    """How often the captions mention each class, 0 for those that they never do.

    A class is mentioned by its name in the singular or the plural, as whole
    words in whatever case, and without what only tells it from other classes:
    "hands" for `Human hand`, "dining room table" for `Kitchen & dining room
    table`. Where names overlap the longest counts and no other: a hot dog is
    no dog.
    """
    named = list(dict.fromkeys(classes))
    vocabulary = Vocabulary(_terms(named))
    found = Counter(dict.fromkeys(named, 0))
    for text in captions:
        for occurrence in vocabulary.occurrences(text):
            found.update(occurrence.term.classes)
    return found


def texts_of_people(image: Image) -> Iterator[str]:
    """The image's captions but those that a system wrote."""
    return (caption.text for caption in image.captions if not caption.source.startswith("system"))


def _terms(classes: Iterable[str]) -> Terms:
    terms: Terms = {}
    for name in classes:
        if _ID.fullmatch(name):
            raise LimnerError(
                f"class {shown(name)} is an id, which no caption mentions; pass the file of class names with --names"
            )
        for word in (noun(name), first_lemma(name).lower()):
            for key in filter(None, map(term_key, (word, one(word), many(word)))):
                before = terms[key].classes if key in terms else ()
                if name not in before:
                    terms[key] = Term(word, (*before, name), None)
    return terms
