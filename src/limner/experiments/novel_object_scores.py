"""The figures of the novel-object experiment: every row by every metric, on all test images and on their subsets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from statistics import NormalDist

import msgspec
import numpy as np

from limner.bench.class_domains import IN, NEAR, OUT
from limner.corpus.image import Image
from limner.errors import LimnerError, shown
from limner.experiments.novel_object_images import DOMAIN, NO, NOVEL, YES
from limner.progress import Progress, silent
from limner.score.caption_evaluation import Evaluation, evaluate_run, evaluate_systems
from limner.score.given_captions import read_captions, read_references
from limner.score.leave_one_out import LeaveOneOut
from limner.score.metric import Metric
from limner.score.metrics import check_names, make_metrics
from limner.score.novel_mentions import MEAN, TRUTHS, NovelMentions, mention_column
from limner.score.paired import Tested, adjusted
from limner.score.resampling import CONFIDENCE, FEWEST, SAMPLES, SEED, differences

# What is measured, if it can be: METEOR needs its tables, SPICE* a parser.
METRICS = ("cider", "spice*", "bleu", "meteor", "rouge_l", "chair")

# The values that tables show, by their columns, and what they are called.
COLUMNS = {
    "cider": "CIDEr",
    "spice*": "SPICE*",
    "spice": "SPICE",
    "bleu1": "BLEU-1",
    "bleu4": "BLEU-4",
    "meteor": "METEOR",
    "rouge_l": "ROUGE-L",
    "chair_i": "CHAIRi",
    "chair_s": "CHAIRs",
}

# What the names of metrics of novel mentions begin with.
MENTIONS = "novel_"

# Subsets of the test images by name, and by the attribute and its value that make them.
OVERALL, WITH_NOVEL, WITHOUT_NOVEL = "overall", "with novel", "without novel"
DOMAIN_NAMES = {IN: "in", NEAR: "near", OUT: "out"}
SUBSETS = {(DOMAIN, domain): name for domain, name in DOMAIN_NAMES.items()} | {
    (NOVEL, YES): WITH_NOVEL,
    (NOVEL, NO): WITHOUT_NOVEL,
}
ORDER = (*DOMAIN_NAMES.values(), OVERALL)


class Figure(msgspec.Struct, frozen=True, array_like=True):
    """A value with the ends of its interval, None for what there is none of."""

    value: float | None
    low: float | None = None
    high: float | None = None


class SubsetFigures(msgspec.Struct, frozen=True):
    """The figures of a row on some images, by column."""

    n_images: int
    figures: dict[str, Figure]


class RowFigures(msgspec.Struct, frozen=True):
    """The figures of a row by the name of the subset, and what they are made of.

    `common_cider` is CIDEr of subsets with the document frequencies of all test
    images: where half of a subset shows zebras, its own make the word worth nothing.
    """

    name: str
    subsets: dict[str, SubsetFigures]
    signatures: dict[str, str]
    warnings: tuple[str, ...] = ()
    common_cider: dict[str, Figure] = msgspec.field(default_factory=dict)

    def figure(self, subset: str, column: str) -> Figure | None:
        """A figure of the row, None where there is none."""
        if subset not in self.subsets:
            return None
        figure = self.subsets[subset].figures.get(column)
        return None if figure is None or figure.value is None else figure


class TestFigures(msgspec.Struct, frozen=True):
    """How much a row is above another by a value on some images, with its interval and p, also adjusted."""

    column: str
    subset: str
    first: str
    second: str
    n_images: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None


class TableFigures(msgspec.Struct, frozen=True):
    """Everything that is measured: rows and tests."""

    rows: list[RowFigures]
    tests: list[TestFigures]

    def row(self, name: str) -> RowFigures:
        return next(row for row in self.rows if row.name == name)

    def test(self, column: str, subset: str, first: str, second: str) -> TestFigures | None:
        wanted = (column, subset, first, second)
        return next(
            (test for test in self.tests if (test.column, test.subset, test.first, test.second) == wanted), None
        )


@dataclass(frozen=True)
class RowScoring:
    """Scores the captions of rows against the references of test images.

    `pairs` are rows that are tested against each other. `people` is the name
    of a last row, what people score, each reference against the others; there
    is none without a name. `keys` are attributes of the images that make subsets.
    """

    tests: Sequence[Image]
    novel: Sequence[str]
    metrics: Sequence[str] = METRICS
    pairs: Sequence[tuple[str, str]] = ()
    people: str = ""
    samples: int = SAMPLES
    keys: Sequence[str] = (DOMAIN, NOVEL)
    progress: Progress = silent

    def score(self, results: Mapping[str, Sequence[Image]]) -> TableFigures:
        """The figures of each row by its name."""
        made = make_metrics(self.metrics)
        mentions: list[Metric] = [NovelMentions(self.novel, truth) for truth in TRUTHS]
        evaluations = self._evaluated(results, [*made, *mentions])
        by_name = {evaluation.name: evaluation for evaluation in evaluations}
        rows = [_row_figures(evaluation) for evaluation in evaluations]
        if self.people:
            rows.append(self._of_people(evaluations[0], [*made, *mentions]))
        tests = list(self._tested(by_name)) if self.samples else []
        return TableFigures(rows, tests)

    def _evaluated(self, results: Mapping[str, Sequence[Image]], metrics: Sequence[Metric]) -> list[Evaluation]:
        references = read_references(self.tests, keep_images=True)
        systems = [read_captions(images, name=name) for name, images in results.items()]
        return evaluate_systems(
            systems, references, metrics=metrics, by=self.keys, samples=self.samples, progress=self.progress
        )

    def _of_people(self, system: Evaluation, metrics: Sequence[Metric]) -> RowFigures:
        self.progress("scoring people", 0, None)
        rounds = [LeaveOneOut(metric, of_people=True, is_namesake=True) for metric in metrics]
        return _row_figures(
            evaluate_run(self.people, system.run, rounds, by=self.keys, samples=self.samples, progress=self.progress)
        )

    def _tested(self, by_name: Mapping[str, Evaluation]) -> Iterator[TestFigures]:
        """Differences of pairs of rows by the values of the table and F1 of novel mentions.

        p is adjusted for all pairs that are tested by one figure on one set of
        images: ten thousand swaps cannot tell a thousand tests apart.
        """
        families: dict[tuple[str, str], list[Tested]] = {}
        for first, second in self.pairs:
            self.progress(f"testing {first} against {second}", 0, None)
            both = (subset_evaluations(by_name[name]) for name in (first, second))
            for (subset, of_first), (_, of_second) in zip(*both, strict=True):
                for test in _differences(of_first, of_second):
                    family = families.setdefault((test.column, subset), [])
                    family.append(test._replace(by="subset", subset=subset))
        for comparison in (comparison for family in families.values() for comparison in adjusted(family)):
            yield TestFigures(
                comparison.column,
                comparison.subset,
                comparison.first,
                comparison.second,
                comparison.n_images,
                *map(
                    _number,
                    (comparison.difference, comparison.low, comparison.high, comparison.p, comparison.p_adjusted),
                ),
            )


def measurable(names: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The metrics that can be measured here, and why the others cannot; an error if no table shows one, or none can."""
    check_names(names)
    able: list[str] = []
    lacking = {}
    for name in names:
        try:
            (metric,) = make_metrics([name])
            # Tables that a metric needs are looked for when it is first asked what it measures.
            columns = metric.columns
        except LimnerError as error:
            lacking[name] = str(error)
            continue
        if COLUMNS.keys().isdisjoint(columns):
            choices = ", ".join([*METRICS, "spice"])
            raise LimnerError(f"the tables of this experiment do not show {shown(name)}; choose from {choices}")
        able.append(name)
    if not able:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in lacking.items())
        raise LimnerError(f"none of the metrics can be measured here ({reasons}); name others, such as cider")
    return able, lacking


def tested_columns() -> list[str]:
    """The columns that rows are tested by."""
    return [*COLUMNS, *(mention_column(truth, MEAN, "f1") for truth in TRUTHS)]


def subset_evaluations(evaluation: Evaluation) -> Iterator[tuple[str, Evaluation]]:
    """The evaluation of all images, and those of subsets by their names."""
    yield OVERALL, evaluation
    for key, by_value in evaluation.by.items():
        for value, subset in by_value.items():
            if name := SUBSETS.get((key, value), "" if key in (DOMAIN, NOVEL) else f"{key} {value}"):
                yield name, subset


def _differences(first: Evaluation, second: Evaluation) -> Iterator[Tested]:
    wanted = set(tested_columns())
    metrics = [metric for metric in first.metrics if wanted.intersection(metric.columns)]
    statistics = [[system.statistics[metric.name] for metric in metrics] for system in (first, second)]
    tested = differences(*statistics, seed=SEED, confidence=CONFIDENCE)
    for metric, columns in zip(metrics, tested, strict=True):
        for column, difference in zip(metric.columns, columns, strict=True):
            if column in wanted:
                yield Tested(column, first.name, second.name, difference)


def _row_figures(evaluation: Evaluation) -> RowFigures:
    # That a class is named by nobody is a figure, and nothing to warn of.
    others = replace(evaluation, metrics=[metric for metric in evaluation.metrics if not _is_of_mentions(metric)])
    return RowFigures(
        evaluation.name,
        {name: _subset_figures(subset) for name, subset in subset_evaluations(evaluation)},
        {column: signature for column, signature in evaluation.signatures.items() if column in COLUMNS},
        tuple(others.warnings),
        _common_cider(evaluation) if "cider" in evaluation.scores else {},
    )


def _common_cider(evaluation: Evaluation) -> dict[str, Figure]:
    """CIDEr of each subset as the mean of what its images have among all; intervals are those of a mean."""
    value_by_id = evaluation.per_image("cider")
    figures = {}
    for name, subset in subset_evaluations(evaluation):
        values = np.array([value_by_id[id] for id in subset.run.ids])
        mean = float(values.mean())
        half = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * float(values.std(ddof=1)) / len(values) ** 0.5
        has_interval = len(values) >= FEWEST and half > 0
        figures[name] = Figure(mean, mean - half, mean + half) if has_interval else Figure(mean)
    return figures


def _subset_figures(evaluation: Evaluation) -> SubsetFigures:
    intervals = evaluation.intervals
    mentions = filter(_is_of_mentions, evaluation.metrics)
    wanted = {*COLUMNS, *(column for metric in mentions for column in metric.columns)}
    figures = {
        column: Figure(_number(value), *map(_number, intervals.get(column, (np.nan, np.nan))))
        for column, value in evaluation.scores.items()
        if column in wanted
    }
    return SubsetFigures(len(evaluation.run), figures)


def _is_of_mentions(metric: Metric) -> bool:
    return metric.name.startswith(MENTIONS)


def _number(value: float) -> float | None:
    return None if isnan(value) else float(value)
