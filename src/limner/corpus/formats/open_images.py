"""Open Images: boxes, image labels, class names and hierarchy, and facts about pictures, in files of their own."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path

from limner.corpus.box import Box
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.open_images_classes import read_class_names
from limner.corpus.formats.csv_rows import Table
from limner.corpus.formats.format import Codec, Head
from limner.corpus.formats.open_images_pictures import LIST_COLUMNS, SUFFIXES, Pictures
from limner.corpus.image import MAX_PARTS, TOO_MANY, Image, ImageLabel
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, cannot, shown
from limner.files import STDIO

BOX_COLUMNS = ("ImageID", "LabelName", "XMin", "XMax", "YMin", "YMax")
LABEL_COLUMNS = ("ImageID", "LabelName", "Confidence")
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
    """The images of boxes, labels, class names, hierarchy, image lists, sizes and folders of pictures, in any order.

    Images come in the order of the boxes; those that an image list names and
    that have no boxes come next, and those that only have labels last.
    """
    sources = _sorted_by_kind(paths, reading)
    pictures = Pictures(sources["pictures"], sources["folder"], reading)
    if sources["boxes"] and not pictures.has_sizes:
        raise BadInput(str(sources["boxes"][0]), "boxes are shares of a picture's size, which is not given", NO_SIZE)
    classes = _Classes(sources["classes"], sources["hierarchy"], reading)
    labels = _Labels(sources["labels"], classes, pictures, reading)
    for path in sources["boxes"]:
        yield from _Boxes(path, reading, pictures, classes, labels).images()
    for id in pictures.unfinished():
        if reading.wants(id) and (image := _without_boxes(id, pictures, labels, classes, reading)) is not None:
            yield image
    for id in labels.rest():
        if (image := _without_boxes(id, pictures, labels, classes, reading)) is not None:
            yield image


def recognise(head: Head) -> bool:
    if not head.is_folder:
        return _kind(head) is not None
    tables = (name for name in head.names if _TABLE.search(name))
    return any(_kind(Head(head.path / name)) for name in tables)


_TABLE = re.compile(r"\.(csv|json)(\.gz|\.zst)?$")
_CLASS = re.compile(r"/[a-z]+/[^,/]+,[^,]")


def _kind(head: Head) -> str | None:
    """What a file holds: boxes, labels, classes, the hierarchy, or facts about pictures."""
    if {"LabelName", "Subcategory"} <= head.keys:
        return "hierarchy"
    columns = {name.strip() for name in head.first_line.split(",")}
    if columns.issuperset(BOX_COLUMNS):
        return "boxes"
    if columns.issuperset(LABEL_COLUMNS):
        return "labels"
    if "ImageID" in columns and (columns & LIST_COLUMNS or {"Width", "Height"} <= columns):
        return "pictures"
    if {"LabelName", "DisplayName"} <= columns or _CLASS.match(head.first_line):
        return "classes"
    return None


def _sorted_by_kind(paths: Iterable[Path], reading: Reading) -> dict[str, list[Path]]:
    kinds = ("boxes", "labels", "classes", "hierarchy", "pictures", "folder")
    sources: dict[str, list[Path]] = {kind: [] for kind in kinds}
    for path in paths:
        if path == STDIO:
            raise LimnerError("open-images is several files, which standard input cannot be; name them")
        if not path.is_dir():
            kind = _kind(Head(path))
            if kind is None:
                problem = "holds neither boxes, labels, classes, a hierarchy nor facts about pictures"
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
    if not sources["boxes"] and not sources["labels"] and not sources["pictures"]:
        problem = "there are neither boxes nor labels nor an image list"
        raise BadInput(str(next(iter(paths))), problem, "name these files too")
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

    def label(self, id: str, location: str) -> str:
        if not self._names:
            return id
        if id not in self._names:
            raise BadInput(location, f"class {shown(id)} has no name", "name a class-descriptions file that has it")
        return self._names[id]

    def has_name(self, id: str) -> bool:
        """Whether the class has a name, or labels are ids anyway."""
        return not self._names or id in self._names

    def types(self, id: str) -> tuple[str, ...]:
        """The names of the classes above, nearest first, without the one above all."""
        if self._hierarchy is None:
            return ()
        if id not in self._types:
            above = (a for a in self._hierarchy.ancestors(id) if a != self._hierarchy.root)
            self._types[id] = tuple(self._names.get(a, a) for a in above)
        return self._types[id]


class _Labels:
    """The labels of images that are wanted, which are held in memory: distinct ones are few, and each is kept once."""

    def __init__(self, paths: Sequence[Path], classes: _Classes, pictures: Pictures, reading: Reading) -> None:
        self._classes = classes
        self._pictures = pictures
        self._reading = reading
        self._by_image: dict[str, dict[tuple[str, str], ImageLabel]] = {}
        self._once: dict[ImageLabel, ImageLabel] = {}
        for path in paths:
            self._read(path)

    def take(self, id: str) -> Collection[ImageLabel]:
        """The labels of an image, which are let go."""
        return self._by_image.pop(id, {}).values()

    def rest(self) -> list[str]:
        """The images whose labels nobody has taken, in the order of the files."""
        return list(self._by_image)

    def _read(self, path: Path) -> None:
        table = Table(path, LABEL_COLUMNS, self._reading)
        for location, row in table:
            try:
                id = self._reading.text(location, "ImageID", row[table.columns["ImageID"]].strip())
                if self._reading.wants(id):
                    self._add(id, self._label(row, table.columns, location), location)
            except BadInput as error:
                self._reading.skip("faulty image label", error)

    def _label(self, row: list[str], columns: Mapping[str, int], location: str) -> ImageLabel:
        mid = self._reading.text(location, "LabelName", row[columns["LabelName"]].strip())
        source = self._reading.text(location, "Source", row[columns["Source"]].strip()) if "Source" in columns else ""
        confidence = self._reading.number(location, "Confidence", row[columns["Confidence"]])
        name = mid
        if self._classes.has_name(mid):
            name = self._classes.label(mid, location)
        else:
            # Image labels are of some 20,000 classes; the names that come with the boxes are of 601.
            self._reading.warn("image label whose class has no name", location)
        try:
            label = ImageLabel(name, confidence, source)
        except ValueError as error:
            raise BadInput(location, str(error), "give a confidence from 0 to 1") from error
        # The very same object as the default is what writing leaves out.
        return ImageLabel(label.label, source=source) if confidence == 1 else label

    def _add(self, id: str, label: ImageLabel, location: str) -> None:
        self._pictures.check_listed(id, location)
        labels = self._by_image.setdefault(id, {})
        if (label.label, label.source) in labels:
            problem = f"image {shown(id)} has the label {shown(label.label)} twice from one source"
            raise BadInput(location, problem, "keep one of them")
        if len(labels) == MAX_PARTS:
            raise BadInput(location, f"image {shown(id)} has {TOO_MANY} labels", "leave some out")
        label = self._once.setdefault(label, label)
        labels[label.label, label.source] = label


class _Boxes:
    """A table of boxes, the rows of an image together."""

    def __init__(self, path: Path, reading: Reading, pictures: Pictures, classes: _Classes, labels: _Labels) -> None:
        self._table = Table(path, BOX_COLUMNS, reading)
        self._reading = reading
        self._pictures = pictures
        self._classes = classes
        self._labels = labels
        columns = self._table.columns
        self._id, self._label = columns["ImageID"], columns["LabelName"]
        self._edges = [(name, columns[name]) for name in ("XMin", "YMin", "XMax", "YMax")]
        self._flags = [(name, columns[name], flag) for name, flag in FLAGS.items() if name in columns]
        self._confidence = columns.get("Confidence")

    def images(self) -> Iterator[Image]:
        # The rows of an image stand together, so that memory holds one image at a time.
        for id, group in groupby(self._table, key=lambda item: item[1][self._id].strip()):
            location, first = next(group)
            try:
                self._check(id, location)
                self._pictures.finish(id)
                if not self._reading.wants(id):
                    continue
                size, file = self._pictures.look(id)
                if size is None:
                    raise BadInput(location, f"the size of image {shown(id)} is not known", NO_SIZE)
            except BadInput as error:
                for at, _ in chain([(location, first)], group):
                    self._reading.skip("box without its picture", BadInput(at, error.problem, error.remedy))
                continue
            boxes = [self._box(n, row, at, size) for n, (at, row) in enumerate(chain([(location, first)], group))]
            facts = self._pictures.facts(id).attributes
            provenance = self._classes.provenance
            image = self._reading.image(
                location,
                id,
                size,
                boxes=boxes,
                file=file,
                attributes=facts,
                provenance=provenance,
                labels=self._labels.take(id),
            )
            if image is not None:
                yield image

    def _check(self, id: str, location: str) -> None:
        if not self._reading.text(location, "ImageID", id):
            raise BadInput(location, "there is no ImageID", "name the image")
        facts = self._pictures.facts(id)
        if facts.is_done:
            raise BadInput(
                location, f"image {shown(id)} comes again after others", "sort the rows by ImageID, in one file"
            )
        self._pictures.check_listed(id, location)

    def _box(self, position: int, row: list[str], location: str, size: tuple[int, int]) -> Box | None:
        if position == MAX_PARTS:
            raise BadInput(location, f"its image has {TOO_MANY} boxes", "leave some out")
        try:
            number = self._reading.number
            shares = [number(location, name, row[i]) for name, i in self._edges]
            score = 1.0 if self._confidence is None else number(location, "Confidence", row[self._confidence])
            mid = self._reading.text(location, "LabelName", row[self._label].strip())
            label = self._classes.label(mid, location)
            flags = [flag for name, i, flag in self._flags if _is_set(row[i].strip(), name, location)]
        except BadInput as error:
            self._reading.skip("faulty box", error)
            return None
        # Shares are of the width and the height in turn.
        corners = [share * side for share, side in zip(shares, size * 2, strict=True)]
        types = self._classes.types(mid)
        return self._reading.box(
            location, str(position), corners, size, label=label, score=score, types=types, flags=flags
        )


def _is_set(cell: str, name: str, location: str) -> bool:
    """Whether a column says yes; -1 and nothing stand for unknown."""
    if cell not in ("1", "0", "-1", ""):
        raise BadInput(location, f"{name} is {shown(cell)}", "give 1, 0 or -1")
    return cell == "1"


def _without_boxes(id: str, pictures: Pictures, labels: _Labels, classes: _Classes, reading: Reading) -> Image | None:
    try:
        size, file = pictures.look(id)
    except BadInput as error:
        reading.skip("picture that cannot be read", error)
        return None
    image_labels = labels.take(id)
    provenance = classes.provenance if image_labels else None
    facts = pictures.facts(id).attributes
    return reading.image(id, id, size, file=file, attributes=facts, provenance=provenance, labels=image_labels)


CODEC = Codec(recognise, read, read_together=read_together)
