"""What is seen in the regions of a picture: features of a model, class scores of a detector, colours, shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Floats, Singles
from limner.corpus.box import Box
from limner.corpus.image import Image
from limner.errors import BadInput
from limner.vision.detector_head import ClassScorer, open_class_scorer
from limner.vision.features.colour_features import ColourFeatures
from limner.vision.features.feature_recipe import DESCRIPTORS, FeatureRecipe
from limner.vision.features.pixel_regions import Size
from limner.vision.features.shape_features import ShapeFeatures
from limner.vision.features.tiled_features import TiledFeatures
from limner.vision.fused_proposals import Filler, FusedProposer
from limner.vision.pictures import is_utf8
from limner.vision.protocols import Pixels, RegionFeatures

# Raised whenever the same picture would be seen differently.
CODE = 1

# The first numbers of shapes are the position: left, top, right, bottom, width, height, area, shape.
N_POSITION = 8


@dataclass(frozen=True)
class PictureRegions:
    """The regions of one picture: its width and height, corners `[n, 4]`, and rows of numbers for each region.

    `appearance` has no columns without a model of features, `classes` none
    without a detector.
    """

    size: Size
    corners: Floats
    appearance: NDArray[Any]
    classes: NDArray[Any]
    colours: NDArray[Any]
    shapes: NDArray[Any]

    def __len__(self) -> int:
        return len(self.corners)

    @property
    def position(self) -> NDArray[Any]:
        """Corners, width, height and area as shares of the picture, and the shape."""
        return self.shapes[:, :N_POSITION]

    def rows(self, chosen: Any) -> PictureRegions:
        """Some of the regions."""
        return PictureRegions(self.size, self.corners[chosen], *(part[chosen] for part in self._parts()))

    def with_appearance(self, appearance: NDArray[Any]) -> PictureRegions:
        return replace(self, appearance=appearance)

    def shortened(self, model_name: str = "") -> PictureRegions:
        """The same in 16-bit numbers: half the memory, and more digits than a feature has.

        Numbers too large for that are an error that names the model of features.
        """
        with np.errstate(over="ignore"):
            parts = [part.astype(np.float16) for part in self._parts()]
        if not all(np.isfinite(part).all() for part in parts):
            problem = f"its features go beyond {np.finfo(np.float16).max:,.0f}, the largest number of 16 bits"
            place = model_name or "the model of features"
            raise BadInput(place, problem, "give another model, or another layer of it")
        return PictureRegions(self.size, self.corners, *parts)

    def _parts(self) -> tuple[NDArray[Any], ...]:
        return self.appearance, self.classes, self.colours, self.shapes

    def descriptors(self) -> Singles:
        """All numbers of a region in one row."""
        parts = (self.appearance, np.sqrt(self.classes, dtype=np.float32), self.colours, self.shapes)
        return np.hstack([np.asarray(part, dtype=np.float32) for part in parts])


class KeptRegions(Protocol):
    """Whatever keeps the regions of pictures (`RegionCache`)."""

    def key(self, pixels: Pixels, given: Floats | None, more: Floats | None) -> str: ...

    def get(self, key: str) -> PictureRegions | None: ...

    def put(self, key: str, regions: PictureRegions) -> None: ...


@dataclass(frozen=True)
class RegionRecipe:
    """Which models look at pictures: one of features and a detector, by path, either of which may be left out.

    `proposer` is what proposes regions beside the detector.
    """

    features: str | None = None
    detector: str | None = None
    proposer: Filler = "edge-boxes"

    def elsewhere(self, other: RegionRecipe) -> RegionRecipe:
        """The recipe with the paths that another has, which are where its models are now."""
        return RegionRecipe(other.features or self.features, other.detector or self.detector, self.proposer)

    def resolved(self) -> RegionRecipe:
        """The recipe with whole paths, so that it can be used from any folder; descriptors stay names."""
        features = self.features if self.features in DESCRIPTORS else _whole_path(self.features)
        return RegionRecipe(features, _whole_path(self.detector), self.proposer)

    def open(self, n: int = 1) -> list[RegionReader]:
        """What reads regions, n times: for so many threads."""
        for path in filter(None, (self.features, self.detector)):
            if path not in DESCRIPTORS and not Path(path).exists():
                raise BadInput(path, "there is no such model", "name the model where it is now", code="no-region-model")
            if not is_utf8(path):
                # The path is written into the grounder.
                raise BadInput(path, "its name is not UTF-8", "rename it", code="not-utf8")
        models: Sequence[RegionFeatures | None] = [None] * n
        if self.features is not None:
            models = _tiled(FeatureRecipe(self.features).open(n))
        scorers = [None if self.detector is None else open_class_scorer(Path(self.detector)) for _ in range(n)]
        return [
            RegionReader(model, scorer, FusedProposer(scorer, filler=self.proposer), self.features or "")
            for model, scorer in zip(models, scorers, strict=True)
        ]


def _whole_path(path: str | None) -> str | None:
    return None if path is None else str(Path(path).resolve())


def _tiled(extractors: Sequence[RegionFeatures]) -> list[RegionFeatures]:
    """The features at two scales, where they are a model's."""
    return [TiledFeatures.of(backbone) if (backbone := getattr(e, "backbone", None)) else e for e in extractors]


class RegionReader:
    """Looks at pictures, one at a time: proposes regions, and tells what is in them."""

    def __init__(
        self,
        model: RegionFeatures | None = None,
        scorer: ClassScorer | None = None,
        proposer: FusedProposer | None = None,
        model_name: str = "",
    ) -> None:
        self._model, self._scorer, self._model_name = model, scorer, model_name
        self.cache: KeptRegions | None = None
        self._colours, self._shapes = ColourFeatures(), ShapeFeatures()
        self.proposer = proposer or FusedProposer(scorer)
        self.class_names: tuple[str, ...] = () if scorer is None else scorer.class_names
        seen = "|".join(f.signature for f in (model, self._colours, self._shapes) if f is not None)
        self.signature = f"regions|{seen}|{self.proposer.signature}|code:{CODE}"

    def proposing(self, n: int) -> RegionReader:
        """The same, with at most n proposals for a picture; it has no cache."""
        return RegionReader(self._model, self._scorer, self.proposer.proposing(n), self._model_name)

    def read(
        self, image: Image, pixels: Pixels, given: Floats | None = None, more: Floats | None = None
    ) -> PictureRegions:
        """The regions that are given, in pixels, or else proposals; then `more` regions. Numbers are of 16 bits."""
        key = "" if self.cache is None else self.cache.key(pixels, given, more)
        kept = None if self.cache is None else self.cache.get(key)
        if kept is not None:
            return kept
        regions = self._look(image, pixels, given, more)
        if self.cache is not None:
            self.cache.put(key, regions)
        return regions

    def _look(self, image: Image, pixels: Pixels, given: Floats | None, more: Floats | None) -> PictureRegions:
        scores = None if self._scorer is None else self._scorer.read(pixels)
        if given is None:
            boxes: tuple[Box, ...] = self.proposer.fuse(image, pixels, scores)
            given = np.array([box.corners for box in boxes], dtype=np.float64).reshape(-1, 4)
        corners: NDArray[Any] = given if more is None else np.concatenate([given, more])
        n = len(corners)
        return PictureRegions(
            (pixels.shape[1], pixels.shape[0]),
            corners,
            np.zeros((n, 0), dtype=np.float32) if self._model is None else self._model.extract(pixels, corners),
            np.zeros((n, 0), dtype=np.float32) if scores is None else scores.of_regions(corners),
            self._colours.extract(pixels, corners),
            self._shapes.extract(pixels, corners),
        ).shortened(self._model_name)
