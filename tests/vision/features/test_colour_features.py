"""Colours of regions against CIE's figures, a survey of colour names, and counting pixel by pixel."""

from __future__ import annotations

import numpy as np
import pytest

from limner.vision.features.colour_features import N_BINS, ColourFeatures
from limner.vision.features.colour_table import NAMES, colour_numbers, colour_table, to_lab
from refusals import refusal


# CIELAB of sRGB's corners under D65, as every table of them has it (Lindbloom's calculator, rounded).
@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        ((255, 255, 255), (100.0, 0.0, 0.0)),
        ((0, 0, 0), (0.0, 0.0, 0.0)),
        ((255, 0, 0), (53.24, 80.09, 67.20)),
        ((0, 255, 0), (87.73, -86.18, 83.18)),
        ((0, 0, 255), (32.30, 79.19, -107.86)),
        ((128, 128, 128), (53.59, 0.0, 0.0)),
    ],
)
def test_colours_lie_where_cielab_has_them(colour: tuple[int, ...], expected: tuple[float, ...]) -> None:
    assert to_lab(colour) == pytest.approx(expected, abs=0.02)


def test_basic_names_agree_with_a_survey() -> None:
    """The survey of XKCD: what people called 954 colours; here those with a basic name, with or without an adverb."""
    survey = pytest.importorskip("matplotlib.colors", reason="matplotlib, which has the survey, is not installed")
    adverbs = {"light", "dark", "bright", "deep", "pale", "medium", "very", "true", "pure", "strong", "vivid", "rich"}
    agree, basic = [], []
    for name, code in survey.XKCD_COLORS.items():
        *before, last = name.removeprefix("xkcd:").split()
        if last in NAMES and adverbs.issuperset(before):
            rgb = np.array([[[round(255 * share) for share in survey.to_rgb(code)]]], dtype=np.uint8)
            same = NAMES[colour_table().name[colour_numbers(rgb)[0, 0]]] == last
            agree.append(same)
            basic += [same] if not before else []
    assert len(agree) > 70
    assert np.mean(agree) > 0.85
    # The eleven names alone, without any adverb.
    assert len(basic) == 11
    assert all(basic)


def picture(seed: int, size: tuple[int, int] = (60, 80)) -> np.ndarray:
    """Patches of colours, so that regions differ."""
    generator = np.random.default_rng(seed)
    patches = generator.integers(0, 256, (size[0] // 10, size[1] // 10, 3), dtype=np.uint8)
    noise = generator.integers(-20, 20, (*size, 3))
    return np.clip(np.kron(patches, np.ones((10, 10, 1), dtype=int)) + noise, 0, 255).astype(np.uint8)


def test_colour_features_are_what_counting_pixel_by_pixel_gives() -> None:
    pixels = picture(1)
    corners = np.array([[0, 0, 80, 60], [3, 4, 25, 31], [70, 50, 79.5, 59.5], [40, 10, 41, 11]])
    features = ColourFeatures().extract(pixels, corners)
    assert features.shape == (4, ColourFeatures.n_dims)
    assert features.dtype == np.float32
    table = colour_table()
    edges = [(0, 0, 80, 60), (3, 4, 25, 31), (70, 50, 80, 60), (40, 10, 41, 11)]
    for row, (x0, y0, x1, y1) in zip(features, edges, strict=True):
        numbers = colour_numbers(pixels[y0:y1, x0:x1]).reshape(-1)
        assert np.allclose(row[:N_BINS], np.bincount(table.bin[numbers], minlength=N_BINS) / len(numbers), atol=1e-6)
        lab = table.lab[numbers].astype(np.float64)
        assert np.allclose(row[N_BINS : N_BINS + 3], lab.mean(0), atol=1e-6)
        assert np.allclose(row[N_BINS + 3 : N_BINS + 6], lab.std(0), atol=1e-4)
        names = np.bincount(table.name[numbers], minlength=len(NAMES)) / len(numbers)
        assert np.allclose(row[N_BINS + 6 :], names, atol=1e-6)


@pytest.mark.parametrize(
    ("colour", "name"), [((250, 20, 20), "red"), ((255, 255, 255), "white"), ((20, 40, 200), "blue")]
)
def test_a_region_of_one_colour_is_all_of_that_name(colour: tuple[int, ...], name: str) -> None:
    pixels = np.full((30, 40, 3), colour, dtype=np.uint8)
    shares = ColourFeatures().extract(pixels, [(5, 5, 20, 20)])[0, N_BINS + 6 :]
    assert dict(zip(NAMES, shares.tolist(), strict=True))[name] == 1.0


def test_large_pictures_are_averaged_first_and_regions_stay_where_they_are() -> None:
    pixels = np.zeros((600, 900, 3), dtype=np.uint8)
    pixels[300:, 450:] = (250, 20, 20)
    features = ColourFeatures().extract(pixels, [(460, 310, 890, 590), (0, 0, 440, 290)])[:, N_BINS + 6 :]
    assert features[0, NAMES.index("red")] == 1.0
    assert features[1, NAMES.index("black")] == 1.0


def test_no_regions_have_no_features() -> None:
    assert ColourFeatures().extract(picture(0), np.zeros((0, 4))).shape == (0, ColourFeatures.n_dims)


def test_other_settings_have_another_signature() -> None:
    assert ColourFeatures().signature != ColourFeatures(longest_side=128).signature
    with refusal(ValueError):
        ColourFeatures(longest_side=0)
