"""A grounder as an encoder for retrieval: its regions and phrases, and whole pictures as one region."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from limner.arrays import Singles
from limner.corpus.image import Image
from limner.ground.dual_encoders import EncodedRegions, Mixture
from limner.ground.grounder import Grounder
from limner.ground.phrase_queries import make_query
from limner.ground.picture_regions import RegionReader
from limner.ground.region_cache import keep_regions
from limner.vision.image_pixels import ImagePixels

# A grounder has learnt of phrases alone, and whole sentences mean little to it: equation 4 counts alone. Its exponent
# was chosen on made pictures.
MIXTURE = Mixture(0.0, 1.25)


class GrounderTexts:
    """The half of a grounder that embeds sentences and phrases; a sentence is one long phrase."""

    def __init__(self, grounder: Grounder) -> None:
        self.grounder = grounder

    @classmethod
    def load(cls, path: Path) -> GrounderTexts:
        return cls(Grounder.load(path))

    @property
    def n_dims(self) -> int:
        return len(self.grounder.parts.cca.correlations_)

    def phrase_vectors(self, phrases: Sequence[str]) -> Singles:
        if not phrases:
            return np.zeros((0, self.n_dims), dtype=np.float32)
        vectors = self.grounder.phrase_vectors(phrases)
        vectors[[not self.knows(phrase) for phrase in phrases]] = 0.0
        return vectors

    def text_vectors(self, texts: Sequence[str]) -> Singles:
        return self.phrase_vectors(texts)

    def knows(self, text: str) -> bool:
        return bool(text.strip()) and self.grounder.parts.encoder.knows(make_query(0, len(text), text, ()))


@dataclass(frozen=True)
class GrounderEncoder:
    """A grounder with what looks at pictures, one picture at a time: a `DualEncoder` and a `RegionEncoder`."""

    grounder: Grounder
    reader: RegionReader
    texts: GrounderTexts

    @property
    def signature(self) -> str:
        return f"{self.grounder.signature}|whole:one region|version:1"

    @property
    def n_dims(self) -> int:
        return self.texts.n_dims

    def image_vectors(self, pictures: Sequence[ImagePixels]) -> Singles:
        rows = [self.grounder.image_vector(_bare(seen), seen.pixels, self.reader) for seen in pictures]
        return np.stack(rows) if rows else np.zeros((0, self.n_dims), dtype=np.float32)

    def regions(self, seen: ImagePixels) -> EncodedRegions:
        regions = self.grounder.reduced(self.reader.read(_bare(seen), seen.pixels))
        vectors = self.grounder.parts.cca.transform(regions.descriptors())
        return EncodedRegions(np.asarray(regions.corners, dtype=np.float32), vectors)

    def text_vectors(self, texts: Sequence[str]) -> Singles:
        return self.texts.text_vectors(texts)

    def phrase_vectors(self, phrases: Sequence[str]) -> Singles:
        return self.texts.phrase_vectors(phrases)

    def knows(self, text: str) -> bool:
        return self.texts.knows(text)


def open_grounder_encoders(path: Path, n: int, cache: Path | None = None) -> list[GrounderEncoder]:
    """The grounder in a file, with what looks at pictures for n threads; the folder `cache` keeps what it sees."""
    grounder = Grounder.load(path)
    texts, readers = GrounderTexts(grounder), grounder.open_readers(n)
    keep_regions(readers, cache)
    return [GrounderEncoder(grounder, reader, texts) for reader in readers]


def _bare(seen: ImagePixels) -> Image:
    """The image without what people said of it: nobody must see it here."""
    return replace(seen.image, boxes=(), captions=(), chains=())
