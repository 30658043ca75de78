"""What training a retriever keeps of pictures: features of the whole, of phrases' regions and of candidate regions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limner.arrays import Singles
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.ground.grounder_encoder import GrounderEncoder, open_grounder_encoders
from limner.ground.picture_workers import work_on_pictures
from limner.ground.region_phrase_cca import RegionExtractor, open_region_extractors, phrase_regions, window_corners
from limner.ground.whole_pictures import Crops, PictureFeatures, open_picture_features
from limner.progress import Progress, silent, track
from limner.vision.features.feature_run import n_cores
from limner.vision.image_pixels import ImagePixels


class PictureView(NamedTuple):
    """What is kept of a picture.

    `whole` is its vector by number of crops. `of_phrases` are features of the
    regions that its `phrases` refer to, `of_windows` those of windows,
    `of_proposals` a grounder's vectors of its proposals. The last two are of
    images held out alone, since only these are ranked.
    """

    image: Image
    whole: Mapping[Crops, Singles]
    phrases: Sequence[str] = ()
    of_phrases: Singles | None = None
    of_windows: Singles | None = None
    of_proposals: Singles | None = None


@dataclass(frozen=True)
class PictureLooks:
    """What to look at: one or several numbers of crops, phrases with windows (`regions`), a grounder's proposals.

    `model` and `grounder` are as in `RetrieverTraining`. `cache` is a folder
    that keeps what the grounder sees.
    """

    model: str
    crops: Sequence[Crops]
    regions: bool
    grounder: Path | None = None
    cache: Path | None = None
    workers: int | None = None

    def views(
        self,
        images: Sequence[Image],
        held_ids: Collection[str],
        pictures: Path,
        reading: Reading | None = None,
        progress: Progress = silent,
    ) -> list[PictureView]:
        """The views of images' pictures, each of which is looked at once."""
        n = self.workers or n_cores()
        by_crops = [open_picture_features(self.model, crops, n) for crops in self.crops]
        windows = open_region_extractors(self.model, n) if self.regions else [None] * n
        grounders = open_grounder_encoders(self.grounder, n, self.cache) if self.grounder is not None else [None] * n
        workers = [
            _worker(dict(zip(self.crops, features, strict=True)), extractor, grounder, held_ids)
            for *features, extractor, grounder in zip(*by_crops, windows, grounders, strict=True)
        ]
        results = work_on_pictures(images, pictures, workers, reading)
        return list(track(results, "pictures", progress, len(images)))


def _worker(
    features: Mapping[Crops, PictureFeatures],
    extractor: RegionExtractor | None,
    grounder: GrounderEncoder | None,
    held_ids: Collection[str],
) -> Callable[[ImagePixels], PictureView]:
    """What looks at one picture after the other."""

    def look(seen: ImagePixels) -> PictureView:
        is_held = seen.image.id in held_ids
        view = PictureView(seen.image, {crops: of_crops.extract(seen.pixels) for crops, of_crops in features.items()})
        if grounder is not None and is_held:
            view = view._replace(of_proposals=grounder.regions(seen).vectors)
        return view if extractor is None else _with_regions(view, seen, extractor, is_held)

    return look


def _with_regions(view: PictureView, seen: ImagePixels, extractor: RegionExtractor, is_held: bool) -> PictureView:
    pairs = list(phrase_regions(seen.image))
    scale = np.array([*seen.scale, *seen.scale])
    at = (np.array([pair.corners for pair in pairs]).reshape(-1, 4) * scale).astype(np.float32)
    windows = window_corners(seen) if is_held else np.zeros((0, 4), dtype=np.float32)
    # One call: a model runs once for all regions of a picture.
    rows = extractor.extract(seen.pixels, np.concatenate([at, windows]))
    return view._replace(
        phrases=[pair.phrase for pair in pairs], of_phrases=rows[: len(at)], of_windows=rows[len(at) :]
    )
