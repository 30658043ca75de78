"""A corpus whose phrases are localised: candidate boxes in place of its own, and for each mention the best of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Literal

import msgspec
import numpy as np
from msgspec.structs import replace

from limner.arrays import Floats
from limner.corpus.box import Box
from limner.corpus.caption import Candidate, Caption, Mention
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap
from limner.ground.grounder import RANKING_NMS, Answer, Grounder, explained
from limner.ground.picture_regions import RegionReader
from limner.ground.picture_workers import work_on_pictures
from limner.ground.systems import JOINT, SYSTEMS
from limner.ground.training_pictures import merged_corners
from limner.vision.image_pixels import ImagePixels

Candidates = Literal["proposals", "gold"]

# Raised whenever the same grounder would answer otherwise.
CODE = 2


@dataclass(frozen=True)
class LocaliseSettings:
    """Among which candidates phrases are looked for, and which cues take part (see `SYSTEMS`)."""

    candidates: Candidates = "proposals"
    system: str = JOINT

    def __post_init__(self) -> None:
        if self.candidates not in ("proposals", "gold"):
            raise ValueError(f"candidates are {self.candidates!r}; give proposals or gold")
        if self.system not in SYSTEMS:
            raise ValueError(f"system is {self.system!r}; give one of {', '.join(SYSTEMS)}")

    @property
    def signature(self) -> str:
        return f"candidates:{self.candidates}|system:{self.system}|nms:{RANKING_NMS:g}|code:{CODE}"


@dataclass
class LocaliseTally:
    """How much was localised; mentions of what is not visual, and of no known word; images without any."""

    n_images: int = 0
    n_mentions: int = 0
    n_ungrounded: int = 0
    n_unknown: int = 0
    without: Counter[str] = field(default_factory=Counter)


def localise_corpus(
    images: Iterable[Image],
    pictures: Path,
    grounder: Grounder,
    settings: LocaliseSettings | None = None,
    *,
    readers: Sequence[RegionReader] | None = None,
    overlap: Overlap | None = None,
    tally: LocaliseTally | None = None,
    why: IO[bytes] | None = None,
    reading: Reading | None = None,
) -> Iterator[Image]:
    """Each image with candidates as its boxes, and captions whose mentions refer to the best of them.

    Captions keep their text, mentions their spans, types and chains. With `proposals` the images' own boxes, and
    what mentions refer to, are not looked at. `overlap` marks images that the
    grounder was trained on, `why` is a file that tells of each answer why it was given. Cost grows with the
    pictures; a picture takes about 0.7 s of a processor with a detector and a model of features.
    """
    settings = settings or LocaliseSettings()
    tally = tally or LocaliseTally()
    provenance = {
        "candidates": settings.candidates,
        "localiser": f"{grounder.signature}|{settings.signature}",
    }

    bare = images if settings.candidates == "gold" else map(without_boxes, images)
    workers = [
        partial(_localise, reader=reader, grounder=grounder, settings=settings)
        for reader in readers or grounder.open_readers()
    ]
    for made in work_on_pictures(bare, pictures, workers, reading):
        marks = _training_mark(made.source, overlap)
        result = replace(made.image, provenance={**made.image.provenance, **provenance, **marks})
        _count(tally, made)
        if why is not None:
            why.write(msgspec.json.encode(_reasons(made)) + b"\n")
        yield result


@dataclass(frozen=True)
class _Localised:
    """An image with its answers; `source` is the image as it was given to the localiser."""

    source: Image
    image: Image
    answers: Sequence[Sequence[Answer]]
    n_unknown: int


def without_boxes(image: Image) -> Image:
    """The image without boxes, and without anything that refers to them: what a localiser of proposals may see."""
    captions = tuple(
        replace(
            caption,
            mentions=tuple(
                replace(mention, boxes=(), candidates=(), origin=None, probability=None) for mention in caption.mentions
            ),
        )
        for caption in image.captions
    )
    chains = tuple(replace(chain, boxes=()) for chain in image.chains)
    return replace(image, boxes=(), captions=captions, chains=chains)


def gold_candidates(image: Image) -> tuple[Box, ...]:
    """The image's boxes, and for mentions of several boxes the one around them: what a perfect proposer would say.

    Labels and types are left out.
    """
    box_by_id = image.box_by_id()
    boxes = [Box(box.id, *box.corners) for box in image.boxes if box.area > 0]
    corners = {box.corners for box in boxes}
    merged = []
    for _, mention in image.mentions():
        around = merged_corners([box_by_id[id] for id in mention.boxes]) if len(mention.boxes) > 1 else None
        if around is not None and around not in corners:
            corners.add(around)
            merged.append(around)
    taken = {box.id for box in boxes}
    names = (name for number in range(len(taken) + len(merged) + 1) if (name := f"m{number}") not in taken)
    return (*boxes, *(Box(name, *around) for name, around in zip(names, merged, strict=False)))


def _localise(seen: ImagePixels, reader: RegionReader, grounder: Grounder, settings: LocaliseSettings) -> _Localised:
    image = seen.image
    boxes = gold_candidates(image) if settings.candidates == "gold" else None
    given = None if boxes is None else _in_pixels(boxes, seen)
    regions, answers = grounder.localise(
        image, seen.pixels, image.captions, system=settings.system, given=given, reader=reader
    )
    if boxes is None:
        boxes = _proposed(regions.corners, seen)
    captions = tuple(_answered(c, said, boxes) for c, said in zip(image.captions, answers, strict=True))
    chains = tuple(replace(chain, boxes=()) for chain in image.chains)
    unknown = sum(not grounder.parts.encoder.knows(answer.query) for said in answers for answer in said)
    result = replace(image, boxes=boxes, captions=captions, chains=chains)
    return _Localised(image, result, answers, unknown)


def _in_pixels(boxes: Sequence[Box], seen: ImagePixels) -> Floats:
    corners = np.array([box.corners for box in boxes], dtype=np.float64).reshape(-1, 4)
    return np.asarray(corners * (*seen.scale, *seen.scale), dtype=np.float64)


def _proposed(corners: Floats, seen: ImagePixels) -> tuple[Box, ...]:
    """Proposals as boxes in the image's units, to a hundredth."""
    width, height = seen.image.width or 0, seen.image.height or 0
    scaled = np.round(corners / (*seen.scale, *seen.scale), 2)
    inside = np.clip(scaled, 0.0, [width, height, width, height])
    return tuple(Box(f"p{number}", *row) for number, row in enumerate(inside.tolist()))


def _answered(caption: Caption, answers: Sequence[Answer], boxes: Sequence[Box]) -> Caption:
    by_start = {answer.query.start: answer for answer in answers}
    mentions = tuple(_referring(mention, by_start.get(mention.start), boxes) for mention in caption.mentions)
    return replace(caption, mentions=mentions)


def _referring(mention: Mention, answer: Answer | None, boxes: Sequence[Box]) -> Mention:
    if answer is None:
        return replace(mention, boxes=(), candidates=(), origin="ungrounded", probability=None)
    ranking = tuple(Candidate(boxes[number].id, round(score, 6)) for number, score in answer.ranking)
    return replace(mention, boxes=(ranking[0].box,), candidates=ranking, origin="localised", probability=None)


def _training_mark(image: Image, overlap: Overlap | None) -> dict[str, str]:
    """What provenance says of an image that the grounder was trained on, or may have been."""
    sighting = "new" if overlap is None else overlap.add(image)
    if sighting == "seen":
        return {"training": "yes"}
    return {"training": "unknown"} if overlap is not None and (sighting == "alike" or overlap.is_unknown) else {}


def _count(tally: LocaliseTally, made: _Localised) -> None:
    tally.n_images += 1
    n_mentions = sum(len(caption.mentions) for caption in made.image.captions)
    n_answers = sum(map(len, made.answers))
    tally.n_mentions += n_mentions
    tally.n_ungrounded += n_mentions - n_answers
    tally.n_unknown += made.n_unknown
    if not n_mentions:
        tally.without["image without a mention"] += 1


def _reasons(made: _Localised) -> Mapping[str, object]:
    box_ids = [box.id for box in made.image.boxes]
    return {
        "image": made.image.id,
        "captions": [
            {"id": caption.id, "mentions": [explained(answer, box_ids[answer.ranking[0][0]]) for answer in said]}
            for caption, said in zip(made.image.captions, made.answers, strict=True)
        ],
    }
