"""Captions scored by any metrics: values with intervals and signatures, for all images and for parts of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, cast

from limner import __version__
from limner.corpus import open_corpus
from limner.corpus.image import Image
from limner.errors import LimnerError
from limner.score.metric import Metric, Numbers, Statistics
from limner.score.metrics import USUAL, Settings, check_names, make_metrics
from limner.score.paired import Comparison, adjusted
from limner.score.pairing import Captions, Policy, References, pair, read_captions, read_references
from limner.score.resampling import SAMPLES, SWAPS, Bounds, bounds, differences
from limner.score.run import Run
from limner.score.subsets import subsets
from limner.text.ptb import PTB, tokenise

CONFIDENCE = 0.95
SEED = 0

Tell = Callable[[str], None]
"""Told what is being measured, before it is."""

Corpora = str | Path | Sequence[str | Path]


@dataclass(slots=True)
class Evaluation:
    """The scores of one system's captions.

    `statistics` are by metric. `scores`, `intervals` and `signatures` are by
    the names of values: `bleu1`, …, `cider`. `by` has the same for parts of
    the images, by key and name of the part.
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

    @property
    def scores(self) -> dict[str, float]:
        return {
            column: float(value)
            for metric in self.metrics
            for column, value in zip(metric.columns, self.statistics[metric.name].value(), strict=True)
        }

    @property
    def intervals(self) -> dict[str, Bounds]:
        """Where the values of other images of the kind would likely lie; none where no samples are drawn."""
        if not self.samples:
            return {}
        if self._intervals is None:
            ordered = [self.statistics[metric.name] for metric in self.metrics]
            found = bounds(ordered, samples=self.samples, seed=SEED, confidence=CONFIDENCE)
            self._intervals = {
                column: bound
                for metric, columns in zip(self.metrics, found, strict=True)
                for column, bound in zip(metric.columns, columns, strict=True)
            }
        return self._intervals

    @property
    def signatures(self) -> dict[str, str]:
        """Of every value, the choices that could change it: two with one signature compare."""
        return {column: self._signature(metric) for metric in self.metrics for column in metric.columns}

    @property
    def warnings(self) -> list[str]:
        told = [warning for metric in self.metrics for warning in self.statistics[metric.name].warnings]
        without = [name for name, value in self.scores.items() if math.isnan(value)]
        return [*told, *(f"{name} has no value: no image here has what it looks at" for name in without)]

    def per_image(self, column: str) -> dict[str, float]:
        """The images' own values of a column; NaN where an image has none."""
        return dict(zip(self.run.ids, self._column(column).tolist(), strict=True))

    def as_dict(self) -> dict[str, Any]:
        """The scores as `limner score captions --json` prints them."""
        found: dict[str, Any] = {
            "n_images": len(self.run),
            "scores": {name: _number(value) for name, value in self.scores.items()},
        }
        if self.samples:
            found["intervals"] = {name: [_number(b.low), _number(b.high)] for name, b in self.intervals.items()}
            found["confidence"] = CONFIDENCE
        found["signatures"] = self.signatures
        if self.warnings:
            found["warnings"] = self.warnings
        if self.counts:
            found["counts"] = self.counts
        if self.by:
            found["by"] = {key: {name: one.as_dict() for name, one in parts.items()} for key, parts in self.by.items()}
        return found

    def _column(self, column: str) -> Numbers:
        for metric in self.metrics:
            if column in metric.columns:
                return self.statistics[metric.name].per_image[:, metric.columns.index(column)]
        raise LimnerError(f"{column!r} was not measured")

    def _signature(self, metric: Metric) -> str:
        sizes = [len(references) for references in self.run.references] or [0]
        choices = {
            "metric": metric.name,
            **self.statistics[metric.name].choices,
            "tok": self.run.tokeniser_name,
            "refs": f"{min(sizes)}-{max(sizes)}",
            "images": len(self.run),
            "missing": self.policy.missing,
            "limner": __version__,
        }
        return "|".join(f"{name}:{value}" for name, value in choices.items())


def evaluate(
    results: Corpora | Iterable[Image] | Mapping[str, str],
    references: Corpora | Iterable[Image] | Mapping[str, Sequence[str]],
    *,
    metrics: Sequence[str | Metric] = USUAL,
    by: Sequence[str] = (),
    settings: Settings | None = None,
    policy: Policy | None = None,
    source: str | None = None,
    samples: int = SAMPLES,
) -> Evaluation:
    """The scores of a system's captions against references, joined by image id.

    Both may be paths as commands take them, corpora, or mappings from image
    ids to a caption and to its references. `metrics` are names or whatever
    keeps the protocol. `by` asks for parts of the images as well (see
    `subsets`), each measured by itself, document frequencies included, unless
    the settings say otherwise.
    """
    (found,) = evaluate_systems(
        [_captions(results, source, policy)],
        _references(references, keep_images=True),
        metrics=metrics,
        by=by,
        settings=settings,
        policy=policy,
        samples=samples,
    )
    return found


def evaluate_systems(
    systems: Sequence[Captions],
    references: References,
    *,
    metrics: Sequence[str | Metric] = USUAL,
    by: Sequence[str] = (),
    settings: Settings | None = None,
    policy: Policy | None = None,
    samples: int = SAMPLES,
    tell: Tell = lambda _: None,
) -> list[Evaluation]:
    """The scores of several systems against the same references."""
    check_names([metric for metric in metrics if isinstance(metric, str)])
    tell("tokens")
    runs = pair(systems, references, policy, tokeniser=tokenise, tokeniser_name=PTB)
    found = []
    for captions, (run, counts) in zip(systems, runs, strict=True):
        wanted = make_metrics(metrics, settings or Settings(), run)
        statistics = {}
        for metric in wanted:
            tell(metric.name)
            statistics[metric.name] = metric.measure(run)
        one = Evaluation(captions.name, run, wanted, statistics, counts, policy or Policy(), samples)
        one.by = {key: _parts(one, key) for key in by}
        found.append(one)
    return found


def compare_systems(
    systems: Sequence[Evaluation], *, samples: int = SAMPLES, swaps: int = SWAPS, seed: int = SEED
) -> list[Comparison]:
    """Every two systems by every value, tested on the images that both were scored on."""
    pairs = list(combinations(systems, 2))
    rows = []
    for one, other in pairs:
        if list(one.run.ids) != list(other.run.ids):
            raise LimnerError(
                f"{one.name} and {other.name} were scored on different images; pass --missing zero to compare them"
            )
        ordered = [[each.statistics[metric.name] for metric in one.metrics] for each in (one, other)]
        tested = differences(*ordered, samples=samples, swaps=swaps, seed=seed, confidence=CONFIDENCE)
        for metric, columns in zip(one.metrics, tested, strict=True):
            for column, d in zip(metric.columns, columns, strict=True):
                rows.append((column, one.name, other.name, len(one.run), d))
    return adjusted(rows)


def _captions(
    results: Corpora | Iterable[Image] | Mapping[str, str], source: str | None, policy: Policy | None
) -> Captions:
    duplicate = (policy or Policy()).duplicate
    if isinstance(results, Mapping):
        return read_captions(results, duplicate=duplicate)
    images = _opened(results)
    return read_captions(images, source=source, duplicate=duplicate, place=getattr(images, "name", "results"))


def _references(
    references: Corpora | Iterable[Image] | Mapping[str, Sequence[str]], *, keep_images: bool
) -> References:
    if isinstance(references, Mapping):
        return read_references(references)
    images = _opened(references)
    return read_references(images, keep_images=keep_images, place=getattr(images, "name", "references"))


def _opened(corpora: Corpora | Iterable[Image]) -> Iterable[Image]:
    if isinstance(corpora, str | Path):
        return open_corpus(corpora)
    if isinstance(corpora, Sequence) and corpora and isinstance(corpora[0], str | Path):
        return open_corpus([str(path) for path in corpora])
    return cast(Iterable[Image], corpora)


def _parts(whole: Evaluation, key: str) -> dict[str, Evaluation]:
    """The evaluation of each part; what depends on which images are scored together is measured afresh."""
    found = {}
    for name, places in subsets(whole.run, key).items():
        run = whole.run.subset(places)
        statistics = {}
        for metric in whole.metrics:
            of_all = whole.statistics[metric.name]
            statistics[metric.name] = metric.measure(run) if of_all.depends_on_run else of_all.select(places)
        found[name] = Evaluation(whole.name, run, whole.metrics, statistics, policy=whole.policy, samples=whole.samples)
    return found


def _number(value: float) -> float | None:
    """A value as JSON has it, which knows no NaN."""
    return None if math.isnan(value) else value
