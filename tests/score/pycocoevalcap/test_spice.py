"""SPICE* in the shape of pycocoevalcap's SPICE."""

from __future__ import annotations

import math

import numpy as np
import pytest

from limner.errors import LimnerError
from limner.score.pycocoevalcap import Spice
from refusals import refusal

pytest.importorskip("spacy", reason="SPICE* parses with spaCy")

REFERENCES = {7: ["a blue car parked on a street"], 1: ["a dog runs on grass", "the dog is brown"]}
RESULTS = {7: ["a red car"], 1: ["a brown dog runs"]}
NAMES = ["pr", "re", "f", "fn", "numImages", "fp", "tp"]


@pytest.fixture(scope="module")
def spice() -> Spice:
    return Spice(synonyms=False)


def test_scores_are_by_category_in_the_order_of_sorted_ids(spice: Spice) -> None:
    mean, scores = spice.compute_score(REFERENCES, RESULTS)
    assert isinstance(mean, np.float64)
    assert mean == pytest.approx((0.75 + 2 / 7) / 2)
    assert [list(one) for one in scores] == [
        ["All", "Object", "Attribute", "Relation", "Color", "Cardinality", "Size"]
    ] * 2
    assert all(list(category) == NAMES for one in scores for category in one.values())
    dog, car = scores
    assert dog["All"] == pytest.approx({"pr": 1, "re": 0.6, "f": 0.75, "fn": 2, "numImages": 1, "fp": 0, "tp": 3})
    assert car["All"] == pytest.approx({"pr": 0.5, "re": 0.2, "f": 2 / 7, "fn": 4, "numImages": 1, "fp": 1, "tp": 1})
    assert car["Color"]["f"] == 0.0


def test_a_category_of_which_nobody_speaks_has_no_score(spice: Spice) -> None:
    _, (only,) = spice.compute_score({1: ["a dog"]}, {1: ["a dog"]})
    assert math.isnan(only["Color"]["f"])
    assert only["Cardinality"]["tp"] == 0.0


def test_it_is_told_apart_from_the_original(spice: Spice) -> None:
    assert spice.method() == "SPICE*"


def test_both_must_be_of_the_same_images(spice: Spice) -> None:
    with refusal(LimnerError):
        spice.compute_score(REFERENCES, {1: ["a dog"]})
    with refusal(LimnerError):
        spice.compute_score({1: ["a dog"]}, {1: ["a dog", "a cat"]})


def test_no_images_have_no_mean(spice: Spice) -> None:
    mean, scores = spice.compute_score({}, {})
    assert math.isnan(mean)
    assert scores == []


def test_a_missing_wordnet_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limner.score.spice.spice_metric.find_wordnet", lambda _: None)
    with pytest.warns(UserWarning, match="synonyms do not match"):
        Spice().compute_score({1: ["a dog"]}, {1: ["a dog"]})
