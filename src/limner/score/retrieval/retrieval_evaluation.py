"""The scores of retrieval in both directions: Recall@K, median rank and mAP@R, with intervals, signatures and tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan
from typing import Any, NamedTuple

import numpy as np

from limner import __version__
from limner.arrays import Floats, Integers
from limner.errors import BadInput, LimnerError, shown
from limner.learn.cross_search import TOLERANCE, Ranking, cross_search
from limner.progress import Progress, silent
from limner.score.compared_systems import (
    ComparedSystems,
    interval_method,
    json_intervals,
    json_number,
    tested_columns,
)
from limner.score.data_fingerprint import data_fingerprint, image_numbers
from limner.score.metric import SHARE, Statistics
from limner.score.paired import Comparison, Tested, adjusted
from limner.score.resampling import CONFIDENCE, FEWEST, SAMPLES, SEED, Bounds, bounds
from limner.score.retrieval.relevance import Relevance, RelevantPairs, average_precision_at_r, relevant_pairs
from limner.score.retrieval.retrieval_system import RetrievalSystem

# Raised whenever equal vectors would score otherwise than before.
VERSION = 2

CUTOFFS = (1, 5, 10)
DIRECTIONS = ("image_to_text", "text_to_image")
FIGURES = tuple(f"R@{k}" for k in CUTOFFS)
MAP = "mAP@R"
MEDIAN = "median_rank"
RSUM = "rsum"

# Every figure that adds up over images, in the order of the columns of statistics.
COLUMNS = (*(f"{direction} {name}" for direction in DIRECTIONS for name in (*FIGURES, MAP)), RSUM)

# Those by which systems are compared.
COMPARED = (*(f"{direction} {name}" for direction in DIRECTIONS for name in FIGURES), RSUM)


class Direction(NamedTuple):
    """The ranks of all queries of one direction and their average precisions, and the image that each query is of.

    A text of no image has the first image that it is right for, so that it counts in mAP@R; -1 without any.
    """

    ranks: Integers
    precisions: Floats
    images: Integers

    @property
    def n_precisions(self) -> int:
        """How many queries have a right answer, over which mAP@R is the mean."""
        return int((~np.isnan(self.precisions)).sum())


@dataclass(frozen=True)
class SystemRetrieval:
    """The figures of one system, with intervals if there are samples; `ranks` are those of single queries."""

    name: str
    values: dict[str, float]
    intervals: dict[str, Bounds]
    samples: int
    counts: dict[str, int]
    directions: dict[str, Direction]
    statistics: Statistics
    signature: str

    def to_json(self) -> dict[str, Any]:
        report: dict[str, Any] = dict(self.counts)
        for direction in DIRECTIONS:
            names = (*FIGURES, MEDIAN, MAP)
            figures = {name: json_number(self.values[f"{direction} {name}"]) for name in names}
            report[direction] = {**figures, "n_mAP_queries": self.directions[direction].n_precisions}
        report[RSUM] = json_number(self.values[RSUM])
        if self.samples:
            method = interval_method(self.samples, "images")
            method["method"] += "; all stay to be searched"
            report["intervals"] = {**json_intervals(self.intervals), **method}
        return {**report, "signature": self.signature}


class RetrievalScores(ComparedSystems[SystemRetrieval]):
    """The scores of one or more systems on the same images and texts, and their differences."""


def evaluate_retrieval(
    systems: Sequence[RetrievalSystem],
    *,
    relevance: Relevance | None = None,
    samples: int = SAMPLES,
    pairs: Iterable[tuple[str, str]] | None = None,
    progress: Progress = silent,
) -> RetrievalScores:
    """The scores of systems on the same images and texts, in both directions.

    `relevance` says which texts are right for mAP@R (default: an image's own);
    recall and ranks are always of an image's own texts. An image without a
    text is searched and asks nothing. Every two systems are compared, or the
    `pairs` that are named; p-values are adjusted for as many tests as are made.
    """
    if not systems:
        raise LimnerError("there is nothing to score; give a system's vectors")
    first = systems[0]
    if not (first.text_images >= 0).any():
        raise BadInput(first.name, "no text is of any of the images", "give texts with the ids of their images")
    for other in systems[1:]:
        _check_same(first, other)
    order = {id: row for row, id in enumerate(first.image_ids)}
    results = [_system_scores(system, relevance, order, samples, progress) for system in systems]
    return RetrievalScores(results, _differences(results, pairs))


def _check_same(first: RetrievalSystem, other: RetrievalSystem) -> None:
    for what, ids, others in (
        ("image", first.image_ids, other.image_ids),
        ("text", first.text_ids, other.text_ids),
    ):
        if missing := set(ids) ^ set(others):
            example = shown(min(missing))
            problem = f"{what} {example} is not both here and in {first.name}"
            raise BadInput(other.name, problem, "compare systems on the same images and texts")
    images = dict(zip(first.text_ids, first.text_images.tolist(), strict=True))
    for text, row in zip(other.text_ids, other.text_images.tolist(), strict=True):
        image, here = images[text], row
        if (first.image_ids[image] if image >= 0 else None) != (other.image_ids[here] if here >= 0 else None):
            raise BadInput(other.name, f"text {shown(text)} is of another image than in {first.name}", "check the ids")


def _system_scores(
    system: RetrievalSystem, relevance: Relevance | None, order: dict[str, int], samples: int, progress: Progress
) -> SystemRetrieval:
    pairs = relevant_pairs(system, relevance)
    k = max(max(CUTOFFS), int(pairs.of_images.max(initial=1)), int(pairs.of_texts.max(initial=1)))
    of_images, of_texts = cross_search(system.scores, system.text_images, k, progress=progress)
    # All systems have their images in one order, so that tests compare like with like.
    places = np.array([order[id] for id in system.image_ids], dtype=np.int64)
    directions = _directions(system, of_images, of_texts, pairs, places)
    statistics = _statistics(directions, places)
    values = dict(zip(COLUMNS, statistics.value().tolist(), strict=True))
    values |= {f"{name} {MEDIAN}": _median(direction) for name, direction in directions.items()}
    with_text = int((system.n_texts > 0).sum())
    counts = {
        "n_images": len(system.image_ids),
        "n_texts": len(system.text_ids),
        "n_images_without_text": len(system.image_ids) - with_text,
        "n_texts_without_image": int((system.text_images < 0).sum()),
    }
    return SystemRetrieval(
        system.name,
        values,
        _intervals(statistics, directions, samples, with_text),
        samples,
        counts,
        directions,
        statistics,
        _signature(system, relevance),
    )


def _directions(
    system: RetrievalSystem, of_images: Ranking, of_texts: Ranking, pairs: RelevantPairs, places: Integers
) -> dict[str, Direction]:
    rows = np.arange(len(system.image_ids))
    columns = np.arange(len(system.text_ids))
    right_texts = pairs.has(rows[:, None], of_images.items)
    right_images = pairs.has(of_texts.items, columns[:, None])
    return {
        DIRECTIONS[0]: Direction(of_images.ranks, average_precision_at_r(right_texts, pairs.of_images), rows),
        DIRECTIONS[1]: Direction(
            of_texts.ranks,
            average_precision_at_r(right_images, pairs.of_texts),
            _images_of_texts(system, pairs, places),
        ),
    }


def _images_of_texts(system: RetrievalSystem, pairs: RelevantPairs, places: Integers) -> Integers:
    """The image of each text; of a text that has none, the first that is right for it in the order of `places`."""
    of_texts = system.text_images.copy()
    images, texts = np.divmod(pairs.keys, max(1, pairs.n_texts))
    # The last that is written stays: that of the smallest place.
    from_last = np.argsort(-places[images], kind="stable")
    from_last = from_last[of_texts[texts[from_last]] < 0]
    of_texts[texts[from_last]] = images[from_last]
    return of_texts


def _statistics(directions: dict[str, Direction], places: Integers) -> Statistics:
    """For each image and figure what its queries score together, and how many queries there are."""
    sums, counts = [], []
    for direction in directions.values():
        hits = [np.where(direction.ranks > 0, direction.ranks <= k, np.nan) for k in CUTOFFS]
        for values in (*hits, direction.precisions):
            asked = ~np.isnan(values) & (direction.images >= 0)
            images = places[direction.images[asked]]
            sums.append(np.bincount(images, weights=values[asked], minlength=len(places)))
            counts.append(np.bincount(images, minlength=len(places)))
    rows = np.stack([*sums, *counts], axis=1).astype(np.float64)
    ranges = [SHARE] * len(sums) + [(0.0, float(len(DIRECTIONS) * len(CUTOFFS)))]
    return Statistics(rows, _figures, _figures(rows), ranges=ranges)


def _figures(sums: Floats) -> Floats:
    """From sums over images to the figures of `COLUMNS`."""
    n = sums.shape[-1] // 2
    with np.errstate(invalid="ignore"):
        shares = sums[..., :n] / sums[..., n:]
    recalls = [i for i, name in enumerate(COLUMNS[:-1]) if not name.endswith(MAP)]
    return np.concatenate([shares, shares[..., recalls].sum(axis=-1, keepdims=True)], axis=-1)


def _median(direction: Direction) -> float:
    ranks = direction.ranks[direction.ranks > 0]
    return float(np.median(ranks)) if len(ranks) else nan


def _intervals(
    statistics: Statistics, directions: dict[str, Direction], samples: int, n_images: int
) -> dict[str, Bounds]:
    names = (*COLUMNS, *(f"{direction} {MEDIAN}" for direction in directions))
    if not samples or n_images < FEWEST:
        return dict.fromkeys(names, Bounds(nan, nan))
    # Images that ask nothing would only thin out the samples.
    asking = statistics.select(np.flatnonzero(statistics.rows[:, len(COLUMNS) - 1 :].any(axis=1)))
    (of_columns,) = bounds([asking], samples=samples, seed=SEED, confidence=CONFIDENCE)
    medians = [median_bounds(direction, samples) for direction in directions.values()]
    return dict(zip(names, [*of_columns, *medians], strict=True))


def median_bounds(direction: Direction, samples: int) -> Bounds:
    """The interval of a median rank: quantiles of the medians of random samples of the images, with all their queries.

    A median is no sum over images, so that the images' contributions would tell nothing of it.
    """
    asked = np.flatnonzero(direction.ranks > 0)
    by_rank = asked[np.argsort(direction.ranks[asked], kind="stable")]
    images, of_queries = np.unique(direction.images[by_rank], return_inverse=True)
    ranks = direction.ranks[by_rank].astype(np.float64)
    random = np.random.default_rng(SEED)
    medians = np.empty(samples)
    for i in range(samples):
        times = np.bincount(random.integers(len(images), size=len(images)), minlength=len(images))
        reached = np.cumsum(times[of_queries])
        middle = reached[-1] / 2
        low = np.searchsorted(reached, middle, side="left")
        high = np.searchsorted(reached, middle, side="right")
        medians[i] = (ranks[low] + ranks[min(high, len(ranks) - 1)]) / 2
    tail = (1 - CONFIDENCE) / 2
    return Bounds(*np.quantile(medians, [tail, 1 - tail]).tolist())


def _differences(systems: list[SystemRetrieval], pairs: Iterable[tuple[str, str]] | None) -> list[Comparison]:
    """Every two systems, or those that are named, compared by the figures of `COMPARED`."""
    by_name = {system.name: system for system in systems}
    wanted = combinations(systems, 2) if pairs is None else ((by_name[a], by_name[b]) for a, b in pairs)
    tested = []
    for first, second in wanted:
        by_column = tested_columns(COLUMNS, first.statistics, second.statistics)
        tested += [Tested(name, first.name, second.name, by_column[name]) for name in COMPARED]
    return adjusted(tested)


def _signature(system: RetrievalSystem, relevance: Relevance | None) -> str:
    """Every choice that could change a figure: two numbers with one signature compare."""
    texts: list[list[str]] = [[] for _ in system.image_ids]
    distractors: list[str] = []
    for text, row in zip(system.text_ids, system.text_images.tolist(), strict=True):
        (texts[row] if row >= 0 else distractors).append(text)
    numbers = image_numbers([*system.image_ids, ""], [*texts, distractors])
    n_texts = system.n_texts[system.n_texts > 0]
    choices = {
        "metric": "retrieval",
        "version": VERSION,
        "k": ",".join(map(str, CUTOFFS)),
        "ties": f"pessimistic within {TOLERANCE:g}",
        "images": len(system.image_ids),
        "texts": len(system.text_ids),
        "texts_each": f"{n_texts.min()}-{n_texts.max()}",
        "relevance": "own" if relevance is None else f"{relevance.name} {relevance.fingerprint()}",
        "data": data_fingerprint(numbers),
        "limner": __version__,
        "system": f"[{system.signature}]",
    }
    return "|".join(f"{name}:{value}" for name, value in choices.items())
