"""What the retrieval experiment says: the rows of the paper's table, what was chosen and tested, and the figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from limner.corpus.reading import Reading
from limner.experiments.experiment_files import Cell, Estimate, ExperimentReport, Table
from limner.ground.dual_encoders import Mixture
from limner.ground.held_out_images import FEWEST_HELD_OUT
from limner.ground.mixture_tuning import Tuned
from limner.ground.phrase_distances import By
from limner.ground.retriever_training import TrainedRetriever
from limner.lazy import lazy
from limner.score.paired import Comparison
from limner.score.retrieval.retrieval_evaluation import (
    DIRECTIONS,
    FIGURES,
    MAP,
    MEDIAN,
    RSUM,
    RetrievalScores,
    SystemRetrieval,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limner.report import retrieval_plots
else:
    retrieval_plots = lazy("limner.report.retrieval_plots")

# What the two directions are called in tables: image to text and text to image.
SHORT = dict(zip(DIRECTIONS, ("i2t", "t2i"), strict=True))

COLUMNS = (
    *("row", "source", "n_images", "alpha", "gamma"),
    *(f"{short}_{name}" for short in SHORT.values() for name in (*FIGURES, MEDIAN, MAP)),
    RSUM,
)

# Plummer et al. (2016), Table 7 (b) and (c): recalls in per cent, image annotation and image search.
PUBLISHED: Mapping[str, tuple[Mixture | None, tuple[float, ...]]] = {
    "Plummer et al. 2016: whole pictures, 10 crops": (None, (36.5, 62.2, 73.3, 24.7, 53.4, 66.8)),
    "Plummer et al. 2016: mixture, VGG19": (Mixture(0.7, 1.5), (37.0, 62.9, 73.9, 25.7, 54.5, 67.6)),
    "Plummer et al. 2016: mixture, full model": (Mixture(0.7, 1.5), (37.5, 62.9, 75.1, 25.8, 54.7, 67.6)),
}
PUBLISHED_IMAGES = 1_000

# The largest p, adjusted, that is called significant.
SIGNIFICANT = 0.05


class RetrievalRow(NamedTuple):
    """A way to retrieve: its name, what it ranks by, the row of whole pictures of as many crops, alpha and gamma."""

    name: str
    by: By
    whole: str
    mixture: Mixture | None = None


class RetrievalRun(NamedTuple):
    """What the experiment measured: the rows and their scores, the retrievers by name, and pages to write."""

    rows: Sequence[RetrievalRow]
    scores: RetrievalScores
    trained: Mapping[str, TrainedRetriever]
    pages: Mapping[str, str] = {}


def retrieval_report(run: RetrievalRun, warnings: Sequence[str], readings: Sequence[Reading]) -> ExperimentReport:
    """The report of a run."""
    by_name = {system.name: system for system in run.scores.systems}
    measured = [(row, by_name[row.name]) for row in run.rows]
    return ExperimentReport(
        "retrieval",
        "Pictures for sentences, and sentences for pictures",
        "Do regions and phrases help to tell which picture a sentence is of, beside the whole picture?",
        COLUMNS,
        [*(_row(row, system) for row, system in measured), *_published()],
        list(_findings(run, by_name)),
        list(_notes(run)),
        {row.name: system.signature for row, system in measured},
        lambda: _figure(run, by_name),
        warnings=warnings,
        readings=readings,
        others=[
            Table("tests", ("figure", "first", "second", "difference", "p", "p_adjusted"), list(_tests(run))),
            Table("settings", ("retriever", *_SETTINGS, "alpha", "gamma"), list(_settings(run))),
            Table("held_out", ("retriever", "alpha", "gamma", RSUM), list(_tried(run))),
        ],
        links={f"Examples: where regions and phrases helped ({name})": name for name in run.pages},
        pages=run.pages,
        prints_intervals=False,
    )


def _row(row: RetrievalRow, system: SystemRetrieval) -> tuple[Cell, ...]:
    names = [f"{direction} {name}" for direction in DIRECTIONS for name in (*FIGURES, MEDIAN, MAP)]
    figures = [Estimate.within(system.values[name], system.intervals[name]) for name in (*names, RSUM)]
    alpha = 1.0 if row.mixture is None else row.mixture.alpha
    gamma = None if row.mixture is None else row.mixture.gamma
    return row.name, "measured", system.counts["n_images"], alpha, gamma, *figures


def _published() -> Iterator[tuple[Cell, ...]]:
    """The paper's rows; what it does not tell is left empty."""
    for name, (mixture, recalls) in PUBLISHED.items():
        shares = [Estimate(value / 100) for value in recalls]
        alpha = 1.0 if mixture is None else mixture.alpha
        gamma = None if mixture is None else mixture.gamma
        figures = (*shares[:3], None, None, *shares[3:], None, None, Estimate(sum(recalls) / 100))
        yield name, "published", PUBLISHED_IMAGES, alpha, gamma, *figures


def _findings(run: RetrievalRun, by_name: Mapping[str, SystemRetrieval]) -> Iterator[str]:
    sums = {test.first: test for test in run.scores.differences if test.column == RSUM}
    for row in run.rows:
        if row.by != "mixture" or row.mixture is None:
            continue
        if row.mixture.alpha == 1:
            n_held_out = next(iter(run.trained.values())).retriever.trained_on.n_held_out
            is_telling = n_held_out >= FEWEST_HELD_OUT
            why = "regions and phrases did not help on the images held out"
            if not is_telling:
                why = "too few images were held out to tell whether regions and phrases help"
            yield f"{row.name}: alpha is 1, {why}; the row is that of {row.whole}"
            continue
        yield f"{row.name}: rsum {by_name[row.name].values[RSUM]:.3f}, {_compared(sums[row.name], row)}"


def _compared(test: Comparison, row: RetrievalRow) -> str:
    side = "above" if test.difference >= 0 else "below"
    interval = "" if test.low != test.low else f"{test.low:.3f} to {test.high:.3f}, "
    verdict = "significant" if test.p_adjusted <= SIGNIFICANT else "not significant"
    p = f"p {test.p:.4f}, {test.p_adjusted:.4f} adjusted"
    return f"{abs(test.difference):.3f} {side} {row.whole} ({interval}{p}): {verdict}"


def _notes(run: RetrievalRun) -> Iterator[str]:
    counts = run.scores.systems[0].counts
    trained_on = next(iter(run.trained.values())).retriever.trained_on
    yield (
        f"{counts['n_images']:,} test images, {counts['n_texts']:,} captions; trained on {trained_on.n_images:,} "
        f"images, of which {trained_on.n_held_out:,} were held out: ridges, alpha and gamma have the best rsum on these"
    )
    yield "i2t: sentences for an image; t2i: images for a sentence; rsum: the six recalls added up"
    yield (
        "published figures are of other pictures: 1,000 test pictures of Flickr30k, trained on 29,783; "
        "recalls over more pictures are lower, so compare within a source"
    )
    yield (
        "equation 4 has the cosine distance of CCA here, without the paper's detector, size and colour (D_full): "
        "its row of VGG19 is the one to compare with"
    )
    if any(row.by == "phrases" for row in run.rows):
        yield "regions and phrases alone have the gamma that was chosen for the mixture"
    else:
        yield "regions and phrases were not learnt: no training caption refers to a box, and there is no grounder"
    if run.pages:
        yield f"pictures where regions and phrases helped, and where they did not: {', '.join(run.pages)}"
    elif any(row.by == "mixture" for row in run.rows):
        yield "no examples: alpha is 1 everywhere"


def _tests(run: RetrievalRun) -> Iterator[tuple[Cell, ...]]:
    for test in run.scores.differences:
        difference = Estimate.within(test.difference, (test.low, test.high))
        yield test.column.replace("_", " "), test.first, test.second, difference, test.p, test.p_adjusted


_SETTINGS = ("n_held_out", "whole", "phrases", "mixture")


def _settings(run: RetrievalRun) -> Iterator[tuple[Cell, ...]]:
    """What was chosen for each retriever, and the sums of recalls on the images held out."""
    for name, made in run.trained.items():
        sums = [made.tuned.rsum.get(key) for key in _SETTINGS[1:]]
        has_regions = made.retriever.regions is not None
        alpha, gamma = made.tuned.mixture
        yield name, made.retriever.trained_on.n_held_out, *sums, alpha, gamma if has_regions else None


def _tried(run: RetrievalRun) -> Iterator[tuple[Cell, ...]]:
    for name, made in run.trained.items():
        for (alpha, gamma), rsum in made.tuned.tried.items():
            yield name, alpha, gamma, rsum


def _figure(run: RetrievalRun, by_name: Mapping[str, SystemRetrieval]) -> Figure:
    recalls = {
        direction: {
            row.name: [
                retrieval_plots.Recall(by_name[row.name].values[name], *by_name[row.name].intervals[name])
                for name in (f"{direction} {figure}" for figure in FIGURES)
            ]
            for row in run.rows
        }
        for direction in DIRECTIONS
    }
    curves = {name: _alpha_curves(made.tuned) for name, made in run.trained.items() if made.tuned.tried}
    return retrieval_plots.retrieval_figure(recalls, FIGURES, curves)


def _alpha_curves(tuned: Tuned) -> retrieval_plots.AlphaCurves:
    rsums: dict[float, dict[float, float]] = {}
    for (alpha, gamma), rsum in tuned.tried.items():
        rsums.setdefault(gamma, {})[alpha] = rsum
    return retrieval_plots.AlphaCurves(*tuned.mixture, rsums)
