"""Whole pictures and sentences in one space by normalised CCA (Klein et al. 2014; Plummer et al. 2016, §4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limner.arrays import Singles
from limner.errors import LimnerError
from limner.ground.whole_pictures import PictureFeatures
from limner.learn.cca import NormalisedCCA
from limner.text.text_embedders import TextEmbedder
from limner.vision.image_pixels import ImagePixels

# Directions of the common space.
DIMS = 256

# Shares of a covariance's largest eigenvalue that are tried for its diagonal. With a few thousand pictures and features
# of a thousand numbers, much less learns them by heart.
RIDGES = (0.01, 0.03, 0.1, 0.3)

# Sentences that are embedded at a time.
BATCH = 4096


@dataclass(frozen=True)
class WholeImageCCA:
    """A dual encoder: features of pictures and of sentences, projected to where they correlate best."""

    features: PictureFeatures
    embedder: TextEmbedder
    cca: NormalisedCCA

    @property
    def n_dims(self) -> int:
        return len(self.cca.correlations_)

    @property
    def signature(self) -> str:
        # Two models of equal settings that learnt from other captions rank otherwise.
        settings = f"dims:{self.n_dims}|ridge:{self.cca.ridge:g}|power:{self.cca.power:g}|learnt:{self.cca.fingerprint}"
        return f"whole-image-cca:1|{settings}|pictures:[{self.features.signature}]|texts:[{self.embedder.signature}]"

    def image_vectors(self, pictures: Sequence[ImagePixels]) -> Singles:
        rows = [self.features.extract(seen.pixels) for seen in pictures]
        return self.cca.transform(np.stack(rows)) if rows else np.zeros((0, self.n_dims), dtype=np.float32)

    def text_vectors(self, texts: Sequence[str]) -> Singles:
        return projected_texts(self.cca, self.embedder, texts)

    def knows(self, text: str) -> bool:
        return self.embedder.knows(text)


def fit_whole_image_cca(
    pictures: Singles,
    captions: Sequence[Sequence[str]],
    embedder: TextEmbedder,
    *,
    ridge: float = RIDGES[1],
    n_dims: int = DIMS,
) -> NormalisedCCA:
    """The common space of pictures, `[pictures, dims]`, and the captions of each; every caption is a pair.

    Time grows with the number of captions times the squares of dimensions.
    """
    if len(pictures) != len(captions):
        raise ValueError(f"there are {len(pictures):,} pictures and captions of {len(captions):,}")
    counts = [len(of_picture) for of_picture in captions]
    if sum(counts) < 2 or len(pictures) < 2:
        raise LimnerError("whole pictures and sentences are learnt from two captions of two pictures, at least")
    most = min(pictures.shape[1], embedder.n_dims, n_dims)
    cca = NormalisedCCA(n_components=most, ridge=ridge)
    texts = [text for of_picture in captions for text in of_picture]
    rows = np.repeat(np.arange(len(pictures)), counts)
    for start in range(0, len(texts), BATCH):
        at = slice(start, start + BATCH)
        cca.partial_fit(pictures[rows[at]], embedder.embed(texts[at]))
    return cca


def projected_texts(cca: NormalisedCCA, embedder: TextEmbedder, texts: Sequence[str]) -> Singles:
    """The vectors of texts in the common space; zeros where nothing is known, though the mean of texts is not there."""
    parts = [np.zeros((0, len(cca.correlations_)), dtype=np.float32)]
    for start in range(0, len(texts), BATCH):
        embedded = embedder.embed(texts[start : start + BATCH])
        rows = cca.transform_y(embedded)
        rows[~embedded.any(axis=1)] = 0.0
        parts.append(rows)
    return np.concatenate(parts)
