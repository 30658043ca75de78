"""What looks at pictures: proposers of regions, detectors of things, and features of regions.

Regions are half-open corners in pixels, as in `limner.corpus.geometry`. A
`signature` names every choice that could change the numbers: two of one
signature give the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Singles
from limner.corpus.box import Box
from limner.corpus.image import Image

# A picture, `[height, width, 3]`: red, green and blue from 0 to 255.
Pixels = NDArray[np.uint8]


class Proposer(Protocol):
    """Says where in a picture things may be, whatever they are."""

    @property
    def signature(self) -> str: ...

    def propose(self, image: Image, pixels: Pixels) -> tuple[Box, ...]:
        """Boxes labelled `object` in pixels of the picture, best first; the score is objectness, 1 where there is none.

        `image` is what is known of the picture, in the same pixels.
        """


class Detector(Protocol):
    """Finds the things of some classes in pictures."""

    @property
    def signature(self) -> str: ...

    @property
    def class_names(self) -> tuple[str, ...]: ...

    def detect(self, pictures: Sequence[Pixels]) -> list[tuple[Box, ...]]:
        """The things in each picture, best first: boxes in its pixels, labelled with class names."""


class RegionFeatures(Protocol):
    """Turns regions of a picture into vectors."""

    @property
    def signature(self) -> str: ...

    @property
    def n_dims(self) -> int: ...

    def extract(self, pixels: Pixels, corners: Singles) -> Singles:
        """The features of regions of one picture, `[regions, dims]`; `corners` are `[regions, 4]`."""
