"""Images that stream from disk, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, shown


class Corpus:
    """An iterable of images, read anew each time it is iterated, so that none need be in memory.

    `reading` tells what the last iteration warned of and, when lenient, left out.
    """

    def __init__(self, name: str, read: Callable[[Reading], Iterable[Image]], *, lenient: bool = False) -> None:
        self.name = name
        self.reading = Reading(lenient=lenient)
        self._read = read

    @classmethod
    def of(cls, images: Iterable[Image], name: str = "memory") -> Corpus:
        """A corpus of images that are in memory already."""
        kept = tuple(images)
        return cls(name, lambda _: kept)

    def __iter__(self) -> Iterator[Image]:
        self.reading = Reading(lenient=self.reading.lenient)
        return unique(self._read(self.reading), self.name, self.reading)

    def index(self) -> dict[str, Image]:
        """Every image by its id, in memory."""
        return {image.id: image for image in self}


def unique(images: Iterable[Image], place: str, reading: Reading) -> Iterator[Image]:
    """The images, refusing a second one of the same id."""
    seen: set[str] = set()
    for image in images:
        if image.id in seen:
            reading.skip(
                "image with an id that was there already",
                BadInput(place, f"image {shown(image.id)} is there twice", "give every image its own id"),
            )
            continue
        seen.add(image.id)
        yield image


def keep(images: Iterable[Image], ids: Iterable[str], place: str) -> Iterator[Image]:
    """The images with these ids, in the corpus' order; an id that never comes is an error at the end."""
    wanted = set(ids)
    missing = dict.fromkeys(wanted)
    for image in images:
        if image.id in wanted:
            missing.pop(image.id, None)
            yield image
    if missing:
        some = ", ".join(sorted(missing)[:3])
        raise LimnerError(f"{place}: no image {some}" + (f" and {len(missing) - 3} more" if len(missing) > 3 else ""))
