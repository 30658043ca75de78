"""Several files about the same images, made one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain as concatenate
from typing import TypeVar

from msgspec.structs import replace

from limner.corpus.box import Box
from limner.corpus.caption import Caption
from limner.corpus.image import Chain, Image, ImageLabel, Scalar
from limner.corpus.reading import Reading
from limner.errors import LimnerError, shown

Identified = TypeVar("Identified", Box, Chain)

DISJOINT = "join of sources that have no image in common"


def join(streams: Iterable[Iterable[Image]], reading: Reading | None = None) -> Iterator[Image]:
    """The images of all streams, those of one id merged, in the order of first appearance.

    The first stream is passed through one image at a time; the others are
    held in memory. `reading` is warned if none of them has an image of the
    first.
    """
    first, *later_streams = streams
    # Only the first stream can pass through: an image of another may match any image of it.
    waiting: dict[str, Image] = {}
    for image in concatenate.from_iterable(later_streams):
        before = waiting.get(image.id)
        waiting[image.id] = image if before is None else merge(before, image)
    met: str | None = None
    n_waiting = len(waiting)
    for image in first:
        met = image.id
        more = waiting.pop(image.id, None)
        yield image if more is None else merge(image, more)
    if reading is not None and met is not None and 0 < len(waiting) == n_waiting:
        reading.warn(DISJOINT, f"{shown(met)} in the first, {shown(next(iter(waiting)))} in another")
    yield from waiting.values()


def merge(first: Image, second: Image) -> Image:
    """What both say of an image; what only one says is taken from it, contradictions are errors.

    Boxes, chains and captions that are the same in both are kept once.
    Different captions of one id both stay: the later one's id is numbered on.
    """
    if first.id != second.id:
        raise ValueError(f"images {first.id!r} and {second.id!r} cannot be merged")
    if (
        first.width is not None
        and second.width is not None
        and (first.width, first.height) != (second.width, second.height)
    ):
        raise LimnerError(
            f"image {shown(first.id)} measures {first.width} by {first.height} in one source "
            f"and {second.width} by {second.height} in another; join sources of the same pictures"
        )
    sized = first if first.width is not None else second
    try:
        return Image(
            first.id,
            sized.width,
            sized.height,
            _together("box", first.id, first.boxes, second.boxes),
            _captions(first.captions, second.captions),
            _together("chain", first.id, first.chains, second.chains),
            first.file or second.file,
            _facts(first.id, first.attributes, second.attributes),
            _facts(first.id, first.provenance, second.provenance),
            _labels(first.id, first.labels, second.labels),
        )
    except ValueError as error:
        raise LimnerError(f"image {shown(first.id)} cannot be joined: {error}") from error


def _together(
    kind: str, image: str, first: tuple[Identified, ...], second: tuple[Identified, ...]
) -> tuple[Identified, ...]:
    by_id = {item.id: item for item in first}
    for item in second:
        before = by_id.setdefault(item.id, item)
        if before != item:
            raise LimnerError(
                f"image {shown(image)}: {kind} {shown(item.id)} differs between sources; "
                f"join files that agree on their {kind}s"
            )
    return tuple(by_id.values())


def _labels(image: str, first: tuple[ImageLabel, ...], second: tuple[ImageLabel, ...]) -> tuple[ImageLabel, ...]:
    by_name = {(label.label, label.source): label for label in first}
    for label in second:
        before = by_name.setdefault((label.label, label.source), label)
        if before != label:
            raise LimnerError(
                f"image {shown(image)}: label {shown(label.label)} has confidence {before.confidence:g} in one source "
                f"and {label.confidence:g} in another; join sources that agree"
            )
    return tuple(by_name.values())


def _captions(first: tuple[Caption, ...], second: tuple[Caption, ...]) -> tuple[Caption, ...]:
    by_id = {caption.id: caption for caption in first}
    for caption in second:
        # Two systems that number their captions from 0 must not lose one to the other.
        new_id, n = caption.id, 1
        while by_id.setdefault(new_id, renamed := replace(caption, id=new_id)) != renamed:
            n += 1
            new_id = f"{caption.id}-{n}"
    return tuple(by_id.values())


def _facts(image: str, first: Mapping[str, Scalar], second: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
    for name in first.keys() & second.keys():
        if first[name] != second[name]:
            raise LimnerError(
                f"image {shown(image)}: {name} is {shown(first[name])} in one source and "
                f"{shown(second[name])} in another; join sources that agree"
            )
    return {**first, **second}
