"""Training captions, found by the labels of their images' boxes: consensus retrieval (Devlin et al. 2015)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from limner.arrays import Integers
from limner.corpus.held_out_labels import visible
from limner.corpus.image import Image
from limner.describe.realise.caption_consensus import CaptionVectors
from limner.describe.realise.label_neighbours import LabelIndex, label_weights
from limner.errors import LimnerError

# The nearest images whose captions are compared.
NEIGHBOURS = 60


class TrainingCaptions:
    """Collects the gold captions of images with boxes, for an index."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.lengths = array("q")
        self.weights: list[dict[str, float]] = []

    def watch(self, images: Iterable[Image]) -> Iterator[Image]:
        """The images as they come; their captions are collected."""
        for image in images:
            self.add(image)
            yield image

    def add(self, image: Image) -> None:
        """Collect an image's captions, if it has both boxes and gold captions; a caption needs a word."""
        gold = (caption.text for caption in image.captions if caption.source == "gold")
        texts = [text for text in gold if any(map(str.isalnum, text))]
        weights = label_weights(visible(image))
        if texts and weights:
            self.texts += texts
            self.lengths.append(len(texts))
            self.weights.append(weights)


class CaptionIndex:
    """Training captions by the labels of their images' boxes; `CaptionIndex.build(images)` makes one."""

    def __init__(self, training: TrainingCaptions) -> None:
        if not training.texts:
            raise LimnerError("no training image has both boxes and gold captions", code="no-training-captions")
        self.n_images = len(training.lengths)
        self._texts = training.texts
        self._labels = LabelIndex(training.weights)
        lengths: Integers = np.array(training.lengths, dtype=np.int64)
        self._vectors = CaptionVectors(training.texts, np.repeat(np.arange(self.n_images), lengths))
        self._starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])

    @classmethod
    def build(cls, images: Iterable[Image]) -> CaptionIndex:
        """The index of a corpus's gold captions; images without boxes or captions have no part in it."""
        training = TrainingCaptions()
        for image in images:
            training.add(image)
        return cls(training)

    def __repr__(self) -> str:
        return f"CaptionIndex({len(self._texts):,} captions, {self.n_images:,} images)"

    def find(self, image: Image, k: int = NEIGHBOURS) -> str:
        """Of the captions of the k images labelled most alike, the one most like the others.

        Of equals it is the nearest image's, then the first. If no training
        image has a label in common, the captions of all are compared.
        """
        if k < 1:
            raise ValueError(f"k is {k}; it must be at least 1")
        nearest = self._labels.nearest(label_weights(image), k)
        if not len(nearest):
            return self._of_all
        captions = np.concatenate([np.arange(self._starts[i], self._starts[i + 1]) for i in nearest])
        return self._texts[self._vectors.most_alike(captions)]

    @cached_property
    def _of_all(self) -> str:
        return self._texts[self._vectors.most_alike(np.arange(len(self._texts)))]
