"""What an experiment has made, in files by a signature of all that could change them: a second run makes nothing.

A file is written whole or not at all, so whatever is there is finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import msgspec

from limner.corpus import open_corpus, write_corpus
from limner.corpus.image import Image
from limner.errors import cannot
from limner.files import open_bytes, write_bytes

Record = TypeVar("Record", bound=msgspec.Struct)


def unheard(message: str) -> None:
    """A message that nobody wants."""


def signature_of(*parts: object) -> str:
    """A few letters that are others for other parts: texts, numbers, structs, and lists and mappings of them."""
    digest = blake2b(digest_size=8)
    for part in parts:
        digest.update(msgspec.json.encode(part, order="deterministic") + b"\xff")
    return digest.hexdigest()


def images_signature(images: Iterable[Image]) -> str:
    """A few letters that are others for other images, or another order of them."""
    digest = blake2b(digest_size=8)
    for image in images:
        digest.update(msgspec.json.encode(_content(image), order="deterministic") + b"\xff")
    return digest.hexdigest()


def _content(image: Image) -> tuple[object, ...]:
    """What anything could learn from an image or say of it.

    An encoder leaves out fields by the identity of their defaults, which an image of another process lacks.
    """
    boxes = [(box.id, *map(float, box.corners), box.label, float(box.score), *box.flags) for box in image.boxes]
    captions = [
        (
            caption.id,
            caption.text,
            caption.source,
            [(mention.start, mention.end, mention.boxes, mention.origin) for mention in caption.mentions],
        )
        for caption in image.captions
    ]
    size = (image.width, image.height)
    return image.id, size, image.file, dict(image.attributes), dict(image.provenance), boxes, captions


@dataclass(frozen=True)
class ExperimentCache:
    """A folder of what was made; `notice` hears of everything that is made now."""

    folder: Path
    notice: Callable[[str], None] = unheard

    def path(self, name: str) -> Path:
        """Where something of this name is; its folder is made."""
        path = self.folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot("write", path.parent, error) from error
        return path

    def has_images(self, name: str) -> bool:
        """Whether the images of this name were made."""
        return self.path(f"{name}.jsonl").is_file()

    def images(self, name: str, make: Callable[[], Iterable[Image]], what: str) -> list[Image]:
        """The images of a file, which are made, with a notice of what they are, where it is not there."""
        path = self.path(f"{name}.jsonl")
        if not self.has_images(name):
            self.notice(what)
            write_corpus(make(), path)
        return list(open_corpus(path))

    def record(self, name: str, kind: type[Record], make: Callable[[], Record], what: str) -> Record:
        """The record of a file, which is made where it is not there, or is one of an older program."""
        path = self.path(f"{name}.json")
        if path.is_file():
            with open_bytes(path) as handle:
                raw = handle.read()
            try:
                return msgspec.json.decode(raw, type=kind)
            except msgspec.DecodeError:
                # It was written by a program that kept other figures: they are computed anew.
                pass
        self.notice(what)
        record = make()
        with write_bytes(path) as handle:
            handle.write(msgspec.json.encode(record))
        return record
