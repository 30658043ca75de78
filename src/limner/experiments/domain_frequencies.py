"""CIDEr by domain, with document frequencies of the domain and of all images.

A word is rarer among more images, so a domain's value with frequencies of its
own depends on how many images it has. A third value tells how much that is:
frequencies of its own again, of as many images as the smallest domain has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from limner.arrays import Integers
from limner.corpus import open_corpus
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.experiments.experiment_files import Estimate, ExperimentReport
from limner.lazy import lazy
from limner.progress import Progress, silent, track
from limner.score.caption_evaluation import Evaluation, evaluate_run
from limner.score.given_captions import NO_CAPTION, read_captions, read_references
from limner.score.leave_one_out import LeaveOneOut
from limner.score.metric import Metric, measured
from limner.score.metrics import make_metrics
from limner.score.pairing import pair
from limner.score.resampling import SAMPLES, differences
from limner.score.run import Run
from limner.score.shared_frequencies import SUFFIX
from limner.score.subsets import subsets
from limner.text.ptb import PTB, tokenise

if TYPE_CHECKING:
    from limner.report import estimate_plots
else:
    estimate_plots = lazy("limner.report.estimate_plots")

COLUMN = "cider"
DRAWS = 40
PEOPLE = "people, one left out"
COLUMNS = ("subset", "images", "own", "shared", "own_minus_shared", "own_equal_size")


@dataclass(frozen=True)
class SubsetScores:
    """The scores of a subset of the images: with its own frequencies, with those of all, and of equally many images.

    `difference` is between the first two, on the same images.
    """

    name: str
    n_images: int
    own: Estimate
    shared: Estimate
    difference: Estimate
    of_equal_size: Estimate


def frequency_experiment(
    references: str,
    results: str | None = None,
    *,
    by: str = "domain",
    draws: int = DRAWS,
    samples: int = SAMPLES,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress = silent,
) -> ExperimentReport:
    """CIDEr-D of each subset of the images, with its own document frequencies and with those of all images.

    Without results, people are scored: each reference against the image's others.
    """
    gold = open_corpus(references, lenient=lenient)
    run, name, readings = _read_run(gold.name, track(gold, "images", progress), results, lenient)
    (cider,) = make_metrics([COLUMN])
    metric = cider if results else LeaveOneOut(cider, of_people=True, is_namesake=True)
    evaluation = evaluate_run(name, run, [metric], by=by, samples=samples, progress=progress)
    places_by_name = subsets(run, by)
    smallest = min(map(len, places_by_name.values()))
    rows = []
    for subset, places in track(places_by_name.items(), "subsets", progress, len(places_by_name)):
        equal = _equal_size(metric, run, places, smallest, draws, seed)
        rows.append(_scores(subset, evaluation.by[by][subset], equal))
    whole = Estimate.within(evaluation.scores[COLUMN], evaluation.intervals.get(COLUMN))
    signatures = {"all images": evaluation.signatures[COLUMN]}
    for subset, of_subset in evaluation.by[by].items():
        signatures[f"{subset}, own"] = of_subset.signatures[COLUMN]
        signatures[f"{subset}, shared"] = of_subset.signatures[f"{COLUMN}{SUFFIX}"]
    about = (name, by, len(run), smallest, draws, seed)
    return _report(rows, whole, about, signatures, [gold.reading, *readings])


def _read_run(
    place: str, images: Iterable[Image], results: str | None, lenient: bool
) -> tuple[Run, str, list[Reading]]:
    """The captions to be scored with their references; without results there are none but the references."""
    known = read_references(images, keep_images=True, place=place)
    if results:
        corpus = open_corpus(results, lenient=lenient)
        captions = read_captions(corpus, place=corpus.name)
        ((run, _),) = pair([captions], known, tokeniser=tokenise, tokeniser_name=PTB)
        return run, captions.name.removeprefix("system:"), [corpus.reading]
    several = {id: texts for id, texts in known.texts.items() if len(texts) > 1}
    if not several or known.images is None:
        raise BadInput(place, "no image has two references", "give a system's results, or more references")
    gold_images = [known.images[id] for id in several]
    captions_of_nobody = [NO_CAPTION] * len(gold_images)
    run = Run(
        list(several), [""] * len(gold_images), list(several.values()), tokenise, PTB, gold_images, captions_of_nobody
    )
    return run, PEOPLE, []


def _equal_size(metric: Metric, run: Run, places: Integers, n: int, draws: int, seed: int) -> Estimate:
    """The mean value of random n of the images, each time with their own frequencies, and the range of 95 % of them."""
    if len(places) == n:
        return Estimate(float(measured(metric, run.subset(places)).value()[0]))
    chance = np.random.default_rng(seed)
    drawn = [np.sort(chance.choice(places, n, replace=False)) for _ in range(draws)]
    values = sorted(float(measured(metric, run.subset(chosen)).value()[0]) for chosen in drawn)
    margin = int(0.025 * draws)
    return Estimate(fmean(values), values[margin], values[-1 - margin])


def _scores(name: str, subset: Evaluation, equal: Estimate) -> SubsetScores:
    shared = f"{COLUMN}{SUFFIX}"
    own, other = (subset.statistics[metric.name] for metric in subset.metrics)
    ((difference,),) = differences([own], [other])
    bounds = (difference.low, difference.high) if subset.samples else None
    return SubsetScores(
        name,
        len(subset.run),
        Estimate.within(subset.scores[COLUMN], subset.intervals.get(COLUMN)),
        Estimate.within(subset.scores[shared], subset.intervals.get(shared)),
        Estimate.within(difference.difference, bounds),
        equal,
    )


def _report(
    rows: Sequence[SubsetScores],
    whole: Estimate,
    about: tuple[str, str, int, int, int, int],
    signatures: dict[str, str],
    readings: Sequence[Reading],
) -> ExperimentReport:
    name, by, n_images, smallest, draws, seed = about
    panels = {
        f"CIDEr-D of {name}": {
            "own frequencies": {row.name: row.own for row in rows},
            "shared frequencies": {row.name: row.shared for row in rows},
            f"own, of {smallest:,} images": {row.name: row.of_equal_size for row in rows},
        }
    }
    table = [(row.name, row.n_images, row.own, row.shared, row.difference, row.of_equal_size) for row in rows]
    return ExperimentReport(
        "frequencies",
        "CIDEr by subset: own against shared document frequencies",
        f"Tables that score each {by} as a run of its own give it document frequencies of its own. How much of what "
        "then differs is the frequencies?",
        COLUMNS,
        [*table, ("all images", n_images, whole, whole, Estimate(0.0), None)],
        list(_findings(rows)),
        [
            f"scored: {name}; {n_images:,} images",
            "intervals are of 95 %, by resampling images with frequencies as they are; that of a difference is of a "
            "paired randomisation test",
            f"own_equal_size: own frequencies of {smallest:,} random images, the mean of {draws} draws (seed {seed}) "
            "and the range of 95 % of them",
        ],
        signatures,
        lambda: estimate_plots.dots_figure(panels, "CIDEr-D"),
        readings=readings,
    )


def _findings(rows: Sequence[SubsetScores]) -> Iterator[str]:
    for what, key in (("own", "own"), ("shared", "shared"), ("equally many images' own", "of_equal_size")):
        ordered = sorted(rows, key=lambda row: -getattr(row, key).value)
        values = ", ".join(f"{row.name} {getattr(row, key).value:.3f}" for row in ordered)
        spread = getattr(ordered[0], key).value - getattr(ordered[-1], key).value
        yield f"with {what} frequencies: {values}; {spread:.3f} between the highest and the lowest"
