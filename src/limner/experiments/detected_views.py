"""Images with a detector's boxes in place of their own: simulated, of a corpus, of a model, or those they have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from limner.corpus import open_corpus
from limner.corpus.image import Image
from limner.corpus.provenance import DETECTED
from limner.errors import BadInput, LimnerError, shown
from limner.experiments.experiment_cache import ExperimentCache, images_signature, signature_of
from limner.learn.model_files import path_fingerprint
from limner.progress import Progress, silent, track
from limner.vision.detecting import bare, detect_corpus, simulate_corpus, with_boxes
from limner.vision.detections import DetectionSettings
from limner.vision.detectors import open_detector
from limner.vision.simulated_detector import BUILT_IN, SimulatedDetector, is_simulated, open_simulated

# The share of the images that detections may lack.
MOST_MISSING = 0.5


@dataclass(frozen=True)
class DetectorChoice:
    """Whose boxes captioners see.

    `detector` is `simulated`, the profile of a simulated detector, or a model
    that looks at `pictures`; `corpus` are the sources of a corpus with the boxes
    of a detector for the same images, and goes before. Boxes below `score` do
    not count.
    """

    detector: Path = Path(BUILT_IN)
    corpus: Sequence[str] = ()
    pictures: Path | None = None
    score: float = DetectionSettings().score
    false_positives: float = 1.0

    @property
    def is_usual(self) -> bool:
        """Whether nobody named a detector."""
        return self.detector == Path(BUILT_IN)


@dataclass
class DetectedViews:
    """Makes views of images with detections; they are made once and kept in the cache.

    `images` are all of the experiment's. If they are detections already, they stay as
    they are, and nobody knows gold boxes: `has_gold` is False.
    """

    choice: DetectorChoice
    images: Sequence[Image]
    cache: ExperimentCache
    seed: int = 0
    lenient: bool = False
    progress: Progress = silent
    has_gold: bool = field(init=False)
    described: str = field(init=False)
    signature: str = field(init=False)
    warnings: tuple[str, ...] = field(init=False, default=())
    _views: dict[str, Image] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # In the order of their ids, whichever are for the test: another seed finds what was detected.
        self.images = sorted(self.images, key=lambda image: image.id)
        self.has_gold = any(image.boxes for image in self.images) and not _are_detected(self.images)
        made = self._made()
        self._views = {image.id: image for image in made}

    def of(self, images: Iterable[Image]) -> list[Image]:
        """The images with the detector's boxes."""
        return [self._views[image.id] for image in images]

    def _made(self) -> Sequence[Image]:
        if self.choice.corpus:
            return self._from_corpus(self.choice.corpus)
        if is_simulated(self.choice.detector):
            return self._own() if _are_detected(self.images) and self.choice.is_usual else self._simulated()
        return self._detected()

    def _own(self) -> list[Image]:
        least = self.choice.score
        self.described, self.signature = f"the corpus's own detections, score from {least:g}", f"corpus|score:{least:g}"
        return [
            structs.replace(image, boxes=tuple(box for box in image.boxes if box.score >= least))
            for image in self.images
        ]

    def _from_corpus(self, sources: Sequence[str]) -> list[Image]:
        corpus = open_corpus(list(sources), lenient=self.lenient)
        detection_by_id = {image.id: image for image in track(corpus, "images with detections", self.progress)}
        missing = [image.id for image in self.images if image.id not in detection_by_id]
        if missing:
            problem = f"it has no detections of {len(missing):,} of the {len(self.images):,} images"
            problem = f"{problem}, such as {shown(missing[0])}"
            # COCO's results leave out images in which nothing was detected.
            if len(missing) > MOST_MISSING * len(self.images):
                remedy = "give detections of the same images"
                raise BadInput(corpus.name, problem, remedy, code="other-images")
            self.warnings = (f"{corpus.name}: {problem}; captioners see none there",)
        _refuse_gold(corpus.name, self.images, detection_by_id)
        least = f"score from {self.choice.score:g}"
        self.described, self.signature = f"detections of {Path(corpus.name).name}, {least}", f"given|{least}"
        views = []
        for image in self.images:
            detection = detection_by_id.get(image.id, Image(image.id))
            boxes = [box for box in detection.boxes if box.score >= self.choice.score]
            detector = str(detection.provenance.get("detector", "given"))
            views.append(with_boxes(bare(sized(image, detection)), boxes, detector))
        return views

    def _simulated(self) -> list[Image]:
        if not self.has_gold:
            problem = "a simulated detector sees gold boxes, and no image has any"
            raise LimnerError(f"{problem}; give detections, or a detector and pictures", code="no-boxes")
        settings = DetectionSettings(score=self.choice.score)
        detector = _open(self.choice, self.seed, settings, every_label=False)
        label_by_key = {box.label.casefold(): box.label for image in self.images for box in image.boxes}
        every_label = not all(detector.knows(box) for image in self.images for box in image.boxes)
        if every_label:
            detector = _open(self.choice, self.seed, settings, every_label=True)
        self.described, self.signature = f"simulated detector, score from {settings.score:g}", detector.signature

        def views() -> Iterable[Image]:
            simulated = simulate_corpus(track(self.images, "detections", self.progress, len(self.images)), detector)
            for image in simulated:
                yield _with_labels(image, label_by_key) if every_label else image

        labels = sorted(label_by_key.values()) if every_label else ""
        key = signature_of(detector.signature, labels, images_signature(self.images))
        return self.cache.images(f"detections/simulated-{key}", views, "simulating detections")

    def _detected(self) -> list[Image]:
        if not self.choice.detector.exists():
            problem = "there is no such detector"
            raise BadInput(str(self.choice.detector), problem, f"name a model, a profile, or {BUILT_IN}")
        if self.choice.pictures is None:
            raise LimnerError("the detector looks at pictures; give their folder", code="no-pictures")
        model, pictures = self.choice.detector, self.choice.pictures
        settings = DetectionSettings(score=self.choice.score)
        self.described = f"{model.name}, score from {settings.score:g}"
        self.signature = f"{model.name}|{path_fingerprint(model)}|{settings.signature}"
        key = signature_of(self.signature, str(pictures.resolve()), images_signature(self.images))

        def views() -> Iterable[Image]:
            detector = open_detector(model, None, settings)
            images = track(self.images, "pictures", self.progress, len(self.images))
            return detect_corpus(images, pictures, detector)

        return self.cache.images(f"detections/detected-{key}", views, f"detecting things with {model.name}")


def _with_labels(image: Image, label_by_key: Mapping[str, str]) -> Image:
    """The image with boxes of a corpus's labels alone, written as there.

    Boxes on nothing and confusions have the profile's classes; a detector of the corpus knows the corpus's.
    """
    boxes = (
        structs.replace(box, label=label_by_key[box.label.casefold()])
        for box in image.boxes
        if box.label.casefold() in label_by_key
    )
    return structs.replace(image, boxes=tuple(boxes))


def _open(choice: DetectorChoice, seed: int, settings: DetectionSettings, *, every_label: bool) -> SimulatedDetector:
    return open_simulated(
        choice.detector,
        seed=seed,
        false_positives=choice.false_positives,
        every_label=every_label,
        settings=settings,
    )


def _are_detected(images: Sequence[Image]) -> bool:
    """Whether boxes are a detector's: it says so, or most have a score below 1, which gold boxes have."""
    boxed = [image for image in images if image.boxes]
    if not boxed:
        return False
    scores = [box.score for image in boxed for box in image.boxes]
    is_scored = sum(score < 1 for score in scores) > len(scores) / 2
    return is_scored or all(image.provenance.get("labels") == DETECTED for image in boxed)


def _refuse_gold(place: str, images: Sequence[Image], detection_by_id: Mapping[str, Image]) -> None:
    """An error for detections among which most gold boxes are, to the pixel: whoever merged them in did not mean it."""
    n_gold = n_met = 0
    for image in images:
        detected = {(box.label, *box.corners) for box in detection_by_id.get(image.id, Image(image.id)).boxes}
        n_gold += len(image.boxes)
        n_met += sum((box.label, *box.corners) in detected for box in image.boxes)
    if n_gold and n_met > n_gold / 2:
        problem = f"{n_met:,} of the {n_gold:,} gold boxes are among the detections, to the pixel"
        raise BadInput(place, problem, "give the detector's boxes without gold ones", code="gold-detections")


def sized(image: Image, other: Image) -> Image:
    """The image with the size that another of the same picture has, if it has none."""
    if image.width is not None and image.height is not None:
        return image
    return structs.replace(image, width=other.width, height=other.height)
