"""The images of the novel-object experiment: novel classes, training images without them, test images by domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from msgspec import structs

from limner.bench.class_domains import DOMAINS, IN, find_domains
from limner.bench.counted_classes import CountedClasses
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.class_tables import COCO_CLASSES, EXCLUDED_CLASSES
from limner.corpus.classes.named_classes import NamedClasses
from limner.corpus.image import FrozenDict, Image
from limner.corpus.provenance import ProvenanceTally
from limner.corpus.random_streams import random_stream
from limner.corpus.seen_images import Overlap, SeenImages
from limner.errors import BadInput, LimnerError, shown, unknown
from limner.experiments.detected_views import DetectedViews, sized
from limner.score.novel_mentions import Truth

# The share of images that are test images, unless a corpus of them is given.
TEST_SHARE = 0.2

# The classes that no training caption names where labels are COCO's: those of Hendricks et al. (2016).
COCO_NOVEL = ("bottle", "bus", "couch", "microwave", "pizza", "tennis racket", "suitcase", "zebra")

# Attributes of test images: whether they show a novel class, or a reference names one.
DOMAIN, NOVEL = "domain", "novel"
YES, NO = "yes", "no"

# Where domains are from if test images do not bring them.
FOUND = "classes of boxes that training images have"

# Classes that are drawn are shown by shares of the images between these.
SMALLEST_SHARE = 0.02
LARGEST_SHARE = 0.1


@dataclass(frozen=True)
class NovelObjectImages:
    """What the experiment learns from and tests on.

    `training` images have the boxes that captioners see, and neither show nor
    name a novel class; `n_left_out` others do. `tests` have gold boxes, if
    `has_gold`, references, and the attributes `domain` and `novel`; `detected`
    are the same images, in their order, with the boxes that captioners see.
    `domain_by_class` are the domains of the classes of boxes.
    """

    novel: tuple[str, ...]
    training: Sequence[Image]
    tests: Sequence[Image]
    detected: Sequence[Image]
    labels: tuple[str, ...]
    n_left_out: int
    has_gold: bool
    boxes_from: str
    boxes_signature: str
    domains_from: str
    domain_by_class: Mapping[str, str]
    warnings: tuple[str, ...] = ()

    @property
    def truth(self) -> Truth:
        """What says that a novel class is there: to ask a detector what it was shown would prove nothing."""
        return "boxes" if self.has_gold else "references"


def split_images(images: Sequence[Image], share: float, seed: int) -> tuple[list[Image], list[Image]]:
    """Training and test images: each is drawn by its id and the seed alone."""
    is_test = [random_stream("split", seed, image.id).random() < share for image in images]
    return (
        [image for image, test in zip(images, is_test, strict=True) if not test],
        [image for image, test in zip(images, is_test, strict=True) if test],
    )


def with_captions(images: Iterable[Image], place: str) -> list[Image]:
    """The images that people have captioned; an error that names the place if there are none."""
    captioned = [image for image in images if any(caption.source == "gold" for caption in image.captions)]
    if not captioned:
        raise BadInput(place, "no image has a caption of people", "give images with captions", code="no-captions")
    return captioned


def prepare_images(
    known: Sequence[Image],
    tests: Sequence[Image],
    views: DetectedViews,
    novel: Sequence[str] | int | None,
    *,
    tree: ClassHierarchy | None = None,
    seed: int = 0,
    place: str = "corpus",
    test_place: str = "test images",
) -> NovelObjectImages:
    """The images of the experiment, of images with captions that are given for training and for the test.

    `novel` are classes, or how many to draw; by default those of Hendricks et
    al. if all labels are COCO's. Parts and super-categories of the `tree` count
    for no domain. Training images that are test images too are an error.
    """
    seen, tested = views.of(known), views.of(tests)
    # A detector that looked at a picture knows its size.
    tests = [sized(image, view) for image, view in zip(tests, tested, strict=True)]
    has_gold = views.has_gold
    shown_training = known if has_gold else seen
    shown_tests = tests if has_gold else tested
    labels = sorted({box.label for group in (shown_training, shown_tests) for image in group for box in image.boxes})
    classes = _novel_classes(novel, labels, [*shown_training, *shown_tests], seed, test_place)
    named = NamedClasses(classes)
    widely = NamedClasses(classes, widely=True)
    is_novel = [bool(_met(widely, image)) for image in shown_training]
    training = [image for image, left_out in zip(seen, is_novel, strict=True) if not left_out]
    captioned = [image for image, left_out in zip(shown_training, is_novel, strict=True) if not left_out]
    if not training:
        problem = "every training image shows or names a novel class"
        raise BadInput(place, problem, "name fewer classes, or give more images", code="all-novel")
    _check_met(classes, named, shown_tests, test_place)
    # Labels that were taken from captions tell what references say, whatever a detector made of them.
    labels_warning = ProvenanceTally.of(image.provenance for image in shown_tests).warning()
    warnings = [*views.warnings, *_check_unseen(captioned, shown_tests, test_place)]
    warnings += [labels_warning] if labels_warning else []
    marked, domains_from, domain_by_class = _with_domains(shown_tests, captioned, named, CountedClasses(tree))
    if domains_from == FOUND and any(DOMAIN in image.attributes for image in shown_tests):
        problem = "some test images bring no domain, or an in-domain one shows a novel class"
        warnings.append(f"{problem}: domains are found anew for all")
    return NovelObjectImages(
        tuple(classes),
        training,
        marked,
        tested,
        tuple(sorted({*labels, *(box.label for group in (seen, tested) for image in group for box in image.boxes)})),
        sum(is_novel),
        has_gold,
        views.described,
        views.signature,
        domains_from,
        domain_by_class,
        tuple(warnings),
    )


def _met(named: NamedClasses, image: Image) -> set[str]:
    """The classes that an image shows, or a caption of people names."""
    texts = (caption.text for caption in image.captions if not caption.source.startswith("system:"))
    return named.shown(image) | named.named_by_any(texts)


def _novel_classes(
    novel: Sequence[str] | int | None, labels: Sequence[str], images: Sequence[Image], seed: int, place: str
) -> list[str]:
    if not labels:
        raise BadInput(place, "no image has a box", "give a corpus with boxes, or detect some", code="no-boxes")
    if novel is None:
        if not {label.casefold() for label in labels} <= set(COCO_CLASSES):
            problem = "nobody said which classes are novel, and the labels are not COCO's"
            remedy = "name the classes, or how many to draw"
            raise LimnerError(f"{problem}; {remedy}", code="no-novel", problem=problem)
        novel = [name for name in COCO_NOVEL if name in {label.casefold() for label in labels}]
    if isinstance(novel, int):
        return _drawn_classes(novel, images, seed)
    label_by_key = {label.casefold(): label for label in labels}
    check_classes(novel, labels)
    if not novel:
        raise LimnerError("there is no novel class; name one at least")
    return list(dict.fromkeys(label_by_key[name.casefold()] for name in novel))


def check_classes(novel: Sequence[str], labels: Sequence[str]) -> None:
    """An error for a novel class that is no label."""
    keys = {label.casefold() for label in labels}
    for name in novel:
        if name.casefold() not in keys:
            raise unknown("class", name, labels)


def _drawn_classes(n: int, images: Sequence[Image], seed: int) -> list[str]:
    """So many classes, of those that some images show and few enough that others remain to learn from."""
    counts = Counter(label for image in images for label in {box.label for box in image.boxes})
    excluded = {name.casefold() for name in EXCLUDED_CLASSES}
    pool = sorted(
        label
        for label, n_images in counts.items()
        if SMALLEST_SHARE * len(images) <= n_images <= LARGEST_SHARE * len(images) and label.casefold() not in excluded
    )
    if not 0 < n <= len(pool):
        shares = f"{SMALLEST_SHARE:.0%} to {LARGEST_SHARE:.0%} of the images show"
        problem = f"cannot draw {n:,} novel classes of the {len(pool):,} that {shares}"
        raise LimnerError(f"{problem}; name classes, or another number")
    rng = Random(f"novel:{seed}")
    # A shuffle by hand: only `Random.random` is promised to give the same numbers in every Python.
    for i in range(n):
        j = i + int(rng.random() * (len(pool) - i))
        pool[i], pool[j] = pool[j], pool[i]
    return sorted(pool[:n])


def _check_met(classes: Collection[str], named: NamedClasses, tests: Iterable[Image], place: str) -> None:
    """An error for a class that no test image shows or names: nothing could be said of it."""
    met = {name for image in tests for name in _met(named, image)}
    for name in classes:
        if name not in met:
            problem = f"no test image shows or names {shown(name)}"
            raise BadInput(place, problem, "name another class, or give more test images", code="no-test-class")


def _check_unseen(training: Iterable[Image], tests: Iterable[Image], place: str) -> tuple[str, ...]:
    seen = SeenImages()
    for image in training:
        seen.add(image)
    overlap = Overlap.of(seen)
    for image in tests:
        overlap.add(image)
    overlap.refuse_seen(place, can_be_allowed=False)
    return tuple(overlap.warnings())


def _with_domains(
    tests: Sequence[Image], captioned: Sequence[Image], named: NamedClasses, counted: CountedClasses
) -> tuple[list[Image], str, dict[str, str]]:
    """The test images with their attributes, where domains are from, and the domains of classes.

    Domains that all test images bring are theirs: a playground's count neither scenery nor clothes.
    """
    domains = find_domains({box.label for image in tests for box in image.boxes}, captioned, counted)
    domain_by_class = {name: of_class.domain for name, of_class in domains.classes.items()}
    has_own = all(image.attributes.get(DOMAIN) in DOMAINS for image in tests)
    # Domains of another choice of novel classes are no domains here.
    if has_own and not any(image.attributes[DOMAIN] == IN and named.shown(image) for image in tests):
        marked, domains_from = list(tests), "the test images' own"
    else:
        unmarked = (
            structs.replace(
                image, attributes=FrozenDict({key: value for key, value in image.attributes.items() if key != DOMAIN})
            )
            for image in tests
        )
        marked, domains_from = list(domains.marked(unmarked)), FOUND
    with_novel = [
        structs.replace(image, attributes=FrozenDict({**image.attributes, NOVEL: YES if _met(named, image) else NO}))
        for image in marked
    ]
    return with_novel, domains_from, domain_by_class
