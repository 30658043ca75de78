"""How many references it takes until two systems differ: tests against random references, few to many.

For each number of references, so many are drawn of every image, again and
again, and both systems are scored against them and compared. The second
system may be people: one reference of each image, which is then none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan, nan, sqrt
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

from limner import __version__
from limner.corpus import open_corpus
from limner.corpus.caption import Caption
from limner.corpus.random_streams import random_stream
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.experiments.experiment_files import Estimate, ExperimentReport
from limner.lazy import lazy
from limner.progress import Progress, silent, track
from limner.score.given_captions import distinct_names, read_captions, read_references
from limner.score.metric import Metric
from limner.score.metrics import make_metrics
from limner.score.pairing import pair
from limner.score.reference_round import Round, Turn
from limner.score.resampling import SWAPS, Difference, differences
from limner.score.run import Run
from limner.score.selection_scores import signed
from limner.text.ptb import PTB, tokenise

if TYPE_CHECKING:
    from limner.report import estimate_plots
else:
    estimate_plots = lazy("limner.report.estimate_plots")

METRICS = ("bleu", "rouge_l", "cider")
# Of BLEU the longest n-grams are what papers compare.
UNSHOWN = ("bleu1", "bleu2", "bleu3")
DRAWS = 40
LEVEL = 0.05
# From which share of the draws on two systems are said to be told apart: the usual power of a test.
POWER = 0.8
PEOPLE = "people"
COLUMNS = ("metric", "references", "draws", "difference", "median_p", "separated")


class Drawn(NamedTuple):
    """The tests of one value against so many references, one for each draw."""

    column: str
    n_references: int
    tests: Sequence[Difference]

    @property
    def difference(self) -> Estimate:
        """The mean difference, and between which 95 % of the draws lie."""
        ordered = sorted(test.difference for test in self.tests)
        margin = int(0.025 * len(ordered))
        bounds = (ordered[margin], ordered[-1 - margin]) if len(ordered) > 1 else None
        return Estimate.within(fmean(ordered), bounds)

    @property
    def separated(self) -> Estimate:
        """The share of the draws that tell the systems apart, with Wilson's interval; NaN if nothing was tested."""
        n = len(self.tests)
        # Of few images, values that are no means are not tested.
        if any(isnan(test.p) for test in self.tests):
            return Estimate(nan)
        n_separated = sum(test.p <= LEVEL for test in self.tests)
        return Estimate.within(n_separated / n, wilson(n_separated, n) if n > 1 else None)


def reference_experiment(
    first: str,
    second: str | None,
    references: Sequence[str],
    *,
    metrics: str | Sequence[str] = METRICS,
    most: int | None = None,
    n_images: int | None = None,
    draws: int = DRAWS,
    swaps: int = SWAPS,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress = silent,
) -> ExperimentReport:
    """Compare two systems, or one with people, against 1 to `most` references drawn at random.

    `most` is by default the least that an image has, without the one that
    stands for people; images with fewer are left out. With `n_images`, each
    draw is of so many random images too, as a small test set would be.
    """
    made = _text_metrics(metrics)
    runs, names, readings = _read_runs(first, second, references, lenient, progress)
    n_held_out = len(names) - len(runs)
    sizes = [len(texts) - n_held_out for texts in runs[0].references]
    most = min(sizes) if most is None else most
    if most < 1:
        problem = "an image has no reference besides the one that stands for people"
        raise BadInput("references", problem, "leave out images with a single reference")
    places = [i for i, size in enumerate(sizes) if size >= most]
    if not places:
        raise BadInput("references", f"no image has {most} references", "ask for fewer references")
    drawing = _Drawing(runs, places, n_images, n_held_out, seed)
    drawn: dict[tuple[str, int], list[Difference]] = {}
    columns = [column for metric in made for column in metric.columns if column not in UNSHOWN]
    for n in track(range(1, most + 1), "numbers of references", progress, most):
        # All references of all images can be drawn in one way.
        n_draws = draws if n < max(sizes[i] for i in places) or drawing.is_sampled or n_held_out else 1
        for draw in range(n_draws):
            tests = _compared(made, drawing.rounds(n, draw), swaps, seed)
            for column in columns:
                drawn.setdefault((column, n), []).append(tests[column])
    results = [Drawn(column, n, drawn[column, n]) for column in columns for n in range(1, most + 1)]
    facts = {
        "systems": " - ".join(names),
        "refs": f"1-{most}",
        "images": drawing.n_images,
        "of": len(places),
        "draws": draws,
        "swaps": swaps,
        "seed": seed,
        "tok": runs[0].tokeniser_name,
        "data": runs[0].fingerprint(),
        "limner": __version__,
    }
    return _report(results, names, facts, len(runs[0]) - len(places), readings)


def _text_metrics(metrics: str | Sequence[str]) -> list[Metric]:
    made = make_metrics(metrics)
    for metric in made:
        if metric.needs_mentions:
            raise LimnerError(f"{metric.name} compares mentions; choose metrics that compare captions' words")
    return made


def _read_runs(
    first: str, second: str | None, references: Sequence[str], lenient: bool, progress: Progress
) -> tuple[list[Run], list[str], list[Reading]]:
    """The runs of the systems on the same images, the names of both, and what was noticed in reading."""
    gold = open_corpus(list(references), lenient=lenient)
    known = read_references(track(gold, "images", progress), place=gold.name)
    corpora = [open_corpus(source, lenient=lenient) for source in (first, *([second] if second else []))]
    systems = [read_captions(corpus, place=corpus.name) for corpus in corpora]
    names = distinct_names([system.name for system in systems], [system.place for system in systems])
    runs = [run for run, _ in pair(systems, known, tokeniser=tokenise, tokeniser_name=PTB)]
    return runs, [*names, *([] if second else [PEOPLE])], [gold.reading, *(corpus.reading for corpus in corpora)]


class _Drawing:
    """Draws of references, and of images if asked for, by the seed, the image and the number of the draw.

    The references of a draw are the beginning of one order: fewer are among
    more, so that numbers of references differ in nothing else.
    """

    def __init__(
        self, runs: Sequence[Run], places: Sequence[int], n_images: int | None, n_held_out: int, seed: int
    ) -> None:
        self._runs, self._places, self._seed, self._n_held_out = runs, places, seed, n_held_out
        self.is_sampled = n_images is not None and n_images < len(places)
        self.n_images = n_images if n_images is not None and self.is_sampled else len(places)
        self._people = [[Caption(str(j), text) for j, text in enumerate(texts)] for texts in runs[0].references]

    def rounds(self, n: int, draw: int) -> tuple[Round, Round]:
        """Both systems against n references of each image."""
        places = self._places
        if self.is_sampled:
            chance = random_stream("sample", self._seed, f"draw {draw}")
            places = sorted(chance.sample(places, self.n_images))
        turns: list[Turn] = []
        for at in places:
            order = list(range(len(self._people[at])))
            random_stream("references", self._seed, f"{draw} {self._runs[0].ids[at]}").shuffle(order)
            # The first of the order stands for people; what is drawn follows it.
            turns.append((at, (*order[: self._n_held_out], *order[self._n_held_out + n :])))
        runs = self._runs if len(self._runs) == 2 else [*self._runs, self._runs[0]]
        of_people = (False, bool(self._n_held_out))
        first, second = (
            Round(run, self._people, turns, is_person) for run, is_person in zip(runs, of_people, strict=True)
        )
        return first, second


def _compared(
    metrics: Sequence[Metric], rounds: tuple[Round, Round], swaps: int, seed: int
) -> Mapping[str, Difference]:
    """By column, how the first system differs from the second."""
    first, second = ([metric.measure_round(of_system) for metric in metrics] for of_system in rounds)
    tested = differences(first, second, swaps=swaps, seed=seed)
    return {
        column: difference
        for metric, of_metric in zip(metrics, tested, strict=True)
        for column, difference in zip(metric.columns, of_metric, strict=True)
    }


def wilson(n_hits: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, which is right for shares near 0 and 1 too."""
    z = 1.959964
    centre, spread = n_hits + z * z / 2, z * sqrt(n_hits * (n - n_hits) / n + z * z / 4)
    return max(0.0, (centre - spread) / (n + z * z)), min(1.0, (centre + spread) / (n + z * z))


def _report(
    results: Sequence[Drawn],
    names: Sequence[str],
    facts: Mapping[str, object],
    n_left_out: int,
    readings: Sequence[Reading],
) -> ExperimentReport:
    first, second = names
    rows = [
        (
            result.column,
            result.n_references,
            len(result.tests),
            result.difference,
            median(test.p for test in result.tests),
            result.separated,
        )
        for result in results
    ]
    columns = list(dict.fromkeys(result.column for result in results))

    shares = {column: {r.n_references: r.separated for r in results if r.column == column} for column in columns}
    changes = {column: {r.n_references: r.difference for r in results if r.column == column} for column in columns}
    panels = {"draws with p ≤ .05, share": shares, f"{first} − {second}": changes}
    return ExperimentReport(
        "references",
        "References until two systems differ",
        f"Against how many references do {first} and {second} differ? So many are drawn of each image, again and "
        "again, and the two are tested.",
        COLUMNS,
        rows,
        list(_findings(results, columns)),
        [
            f"{facts['images']:,} of {facts['of']:,} images in each draw; left out: {n_left_out:,} with fewer "
            "references",
            "a difference is the mean of the draws, its interval holds 95 % of the draws; separated is the share of "
            "the draws with p ≤ .05, its interval is Wilson's, of drawing alone",
            "p is two-sided, of a paired randomisation test, and not adjusted for the several metrics",
        ],
        {column: signed(metric=column, **facts) for column in columns},
        lambda: estimate_plots.lines_figure(panels, "references", ""),
        readings=readings,
    )


def _findings(results: Sequence[Drawn], columns: Sequence[str]) -> Iterator[str]:
    for column in columns:
        of_column = [result for result in results if result.column == column]
        # From there on, not just there: shares are of few draws.
        enough = [
            result.n_references
            for at, result in enumerate(of_column)
            if all(later.separated.value >= POWER for later in of_column[at:])
        ]
        last = of_column[-1]
        if isnan(last.separated.value):
            yield f"{column}: not tested, there are too few images"
        elif enough:
            yield f"{column}: {POWER:.0%} of the draws or more have p ≤ .05 from {_references(enough[0])} on"
        else:
            yield (
                f"{column}: at {_references(last.n_references)}, {last.separated.value:.0%} of the draws have p ≤ .05, "
                f"fewer than {POWER:.0%}"
            )


def _references(n: int) -> str:
    return f"{n} reference{'' if n == 1 else 's'}"
