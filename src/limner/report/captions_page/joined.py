"""The images that systems were scored on, in one order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from limner.corpus.image import Image
from limner.score.metric import Numbers

if TYPE_CHECKING:
    from limner.score.caption_evaluation import Evaluation


class Joined:
    """The images of all systems, the first system's first; `places[s]` tells where an id is in system s' run."""

    def __init__(self, systems: Sequence[Evaluation]) -> None:
        self.systems = systems
        self.places = [{id: place for place, id in enumerate(one.run.ids)} for one in systems]
        self.ids = list(dict.fromkeys(id for one in systems for id in one.run.ids))
        self.numbers = {id: number for number, id in enumerate(self.ids)}

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
        found = np.full(len(self.ids), np.nan)
        found[[self.numbers[id] for id in self.systems[s].run.ids]] = per_image
        return found

    def _first(self, id: str) -> int:
        return next(s for s, places in enumerate(self.places) if id in places)
