"""Images of which some must have boxes: work on boxes has nothing to say of any other corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from limner.corpus.image import Image
from limner.errors import BadInput

# Images without a box that wait for the first that has one, so that nothing is printed of a corpus that is refused.
WAITING = 10_000


class BoxCheck:
    """Refuses a corpus without a single box, and counts the images without one; `place` names it in errors."""

    def __init__(self, place: str = "corpus") -> None:
        self._place = place
        self.n_images = self.n_without = 0

    def watch(self, images: Iterable[Image]) -> Iterator[Image]:
        """The images as they come; an error if there are any and none of them has a box."""
        waiting: list[Image] = []
        for image in images:
            self.n_images += 1
            self.n_without += not image.boxes
            waiting.append(image)
            if self.n_without < self.n_images or self.n_images >= WAITING:
                yield from waiting
                waiting.clear()
        if self.n_images and self.n_without == self.n_images:
            many = f"there are {self.n_images:,} images and none of them has a box"
            problem = many if self.n_images > 1 else "there is only one image and it has no box"
            raise BadInput(self._place, problem, "give a corpus with boxes", code="no-boxes")

    def warnings(self) -> Iterator[str]:
        if self.n_without:
            yield f"{self.n_without:,} of {self.n_images:,} images have no box: nothing can be said of them"
