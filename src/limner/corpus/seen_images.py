"""Whether images were seen before: what a model was trained on must not test it."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, NamedTuple

from limner.corpus.image import Image
from limner.errors import BadInput

# 48 bits: two different images of a hundred million would hardly be taken for one, as their ids have to be equal too.
_BYTES = 6
_CHARACTERS = 8

# Hashes that a model keeps. Of one that has seen more images, the training images are unknown.
MOST_KEPT = 200_000

Sighting = Literal["new", "id", "seen"]


class Fingerprint(NamedTuple):
    """Hashes of an image: of its id, of its id and captions, of its id and boxes; empty without captions or boxes.

    Labels, mentions and systems' captions have no part in it: they change
    with the way in which the same picture is annotated.
    """

    id: str
    captions: str
    boxes: str


def fingerprint(image: Image) -> Fingerprint:
    texts = sorted(caption.text for caption in image.captions if not caption.source.startswith("system:"))
    corners = sorted(box.corners for box in image.boxes)
    return Fingerprint(
        _hash(image.id),
        _hash(image.id, *texts) if texts else "",
        _hash(image.id, *(repr(float(edge)) for box in corners for edge in box)) if corners else "",
    )


def _hash(*parts: str) -> str:
    digest = blake2b(digest_size=_BYTES)
    for part in parts:
        # A separator that no encoded text contains: ("ab", "c") is not ("a", "bc").
        digest.update(part.encode(errors="surrogatepass") + b"\xff")
    return urlsafe_b64encode(digest.digest()).decode()


class SeenImages:
    """Images that something has learnt from, by their hashes."""

    def __init__(self, hashes: Iterable[str] = ()) -> None:
        self._hashes: dict[str, None] = dict.fromkeys(hashes)
        width = range(0, 3 * _CHARACTERS, _CHARACTERS)
        parts = [[text[at : at + _CHARACTERS] for text in self._hashes] for at in width]
        self._ids, self._captions, self._boxes = (set(part) - {"", _NOTHING} for part in parts)

    def __len__(self) -> int:
        return len(self._hashes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SeenImages) and self._hashes == other._hashes

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"<SeenImages: {len(self):,}>"

    def add(self, image: Image) -> None:
        id, captions, boxes = fingerprint(image)
        self._hashes[f"{id}{captions or _NOTHING}{boxes or _NOTHING}"] = None
        self._ids.add(id)
        self._captions.update([captions] if captions else ())
        self._boxes.update([boxes] if boxes else ())

    def watch(self, images: Iterable[Image]) -> Iterator[Image]:
        """The images as they come, each remembered."""
        for image in images:
            self.add(image)
            yield image

    def find(self, image: Image) -> Sighting:
        """`seen` if an image of this id had these captions or these boxes, `id` if it had others."""
        id, captions, boxes = fingerprint(image)
        if captions in self._captions or boxes in self._boxes:
            return "seen"
        return "id" if id in self._ids else "new"

    def to_json(self) -> list[str] | None:
        """A text for each image; None for so many that a file should not hold them."""
        return list(self._hashes) if len(self._hashes) <= MOST_KEPT else None


_NOTHING = "-" * _CHARACTERS


def is_hash(text: str) -> bool:
    """Whether a text may be one of `SeenImages.to_json`."""
    return len(text) == 3 * _CHARACTERS and text.isascii() and text.replace("-", "a").replace("_", "a").isalnum()


@dataclass
class Overlap:
    """How many images were seen in training, or have only the id of one that was.

    `is_unknown` says that a model does not tell what it was trained on.
    """

    seen: Sequence[SeenImages]
    is_unknown: bool = False
    n_images: int = 0
    n_seen: int = 0
    n_same_id: int = 0
    first_seen: str = ""
    first_same_id: str = ""

    @classmethod
    def of(cls, *training: SeenImages | None) -> Overlap:
        """With what each of several models was trained on; None where one does not tell."""
        return cls([seen for seen in training if seen is not None], any(seen is None for seen in training))

    def add(self, image: Image) -> Sighting:
        self.n_images += 1
        sightings = {seen.find(image) for seen in self.seen}
        if "seen" in sightings:
            self.n_seen += 1
            self.first_seen = self.first_seen or image.id
            return "seen"
        if "id" in sightings:
            self.n_same_id += 1
            self.first_same_id = self.first_same_id or image.id
            return "id"
        return "new"

    def refuse_seen(self, place: str) -> None:
        """Raise an error if an image was seen in training."""
        if self.n_seen:
            problem = f"{self.n_seen:,} of {self.n_images:,} images are training images, such as {self.first_seen}"
            raise BadInput(place, problem, "name other images, or allow it", code="train-is-test")

    def warnings(self) -> Iterator[str]:
        if self.n_seen:
            yield (
                f"{self.n_seen:,} of {self.n_images:,} images are training images, such as {self.first_seen}; "
                "scores on them do not tell how well new images are described"
            )
        if self.n_same_id:
            yield (
                f"{self.n_same_id:,} of {self.n_images:,} images have the id of a training image, such as "
                f"{self.first_same_id}, but other captions and boxes"
            )
        if self.is_unknown:
            yield "training images: unknown (the model's file does not list them), so these images may be among them"
