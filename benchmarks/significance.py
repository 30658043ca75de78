"""Intervals and tests against simulation: how often does chance pass for a difference, how often does an interval hold?

    python benchmarks/significance.py [CORPUS ...] [--images N] [--skip N] [--simulations N] [--sizes N,…]
                                      [--metrics M,…] [--json]

CORPUS is what `--refs` of `limner score captions` takes (several files join by
image id); without it a playground is made. `--skip` passes over its first
images: a pool on which nothing was chosen before. Two captions of each image, drawn
by a seeded choice, are two systems; the image's others are the references.
These images are the pool. Document frequencies and word lists are the pool's
throughout.

A simulation draws n images with replacement:

- *False positives*: each image's captions are dealt to the two systems at
  random, so that they do not differ. p ≤ .05 should come in 5 % of the
  simulations.
- *Coverage*: the truth is the first system's value over the whole pool, and
  the two systems' difference over the pool. 95 % intervals should hold it in
  93 to 97 % of the simulations in which there is one.

"none" is a metric that has no interval; what people score is no system, and is
not tested. A figure outside its range by more than the noise of the
simulations (two standard errors) is marked with "!".
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import isnan, sqrt
from typing import Any, NamedTuple

import numpy as np
from msgspec import structs

from limner.arrays import Booleans, Integers
from limner.corpus import Image, open_corpus
from limner.errors import LimnerError
from limner.playground import playground
from limner.score.cider import Cider, PlainCider
from limner.score.document_frequencies import document_frequencies
from limner.score.grounded_words import GroundedWords
from limner.score.leave_one_out import human_bound
from limner.score.metric import Metric, Statistics, measured
from limner.score.metrics import METRICS, make_metrics
from limner.score.resampling import Bounds, Difference, bounds, differences
from limner.score.run import Run
from limner.score.wording import noun_of
from limner.text.ptb import PTB, tokenise

LEVEL = 0.05
COVERAGE = (0.93, 0.97)

# Swaps of a test and samples of an interval: fewer than by default, which widens the noise of one answer only.
SWAPS, SAMPLES = 1_000, 1_000

# Simulations that share their random samples and swaps, as any two runs of equal size do: drawing these takes longer
# than all else. The images are drawn for each.
TOGETHER = 10

# Nouns of grounded_words: all 480 would take most of the time.
N_NOUNS = 60

# What people score is measured by those that are quick enough for a round for each reference.
HUMAN = ("bleu", "rouge_l", "cider", "chair")


class Pool(NamedTuple):
    """A metric over all images: its statistics of both systems; `second` is None for what people score."""

    columns: Sequence[str]
    first: Statistics
    second: Statistics | None

    def truths(self) -> Iterator[tuple[str, float]]:
        """The first system's values over all images, by column."""
        return zip(self.columns, self.first.value().tolist(), strict=True)

    def true_differences(self) -> Iterator[tuple[str, float]]:
        """The differences between the two systems over all images, by column."""
        if self.second is not None:
            (paired,) = differences([self.first], [self.second], swaps=1)
            yield from zip(self.columns, (column.difference for column in paired), strict=True)


Systems = tuple[Statistics, Statistics]


class Counts:
    """How often something was so, by column."""

    def __init__(self) -> None:
        self.n: dict[str, int] = {}
        self.hits: dict[str, int] = {}

    def add(self, column: str, is_hit: bool) -> None:
        self.n[column] = self.n.get(column, 0) + 1
        self.hits[column] = self.hits.get(column, 0) + is_hit

    def share(self, column: str) -> float:
        """NaN where it never could be so."""
        return self.hits[column] / self.n[column] if column in self.n else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", metavar="CORPUS", nargs="*")
    parser.add_argument("--images", type=int, default=5_000)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--simulations", type=int, default=2_000)
    parser.add_argument("--sizes", default="100,500,2000")
    parser.add_argument("--metrics", default=",".join(name for name in METRICS if name != "spice"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    images = list(islice(open_corpus(given.corpus) if given.corpus else playground(given.images), given.skip, None))
    pools = list(pools_of(images, given.images, given.metrics.split(","), given.seed))
    sizes = [int(size) for size in given.sizes.split(",")]
    results = {size: simulated(pools, size, given.simulations, given.seed) for size in sizes}
    print(json.dumps(results) if given.json else rendered(results, given.simulations))


def pools_of(images: Sequence[Image], n: int, names: Sequence[str], seed: int) -> Iterator[Pool]:
    """The statistics of every metric that the images allow."""
    first, second = two_systems(images, n, seed)
    print(f"{len(first):,} images", file=sys.stderr)
    df = document_frequencies(first)
    made: dict[str, Metric] = {"cider": Cider(df), "cider-plain": PlainCider(df)}
    for name in names:
        try:
            if name == "grounded_words":
                made[name] = GroundedWords(frequent_nouns(first))
            metric = made[name] if name in made else make_metrics([name])[0]
            statistics = measured(metric, first)
        except LimnerError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        yield Pool(metric.columns, statistics, measured(metric, second))
        if name in HUMAN:
            of_people = human_bound(metric)
            yield Pool(of_people.columns, measured(of_people, first), None)


def two_systems(images: Sequence[Image], n: int, seed: int) -> tuple[Run, Run]:
    """Two captions of each of n images as two systems' against the image's others; images with three at least."""
    chance = random.Random(seed)
    golds, systems = [], ([], [])  # type: tuple[list[Image], tuple[list[Caption], list[Caption]]]
    for image in images:
        captions = [caption for caption in image.captions if caption.source == "gold"]
        if len(captions) < 3 or len(golds) == n:
            continue
        a, b, *rest = chance.sample(captions, len(captions))
        golds.append(structs.replace(image, captions=tuple(rest)))
        systems[0].append(a)
        systems[1].append(b)
    ids, references = [gold.id for gold in golds], [[caption.text for caption in gold.captions] for gold in golds]
    first, second = (
        Run(ids, [caption.text for caption in said], references, tokenise, PTB, golds, said) for said in systems
    )
    return first, second


def frequent_nouns(run: Run) -> list[str]:
    """The most frequent nouns of mentions that refer to a box."""
    phrases = (
        caption.phrase(mention)
        for gold, _ in run.grounded_pairs("grounded_words")
        for caption in gold
        for mention in caption.mentions
        if mention.boxes
    )
    nouns = Counter(noun for phrase in phrases if (noun := noun_of(phrase)))
    return [noun for noun, _ in nouns.most_common(N_NOUNS)]


class Tally:
    """What is counted in all simulations of one size, by column."""

    def __init__(self, pools: Sequence[Pool]) -> None:
        self.truths = {column: value for pool in pools for column, value in pool.truths()}
        self.true_differences = {column: value for pool in pools for column, value in pool.true_differences()}
        self.positives, self.covered, self.covered_differences = Counts(), Counts(), Counts()
        self.shown, self.contradictions = Counts(), Counts()

    def add_bounds(self, pool: Pool, intervals: Sequence[Bounds]) -> None:
        for column, (low, high) in zip(pool.columns, intervals, strict=True):
            self.shown.add(column, not isnan(low))
            if not isnan(low):
                self.covered.add(column, low <= self.truths[column] <= high)

    def add_differences(self, pool: Pool, results: Sequence[Difference], *, is_null: bool) -> None:
        """Count differences of systems that are equally good, or of the two as they are."""
        for column, result in zip(pool.columns, results, strict=True):
            has_interval = not isnan(result.low)
            if is_null and not isnan(result.p):
                self.positives.add(column, result.p <= LEVEL)
            elif not is_null and has_interval:
                self.covered_differences.add(column, result.low <= self.true_differences[column] <= result.high)
            if has_interval:
                self.contradictions.add(column, (result.p <= LEVEL) != (result.low > 0 or result.high < 0))

    def to_json(self, pools: Sequence[Pool]) -> dict[str, Any]:
        return {
            column: {
                "false_positives": self.positives.share(column),
                "coverage": self.covered.share(column),
                "coverage_of_difference": self.covered_differences.share(column),
                "with_interval": self.shown.share(column),
                "contradictions": self.contradictions.hits.get(column, 0),
            }
            for pool in pools
            for column in pool.columns
        }


def simulated(pools: Sequence[Pool], n: int, simulations: int, seed: int) -> dict[str, Any]:
    """By column the shares of false positives, of intervals that hold the truth, and of samples with an interval."""
    generator = np.random.default_rng([seed, n])
    tally, started = Tally(pools), time.monotonic()
    for start in range(0, simulations, TOGETHER):
        several = range(start, min(start + TOGETHER, simulations))
        samples = [sample for _ in several for sample in drawn(pools, n, generator)]
        intervals = bounds([sample.first for sample in samples], samples=SAMPLES, seed=start)
        for sample, of_metric in zip(samples, intervals, strict=True):
            tally.add_bounds(sample.pool, of_metric)
        compared = [(sample.pool, *pair) for sample in samples if (pair := sample.systems())]
        for is_null in (True, False):
            first, second = zip(*(dealt if is_null else as_they_are for _, as_they_are, dealt in compared), strict=True)
            results = differences(first, second, swaps=SWAPS, seed=start)
            for (pool, *_), of_metric in zip(compared, results, strict=True):
                tally.add_differences(pool, of_metric, is_null=is_null)
        if start // 100 != several.stop // 100:
            print(f"n = {n:,}: {several.stop:,}, {time.monotonic() - started:.0f} s", file=sys.stderr)
    return tally.to_json(pools)


class Sample(NamedTuple):
    """The images of one simulation, and which of them change sides."""

    pool: Pool
    first: Statistics
    places: Integers
    is_swapped: Booleans

    def systems(self) -> tuple[Systems, Systems] | None:
        """The two systems as they are, and with captions dealt at random; None for what people score."""
        if self.pool.second is None:
            return None
        first, second, side = self.first, self.pool.second.select(self.places), self.is_swapped[:, None]
        dealt = [
            replace(
                one, rows=np.where(side, other.rows, one.rows), per_image=np.where(side, other.per_image, one.per_image)
            )
            for one, other in ((first, second), (second, first))
        ]
        return (first, second), (dealt[0], dealt[1])


def drawn(pools: Sequence[Pool], n: int, generator: np.random.Generator) -> Iterator[Sample]:
    """The same n images of every metric's pool, drawn with replacement."""
    places = generator.integers(0, len(pools[0].first.rows), n)
    is_swapped = generator.random(n) < 0.5
    return (Sample(pool, pool.first.select(places), places, is_swapped) for pool in pools)


def rendered(results: dict[int, dict[str, Any]], simulations: int) -> str:
    """A line for each column: false positives, coverage of the value and of the difference, in % for each size."""
    sizes = list(results)
    lines = [
        f"{simulations:,} simulations; two standard errors: {200 * error(LEVEL, simulations):.1f} of false positives, "
        f"{200 * error(0.95, simulations):.1f} of coverage; in brackets the share of simulations with an interval",
        "",
        f"{'':22}" + "".join(f"{f'n = {size:,}':>27}" for size in sizes),
        f"{'':22}" + f"{'p≤.05':>7}{'interval':>12}{'diff.':>8}" * len(sizes),
    ]
    for column in results[sizes[0]]:
        cells = [results[size][column] for size in sizes]
        if all(isnan(cell["false_positives"]) and isnan(cell["coverage"]) for cell in cells):
            lines.append(f"{column:22}   neither test nor interval")
            continue
        lines.append(f"{column:22}" + "".join(_cell(cell, simulations) for cell in cells))
    contradictions = sum(cell["contradictions"] for of_size in results.values() for cell in of_size.values())
    return "\n".join([*lines, "", f"p-values that their interval contradicts: {contradictions}"])


def _cell(cell: dict[str, Any], simulations: int) -> str:
    share = cell["with_interval"]
    coverage = _percent(cell["coverage"], COVERAGE, simulations * share) if share else "none"
    if 0 < share < 0.995:
        coverage += f"({100 * share:.0f})"
    return (
        f"{_percent(cell['false_positives'], (0.0, LEVEL), simulations):>7}{coverage:>12}"
        f"{_percent(cell['coverage_of_difference'], COVERAGE, simulations):>8}"
    )


def _percent(share: float, allowed: tuple[float, float], n: float) -> str:
    """A share in %, marked where it is outside what is allowed by more than the noise."""
    if isnan(share):
        return "none"
    low, high = (bound + sign * 2 * error(bound, n) for bound, sign in zip(allowed, (-1, 1), strict=True))
    return f"{100 * share:.1f}{'' if low <= share <= high else '!'}"


def error(share: float, n: float) -> float:
    """The standard error of a share of n simulations."""
    return sqrt(share * (1 - share) / n)


if __name__ == "__main__":
    main()
