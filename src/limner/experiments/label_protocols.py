"""What labels are worth that the writers of the references gave: descriptions under an old and an honest protocol.

In Flickr30k Entities boxes are labelled with nouns of the five captions that
descriptions are then scored against. Here the same systems are trained and
scored three times: as published; with the same labels, but scored against
some of the captions only; and with labels from the other captions, scored
against the same ones as before. The last two differ only in what the systems
are told: boxes and labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from limner.corpus import open_corpus
from limner.corpus.held_out_labels import HeldOutLabels, hold_out
from limner.corpus.image import Image
from limner.corpus.provenance import ProvenanceTally
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap, SeenImages
from limner.describe.describing import describe
from limner.describe.learned import train_selector
from limner.describe.realise.phrasebook_learning import learn_phrasebook
from limner.describe.realise.realisers import FluentRealiser
from limner.progress import Progress, silent, track
from limner.score.caption_evaluation import Evaluation, evaluate
from limner.score.leave_one_out import human_bound
from limner.score.resampling import SAMPLES

METRICS = ("bleu", "rouge_l", "cider", "content")
# Of each metric, the column that is shown.
COLUMNS = {"content_f": "content selection, F", "bleu4": "BLEU-4", "rouge_l": "ROUGE-L", "cider": "CIDEr-D"}


class Protocol(NamedTuple):
    """Which captions give labels, and which are gold."""

    name: str
    labels: str
    gold: str


class Score(NamedTuple):
    """A value with the interval of its 95 %, None where there is none, and what people reach by leaving one out."""

    value: float
    low: float | None
    high: float | None
    human: float


@dataclass(frozen=True)
class LabelExperiment:
    """The scores of each protocol by column.

    Labels came from `n_labelling` captions where they were held out;
    `hidden_share` of gold's mentions refer to boxes that these do not mention.
    """

    scores: Mapping[Protocol, Mapping[str, Score]]
    n_images: int
    n_labelling: int
    seed: int
    hidden_share: float
    warnings: Sequence[str]
    readings: Sequence[Reading]


def label_experiment(
    train: str,
    test: str,
    *,
    labels_from: int = 2,
    allow_overlap: bool = False,
    samples: int = SAMPLES,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress = silent,
) -> LabelExperiment:
    """Describe the test images under each protocol, with a selector and a phrasebook that were trained under it.

    Test images that were trained on are an error unless `allow_overlap` is set.
    """
    corpora = [open_corpus(source, lenient=lenient) for source in (train, test)]
    seen_images = SeenImages()
    known = list(seen_images.watch(track(corpora[0], "training images", progress)))
    overlap = Overlap.of(seen_images)
    held_out = HeldOutLabels(track(corpora[1], "test images", progress), labels_from, seed, place=corpora[1].name)
    honest = list(held_out)
    for image in honest:
        overlap.add(image)
    if not allow_overlap:
        overlap.refuse_seen(corpora[1].name)
    provenance = ProvenanceTally()
    old = {image.id: image for image in provenance.watch(corpora[1])}
    labels = "all captions" if provenance.has_leaking_labels else "the corpus"
    honest_training = [labelled for image in known if (labelled := hold_out(image, labels_from, seed)) is not None]
    protocols = {
        Protocol("as published", labels, "all captions"): (known, [old[image.id] for image in honest]),
        Protocol("fewer references", labels, "the other captions"): (
            _with_labels_of(honest_training, {image.id: image for image in known}),
            _with_labels_of(honest, old),
        ),
        Protocol("held out", f"{labels_from} captions", "the other captions"): (honest_training, honest),
    }
    scores = {}
    for protocol, (training, testing) in track(protocols.items(), "protocols", progress, len(protocols)):
        scores[protocol] = _scores(training, testing, samples, seed)
    return LabelExperiment(
        scores,
        len(honest),
        labels_from,
        seed,
        held_out.hidden_share,
        list(overlap.warnings()),
        [corpus.reading for corpus in corpora],
    )


def _with_labels_of(held_out: Iterable[Image], images: Mapping[str, Image]) -> list[Image]:
    """The images with the gold captions of some and the boxes and labels of others."""
    return [replace(image, boxes=images[image.id].boxes) for image in held_out]


def _scores(training: Sequence[Image], testing: Sequence[Image], samples: int, seed: int) -> dict[str, Score]:
    selector, book = train_selector(training, seed=seed), learn_phrasebook(training)
    realiser = FluentRealiser(book, seed=seed)
    results = list(describe(testing, selector, realiser))
    people = [human_bound(metric) for metric in METRICS]
    evaluation = evaluate(results, testing, metrics=[*METRICS, *people], samples=samples)
    return {column: _score(evaluation, column) for column in COLUMNS}


def _score(evaluation: Evaluation, column: str) -> Score:
    value, human = evaluation.scores[column], evaluation.scores[f"human_{column}"]
    if not evaluation.samples:
        return Score(value, None, None, human)
    interval = evaluation.intervals[column]
    return Score(value, interval.low, interval.high, human)
