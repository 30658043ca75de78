"""How far images are from what a captioned corpus tells of: in, near and out of its domain (nocaps, 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from limner.bench.counted_classes import CountedClasses
from limner.bench.mentions import count_mentions, texts_of_people
from limner.bench.own import OwnClass, Owned, find_own
from limner.corpus.image import FrozenDict, Image

IN, NEAR, OUT = "in-domain", "near-domain", "out-domain"
DOMAINS = (IN, NEAR, OUT)
IGNORED = "ignored"

MENTIONS = 1_000
"""Mentions above which a class is in-domain, though the captioned corpus has no boxes of it."""


class ClassDomain(NamedTuple):
    """What a class is to the captioned corpus: in-domain, out-domain or ignored, and why."""

    name: str
    mentions: int
    domain: str
    why: str


def class_domains(
    mentions: Mapping[str, int], own: Collection[str], counted: CountedClasses, *, more_than: int = MENTIONS
) -> dict[str, ClassDomain]:
    """The domain of each class whose mentions are given, those most mentioned first and equal ones by name.

    A class that does not count is ignored; otherwise it is in-domain if it is
    one of the captioned corpus' `own`, or mentioned `more_than` so many times.
    """
    found = {}
    for name, n in sorted(mentions.items(), key=lambda item: (-item[1], item[0])):
        if reason := counted.why_not(name):
            found[name] = ClassDomain(name, n, IGNORED, reason)
        elif name in own:
            found[name] = ClassDomain(name, n, IN, "class of the captioned corpus")
        elif n > more_than:
            found[name] = ClassDomain(name, n, IN, f"mentioned more than {more_than:,} times")
        else:
            found[name] = ClassDomain(name, n, OUT, f"mentioned {n:,} time{'' if n == 1 else 's'}")
    return found


def find_domains(
    labels: Collection[str],
    captioned: Iterable[Image],
    counted: CountedClasses,
    *,
    own: Iterable[OwnClass] | None = None,
    more_than: int = MENTIONS,
) -> Domains:
    """The domains of the classes that `labels` of boxes, and the hierarchy, name, as a captioned corpus has them.

    `own` are the captioned corpus' classes; where they are not given, the labels of its boxes are.
    """
    counted.check(labels)
    classes = dict.fromkeys([*counted.known, *sorted(map(counted.class_of, labels))])
    met: dict[str, None] = {}
    n_captions = 0

    def texts() -> Iterator[str]:
        nonlocal n_captions
        for image in captioned:
            met.update(dict.fromkeys(box.label for box in image.boxes))
            for text in texts_of_people(image):
                n_captions += 1
                yield text

    mentions = count_mentions(texts(), classes)
    owned = find_own(map(OwnClass, met) if own is None else own, classes)
    found = class_domains(mentions, owned.classes, counted, more_than=more_than)
    return Domains(found, owned, n_captions, counted)


class Domains:
    """The domains of classes, and of the images that are put into them by the classes of their boxes.

    In-domain images have in-domain classes alone, out-domain ones none of
    them, near-domain ones both. An image without a box of a class that counts
    is in no domain.
    """

    def __init__(
        self, classes: Mapping[str, ClassDomain], owned: Owned, n_captions: int, counted: CountedClasses
    ) -> None:
        self.classes = classes
        self.owned = owned
        self.n_captions = n_captions
        self.n_images: Counter[str] = Counter(dict.fromkeys(DOMAINS, 0))
        self.n_without = 0
        self._counted = counted

    @property
    def n_classes(self) -> dict[str, int]:
        """How many classes are in-domain, out-domain and ignored."""
        found = Counter(one.domain for one in self.classes.values())
        return {domain: found[domain] for domain in (IN, OUT, IGNORED)}

    def of(self, labels: Iterable[str]) -> str | None:
        """The domain of an image with boxes of these labels."""
        domains = {self.classes[name].domain for name in self._counted.of(labels)}
        if not domains:
            return None
        return NEAR if len(domains) > 1 else domains.pop()

    def marked(self, images: Iterable[Image]) -> Iterator[Image]:
        """Each image with its domain as the attribute `domain`, and counted; one that is in none as it is."""
        for image in images:
            domain = self.of(box.label for box in image.boxes)
            if domain is None:
                self.n_without += 1
                yield image
            else:
                self.n_images[domain] += 1
                yield replace(image, attributes=FrozenDict({**image.attributes, "domain": domain}))

    def to_json(self) -> dict[str, Any]:
        return {
            "captions": self.n_captions,
            "images": {**self.n_images, "none": self.n_without},
            "classes": self.n_classes,
            "missing": list(self.owned.missing),
            "by_class": [one._asdict() for one in self.classes.values()],
        }
