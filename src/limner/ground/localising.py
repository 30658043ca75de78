"""A corpus whose phrases are localised: candidate boxes in place of its own, and for each mention the best of them."""

from __future__ import annotations

from collections import Counter, deque
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
from limner.errors import BadInput, shown
from limner.ground.grounder import RANKING_NMS, Answer, CueTable, Grounder, explained, visual_queries
from limner.ground.picture_regions import PictureRegions, RegionReader
from limner.ground.picture_workers import work_on_pictures
from limner.ground.systems import JOINT, SYSTEMS
from limner.ground.training_pictures import merged_corners
from limner.vision.fused_proposals import LIMITS
from limner.vision.image_pixels import ImagePixels

Candidates = Literal["proposals", "gold"]

# Candidates of a picture: the joint step compares each with each.
MOST_CANDIDATES = 2_000

# Raised whenever the same grounder would answer otherwise.
CODE = 3


@dataclass(frozen=True)
class LocaliseSettings:
    """Among which candidates phrases are looked for, and which cues take part (see `SYSTEMS`).

    `n_proposals` are the proposals of a picture, at most; the cues learnt from 200.
    """

    candidates: Candidates = "proposals"
    system: str = JOINT
    n_proposals: int = LIMITS.most

    def __post_init__(self) -> None:
        if self.candidates not in ("proposals", "gold"):
            raise ValueError(f"candidates are {self.candidates!r}; give proposals or gold")
        if self.system not in SYSTEMS:
            raise ValueError(f"system is {self.system!r}; give one of {', '.join(SYSTEMS)}")
        if not 1 <= self.n_proposals <= MOST_CANDIDATES:
            raise ValueError(f"n_proposals is {self.n_proposals}; give a number from 1 to {MOST_CANDIDATES:,}")

    @property
    def signature(self) -> str:
        proposed = f"|proposals:{self.n_proposals}" if self.candidates == "proposals" else ""
        return f"candidates:{self.candidates}{proposed}|system:{self.system}|nms:{RANKING_NMS:g}|code:{CODE}"


@dataclass
class LocaliseTally:
    """How much was localised; mentions of what is not visual, and of no known word; images without any.

    `n_ungrounded` are all mentions without an answer, `n_without_candidate` those of them in images that have
    no candidate box.
    """

    n_images: int = 0
    n_mentions: int = 0
    n_ungrounded: int = 0
    n_without_candidate: int = 0
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
    readers = readers or grounder.open_readers(n_proposals=settings.n_proposals)
    if settings.candidates == "proposals":
        _check_proposals(readers, settings.n_proposals)
    workers = [partial(_localise, reader=reader, grounder=grounder, settings=settings) for reader in readers]
    given: deque[Image] = deque()
    comparable = with_few_candidates(images, reading) if settings.candidates == "gold" else images
    for made in work_on_pictures(_visible(comparable, given, settings.candidates), pictures, workers, reading):
        # Images whose pictures could not be used are left behind.
        while (original := given.popleft()).id != made.image.id:
            pass
        marks = _training_mark(original, overlap)
        _count(tally, made)
        if why is not None:
            why.writelines(msgspec.json.encode(reason) + b"\n" for reason in _reasons(made))
        yield replace(made.image, provenance={**made.image.provenance, **marks})


@dataclass(frozen=True)
class CandidatePicture:
    """A picture as a localiser sees it: the image, its candidates as boxes and as regions, and what cues say of them.

    Memory is about 1,600 bytes for a candidate, and 56 for each phrase and candidate.
    """

    image: Image
    boxes: tuple[Box, ...]
    regions: PictureRegions
    table: CueTable


@dataclass(frozen=True)
class LocalisedImage:
    """An image with its answers."""

    image: Image
    answers: Sequence[Sequence[Answer]]
    n_unknown: int


def look_for_candidates(
    seen: ImagePixels, reader: RegionReader, grounder: Grounder, candidates: Candidates = "proposals"
) -> CandidatePicture:
    """The candidates of a picture, and what every cue says of them for the phrases of its captions."""
    boxes = gold_candidates(seen.image) if candidates == "gold" else None
    given = None if boxes is None else _in_pixels(boxes, seen)
    # Nothing but the pixels may tell where things are.
    bare = replace(seen.image, boxes=(), captions=(), chains=())
    regions = grounder.reduced(reader.read(bare, seen.pixels, given))
    boxes = _proposed(regions.corners, seen) if boxes is None else boxes
    return CandidatePicture(seen.image, boxes, regions, grounder.cue_table_of(seen.image.captions, regions))


def point(picture: CandidatePicture, grounder: Grounder, settings: LocaliseSettings) -> LocalisedImage:
    """The picture's image with candidates as its boxes, and mentions that refer to the best of them."""
    image = picture.image
    answers = grounder.ground(image.captions, picture.regions, settings.system, picture.table)
    captions = tuple(_answered(c, said, picture.boxes) for c, said in zip(image.captions, answers, strict=True))
    chains = tuple(replace(chain, boxes=()) for chain in image.chains)
    unknown = sum(not grounder.parts.encoder.knows(answer.query) for said in answers for answer in said)
    localiser = f"{grounder.signature}|{settings.signature}"
    provenance = {**image.provenance, "candidates": settings.candidates, "localiser": localiser}
    result = replace(image, boxes=picture.boxes, captions=captions, chains=chains, provenance=provenance)
    return LocalisedImage(result, answers, unknown)


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
        several = [box_by_id[id] for id in mention.boxes if id in box_by_id]
        around = merged_corners(several) if len(several) > 1 else None
        if around is not None and around not in corners:
            corners.add(around)
            merged.append(around)
    taken = {box.id for box in boxes}
    names = (name for number in range(len(taken) + len(merged) + 1) if (name := f"m{number}") not in taken)
    return (*boxes, *(Box(name, *around) for name, around in zip(names, merged, strict=False)))


def with_few_candidates(images: Iterable[Image], reading: Reading | None = None) -> Iterator[Image]:
    """The images with at most `MOST_CANDIDATES` gold candidates.

    Another one is an error, or left out and counted by a lenient `reading`.
    """
    reading = reading or Reading()
    for image in images:
        n = len(gold_candidates(image))
        if n <= MOST_CANDIDATES:
            yield image
            continue
        problem = f"{n:,} candidate boxes are more than the {MOST_CANDIDATES:,} that can be compared"
        refusal = BadInput(f"image {shown(image.id)}", problem, "leave some out", code="too-many-candidates")
        reading.skip("image with too many candidate boxes", refusal)


def _localise(
    seen: ImagePixels, reader: RegionReader, grounder: Grounder, settings: LocaliseSettings
) -> LocalisedImage:
    return point(look_for_candidates(seen, reader, grounder, settings.candidates), grounder, settings)


def _visible(images: Iterable[Image], given: deque[Image], candidates: Candidates) -> Iterator[Image]:
    """The images as a localiser may see them; as they are, they are put into `given`.

    Whether one is a training image is known by its boxes too, which proposals must not be.
    """
    for image in images:
        given.append(image)
        yield image if candidates == "gold" else without_boxes(image)


def _check_proposals(readers: Sequence[RegionReader], n_proposals: int) -> None:
    """An error for readers that propose otherwise than signatures would say."""
    for reader in readers:
        most = reader.proposer.limits.most
        if most != n_proposals:
            raise ValueError(f"n_proposals is {n_proposals}, but the readers propose {most}; give equal numbers")


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


def _count(tally: LocaliseTally, made: LocalisedImage) -> None:
    tally.n_images += 1
    n_mentions = sum(len(caption.mentions) for caption in made.image.captions)
    n_answers = sum(map(len, made.answers))
    tally.n_mentions += n_mentions
    tally.n_ungrounded += n_mentions - n_answers
    if not made.image.boxes:
        tally.n_without_candidate += sum(map(len, visual_queries(made.image.captions)))
    tally.n_unknown += made.n_unknown
    if not n_mentions:
        tally.without["image without a mention"] += 1


def _reasons(made: LocalisedImage) -> Iterator[Mapping[str, object]]:
    """Of each answer why it was given, in the order of captions and mentions."""
    for caption, said in zip(made.image.captions, made.answers, strict=True):
        for answer in said:
            box = made.image.boxes[answer.ranking[0][0]].id
            yield {"image": made.image.id, "caption": caption.id, **explained(answer, box)}
