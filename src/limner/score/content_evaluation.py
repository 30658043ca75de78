"""Everything that is measured of captions that refer to boxes, in one pass over gold.

Content selection (Wang & Gaizauskas 2015) with people's score and the
oracle's, told apart by kinds of boxes; and the finer measures that the paper
names as future work, each with its human bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from limner import __version__
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.score.breakdown import Breakdown
from limner.score.content import (
    PRF,
    Boxes,
    Content,
    gold_sets,
    human,
    mentioned,
    oracle,
    score_selection,
    summarise,
)
from limner.score.measure import Measure, Tally
from limner.score.ordering import ORDERING
from limner.score.paired import intervals
from limner.score.relations import PREPOSITIONS, VERBS
from limner.score.resampling import SAMPLES
from limner.score.results import Missing, join, read_results
from limner.score.wording import ATTRIBUTES, LEXICALISATION

VERSION = 1
"""Raised whenever equal captions would score otherwise than before."""

MEASURES: tuple[Measure[Any], ...] = (ORDERING, LEXICALISATION, ATTRIBUTES, PREPOSITIONS, VERBS)

SEED = 0
CONFIDENCE = 0.95


def evaluate_content(
    results: Iterable[Image],
    gold: Iterable[Image],
    *,
    source: str | None = None,
    missing: Missing = "error",
    place: str = "results",
) -> dict[str, Any]:
    """The scores of a system's results as `limner score content --json` prints them.

    `results` are read whole, `gold` streams. `place` names the results in
    errors.
    """
    return evaluate(results, gold, source=source, missing=missing, place=place).as_dict()


def evaluate(
    results: Iterable[Image],
    gold: Iterable[Image],
    *,
    source: str | None = None,
    missing: Missing = "error",
    place: str = "results",
) -> Evaluation:
    """The same with every image's own scores."""
    found = read_results(results, source=source, place=place)
    evaluation = Evaluation(found.source, missing)
    for image, caption in join(found, gold, missing=missing):
        evaluation.add(image, caption)
    return evaluation


@dataclass(slots=True)
class Evaluation:
    """The scores of one system, image by image, and of people and the oracle on the same images."""

    source: str
    missing: Missing = "error"
    system: dict[str, PRF] = field(default_factory=dict)
    people: dict[str, PRF] = field(default_factory=dict)
    best: dict[str, PRF] = field(default_factory=dict)
    measures: list[Tally[Any]] = field(default_factory=lambda: [Tally(measure) for measure in MEASURES])
    breakdown: Breakdown = field(default_factory=Breakdown)
    left_out: Counter[str] = field(default_factory=Counter)
    zero: Counter[str] = field(default_factory=Counter)
    references: Counter[int] = field(default_factory=Counter)

    def add(self, image: Image, caption: Caption | None) -> None:
        """Score an image's caption; None is what `missing` says."""
        if caption is None and self.missing == "skip":
            self.left_out["missing"] += 1
            return
        written = [one for one in image.captions if one.source == "gold"]
        grounded = [one for one in written if any(mention.boxes for mention in one.mentions)]
        self.left_out["gold_captions"] += len(written) - len(grounded)
        if not grounded:
            self.left_out["images"] += 1
            return
        self.references[len(grounded)] += 1
        selected: Boxes = frozenset() if caption is None else mentioned(caption)
        if not selected:
            self.zero["missing" if caption is None else "empty"] += 1
        self._select(image, selected)
        for tally in self.measures:
            tally.add(image.id, caption, grounded)

    def as_dict(self) -> dict[str, Any]:
        """The scores as JSON holds them."""
        return {
            **_content(summarise(self.system)),
            "source": self.source,
            "intervals": self._intervals(),
            "left_out": {name: self.left_out[name] for name in ("images", "gold_captions", "missing")},
            "zero": {name: self.zero[name] for name in ("empty", "missing")},
            "human": _content(summarise(self.people)),
            "oracle": _content(summarise(self.best)),
            **{tally.measure.name: tally.as_dict() for tally in self.measures},
            "by": self.breakdown.as_dict(),
            "signature": self.signature(),
        }

    def signature(self) -> str:
        """Every choice that could change a score: two numbers with one signature compare."""
        captions = sorted(self.references) or [0]
        return "|".join(
            f"{name}:{value}"
            for name, value in {
                "metric": "content",
                "version": VERSION,
                "gold": "captions of source gold that refer to a box",
                "captions": f"{captions[0]}-{captions[-1]}",
                "images": len(self.system),
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

    def _select(self, image: Image, selected: Boxes) -> None:
        gold = gold_sets(image)
        score, people = score_selection(selected, gold), human(gold)
        self.system[image.id] = score
        self.best[image.id] = score_selection(oracle(gold), gold)
        if people is not None:
            self.people[image.id] = people
        self.breakdown.add(image, selected, gold, score, people)

    def _intervals(self) -> dict[str, Any]:
        """Where the means of other images of the kind would likely lie."""
        found = intervals(self.system, samples=SAMPLES, seed=SEED, confidence=CONFIDENCE)
        bounds = {name: [one.low, one.high] for name, one in zip(PRF._fields, found, strict=False)}
        return {**bounds, "confidence": CONFIDENCE, "method": f"bootstrap of {SAMPLES} samples of images, seed {SEED}"}


def _content(content: Content) -> dict[str, Any]:
    return {name: value for name, value in content._asdict().items() if name != "per_image"}
