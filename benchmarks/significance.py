"""Intervals and tests against simulation: how often does chance pass for a difference, how often does an interval hold?

    python benchmarks/significance.py [CORPUS ...] [--images N] [--simulations N] [--sizes N,…] [--metrics M,…] [--json]

CORPUS is what `--refs` of `limner score captions` takes (several files join by
image id); without it a playground is made. Two captions of each image, drawn
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
from limner.score.resampling import bounds, differences
from limner.score.run import Run
from limner.score.wording import noun_of
from limner.text.ptb import PTB, tokenise

LEVEL = 0.05
COVERAGE = (0.93, 0.97)

# Swaps of a test and samples of an interval: fewer than by default, which widens the noise of one answer only.
SWAPS, SAMPLES = 1_000, 1_000

# Nouns of grounded_words: all 480 would take most of the time.
N_NOUNS = 60

# What people score is measured by those that are quick enough for a round for each reference.
HUMAN = ("bleu", "rouge_l", "cider", "chair")


class Pool(NamedTuple):
    """A metric over all images: its statistics of both systems; `second` is None for what people score."""

    columns: Sequence[str]
    first: Statistics
    second: Statistics | None


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
    parser.add_argument("--simulations", type=int, default=2_000)
    parser.add_argument("--sizes", default="100,500,2000")
    parser.add_argument("--metrics", default=",".join(name for name in METRICS if name != "spice"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    images = list(open_corpus(given.corpus) if given.corpus else playground(given.images))
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


def simulated(pools: Sequence[Pool], n: int, simulations: int, seed: int) -> dict[str, Any]:
    """By column the shares of false positives, of intervals that hold the truth, and of samples with an interval."""
    generator = np.random.default_rng([seed, n])
    positives, covered, covered_differences, shown, contradictions = Counts(), Counts(), Counts(), Counts(), Counts()
    tested = [pool for pool in pools if pool.second is not None]
    truths = [pool.first.value() for pool in pools]
    started = time.monotonic()
    for simulation in range(simulations):
        drawn = generator.integers(0, len(pools[0].first.rows), n)
        samples = [pool.first.select(drawn) for pool in pools]
        for pool, truth, intervals in zip(
            pools, truths, bounds(samples, samples=SAMPLES, seed=simulation), strict=True
        ):
            for column, value, (low, high) in zip(pool.columns, truth, intervals, strict=True):
                shown.add(column, not isnan(low))
                if not isnan(low):
                    covered.add(column, low <= value <= high)
        is_swapped = generator.random(n) < 0.5
        for compared, systems in (
            (positives, [dealt(pool, drawn, is_swapped) for pool in tested]),
            (covered_differences, [dealt(pool, drawn, np.zeros(n, dtype=np.bool_)) for pool in tested]),
        ):
            results = differences(*zip(*systems, strict=True), swaps=SWAPS, samples=1, seed=simulation)
            for pool, of_metric in zip(tested, results, strict=True):
                assert pool.second is not None
                for column, truth, result in zip(
                    pool.columns, pool.first.value() - pool.second.value(), of_metric, strict=True
                ):
                    if compared is positives and not isnan(result.p):
                        positives.add(column, result.p <= LEVEL)
                    elif compared is covered_differences and not isnan(result.low):
                        covered_differences.add(column, result.low <= truth <= result.high)
                    if not isnan(result.low):
                        contradictions.add(column, (result.p <= LEVEL) != (result.low > 0 or result.high < 0))
        if simulation % 100 == 99:
            print(f"n = {n:,}: {simulation + 1:,}, {time.monotonic() - started:.0f} s", file=sys.stderr)
    return {
        column: {
            "false_positives": positives.share(column),
            "coverage": covered.share(column),
            "coverage_of_difference": covered_differences.share(column),
            "with_interval": shown.share(column),
            "contradictions": contradictions.hits.get(column, 0),
        }
        for pool in pools
        for column in pool.columns
    }


def dealt(pool: Pool, drawn: Integers, is_swapped: Booleans) -> tuple[Statistics, Statistics]:
    """The two systems' statistics of the images that were drawn, some of which have changed sides."""
    assert pool.second is not None
    first, second = pool.first.select(drawn), pool.second.select(drawn)
    side = is_swapped[:, None]
    return (
        replace(
            first,
            rows=np.where(side, second.rows, first.rows),
            per_image=np.where(side, second.per_image, first.per_image),
        ),
        replace(
            second,
            rows=np.where(side, first.rows, second.rows),
            per_image=np.where(side, first.per_image, second.per_image),
        ),
    )


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
