"""Everything that is measured of captions that refer to boxes, as one report.

Content selection (Wang & Gaizauskas 2015) with people's score and the
oracle's, by boxes and by classes, and by subsets of boxes; and the finer measures that the paper names as
future work, each with its human bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from math import fsum, isnan, sqrt
from typing import Any

import numpy as np

from limner import __version__
from limner.arrays import Floats, Integers
from limner.corpus.box import Box
from limner.corpus.image import NOTHING, Image
from limner.corpus.provenance import ProvenanceTally, scored_facts
from limner.errors import BadInput, shown
from limner.score.box_matching import MATCH_IOU, count_boxes
from limner.score.box_subsets import BoxSubsets
from limner.score.content import PRF, gold_sets, mentioned
from limner.score.data_fingerprint import data_fingerprint
from limner.score.given_captions import Captions, References, opened, read_captions, read_grounded_references
from limner.score.grounded import FINER
from limner.score.leave_one_out import human_bound, matched
from limner.score.measure import GroundedMeasure, match_choice
from limner.score.metric import SHARE, Metric, Statistics, concatenated, means, measured
from limner.score.paired import Interval, intervals_of_several
from limner.score.pairing import Missing, Policy, check_boxes, make_runs, misfits
from limner.score.resampling import CONFIDENCE, SAMPLES, SEED
from limner.score.selection_scores import (
    SelectionScores,
    class_by_box,
    classes_of,
    gold_choice,
    left_out_choices,
    signed,
)
from limner.score.surface import MODEL, SURFACE, GoldSentences, Surface
from limner.text.ptb import tokenise

# Raised whenever equal captions would score otherwise than before.
VERSION = 3

# What is measured beside content selection.
MEASURES: tuple[GroundedMeasure[Any] | Surface, ...] = (*FINER, SURFACE)

# What is measured from the same readings stands together, since a run keeps those of one reader at a time.
METRICS: tuple[Metric, ...] = tuple(
    metric
    for measure in FINER
    for metric in (measure, *([matched(measure)] if measure.pools_gold else []), human_bound(measure))
)

# Images that are measured together: enough that what a run costs by itself does not matter, few enough to hold.
PORTION = 256


def evaluate_content(
    results: Iterable[Image],
    gold: Iterable[Image],
    *,
    source: str | None = None,
    missing: Missing = "error",
    match_iou: float = MATCH_IOU,
    all_captions: bool = False,
    place: str = "results",
) -> dict[str, Any]:
    """The scores of a system's results as the command line prints them in JSON.

    Boxes that the results bring match gold's from an IoU of `match_iou` on.
    With `all_captions`, gold captions that refer to no box count in the
    precision of content selection. `place` names the results in errors.
    """
    return evaluate(
        results,
        gold,
        source=source,
        missing=missing,
        match_iou=match_iou,
        all_captions=all_captions,
        place=place,
    ).to_json()


def evaluate(
    results: Iterable[Image],
    gold: Iterable[Image],
    *,
    source: str | None = None,
    missing: Missing = "error",
    match_iou: float = MATCH_IOU,
    all_captions: bool = False,
    place: str = "results",
) -> ContentEvaluation:
    """The same with every image's own scores. Gold is read once; its images are released when they are measured."""
    policy = Policy(missing, empty="score")
    captions = read_captions(results, source=source, place=place)
    images, gold_place = opened(gold, None, "gold")
    evaluation = ContentEvaluation(captions, missing, match_iou, all_captions)
    if isinstance(gold, Sequence) and all(isinstance(image, Image) for image in gold):
        # The ids of images in memory are known before anything is measured.
        misfits(captions, References(gold_place, gold_ids=dict.fromkeys(image.id for image in gold)), tokenise).counts(
            policy
        )
    gold_ids: dict[str, None] = {}
    is_refused = False
    for portion in _portions(images):
        for image in portion:
            if image.id in gold_ids:
                raise BadInput(gold_place, f"image {shown(image.id)} appears twice", "give each its own id")
            gold_ids[image.id] = None
        # A missing caption is an error in the end, which counts them all: there is nothing to measure until then.
        is_refused |= missing == "error" and any(image.id not in captions.by_image for image in portion)
        if not is_refused:
            evaluation.add(read_grounded_references(portion, place=gold_place))
    counts = misfits(captions, References(gold_place, gold_ids=gold_ids), tokenise).counts(policy)
    evaluation.n_without_words = counts["empty"]
    return evaluation


def _portions(images: Iterable[Image]) -> Iterator[list[Image]]:
    """Some images at a time; without any there is one portion, which is empty."""
    unread = iter(images)
    yield list(islice(unread, PORTION))
    while portion := list(islice(unread, PORTION)):
        yield portion


@dataclass
class ContentEvaluation:
    """The scores of one system, image by image, and of people and the oracle on the same images.

    `ids` are the images that were scored, `n_captions` the gold captions of
    each, `has_caption` whether the system described it, `numbers` what the
    signature's fingerprint is made of, `kind_numbers` the same with what tells
    subsets of boxes apart. `boxes` and `classes` are the scores of
    content selection at these levels, `portions` the statistics of the finer
    measures, some images at a time. `provenance` tells where labels and
    mentions are from.
    """

    captions: Captions
    missing: Missing
    match_iou: float = MATCH_IOU
    all_captions: bool = False
    ids: list[str] = field(default_factory=list)
    n_captions: list[int] = field(default_factory=list)
    has_caption: list[bool] = field(default_factory=list)
    numbers: list[Integers] = field(default_factory=list)
    kind_numbers: list[Integers] = field(default_factory=list)
    boxes: SelectionScores = field(default_factory=SelectionScores)
    classes: SelectionScores = field(default_factory=SelectionScores)
    portions: list[dict[str, Statistics]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    n_without_box: int = 0
    n_without_words: int = 0
    zero: Counter[str] = field(default_factory=Counter)
    result_boxes: Counter[str] = field(default_factory=Counter)
    subsets: BoxSubsets = field(default_factory=BoxSubsets)
    sentences: GoldSentences = field(default_factory=GoldSentences)
    provenance: ProvenanceTally = field(default_factory=ProvenanceTally)

    @property
    def source(self) -> str:
        return self.captions.name

    @cached_property
    def statistics(self) -> dict[str, Statistics]:
        """What was measured of all images, by metric."""
        of_metrics = {
            metric.name: concatenated([portion[metric.name] for portion in self.portions]) for metric in METRICS
        }
        # It takes the captions of all images to judge any.
        model = self.sentences.model()
        said = [self.captions.by_image.get(id, "") for id in self.ids]
        people = means(self.sentences.people(model, self.ids))
        return {**of_metrics, SURFACE.name: SURFACE.judged(model, said, self.ids), human_bound(SURFACE).name: people}

    @property
    def system(self) -> dict[str, PRF]:
        return self.boxes.system

    @property
    def people(self) -> dict[str, PRF]:
        return self.boxes.people

    def add(self, references: References) -> None:
        """Measure the captions of some images, with all that is reported of them."""
        check_boxes(self.captions, references)
        (run,) = make_runs([self.captions], references, self.missing, match_iou=self.match_iou)
        self.portions.append({metric.name: measured(metric, run) for metric in METRICS})
        self.ids += run.ids
        self.n_captions += map(len, run.references)
        numbers, kind_numbers = run.box_and_kind_numbers()
        self.numbers.append(numbers)
        self.kind_numbers.append(kind_numbers)
        self._count_left_out(references)
        if run.images is not None and run.result_boxes is not None:
            self.result_boxes += count_boxes(run.images, run.result_boxes)
        for gold_image in (references.images or {}).values():
            self.sentences.add(gold_image.id, (c for c in gold_image.captions if c.source == "gold"))
        drawn = run.result_boxes or [{}] * len(run)
        for image, caption, boxes in zip(run.images or (), run.captions or (), drawn, strict=True):
            has_caption = image.id in self.captions.by_image
            self.has_caption.append(has_caption)
            # An image without a caption scores 0, whatever its labels and mentions.
            if has_caption:
                self.provenance.add(scored_facts(image.provenance, self.captions.provenance.get(image.id, NOTHING)))
            selected = mentioned(caption)
            if not selected:
                self.zero["empty" if has_caption else "missing"] += 1
            self._score_selection(image, selected, boxes)

    def _score_selection(self, image: Image, selected: frozenset[str], drawn: Mapping[str, Box]) -> None:
        """Score the boxes that were selected of an image, and their classes; `drawn` are those of the result."""
        gold = gold_sets(image, all_captions=self.all_captions)
        self.boxes.add(image.id, selected, gold)
        classes = class_by_box(image, drawn)
        self.classes.add(image.id, classes_of(selected, classes), [classes_of(boxes, classes) for boxes in gold])
        self.subsets.add(image, selected, gold, self.system[image.id], self.people.get(image.id))

    def _count_left_out(self, references: References) -> None:
        """Count images and gold captions that had no say; an image that is skipped is counted as missing alone."""
        for image in (references.images or {}).values():
            if self.missing == "skip" and image.id not in self.captions.by_image:
                self.left_out["missing"] += 1
                continue
            written = [caption for caption in image.captions if caption.source == "gold"]
            n_without_box = len(written) - len(references.texts.get(image.id, ()))
            self.n_without_box += n_without_box
            if image.id not in references.texts:
                self.left_out["images"] += 1
                self.left_out["gold_captions"] += n_without_box
            elif not self.all_captions:
                self.left_out["gold_captions"] += n_without_box

    def to_json(self) -> dict[str, Any]:
        """The scores as JSON holds them."""
        of_boxes, of_classes = intervals_of_several(
            [self.system, self.classes.system],
            samples=SAMPLES,
            seed=SEED,
            confidence=CONFIDENCE,
            value_range=SHARE,
        )
        return {
            **self.boxes.to_json(),
            "source": self.source,
            "intervals": _intervals(of_boxes),
            "left_out": {name: self.left_out[name] for name in ("images", "gold_captions", "missing")},
            "zero": {name: self.zero[name] for name in ("empty", "missing")},
            "captions_without_words": self.n_without_words,
            "captions_without_box": {"n": self.n_without_box, "counted": self.all_captions},
            "result_boxes": self._result_boxes(),
            "class_level": {**self.classes.to_json(), "intervals": _intervals(of_classes)},
            **{measure.name: self._finer(measure) for measure in MEASURES},
            "by": self.subsets.to_json(),
            "provenance": self.provenance.to_json(),
            "signature": self.signature(),
        }

    def signature(self) -> str:
        """Every choice that could change a score: two numbers with one signature compare."""
        n_captions = sorted(self.n_captions) or [0]
        return signed(
            metric="content",
            version=VERSION,
            gold=gold_choice(self.all_captions),
            captions=f"{n_captions[0]}-{n_captions[-1]}",
            images=len(self.ids),
            missing=self.missing,
            **left_out_choices(self.left_out["images"], self.n_without_box, self.all_captions),
            match=match_choice(self.match_iou),
            classes="of the matched gold box, else the box's label",
            data=data_fingerprint(np.concatenate(self.numbers)),
            subsets=data_fingerprint(np.concatenate(self.kind_numbers)),
            empty=0,
            mean="images",
            order="tau-b of first mentions, all tied is left out",
            noun="singular head, what a collective holds",
            attributes="adjectives before the head",
            relations="neighbouring mentions, last preposition and verb",
            surface=MODEL,
            surface_data=self.sentences.fingerprint(),
            **self.provenance.to_json(),
            limner=__version__,
        )

    def _result_boxes(self) -> dict[str, Any] | None:
        """How many boxes the captions bring and how many of them match gold's; None if they name gold's."""
        counts = {name: self.result_boxes[name] for name in ("boxes", "matched")}
        return {**counts, "match_iou": self.match_iou} if counts["boxes"] else None

    def _finer(self, measure: GroundedMeasure[Any] | Surface) -> dict[str, Any]:
        """A finer measure: means, spreads and numbers of images for each column, of the system and of people."""
        statistics, has_caption = self.statistics, np.array(self.has_caption, dtype=np.bool_)
        of_system = statistics[measure.name]
        items = np.zeros((len(has_caption), 2)) if of_system.items is None else of_system.items
        said, judged = items[has_caption, :2].sum(axis=0).tolist()
        report = column_summary(measure.value_names, of_system.per_image[has_caption])
        if measure.pools_gold:
            report["matched"] = column_summary(
                measure.value_names, statistics[f"matched_{measure.name}"].per_image[has_caption]
            )
        return {
            **report,
            "human": column_summary(measure.value_names, statistics[human_bound(measure).name].per_image),
            "items": {"said": int(said), "judged": int(judged)},
            "left_out": {"images": int(np.isnan(of_system.per_image[has_caption]).all(axis=1).sum())},
        }


def _intervals(of_columns: Sequence[Interval]) -> dict[str, Any]:
    """Where the means of other images of the kind would likely lie."""
    bounds = {
        name: [_number(bound.low), _number(bound.high)] for name, bound in zip(PRF._fields, of_columns, strict=False)
    }
    return {**bounds, "confidence": CONFIDENCE, "method": f"bootstrap of {SAMPLES} samples of images, seed {SEED}"}


def _number(value: float) -> float | None:
    """A value as JSON has it, which knows no NaN."""
    return None if isnan(value) else value


def column_summary(names: Sequence[str], per_image: Floats) -> dict[str, Any]:
    """The mean, population standard deviation and number of images of each column, over images with a value there."""
    report: dict[str, Any] = {"n_images": int((~np.isnan(per_image)).any(axis=1).sum())}
    for name, column in zip(names, per_image.T.tolist(), strict=True):
        values = [value for value in column if not isnan(value)]
        mean = fsum(values) / len(values) if values else None
        sd = None if mean is None else sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
        report |= {name: mean, f"{name}_sd": sd, f"{name}_images": len(values)}
    return report
