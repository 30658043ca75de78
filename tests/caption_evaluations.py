"""Evaluations of captions for the tests of what shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from limner.corpus import Box, Caption, Image
from limner.score.bleu import Bleu
from limner.score.caption_evaluation import Evaluation
from limner.score.chair import Chair
from limner.score.cider import Cider
from limner.score.metric import Metric
from limner.score.run import Run

REFERENCES = {
    "a": ["a man rides a brown horse", "a person on a horse in a field"],
    "b": ["two dogs play in the snow", "dogs run through snow"],
    "c/3 é": ["a red bus on a street", "a bus stops at a corner"],
    "d": ["a child eats a slice of pizza", "a boy with pizza"],
}
IMAGES = {
    "a": Image(
        "a",
        200,
        100,
        (Box("m", 10, 10, 60, 90, "person"), Box("h", 50, 30, 150, 95, "horse")),
        (Caption("0", REFERENCES["a"][0]),),
        attributes={"domain": "in"},
    ),
    "b": Image("b", 200, 100, (Box("d", 100, 50, 140, 90, "dog"),), attributes={"domain": "near"}),
    "c/3 é": Image("c/3 é", attributes={"domain": "out"}),
    "d": Image("d", attributes={"domain": "in"}),
}
OURS = {
    "a": "a man rides a horse past a dog",
    "b": "two dogs play in the snow",
    "c/3 é": "a bus on a street",
    "d": "a boy eats pizza",
}
THEIRS = {"a": "a man on a horse", "b": "a cat sits", "c/3 é": "a bus on a street", "d": "a child eats a slice of cake"}


def evaluation(
    name: str,
    captions: Mapping[str, str],
    *,
    references: Mapping[str, Sequence[str]] = REFERENCES,
    images: Mapping[str, Image] | None = IMAGES,
    metrics: Sequence[Metric] | None = None,
    by: str | None = "domain",
    samples: int = 50,
    counts: dict[str, int] | None = None,
) -> Evaluation:
    """The evaluation of captions whose tokens stand between spaces."""
    ids = list(captions)
    run = Run(
        ids,
        list(captions.values()),
        [references[id] for id in ids],
        images=None if images is None else [images[id] for id in ids],
    )
    measured = [Bleu(), Cider(), Chair()] if metrics is None else metrics
    found = Evaluation(name, run, measured, {one.name: one.measure(run) for one in measured}, counts or {})
    found.samples = samples
    if by and images:
        found.by[by] = {part: _part(found, by, part) for part in sorted({str(images[id].attributes[by]) for id in ids})}
    return found


def _part(whole: Evaluation, key: str, name: str) -> Evaluation:
    images = whole.run.images or ()
    places = np.array([i for i, image in enumerate(images) if image.attributes[key] == name], dtype=np.int64)
    chosen = {metric: statistics.select(places) for metric, statistics in whole.statistics.items()}
    return Evaluation(whole.name, whole.run.subset(places), whole.metrics, chosen, samples=whole.samples)
