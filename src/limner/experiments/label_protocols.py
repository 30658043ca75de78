"""What labels are worth: descriptions with the labels of the corpus, and with nouns of captions that are not gold.

In Flickr30k Entities boxes are labelled with nouns of the five captions that
descriptions are then scored against. Here the same systems are trained and
scored three times: as published; with the same labels, but scored against
some of the captions only; and with labels from the other captions, scored
against the same ones as before. The last two differ only in what the systems
are told: boxes and labels. Their difference is what the leak is worth.

Where labels are classes, as in COCO, nothing leaks. The same three then
compare classes with nouns of captions, which also show what people mention.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from math import isnan, nan
from typing import Any, NamedTuple

from msgspec.structs import replace

from limner.corpus import open_corpus
from limner.corpus.held_out_labels import HeldOutLabels
from limner.corpus.image import Image
from limner.corpus.provenance import ProvenanceTally
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap, SeenImages
from limner.describe.describing import describe
from limner.describe.learned import train_selector
from limner.describe.realise.fluent_realiser import FluentRealiser
from limner.describe.realise.phrasebook_learning import learn_phrasebook
from limner.experiments.too_few_captions import TooFewCaptions
from limner.progress import Progress, silent, track
from limner.score.caption_evaluation import Evaluation, evaluate
from limner.score.data_fingerprint import PassingImages
from limner.score.leave_one_out import human_bound
from limner.score.paired import Comparison, Tested, adjusted
from limner.score.resampling import SAMPLES, differences

METRICS = ("bleu", "rouge_l", "cider", "content")
# What is leaked by labels is the subject here, so that of all caveats only this one is left to warn of.
LINKED_MENTIONS = "mentions were linked by the names of classes, so nouns of captions are words for classes too"
# Of each metric, the column that is shown.
COLUMNS = {"content_f": "content selection, F", "bleu4": "BLEU-4", "rouge_l": "ROUGE-L", "cider": "CIDEr-D"}


class Protocol(NamedTuple):
    """Which captions give labels, and which are gold."""

    name: str
    labels: str
    gold: str


class Score(NamedTuple):
    """A value with the interval of its 95 %, and what people reach by leaving one out; None where there is none.

    The value is of `n_images` images, people's of `n_human`: a metric leaves
    out images without anything that it looks at.
    """

    value: float
    low: float | None
    high: float | None
    human: float | None
    n_images: int
    n_human: int


@dataclass(frozen=True)
class LabelExperiment:
    """The scores of each protocol by column, and their signatures.

    Labels came from `n_labelling` captions where they were held out;
    `hidden_share` of gold's mentions refer to boxes that these do not mention.
    `too_few` images have no other caption: such test images are left out of
    all protocols, such training images where labels or references are held
    out. `labels_leak` says that the labels of the corpus are nouns of its
    captions, rather than classes. `differences` are the last protocol's above
    the second's, image by image: both have the same images and references.
    There are none without samples.
    """

    scores: Mapping[Protocol, Mapping[str, Score]]
    n_images: int
    n_labelling: int
    seed: int
    hidden_share: float
    warnings: Sequence[str]
    readings: Sequence[Reading]
    signatures: Mapping[Protocol, Mapping[str, str]]
    too_few: TooFewCaptions
    labels_leak: bool
    differences: Sequence[Comparison] = ()

    def to_json(self) -> dict[str, Any]:
        """The experiment as JSON holds it."""
        return {
            "n_images": self.n_images,
            "labels_from": self.n_labelling,
            "seed": self.seed,
            "labels_leak": self.labels_leak,
            "hidden_share": self.hidden_share,
            "too_few": self.too_few._asdict(),
            "warnings": list(self.warnings),
            "protocols": [
                {
                    **protocol._asdict(),
                    "scores": {
                        column: {**score._asdict(), "signature": self.signatures[protocol][column]}
                        for column, score in scores.items()
                    },
                }
                for protocol, scores in self.scores.items()
            ],
            "differences": [difference.to_json() for difference in self.differences],
        }


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
    # Labels from all captions come without attributes: with them, the protocols would differ in more than labels.
    tracked = track(corpora[1], "test images", progress)
    held_out = HeldOutLabels(tracked, labels_from, seed, place=corpora[1].name, with_attributes=False)
    honest = list(held_out)
    for image in honest:
        overlap.add(image)
    if not allow_overlap:
        overlap.refuse_seen(corpora[1].name)
    provenance = ProvenanceTally()
    # The images that can be scored under every protocol.
    tested = {image.id for image in honest}
    old = list(provenance.watch(image for image in corpora[1] if image.id in tested))
    held_out_training = HeldOutLabels(known, labels_from, seed, place=corpora[0].name, with_attributes=False)
    honest_training = list(held_out_training)
    too_few = TooFewCaptions(held_out_training.n_too_few, held_out.n_too_few)
    labels = "all captions" if provenance.has_leaking_labels else "classes of the corpus"
    fewer = [_with_labels_of(*sides) for sides in ((honest_training, known), (honest, old))]
    protocols = {
        Protocol("as published", labels, "all captions"): (known, old),
        Protocol("fewer references", labels, "the other captions"): (fewer[0], fewer[1]),
        Protocol("held out", f"{labels_from} captions", "the other captions"): (honest_training, honest),
    }
    scores, signatures = {}, {}
    evaluations: list[Evaluation] = []
    for protocol, (training, testing) in track(protocols.items(), "protocols", progress, len(protocols)):
        evaluation, training_data = _evaluated(protocol, training, testing, samples, seed)
        evaluations.append(evaluation)
        scores[protocol] = {column: _score(evaluation, column) for column in COLUMNS}
        facts = f"training_data:{training_data}|seed:{seed}|too_few:{too_few}"
        signatures[protocol] = {column: f"{evaluation.signatures[column]}|{facts}" for column in COLUMNS}
    return LabelExperiment(
        scores,
        len(honest),
        labels_from,
        seed,
        held_out.hidden_share,
        [*overlap.warnings(), *([LINKED_MENTIONS] if provenance.has_linked_mentions else [])],
        [corpus.reading for corpus in corpora],
        signatures,
        too_few,
        provenance.has_leaking_labels,
        _differences(evaluations[2], evaluations[1]) if samples else [],
    )


def _with_labels_of(held_out: Iterable[Image], images: Iterable[Image]) -> list[Image]:
    """Images with the gold captions that were not held out, and with the boxes and labels that they had before."""
    before = {image.id: image for image in images}
    return [
        # Where labels are from goes with the labels: a score must not pass for one of held-out labels.
        replace(image, boxes=before[image.id].boxes, provenance=before[image.id].provenance)
        for image in held_out
    ]


def _evaluated(
    protocol: Protocol, training: Sequence[Image], testing: Sequence[Image], samples: int, seed: int
) -> tuple[Evaluation, str]:
    """The scores of a system that was trained on some images, on others; and the fingerprint of the former."""
    passing = PassingImages()
    selector, book = train_selector(passing.watch(training), seed=seed), learn_phrasebook(training)
    realiser = FluentRealiser(book, seed=seed)
    results = list(describe(testing, selector, realiser))
    people = [human_bound(metric) for metric in METRICS]
    evaluation = evaluate(results, testing, metrics=[*METRICS, *people], samples=samples)
    return replace_fields(evaluation, name=protocol.name), passing.fingerprint()


def _score(evaluation: Evaluation, column: str) -> Score:
    value, human = evaluation.scores[column], evaluation.scores[f"human_{column}"]
    bounds: Sequence[float] = evaluation.intervals[column] if evaluation.samples else (nan, nan)
    # A single gold caption has no other to be compared with.
    low, high, of_people = (None if isnan(number) else number for number in (*bounds, human))
    n_images, n_human = evaluation.n_images(column), evaluation.n_images(f"human_{column}")
    return Score(value, low, high, of_people, n_images, 0 if of_people is None else n_human)


def _differences(first: Evaluation, second: Evaluation) -> list[Comparison]:
    """How much one protocol's values are above another's on the same images; p is adjusted for the columns shown."""
    metrics = [metric for metric in first.metrics if metric.name in METRICS]
    tested = differences(*([system.statistics[metric.name] for metric in metrics] for system in (first, second)))
    difference_by_column = {
        column: difference
        for metric, of_metric in zip(metrics, tested, strict=True)
        for column, difference in zip(metric.columns, of_metric, strict=True)
    }
    return adjusted(Tested(column, first.name, second.name, difference_by_column[column]) for column in COLUMNS)
