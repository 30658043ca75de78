"""A selector that has learnt which boxes people mention, and how many."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from limner.corpus.image import Image
from limner.describe.learned.choice import choose
from limner.describe.learned.explanation import Explanation, explain
from limner.describe.learned.layout import Layout
from limner.describe.learned.model import Model
from limner.describe.learned.model_file import read_model, write_model


class LearnedSelector:
    """Chooses, image by image, the boxes whose mention promises the largest F against what people mention.

    Neither captions and chains nor the order of boxes have any say. An image
    without boxes has none to choose; any other has one at least.
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    @classmethod
    def load(cls, path: Path | str) -> LearnedSelector:
        """The selector that a file holds."""
        return cls(read_model(Path(path)))

    def save(self, path: Path | str) -> None:
        """Write the selector as JSON, compressed if the name ends in .gz or .zst."""
        write_model(self.model, Path(path))

    def select(self, image: Image) -> list[str]:
        """The ids of the boxes to mention, the one most surely mentioned first."""
        return self.select_many([image])[0]

    def select_many(self, images: Sequence[Image]) -> list[list[str]]:
        """What `select` says of each image, in much less time."""
        layout = Layout(images)
        p, r = self.model.worth(layout)
        chosen = choose(layout.offsets, p, r).chosen
        order = np.lexsort((-p, layout.image))
        order = order[chosen[order]]
        ids = [layout.ids[row] for row in order]
        ends = np.searchsorted(layout.image[order], np.arange(len(images)), side="right")
        return [ids[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def explain(self, image: Image) -> Explanation:
        """Why each box was chosen, or not."""
        return explain(self.model, image)
