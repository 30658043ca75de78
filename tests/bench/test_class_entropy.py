"""Entropy that is kept up to date is the entropy counted anew."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.bench.image_selection import ClassEntropy, entropy

N_CLASSES = 12

images = st.lists(st.integers(0, N_CLASSES - 1), min_size=1, max_size=7, unique=True)


def from_scratch(chosen: list[list[int]]) -> float:
    """The definition, term by term."""
    counts = [sum(k in image for image in chosen) for k in range(N_CLASSES)]
    total = sum(counts)
    return -sum(c / total * log2(c / total) for c in counts if c)


def numbers(image: list[int]) -> np.ndarray:
    return np.array(image, dtype=np.int32)


@given(st.lists(images, min_size=1, max_size=40))
def test_after_every_image_it_is_what_the_definition_says(chosen: list[list[int]]) -> None:
    kept = ClassEntropy(N_CLASSES)
    for n, image in enumerate(chosen, 1):
        kept.add(numbers(image))
        assert kept.value == pytest.approx(from_scratch(chosen[:n]), abs=1e-9)


@given(st.lists(images, max_size=20), st.lists(images, min_size=1, max_size=10))
def test_what_each_image_would_give_is_what_it_gives(chosen: list[list[int]], asked: list[list[int]]) -> None:
    kept = ClassEntropy(N_CLASSES)
    for image in chosen:
        kept.add(numbers(image))
    before = kept.value
    found = kept.with_each(numbers([k for image in asked for k in image]), np.array([len(image) for image in asked]))
    assert found.tolist() == pytest.approx([from_scratch([*chosen, image]) for image in asked], abs=1e-9)
    assert kept.value == before


def test_nothing_has_no_entropy() -> None:
    assert ClassEntropy(3).value == 0
    assert entropy(np.array([0, 0])) == 0


@pytest.mark.parametrize(
    ("counts", "bits"), [([5], 0), ([3, 3], 1), ([2, 2, 2, 2], 2), ([0, 7, 7], 1), ([1, 3], 0.8112781244591328)]
)
def test_entropy_of_counts(counts: list[int], bits: float) -> None:
    assert entropy(np.array(counts)) == pytest.approx(bits)


def test_ten_thousand_images_drift_by_nothing_that_matters() -> None:
    rng = np.random.default_rng(1)
    kept = ClassEntropy(50)
    for _ in range(10_000):
        kept.add(rng.permutation(50)[: rng.integers(2, 8)].astype(np.int32))
    assert kept.value == pytest.approx(entropy(kept.counts), abs=1e-10)
