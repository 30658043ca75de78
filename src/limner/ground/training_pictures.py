"""Pictures as a grounder learns from them: proposals, the regions that phrases mean, and which proposals are right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from limner.arrays import Floats, Integers, Singles
from limner.corpus.box import Box
from limner.corpus.geometry import iou
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.ground.phrase_queries import PhraseQuery, read_queries
from limner.ground.picture_regions import PictureRegions, RegionReader
from limner.ground.picture_workers import work_on_pictures
from limner.learn.principal_axes import PrincipalAxes
from limner.progress import Progress, silent
from limner.vision.image_pixels import ImagePixels

# Numbers that a model's appearance of a region is reduced to.
N_AXES = 256

# Pictures whose regions the principal axes are learnt from, and regions of each.
AXES_PICTURES = 150
AXES_REGIONS = 60

# A proposal is right if it overlaps with what a phrase means by this IoU.
RIGHT = 0.5


@dataclass(frozen=True)
class SaidCaption:
    """A caption's visual phrases, and for each the row of the region that it means; -1 if it has no box."""

    text: str
    queries: Sequence[PhraseQuery]
    gold: Integers


@dataclass(frozen=True)
class TrainingPicture:
    """A picture with its proposals (reduced, of 16-bit numbers), the regions that phrases mean, and the captions."""

    proposals: PictureRegions
    gold: PictureRegions
    captions: Sequence[SaidCaption]

    def phrases(self) -> Iterator[tuple[PhraseQuery, int]]:
        """Every phrase that means a region, with the region's row."""
        for caption in self.captions:
            for query, row in zip(caption.queries, caption.gold.tolist(), strict=True):
                if row >= 0:
                    yield query, row

    def overlaps(self) -> Floats:
        """The IoU of each region that phrases mean with each proposal."""
        return iou(self.gold.corners, self.proposals.corners)


def right_shares(overlaps: Floats) -> Singles:
    """How far each proposal is right, by its IoU `[…, proposals]`: 0 below `RIGHT`, more for better ones.

    They add up to 1, or to 0 where none is right.
    """
    raw = np.where(overlaps >= RIGHT, overlaps - RIGHT + 0.1, 0.0)
    total = raw.sum(axis=-1, keepdims=True)
    shares = np.divide(raw, total, out=np.zeros_like(raw), where=total > 0)
    return np.asarray(shares, dtype=np.float32)


def merged_corners(boxes: Sequence[Box]) -> tuple[float, float, float, float]:
    """The corners around all boxes (the protocol `merged`)."""
    return (
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )


def said_captions(image: Image) -> tuple[Floats, list[SaidCaption]]:
    """The regions that phrases mean, merged, in the image's units `[n, 4]`; and the captions."""
    box_by_id = image.box_by_id()
    rows: dict[tuple[float, float, float, float], int] = {}
    captions = []
    for caption in image.captions:
        pairs = zip(read_queries(caption), caption.mentions, strict=True)
        visual = [(query, mention) for query, mention in pairs if query.is_visual]
        gold = []
        for _, mention in visual:
            boxes = [box_by_id[id] for id in mention.boxes if id in box_by_id]
            has_region = bool(boxes) and any(box.area > 0 for box in boxes)
            gold.append(rows.setdefault(merged_corners(boxes), len(rows)) if has_region else -1)
        captions.append(SaidCaption(caption.text, [query for query, _ in visual], np.array(gold, dtype=np.int64)))
    return np.array([*rows], dtype=np.float64).reshape(-1, 4), captions


def read_training_pictures(
    images: Iterable[Image],
    pictures: Path,
    readers: Sequence[RegionReader],
    axes: PrincipalAxes | None = None,
    *,
    reading: Reading | None = None,
    progress: Progress = silent,
    total: int | None = None,
) -> tuple[list[TrainingPicture], PrincipalAxes]:
    """The pictures of images whose phrases have boxes, and the principal axes that their appearance was reduced to.

    Axes are learnt from the first `AXES_PICTURES` unless they are given. Memory
    is about 1,100 bytes for a proposal, 0.22 MB a picture.
    """
    made: list[TrainingPicture] = []
    raw: list[_RawPicture] = []
    workers = [partial(_read, reader=reader) for reader in readers]
    for done, picture in enumerate(work_on_pictures(images, pictures, workers, reading), 1):
        progress("pictures", done, total)
        if axes is not None:
            made.append(_reduced(picture, axes))
            continue
        raw.append(picture)
        if len(raw) == AXES_PICTURES:
            axes = _learn_axes(raw)
            made, raw = [_reduced(waiting, axes) for waiting in raw], []
    if axes is None:
        axes = _learn_axes(raw)
    return [*made, *(_reduced(waiting, axes) for waiting in raw)], axes


@dataclass(frozen=True)
class _RawPicture:
    """A picture as it was read: proposals first, then the regions that phrases mean."""

    regions: PictureRegions
    n_gold: int
    captions: Sequence[SaidCaption]


def _read(seen: ImagePixels, reader: RegionReader) -> _RawPicture:
    gold, captions = said_captions(seen.image)
    regions = reader.read(seen.image, seen.pixels, more=gold * (*seen.scale, *seen.scale))
    return _RawPicture(regions, len(gold), captions)


def _learn_axes(raw: Sequence[_RawPicture]) -> PrincipalAxes:
    rows = [picture.regions.appearance[:AXES_REGIONS] for picture in raw]
    return PrincipalAxes.fit(np.concatenate(rows) if rows else np.zeros((1, 0)), N_AXES)


def _reduced(picture: _RawPicture, axes: PrincipalAxes) -> TrainingPicture:
    short = picture.regions.with_appearance(axes.reduce(picture.regions.appearance)).shortened()
    n = len(short) - picture.n_gold
    return TrainingPicture(short.rows(slice(0, n)), short.rows(slice(n, None)), picture.captions)
