"""The regions of a corpus' images one after the other, as a captioner was trained to see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from limner.caption.captioner_files import RegionsRecord
from limner.caption.region_inputs import (
    BoxInputs,
    ImageRegions,
    Labels,
    RegionInputs,
    StoreInputs,
    region_rows,
    store_signature,
)
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.vision.features.feature_jobs import FeatureWork, in_threads
from limner.vision.features.feature_recipe import FeatureRecipe
from limner.vision.features.feature_store import open_features
from limner.vision.features.region_source import image_with_regions


def stream_regions(
    images: Iterable[Image],
    regions: RegionsRecord,
    labels: Labels,
    *,
    pictures: Path | None = None,
    features: str | None = None,
    workers: int = 1,
    reading: Reading | None = None,
) -> Iterator[tuple[Image, ImageRegions]]:
    """Each image with its regions.

    `features` is the store or the model of features if it is elsewhere than in
    training; a store of other images will do, if its numbers are of the same
    kind. When `reading` is lenient, images without a usable picture or without
    features are left out and counted.
    """
    reading = reading or Reading()
    path = features or regions.features
    if regions.kind == "model":
        if pictures is None:
            raise LimnerError("this captioner looks at pictures, and nobody said where they are", code="no-pictures")
        yield from _from_pictures(images, regions, labels, path, pictures, workers, reading)
        return
    inputs: RegionInputs
    inputs = (
        BoxInputs(labels, regions.settings) if regions.kind == "boxes" else StoreInputs(open_features(path), labels)
    )
    check_signature(inputs.signature, regions, path)
    for image in images:
        try:
            seen = inputs.read(image)
        except BadInput as error:
            reading.skip("image without features", error)
            continue
        yield image, seen


def check_signature(signature: str, regions: RegionsRecord, path: str) -> None:
    """An error for features that are not of the kind that the captioner was trained on."""
    if signature != regions.signature:
        problem = f"its features are not those of training: {signature} here, {regions.signature} there"
        raise BadInput(path or "boxes", problem, "give features made the same way", code="other-regions")


def _from_pictures(
    images: Iterable[Image],
    regions: RegionsRecord,
    labels: Labels,
    model: str,
    pictures: Path,
    workers: int,
    reading: Reading,
) -> Iterator[tuple[Image, ImageRegions]]:
    source = regions.settings.source
    extractors = FeatureRecipe(model, by=regions.settings.by).open(workers)
    check_signature(store_signature(source.signature, extractors[0].signature), regions, model)
    work = FeatureWork(pictures, source, lenient=reading.lenient)
    for image, extracted in in_threads(work, images, extractors):
        if extracted.rows is None:
            reading.skip("image without a usable picture", BadInput(str(pictures), extracted.reason))
            continue
        regioned = image_with_regions(image, extracted.size, extracted.boxes, is_upright=extracted.is_upright)
        # As a store has them, which training read.
        rows = extracted.rows.astype(np.float16).astype(np.float32)
        yield image, region_rows(regioned, rows, labels, str(pictures))
