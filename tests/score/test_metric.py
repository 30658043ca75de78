"""What every metric says of itself, whoever wrote it."""

from __future__ import annotations

import pytest

from limner.lazy import load_object
from limner.score.bleu import Bleu
from limner.score.metric import AdoptedMetric, Metric, Statistics, adopted, means
from limner.score.metrics import METRICS, make_metrics
from limner.score.run import Run


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
