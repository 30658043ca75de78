"""Nouns and adjectives by a tagger."""

from __future__ import annotations

import sys

import pytest

from limner.errors import LimnerError, MissingLibrary
from limner.lazy import load
from refusals import refusal

tagging = pytest.importorskip("limner.text.tagging")


def test_each_text_gives_its_singular_nouns_and_its_adjectives_in_order() -> None:
    tagged = list(
        tagging.nouns_and_adjectives(["Two young, White men are outside near many bushes.", "", "The dogs run."])
    )
    assert tagged == [(["man", "bush"], ["young", "white", "many"]), ([], []), (["dog"], [])]


@pytest.fixture
def fresh_pipeline(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(tagging, "_pipeline", tagging._pipeline.__wrapped__)
    return monkeypatch


def test_without_spacy_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    monkeypatch.delitem(sys.modules, "limner.text.tagging", raising=False)
    with refusal(MissingLibrary):
        load("limner.text.tagging")


def test_without_a_model_the_error_names_the_extra(fresh_pipeline: pytest.MonkeyPatch) -> None:
    fresh_pipeline.setattr(tagging, "MODELS", ("no_such_model",))
    with refusal(LimnerError):
        next(tagging.nouns_and_adjectives(["a dog"]))
