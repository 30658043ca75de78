"""CLIP, SigLIP and their kin as dual encoders, from a folder as transformers saves them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image as Picture

from limner.arrays import Singles
from limner.errors import LimnerError
from limner.learn.transformers_folders import fingerprint
from limner.score.embedder import Embedder
from limner.vision.image_pixels import ImagePixels

# Sentences that the model is given at a time.
BATCH = 64


class ClipEncoder:
    """A dual encoder by a model that embeds both; sentences that are too long for it are cut."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        self._embedder = Embedder(folder, device)
        self.fingerprint = fingerprint(folder)
        self.signature = f"hugging-face:{self.fingerprint}|cosine|version:1"
        self.n_dims = int(self._embedder.sentences(["a picture"]).shape[1])

    def image_vectors(self, pictures: Sequence[ImagePixels]) -> Singles:
        if not pictures:
            return np.zeros((0, self.n_dims), dtype=np.float32)
        return self._embedder.images([Picture.fromarray(seen.pixels) for seen in pictures]).astype(np.float32)

    def text_vectors(self, texts: Sequence[str]) -> Singles:
        parts = [
            self._embedder.sentences(texts[start : start + BATCH]).astype(np.float32)
            for start in range(0, len(texts), BATCH)
        ]
        return np.concatenate([np.zeros((0, self.n_dims), dtype=np.float32), *parts])

    def phrase_vectors(self, phrases: Sequence[str]) -> Singles:
        raise LimnerError("this model has no vectors of regions and phrases")

    def knows(self, text: str) -> bool:
        """Whether there is any letter or digit: the tokens of such models cover all words."""
        return any(letter.isalnum() for letter in text)
