"""What a corpus has that a format cannot hold, counted while the corpus is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from limner.corpus.box import GOLD, Box
from limner.corpus.caption import Mention
from limner.corpus.image import Image
from limner.text.noun_forms import singular

# How many things of a kind an image has. They are listed in this order; the first word is in the plural.
KINDS: Mapping[str, Callable[[Image], int]] = {
    "boxes": lambda image: len(image.boxes),
    "mentions": lambda image: sum(len(caption.mentions) for caption in image.captions),
    # As statistics count them: chains that nobody mentions apart.
    "chains": lambda image: sum(1 for chain in image.chains if chain.id in _mentioned(image)),
    "chains nobody mentions": lambda image: sum(1 for chain in image.chains if chain.id not in _mentioned(image)),
    "types of mentions": lambda image: _mentions(image, lambda mention: mention.types),
    "candidates of mentions": lambda image: _mentions(image, lambda mention: mention.candidates),
    "origins of mentions": lambda image: _mentions(image, lambda mention: mention.origin),
    "labels of boxes": lambda image: 0 if _labels_from_captions(image) else len(image.boxes),
    "scores of boxes": lambda image: _boxes(image, lambda box: box.score != GOLD),
    "types of boxes": lambda image: 0 if _labels_from_captions(image) else _boxes(image, lambda box: box.types),
    "types of boxes but the first": lambda image: _boxes(image, lambda box: box.types[1:]),
    "attributes of boxes": lambda image: _boxes(image, lambda box: box.attributes),
    "flags of boxes": lambda image: _boxes(image, lambda box: box.flags),
    "flags of boxes but crowd": lambda image: _boxes(image, lambda box: set(box.flags) - {"crowd"}),
    "sources of captions": lambda image: sum(1 for caption in image.captions if caption.source != "gold"),
    "sizes of pictures": lambda image: int(image.width is not None),
    "labels of images": lambda image: len(image.labels),
    "notes on provenance": lambda image: len(image.provenance),
    "notes on provenance but of labels": lambda image: len(image.provenance) - _labels_from_captions(image),
}
ATTRIBUTES = "attributes of images"


@dataclass(frozen=True, slots=True)
class Limits:
    """The kinds of things that a format cannot hold, and the attributes of images that it can, None for all."""

    kinds: tuple[str, ...] = ()
    attributes: frozenset[str] | None = frozenset()

    def lost(self, image: Image) -> Iterator[tuple[str, int]]:
        """Each kind, and how many things of it the image loses."""
        for kind in self.kinds:
            yield kind, KINDS[kind](image)
        if self.attributes is not None and image.attributes:
            yield ATTRIBUTES, len(image.attributes.keys() - self.attributes)


_GROUNDING = ("mentions", "chains", "chains nobody mentions")
_MENTION_DETAILS = ("candidates of mentions", "origins of mentions")
_IMAGE_DETAILS = ("labels of images", "notes on provenance")
_BOX_DETAILS = ("types of boxes but the first", "attributes of boxes", "flags of boxes but crowd")

# By the name of the format; one that is not here holds everything.
LIMITS: Mapping[str, Limits] = {
    "flickr30k-entities": Limits(
        (
            *_MENTION_DETAILS,
            *("labels of boxes", "scores of boxes", "types of boxes", "attributes of boxes", "flags of boxes"),
            *("sources of captions", "labels of images", "notes on provenance but of labels"),
        )
    ),
    "tsv": Limits(
        (
            "chains",
            "chains nobody mentions",
            "types of mentions",
            *_MENTION_DETAILS,
            "labels of images",
            "notes on provenance",
        )
    ),
    "coco": Limits((*_GROUNDING, *_BOX_DETAILS, *_IMAGE_DETAILS)),
    "nocaps": Limits((*_GROUNDING, *_BOX_DETAILS, *_IMAGE_DETAILS), frozenset({"domain", "open_images_id"})),
    "karpathy": Limits(("boxes", *_GROUNDING, "sizes of pictures", *_IMAGE_DETAILS), frozenset({"split"})),
}
_NO_LIMITS = Limits(attributes=None)


def counting_losses(images: Iterable[Image], format: str, lost: Counter[str]) -> Iterator[Image]:
    """The images; `lost` counts by kind what the format cannot hold of them, as they pass."""
    limits = LIMITS.get(format, _NO_LIMITS)
    # Kinds are listed in this order, whichever is met first.
    lost.update(dict.fromkeys(limits.kinds, 0))
    for image in images:
        yield image
        for kind, n in limits.lost(image):
            lost[kind] += n


def listed(lost: Mapping[str, int]) -> str:
    """The losses as a sentence lists them: "2 mentions, 1 chain"."""
    return ", ".join(_counted(n, kind) for kind, n in lost.items() if n)


def _counted(n: int, kind: str) -> str:
    things, *of = kind.split(" ")
    return f"{n:,} {' '.join([singular(things) if n == 1 else things, *of])}"


def _mentioned(image: Image) -> set[str | None]:
    return {mention.chain for _, mention in image.mentions()}


def _mentions(image: Image, has: Callable[[Mention], object]) -> int:
    return sum(1 for _, mention in image.mentions() if has(mention))


def _boxes(image: Image, has: Callable[[Box], object]) -> int:
    return sum(1 for box in image.boxes if has(box))


def _labels_from_captions(image: Image) -> bool:
    """Whether a reader of the captions makes the labels anew."""
    return image.provenance.get("labels") == "captions"
