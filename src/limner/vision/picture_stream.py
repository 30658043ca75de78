"""Images with their pixels, one after the other: of a folder of pictures or of a corpus, decoded ahead of the work."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from limner.corpus.formats import UnknownFormat, recognise
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.vision.image_pixels import ImageFile, ImagePixels
from limner.vision.pictures import PICTURE_SUFFIXES, PictureFile, is_utf8, list_pictures, misnamed

# Threads that decode pictures beside the one that computes: two keep up with any detector on a processor.
DECODERS = 2

# Pictures that are decoded in advance. Together with the one at work they are all that is in memory.
AHEAD = 2 * DECODERS

UNUSABLE = "picture that cannot be used"


class PictureSource(NamedTuple):
    """Pictures that are no corpus yet: images that have nothing but an id and a file in the folder."""

    folder: Path
    images: list[Image]


def find_pictures(path: Path, reading: Reading) -> PictureSource | None:
    """The pictures at a path, which is a picture or a folder of them; None for anything that may be a corpus.

    The header of every picture is read, so that most of what is wrong with any
    is told before hours of work. A folder that a format of corpora recognises
    is a corpus, even if there are pictures in it.
    """
    if path.is_dir():
        try:
            recognise(path)
        except UnknownFormat:
            listed = [Image(id, file=file) for id, file in list_pictures(path, reading)]
            return PictureSource(path, list(_checked(listed, path, reading)))
        return None
    if not path.is_file() or path.suffix.lower() not in PICTURE_SUFFIXES:
        return None
    if not is_utf8(path.name):
        raise misnamed(path)
    PictureFile(path).close()
    return PictureSource(path.parent, [Image(path.stem, file=path.name)])


def _checked(images: Iterable[Image], folder: Path, reading: Reading) -> Iterator[Image]:
    for image in images:
        try:
            PictureFile(folder / image.file).close()
        except BadInput as error:
            reading.skip(UNUSABLE, error)
            continue
        yield image


def read_ahead(images: Iterable[Image], folder: Path, reading: Reading | None = None) -> Iterator[ImagePixels]:
    """Each image with its picture, which threads decode while the one before is being worked on.

    A picture that cannot be used is an error, or counted by a lenient
    `reading`. Headers are read by the thread that asks for the images, since
    warnings of the library can be silenced in one thread only.
    """
    reading = reading or Reading()
    waiting: deque[tuple[ImageFile, Future[ImagePixels]]] = deque()
    with ThreadPoolExecutor(DECODERS, thread_name_prefix="decode") as pool:
        try:
            for image in images:
                try:
                    file = ImageFile(image, folder)
                except BadInput as error:
                    reading.skip(UNUSABLE, error)
                    continue
                waiting.append((file, pool.submit(file.read)))
                if len(waiting) > AHEAD:
                    yield from _decoded(waiting.popleft()[1], reading)
            while waiting:
                yield from _decoded(waiting.popleft()[1], reading)
        finally:
            for file, future in waiting:
                if future.cancel():
                    file.close()


def _decoded(future: Future[ImagePixels], reading: Reading) -> Iterator[ImagePixels]:
    try:
        seen = future.result()
    except BadInput as error:
        reading.skip(UNUSABLE, error)
        return
    yield seen
