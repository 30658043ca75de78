"""How far test images are from training images, and their deciles by it: the paper's Table 4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats
from limner.corpus.image import Image
from limner.errors import BadInput, shown
from limner.vision.features.feature_store import FeatureStore
from limner.vision.features.region_source import MIXTURE

# The nearest training images, whose mean cosine distance counts.
NEAREST = 10

N_DECILES = 10

# Test images whose distances to all training images are in memory at a time.
BLOCK = 512


class Deciles(NamedTuple):
    """The number of each image's decile, from 1, the nearest; the mean distance of each decile; what was compared."""

    numbers: list[int]
    mean_distances: list[float]
    compared: str


def label_vectors(images: Sequence[Image], labels: Sequence[str]) -> Floats:
    """How many boxes of each label every image has, `[images, labels]`."""
    column = {label: number for number, label in enumerate(labels)}
    counts = np.zeros((len(images), len(labels)))
    for row, image in enumerate(images):
        for box in image.boxes:
            counts[row, column[box.label]] += 1
    return counts


def picture_vectors(images: Sequence[Image], store: FeatureStore) -> Floats:
    """The features of each whole picture, `[images, numbers]`: its region in the store, or the mean of all regions."""
    rows = []
    for image in images:
        features = np.asarray(store.features(image.id), dtype=np.float64)
        if not len(features):
            problem, remedy = f"image {shown(image.id)} has no regions", "make features of a mixture of regions"
            raise BadInput(str(store.folder), problem, remedy, code="image-without-regions")
        rows.append(features[0] if has_whole_pictures(store) else features.mean(axis=0))
    return np.array(rows)


def has_whole_pictures(store: FeatureStore) -> bool:
    """Whether the first region of every image of a store is the whole picture."""
    return store.header.boxes == "whole" or store.header.boxes.startswith(MIXTURE)


def compared_features(store: FeatureStore) -> str:
    """What is compared, in words."""
    return "features of the whole picture" if has_whole_pictures(store) else "means of the features of all regions"


def mean_distances(tests: Floats, training: Floats) -> Floats:
    """The mean cosine distance of each test row to its nearest training rows; a row of zeros is 1 from all."""
    tests, training = (_unit(rows) for rows in (tests, training))
    k = min(NEAREST, len(training))
    blocks = []
    for start in range(0, len(tests), BLOCK):
        distances = 1 - tests[start : start + BLOCK] @ training.T
        blocks.append(np.partition(distances, k - 1, axis=1)[:, :k].mean(axis=1))
    return np.concatenate(blocks) if blocks else np.zeros(0)


def deciles(distances: Floats, compared: str) -> Deciles:
    """Ten groups of equal size, within one, by distance; equals are in the order of the images."""
    order = np.argsort(np.round(distances, 9), kind="stable")
    numbers = np.empty(len(distances), dtype=np.int64)
    numbers[order] = np.arange(len(distances)) * N_DECILES // max(1, len(distances)) + 1
    means = [
        float(distances[numbers == number].mean()) if (numbers == number).any() else float("nan")
        for number in range(1, N_DECILES + 1)
    ]
    return Deciles(numbers.tolist(), means, compared)


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1.0, lengths), dtype=np.float64)
