"""The errors of a detector, as counts and quantiles: what it misses, moves, mistakes and invents, and how sure it is.

A profile is a small model file (`learn.model_files`), made from gold boxes and
a real detector's boxes of the same pictures (`error_fitting`). Sizes are the
share of the picture that a box covers, in bands; scores are kept as logits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import as_file, files
from itertools import chain, pairwise
from math import isfinite
from pathlib import Path

import msgspec
import numpy as np

from limner.arrays import Floats, Integers
from limner.learn.model_files import ModelKind, read_record, write_record

KIND = ModelKind("detector", 1, "limner.vision.fit_profile")

# Where bands of sizes begin, as shares of the picture.
BANDS = (0.005, 0.02, 0.08, 0.3)
N_BANDS = len(BANDS) + 1

# Levels of the quantiles that stand for a distribution, close to each other at its ends: few boxes decide what the
# surest errors are, and a straight line from the 95th percentile to the largest score would make them many.
_TAIL = (0.0, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075)
LEVELS = np.array([*_TAIL, *(i / 20 for i in range(2, 19)), *(1.0 - level for level in reversed(_TAIL))])
N_LEVELS = len(LEVELS)

# Fifths of the scores of right detections, from unsure to sure: a sure detection is better placed.
N_FIFTHS = 5

MAX_CLASSES = 10_000

# Pictures or boxes that anything counts: sums of such counts are exact in 64 bits.
MAX_COUNT = 1 << 40

# The name of all classes that have no scores of their own.
OTHERS = ""


class ErrorProfile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a detector does to gold boxes.

    By class and band of size: `n_gold` boxes, of which it found `n_right` by
    the right class and `n_confused` by another (`confusions`, by class and
    class). `offsets` are the mean and the covariance of how far it moves left,
    top, right and bottom edges, in widths and heights of the box; `overlaps`
    the quantiles of the IoU, by band and fifth of the score.

    `right_scores` are quantiles of the logits of scores, by band;
    `class_scores` how far a class is above them, and of how many boxes that is
    known. `confused_scores` are those of wrong classes, `false_scores` those of
    boxes that are on nothing: of each class with many of these, and of all
    other classes under the name `""`.

    `n_false` counts pictures by how many boxes on nothing they have,
    `false_classes` and `false_bands` what these are; `false_present` is the
    share of those in pictures with gold boxes whose class these have too;
    `false_aspect` the mean and the spread of the logarithm of width to height.
    No picture has more than `most` detections, and none scores less than
    `least_score`.
    """

    limner_model: str = KIND.name
    version: int = KIND.version
    source: str = ""
    classes: list[str]
    n_images: int
    n_gold: list[list[int]]
    n_right: list[list[int]]
    n_confused: list[int]
    confusions: dict[str, dict[str, int]]
    offsets: tuple[list[float], list[list[float]]]
    overlaps: list[list[list[float]]]
    confused_overlaps: list[float]
    right_scores: list[list[float]]
    class_scores: dict[str, tuple[float, int]]
    confused_scores: list[float]
    false_scores: dict[str, list[float]]
    n_false: list[int]
    false_classes: dict[str, int]
    false_bands: list[int]
    false_present: float
    false_aspect: tuple[float, float]
    most: int
    least_score: float

    def save(self, path: Path) -> None:
        """Write the profile as JSON, whole or not at all."""
        write_record(self, path)

    def faults(self) -> Iterator[str]:
        """What is wrong with a profile that was read; nothing if it is sound."""
        if any(not 0 <= count <= MAX_COUNT for count in self._counts()):
            yield f"has a count that is not from 0 to {MAX_COUNT:,}"
            return
        n = len(self.classes)
        if not 0 < n <= MAX_CLASSES or len(set(self.classes)) < n or not all(self.classes):
            yield f"has {n:,} classes, or one of them twice"
        if any(len(table) != n or any(len(row) != N_BANDS for row in table) for table in (self.n_gold, self.n_right)):
            yield f"needs counts of {n:,} classes by {N_BANDS} sizes"
        elif any(
            r > g
            for golds, rights in zip(self.n_gold, self.n_right, strict=True)
            for g, r in zip(golds, rights, strict=True)
        ):
            yield "found more boxes than there are"
        if len(self.n_confused) != N_BANDS:
            yield f"needs counts of confusions by {N_BANDS} sizes"
        yield from self._faults_of_names()
        yield from self._faults_of_shapes()
        if sum(self.n_false) == 0 or len(self.n_false) > 100_000:
            yield "needs numbers of pictures by their false boxes"
        if not 0 <= self.false_present <= 1 or not 0 <= self.least_score <= 1 or self.most < 1:
            yield "has a share outside 0 to 1"

    def _counts(self) -> Iterator[int]:
        yield from (self.n_images, self.most, *self.n_confused, *self.n_false, *self.false_bands)
        yield from chain.from_iterable([*self.n_gold, *self.n_right])
        yield from self.false_classes.values()
        yield from chain.from_iterable(row.values() for row in self.confusions.values())
        yield from (n for _, n in self.class_scores.values())

    def _faults_of_names(self) -> Iterator[str]:
        known = set(self.classes)
        named = {*self.confusions, *self.class_scores, *self.false_classes, *self.false_scores} - {OTHERS}
        named |= {name for row in self.confusions.values() for name in row}
        if unknown := sorted(named - known):
            yield f"speaks of class {unknown[0]!r}, which is not among its classes"

    def _faults_of_shapes(self) -> Iterator[str]:
        overlaps = [*(quantiles for row in self.overlaps for quantiles in row), self.confused_overlaps]
        scores = [*self.right_scores, self.confused_scores, *self.false_scores.values()]
        is_square = len(self.overlaps) == N_BANDS and all(len(row) == N_FIFTHS for row in self.overlaps)
        if not is_square or len(self.right_scores) != N_BANDS:
            yield f"needs quantiles for {N_BANDS} sizes"
        if OTHERS not in self.false_scores:
            yield "needs scores of false boxes of any class"
        if not all(map(_is_rising, [*overlaps, *scores])):
            yield f"needs {N_LEVELS} quantiles that rise"
        if any(not 0 < quantiles[0] <= quantiles[-1] <= 1 for quantiles in overlaps if quantiles):
            yield "has an IoU outside 0 to 1"
        mean, covariance = self.offsets
        if len(mean) != 4 or len(covariance) != 4 or any(len(row) != 4 for row in covariance):
            yield "needs offsets of four edges"
        elif not _is_covariance(np.array(covariance)):
            yield "has offsets that cannot vary together"
        if len(self.false_bands) != N_BANDS or not sum(self.false_bands):
            yield f"needs counts of false boxes by {N_BANDS} sizes"
        numbers = [*mean, *(x for row in covariance for x in row), *self.false_aspect]
        numbers += [shift for shift, _ in self.class_scores.values()]
        if not all(map(isfinite, numbers)) or self.false_aspect[1] < 0:
            yield "has a number that is not finite"


def read_profile(path: Path) -> ErrorProfile:
    """The profile in a file, checked."""
    return read_record(path, KIND, ErrorProfile, ErrorProfile.faults)


@cache
def built_in_profile() -> ErrorProfile:
    """The profile that comes with Limner: EfficientDet-Lite2 on pictures of Flickr30k (see `source`)."""
    with as_file(files(__package__).joinpath("efficientdet_profile.json")) as path:
        return read_profile(path)


def band_of(shares: Floats) -> Integers:
    """The band of boxes that cover these shares of their picture."""
    return np.searchsorted(BANDS, shares, side="right")


def _is_covariance(table: Floats) -> bool:
    # Fitted ones are rounded to five places.
    if not np.isfinite(table).all() or not np.allclose(table, table.T, rtol=0, atol=2e-5):
        return False
    return bool(np.linalg.eigvalsh(table).min() >= -1e-9)


def _is_rising(quantiles: Sequence[float]) -> bool:
    is_whole = len(quantiles) == N_LEVELS and all(map(isfinite, quantiles))
    return is_whole and all(a <= b for a, b in pairwise(quantiles))
