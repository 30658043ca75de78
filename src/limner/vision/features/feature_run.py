"""Making a store of features from pictures: what a command, a server or a notebook asks for."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from limner.corpus.boxed_images import BoxCheck
from limner.corpus.image import Image
from limner.errors import BadInput, shown
from limner.lazy import lazy
from limner.progress import Progress, silent
from limner.vision.features.feature_jobs import Extracted, FeatureWork, in_threads
from limner.vision.features.feature_recipe import FeatureRecipe
from limner.vision.features.region_source import RegionSource, image_with_regions
from limner.vision.features.store_files import DType
from limner.vision.features.store_writer import StoreWriter, difference, write_store

if TYPE_CHECKING:
    from limner.vision.features import ray_features
else:
    ray_features = lazy("limner.vision.features.ray_features")

Engine = Literal["threads", "ray"]


@dataclass
class FeatureRun:
    """What a run did: images and regions in the store, images that were there before, and those that were left out."""

    n_images: int = 0
    n_rows: int = 0
    n_before: int = 0
    left_out: dict[str, str] = field(default_factory=dict)


def make_features(
    images: Iterable[Image],
    pictures: Path,
    out: Path,
    recipe: FeatureRecipe,
    *,
    regions: RegionSource | None = None,
    dtype: DType = "float16",
    resume: bool = False,
    lenient: bool = False,
    cache: Path | None = None,
    workers: int | None = None,
    engine: Engine = "threads",
    address: str | None = None,
    progress: Progress = silent,
    total: int | None = None,
) -> FeatureRun:
    """Write the features of the images' regions to the store `out`; their pictures are in a folder.

    A run that was stopped goes on, when it is resumed, behind the last image
    that it wrote; the images must be the same. When lenient, images without a
    picture that can be read are left out, and the store says why. `workers`
    pictures are worked on at a time, by default one for each core. The numbers
    are the same for any number of workers, and with ray. Memory holds a few
    pictures for each worker, however many there are.
    """
    work = FeatureWork(pictures, regions or RegionSource(), cache, lenient)
    extractors = recipe.open(workers or n_cores()) if engine == "threads" else recipe.open(1)
    signature, n_dims = extractors[0].signature, extractors[0].n_dims
    run = FeatureRun()
    with write_store(out, signature, n_dims, dtype=dtype, boxes=work.source.signature, resume=resume) as writer:
        given = BoxCheck().watch(images) if work.source.kind == "corpus" else images
        remaining = _rest(given, writer, work, run, out)
        if engine == "ray":
            results = ray_features.with_ray(recipe, work, remaining, signature, address=address)
        else:
            results = in_threads(work, remaining, extractors)
        _write(results, writer, run, progress, total)
    run.n_images, run.n_rows = writer.n_images, writer.n_rows
    return run


def n_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _rest(
    images: Iterable[Image], writer: StoreWriter, work: FeatureWork, run: FeatureRun, out: Path
) -> Iterator[Image]:
    """The images that are not in the store yet; those that are must be the first, and the same."""
    remaining = iter(images)
    for entry, stored in writer.written():
        image = next(remaining, None)
        if image is None or image.id != entry.id:
            given = "no more are given" if image is None else f"{shown(image.id)} is given"
            raise _other(out, f"image {run.n_before + 1:,} of the store is {shown(entry.id)}, but {given}")
        if stored is not None and (words := _difference(stored, image, work)):
            raise _other(out, f"image {shown(entry.id)} had {words} when the store was begun")
        if entry.left_out:
            run.left_out[entry.id] = entry.left_out
        run.n_before += 1
    yield from remaining


def _difference(stored: Image, image: Image, work: FeatureWork) -> str | None:
    """What the store has otherwise of an image, in words; the picture tells how its boxes lie."""
    file = work.find(image)
    if isinstance(file, Extracted):
        return None
    file.close()
    if work.source.kind == "corpus":
        return difference(stored, file.image)
    # Other regions are made from the picture.
    return difference(stored, replace(stored, attributes=file.image.attributes))


def _other(out: Path, problem: str) -> BadInput:
    return BadInput(str(out), problem, "resume with the same images, or name another folder")


def _write(
    results: Generator[tuple[Image, Extracted]],
    writer: StoreWriter,
    run: FeatureRun,
    progress: Progress,
    total: int | None,
) -> None:
    with closing(results):
        for done, (image, extracted) in enumerate(results, 1):
            size, rows, boxes, is_upright, reason = extracted
            if rows is None:
                writer.leave_out(image.id, reason)
                run.left_out[image.id] = reason
            else:
                writer.append(image_with_regions(image, size, boxes, is_upright=is_upright), rows)
            progress("pictures", done, None if total is None else total - run.n_before)
