"""A detector that sees gold boxes and makes a real one's errors.

It misses boxes, moves their edges, takes classes for similar ones and adds
boxes that are on nothing, as often as its profile says, with scores that mean
as much. So experiments can say "detections" and mean something else than
"ground truth" where nobody has pictures or a detector.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from limner.arrays import Booleans, Floats
from limner.corpus.box import Box
from limner.corpus.classes.detector_classes import DetectorClasses
from limner.corpus.geometry import corners, iou, nms
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.errors import BadInput, LimnerError, shown
from limner.vision.detections import DetectionSettings
from limner.vision.error_profile import (
    BANDS,
    LEVELS,
    N_FIFTHS,
    OTHERS,
    ErrorProfile,
    band_of,
    built_in_profile,
    read_profile,
)
from limner.vision.error_rates import ErrorRates

# The search for a move of the wanted IoU: a length that grows fourfold until it is too far, then halvings.
FIRST_LENGTH = 1e-2
GROWTHS = 10
HALVINGS = 26

# Times that a box which should be on nothing is drawn anew because it fell on a gold box.
REDRAWS = 5

# The least share of a picture that a box on nothing covers.
SMALLEST = 0.0005


# The name of the detector with the profile that comes with Limner.
BUILT_IN = "simulated"


def is_simulated(model: Path) -> bool:
    """Whether this names a simulated detector: the built-in one, or a profile by its suffix."""
    return str(model) == BUILT_IN or model.name.endswith((".json", ".json.gz", ".json.zst"))


def open_simulated(
    model: Path,
    *,
    seed: int = 0,
    false_positives: float = 1.0,
    every_label: bool = False,
    settings: DetectionSettings | None = None,
) -> SimulatedDetector:
    """The simulated detector of a profile's file, or the built-in one; see `SimulatedDetector`."""
    profile = built_in_profile() if str(model) == BUILT_IN else read_profile(model)
    return SimulatedDetector(
        profile, seed=seed, false_positives=false_positives, every_label=every_label, settings=settings
    )


class SimulatedDetector:
    """Detections of images from their gold boxes: the same for the same image and seed, whatever the others are.

    `false_positives` multiplies the number of boxes on nothing, 0 for none.
    With `every_label` boxes whose labels mean no class of the profile are
    detected too, as often as those of its classes are on average, and all
    keep their labels; without, labels are those of the profile's classes.
    `settings` say what counts as detected (default: as in the profile).
    """

    def __init__(
        self,
        profile: ErrorProfile | None = None,
        *,
        seed: int = 0,
        false_positives: float = 1.0,
        every_label: bool = False,
        settings: DetectionSettings | None = None,
    ) -> None:
        if not 0 <= false_positives <= 1000:
            raise LimnerError(f"false positives cannot be multiplied by {false_positives}; give a number from 0 on")
        self.profile = built_in_profile() if profile is None else profile
        self.seed = seed
        self.false_positives = false_positives
        self.every_label = every_label
        self.settings = DetectionSettings(score=self.profile.least_score) if settings is None else settings
        self.class_names = tuple(self.profile.classes)
        self._classes = DetectorClasses(self.class_names)
        self._number = {name: i for i, name in enumerate(self.class_names)}
        self._rates = ErrorRates(self.profile)

    @property
    def signature(self) -> str:
        """Every choice that could change the detections."""
        # Where a profile is from, often a path, changes nothing.
        digest = sha256(msgspec.json.encode(replace(self.profile, source=""))).hexdigest()[:12]
        labels = "every" if self.every_label else "classes"
        choices = f"seed:{self.seed}|false_positives:{self.false_positives:g}|labels:{labels}"
        return f"simulated:{digest}|{choices}|{self.settings.signature}"

    def knows(self, box: Box) -> bool:
        """Whether the box can be detected by its label."""
        return self.every_label or self._classes.find(box.label) is not None

    def detect_boxes(self, image: Image) -> tuple[Box, ...]:
        """The detections of an image, best score first; what else it has does not matter."""
        if image.width is None or image.height is None:
            problem, remedy = "its size is unknown", "give a corpus that tells the sizes of its pictures"
            raise BadInput(f"image {shown(image.id)}", problem, remedy)
        random = np.random.default_rng(random_stream("detection", self.seed, image.id).getrandbits(128))
        size = np.array([image.width, image.height], dtype=np.float64)
        # An order of their own: that of a file must not change what is drawn for a box.
        gold = sorted((box for box in image.boxes if self.knows(box)), key=lambda box: (box.corners, box.label, box.id))
        drawn = [*self._on_gold(gold, size, random), *self._on_nothing(gold, size, random)]
        drawn.sort(key=lambda item: -item[2])
        return self._kept([_box(edges, label, score) for edges, label, score in drawn[: self.profile.most]])

    def _kept(self, boxes: list[Box]) -> tuple[Box, ...]:
        """The boxes that count as detected, which stand best first, by the rules of real detectors."""
        sure = [box for box in boxes if box.score >= self.settings.score and box.area > 0]
        if not sure:
            return ()
        rows = nms(corners(sure), [box.score for box in sure], self.settings.nms, [box.label for box in sure])
        return tuple(replace(sure[row], id=f"d{i}") for i, row in enumerate(rows[: self.settings.most].tolist()))

    def _on_gold(self, gold: list[Box], size: Floats, random: np.random.Generator) -> list[tuple[Floats, str, float]]:
        """Boxes near gold boxes: of their class, or of one that it was taken for."""
        if not gold:
            return []
        numbers = np.array([self._class_number(box) for box in gold])
        placed = corners(gold)
        bands = band_of((placed[:, 2:] - placed[:, :2]).prod(axis=1) / size.prod())
        draws = random.random((len(gold), 5))
        is_right = draws[:, 0] < self._rates.right[numbers, bands]
        is_confused = ~is_right & (draws[:, 1] < self._rates.confused[numbers, bands])
        logits, overlaps = np.empty(len(gold)), np.empty(len(gold))
        for i, (band, number) in enumerate(zip(bands.tolist(), numbers.tolist(), strict=True)):
            if is_right[i]:
                fifth = min(int(draws[i, 2] * N_FIFTHS), N_FIFTHS - 1)
                score, overlap = self.profile.right_scores[band], self.profile.overlaps[band][fifth]
            else:
                score, overlap = self.profile.confused_scores, self.profile.confused_overlaps
            shift = self._rates.shift[number] if is_right[i] else 0.0
            logits[i] = np.interp(draws[i, 2], LEVELS, score) + shift
            overlaps[i] = np.interp(draws[i, 3], LEVELS, overlap)
        mean, covariance = self.profile.offsets
        steps = random.multivariate_normal(np.array(mean), np.array(covariance), size=len(gold), check_valid="ignore")
        moved = moved_boxes(placed, steps, overlaps, size)
        labels = [
            self._label(box) if is_right[i] else self._rates.confusion(int(numbers[i]), box.label, draws[i, 4])
            for i, box in enumerate(gold)
        ]
        return [(moved[i], labels[i], self._score(logits[i])) for i in np.flatnonzero(is_right | is_confused).tolist()]

    def _on_nothing(
        self, gold: list[Box], size: Floats, random: np.random.Generator
    ) -> list[tuple[Floats, str, float]]:
        """Boxes where the gold has none of their class."""
        n = self._rates.n_false(random, self.false_positives)
        if not n:
            return []
        present = sorted({self._class_number(box) for box in gold} - {len(self.class_names)})
        labels = [self._rates.false_class(random, present) for _ in range(n)]
        placed = self._false_boxes(labels, gold, size, random)
        drawn = []
        for edges, name, level in zip(placed, map(self.class_names.__getitem__, labels), random.random(n), strict=True):
            scores = self.profile.false_scores.get(name, self.profile.false_scores[OTHERS])
            drawn.append((edges, name, self._score(float(np.interp(level, LEVELS, scores)))))
        return drawn

    def _false_boxes(self, labels: list[int], gold: list[Box], size: Floats, random: np.random.Generator) -> Floats:
        placed = self._random_boxes(len(labels), size, random)
        if not gold:
            return placed
        truth, numbers = corners(gold), np.array([self._class_number(box) for box in gold])
        is_same = np.array(labels)[:, None] == numbers
        for _ in range(REDRAWS):
            hits = ((iou(placed, truth) >= 0.5) & is_same).any(axis=1)
            if not hits.any():
                break
            placed[hits] = self._random_boxes(int(hits.sum()), size, random)
        return placed

    def _random_boxes(self, n: int, size: Floats, random: np.random.Generator) -> Floats:
        """Boxes of the sizes and proportions that boxes on nothing have, anywhere in the picture."""
        edges = np.log([SMALLEST, *BANDS, 1.0])
        bands = random.choice(len(BANDS) + 1, size=n, p=self._rates.false_bands)
        share = np.exp(random.uniform(edges[bands], edges[bands + 1]))
        aspect = np.exp(random.normal(*self.profile.false_aspect, size=n))
        sides = np.sqrt(share * size.prod())[:, None] * np.stack([np.sqrt(aspect), 1 / np.sqrt(aspect)], axis=1)
        sides = np.minimum(np.maximum(sides, 1.0), size)
        start = random.random((n, 2)) * (size - sides)
        return np.concatenate([start, start + sides], axis=1)

    def _class_number(self, box: Box) -> int:
        """The number of the box's class; that after the last for a label that means none."""
        meant = self._classes.find(box.label)
        return len(self.class_names) if meant is None else self._number[meant.name]

    def _label(self, box: Box) -> str:
        meant = None if self.every_label else self._classes.find(box.label)
        return box.label if meant is None else meant.name

    def _score(self, logit: float) -> float:
        return max(self.profile.least_score, float(1 / (1 + np.exp(-logit))))


def _box(edges: Floats, label: str, score: float) -> Box:
    x0, y0, x1, y1 = np.round(edges, 2).tolist()
    return Box("d", x0, y0, x1, y1, label, round(score, 4))


def moved_boxes(boxes: Floats, steps: Floats, overlaps: Floats, size: Floats) -> Floats:
    """Boxes moved along steps, in their widths and heights, so far that they keep the wanted IoU.

    They are cut to the picture. A box whose edges the picture stops before it
    has moved so far keeps a larger IoU.
    """
    sides = np.tile(boxes[:, 2:] - boxes[:, :2], 2)
    ways, limits = steps * sides, np.tile(size, 2)
    whole = sides[:, 0] * sides[:, 1]

    def at(length: Floats) -> Floats:
        cut = np.minimum(np.maximum(boxes + length[:, None] * ways, 0.0), limits)
        # Edges that have passed each other leave a box without area.
        cut[:, 2:] = np.maximum(cut[:, :2], cut[:, 2:])
        return cut

    def is_too_far(length: Floats) -> Booleans:
        moved = at(length)
        inside = np.minimum(boxes[:, 2:], moved[:, 2:]) - np.maximum(boxes[:, :2], moved[:, :2])
        shared = np.maximum(inside, 0.0).prod(axis=1)
        together = whole + (moved[:, 2:] - moved[:, :2]).prod(axis=1) - shared
        return np.asarray(shared < overlaps * together, dtype=np.bool_)

    low, high = np.zeros(len(boxes)), np.full(len(boxes), FIRST_LENGTH)
    for _ in range(GROWTHS):
        high = np.where(is_too_far(high), high, 4 * high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_far = is_too_far(middle)
        low, high = np.where(is_far, low, middle), np.where(is_far, middle, high)
    return at(low)
