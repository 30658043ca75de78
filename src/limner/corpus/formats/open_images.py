"""Open Images: boxes, class names, the class hierarchy and facts about the pictures, in files of their own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from limner.corpus.box import Box
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.open_images_classes import read_class_names
from limner.corpus.formats.csv_rows import Table
from limner.corpus.formats.format import Codec, Head
from limner.corpus.formats.open_images_pictures import LIST_COLUMNS, SUFFIXES, Pictures
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, shown
from limner.files import STDIO, cannot

BOX_COLUMNS = ("ImageID", "LabelName", "XMin", "XMax", "YMin", "YMax")
FLAGS = {
    "IsOccluded": "occluded",
    "IsTruncated": "truncated",
    "IsGroupOf": "group",
    "IsDepiction": "depiction",
    "IsInside": "inside",
}
NO_SIZE = "add a table ImageID,Width,Height or the folder of the pictures"


def read(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of a folder that holds the files."""
    return read_together([path], reading)


def read_together(paths: Sequence[Path], reading: Reading) -> Iterator[Image]:
    """The images of boxes, class names, hierarchy, image lists, sizes and folders of pictures, in any order.

    Images come in the order of the boxes; those that an image list names and
    that have no boxes come last.
    """
    sources = _sorted_by_kind(paths, reading)
    pictures = Pictures(sources["pictures"], sources["folder"], reading)
    if sources["boxes"] and not pictures.has_sizes:
        raise BadInput(str(sources["boxes"][0]), "boxes are shares of a picture's size, which is not given", NO_SIZE)
    classes = _Classes(sources["classes"], sources["hierarchy"], reading)
    for path in sources["boxes"]:
        yield from _Boxes(path, reading, pictures, classes).images()
    for id in pictures.unfinished():
        if reading.wants(id) and (image := _without_boxes(id, pictures, reading)) is not None:
            yield image


def recognise(head: Head) -> bool:
    if not head.is_folder:
        return _kind(head) is not None
    tables = (name for name in head.names if _TABLE.search(name))
    return any(_kind(Head(head.path / name)) for name in tables)


_TABLE = re.compile(r"\.(csv|json)(\.gz|\.zst)?$")
_CLASS = re.compile(r"/[a-z]+/[^,/]+,[^,]")


def _kind(head: Head) -> str | None:
    """What a file holds: boxes, classes, the hierarchy, or facts about pictures."""
    if {"LabelName", "Subcategory"} <= head.keys:
        return "hierarchy"
    columns = {name.strip() for name in head.first_line.split(",")}
    if columns.issuperset(BOX_COLUMNS):
        return "boxes"
    if "ImageID" in columns and (columns & LIST_COLUMNS or {"Width", "Height"} <= columns):
        return "pictures"
    if {"LabelName", "DisplayName"} <= columns or _CLASS.match(head.first_line):
        return "classes"
    return None


def _sorted_by_kind(paths: Iterable[Path], reading: Reading) -> dict[str, list[Path]]:
    sources: dict[str, list[Path]] = {"boxes": [], "classes": [], "hierarchy": [], "pictures": [], "folder": []}
    for path in paths:
        if path == STDIO:
            raise LimnerError("open-images is several files, which standard input cannot be; name them")
        if not path.is_dir():
            kind = _kind(Head(path))
            if kind is None:
                problem = "holds neither boxes, classes, a hierarchy nor facts about pictures"
                raise BadInput(str(path), problem, "leave it out")
            sources[kind].append(path)
            continue
        names = _names(path)
        if any(name.lower().endswith(SUFFIXES) for name in names):
            sources["folder"].append(path)
        for file in (path / name for name in names if _TABLE.search(name)):
            kind = _kind(Head(file))
            if kind is None:
                reading.warn("file that is not read", str(file))
            else:
                sources[kind].append(file)
    if not sources["boxes"] and not sources["pictures"]:
        raise BadInput(str(next(iter(paths))), "there are neither boxes nor an image list", "name these files too")
    return sources


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError as error:
        raise cannot("read", folder, error) from error


class _Classes:
    """The name of a class and of the classes above it, by its id."""

    def __init__(self, names: Sequence[Path], hierarchies: Sequence[Path], reading: Reading) -> None:
        self._names = read_class_names(names, reading)
        self._types: dict[str, tuple[str, ...]] = {}
        if len(hierarchies) > 1:
            raise BadInput(str(hierarchies[1]), f"a second hierarchy, after {hierarchies[0]}", "name one")
        self._hierarchy = ClassHierarchy.read(hierarchies[0]) if hierarchies else None
        self.provenance = {} if names else {"labels": "class ids"}

    def label(self, id: str, place: str) -> str:
        if not self._names:
            return id
        if id not in self._names:
            raise BadInput(place, f"class {shown(id)} has no name", "name a class-descriptions file that has it")
        return self._names[id]

    def types(self, id: str) -> tuple[str, ...]:
        """The names of the classes above, nearest first, without the one above all."""
        if self._hierarchy is None:
            return ()
        if id not in self._types:
            above = (a for a in self._hierarchy.ancestors(id) if a != self._hierarchy.root)
            self._types[id] = tuple(self._names.get(a, a) for a in above)
        return self._types[id]


class _Boxes:
    """A table of boxes, the rows of an image together."""

    def __init__(self, path: Path, reading: Reading, pictures: Pictures, classes: _Classes) -> None:
        self._table = Table(path, BOX_COLUMNS, reading)
        self._reading = reading
        self._pictures = pictures
        self._classes = classes
        columns = self._table.columns
        self._id, self._label = columns["ImageID"], columns["LabelName"]
        self._edges = [(name, columns[name]) for name in ("XMin", "YMin", "XMax", "YMax")]
        self._flags = [(name, columns[name], flag) for name, flag in FLAGS.items() if name in columns]
        self._confidence = columns.get("Confidence")

    def images(self) -> Iterator[Image]:
        for id, group in groupby(self._table, key=lambda item: item[1][self._id].strip()):
            place, first = next(group)
            try:
                self._check(id, place)
                self._pictures.finish(id)
                if not self._reading.wants(id):
                    continue
                size, file = self._pictures.look(id)
                if size is None:
                    raise BadInput(place, f"the size of image {shown(id)} is not known", NO_SIZE)
            except BadInput as error:
                for at, _ in [(place, first), *group]:
                    self._reading.skip("box without its picture", BadInput(at, error.problem, error.remedy))
                continue
            boxes = [self._box(str(n), row, at, size) for n, (at, row) in enumerate([(place, first), *group])]
            facts = self._pictures.facts(id).attributes
            provenance = self._classes.provenance
            image = self._reading.image(
                place, id, size, boxes=boxes, file=file, attributes=facts, provenance=provenance
            )
            if image is not None:
                yield image

    def _check(self, id: str, place: str) -> None:
        if not self._reading.text(place, "ImageID", id):
            raise BadInput(place, "there is no ImageID", "name the image")
        facts = self._pictures.facts(id)
        if facts.is_done:
            raise BadInput(
                place, f"image {shown(id)} comes again after others", "sort the rows by ImageID, in one file"
            )
        if self._pictures.has_list and not facts.is_listed:
            raise BadInput(place, f"image {shown(id)} is in no image list", "name the list that has it, or no list")

    def _box(self, id: str, row: list[str], place: str, size: tuple[int, int]) -> Box | None:
        try:
            number = self._reading.number
            shares = [number(place, name, row[i]) for name, i in self._edges]
            score = 1.0 if self._confidence is None else number(place, "Confidence", row[self._confidence])
            mid = self._reading.text(place, "LabelName", row[self._label].strip())
            label = self._classes.label(mid, place)
            flags = [flag for name, i, flag in self._flags if _is_set(row[i].strip(), name, place)]
        except BadInput as error:
            self._reading.skip("faulty box", error)
            return None
        corners = [share * side for share, side in zip(shares, size * 2, strict=True)]
        types = self._classes.types(mid)
        return self._reading.box(place, id, corners, size, label=label, score=score, types=types, flags=flags)


def _is_set(cell: str, name: str, place: str) -> bool:
    """Whether a column says yes; -1 and nothing stand for unknown."""
    if cell not in ("1", "0", "-1", ""):
        raise BadInput(place, f"{name} is {shown(cell)}", "give 1, 0 or -1")
    return cell == "1"


def _without_boxes(id: str, pictures: Pictures, reading: Reading) -> Image | None:
    try:
        size, file = pictures.look(id)
    except BadInput as error:
        reading.skip("picture that cannot be read", error)
        return None
    return reading.image(id, id, size, file=file, attributes=pictures.facts(id).attributes)


CODEC = Codec(recognise, read, read_together=read_together)
