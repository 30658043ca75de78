"""What puts pictures and sentences in one space, so that their cosine says how well they fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from limner.arrays import Singles
from limner.vision.image_pixels import ImagePixels


class DualEncoder(Protocol):
    """A model of whole pictures and whole sentences.

    Vectors have length 1. A sentence of which nothing is known is a row of
    zeros. Two encoders of one `signature` give the same vectors.
    """

    @property
    def signature(self) -> str: ...

    @property
    def n_dims(self) -> int: ...

    def image_vectors(self, pictures: Sequence[ImagePixels]) -> Singles:
        """A row for each picture, `[pictures, n_dims]`."""

    def text_vectors(self, texts: Sequence[str]) -> Singles:
        """A row for each sentence, `[texts, n_dims]`."""

    def knows(self, text: str) -> bool:
        """Whether the sentence has any part that the encoder knows."""


class TextEncoder(Protocol):
    """The half of a model that encodes sentences and phrases, which is all that a search for pictures needs."""

    def text_vectors(self, texts: Sequence[str]) -> Singles:
        """A row for each sentence, in the space of whole pictures."""

    def phrase_vectors(self, phrases: Sequence[str]) -> Singles:
        """A row for each phrase, in the space of regions; an error for a model without one."""

    def knows(self, text: str) -> bool:
        """Whether the sentence has any part that the model knows."""


class EncodedRegions(NamedTuple):
    """Candidate regions of a picture: half-open corners in pixels `[regions, 4]`, and a vector for each."""

    corners: Singles
    vectors: Singles


class RegionEncoder(Protocol):
    """A model of regions and phrases, as the sum over phrases needs one (Plummer et al. 2016, equation 4)."""

    @property
    def signature(self) -> str: ...

    @property
    def n_dims(self) -> int: ...

    def regions(self, seen: ImagePixels) -> EncodedRegions:
        """The candidate regions of a picture."""

    def phrase_vectors(self, phrases: Sequence[str]) -> Singles:
        """A row for each phrase, `[phrases, n_dims]`; zeros for one of which nothing is known."""


class Mixture(NamedTuple):
    """How distances are put together: D = alpha D_whole + (1 - alpha) D_phrases, the latter with exponent gamma.

    (Plummer et al. 2016, equations 4 and 5.) Cosine distances are 1 - cosine, from 0 to 2.
    """

    alpha: float = 1.0
    gamma: float = 1.5
