"""nocaps: COCO's captions JSON whose images tell their domain and their Open Images id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from limner.corpus.formats import coco, coco_writer
from limner.corpus.formats.format import Format, Head
from limner.corpus.image import Image
from limner.corpus.reading import Reading

FACTS = ("domain", "open_images_id")
"""Fields of an image that become its attributes; both are absent where the benchmark hides them."""


def read(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of the benchmark's file, with or without captions."""
    return read_together([path], reading)


def read_together(paths: Sequence[Path], reading: Reading) -> Iterator[Image]:
    """The images of several files that join by image id: captions, image information, results."""
    return coco.read_together(paths, reading, FACTS)


def write(images: Iterable[Image], path: Path, replace: bool = False) -> int:
    """Write as `coco` does, with domain and Open Images id; return the number of images."""
    return coco_writer.write(images, path, replace, FACTS)


def recognise(head: Head) -> bool:
    return coco.is_coco(head) and coco.has_nocaps_facts(head)


FORMAT = Format(
    name="nocaps",
    title="nocaps: captions and image information with domains, and results beside them",
    recognise=recognise,
    read=read,
    read_together=read_together,
    write=write,
)
