"""What a learned selector knows: features by name, priors, and two forests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from limner.corpus.geometry import Numbers
from limner.describe.learned.choice import normalised
from limner.describe.learned.features import matrix
from limner.describe.learned.layout import Layout
from limner.describe.learned.priors import Priors
from limner.describe.learned.trees import Forest


class Trained(NamedTuple):
    """What a model was trained on."""

    n_images: int
    n_boxes: int
    seed: int


class Model(NamedTuple):
    """Two forests tell for each box the share of captions that mention it, p, and its share of recall, r."""

    features: Sequence[str]
    priors: Priors
    p: Forest
    r: Forest
    trained: Trained

    def matrix(self, layout: Layout) -> Numbers:
        """The features that the forests ask about, `[boxes, features]`."""
        return matrix(layout, self.priors, self.features)

    def worth(self, layout: Layout) -> tuple[Numbers, Numbers]:
        """The p and r to expect of every box of a layout; the r of an image's boxes sum to 1."""
        values = self.matrix(layout)
        return squashed(self.p.predict(values)), normalised(layout.offsets, squashed(self.r.predict(values)))


def squashed(sums: Numbers) -> Numbers:
    """The sums of trees as shares between 0 and 1."""
    # Beyond 60 nothing changes but that the exponential of much more would overflow.
    return 1 / (1 + np.exp(-np.clip(sums, -60.0, 60.0)))
