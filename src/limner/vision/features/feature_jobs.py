"""Features of pictures, one picture a job: found, decoded and computed, in threads of this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from limner.arrays import Singles
from limner.corpus.box import Box
from limner.corpus.image import Image
from limner.corpus.picture_files import UPRIGHT, find_picture
from limner.errors import BadInput
from limner.vision.features.feature_cache import FeatureCache
from limner.vision.features.pixel_regions import Size
from limner.vision.features.region_source import RegionSource
from limner.vision.image_pixels import ImageFile, ImagePixels
from limner.vision.protocols import RegionFeatures

# Jobs that are begun for every worker before the first of them must have ended: bounds the pictures in memory.
AHEAD = 3

# Pixels of all pictures that are begun, unless a single one has more: three bytes each.
MAX_PIXELS_AHEAD = 100_000_000


class Extracted(NamedTuple):
    """A picture's size and a row of features for each of its regions; without features, the reason.

    `boxes` are the regions where they are not the corpus'; upright regions lie on the picture as EXIF turns it.
    """

    size: Size = (0, 0)
    rows: Singles | None = None
    boxes: tuple[Box, ...] | None = None
    is_upright: bool = False
    reason: str = ""


@dataclass(frozen=True)
class FeatureWork:
    """How a picture is worked on: where it is, which regions, which cache; when lenient, a faulty one is left out."""

    pictures: Path
    source: RegionSource
    cache: Path | None = None
    lenient: bool = False

    def do(self, image: Image, extractor: RegionFeatures) -> Extracted:
        """The features of an image's picture."""
        return self.extract(extractor, self.decode(self.find(image)))

    def find(self, image: Image) -> ImageFile | Extracted:
        """The picture's file, its header read; when lenient, why it cannot be used."""
        try:
            return ImageFile(image, self.pictures)
        except BadInput as error:
            return self._left_out(error)

    def decode(self, file: ImageFile | Extracted) -> ImagePixels | Extracted:
        """The pixels; when lenient, why there are none."""
        if isinstance(file, Extracted):
            return file
        try:
            return file.read()
        except BadInput as error:
            return self._left_out(error)

    def extract(self, extractor: RegionFeatures, seen: ImagePixels | Extracted) -> Extracted:
        """The features of a picture that has been decoded."""
        if isinstance(seen, Extracted):
            return seen
        regions, boxes = self.source.regions(seen)
        size = seen.pixels.shape[1], seen.pixels.shape[0]
        is_upright = UPRIGHT.items() <= seen.image.attributes.items()
        return Extracted(size, self._rows(extractor, seen, regions, is_upright), boxes, is_upright)

    def _rows(self, extractor: RegionFeatures, seen: ImagePixels, regions: Singles, is_upright: bool) -> Singles:
        path = None if self.cache is None else find_picture(self.pictures, seen.image).file
        if self.cache is None or path is None:
            return extractor.extract(seen.pixels, regions)
        cache = FeatureCache(self.cache, extractor.signature, extractor.n_dims)
        key = cache.key(path, regions, is_upright=is_upright)
        rows = cache.get(key, len(regions))
        if rows is None:
            rows = extractor.extract(seen.pixels, regions)
            cache.put(key, rows)
        return rows

    def _left_out(self, error: BadInput) -> Extracted:
        if not self.lenient:
            raise error
        return Extracted(reason=f"{error.place}: {error.problem}")


def in_threads(
    work: FeatureWork, images: Iterable[Image], extractors: list[RegionFeatures]
) -> Generator[tuple[Image, Extracted]]:
    """Each image with what came of it, in order; pictures are decoded beside computing.

    There are as many threads for either as there are extractors. Headers are
    read by the calling thread: the library's warnings can be silenced in one only.
    """
    free: SimpleQueue[RegionFeatures] = SimpleQueue()
    for extractor in extractors:
        free.put(extractor)

    def compute(decoded: Decoded) -> Extracted:
        seen = decoded.result()
        extractor = free.get()
        try:
            return work.extract(extractor, seen)
        finally:
            free.put(extractor)

    waiting: deque[_Begun] = deque()
    decoders, computers = (ThreadPoolExecutor(len(extractors), name) for name in ("decode", "compute"))
    try:
        for image in images:
            file, decoded = _decoding(work, image, decoders)
            waiting.append(_Begun(image, file, decoded, computers.submit(compute, decoded)))
            while len(waiting) >= AHEAD * len(extractors) or _n_pixels(waiting) > MAX_PIXELS_AHEAD:
                yield waiting[0].image, waiting.popleft().computed.result()
        while waiting:
            yield waiting[0].image, waiting.popleft().computed.result()
    finally:
        for begun in waiting:
            # Decoding closes the file.
            if begun.decoded.cancel() and isinstance(begun.file, ImageFile):
                begun.file.close()
        for pool in (decoders, computers):
            pool.shutdown(cancel_futures=True)


Decoded = Future[ImagePixels | Extracted]


class _Begun(NamedTuple):
    """An image that is being worked on."""

    image: Image
    file: ImageFile | Extracted | None
    decoded: Decoded
    computed: Future[Extracted]


def _n_pixels(waiting: Iterable[_Begun]) -> int:
    return sum(begun.file.n_pixels for begun in waiting if isinstance(begun.file, ImageFile))


def _decoding(
    work: FeatureWork, image: Image, decoders: ThreadPoolExecutor
) -> tuple[ImageFile | Extracted | None, Decoded]:
    """The picture's file and its decoding, which has begun; what is wrong with it is raised when its turn comes."""
    try:
        file = work.find(image)
    except BadInput as error:
        failed: Decoded = Future()
        failed.set_exception(error)
        return None, failed
    return file, decoders.submit(work.decode, file)
