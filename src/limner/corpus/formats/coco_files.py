"""COCO's JSON: captions, boxes (instances) and the results of systems, joined by image id.

nocaps is the same, but for images that tell their domain and their Open Images id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from limner.corpus.formats.coco_annotations import DOCUMENTS, RESULTS, Annotations
from limner.corpus.formats.format import Codec, Head
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.files import STDIO, check_file
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.corpus.formats import coco_writer
else:
    coco_writer = lazy("limner.corpus.formats.coco_writer")


def read(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of one file, or of a folder as the writer makes it."""
    return read_together([path], reading)


def read_together(paths: Sequence[Path], reading: Reading, facts: Sequence[str] = ()) -> Iterator[Image]:
    """The images of files that join by image id: captions, instances, results, in any order.

    `facts` are the fields of the files' `images` that become attributes.
    Images come in the order of the `images` arrays; without any, in the order
    in which results first speak of them.
    """
    annotations = Annotations(reading, facts)
    systems: dict[str, Path] = {}
    for path in chain.from_iterable(map(_files, paths)):
        name = _system(path)
        if annotations.add(path, name) and systems.setdefault(name, path) != path:
            raise LimnerError(
                f"{systems[name]} and {path} are results of one name; a system is called by its file's name: rename one"
            )
    yield from annotations.images()


def is_results(path: Path) -> bool:
    """Whether a file is a list of a detector's results, which number categories and do not name them."""
    if path == STDIO or not path.is_file():
        return False
    head = Head(path)
    return head.text.lstrip()[:1] == "[" and {"image_id", "category_id", "bbox"} <= head.keys


def read_results(path: Path, categories: Path, reading: Reading) -> Iterator[Image]:
    """The images of a results file, whose categories are those of another file."""
    annotations = Annotations(reading, ())
    annotations.add_categories(categories)
    annotations.add(path, _system(path))
    return annotations.images()


def recognise(head: Head) -> bool:
    return is_coco(head) and not has_nocaps_facts(head)


def is_coco(head: Head) -> bool:
    """Whether this is shaped as COCO's files are, nocaps' included."""
    if head.is_folder:
        return any(is_coco(document) for document in _documents(head))
    start, keys = head.text.lstrip()[:1], head.keys
    if start == "[":
        return "image_id" in keys and ("caption" in keys or {"category_id", "bbox"} <= keys)
    if start != "{" or keys & {"sentids", "sentences", "limner"}:
        return False
    return (
        ("images" in keys and bool({"id", "file_name"} & keys))
        or ("annotations" in keys and "image_id" in keys)
        or ("categories" in keys and "name" in keys)
    )


def has_nocaps_facts(head: Head) -> bool:
    """Whether the images tell their domain or their Open Images id, as only nocaps' do."""
    if head.is_folder:
        return any(has_nocaps_facts(document) for document in _documents(head))
    return not head.keys.isdisjoint(NOCAPS_FACTS)


def _documents(folder: Head) -> list[Head]:
    return [Head(folder.path / name) for name in DOCUMENTS if (folder.path / name).is_file()]


def _files(path: Path) -> list[Path]:
    if path == STDIO or not path.is_dir():
        return [path]
    documents = [path / name for name in DOCUMENTS if (path / name).exists()]
    if not documents:
        raise BadInput(
            str(path), f"the folder has none of {', '.join(DOCUMENTS)}", "name the files in it that you want"
        )
    files = [*documents, *sorted(path.glob(f"{RESULTS}*.json"))]
    for file in files:
        check_file(file)
    return files


def _system(path: Path) -> str:
    """What a system is called whose results are in this file."""
    if path == STDIO:
        return "stdin"
    # captions.json.gz and captions.json are the same system's.
    name = path.name.removesuffix(".gz").removesuffix(".zst").removesuffix(".json")
    return name.removeprefix(RESULTS) or name


# Fields of nocaps' images that become attributes; both are absent where the benchmark hides them.
NOCAPS_FACTS = ("domain", "open_images_id")


def read_nocaps(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of the benchmark's file, with or without captions."""
    return read_nocaps_together([path], reading)


def read_nocaps_together(paths: Sequence[Path], reading: Reading) -> Iterator[Image]:
    """The images of several files that join by image id: captions, image information, results."""
    return read_together(paths, reading, NOCAPS_FACTS)


def write_nocaps(images: Iterable[Image], path: Path, replace: bool = False) -> int:
    """Write as `write` does, with domain and Open Images id; return the number of images."""
    return coco_writer.write(images, path, replace, NOCAPS_FACTS)


def recognise_nocaps(head: Head) -> bool:
    return is_coco(head) and has_nocaps_facts(head)


def write(images: Iterable[Image], path: Path, replace: bool) -> int:
    """Write a folder of COCO's files; return the number of images."""
    return coco_writer.write(images, path, replace)


COCO = Codec(recognise, read, read_together=read_together, write=write)
NOCAPS = Codec(recognise_nocaps, read_nocaps, read_together=read_nocaps_together, write=write_nocaps)
