"""Whether images were seen before: what a model was trained on must not test it.

Images are compared by their ids, captions and boxes. Pictures are not: a
corpus names their files but not the folder they are in, and nothing that is
trained here opens them. The same picture under another id, with other captions
and other boxes, is taken for a new one.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, NamedTuple

from msgspec.structs import replace

from limner.corpus.image import Image
from limner.errors import BadInput

# 48 bits: of a hundred thousand training and as many test images, hardly two different ones would be taken for one.
_BYTES = 6
_CHARACTERS = 8

# Hashes that a model keeps. Of one that has seen more images, the training images are unknown.
MOST_KEPT = 200_000

# An image is `seen` if an image of its id had its captions or boxes, `alike` if one of another id had them, `id` if
# only the id is that of another.
Sighting = Literal["new", "id", "alike", "seen"]


class Fingerprint(NamedTuple):
    """Hashes of an image's id, of its captions and of its boxes' corners; empty without captions or boxes.

    Labels, mentions and systems' captions have no part in it: they change
    with the way in which the same picture is annotated.
    """

    id: str
    captions: str
    boxes: str


def fingerprint(image: Image) -> Fingerprint:
    texts, edges = _texts(image), _edges(image)
    return Fingerprint(_hash(image.id), _hash(*texts) if texts else "", _hash(*edges) if edges else "")


def _texts(image: Image) -> list[str]:
    return sorted(caption.text for caption in image.captions if not caption.source.startswith("system:"))


def _edges(image: Image) -> list[str]:
    return [repr(float(edge)) for corners in sorted(box.corners for box in image.boxes) for edge in corners]


def _hash(*parts: str) -> str:
    digest = blake2b(digest_size=_BYTES)
    for part in parts:
        # A separator that no encoded text contains: ("ab", "c") is not ("a", "bc").
        digest.update(part.encode(errors="surrogatepass") + b"\xff")
    return urlsafe_b64encode(digest.digest()).decode()


class SeenImages:
    """Images that something has learnt from, by their hashes."""

    def __init__(self, hashes: Iterable[str] = ()) -> None:
        self._hashes: dict[str, None] = {}
        self._ids: set[str] = set()
        # Captions and boxes, each after the id of their image, and by themselves.
        self._with_id: set[str] = set()
        self._contents: set[str] = set()
        # Captions and boxes of older files, which hashed each of them together with the id.
        self._older: set[str] = set()
        for text in hashes:
            self._remember(text)

    def __len__(self) -> int:
        return len(self._hashes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SeenImages) and self._hashes == other._hashes

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"<SeenImages: {len(self):,}>"

    def add(self, image: Image) -> None:
        id, captions, boxes = fingerprint(image)
        self._remember(f"{_MARK}{id}{captions or _NOTHING}{boxes or _NOTHING}")

    def _remember(self, text: str) -> None:
        self._hashes[text] = None
        hashes = _hashes_of(text)
        id, *contents = (hashes[at : at + _CHARACTERS] for at in range(0, len(hashes), _CHARACTERS))
        self._ids.add(id)
        known = [content for content in contents if content != _NOTHING]
        if hashes == text:
            self._older.update(known)
            return
        self._with_id.update(id + content for content in known)
        self._contents.update((*known, "".join(contents)))

    def joined(self, other: SeenImages) -> SeenImages:
        """The images of both."""
        return SeenImages([*self._hashes, *other._hashes])

    def watch(self, images: Iterable[Image]) -> Iterator[Image]:
        """The images as they come, each remembered."""
        for image in images:
            self.add(image)
            yield image

    def find(self, image: Image) -> Sighting:
        id, captions, boxes = fingerprint(image)
        if {id + captions, id + boxes} & self._with_id or self._is_in_older_file(image):
            return "seen"
        # Many pictures have one box all around them, or one and the same short caption.
        telling = [captions if len(_texts(image)) > 1 else "", boxes if len(image.boxes) > 1 else ""]
        telling.append(captions + boxes if captions and boxes else "")
        if self._contents.intersection(filter(None, telling)):
            return "alike"
        return "id" if id in self._ids else "new"

    def _is_in_older_file(self, image: Image) -> bool:
        if not self._older:
            return False
        return any(_hash(image.id, *parts) in self._older for parts in (_texts(image), _edges(image)) if parts)

    def to_json(self) -> list[str] | None:
        """A text for each image; None for so many that a file should not hold them."""
        return list(self._hashes) if len(self._hashes) <= MOST_KEPT else None


_NOTHING = "-" * _CHARACTERS

# What a text begins with whose hashes of captions and boxes leave the id out. In older files they do not.
_MARK = "2"


def _hashes_of(text: str) -> str:
    """The text without its mark, if it has one."""
    return text.removeprefix(_MARK) if len(text) > 3 * _CHARACTERS else text


def is_hash(text: str) -> bool:
    """Whether a text may be one of `SeenImages.to_json`."""
    hashes = _hashes_of(text)
    return len(hashes) == 3 * _CHARACTERS and text.isascii() and text.replace("-", "a").replace("_", "a").isalnum()


@dataclass
class Overlap:
    """How many images were seen in training, have the captions or boxes of one that was, or only its id.

    `is_unknown` says that a model does not tell what it was trained on.
    """

    seen: Sequence[SeenImages]
    is_unknown: bool = False
    n_images: int = 0
    n_seen: int = 0
    n_same_id: int = 0
    first_seen: str = ""
    first_same_id: str = ""
    n_alike: int = 0
    first_alike: str = ""

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
        if "alike" in sightings:
            self.n_alike += 1
            self.first_alike = self.first_alike or image.id
            return "alike"
        if "id" in sightings:
            self.n_same_id += 1
            self.first_same_id = self.first_same_id or image.id
            return "id"
        return "new"

    def marked(self, images: Iterable[Image]) -> Iterator[Image]:
        """The images, added; the provenance of those that were trained on, or may have been, says so."""
        for image in images:
            sighting = self.add(image)
            if sighting == "seen":
                yield replace(image, provenance={**image.provenance, "training": "yes"})
            elif sighting == "alike" or self.is_unknown:
                yield replace(image, provenance={**image.provenance, "training": "unknown"})
            else:
                yield image

    def refuse_seen(self, place: str, *, can_be_allowed: bool = True) -> None:
        """Raise an error if an image was seen in training; it says whether that can be allowed."""
        if self.n_seen:
            problem = f"{self.n_seen:,} of {self.n_images:,} images are training images, such as {self.first_seen}"
            if not can_be_allowed:
                raise BadInput(place, problem, "name other images")
            raise BadInput(place, problem, "name other images, or allow it", code="train-is-test")

    def to_json(self) -> dict[str, str]:
        """What a signature says of it, as `training`; nothing where all images are known to be new."""
        counts = {"seen": self.n_seen, "alike": self.n_alike, "of the same id": self.n_same_id}
        parts = [f"{n} {name}" for name, n in counts.items() if n]
        described = [f"{', '.join(parts)} of {self.n_images} images"] if parts else []
        described += ["unknown"] if self.is_unknown else []
        return {"training": "; ".join(described)} if described else {}

    def warnings(self) -> Iterator[str]:
        if self.n_seen:
            yield (
                f"{self.n_seen:,} of {self.n_images:,} images are training images, such as {self.first_seen}; "
                "scores on them do not tell how well new images are described"
            )
        if self.n_alike:
            yield (
                f"{self.n_alike:,} of {self.n_images:,} images have the captions or boxes of a training image, such as "
                f"{self.first_alike}, but another id; they may be training images too"
            )
        if self.n_same_id:
            yield (
                f"{self.n_same_id:,} of {self.n_images:,} images have the id of a training image, such as "
                f"{self.first_same_id}, but other captions and boxes"
            )
        if self.is_unknown:
            yield "training images: unknown (the model's file does not list them), so these images may be among them"
