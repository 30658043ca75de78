"""What was scored against, in eight letters: two sets of images or references that differ have different ones.

Each image has a number of its own, so that shares of a run can be counted
apart and put together: neither their order nor that of an image's references
matters.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

import numpy as np

from limner.arrays import Integers
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.score.content import mentioned

# Bytes of an image's number.
SIZE = 8

# Letters of a fingerprint: two test sets that differ have the same one with a chance of one in four thousand million.
LETTERS = 8


def image_numbers(
    ids: Sequence[str],
    references: Sequence[Sequence[str]],
    images: Sequence[Image] | None = None,
    gold: Sequence[Sequence[Caption]] | None = None,
    *,
    with_kinds: bool = False,
    with_size: Sequence[bool] | None = None,
) -> Integers:
    """A number for each image, from its id and references and, if given, its boxes and what gold captions refer to.

    With kinds, also from what tells subsets of the boxes apart: their types, and the picture's size. `with_size`
    says of each image whether its size counts in any case.
    """
    numbers = bytearray()
    for i, (id, texts) in enumerate(zip(ids, references, strict=True)):
        parts = [id, *sorted(texts)]
        if images is not None:
            parts += sorted(_boxes(images[i]))
            parts += sorted(_kinds(images[i])) if with_kinds else []
            parts += [_size(images[i])] if with_size is not None and with_size[i] else []
        if gold is not None:
            parts += sorted(_mentions(gold[i]))
        numbers += _digest(parts)
    return _whole_numbers(numbers)


def box_and_kind_numbers(
    ids: Sequence[str],
    references: Sequence[Sequence[str]],
    images: Sequence[Image],
    gold: Sequence[Sequence[Caption]],
    with_size: Sequence[bool] | None = None,
) -> tuple[Integers, Integers]:
    """The `image_numbers` of images and gold captions, and those of images alone with kinds.

    Ids, references and boxes, which begin both, are put together once.
    """
    of_boxes, of_kinds = bytearray(), bytearray()
    for i, (id, texts, image) in enumerate(zip(ids, references, images, strict=True)):
        begun = blake2b(_joined([id, *sorted(texts), *sorted(_boxes(image))]), digest_size=SIZE)
        with_kinds = begun.copy()
        size = [_size(image)] if with_size is not None and with_size[i] else []
        begun.update(_joined([*size, *sorted(_mentions(gold[i]))]))
        with_kinds.update(_joined(sorted(_kinds(image))))
        of_boxes += begun.digest()
        of_kinds += with_kinds.digest()
    return _whole_numbers(of_boxes), _whole_numbers(of_kinds)


def image_number(id: str, texts: Iterable[str]) -> int:
    """The number of one image by its id and texts, as `image_numbers` has it."""
    return _number([id, *sorted(texts)])


def gold_numbers(images: Sequence[Image], *, with_kinds: bool = False) -> Integers:
    """The numbers of images by their boxes and gold captions; the captions that refer to a box are references."""
    gold = [[caption for caption in image.captions if caption.source == "gold"] for image in images]
    grounded = [[caption.text for caption in captions if mentioned(caption)] for captions in gold]
    return image_numbers([image.id for image in images], grounded, images, gold, with_kinds=with_kinds)


def chain_number(image: Image) -> int:
    """The number of an image by its captions, their mentions and which of these are of one chain."""
    # What a chain is called does not matter, only which mentions it has.
    numbers: dict[str, int] = {}
    parts = [image.id]
    for caption in image.captions:
        parts.append(caption.text)
        for mention in caption.mentions:
            chain = "" if mention.chain is None else numbers.setdefault(mention.chain, len(numbers))
            parts.append(f"{mention.start}-{mention.end}:{chain}")
    return _number(parts)


class PassingImages:
    """The fingerprint of images that pass, which need not be kept: everything that a system can learn from."""

    def __init__(self) -> None:
        self._numbers = array("q")

    def watch(self, images: Iterable[Image]) -> Iterator[Image]:
        """The images as they come, each counted."""
        for image in images:
            self._numbers.extend(gold_numbers([image], with_kinds=True).tolist())
            yield image

    def fingerprint(self) -> str:
        return data_fingerprint(np.array(self._numbers, dtype=np.int64))


def data_fingerprint(numbers: Integers) -> str:
    """The fingerprint of images with these numbers, in any order."""
    return blake2b(np.sort(numbers).tobytes(), digest_size=LETTERS // 2).hexdigest()


def _boxes(image: Image) -> Iterator[str]:
    # Equal boxes may have 18 or 18.0 for an edge.
    return (f"{box.id} {box.label} {[float(edge) for edge in box.corners]} {float(box.score)}" for box in image.boxes)


def _kinds(image: Image) -> Iterator[str]:
    yield _size(image)
    for box in image.boxes:
        yield f"{box.id} {sorted(box.types)}"


def _size(image: Image) -> str:
    return f"{image.width} by {image.height}"


def _mentions(captions: Iterable[Caption]) -> Iterator[str]:
    for caption in captions:
        spans = (f"{mention.start}-{mention.end}:{','.join(mention.boxes)}" for mention in caption.mentions)
        yield f"{caption.text} {' '.join(spans)}"


def _number(parts: Iterable[str]) -> int:
    return int.from_bytes(_digest(parts), sys.byteorder, signed=True)


def _digest(parts: Iterable[str]) -> bytes:
    return blake2b(_joined(parts), digest_size=SIZE).digest()


def _joined(parts: Iterable[str]) -> bytes:
    # A separator that no encoded text contains: ("ab", "c") is not ("a", "bc").
    return b"".join([part.encode(errors="surrogatepass") + b"\xff" for part in parts])


def _whole_numbers(digests: bytearray) -> Integers:
    return np.frombuffer(bytes(digests), dtype=np.int64)
