"""The images whose boxes are labelled most like another's: an index of images by the nouns of their labels."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Indices, Integers
from limner.corpus.box import Box
from limner.corpus.image import Image
from limner.text.labels import noun, one

# More boxes of a noun than this count as so many: a crowd is a crowd.
MOST_COUNTED = 9

# What a thing weighs however small it is; the square root of its share of the picture is added.
LEAST_WEIGHT = 0.3

# What a noun weighs that every image has.
LEAST_IDF = 0.5

# Similarities are compared to so many decimals: the order in which numbers were added must not break ties.
DECIMALS = 9


class LabelIndex:
    """Images as vectors over the nouns of their labels, compared by their cosine.

    A noun weighs more the more boxes it has, the larger the largest of them
    is, and the fewer images have it: √min(n, 9) · (0.3 + √share) · idf. For
    each noun the index lists the images that have it, so that a search looks
    only at images with a noun in common. Images are known by their number.
    """

    def __init__(self, weights_of_images: Iterable[Mapping[str, float]]) -> None:
        number_by_noun: dict[str, int] = {}
        nouns, weights, lengths = array("q"), array("d"), array("q")
        for weight_by_noun in weights_of_images:
            nouns.extend(number_by_noun.setdefault(name, len(number_by_noun)) for name in sorted(weight_by_noun))
            weights.extend(weight_by_noun[name] for name in sorted(weight_by_noun))
            lengths.append(len(weight_by_noun))
        self.n_images = len(lengths)
        noun_of: Integers = np.array(nouns, dtype=np.int64)
        image_of = np.repeat(np.arange(self.n_images), np.array(lengths, dtype=np.int64))
        n_having = np.bincount(noun_of, minlength=len(number_by_noun))
        self._idf = {name: log(self.n_images / n_having[k]) + LEAST_IDF for name, k in number_by_noun.items()}
        values = np.array(weights) * np.array([self._idf[name] for name in number_by_noun])[noun_of]
        values /= np.sqrt(np.bincount(image_of, values**2, minlength=self.n_images))[image_of]
        # Stable: the images of a noun stay in their order.
        by_noun = np.argsort(noun_of, kind="stable")
        cuts = np.cumsum(n_having)[:-1]
        images = np.split(image_of[by_noun].astype(np.int32), cuts)
        shares = np.split(values[by_noun].astype(np.float32), cuts)
        self._postings: dict[str, tuple[NDArray[np.int32], NDArray[np.float32]]] = {
            name: (images[k], shares[k]) for name, k in number_by_noun.items()
        }

    def nearest(self, weight_by_noun: Mapping[str, float], k: int) -> Indices:
        """The k images most alike, the best first, of equals the earliest; fewer if fewer have a noun in common."""
        wanted = {name: weight_by_noun[name] * self._idf[name] for name in sorted(weight_by_noun) if name in self._idf}
        similarities = np.zeros(self.n_images)
        if not wanted:
            return np.zeros(0, dtype=np.intp)
        norm = sqrt(sum(weight**2 for weight in wanted.values()))
        for name, weight in wanted.items():
            images, shares = self._postings[name]
            similarities[images] += shares * (weight / norm)
        similarities = similarities.round(DECIMALS)
        least = np.partition(similarities, -k)[-k] if k < self.n_images else 0.0
        candidates = np.flatnonzero((similarities >= least) & (similarities > 0.0))
        return candidates[np.argsort(-similarities[candidates], kind="stable")[:k]]


def label_weights(image: Image) -> dict[str, float]:
    """What each noun among the labels of an image's boxes weighs, before idf."""
    boxes_by_noun: dict[str, list[Box]] = {}
    for box in image.boxes:
        boxes_by_noun.setdefault(one(noun(box.label)), []).append(box)
    area = _area(image)
    return {
        name: sqrt(min(len(boxes), MOST_COUNTED))
        * (LEAST_WEIGHT + sqrt(min(max(box.area for box in boxes) / area, 1.0)))
        for name, boxes in boxes_by_noun.items()
    }


def _area(image: Image) -> float:
    """The picture's area; where its size is not known, that of what its boxes reach, and never 0."""
    if image.width is not None and image.height is not None:
        return image.width * image.height
    return max(max(box.x1 for box in image.boxes) * max(box.y1 for box in image.boxes), 1.0) if image.boxes else 1.0
