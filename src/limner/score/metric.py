"""What a metric is: from a run of captions to statistics that add up over images, and from their sums to values.

A subclass of `Metric` says everything that reports, engines and commands ask
of it: whether it looks at boxes, which way is better, what an image's value
depends on, how it explains itself. A class of one's own with a `name`,
`columns` and `measure` is enough for intervals, paired tests, subsets and
signatures.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from limner.arrays import Booleans, Floats, Integers
from limner.errors import LimnerError, shown
from limner.progress import Progress, silent
from limner.score.reference_round import Round
from limner.score.run import Run

if TYPE_CHECKING:
    from limner.corpus.classes.class_words import Synonyms
    from limner.score.document_frequencies import DocumentFrequencies

# What could change a metric's values, by name: its part of the signature.
Choices = Mapping[str, str | int | float]

# What the statistics of an image depend on.
#
# - `image`: on that image alone. Any share of the images can be measured.
# - `frequencies`: on how many of the images that are scored together have an
#   n-gram. A subset is measured anew, with frequencies of its own.
# - `corpus`: on the same frequencies over all images, also for their subsets.
# - `run`: on all images in some other way. Shares cannot be measured.
Scope = Literal["image", "frequencies", "corpus", "run"]

# The least and the largest value that a column can have.
Range = tuple[float, float]

UNBOUNDED: Range = (-inf, inf)
SHARE: Range = (0.0, 1.0)

# How an explanation is drawn: matched words, facts, or objects that a caption speaks of.
ExplanationKind = Literal["alignment", "tuples", "objects"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The options that metrics take when they are made by name.

    `df` are CIDEr's document frequencies: of the `run` or subset that is
    scored, of the whole `corpus` for subsets too, or counted before.
    `meteor_tables` is a folder with METEOR's tables, `synonyms` words for
    classes of objects, `training` sentences that are not novel. `progress`
    hears how far a metric is that prepares something once.
    """

    df: DocumentFrequencies | Literal["run", "corpus"] = "run"
    meteor_tables: Path | None = None
    synonyms: Synonyms | None = None
    training: Sequence[str] | None = None
    progress: Progress = silent


class Scorer(Protocol):
    """The least that a metric of one's own has; see `Metric` for what each member is."""

    @property
    def name(self) -> str: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    def measure(self, run: Run) -> Statistics: ...


class Metric(ABC):
    """A way to score captions, by one value or several of one family.

    Subclasses define the first three members, and others where the default
    is not right. Class variables and properties both do.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is asked for by: `bleu`."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of its values: `bleu1`, …, `bleu4`."""

    @abstractmethod
    def measure(self, run: Run) -> Statistics:
        """The statistics of every image of the run."""

    def measure_round(self, left_out: Round) -> Statistics:
        """The same of a run without one reference of each image (default: whatever `measure` makes of it)."""
        # Metrics that look at mentions read the text itself, and count other references than the run's.
        return self.measure(left_out.run(with_tokens=not self.needs_mentions))

    @property
    def higher_is_better(self) -> bool:
        """Whether more is better (default: true)."""
        return True

    @property
    def needs_images(self) -> bool:
        """Whether it looks at the gold images: their boxes, labels or pictures (default: false)."""
        return False

    @property
    def needs_mentions(self) -> bool:
        """Whether only gold captions that refer to boxes count as references (default: false)."""
        return False

    @property
    def is_of_people(self) -> bool:
        """Whether it scores people's captions in place of the system's (default: false)."""
        return False

    @property
    def scope(self) -> Scope:
        """What the statistics of an image depend on (default: that image alone)."""
        return "image"

    @property
    def explanation(self) -> ExplanationKind | None:
        """How its explanations are drawn, None if it does not explain itself (the default)."""
        return None

    def explanations(self, run: Run) -> Sequence[Any]:
        """Why each image of the run has its value: an object of the metric's kind of explanation for each."""
        raise NotImplementedError(f"{self.name} does not explain itself")

    def with_frequencies(self, df: DocumentFrequencies) -> Metric:
        """The metric for a share of the images that were counted; for the scopes `frequencies` and `corpus`."""
        if self.scope not in ("frequencies", "corpus"):
            raise NotImplementedError(f"{self.name} does not count n-grams")
        raise LimnerError(
            f"metric {shown(self.name)} has the scope {shown(self.scope)} and no with_frequencies(df); "
            "define it, or let the scope be 'run'"
        )

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """The metric with the options that it takes from the settings (default: none)."""
        return cls()


@dataclass(frozen=True, eq=False)
class DerivedMetric(Metric):
    """A metric whose values are made of another's: it looks at the same things, and more of it is as good."""

    metric: Metric

    @property
    def higher_is_better(self) -> bool:
        return self.metric.higher_is_better

    @property
    def needs_images(self) -> bool:
        return self.metric.needs_images

    @property
    def needs_mentions(self) -> bool:
        return self.metric.needs_mentions

    @property
    def is_of_people(self) -> bool:
        return self.metric.is_of_people


class AdoptedMetric(Metric):
    """Any object that measures, as a `Metric`: the members that it lacks have defaults."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    @property
    def name(self) -> str:
        return self._scorer.name

    @property
    def columns(self) -> tuple[str, ...]:
        return self._scorer.columns

    @property
    def higher_is_better(self) -> bool:
        return bool(getattr(self._scorer, "higher_is_better", True))

    @property
    def needs_images(self) -> bool:
        # Nobody knows what its `measure` looks at: it is given everything.
        return bool(getattr(self._scorer, "needs_images", True))

    @property
    def needs_mentions(self) -> bool:
        return bool(getattr(self._scorer, "needs_mentions", False))

    @property
    def scope(self) -> Scope:
        # A metric that looks at all images together must say so, or shares of them would be measured.
        scope: Scope = getattr(self._scorer, "scope", "image")
        return scope

    @property
    def explanation(self) -> ExplanationKind | None:
        kind: ExplanationKind | None = getattr(self._scorer, "explanation", None)
        return kind

    def measure(self, run: Run) -> Statistics:
        return self._scorer.measure(run)

    def measure_round(self, left_out: Round) -> Statistics:
        measure: Callable[[Round], Statistics] = getattr(self._scorer, "measure_round", super().measure_round)
        return measure(left_out)

    def explanations(self, run: Run) -> Sequence[Any]:
        explain: Callable[[Run], Sequence[Any]] = getattr(self._scorer, "explanations", super().explanations)
        return explain(run)

    def with_frequencies(self, df: DocumentFrequencies) -> Metric:
        if not hasattr(self._scorer, "with_frequencies"):
            return super().with_frequencies(df)
        return adopted(self._scorer.with_frequencies(df))


def adopted(scorer: Scorer) -> Metric:
    """The metric itself, or as one where it is a class of somebody's own; an error for what is no metric."""
    if isinstance(scorer, type):
        raise LimnerError(f"{scorer.__name__} is a class; give an object of it: {scorer.__name__}(…)")
    if isinstance(scorer, Metric):
        metric: Metric = scorer
    else:
        absent = [member for member in ("name", "columns", "measure") if not hasattr(scorer, member)]
        if absent:
            problem = f"{shown(scorer)} is no metric: it has no {' or '.join(absent)}"
            raise LimnerError(f"{problem}; give a name, or an object with name, columns and measure")
        metric = AdoptedMetric(scorer)
    _check_names(metric)
    return metric


def _check_names(metric: Metric) -> None:
    """Raise an error for names that no signature or table can hold."""
    name, columns = metric.name, metric.columns
    if not isinstance(name, str) or not name:
        raise LimnerError(f"a metric is called {shown(name)}; give it a name that is text")
    is_tuple = isinstance(columns, tuple) and all(isinstance(column, str) and column for column in columns)
    if not is_tuple or not columns or len(set(columns)) < len(columns):
        example = f"({name!r},)"
        raise LimnerError(f"metric {name!r} has the columns {shown(columns)}; give a tuple of names, such as {example}")
    for text in (name, *columns):
        # Signatures are name:value|name:value.
        if set(text) & set(":|\r\n"):
            raise LimnerError(f"metric {name!r} has the name {text!r}; use no colon, bar or line break in it")


def measured(metric: Metric, run: Run) -> Statistics:
    """The metric's statistics of a run; an error that names the metric if they do not fit the run."""
    return checked(metric, metric.measure(run), len(run))


def checked(metric: Metric, statistics: Statistics, n_images: int) -> Statistics:
    """The statistics; an error that names the metric if they are not of so many images."""
    name, n_columns = shown(metric.name), len(metric.columns)
    if not isinstance(statistics, Statistics):
        raise LimnerError(f"metric {name} measured {shown(statistics)}; return Statistics, such as means(…) makes")
    if not n_images:
        # Nothing has no number of columns that could be wrong.
        return statistics
    if np.ndim(statistics.rows) != 2 or len(statistics.rows) != n_images:
        problem = f"metric {name} measured rows of shape {np.shape(statistics.rows)} for {n_images:,} images"
        raise LimnerError(f"{problem}; return a row for each image")
    if np.shape(statistics.per_image) != (n_images, n_columns):
        raise LimnerError(
            f"metric {name} measured values of shape {np.shape(statistics.per_image)}; "
            f"return {n_columns} for each of the {n_images:,} images, one for each column"
        )
    if np.shape(statistics.value()) != (n_columns,):
        raise LimnerError(
            f"metric {name} makes values of shape {np.shape(statistics.value())} of all images together; "
            f"let finish return {n_columns}, one for each column"
        )
    _check_ranges(metric, statistics)
    for choice in statistics.choices:
        if set(str(choice)) & set(":|"):
            raise LimnerError(f"metric {name} has a choice called {choice!r}; use no colon or bar in its name")
    return statistics


def _check_ranges(metric: Metric, statistics: Statistics) -> None:
    """Raise an error for ranges that are not those of the columns."""
    n_columns, ranges = len(metric.columns), statistics.ranges
    if len(ranges) not in (0, n_columns):
        remedy = f"give {n_columns}, one for each column, or none"
        raise LimnerError(f"metric {shown(metric.name)} says the ranges of {len(ranges)} columns; {remedy}")
    for column, (low, high) in zip(metric.columns, ranges, strict=False):
        if not low < high:
            remedy = "give its least value, then its largest"
            raise LimnerError(f"metric {shown(metric.name)}: {column} has the range {low} to {high}; {remedy}")


@dataclass(frozen=True, slots=True)
class Statistics:
    """A row for each image that adds up, and how sums of rows become values.

    `rows` is `[images, statistics]`. `finish` takes sums of rows
    `[..., statistics]` to values `[..., columns]`: the score of these images
    together. `per_image` is `[images, columns]`, each image's own values, NaN
    where it has none. `choices` are for the signature. `depends_on_run` says
    that the rows of an image depend on which others were scored with it
    (document frequencies): its subsets are then measured anew. `whole_only`
    are the numbers of columns that only a whole run has, such as the size of
    its vocabulary: no sample of its images says anything about those.
    `without_interval` are those whose value grows or falls with the number of
    images, as a mean over all words does: two systems can be tested on the
    same images, but no interval around the value would hold.
    `is_mean` says that values are the means of the images' own. `items` is
    `[images, counts]`: what is only reported, and does not belong in `rows`,
    where a test of two systems would take it for a difference. `ranges` are
    the least and the largest value of each column, which no interval leaves;
    none are given where values have no such bounds. `members` is `[images,
    columns]`: which images a value is made of, where it is not made of all.
    """

    rows: Floats
    finish: Callable[[Floats], Floats]
    per_image: Floats
    choices: Choices = field(default_factory=dict)
    depends_on_run: bool = False
    warnings: Sequence[str] = ()
    whole_only: Sequence[int] = ()
    without_interval: Sequence[int] = ()
    is_mean: bool = False
    items: Floats | None = None
    ranges: Sequence[Range] = ()
    members: Booleans | None = None

    def value(self) -> Floats:
        """The values of all images together, `[columns]`."""
        return self.finish(self.rows.sum(axis=0))

    def select(self, places: Integers) -> Statistics:
        """The statistics of the images at these places."""
        items = None if self.items is None else self.items[places]
        members = None if self.members is None else self.members[places]
        return replace(self, rows=self.rows[places], per_image=self.per_image[places], items=items, members=members)

    def range_of(self, column: int) -> Range:
        """The least and the largest value of a column."""
        return self.ranges[column] if self.ranges else UNBOUNDED


def means(
    per_image: ArrayLike,
    choices: Choices | None = None,
    *,
    depends_on_run: bool = False,
    value_range: Range = UNBOUNDED,
) -> Statistics:
    """The statistics of a metric whose value is the mean over the images that have one.

    `per_image` is `[images]` or `[images, columns]`, NaN for none; all lie in `value_range`.
    """
    values = np.asarray(per_image, dtype=np.float64)
    values = values[:, None] if values.ndim == 1 else values
    has_value = ~np.isnan(values)
    rows = np.concatenate([np.where(has_value, values, 0.0), has_value.astype(np.float64)], axis=1)
    ranges = [value_range] * values.shape[1]
    return Statistics(rows, _mean, values, choices or {}, depends_on_run, is_mean=True, ranges=ranges)


def _mean(sums: Floats) -> Floats:
    n = sums.shape[-1] // 2
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[..., :n] / sums[..., n:], dtype=np.float64)


def concatenated(several: Sequence[Statistics]) -> Statistics:
    """Statistics of several shares of the images as those of all of them."""
    items = [share.items for share in several if share.items is not None]
    return replace(
        several[0],
        rows=np.concatenate([share.rows for share in several]),
        per_image=np.concatenate([share.per_image for share in several]),
        warnings=tuple(dict.fromkeys(warning for share in several for warning in share.warnings)),
        items=np.concatenate(items) if items else None,
    )
