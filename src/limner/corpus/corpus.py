"""Images that stream from disk, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.corpus import image_view
else:
    image_view = lazy("limner.corpus.image_view")


class Corpus:
    """An iterable of images, read anew each time it is iterated, so that none need be in memory.

    With `ids` only these images come, in the corpus' order, and it is an error
    if one of them never does.

    Each iteration has a `Reading` of its own, which counts what it warned of
    and, when lenient, left out. `reading` is that of the iteration which ended
    last; one that is still running never shows there.

    In a notebook a corpus shows its first images if `is_quick` says that they
    come at once, and not from a pipe; it is asked only then.
    """

    def __init__(
        self,
        name: str,
        read: Callable[[Reading], Iterable[Image]],
        *,
        lenient: bool = False,
        ids: Collection[str] | None = None,
        is_quick: bool | Callable[[], bool] = True,
    ) -> None:
        if not name:
            raise ValueError("a corpus needs a name")
        # A text is a collection of texts too: its letters would be taken for ids.
        if isinstance(ids, str):
            raise ValueError(f"ids must be a list of ids, not the text {shown(ids)}")
        self.name = name
        self.reading = Reading(lenient=lenient, wanted=ids)
        self._read = read
        self._is_quick = is_quick

    @classmethod
    def of(cls, images: Iterable[Image], name: str = "memory") -> Corpus:
        """A corpus of images that are in memory already."""
        images = tuple(images)
        return cls(name, lambda _: images)

    def __iter__(self) -> Iterator[Image]:
        reading, before = self._new_reading(), self.reading
        try:
            yield from self._wanted(reading)
            before = self.reading
        finally:
            # An iteration that is left early must not hide what one that ended meanwhile has counted.
            if self.reading is before:
                self.reading = reading

    def index(self) -> dict[str, Image]:
        """Every image by its id, in memory."""
        return {image.id: image for image in self}

    def __repr__(self) -> str:
        lenient = ", lenient" if self.reading.lenient else ""
        ids = "" if self.reading.wanted is None else f", {len(self.reading.wanted):,} ids"
        return f"<Corpus {shown(self.name)}{lenient}{ids}>"

    def _repr_html_(self) -> str:
        is_quick = self._is_quick() if callable(self._is_quick) else self._is_quick
        # A glance must not replace `reading`.
        return image_view.corpus_html(self.name, self._wanted(self._new_reading()) if is_quick else ())

    def _new_reading(self) -> Reading:
        return Reading(lenient=self.reading.lenient, wanted=self.reading.wanted)

    def _wanted(self, reading: Reading) -> Iterator[Image]:
        """The images that are wanted, each id once."""
        seen: set[str] = set()
        for image in self._read(reading):
            if not reading.wants(image.id):
                continue
            if image.id in seen:
                problem = f"image {shown(image.id)} appears twice"
                reading.skip("image whose id was there before", BadInput(self.name, problem, "give each its own id"))
                continue
            seen.add(image.id)
            yield image
        missing = set() if reading.wanted is None else reading.wanted - seen
        if missing:
            first = ", ".join(sorted(missing)[:3])
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            raise BadInput(self.name, f"there is no image {first}{more}", "correct the list of ids")
