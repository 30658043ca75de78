"""Everything that is measured of captions that refer to boxes, as one report.

Content selection (Wang & Gaizauskas 2015) with people's score and the
oracle's, by subsets of boxes; and the finer measures that the paper names as
future work, each with its human bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, isnan, sqrt
from typing import Any

import numpy as np

from limner import __version__
from limner.arrays import Booleans, Floats
from limner.corpus.caption import Caption, Mention
from limner.corpus.image import Image
from limner.score.box_subsets import BoxSubsets
from limner.score.caption_evaluation import CONFIDENCE, SEED, Evaluation, evaluate_run
from limner.score.content import PRF, Content, gold_sets, mentioned, summarise
from limner.score.grounded import CONTENT, FINER, ORACLE
from limner.score.leave_one_out import human_bound, matched
from limner.score.measure import FinerMeasure
from limner.score.metric import Metric
from limner.score.paired import intervals
from limner.score.pairing import (
    Captions,
    Missing,
    Policy,
    References,
    check_boxes,
    pair,
    read_captions,
    read_grounded_references,
)
from limner.score.resampling import SAMPLES
from limner.score.run import refers_to_boxes

# Raised whenever equal captions would score otherwise than before.
VERSION = 1

HUMAN = human_bound(CONTENT)
# What is measured by one measure stands together, since a run keeps the readings of one measure at a time.
METRICS: tuple[Metric, ...] = (
    CONTENT,
    HUMAN,
    ORACLE,
    *(
        metric
        for measure in FINER
        for metric in (measure, *([matched(measure)] if measure.pools_gold else []), human_bound(measure))
    ),
)


def evaluate_content(
    results: Iterable[Image],
    gold: Iterable[Image],
    *,
    source: str | None = None,
    missing: Missing = "error",
    place: str = "results",
) -> dict[str, Any]:
    """The scores of a system's results as the command line prints them in JSON.

    `place` names the results in errors.
    """
    return evaluate(results, gold, source=source, missing=missing, place=place).to_json()


def evaluate(
    results: Iterable[Image],
    gold: Iterable[Image],
    *,
    source: str | None = None,
    missing: Missing = "error",
    place: str = "results",
) -> ContentEvaluation:
    """The same with every image's own scores."""
    policy = Policy(missing, empty="score")
    captions = read_captions(results, source=source, place=place)
    references = read_grounded_references(gold)
    check_boxes(captions, references)
    ((run, counts),) = pair([captions], references, policy)
    evaluation = evaluate_run(captions.name, run, METRICS, counts=counts, policy=policy)
    return ContentEvaluation(evaluation, captions, references)


def score_selections(
    selections: Mapping[str, Sequence[str]], references: References, metric: Metric = CONTENT
) -> Content:
    """The scores of sets of box ids by image id, as captions that mention just these would score."""
    by_image = {id: _mentioning(boxes) for id, boxes in selections.items()}
    captions = Captions("selections", "selections", by_image)
    ((run, _),) = pair([captions], references, Policy("zero", empty="score"))
    return summarise(_prf(evaluate_run("selections", run, [metric]), metric))


@dataclass
class ContentEvaluation:
    """The scores of one system, image by image, and of people and the oracle on the same images."""

    evaluation: Evaluation
    captions: Captions
    references: References

    @property
    def source(self) -> str:
        return self.captions.name

    @property
    def missing(self) -> Missing:
        return self.evaluation.policy.missing

    @cached_property
    def system(self) -> dict[str, PRF]:
        return _prf(self.evaluation, CONTENT)

    @cached_property
    def people(self) -> dict[str, PRF]:
        return _prf(self.evaluation, HUMAN)

    def to_json(self) -> dict[str, Any]:
        """The scores as JSON holds them."""
        return {
            **_content(summarise(self.system)),
            "source": self.source,
            "intervals": self._intervals(),
            "left_out": self._left_out(),
            "zero": self._zero(),
            "human": _content(summarise(self.people)),
            "oracle": _content(summarise(_prf(self.evaluation, ORACLE))),
            **{measure.name: self._finer(measure) for measure in FINER},
            "by": self._box_subsets().to_json(),
            "signature": self.signature(),
        }

    def signature(self) -> str:
        """Every choice that could change a score: two numbers with one signature compare."""
        n_captions = sorted(map(len, self.evaluation.run.references)) or [0]
        return "|".join(
            f"{name}:{value}"
            for name, value in {
                "metric": "content",
                "version": VERSION,
                "gold": "captions of source gold that refer to a box",
                "captions": f"{n_captions[0]}-{n_captions[-1]}",
                "images": len(self.evaluation.run),
                "missing": self.missing,
                "empty": 0,
                "mean": "images",
                "order": "tau-b of first mentions, all tied is left out",
                "noun": "singular head, what a collective holds",
                "attributes": "before the head",
                "relations": "neighbouring mentions, last preposition and verb",
                "limner": __version__,
            }.items()
        )

    def _intervals(self) -> dict[str, Any]:
        """Where the means of other images of the kind would likely lie."""
        of_columns = intervals(self.system, samples=SAMPLES, seed=SEED, confidence=CONFIDENCE)
        bounds = {name: [bound.low, bound.high] for name, bound in zip(PRF._fields, of_columns, strict=False)}
        return {**bounds, "confidence": CONFIDENCE, "method": f"bootstrap of {SAMPLES} samples of images, seed {SEED}"}

    def _left_out(self) -> dict[str, int]:
        """Images and gold captions that had no say; an image that is skipped is counted as missing alone."""
        is_skipped = self.missing == "skip"
        images = [
            image
            for id, image in (self.references.images or {}).items()
            if not (is_skipped and id not in self.captions.by_image)
        ]
        written = [caption for image in images for caption in image.captions if caption.source == "gold"]
        return {
            "images": sum(image.id not in self.references.texts for image in images),
            "gold_captions": sum(not refers_to_boxes(caption) for caption in written),
            "missing": self.evaluation.counts["missing"] if is_skipped else 0,
        }

    def _zero(self) -> dict[str, int]:
        """How many images score 0 because the caption mentions no box, or is not there."""
        has_caption = self._has_caption
        is_silent = [not mentioned(caption) for caption in self.evaluation.run.captions or ()]
        return {"empty": int(sum(has_caption & np.array(is_silent, bool))), "missing": int(sum(~has_caption))}

    @cached_property
    def _has_caption(self) -> Booleans:
        ids = self.evaluation.run.ids
        return np.fromiter((id in self.captions.by_image for id in ids), dtype=np.bool_, count=len(ids))

    def _finer(self, measure: FinerMeasure[Any]) -> dict[str, Any]:
        """A finer measure: means, spreads and numbers of images for each column, of the system and of people."""
        statistics = self.evaluation.statistics
        has_caption = self._has_caption
        of_system = statistics[measure.name]
        items = np.zeros((len(has_caption), 2)) if of_system.items is None else of_system.items
        said, judged = items[has_caption].sum(axis=0).tolist()
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

    def _box_subsets(self) -> BoxSubsets:
        run, counted = self.evaluation.run, BoxSubsets()
        for image, caption in zip(run.images or (), run.captions or (), strict=True):
            scores = self.system[image.id], self.people.get(image.id)
            counted.add(image, mentioned(caption), gold_sets(image), *scores)
        return counted


def _prf(evaluation: Evaluation, metric: Metric) -> dict[str, PRF]:
    """The images' scores by content selection, without those that have none."""
    rows = evaluation.statistics[metric.name].per_image.tolist()
    return {id: PRF(*row) for id, row in zip(evaluation.run.ids, rows, strict=True) if not isnan(row[0])}


def _content(content: Content) -> dict[str, Any]:
    return {name: value for name, value in content._asdict().items() if name != "per_image"}


def column_summary(names: Sequence[str], per_image: Floats) -> dict[str, Any]:
    """The mean, population standard deviation and number of images of each column, over images with a value there."""
    report: dict[str, Any] = {"n_images": int((~np.isnan(per_image)).any(axis=1).sum())}
    for name, column in zip(names, per_image.T.tolist(), strict=True):
        values = [value for value in column if not isnan(value)]
        mean = fsum(values) / len(values) if values else None
        sd = None if mean is None else sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
        report |= {name: mean, f"{name}_sd": sd, f"{name}_images": len(values)}
    return report


def _mentioning(boxes: Sequence[str]) -> Caption:
    return Caption("0", "-", (Mention(0, 1, tuple(boxes)),) if boxes else ())
