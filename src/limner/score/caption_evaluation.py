"""Captions scored by any metrics: values with intervals and signatures, for all images and for subsets of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from limner.arrays import Floats, Integers
from limner.errors import BadInput, LimnerError
from limner.lazy import lazy, load
from limner.progress import Progress, silent
from limner.score.box_matching import MATCH_IOU
from limner.score.caption_signature import caption_signature
from limner.score.caption_warnings import score_warnings
from limner.score.given_captions import (
    Captions,
    GivenCaptions,
    GivenReferences,
    References,
    captions_by_position,
    read_captions,
    read_references,
)
from limner.score.metric import Metric, Scorer, Settings, Statistics, adopted, measured
from limner.score.metrics import USUAL, make_metrics
from limner.score.paired import Comparison, Tested, adjusted
from limner.score.pairing import Policy, checked_policy, listed, pair, worded_count
from limner.score.resampling import CONFIDENCE, SAMPLES, SEED, SWAPS, Bounds, bounds, differences
from limner.score.run import Run
from limner.score.shared_frequencies import SharedFrequencies, counts_anew, of_subset
from limner.score.subsets import subsets
from limner.text.ptb import PTB, tokenise

if TYPE_CHECKING:
    from limner.look import notebook
else:
    notebook = lazy("limner.look.notebook")


@dataclass(slots=True, repr=False)
class Evaluation:
    """The scores of one system's captions.

    `statistics` are by metric. `scores`, `intervals` and `signatures` are by
    the names of values: `bleu1`, …, `cider`. `by` has the same for subsets of
    the images, by key and name of the subset.
    """

    name: str
    run: Run
    metrics: Sequence[Metric]
    statistics: dict[str, Statistics]
    counts: dict[str, int] = field(default_factory=dict)
    policy: Policy = field(default_factory=Policy)
    samples: int = SAMPLES
    by: dict[str, dict[str, Evaluation]] = field(default_factory=dict)
    _intervals: dict[str, Bounds] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.metrics = [adopted(metric) for metric in self.metrics]

    @property
    def scores(self) -> dict[str, float]:
        return {
            column: float(value)
            for metric in self.metrics
            for column, value in zip(metric.columns, self.statistics[metric.name].value(), strict=True)
        }

    @property
    def intervals(self) -> dict[str, Bounds]:
        """Where the values of other images of the kind would likely lie; none if no samples are drawn."""
        if not self.samples:
            return {}
        if self._intervals is None:
            ordered = [self.statistics[metric.name] for metric in self.metrics]
            of_metrics = bounds(ordered, samples=self.samples, seed=SEED, confidence=CONFIDENCE)
            self._intervals = {
                column: bound
                for metric, columns in zip(self.metrics, of_metrics, strict=True)
                for column, bound in zip(metric.columns, columns, strict=True)
            }
        return self._intervals

    @property
    def signatures(self) -> dict[str, str]:
        """Of every value, the choices that could change it: two with one signature compare."""
        return {column: self._signature(metric, column) for metric in self.metrics for column in metric.columns}

    @property
    def warnings(self) -> list[str]:
        warnings = [warning for metric in self.metrics for warning in self.statistics[metric.name].warnings]
        caveat = self.run.caveats(
            of_people=all(metric.is_of_people for metric in self.metrics),
            with_mentions=any(metric.needs_mentions for metric in self.metrics),
        ).warning()
        more = score_warnings(self.run, self.metrics, self.scores, self.counts, self.policy.missing)
        return [*warnings, *more, *([caveat] if caveat else [])]

    def per_image(self, column: str) -> dict[str, float]:
        """The images' own values of a column; NaN where an image has none."""
        return dict(zip(self.run.ids, self._column(column).tolist(), strict=True))

    def to_json(self) -> dict[str, Any]:
        """The scores as the command line prints them in JSON."""
        report: dict[str, Any] = {
            "n_images": len(self.run),
            "scores": {name: _number(value) for name, value in self.scores.items()},
        }
        if self.samples:
            report["intervals"] = {name: [_number(b.low), _number(b.high)] for name, b in self.intervals.items()}
            report["confidence"] = CONFIDENCE
        fewer = {name: n for name in self.scores if 0 < (n := self.n_images(name)) < len(self.run)}
        if fewer:
            report["n_images_by_score"] = fewer
        report["signatures"] = self.signatures
        if self.warnings:
            report["warnings"] = self.warnings
        if self.counts:
            report["counts"] = self.counts
        if self.by:
            report["by"] = {
                key: {name: subset.to_json() for name, subset in by_name.items()} for key, by_name in self.by.items()
            }
        return report

    def to_pandas(self) -> Any:
        """The images' own values as a DataFrame: a row for each image, by its id, and a column for each value."""
        try:
            pandas = load("pandas")
        except ModuleNotFoundError as error:
            raise LimnerError("to_pandas needs pandas; install it with: pip install pandas") from error
        columns = {column: self._column(column) for metric in self.metrics for column in metric.columns}
        return pandas.DataFrame(columns, index=pandas.Index(self.run.ids, name="image"))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:.4f}" for name, value in self.scores.items())
        return f"<Evaluation of {self._title(repr)}; {'; '.join([values, *self._remarks()])}>"

    def _repr_html_(self) -> str:
        """The scores as a table, for notebooks."""
        # Intervals that nobody has asked for yet are left out: a cell that shows an evaluation must not take seconds.
        intervals = self._intervals
        rows = []
        for name, value in self.scores.items():
            cells = [name, f"{value:.4f}"]
            if intervals:
                low, high = intervals[name]
                cells.append("—" if math.isnan(low) else f"{low:.4f} to {high:.4f}")
            rows.append(cells)
        columns = ["metric", "value", *([f"{CONFIDENCE:.0%} interval"] if intervals else [])]
        return notebook.html_table(columns, rows, caption="; ".join([self._title(str), *self._remarks()]))

    def _title(self, quoted: Callable[[str], str]) -> str:
        n_images = len(self.run)
        return f"{quoted(self.name.removeprefix('system:'))}: {n_images:,} {'image' if n_images == 1 else 'images'}"

    def _remarks(self) -> list[str]:
        """What did not fit and how many warnings there are, if any."""
        counted = ", ".join(f"{n:,} {worded_count(what)}" for what, n in self.counts.items() if n)
        n_warnings = len(self.warnings)
        warned = f"{n_warnings:,} {'warning' if n_warnings == 1 else 'warnings'}" if n_warnings else ""
        return [remark for remark in (counted, warned) if remark]

    def _column(self, column: str) -> Floats:
        for metric in self.metrics:
            if column in metric.columns:
                return self.statistics[metric.name].per_image[:, metric.columns.index(column)]
        raise LimnerError(f"{column!r} was not measured")

    def n_images(self, column: str) -> int:
        """How many images a value is the mean of: those that have one; all of them where it is no mean."""
        metric = next(metric for metric in self.metrics if column in metric.columns)
        if not self.statistics[metric.name].is_mean:
            return len(self.run)
        return int((~np.isnan(self._column(column))).sum())

    def _signature(self, metric: Metric, column: str) -> str:
        statistics, n_images = self.statistics[metric.name], self.n_images(column)
        return caption_signature(self.run, metric, statistics, n_images, self.policy.missing)


def evaluate(
    results: GivenCaptions,
    references: GivenReferences,
    *,
    metrics: str | Sequence[str | Scorer] = USUAL,
    by: str | Sequence[str] = (),
    settings: Settings | None = None,
    policy: Policy | None = None,
    source: str | None = None,
    match_iou: float = MATCH_IOU,
    samples: int = SAMPLES,
) -> Evaluation:
    """The scores of a system's captions against references, joined by image id.

    Both may be paths as commands take them, corpora, or mappings from image
    ids to a caption (also as a list of one) and to its references; or records
    of COCO, with `image_id` and `caption`; or both are
    lists, a caption and its references at the same position. `metrics` are names, also in one
    text (`bleu,cider`), or objects (see `Metric`). `by` asks for subsets of
    the images as well (see `subsets`), each measured by itself, document frequencies included, unless
    the settings say otherwise.
    Boxes that the results bring match gold's from an IoU of `match_iou` on.
    """
    if (captions_by_position(results) is None) != (captions_by_position(references) is None):
        problem = "a list is joined by position, and the other side has image ids"
        raise BadInput("results and references", problem, "give both as lists, or both by image id")
    (evaluation,) = evaluate_systems(
        [read_captions(results, source=source, duplicate=checked_policy(policy).duplicate)],
        read_references(references, keep_images=True),
        metrics=metrics,
        by=by,
        settings=settings,
        policy=policy,
        match_iou=match_iou,
        samples=samples,
    )
    return evaluation


def evaluate_systems(
    systems: Sequence[Captions],
    references: References,
    *,
    metrics: str | Sequence[str | Scorer] = USUAL,
    by: str | Sequence[str] = (),
    settings: Settings | None = None,
    policy: Policy | None = None,
    match_iou: float = MATCH_IOU,
    samples: int = SAMPLES,
    progress: Progress = silent,
) -> list[Evaluation]:
    """The scores of several systems against the same references; metrics are made once for all of them."""
    made = make_metrics(metrics, settings)
    progress("tokenising captions", 0, None)
    runs = pair(systems, references, policy, tokeniser=tokenise, tokeniser_name=PTB, match_iou=match_iou)
    return [
        evaluate_run(captions.name, run, made, by=by, counts=counts, policy=policy, samples=samples, progress=progress)
        for captions, (run, counts) in zip(systems, runs, strict=True)
    ]


def evaluate_run(
    name: str,
    run: Run,
    metrics: Sequence[Metric],
    *,
    by: str | Sequence[str] = (),
    counts: Mapping[str, int] | None = None,
    policy: Policy | None = None,
    samples: int = SAMPLES,
    progress: Progress = silent,
) -> Evaluation:
    """The scores of captions that have been joined to their references: where every evaluation comes from."""
    statistics = {}
    for metric in metrics:
        progress(f"measuring {metric.name}", 0, None)
        statistics[metric.name] = measured(metric, run)
    evaluation = Evaluation(name, run, metrics, statistics, dict(counts or {}), policy or Policy(), samples)
    evaluation.by = {key: _subsets(evaluation, key) for key in ([by] if isinstance(by, str) else by)}
    return evaluation


def compare_systems(
    systems: Sequence[Evaluation],
    *,
    swaps: int = SWAPS,
    seed: int = SEED,
    with_subsets: bool = False,
) -> list[Comparison]:
    """Every two systems by every value, tested on the images that both were scored on.

    With subsets, these are tested too, and p is adjusted for all tests
    together.
    """
    rows = []
    for whole in combinations(systems, 2):
        for key, subset, first, second in _pairs_of(*whole, with_subsets):
            statistics = [[system.statistics[metric.name] for metric in first.metrics] for system in (first, second)]
            tested = differences(*statistics, swaps=swaps, seed=seed, confidence=CONFIDENCE)
            for metric, columns in zip(first.metrics, tested, strict=True):
                for column, difference in zip(metric.columns, columns, strict=True):
                    rows.append(Tested(column, first.name, second.name, difference, key, subset))
    return adjusted(rows)


def _pairs_of(
    first: Evaluation, second: Evaluation, with_subsets: bool
) -> Iterator[tuple[str, str, Evaluation, Evaluation]]:
    """Two systems on their common images, then by key and name on those of each subset."""
    try:
        common = _on_common_images(first, second)
    except LimnerError as error:
        # Some of the images of a run without its words cannot be measured anew.
        if error.code != "no-words":
            raise
        anew = [metric.name for metric in first.metrics if first.statistics[metric.name].depends_on_run]
        raise LimnerError(
            f"{first.name} and {second.name} were scored on different images, and {', '.join(anew)} cannot be measured "
            "anew on those that both have",
            code="not-measured-anew",
        ) from error
    if common is None:
        ids = [f"{system.name} on {listed(system.run.ids)}" for system in (first, second)]
        raise LimnerError(
            f"{first.name} and {second.name} were scored on different images: {', '.join(ids)}; give results of the "
            "same images",
            code="different-images",
        )
    yield "", "", *common
    for key, subsets_of_first in first.by.items() if with_subsets else ():
        for name, subset in subsets_of_first.items():
            other = second.by.get(key, {}).get(name)
            if other is not None and (common := _on_common_images(subset, other)):
                yield key, name, *common


def _on_common_images(first: Evaluation, second: Evaluation) -> tuple[Evaluation, Evaluation] | None:
    """Both on the images that both have, in one order; None if there are none."""
    if list(first.run.ids) == list(second.run.ids):
        return first, second
    position_by_id = {id: i for i, id in enumerate(second.run.ids)}
    common = [(i, position_by_id[id]) for i, id in enumerate(first.run.ids) if id in position_by_id]
    if not common:
        return None
    of_first, of_second = np.array(common, dtype=np.int64).T
    return _part(first, of_first), _part(second, of_second)


def _part(evaluation: Evaluation, places: Integers) -> Evaluation:
    """The evaluation of some images; what depends on which images are scored together is measured anew."""
    run = evaluation.run.subset(places) if len(places) < len(evaluation.run) else evaluation.run
    statistics = {}
    for metric in evaluation.metrics:
        of_all = evaluation.statistics[metric.name]
        is_anew = of_all.depends_on_run and run is not evaluation.run
        statistics[metric.name] = measured(metric, run) if is_anew else of_all.select(places)
    policy, samples = evaluation.policy, evaluation.samples
    return Evaluation(evaluation.name, run, evaluation.metrics, statistics, policy=policy, samples=samples)


def _subsets(evaluation: Evaluation, key: str) -> dict[str, Evaluation]:
    """The evaluation of each subset."""
    return {
        name: with_shared_frequencies(_part(evaluation, places), evaluation, places)
        for name, places in subsets(evaluation.run, key).items()
    }


def with_shared_frequencies(subset: Evaluation, whole: Evaluation, places: Integers) -> Evaluation:
    """The evaluation of a subset, with values by the document frequencies of all images beside those by its own."""
    shared = [SharedFrequencies(metric) for metric in whole.metrics if counts_anew(whole.statistics[metric.name])]
    statistics = {metric.name: of_subset(whole.statistics[metric.metric.name], places) for metric in shared}
    return replace(subset, metrics=[*subset.metrics, *shared], statistics={**subset.statistics, **statistics})


def _number(value: float) -> float | None:
    """A value as JSON has it, which knows no NaN."""
    return None if math.isnan(value) else value
