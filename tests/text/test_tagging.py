"""Nouns and adjectives by a tagger."""

from __future__ import annotations

import sys

import pytest

from limner.errors import LimnerError
from limner.text import tagging
from limner.text.tagging import nouns_and_adjectives


def test_each_text_gives_its_singular_nouns_and_its_adjectives_in_order() -> None:
    pytest.importorskip("spacy")
    found = list(nouns_and_adjectives(["Two young, White men are outside near many bushes.", "", "The dogs run."]))
    assert found == [(["man", "bush"], ["young", "white", "many"]), ([], []), (["dog"], [])]


@pytest.fixture
def fresh_pipeline(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(tagging, "_pipeline", tagging._pipeline.__wrapped__)
    return monkeypatch


def test_without_spacy_the_error_names_the_extra(fresh_pipeline: pytest.MonkeyPatch) -> None:
    fresh_pipeline.setitem(sys.modules, "spacy", None)
    with pytest.raises(LimnerError, match=r"needs spaCy; pip install 'limner\[nlp\]'"):
        next(nouns_and_adjectives(["a dog"]))


def test_without_a_model_the_error_names_the_extra(fresh_pipeline: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy")
    fresh_pipeline.setattr(tagging, "MODELS", ("no_such_model",))
    with pytest.raises(LimnerError, match=r"a model of English for spaCy; pip install 'limner\[nlp\]'"):
        next(nouns_and_adjectives(["a dog"]))
