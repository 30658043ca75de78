"""Equations 4 and 5, against loops over every phrase and region."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limner.ground import phrase_distances as module
from limner.ground.dual_encoders import Mixture
from limner.ground.phrase_distances import MixedScores, PhraseTable, RegionTable
from limner.learn.cross_search import Products, cross_search
from refusals import refusal


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)).astype(np.float32)


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, np.ndarray]:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_images, n_texts, n_phrases = draw(st.integers(1, 6)), draw(st.integers(1, 9)), draw(st.integers(1, 5))
    n_regions = random.integers(0, 4, n_images)
    counts = random.integers(0, 4, n_texts)
    phrases = unit(random.standard_normal((n_phrases, 3)))
    phrases[random.random(n_phrases) < 0.2] = 0
    return {
        "images": unit(random.standard_normal((n_images, 4))),
        "texts": unit(random.standard_normal((n_texts, 4))),
        "regions": unit(random.standard_normal((n_regions.sum(), 3))),
        "region_starts": np.concatenate([[0], np.cumsum(n_regions)]),
        "vectors": phrases,
        "phrases": random.integers(0, n_phrases, counts.sum()),
        "starts": np.concatenate([[0], np.cumsum(counts)]),
        "gold": random.integers(0, n_images, n_texts),
    }


def distance(world: dict[str, np.ndarray], image: int, text: int, alpha: float, gamma: float) -> float:
    """The distance of equation 5, word for word."""
    whole = 1 - float(world["images"][image] @ world["texts"][text])
    regions = world["regions"][slice(*world["region_starts"][image : image + 2])]
    numbers = world["phrases"][slice(*world["starts"][text : text + 2])]
    known = [world["vectors"][number] for number in numbers if world["vectors"][number].any()]
    nearest = [min((1 - float(region @ phrase) for region in regions), default=1.0) for phrase in known]
    of_phrases = sum(nearest) / len(nearest) ** gamma if nearest else 1.0
    return alpha * whole + (1 - alpha) * of_phrases


def mixed(world: dict[str, np.ndarray], mixture: Mixture) -> MixedScores:
    return MixedScores(
        Products(world["images"], world["texts"]),
        RegionTable(world["regions"], world["region_starts"]),
        PhraseTable(world["vectors"], world["phrases"], world["starts"]),
        mixture,
    )


@settings(deadline=None)
@given(worlds(), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([1.0, 1.5, 2.0]), st.sampled_from([1, 7, 1 << 20]))
def test_scores_are_those_of_the_equations(world: dict[str, np.ndarray], alpha: float, gamma: float, most: int) -> None:
    n_images, n_texts = len(world["images"]), len(world["texts"])
    expected = [[1 - distance(world, i, t, alpha, gamma) for t in range(n_texts)] for i in range(n_images)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_SCORES", most)
        scores = mixed(world, Mixture(alpha, gamma))
        assert np.allclose(scores.block(slice(0, n_images), slice(0, n_texts)), expected, atol=1e-5)
        half = slice(n_images // 2, n_images), slice(n_texts // 2, n_texts)
        assert np.allclose(scores.block(*half), np.array(expected)[half], atol=1e-5)
        rows, columns = world["gold"], np.arange(n_texts)
        assert np.allclose(scores.pairs(rows, columns), np.array(expected)[rows, columns], atol=1e-5)


@given(worlds())
def test_alpha_of_one_ranks_as_whole_pictures_do(world: dict[str, np.ndarray]) -> None:
    whole = cross_search(Products(world["images"], world["texts"]), world["gold"], 3)
    found = cross_search(mixed(world, Mixture(1.0, 1.5)), world["gold"], 3)
    assert found.of_rows.ranks.tolist() == whole.of_rows.ranks.tolist()
    assert found.of_columns.ranks.tolist() == whole.of_columns.ranks.tolist()


def test_sizes_that_do_not_fit_are_refused() -> None:
    whole = Products(np.ones((2, 3), np.float32), np.ones((1, 3), np.float32))
    with refusal(ValueError):
        MixedScores(
            whole,
            RegionTable(np.ones((0, 3)), np.array([0, 0])),
            PhraseTable(np.ones((0, 3)), np.zeros(0, int), np.array([0, 0])),
            Mixture(),
        )
