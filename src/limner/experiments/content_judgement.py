"""Whether content selection tells more of people's judgements than metrics of words do.

Judged captions of Flickr8k are linked to the boxes that Flickr30k Entities has
of the same images, and what they refer to is scored against what people's
captions refer to. That score is then correlated with the judgements: alone,
together with a metric, and with the metric held fixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from limner import __version__
from limner.arrays import Floats, Integers
from limner.corpus import open_corpus
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.corpus.linking import link
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.experiments.experiment_files import Estimate, ExperimentReport
from limner.lazy import lazy
from limner.progress import Progress, silent, track
from limner.score.content import gold_sets, mentioned, score_selection
from limner.score.data_fingerprint import data_fingerprint, gold_numbers
from limner.score.judgement.correlation import bounds, correlation, sampled
from limner.score.judgement.judged_captions import JudgedSet, flickr8k
from limner.score.metric import Settings, measured
from limner.score.metrics import USUAL, make_metrics
from limner.score.selection_scores import class_by_box, classes_of, signed
from limner.text.ptb import PTB, tokenise

if TYPE_CHECKING:
    from limner.report import estimate_plots
else:
    estimate_plots = lazy("limner.report.estimate_plots")

SAMPLES = 1_000
FOLDS = 10
# Columns that others of the same metric say more about.
UNSHOWN = ("bleu2", "bleu3")
BOX, CLASS = "content_f", "content_f, classes"
ALL = "all of these"
COLUMNS = ("metric", "tau_c", "with_content", "gain", "content_beside_it")


class Rated(NamedTuple):
    """Ratings as rows: the judged pair of each, its value, and the number of its image."""

    pair: Integers
    value: Floats
    image: Integers


class Beside(NamedTuple):
    """A metric's τ-c, that of metric and content together, the gain, and content's partial τ-b beside the metric."""

    metric: str
    alone: Estimate
    together: Estimate | None = None
    gain: Estimate | None = None
    partial: Estimate | None = None


def content_judgement_experiment(
    judgements: Path,
    corpus_source: str,
    *,
    metrics: str | Sequence[str] = USUAL,
    samples: int = SAMPLES,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress = silent,
) -> ExperimentReport:
    """Correlate content selection and metrics with Flickr8k's expert judgements of the images that a corpus shares.

    The corpus has boxes and gold mentions. An image is shared if its id, up to
    the first underscore, is that of Flickr8k's.
    """
    made = make_metrics(metrics, Settings(progress=progress))
    reading = Reading(lenient=lenient)
    expert = flickr8k(judgements, reading)[0]
    corpus = open_corpus(corpus_source, lenient=lenient)
    images = _shared_images(expert, track(corpus, "images", progress))
    if not images:
        raise BadInput(corpus.name, "it has none of the judged images with gold mentions", "give Flickr30k Entities")
    n_pairs, n_images = len(expert.judgements.pairs), len(expert.judgements.images)
    judged = _of_images(expert, images)
    run = judged.run(tokenise, PTB)
    scores = _content(judged, images)
    n_linked = int((scores[CLASS] > 0).sum())
    for metric in made:
        progress(f"measuring {metric.name}", 0, None)
        per_image = measured(metric, run).per_image
        scores |= {c: per_image[:, i] for i, c in enumerate(metric.columns) if c not in UNSHOWN}
    rated = _rated(judged)
    rows = _rows({name: of_pairs[rated.pair] for name, of_pairs in scores.items()}, rated, samples, seed, progress)
    counted = {
        "pairs": len(judged.judgements.pairs),
        "of": n_pairs,
        "images": len(judged.judgements.images),
        "of_images": n_images,
        "linked": n_linked,
        "ratings": len(rated.value),
    }
    facts = {
        **counted,
        "folds": FOLDS,
        "seed": seed,
        "tok": PTB,
        "data": data_fingerprint(gold_numbers(list(images.values()))),
        "judged": run.fingerprint(),
        "limner": __version__,
    }
    return _report(rows, counted, facts, [corpus.reading, reading])


def _shared_images(expert: JudgedSet, corpus: Iterable[Image]) -> dict[str, Image]:
    """The judged images that the corpus has with gold mentions, by the ids of the judgements."""
    judged = {id.partition("_")[0].partition(".")[0]: id for id in expert.judgements.images}
    shared = ((judged.get(image.id.partition("_")[0].partition(".")[0]), image) for image in corpus)
    return {id: image for id, image in shared if id is not None and gold_sets(image)}


def _of_images(judged: JudgedSet, images: Mapping[str, Image]) -> JudgedSet:
    """The judged pairs of some images."""
    wanted = np.array([image in images for image, _ in judged.judgements.pairs], dtype=np.bool_)
    places = np.flatnonzero(wanted).tolist()
    return replace(
        judged,
        judgements=judged.judgements.select(wanted),
        captions=[judged.captions[at] for at in places],
        references=[judged.references[at] for at in places],
    )


def _content(judged: JudgedSet, images: Mapping[str, Image]) -> dict[str, Floats]:
    """F of every judged caption, linked to its image's boxes by its nouns: by boxes, and by classes."""
    by_box, by_class = [], []
    for (id, _), text in zip(judged.judgements.pairs, judged.captions, strict=True):
        image = images[id]
        linked = link(Image(image.id, image.width, image.height, image.boxes, (Caption("0", text),)))
        said, gold, classes = mentioned(linked.captions[0]), gold_sets(image), class_by_box(image)
        by_box.append(score_selection(said, gold).F)
        by_class.append(score_selection(classes_of(said, classes), [classes_of(boxes, classes) for boxes in gold]).F)
    return {BOX: np.array(by_box), CLASS: np.array(by_class)}


def _rated(judged: JudgedSet) -> Rated:
    people = judged.judgements
    pair = np.repeat(people.pair, people.count)
    return Rated(pair, np.repeat(people.value, people.count), people.image_of_pair()[pair])


def _rows(scores: Mapping[str, Floats], rated: Rated, samples: int, seed: int, progress: Progress) -> list[Beside]:
    """Content by itself, then every metric beside it, and all metrics together; scores are by rating."""
    metrics = {name: [column] for name, column in scores.items() if name not in (BOX, CLASS)}
    if len(metrics) > 1:
        metrics[ALL] = [column for columns in metrics.values() for column in columns]
    return [
        *(Beside(name, _estimate(*_tau(scores[name], rated, samples, seed))) for name in (BOX, CLASS)),
        *(
            _beside(name, columns, scores[CLASS], rated, samples, seed)
            for name, columns in track(metrics.items(), "correlations", progress, len(metrics))
        ),
    ]


def _beside(name: str, columns: Sequence[Floats], content: Floats, rated: Rated, samples: int, seed: int) -> Beside:
    metric = columns[0] if len(columns) == 1 else together(columns, rated, seed)
    alone, spread = _tau(metric, rated, samples, seed)
    both, spread_of_both = _tau(together([*columns, content], rated, seed), rated, samples, seed)
    # Equal seeds draw the same images, so that samples can be subtracted.
    gain = _estimate(both - alone, spread_of_both - spread)
    partial = partial_tau(content, rated.value, metric, rated.image, samples, seed)
    return Beside(name, _estimate(alone, spread), _estimate(both, spread_of_both), gain, partial)


def _tau(scores: Floats, rated: Rated, samples: int, seed: int) -> tuple[float, Floats]:
    """τ-c with the ratings, and in every sample of the images."""
    value = correlation(scores, rated.value, "tau_c")
    return value, sampled(scores, rated.value, "tau_c", clusters=rated.image, samples=samples, seed=seed)


def together(columns: Sequence[Floats], rated: Rated, seed: int) -> Floats:
    """Several columns of scores as one: a weighted sum of their ranks.

    The weights are those of a regression of the ratings on all the ranks,
    fitted on the images of all other folds.
    """
    ranks = np.stack([_ranks(column) for column in columns], axis=1)
    fold = np.random.default_rng(seed).permutation(int(rated.image.max()) + 1)[rated.image] % FOLDS
    scores = np.zeros(len(ranks))
    for number in range(FOLDS):
        is_held_out = fold == number
        design = np.column_stack([ranks[~is_held_out], np.ones(int((~is_held_out).sum()))])
        weights = np.linalg.lstsq(design, rated.value[~is_held_out], rcond=None)[0]
        # The regression's own values, with its constant: they compare between folds.
        scores[is_held_out] = ranks[is_held_out] @ weights[:-1] + weights[-1]
    return scores


def _ranks(column: Floats) -> Floats:
    """The share of the values below each, equal ones counted half: from 0 to 1."""
    _, inverse, sizes = np.unique(column, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(sizes) - sizes / 2.0)[inverse] / len(column), dtype=np.float64)


def partial_tau(x: Floats, y: Floats, z: Floats, image: Integers, samples: int, seed: int) -> Estimate:
    """Kendall's partial τ-b of x and y with z held fixed, with an interval by images."""
    pairs = ((x, y), (x, z), (y, z))
    value = _partial(*(np.array(correlation(first, second, "tau_b")) for first, second in pairs))
    spread = _partial(*(sampled(a, b, "tau_b", clusters=image, samples=samples, seed=seed) for a, b in pairs))
    return _estimate(float(value), spread)


def _partial(xy: Floats, xz: Floats, yz: Floats) -> Floats:
    return np.asarray((xy - xz * yz) / np.sqrt((1.0 - xz**2) * (1.0 - yz**2)), dtype=np.float64)


def _estimate(value: float, spread: Floats) -> Estimate:
    return Estimate(value, *bounds(spread))


def _report(
    rows: Sequence[Beside], counted: Mapping[str, int], facts: Mapping[str, object], readings: Sequence[Reading]
) -> ExperimentReport:
    panels = {
        "τ-c with the experts' ratings": {
            "alone": {row.metric: row.alone for row in rows},
            "with content": {row.metric: row.together for row in rows if row.together},
        }
    }
    return ExperimentReport(
        "content-judgement",
        "Content selection beside metrics of words, against people's judgements",
        "Experts rated captions from 1 to 4. Does it help to know which boxes a caption refers to, beside how like the "
        "references its words are?",
        COLUMNS,
        rows,
        list(_findings(rows)),
        [
            f"{counted['pairs']:,} of {counted['of']:,} judged pairs, of {counted['images']:,} of "
            f"{counted['of_images']:,} images, {counted['ratings']:,} ratings; captions of the image itself are left "
            f"out; {counted['linked']:,} captions refer to a box that somebody mentions, the others have F 0",
            "judged captions are linked to boxes by their nouns, so that a noun without a box costs no precision",
            f"with_content: ranks of both, weighed by a regression on the images of the other folds ({FOLDS} folds); "
            "all of these metrics are put together in the same way",
            "content_beside_it: partial τ-b of content and rating with the metric held fixed; content is at the level "
            "of classes there and in with_content",
            "intervals are of 95 %, by resampling images",
        ],
        {row.metric: signed(metric=row.metric, correlation="tau_c", **facts) for row in rows},
        lambda: estimate_plots.dots_figure(panels, "τ-c"),
        readings=readings,
    )


def _findings(rows: Sequence[Beside]) -> Iterator[str]:
    for row in rows:
        if row.gain is None or row.partial is None:
            yield f"{row.metric}: τ-c {100 * row.alone.value:.1f}"
        else:
            low, high = row.gain.low, row.gain.high
            within = "" if low is None or high is None else f" ({100 * low:+.1f} to {100 * high:+.1f})"
            yield f"{row.metric}: τ-c {100 * row.alone.value:.1f}, content adds {100 * row.gain.value:+.1f}{within}"
