"""The figures of the page: those of the evaluations, number for number."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from caption_evaluations import OURS, REFERENCES, THEIRS, evaluation
from limner.report.pages.caption_entries import Joined
from limner.report.pages.captions_page import figures_of
from limner.score.caption_evaluation import Evaluation, compare_systems
from limner.score.diversity import Diversity
from limner.score.metric import Statistics, means
from limner.score.run import Run


def figures(*systems: Evaluation) -> dict[str, Any]:
    compared = compare_systems(systems, swaps=50) if len(systems) > 1 else []
    found = figures_of(Joined(systems), compared, 0.95)
    # What is not JSON would show here.
    loaded: dict[str, Any] = json.loads(json.dumps(found, allow_nan=False))
    return loaded


@pytest.fixture(scope="module")
def two() -> tuple[Evaluation, Evaluation]:
    return evaluation("ours", OURS), evaluation("theirs", THEIRS)


@pytest.mark.usefixtures("intervals_of_few")
def test_values_and_intervals_are_the_evaluations(two: tuple[Evaluation, Evaluation]) -> None:
    found = figures(*two)
    columns = [column["name"] for column in found["columns"]]
    assert columns == ["bleu1", "bleu2", "bleu3", "bleu4", "cider", "chair_i", "chair_s"]
    for one, values in zip(two, found["values"], strict=True):
        assert dict(zip(columns, (value[0] for value in values), strict=True)) == pytest.approx(one.scores, abs=1e-6)
        for column, (_, low, high) in zip(columns, values, strict=True):
            expected = [None if np.isnan(bound) else pytest.approx(bound, abs=1e-6) for bound in one.intervals[column]]
            assert [low, high] == expected


def test_the_images_own_values_are_the_evaluations(two: tuple[Evaluation, Evaluation]) -> None:
    found = figures(*two)
    for one, scores in zip(two, found["scores"], strict=True):
        for column, values in zip(found["columns"], scores, strict=True):
            assert dict(zip(one.run.ids, values, strict=True)) == pytest.approx(
                {id: None if np.isnan(v) else v for id, v in one.per_image(column["name"]).items()}, abs=1e-5
            )


def test_differences_are_those_that_were_tested(two: tuple[Evaluation, Evaluation]) -> None:
    found = figures(*two)["differences"]
    compared = compare_systems(two, swaps=50)
    assert [row[:3] for row in found] == [[k, 0, 1] for k in range(len(compared))]
    for row, one in zip(found, compared, strict=True):
        expected = (one.difference, one.low, one.high, one.p, one.p_adjusted)
        assert row[3:8] == pytest.approx([None if np.isnan(v) else v for v in expected], abs=1e-6)
        assert row[8:] == [one.is_exact, one.n_images]


def test_parts_have_their_images_and_values(two: tuple[Evaluation, Evaluation]) -> None:
    (by,) = figures(*two)["subsets"]
    assert by["key"] == "domain"
    assert [(part["name"], part["images"]) for part in by["subsets"]] == [("in", [0, 3]), ("near", [1]), ("out", [2])]
    for part in by["subsets"]:
        for one, values in zip(two, part["values"], strict=True):
            expected = one.by["domain"][part["name"]].scores
            assert [value[0] for value in values] == pytest.approx(
                [None if np.isnan(v) else v for v in expected.values()], abs=1e-6
            )


def test_a_signature_is_told_once_for_all_that_have_it(two: tuple[Evaluation, Evaluation]) -> None:
    found = figures(*two)["signatures"]
    assert [(one["columns"], one["systems"]) for one in found] == [
        (["bleu1", "bleu2", "bleu3", "bleu4"], [0, 1]),
        (["cider"], [0, 1]),
        (["chair_i", "chair_s"], [0, 1]),
    ]
    assert {one["text"] for one in found} == set(two[0].signatures.values())


def test_lower_is_better_where_the_metric_says_so(two: tuple[Evaluation, Evaluation]) -> None:
    assert [column["name"] for column in figures(*two)["columns"] if not column["up"]] == ["chair_i", "chair_s"]


class Fixed:
    """A metric with values of the test's choosing."""

    columns = ("fixed",)

    def __init__(self, values: list[float], warnings: tuple[str, ...] = ()) -> None:
        self.name = "fixed"
        self._values = values
        self._warnings = warnings

    def measure(self, run: Run) -> Statistics:
        found = means(self._values)
        return Statistics(found.rows, found.finish, found.per_image, {}, warnings=self._warnings)


def test_what_is_not_a_number_is_null_and_an_infinity_too() -> None:
    one = evaluation("x", OURS, metrics=[Fixed([float("nan"), 0.5, float("inf"), 1.0])], samples=0)
    found = figures(one)
    assert found["scores"] == [[[None, 0.5, None, 1]]]
    assert found["values"] == [[[None]]]


def test_a_column_that_no_image_has_says_so() -> None:
    found = figures(evaluation("x", OURS, metrics=[Diversity()], by=None))
    each = {column["name"]: column["each"] for column in found["columns"]}
    assert each["vocabulary"] is False
    assert each["length"] is True
    assert found["scores"][0][2] is None


def test_warnings_and_counts_are_told() -> None:
    warned = Fixed([1, 1, 1, 1], ("odd", "odd", "strange"))
    (found,) = figures(evaluation("x", OURS, metrics=[warned], counts={"missing": 2, "extra": 0}))["systems"]
    assert found == {"name": "x", "n": 4, "counts": {"missing": 2}, "warnings": ["odd", "strange"]}


def test_of_very_many_images_the_first_are_listed_and_all_are_scored() -> None:
    whole, some = evaluation("ours", OURS), Joined([evaluation("ours", OURS)], 2)
    found = figures_of(some, [], 0.95)
    assert (found["n"], some.ids) == (4, ["a", "b"])
    assert [value[0] for value in found["values"][0]] == pytest.approx(list(whole.scores.values()), abs=1e-6)
    assert [len(values) for values in found["scores"][0] if values] == [2] * 7
    assert [(part["n"], part["images"]) for part in found["subsets"][0]["subsets"]] == [(2, [0]), (1, [1]), (1, [])]


def test_systems_may_have_other_images_and_another_order() -> None:
    some = {id: THEIRS[id] for id in ("d", "a")}
    joined = Joined([evaluation("some", some), evaluation("all", OURS)])
    assert joined.ids == ["d", "a", "b", "c/3 é"]
    assert joined.references("b") == REFERENCES["b"]
    found = figures_of(joined, [], 0.95)
    cider = [column["name"] for column in found["columns"]].index("cider")
    few, every = (scores[cider] for scores in found["scores"])
    assert [value is None for value in few] == [False, False, True, True]
    ours = joined.systems[1].per_image("cider")
    assert every == pytest.approx([ours[id] for id in joined.ids], abs=1e-5)
