"""What every metric says of itself, whoever wrote it."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest

from limner.errors import LimnerError
from limner.lazy import load_object
from limner.score import evaluate, human_bound
from limner.score.bleu import Bleu
from limner.score.document_frequencies import document_frequencies
from limner.score.metric import AdoptedMetric, Metric, Statistics, adopted, means
from limner.score.metrics import METRICS, make_metrics
from limner.score.run import Run
from refusals import refusal


class Length:
    name = "length"
    columns = ("length",)

    def measure(self, run: Run) -> Statistics:
        return means([len(caption.split()) for caption in run.candidates])


class Errors(Length):
    name = "errors"
    columns = ("errors",)
    higher_is_better = False
    needs_images = False


def test_a_class_of_ones_own_is_adopted_with_defaults() -> None:
    metric = adopted(Length())
    assert isinstance(metric, AdoptedMetric)
    assert (metric.name, metric.columns, metric.scope) == ("length", ("length",), "image")
    assert (metric.higher_is_better, metric.needs_images, metric.needs_mentions) == (True, True, False)
    assert metric.explanation is None
    assert metric.measure(Run(["a"], ["a dog"], [["x"]])).value().tolist() == [2]


def test_what_it_says_of_itself_is_heard() -> None:
    metric = adopted(Errors())
    assert (metric.higher_is_better, metric.needs_images) == (False, False)


class Named:
    """A metric that says and measures what it is told to."""

    def __init__(self, name: object = "mine", columns: object = ("mine",), measured: object = None) -> None:
        self.name, self.columns, self.measured = name, columns, measured

    def measure(self, run: Run) -> object:
        return self.measured


REFUSED = [
    Length,
    len,
    None,
    Named(name=3),
    Named(name=""),
    Named(columns="mine"),
    Named(columns=["mine"]),
    Named(columns=()),
    Named(columns=("a", "a")),
    Named(columns=("a", 1)),
    Named(name="a|b"),
    Named(columns=("a:b",)),
    Named(columns=("a\nb",)),
]


@pytest.mark.parametrize("metric", REFUSED)
def test_what_is_no_metric_is_refused_before_anything_is_measured(metric: Any) -> None:
    with refusal(LimnerError):
        make_metrics(["bleu", metric])


TWO = means([0.5, 1.0])
MISMATCHED = [
    [0.5, 1.0],
    means([0.5]),
    replace(TWO, rows=TWO.rows[:, 0]),
    replace(TWO, per_image=TWO.per_image[:1]),
    means([[0.5, 1.0], [0.5, 1.0]]),
    replace(TWO, finish=lambda sums: sums),
    means([0.5, 1.0], {"a|b": 1}),
]


@pytest.mark.parametrize("statistics", MISMATCHED)
def test_what_a_metric_measures_must_fit_the_run(statistics: Any) -> None:
    metric: Any = Named(measured=statistics)
    references = {"1": ["a dog"], "2": ["a cat"]}
    with refusal(LimnerError):
        evaluate({"1": "a dog", "2": "a cat"}, references, metrics=[metric])
    with refusal(LimnerError):
        human_bound(metric).measure(Run(["1", "2"], ["x", "y"], [["a", "b"], ["c", "d"]]))


def test_metrics_may_be_named_in_one_text() -> None:
    assert [metric.name for metric in make_metrics("bleu, cider")] == ["bleu", "cider"]
    with refusal(LimnerError):
        make_metrics("BLEU")
    with refusal(LimnerError):
        make_metrics("")


def test_a_metric_is_its_own() -> None:
    bleu = Bleu()
    assert adopted(bleu) is bleu
    assert make_metrics([bleu, Bleu(), "rouge_l", "rouge_l"])[:1] == [bleu]


@pytest.mark.parametrize("name", METRICS)
def test_every_name_leads_to_a_metric_of_that_name(name: str) -> None:
    kind = load_object(METRICS[name])
    assert issubclass(kind, Metric)
    assert kind.name == name or name in ("bleu", "rouge_l", "cider", "cider-plain", "meteor")


def test_only_a_metric_that_explains_itself_explains() -> None:
    with pytest.raises(NotImplementedError, match="bleu does not explain itself"):
        Bleu().explanations(Run([], [], []))
    with pytest.raises(NotImplementedError, match="bleu does not count n-grams"):
        Bleu().with_frequencies(None)  # type: ignore[arg-type]


def test_a_metric_of_ones_own_keeps_what_it_says_of_itself() -> None:
    class Whole:
        name = "whole"
        columns = ("whole",)
        scope = "run"
        needs_mentions = True

        def measure(self, run: Run) -> Statistics:
            return means([0.0] * len(run))

    metric = adopted(Whole())
    assert (metric.scope, metric.needs_mentions) == ("run", True)


class Explained(Length):
    explanation = "tuples"

    def explanations(self, run: Run) -> list[str]:
        return list(run.candidates)

    def with_frequencies(self, df: object) -> Length:
        return Errors()


def test_what_a_class_of_ones_own_explains_and_counts_is_passed_on() -> None:
    run, df = Run(["a"], ["a dog"], [["x"]]), document_frequencies(Run(["a"], ["a dog"], [["x"]]))
    metric = adopted(Explained())
    assert metric.explanation == "tuples"
    assert metric.explanations(run) == ["a dog"]
    assert metric.with_frequencies(df).name == "errors"
    with pytest.raises(NotImplementedError, match="length does not explain itself"):
        adopted(Length()).explanations(run)
    with pytest.raises(NotImplementedError, match="length does not count n-grams"):
        adopted(Length()).with_frequencies(df)


RANGES = {
    "bleu": [(0, 1)] * 4,
    "rouge_l": [(0, 1)],
    "cider": [(0, 10)],
    "cider-plain": [(0, 10)],
    "chair": [(0, 1)] * 2,
    "coverage": [(0, 1)] * 2,
    "diversity": [(0, 1), (0, 1), (0, inf), (0, 1), (0, inf), (0, 1)],
}


@pytest.mark.parametrize("name", RANGES)
def test_a_metric_says_between_which_bounds_its_values_lie(name: str) -> None:
    run = Run(["a", "b"], ["a dog", "a man on a horse"], [["a dog", "a cat"], ["a man rides a horse", "a man"]])
    (metric,) = make_metrics([name])
    statistics = metric.measure(run)
    assert list(statistics.ranges) == RANGES[name]
    assert [statistics.range_of(i) for i in range(len(metric.columns))] == RANGES[name]
    assert list(human_bound(metric).measure(run).ranges) == RANGES[name]


def test_values_without_a_range_are_unbounded() -> None:
    assert Length().measure(Run(["a"], ["a dog"], [["x"]])).range_of(0) == (-inf, inf)


@pytest.mark.parametrize("ranges", [[(0.0, 1.0), (0.0, 1.0)], [(1.0, 0.0)], [(0.0, nan)]])
def test_ranges_that_are_not_those_of_the_columns_are_refused(ranges: list[tuple[float, float]]) -> None:
    measured = replace(means([0.5]), ranges=ranges)
    with refusal(LimnerError):
        evaluate({"1": "a dog"}, {"1": ["a dog"]}, metrics=[Named(measured=measured)])
