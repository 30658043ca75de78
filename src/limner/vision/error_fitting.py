"""From gold boxes and a real detector's boxes of the same pictures to its profile of errors.

In each picture, detections take gold boxes of their class from an IoU of .5
on, the surest first, as in scoring. Then those that are left take what they
lie on less exactly (from .3 on), then boxes of other classes (from .5 on):
these are confusions. What is left of gold is missed, what is left of the
detections is on nothing. Gold labels mean classes as in scoring
(`DetectorClasses`); a label that stands for several things, such as "crowd",
excuses the detections within it.

Where people boxed only what captions mention, as in Flickr30k Entities, many
boxes "on nothing" are of things that nobody mentioned. The counts say how
the detector fares against such gold, and not how often it is wrong.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Integers
from limner.corpus.box import Box
from limner.corpus.classes.class_tables import COCO_CLASSES
from limner.corpus.classes.class_words import Synonyms
from limner.corpus.classes.detector_classes import DetectorClasses
from limner.corpus.geometry import containment, corners, iou
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError, shown
from limner.vision.error_profile import LEVELS, N_BANDS, N_FIFTHS, OTHERS, ErrorProfile, band_of

# From which IoU on a detection is right, and from which on it is at least meant for a gold box of its class.
RIGHT = 0.5
LOOSE = 0.3

# The share of a detection that lies within a crowd of its class for it to be one of the crowd.
IN_CROWD = 0.5

# Scores are no surer than this: a logit must be finite.
SUREST = 1e-4

# Matched detections, at least, for a distribution to be told.
FEWEST = 50

# Pairs of a detection and a gold box of one image: those compared at a time, and those that may overlap (100 MB).
BLOCK = 1 << 20
MAX_PAIRS = 1 << 22

# Boxes on nothing of a class for it to have scores of its own.
MANY = 100


def fit_profile(
    gold: Iterable[Image],
    detections: Iterable[Image],
    *,
    classes: DetectorClasses | None = None,
    source: str = "",
) -> ErrorProfile:
    """The profile of a detector, from the pictures that are in both corpora.

    `classes` are the detector's (default: COCO's if all detections are of
    these, otherwise their labels). `source` says where the profile is from.
    """
    detected = {image.id: image for image in detections}
    classes = _classes(detected.values()) if classes is None else classes
    errors = _Errors(classes)
    for image in gold:
        if image.id in detected:
            errors.add(image, detected[image.id])
    if not errors.n_images:
        raise LimnerError("no picture is in both corpora; check that the ids agree")
    if len(errors.right) < FEWEST:
        problem = f"only {len(errors.right)} detections are on gold boxes of their class, of {FEWEST} needed"
        raise LimnerError(f"{problem}; give more pictures, or gold whose labels are the detector's classes")
    return errors.profile(source)


def _classes(images: Iterable[Image]) -> DetectorClasses:
    labels = dict.fromkeys(box.label for image in images for box in image.boxes)
    if not labels:
        raise LimnerError("there are no detections; give a detector's boxes")
    if labels.keys() <= COCO_CLASSES.keys():
        return DetectorClasses.coco()
    return DetectorClasses(sorted(labels), "detections", Synonyms({}, "none"))


class _Hit(NamedTuple):
    """A detection on a gold box: the box's class and band, the score's logit, the IoU and how far edges moved."""

    label: str
    band: int
    logit: float
    iou: float
    offsets: Floats


class _Errors:
    """What a detector did, picture by picture."""

    def __init__(self, classes: DetectorClasses) -> None:
        self.classes = classes
        self.number = {name: i for i, name in enumerate(classes)}
        self.n_images = 0
        self.n_gold = np.zeros((len(classes), N_BANDS), dtype=np.int64)
        self.n_right = np.zeros_like(self.n_gold)
        self.n_confused = np.zeros(N_BANDS, dtype=np.int64)
        self.confusions: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.right: list[_Hit] = []
        self.confused: list[_Hit] = []
        self.false_logits: defaultdict[str, list[float]] = defaultdict(list)
        self.n_false: Counter[int] = Counter()
        self.false_bands = np.zeros(N_BANDS, dtype=np.int64)
        self.aspects: list[float] = []
        # Boxes on nothing in pictures with gold boxes: of other classes than these, and of the same.
        self.n_present = [0, 0]
        self.most = 1
        self.least_score = 1.0

    def add(self, gold: Image, detected: Image) -> None:
        """Count what became of a picture's gold boxes and detections."""
        if gold.width is None or gold.height is None:
            raise BadInput(f"image {shown(gold.id)}", "its size is unknown", "give gold with the pictures' sizes")
        truth = [(box, meant) for box in gold.boxes if (meant := self.classes.find(box.label)) is not None]
        boxes = [(box, meant.name) for box, meant in truth if not meant.is_collective and "crowd" not in box.flags]
        crowds = [(box, meant.name) for box, meant in truth if meant.is_collective or "crowd" in box.flags]
        found = [(box, m.name) for box in _fitted(detected, gold) if (m := self.classes.find(box.label)) is not None]
        found.sort(key=lambda item: -item[0].score)
        self.n_images += 1
        self.most = max(self.most, len(found))
        self.least_score = min([self.least_score, *(box.score for box, _ in found)])
        whole = float(gold.width * gold.height)
        bands = band_of(np.array([box.area for box, _ in boxes]) / whole)
        for (_, label), band in zip(boxes, bands.tolist(), strict=True):
            self.n_gold[self.number[label], band] += 1
        matched = self._match(boxes, found, bands, f"image {shown(gold.id)}")
        self._count_false(boxes, crowds, [item for i, item in enumerate(found) if i not in matched], whole)

    def _match(
        self, boxes: list[tuple[Box, str]], found: list[tuple[Box, str]], bands: Integers, place: str
    ) -> set[int]:
        """Count the detections that are on gold boxes; their numbers."""
        if not boxes or not found:
            return set()
        pairs = _overlapping(corners([box for box, _ in found]), corners([box for box, _ in boxes]), place)
        found_numbers, gold_numbers = (np.array([self.number[name] for _, name in side]) for side in (found, boxes))
        is_same = found_numbers[pairs.detection] == gold_numbers[pairs.gold]
        taken: dict[int, int] = {}
        for allowed, by_score in ((is_same & (pairs.iou >= RIGHT), True), (is_same, False)):
            _assign(pairs, allowed, taken, by_score=by_score)
        for row, at in taken.items():
            column = int(pairs.gold[at])
            self.right.append(_hit(found[row][0], *boxes[column], int(bands[column]), float(pairs.iou[at])))
            self.n_right[self.number[boxes[column][1]], bands[column]] += 1
        right = set(taken)
        _assign(pairs, pairs.iou >= RIGHT, taken, by_score=False)
        for row, at in taken.items():
            if row not in right:
                column = int(pairs.gold[at])
                hit = _hit(found[row][0], *boxes[column], int(bands[column]), float(pairs.iou[at]))
                self.confused.append(hit)
                self.n_confused[hit.band] += 1
                self.confusions[hit.label][found[row][1]] += 1
        return set(taken)

    def _count_false(
        self, boxes: list[tuple[Box, str]], crowds: list[tuple[Box, str]], left: list[tuple[Box, str]], whole: float
    ) -> None:
        present = {label for _, label in boxes}
        crowds_by_label: defaultdict[str, list[Box]] = defaultdict(list)
        for crowd, label in crowds:
            crowds_by_label[label].append(crowd)
        around = {label: corners(alike) for label, alike in crowds_by_label.items()}
        n = 0
        for box, label in left:
            if label in around and containment(corners([box]), around[label]).max() >= IN_CROWD:
                continue
            n += 1
            self.false_logits[label].append(_logit(box.score))
            self.false_bands[band_of(np.array([box.area / whole]))[0]] += 1
            self.n_present[label in present] += bool(present)
            if box.width > 0 and box.height > 0:
                self.aspects.append(log(box.width / box.height))
        self.n_false[n] += 1

    def profile(self, source: str) -> ErrorProfile:
        offsets = np.array([hit.offsets for hit in self.right])
        false_logits = [logit for logits in self.false_logits.values() for logit in logits]
        n_false = [self.n_false[n] for n in range(max(self.n_false) + 1)]
        aspects = np.array(self.aspects or [0.0])
        return ErrorProfile(
            source=source,
            classes=list(self.classes),
            n_images=self.n_images,
            n_gold=self.n_gold.tolist(),
            n_right=self.n_right.tolist(),
            n_confused=self.n_confused.tolist(),
            confusions={label: dict(sorted(row.items())) for label, row in sorted(self.confusions.items())},
            offsets=(_rounded(offsets.mean(axis=0)), [_rounded(row) for row in np.cov(offsets.T)]),
            overlaps=[self._overlaps(band) for band in range(N_BANDS)],
            confused_overlaps=_quantiles([hit.iou for hit in self.confused], [hit.iou for hit in self.right]),
            right_scores=[self._scores(band) for band in range(N_BANDS)],
            class_scores=self._class_scores(),
            confused_scores=_quantiles([hit.logit for hit in self.confused], false_logits or self._logits()),
            false_scores=self._false_scores(false_logits),
            n_false=n_false,
            false_classes={label: len(logits) for label, logits in sorted(self.false_logits.items())},
            false_bands=self.false_bands.tolist() if false_logits else [1] * N_BANDS,
            false_present=round(self.n_present[True] / max(1, sum(self.n_present)), 4),
            false_aspect=(round(float(aspects.mean()), 4), round(float(aspects.std()), 4)),
            most=self.most,
            least_score=self.least_score,
        )

    def _logits(self) -> list[float]:
        return [hit.logit for hit in self.right]

    def _scores(self, band: int) -> list[float]:
        return _quantiles([hit.logit for hit in self.right if hit.band == band], self._logits())

    def _false_scores(self, every: Sequence[float]) -> dict[str, list[float]]:
        """Quantiles of the scores of boxes on nothing, for each class with many and for all others."""
        many = {label: logits for label, logits in sorted(self.false_logits.items()) if len(logits) >= MANY}
        others = [logit for label, logits in self.false_logits.items() if label not in many for logit in logits]
        scores = {label: _quantiles(logits, logits) for label, logits in many.items()}
        return {OTHERS: _quantiles(others, every or self._logits()), **scores}

    def _overlaps(self, band: int) -> list[list[float]]:
        """Quantiles of the IoU for each fifth of the scores."""
        hits = [hit for hit in self.right if hit.band == band]
        hits = sorted(hits if len(hits) >= N_FIFTHS * FEWEST else self.right, key=lambda hit: hit.logit)
        edges = [len(hits) * i // N_FIFTHS for i in range(N_FIFTHS + 1)]
        fifths = [hits[a:b] for a, b in pairwise(edges)]
        return [_quantiles([hit.iou for hit in fifth], [hit.iou for hit in hits]) for fifth in fifths]

    def _class_scores(self) -> dict[str, tuple[float, int]]:
        """How far the scores of each class are above the mean of their bands."""
        means = [np.mean([hit.logit for hit in self.right if hit.band == band] or [0.0]) for band in range(N_BANDS)]
        above: defaultdict[str, list[float]] = defaultdict(list)
        for hit in self.right:
            above[hit.label].append(hit.logit - float(means[hit.band]))
        return {label: (round(float(np.mean(values)), 4), len(values)) for label, values in sorted(above.items())}


class _Pairs(NamedTuple):
    """Detections, which stand surest first, with the gold boxes that they lie on, by their numbers."""

    detection: Integers
    gold: Integers
    iou: Floats


def _overlapping(found: Floats, gold: Floats, place: str) -> _Pairs:
    """The pairs whose IoU is at least `LOOSE`, by detection; a few detections at a time."""
    step = max(1, BLOCK // len(gold))
    blocks, n_pairs = [], 0
    for start in range(0, len(found), step):
        overlap = iou(found[start : start + step], gold)
        rows, columns = np.nonzero(overlap >= LOOSE)
        blocks.append((rows + start, columns, overlap[rows, columns]))
        n_pairs += len(rows)
        if n_pairs > MAX_PAIRS:
            problem = (
                f"more than {MAX_PAIRS:,} pairs of its {len(found):,} detections and {len(gold):,} gold boxes overlap"
            )
            raise BadInput(place, problem, "leave some of them out", code="too-many-boxes")
    return _Pairs(*(np.concatenate(arrays) for arrays in zip(*blocks, strict=True)))


def _assign(pairs: _Pairs, allowed: Booleans, taken: dict[int, int], *, by_score: bool) -> None:
    """Give detections gold boxes that are free: in their order, or best IoU first.

    `taken` has for each detection the row of its pair.
    """
    keys = [pairs.gold, -pairs.iou, pairs.detection] if by_score else [pairs.gold, pairs.detection, -pairs.iou]
    order = np.lexsort(keys)
    used = set(pairs.gold[list(taken.values())].tolist())
    for at in order[allowed[order]].tolist():
        row, column = int(pairs.detection[at]), int(pairs.gold[at])
        if row not in taken and column not in used:
            taken[row] = at
            used.add(column)


def _fitted(detected: Image, gold: Image) -> Sequence[Box]:
    """The detections in pixels of the gold picture, whose size may differ."""
    if not (detected.width and detected.height and gold.width and gold.height):
        return detected.boxes
    across, down = gold.width / detected.width, gold.height / detected.height
    if across == down == 1:
        return detected.boxes
    return [
        Box(box.id, box.x0 * across, box.y0 * down, box.x1 * across, box.y1 * down, box.label, box.score)
        for box in detected.boxes
    ]


def _hit(box: Box, gold: Box, label: str, band: int, overlap: float) -> _Hit:
    sides = np.array([gold.width, gold.height, gold.width, gold.height])
    return _Hit(label, band, _logit(box.score), overlap, (np.array(box.corners) - np.array(gold.corners)) / sides)


def _logit(score: float) -> float:
    inside = min(max(score, SUREST), 1 - SUREST)
    return log(inside / (1 - inside))


def _quantiles(values: Sequence[float], otherwise: Sequence[float]) -> list[float]:
    """The quantiles of values, or of others if there are too few of them."""
    return _rounded(np.quantile(values if len(values) >= FEWEST else otherwise, LEVELS))


def _rounded(values: Floats) -> list[float]:
    return [round(value, 5) for value in values.tolist()]
