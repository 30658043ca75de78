"""How far images are from what a captioned corpus shows and says: in, near and out of its domain (nocaps, 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs

from limner.bench.candidate_images import check_read_twice
from limner.bench.counted_classes import CountedClasses
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.class_mentions import count_mentions
from limner.corpus.classes.class_tables import COCO_CLASSES, NARROWER_NAMES, OPEN_IMAGES_NAMES
from limner.corpus.formats import write_corpus
from limner.corpus.image import FrozenDict, Image
from limner.errors import BadInput, shown
from limner.files import entries, read_lines
from limner.progress import Progress, silent, track

IN, NEAR, OUT = "in-domain", "near-domain", "out-domain"
DOMAINS = (IN, NEAR, OUT)
IGNORED = "ignored"

# Mentions above which a class is in-domain although the captioned corpus has no boxes of it.
# The paper's threshold, for the 118,287 captioned images of COCO's training split.
MENTIONS = 1_000


class ClassDomain(NamedTuple):
    """What a class is to the captioned corpus: in-domain, out-domain or ignored, and why."""

    name: str
    mentions: int
    domain: str
    why: str


class CaptionedClass(NamedTuple):
    """A class of the captioned corpus; `meant` are the benchmark's classes that it stands for, if stated.

    `place` is where that is stated, for errors.
    """

    name: str
    meant: tuple[str, ...] = ()
    place: str = ""


class SharedClasses(NamedTuple):
    """The benchmark's classes that the captioned corpus also has, and those that only the captioned corpus has."""

    classes: frozenset[str]
    missing: tuple[str, ...]


def find_domains(
    labels: Collection[str],
    captioned: Iterable[Image],
    counted: CountedClasses,
    *,
    captioned_classes: Iterable[CaptionedClass] | None = None,
    more_than: int = MENTIONS,
) -> Domains:
    """The domains of the classes that `labels` of boxes and the hierarchy name, with respect to a captioned corpus.

    `captioned_classes` are the captioned corpus's classes; default: the labels of its boxes.
    """
    counted.check(labels)
    classes = dict.fromkeys([*counted.known, *sorted(map(counted.class_of, labels))])
    captioned_labels: dict[str, None] = {}
    n_captions = 0

    # One pass over the captioned corpus collects both its captions and its labels.
    def texts() -> Iterator[str]:
        nonlocal n_captions
        for image in captioned:
            captioned_labels.update(dict.fromkeys(box.label for box in image.boxes))
            for text in texts_of_people(image):
                n_captions += 1
                yield text

    mentions = count_mentions(texts(), classes)
    if captioned_classes is None:
        captioned_classes = map(CaptionedClass, captioned_labels)
    shared = find_shared_classes(captioned_classes, classes)
    domains = class_domains(mentions, shared.classes, counted, more_than=more_than)
    return Domains(domains, shared, n_captions, counted)


def write_domains(
    corpus: Iterable[Image],
    captioned: Iterable[Image],
    target: str | Path,
    counted: CountedClasses | None = None,
    *,
    captioned_classes: Iterable[CaptionedClass] | None = None,
    more_than: int = MENTIONS,
    format: str | None = None,
    replace: bool = False,
    progress: Progress = silent,
) -> tuple[Domains, int]:
    """Write a corpus with the domain of each image, and return the domains and the number of images written.

    The corpus is iterated twice, the captioned corpus once; neither is kept in memory.
    """
    results: list[Domains] = []

    # Everything happens inside the generator: a target that cannot be written is an error before the long work.
    def images() -> Iterator[Image]:
        check_read_twice(corpus)
        labels = {box.label for image in track(corpus, "images looked at", progress) for box in image.boxes}
        captioned_images = track(captioned, "captioned images", progress)
        domains = find_domains(
            labels,
            captioned_images,
            counted or CountedClasses(),
            captioned_classes=captioned_classes,
            more_than=more_than,
        )
        results.append(domains)
        yield from domains.marked(track(corpus, "images read again", progress))

    n_written = write_corpus(images(), target, format, replace=replace)
    return results[0], n_written


def class_domains(
    mentions: Mapping[str, int], shared: Collection[str], counted: CountedClasses, *, more_than: int = MENTIONS
) -> dict[str, ClassDomain]:
    """The domain of each class in `mentions`, most mentioned first, ties by name.

    A class that does not count is ignored. Otherwise it is in-domain if the
    captioned corpus shares it or mentions it more than `more_than` times.
    """
    domains = {}
    for name, n in sorted(mentions.items(), key=lambda item: (-item[1], item[0])):
        if reason := counted.why_not(name):
            domains[name] = ClassDomain(name, n, IGNORED, reason)
        elif name in shared:
            domains[name] = ClassDomain(name, n, IN, "class of the captioned corpus")
        elif n > more_than:
            domains[name] = ClassDomain(name, n, IN, f"mentioned more than {more_than:,} times")
        else:
            domains[name] = ClassDomain(name, n, OUT, f"mentioned {n:,} time{'' if n == 1 else 's'}")
    return domains


class Domains:
    """The domains of classes, and of images by the classes of their boxes.

    In-domain images have in-domain classes only, out-domain images none of
    them, near-domain images both. An image without a box of a class that
    counts is in no domain.
    """

    def __init__(
        self, classes: Mapping[str, ClassDomain], shared: SharedClasses, n_captions: int, counted: CountedClasses
    ) -> None:
        self.classes = classes
        self.shared = shared
        self.n_captions = n_captions
        self.n_images: Counter[str] = Counter(dict.fromkeys(DOMAINS, 0))
        self.n_without = 0
        self._counted = counted

    def __repr__(self) -> str:
        counts = ", ".join(f"{n:,} {domain}" for domain, n in self.n_classes.items())
        return f"<Domains of {len(self.classes):,} classes: {counts}>"

    @property
    def n_classes(self) -> dict[str, int]:
        """How many classes are in-domain, out-domain and ignored."""
        counts = Counter(class_domain.domain for class_domain in self.classes.values())
        return {domain: counts[domain] for domain in (IN, OUT, IGNORED)}

    def of(self, labels: Iterable[str]) -> str | None:
        """The domain of an image with boxes of these labels; None if no class of them counts."""
        domains = {self.classes[name].domain for name in self._counted.of(labels)}
        if not domains:
            return None
        return NEAR if len(domains) > 1 else domains.pop()

    def marked(self, images: Iterable[Image]) -> Iterator[Image]:
        """Each image with its domain as the attribute `domain`; one in no domain unchanged. Both are counted."""
        for image in images:
            domain = self.of(box.label for box in image.boxes)
            if domain is None:
                self.n_without += 1
                yield image
            else:
                self.n_images[domain] += 1
                yield structs.replace(image, attributes=FrozenDict({**image.attributes, "domain": domain}))

    def to_json(self) -> dict[str, Any]:
        return {
            "captions": self.n_captions,
            "images": {**self.n_images, "none": self.n_without},
            "classes": self.n_classes,
            "missing": list(self.shared.missing),
            "by_class": [class_domain._asdict() for class_domain in self.classes.values()],
        }


def texts_of_people(image: Image) -> Iterator[str]:
    """The image's captions, without those that a system wrote."""
    return (caption.text for caption in image.captions if not caption.source.startswith("system"))


def coco_classes() -> list[CaptionedClass]:
    """COCO's 80 classes, with the narrower ones of Open Images where it has no such class."""
    return [CaptionedClass(name, NARROWER_NAMES.get(name, ())) for name in COCO_CLASSES]


def read_captioned_classes(path: Path) -> list[CaptionedClass]:
    """The classes of a file: each line is a class and, if the benchmark calls it otherwise, its names there.

    Names are separated by commas. Blank lines and those that start with # are skipped.
    """
    classes = []
    for number, line in entries(read_lines(path)):
        name, *meant = (part.strip() for part in line.split(","))
        if not name or not all(meant):
            raise BadInput(f"{path}:{number}", f"{shown(line)} has an empty name", "give names between commas")
        classes.append(CaptionedClass(name, tuple(meant), f"{path}:{number}"))
    if not classes:
        raise BadInput(str(path), "it names no class", "a line is a class of the captioned corpus")
    return classes


def find_shared_classes(captioned_classes: Iterable[CaptionedClass], classes: Iterable[str]) -> SharedClasses:
    """Which of the benchmark's classes the captioned corpus also has.

    Names are compared in any case and in the singular; COCO's names find Open
    Images'. A name that a file gives and the benchmark does not have is an
    error.
    """
    # A flat hierarchy looks names up exactly as the real one does.
    tree = ClassHierarchy("", dict.fromkeys(classes, ("",)), {}).known_as(OPEN_IMAGES_NAMES)
    shared: set[str] = set()
    missing: list[str] = []
    for captioned_class in captioned_classes:
        class_by_name = {name: tree.find(name) for name in captioned_class.meant or (captioned_class.name,)}
        unknown_names = [name for name, known in class_by_name.items() if known is None]
        # The built-in list may name classes that this benchmark does not have; a file has to be right.
        if unknown_names and captioned_class.meant and captioned_class.place:
            problem = f"the benchmark has no class {shown(unknown_names[0])}"
            raise BadInput(captioned_class.place, problem, "correct the name")
        shared.update(known for known in class_by_name.values() if known is not None)
        if len(unknown_names) == len(class_by_name):
            missing.append(captioned_class.name)
    return SharedClasses(frozenset(shared), tuple(missing))
