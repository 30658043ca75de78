"""Pictures of a corpus, several at a time: decoded, looked at in threads, and returned in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.ground.picture_regions import RegionReader
from limner.vision.image_pixels import ImagePixels
from limner.vision.picture_stream import read_ahead

Made = TypeVar("Made")

# Pictures that are begun for each reader before the first of them must have ended: bounds what is in memory.
AHEAD = 2


def with_readers(
    images: Iterable[Image],
    pictures: Path,
    readers: Sequence[RegionReader],
    work: Callable[[ImagePixels, RegionReader], Made],
    reading: Reading | None = None,
) -> Generator[Made]:
    """What `work` makes of each image's picture, in order; each reader serves one thread at a time.

    A picture that cannot be used is an error, or counted by a lenient `reading`.
    """
    free: SimpleQueue[RegionReader] = SimpleQueue()
    for reader in readers:
        free.put(reader)

    def do(seen: ImagePixels) -> Made:
        reader = free.get()
        try:
            return work(seen, reader)
        finally:
            free.put(reader)

    waiting: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(len(readers), "ground") as pool:
        try:
            for seen in read_ahead(images, pictures, reading):
                waiting.append(pool.submit(do, seen))
                if len(waiting) >= AHEAD * len(readers):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
