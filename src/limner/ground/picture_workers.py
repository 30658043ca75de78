"""Work on the pictures of many images: decoded ahead, in threads, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.vision.image_pixels import ImagePixels
from limner.vision.picture_stream import read_ahead

Result = TypeVar("Result")

# Pictures that are begun for each worker before the first must have ended: bounds the pictures in memory.
AHEAD = 2


def work_on_pictures(
    images: Iterable[Image],
    folder: Path,
    workers: Sequence[Callable[[ImagePixels], Result]],
    reading: Reading | None = None,
) -> Generator[Result]:
    """What a worker made of each image's picture, in order; no worker has two pictures at a time.

    A picture that cannot be used is an error, or left out and counted by a lenient `reading`.
    """
    free: SimpleQueue[Callable[[ImagePixels], Result]] = SimpleQueue()
    for worker in workers:
        free.put(worker)

    def work(seen: ImagePixels) -> Result:
        worker = free.get()
        try:
            return worker(seen)
        finally:
            free.put(worker)

    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(len(workers), thread_name_prefix="picture")
    try:
        for seen in read_ahead(images, folder, reading):
            waiting.append(pool.submit(work, seen))
            if len(waiting) >= AHEAD * len(workers):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
