"""Features computed with ray: on a cluster, or on the cores of one machine; the same numbers as in one process."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError, one_line
from limner.ray_connection import RETRIES, connected
from limner.vision.features.feature_jobs import Extracted, FeatureWork
from limner.vision.features.feature_recipe import FeatureRecipe
from limner.vision.protocols import RegionFeatures

# Pictures that a process is given at a time.
CHUNK = 4

# Chunks that are begun for every process before the first of them must have ended: bounds the features in memory.
AHEAD = 2


def with_ray(
    recipe: FeatureRecipe,
    work: FeatureWork,
    images: Iterable[Image],
    signature: str,
    *,
    address: str | None = None,
) -> Generator[tuple[Image, Extracted]]:
    """Each image with what came of it, in order.

    With an address the work is done by the cluster there, whose machines have
    the same pictures and the same model under the same names. Each process
    opens the model once. What was lost with a process is computed again.
    """
    with connected(address) as ray:
        call = ray.remote(max_retries=RETRIES, num_cpus=1)(_done)
        n_ahead = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        folder = str(Path.cwd())
        waiting: deque[tuple[tuple[Image, ...], Any]] = deque()
        remaining = iter(images)
        while chunk := tuple(islice(remaining, CHUNK)):
            waiting.append((chunk, call.remote(folder, recipe, work, chunk, signature)))
            if len(waiting) >= n_ahead:
                yield from _results(ray, *waiting.popleft())
        while waiting:
            yield from _results(ray, *waiting.popleft())


def _results(ray: Any, images: tuple[Image, ...], handle: Any) -> Iterator[tuple[Image, Extracted]]:
    # The images are those of this process: what was sent there and back is equal, but not always written alike.
    return zip(images, _awaited(ray, handle), strict=True)


def _awaited(ray: Any, handle: Any) -> list[Extracted]:
    try:
        results: list[Extracted] = ray.get(handle)
        return results
    except ray.exceptions.RayTaskError as error:
        cause = getattr(error, "cause", None)
        raise (cause if isinstance(cause, LimnerError) else error) from None
    except ray.exceptions.RayError as error:
        said = one_line(str(error).strip().partition("\n")[0], 200)
        raise LimnerError(f"ray gave up after {RETRIES + 1} tries ({said}); is there enough memory?") from None


def _done(
    folder: str, recipe: FeatureRecipe, work: FeatureWork, images: tuple[Image, ...], signature: str
) -> list[Extracted]:
    """What comes of some images, where paths mean what they mean where the run was started."""
    if Path(folder).is_dir():
        os.chdir(folder)
    extractor = _opened(recipe)
    if extractor.signature != signature:
        problem = f"a worker has other features: {extractor.signature}, not {signature}"
        raise BadInput(recipe.model, problem, "give all machines the same model and the same Limner")
    return [work.do(image, extractor) for image in images]


@lru_cache(1)
def _opened(recipe: FeatureRecipe) -> RegionFeatures:
    return recipe.open(1)[0]
