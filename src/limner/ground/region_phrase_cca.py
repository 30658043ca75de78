"""Regions and phrases in one space by normalised CCA, over windows of a grid: light enough for many pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from limner.arrays import Singles
from limner.corpus.geometry import corners
from limner.corpus.image import Image
from limner.ground.dual_encoders import EncodedRegions
from limner.ground.whole_image_cca import projected_texts
from limner.ground.whole_pictures import BUILT_IN
from limner.learn.cca import NormalisedCCA
from limner.text.text_embedders import TextEmbedder, unit_rows
from limner.vision.features.colour_features import ColourFeatures
from limner.vision.features.feature_recipe import FeatureRecipe
from limner.vision.features.shape_features import ShapeFeatures
from limner.vision.image_pixels import ImagePixels
from limner.vision.proposals import GridProposer, ProposalLimits
from limner.vision.protocols import Pixels, RegionFeatures

# Windows of a picture that phrases are looked for in.
WINDOWS = 120

# Regions of one phrase that are learnt from, at most (Plummer et al. 2016, §4.1.1).
MOST_OF_PHRASE = 10

# Directions of the common space.
REGION_DIMS = 128


class RegionExtractor:
    """Features of regions side by side, each picture's of length 1: a model's pooled map, or colours and shapes."""

    def __init__(self, extractors: Sequence[RegionFeatures]) -> None:
        self._extractors = tuple(extractors)
        self.n_dims = sum(extractor.n_dims for extractor in extractors)
        self.signature = f"regions:{'+'.join(extractor.signature for extractor in extractors)}|version:1"

    def extract(self, pixels: Pixels, at: Singles) -> Singles:
        """A row for each region, `[regions, n_dims]`."""
        return unit_rows(np.concatenate([extractor.extract(pixels, at) for extractor in self._extractors], axis=1))


def open_region_extractors(model: str = BUILT_IN, n: int = 1) -> list[RegionExtractor]:
    """What extracts features of regions, n times, for so many threads."""
    if model == BUILT_IN:
        return [RegionExtractor([ColourFeatures(), ShapeFeatures()])] * n
    return [RegionExtractor([extractor]) for extractor in FeatureRecipe(model, by="pool").open(n)]


def window_corners(seen: ImagePixels, n: int = WINDOWS) -> Singles:
    """The corners of a picture's windows."""
    return _windows_of_size(seen.pixels.shape[1], seen.pixels.shape[0], n)


@lru_cache(maxsize=256)
def _windows_of_size(width: int, height: int, n: int) -> Singles:
    # Windows depend on the size alone, and making them takes longer than their features do.
    blank = np.broadcast_to(np.uint8(0), (height, width, 3))
    windows = corners(GridProposer(ProposalLimits(most=n)).propose(Image("blank"), blank)).astype(np.float32)
    windows.flags.writeable = False
    return windows


@dataclass(frozen=True)
class RegionPhraseCCA:
    """A `RegionEncoder` whose regions are the windows of a grid."""

    extractor: RegionExtractor
    embedder: TextEmbedder
    cca: NormalisedCCA
    windows: int = WINDOWS

    @property
    def n_dims(self) -> int:
        return len(self.cca.correlations_)

    @property
    def signature(self) -> str:
        settings = f"windows:{self.windows}|dims:{self.n_dims}|ridge:{self.cca.ridge:g}|power:{self.cca.power:g}"
        learnt = f"learnt:{self.cca.fingerprint}"
        return f"region-cca:1|{settings}|{learnt}|[{self.extractor.signature}]|texts:[{self.embedder.signature}]"

    def regions(self, seen: ImagePixels) -> EncodedRegions:
        at = window_corners(seen, self.windows)
        return EncodedRegions(at, self.cca.transform(self.extractor.extract(seen.pixels, at)))

    def phrase_vectors(self, phrases: Sequence[str]) -> Singles:
        return projected_texts(self.cca, self.embedder, phrases)


class PhraseRegion(NamedTuple):
    """A phrase and the region of all its boxes together, in units of the corpus."""

    phrase: str
    corners: tuple[float, float, float, float]


def phrase_regions(image: Image) -> Iterator[PhraseRegion]:
    """The phrases of an image's captions that refer to boxes; several boxes are one region around them."""
    boxes = {box.id: box.corners for box in image.boxes}
    for caption, mention in image.mentions():
        drawn = [boxes[id] for id in mention.boxes if id in boxes]
        if drawn:
            x0, y0, x1, y1 = zip(*drawn, strict=True)
            yield PhraseRegion(caption.phrase(mention), (min(x0), min(y0), max(x1), max(y1)))


def fit_region_phrase_cca(
    phrases: Sequence[str], features: Singles, embedder: TextEmbedder, *, ridge: float, seed: int = 0
) -> NormalisedCCA:
    """The common space of phrases and the features of their regions, of which each phrase keeps a few random ones."""
    kept = _at_most(phrases, MOST_OF_PHRASE, seed)
    most = min(features.shape[1], embedder.n_dims, REGION_DIMS)
    cca = NormalisedCCA(n_components=most, ridge=ridge)
    for start in range(0, len(kept), 4096):
        at = kept[start : start + 4096]
        cca.partial_fit(features[at], embedder.embed([phrases[i] for i in at]))
    return cca


def _at_most(phrases: Iterable[str], most: int, seed: int) -> list[int]:
    """The numbers of phrases, in their order, none of which is there more than so often, whatever its capitals."""
    places: dict[str, list[int]] = {}
    for place, phrase in enumerate(phrases):
        places.setdefault(phrase.lower(), []).append(place)
    random = np.random.default_rng(seed)
    chosen: list[int] = []
    for of_phrase in places.values():
        if len(of_phrase) > most:
            of_phrase = random.choice(of_phrase, most, replace=False).tolist()
        chosen += of_phrase
    return sorted(chosen)
