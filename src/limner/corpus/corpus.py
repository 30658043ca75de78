"""Images that stream from disk, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown


class Corpus:
    """An iterable of images, read anew each time it is iterated, so that none need be in memory.

    With `ids` only these images come, in the corpus' order, and it is an error
    if one of them never does. `reading` tells what the last iteration warned
    of and, when lenient, left out.
    """

    def __init__(
        self,
        name: str,
        read: Callable[[Reading], Iterable[Image]],
        *,
        lenient: bool = False,
        ids: Collection[str] | None = None,
    ) -> None:
        self.name = name
        self.reading = Reading(lenient=lenient, wanted=ids)
        self._read = read

    @classmethod
    def of(cls, images: Iterable[Image], name: str = "memory") -> Corpus:
        """A corpus of images that are in memory already."""
        kept = tuple(images)
        return cls(name, lambda _: kept)

    def __iter__(self) -> Iterator[Image]:
        self.reading = Reading(lenient=self.reading.lenient, wanted=self.reading.wanted)
        return self._wanted(self.reading)

    def index(self) -> dict[str, Image]:
        """Every image by its id, in memory."""
        return {image.id: image for image in self}

    def _wanted(self, reading: Reading) -> Iterator[Image]:
        """The images that are wanted, each id once."""
        seen: set[str] = set()
        for image in self._read(reading):
            if not reading.wants(image.id):
                continue
            if image.id in seen:
                problem = f"image {shown(image.id)} is there twice"
                reading.skip("image whose id was there before", BadInput(self.name, problem, "give each its own id"))
                continue
            seen.add(image.id)
            yield image
        missing = set() if reading.wanted is None else reading.wanted - seen
        if missing:
            some = ", ".join(sorted(missing)[:3])
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            raise BadInput(self.name, f"there is no image {some}{more}", "correct the list of ids")
