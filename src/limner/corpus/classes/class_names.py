"""What classes are called: labels compared by their words, and the phrases that captions may be made to say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from limner.corpus.classes.class_tables import NO_CLASS, names_by_class
from limner.text.labels import many, noun, one, without_sense
from limner.text.lexicon import word_set
from limner.text.noun_forms import singular
from limner.text.words import words


@lru_cache(maxsize=1 << 16)
def class_name(label: str) -> str:
    """A label as words are compared with it: lower case, singular, without underscores and a synset's sense."""
    if label == NO_CLASS:
        return NO_CLASS
    tokens = term_key(without_sense(label))
    return singular(" ".join(tokens)) if tokens else label.lower()


@lru_cache(maxsize=1 << 16)
def term_key(text: str) -> tuple[str, ...]:
    """The words of a term; hyphens and underscores count as spaces."""
    return tuple(words(text.replace("_", " ").replace("-", " ")))


def is_open_images_id(label: str) -> bool:
    """Whether a label is an id such as "/m/01g317", which a table of names can replace."""
    return _OPEN_IMAGES_ID.fullmatch(label) is not None


@lru_cache(maxsize=1 << 16)
def class_phrases(label: str) -> tuple[str, ...]:
    """The phrases that name one or several things of a label, in lower case; none if it has no words.

    The label's own noun comes first, in the singular and then in the plural
    if it has both: "Fire hydrant" gives "fire hydrant" and "fire hydrants",
    "Furniture" only itself. What only an annotator would write is said as
    people do: "Kitchen & dining room table" is also a "dining table", and
    "Moths and butterflies" are moths or butterflies.
    """
    if not _has_words(label):
        return ()
    name = noun(label).removeprefix("common ")
    names = _names_by_noun().get(one(name), (name,))
    return tuple(dict.fromkeys(form for said in names for form in _forms(said)))


def _has_words(label: str) -> bool:
    """Whether a label says something: neither "object", which stands for no label, nor an id."""
    return noun(label) != UNLABELLED and not _ID.match(label) and any(map(str.isalpha, label))


@cache
def _names_by_noun() -> dict[str, tuple[str, ...]]:
    return {one(noun(name)): names for name, names in names_by_class().items()}


def _forms(name: str) -> Iterator[str]:
    if " and " in name or name.rpartition(" ")[2] in UNCOUNTED:
        yield name
    else:
        yield one(name)
        yield many(name)


UNLABELLED = "object"
_OPEN_IMAGES_ID = re.compile(r"/[a-z]+/\w+")
# WordNet's ids, as ImageNet uses them, are no words either.
_ID = re.compile(r"/[a-z]+/|n\d{8}$")

# Last words of class names with a single form. This is narrower than `text.noun_tables.MASS`: captions count some of
# those ("two beers"), and a constraint should accept what they say.
UNCOUNTED = word_set(
    """
    asparagus bread cabinetry care cattle clothing cream dairy equipment food footwear furniture guacamole hair juice
    kitchenware lavender luggage milk paper pasta popcorn powder seafood shellfish spray swimwear tableware
    cosmetics goods stairs supplies fries fruit rice grass sand snow water soup
    """
)
