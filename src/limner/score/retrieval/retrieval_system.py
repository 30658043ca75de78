"""What is scored: images, texts, whose image each text is of, and the scores of every image with every text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from limner.arrays import Integers, Singles
from limner.errors import BadInput, shown
from limner.learn.cross_search import Products, ScoreBlocks

# What a text is called that has no id of its own: its image's id and its number among that image's texts.
SEPARATOR = "#"


@dataclass(frozen=True, eq=False)
class RetrievalSystem:
    """A system's scores of images, which are rows, with texts, which are columns; larger is better.

    `text_images` has the row of each text's image, -1 for a text that is of
    none of them. `signature` says what made the scores, where it is known.
    """

    name: str
    image_ids: Sequence[str]
    text_ids: Sequence[str]
    text_images: Integers
    scores: ScoreBlocks
    signature: str = "unknown"

    def __post_init__(self) -> None:
        shape = len(self.image_ids), len(self.text_ids)
        if self.scores.shape != shape or self.text_images.shape != shape[1:]:
            raise ValueError(
                f"scores of shape {self.scores.shape} do not fit {shape[0]:,} images and {shape[1]:,} texts"
            )
        for what, ids in (("image", self.image_ids), ("text", self.text_ids)):
            if len(set(ids)) < len(ids):
                twice = next(id for id, n in Counter(ids).items() if n > 1)
                raise BadInput(self.name, f"{what} {shown(twice)} is there twice", "give each its own id")

    @cached_property
    def n_texts(self) -> Integers:
        """How many texts each image has."""
        return np.bincount(self.text_images[self.text_images >= 0], minlength=len(self.image_ids))


def embedded_system(
    name: str,
    image_ids: Sequence[str],
    image_vectors: Singles,
    text_images: Sequence[str],
    text_vectors: Singles,
    text_ids: Sequence[str] | None = None,
    signature: str = "unknown",
) -> RetrievalSystem:
    """A dual encoder by its vectors: scores are cosines. `text_images` are the ids of the texts' images.

    Texts without ids are called after their image and their number among its
    texts. A vector of zeros has the cosine 0 with all.
    """
    rows = {id: row for row, id in enumerate(image_ids)}
    gold = np.array([rows.get(id, -1) for id in text_images], dtype=np.int64)
    if len(gold) and gold.max() < 0:
        raise BadInput(name, "no text is of any of the images", "check that the ids agree")
    named = numbered_texts(text_images) if text_ids is None else text_ids
    return RetrievalSystem(
        name, image_ids, named, gold, Products(unit_rows(image_vectors), unit_rows(text_vectors)), signature
    )


def numbered_texts(text_images: Sequence[str]) -> list[str]:
    """The ids of texts that have none: `7#0`, `7#1` for those of image 7."""
    counts: dict[str, int] = {}
    ids = []
    for image in text_images:
        counts[image] = counts.get(image, -1) + 1
        ids.append(f"{image}{SEPARATOR}{counts[image]}")
    return ids


def unit_rows(vectors: Singles) -> Singles:
    """The vectors with length 1; zeros stay zeros."""
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True) if rows.size else np.ones((len(rows), 1))
    return np.asarray(rows / np.where(lengths == 0, 1.0, lengths), dtype=np.float32)
