"""The images that systems were scored on, in one order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from limner.corpus.image import Image
from limner.score.metric import Numbers

if TYPE_CHECKING:
    from limner.score.caption_evaluation import Evaluation


MOST_IMAGES = 20_000
"""Images that a page lists: browsers take 20 MB of them in their stride."""


class Joined:
    """The images of all systems, the first system's first, and of those the first `most`.

    `n` is how many there are in all; `places[s]` tells where a listed id is
    in system s' run.
    """

    def __init__(self, systems: Sequence[Evaluation], most: int = MOST_IMAGES) -> None:
        self.systems = systems
        every = dict.fromkeys(id for one in systems for id in one.run.ids)
        self.n = len(every)
        self.ids = list(islice(every, most))
        self.numbers = {id: number for number, id in enumerate(self.ids)}
        self.places = [{id: place for place, id in enumerate(one.run.ids) if id in self.numbers} for one in systems]

    def __len__(self) -> int:
        return len(self.ids)

    def references(self, id: str) -> Sequence[str]:
        """The references of an image, which are the same for every system."""
        s = self._first(id)
        return self.systems[s].run.references[self.places[s][id]]

    def image(self, id: str) -> Image:
        """The gold image, or where runs were made without them, one of which nothing is known."""
        s = self._first(id)
        images = self.systems[s].run.images
        return Image(id) if images is None else images[self.places[s][id]]

    def aligned(self, s: int, per_image: Numbers) -> Numbers:
        """Values of a system's images in the order of all, NaN for those it was not scored on: `[images]`."""
        places = self.places[s]
        found = np.full(len(self.ids), np.nan)
        found[[self.numbers[id] for id in places]] = per_image[list(places.values())]
        return found

    def _first(self, id: str) -> int:
        return next(s for s, places in enumerate(self.places) if id in places)
