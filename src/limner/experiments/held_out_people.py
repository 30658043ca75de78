"""What people score as captioners, by how many of them are held out.

The more people are held out, the fewer references are left. So every number of
people is scored twice: against all the rest, as test sets do, and against the
same number of references, so that nothing but the people differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from limner.corpus import open_corpus
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.experiments.experiment_files import Estimate, ExperimentReport
from limner.lazy import lazy
from limner.progress import Progress, silent, track
from limner.score.caption_evaluation import Evaluation, evaluate_run
from limner.score.given_captions import NO_CAPTION
from limner.score.leave_one_out import LeaveOneOut
from limner.score.metric import Metric
from limner.score.metrics import make_metrics
from limner.score.resampling import SAMPLES
from limner.score.run import Run, refers_to_boxes
from limner.text.ptb import PTB, tokenise

if TYPE_CHECKING:
    from limner.report import estimate_plots
else:
    estimate_plots = lazy("limner.report.estimate_plots")

TEXT_METRICS = ("bleu", "rouge_l", "cider")
MOST = 3
COLUMNS = ("metric", "held_out", "references", "score", "equal_references", "score_against_equal")
# Columns that others of the same metric say more about.
UNSHOWN = ("bleu1", "bleu2", "bleu3", "content_p", "content_r")


class Ceiling(NamedTuple):
    """What people reach with so many of them held out: against the rest, and against equally many for all."""

    column: str
    held_out: int
    references: str
    against_rest: Estimate
    n_equal: int
    against_equal: Estimate
    signatures: Mapping[str, str]


def people_experiment(
    source: str,
    *,
    metrics: str | Sequence[str] | None = None,
    most: int = MOST,
    samples: int = SAMPLES,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress = silent,
) -> ExperimentReport:
    """Score 1 to `most` held-out people of each image against its other gold captions.

    Without `metrics`, captions are compared by BLEU, ROUGE-L and CIDEr, and
    by content selection if any of them refers to a box. Images with too few
    captions are left out and counted.
    """
    corpus = open_corpus(source, lenient=lenient)
    images = [_gold_only(image) for image in track(corpus, "images", progress)]
    if metrics is None:
        is_grounded = any(caption.mentions for image in images for caption in image.captions)
        metrics = [*TEXT_METRICS, *(["content"] if is_grounded else [])]
    made = make_metrics(metrics)
    ceilings: list[Ceiling] = []
    left_out: dict[str, int] = {}
    for metric in track(made, "metrics", progress, len(made)):
        written = [_grounded_only(image) for image in images] if metric.needs_mentions else images
        enough = [image for image in written if len(image.captions) > most]
        if not enough:
            problem = f"no image has more than {most} gold captions that {metric.name} can compare"
            raise BadInput(corpus.name, problem, "hold out fewer people")
        left_out[metric.name] = len(images) - len(enough)
        ceilings += _ceilings(metric, enough, most, samples, seed)
    return _report(ceilings, left_out, len(images), most, seed, corpus.reading)


def _gold_only(image: Image) -> Image:
    return replace(image, captions=tuple(caption for caption in image.captions if caption.source == "gold"))


def _grounded_only(image: Image) -> Image:
    return replace(image, captions=tuple(caption for caption in image.captions if refers_to_boxes(caption)))


def _ceilings(metric: Metric, images: Sequence[Image], most: int, samples: int, seed: int) -> Iterator[Ceiling]:
    sizes = [len(image.captions) for image in images]
    n_equal = min(sizes) - most
    for n in range(1, most + 1):
        rest = _evaluated(metric, images, n, samples, seed)
        drawn = [_with_captions(image, n + n_equal, seed) for image in images]
        equal = _evaluated(metric, drawn, n, samples, seed)
        least, largest = min(sizes) - n, max(sizes) - n
        references = str(least) if least == largest else f"{least}–{largest}"
        for column in metric.columns:
            if column not in UNSHOWN:
                signatures = {"the rest": rest.signatures[column], "equal references": equal.signatures[column]}
                estimates = (_estimate(rest, column), n_equal, _estimate(equal, column))
                yield Ceiling(column, n, references, *estimates, signatures)


def _with_captions(image: Image, n: int, seed: int) -> Image:
    """The image with n of its captions, drawn by the seed, in their order."""
    chosen = random_stream("references", seed, image.id).sample(range(len(image.captions)), n)
    return replace(image, captions=tuple(image.captions[at] for at in sorted(chosen)))


def _evaluated(metric: Metric, images: Sequence[Image], n: int, samples: int, seed: int) -> Evaluation:
    run = Run(
        [image.id for image in images],
        [""] * len(images),
        [[caption.text for caption in image.captions] for image in images],
        tokenise,
        PTB,
        images,
        [NO_CAPTION] * len(images),
        provenance=[image.provenance for image in images],
    )
    people = LeaveOneOut(metric, of_people=True, held_out=n, seed=seed, is_namesake=True)
    return evaluate_run("people", run, [people], samples=samples)


def _estimate(evaluation: Evaluation, column: str) -> Estimate:
    return Estimate.within(evaluation.scores[column], evaluation.intervals.get(column))


def _report(
    ceilings: Sequence[Ceiling], left_out: Mapping[str, int], n_images: int, most: int, seed: int, reading: Reading
) -> ExperimentReport:
    columns = list(dict.fromkeys(ceiling.column for ceiling in ceilings))
    by_column = {column: [ceiling for ceiling in ceilings if ceiling.column == column] for column in columns}
    panels = {
        column: {
            "against the rest": {ceiling.held_out: ceiling.against_rest for ceiling in of_column},
            "against equally many": {ceiling.held_out: ceiling.against_equal for ceiling in of_column},
        }
        for column, of_column in by_column.items()
    }
    counted = ", ".join(f"{n:,} for {metric}" for metric, n in left_out.items())
    return ExperimentReport(
        "people",
        "What people score, by how many are held out",
        "The score of people is the ceiling that systems are held against. Does it depend on how many of an image's "
        "writers are held out, and on how many references are then left?",
        COLUMNS,
        [ceiling[:-1] for ceiling in ceilings],
        list(_findings(by_column)),
        [
            f"{n_images:,} images; left out, since they have too few captions to hold out {most}: {counted}",
            f"who is held out is chosen at random for each image (seed {seed}); each of them is scored by itself, and "
            "the mean is taken",
            "intervals are of 95 %, by resampling images; they do not tell of other choices of people",
        ],
        {
            f"{ceiling.column}, {ceiling.held_out} held out, {against}": signature
            for ceiling in ceilings
            for against, signature in ceiling.signatures.items()
        },
        lambda: estimate_plots.lines_figure(panels, "people held out", "score"),
        readings=[reading],
    )


def _findings(by_column: Mapping[str, Sequence[Ceiling]]) -> Iterator[str]:
    for column, ceilings in by_column.items():
        first, last = ceilings[0], ceilings[-1]
        yield (
            f"{column}: {first.against_rest.value:.3f} with {first.held_out} held out, {last.against_rest.value:.3f} "
            f"with {last.held_out}; against {first.n_equal} reference{'' if first.n_equal == 1 else 's'} each, "
            f"{first.against_equal.value:.3f} and {last.against_equal.value:.3f}"
        )
