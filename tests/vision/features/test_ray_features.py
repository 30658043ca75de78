"""Features computed with ray are those of one process, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Picture

from limner.corpus import Box, Image
from limner.errors import BadInput
from limner.vision.features import FeatureRecipe, make_features
from limner.vision.features.region_source import RegionSource
from refusals import refusal

pytestmark = pytest.mark.xdist_group("ray")


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Ray, started as a run starts it."""
    pytest.importorskip("ray", reason="ray is not installed")
    from limner.ray_connection import connected

    with connected(None) as started:
        yield started


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    generator = np.random.default_rng(1)
    for number in range(9):
        Picture.fromarray(generator.integers(0, 256, (40, 60, 3), dtype=np.uint8)).save(folder / f"{number}.png")
    return folder


IMAGES = [Image(str(n), 60, 40, tuple(Box(str(k), k, k, 20 + 10 * k, 30) for k in range(n % 4))) for n in range(9)]


@pytest.mark.parametrize(
    ("model", "regions"),
    [("colour", RegionSource()), ("shape", RegionSource("grid", 2, 2)), ("position", RegionSource("edge-boxes"))],
    ids=["corpus", "grid", "proposals"],
)
def test_stores_made_with_ray_have_the_same_bytes(
    ray: Any, pictures: Path, tmp_path: Path, model: str, regions: RegionSource
) -> None:
    recipe = FeatureRecipe(model)
    make_features(IMAGES, pictures, tmp_path / "threads", recipe, regions=regions)
    run = make_features(IMAGES, pictures, tmp_path / "ray", recipe, regions=regions, engine="ray")
    assert run.n_images == 9
    for path in (tmp_path / "threads").iterdir():
        assert path.read_bytes() == (tmp_path / "ray" / path.name).read_bytes()


def test_what_a_worker_cannot_read_is_the_error_of_the_run(ray: Any, pictures: Path, tmp_path: Path) -> None:
    images = [*IMAGES[:5], Image("missing")]
    with refusal(BadInput):
        make_features(images, pictures, tmp_path / "s", FeatureRecipe("colour"), engine="ray")
    run = make_features(
        images, pictures, tmp_path / "s", FeatureRecipe("colour"), engine="ray", lenient=True, resume=True
    )
    assert list(run.left_out) == ["missing"]
