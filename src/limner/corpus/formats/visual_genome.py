"""Visual Genome: image data, objects, attributes and region descriptions, in files of their own."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from limner.corpus.box import Box
from limner.corpus.caption import Caption, Mention
from limner.corpus.formats.format import Codec, Head
from limner.corpus.formats.records import Ids, Record, item_location, stream
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown

# The label and the flag of the box that a region description has to itself.
REGION = "region"


def read(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of one file, or of a folder that holds several."""
    return read_together([path], reading)


def read_together(paths: Sequence[Path], reading: Reading) -> Iterator[Image]:
    """The images of files that join by image id: image data, objects, attributes, regions, in any order.

    Images come in the order of the image data; without these, of the other
    files in turn. Files whose images are in one order are read side by side,
    so that memory holds one image at a time.
    """
    path_by_kind = _by_kind(paths, reading)
    files = {kind: _Entries(path_by_kind[kind], reading) for kind in _READ if kind in path_by_kind}
    is_listed = _IMAGES in files
    while files:
        kind = next(iter(files))
        for id, record in files.pop(kind).rest():
            records = {
                kind: record,
                **{name: entry for name, file in files.items() if (entry := file.take(id))},
            }
            try:
                image = _image(id, records, reading)
            except BadInput as error:
                reading.skip("faulty image", error)
                continue
            if image is not None:
                yield image
        if is_listed:
            _refuse_rest(files, reading)
            return


def recognise(head: Head) -> bool:
    if head.is_folder:
        return any(_kind(Head(head.path / name)) for name in _json_names(head))
    return _kind(head) is not None


_IMAGES, _OBJECTS, _ATTRIBUTES, _REGIONS, _RELATIONS = "image data", "objects", "attributes", "regions", "relationships"
# Image data first: where they are given, they decide which images there are, and in which order.
_READ = (_IMAGES, _OBJECTS, _ATTRIBUTES, _REGIONS)


def _kind(head: Head) -> str | None:
    """What a file holds, by its keys; graphs of scenes and regions count as relationships."""
    keys = head.keys
    if head.text.lstrip()[:1] != "[" or not keys & {"image_id", "id"}:
        return None
    if {"relationships", "predicate"} <= keys:
        return _RELATIONS
    if {"regions", "phrase"} <= keys:
        return _REGIONS
    if keys & {"object_id", "names", "name", "object_names"} and {"x", "y", "w", "h"} <= keys:
        return _ATTRIBUTES if "attributes" in keys else _OBJECTS if "objects" in keys else None
    if {"width", "height", "url"} <= keys and keys & {"coco_id", "flickr_id"}:
        return _IMAGES
    return None


def _json_names(head: Head) -> list[str]:
    return [name for name in head.names if name.endswith((".json", ".json.gz", ".json.zst"))]


def _by_kind(paths: Sequence[Path], reading: Reading) -> dict[str, Path]:
    path_by_kind: dict[str, Path] = {}
    for path in paths:
        head = Head(path)
        files = [path / name for name in _json_names(head)] if head.is_folder else [path]
        for file in files:
            kind = _kind(Head(file))
            if kind == _RELATIONS:
                reading.warn("file of relationships, which are not read", str(file))
            elif kind is not None and kind in path_by_kind:
                raise BadInput(str(file), f"a second file of {kind}, after {path_by_kind[kind]}", "name one")
            elif kind is not None:
                path_by_kind[kind] = file
            elif not head.is_folder:
                problem = "holds neither image data, objects, attributes nor region descriptions"
                raise BadInput(str(file), problem, "leave it out")
    if not path_by_kind:
        raise BadInput(str(paths[0]), "there are neither image data, objects, attributes nor regions", "name the files")
    return path_by_kind


def _refuse_rest(files: Mapping[str, _Entries], reading: Reading) -> None:
    for kind, file in files.items():
        for id, record in file.rest():
            problem = f"image {shown(id)} is not in the image data"
            reading.skip(
                f"{kind} of an image that is not listed",
                BadInput(record.place, problem, "name image data that have it"),
            )


def _image(id: str, records: Mapping[str, Record], reading: Reading) -> Image | None:
    data = records.get(_IMAGES)
    size = data.size() if data else None
    boxes = list(_object_boxes(records.get(_OBJECTS), records.get(_ATTRIBUTES), size, reading))
    captions = []
    if _REGIONS in records:
        for box, caption in _regions(records[_REGIONS], size, reading):
            boxes.append(box)
            captions.append(caption)
    return reading.image(
        next(iter(records.values())).place,
        id,
        size,
        boxes=boxes,
        captions=captions,
        file="/".join(PurePosixPath(data.text("url", "")).parts[-2:]) if data else "",
        attributes={name: data.scalar(name) for name in ("coco_id", "flickr_id") if name in data} if data else None,
    )


@dataclass(slots=True)
class _Thing:
    """An object while its files are read."""

    place: str
    corners: tuple[float, ...]
    label: str
    synsets: tuple[str, ...]
    attributes: dict[str, None] = field(default_factory=dict)


def _object_boxes(
    objects: Record | None, attributes: Record | None, size: tuple[int, int] | None, reading: Reading
) -> Iterator[Box | None]:
    """A box for each object; one that only the attributes tell of has its place there."""
    things: dict[str, _Thing] = {}
    # Where objects were merged into one, attributes may still speak of those that are gone.
    merged: dict[str, str] = {}
    ids = Ids("object", reading)
    for record in objects.records("objects", reading) if objects else ():
        try:
            id, thing = _id(record, "object_id"), _thing(record, reading)
            gone = map(str, record.entries("merged_object_ids") if "merged_object_ids" in record else ())
        except BadInput as error:
            reading.skip("faulty object", error)
            continue
        if ids.is_new(id, record.place):
            things[id] = thing
            merged.update(dict.fromkeys(gone, id))
    for record in attributes.records("attributes", reading) if attributes else ():
        try:
            id = _id(record, "object_id")
            id = id if id in things else merged.get(id, id)
            words = dict.fromkeys(record.texts("attributes"))
            if id not in things:
                things[id] = _thing(record, reading)
            things[id].attributes.update(words)
        except BadInput as error:
            reading.skip("faulty attribute", error)
    for id, thing in things.items():
        yield reading.box(
            thing.place, id, thing.corners, size, label=thing.label, types=thing.synsets, attributes=thing.attributes
        )


def _thing(record: Record, reading: Reading) -> _Thing:
    names = next((record.texts(key) for key in ("names", "object_names") if key in record), ())
    if not names:
        names = (record.text("name"),)
    if len(names) > 1:
        reading.warn("object of several names, of which the first is kept", record.place)
    return _Thing(record.place, _corners(record, "w", "h"), names[0], record.texts("synsets"))


def _regions(
    record: Record, size: tuple[int, int] | None, reading: Reading
) -> Iterator[tuple[Box | None, Caption | None]]:
    """Each region's box, and its description as a caption that is a mention of this box from end to end."""
    ids = Ids("region", reading)
    for region in record.records("regions", reading):
        try:
            id = _id(region, "region_id")
            text, corners = region.text("phrase"), _corners(region, "width", "height")
            if not text.strip():
                raise BadInput(region.place, "the phrase is empty", "describe the region")
        except BadInput as error:
            reading.skip("faulty region", error)
            continue
        if ids.is_new(id, region.place):
            box = reading.box(region.place, f"r{id}", corners, size, label=REGION, flags=(REGION,))
            yield box, reading.caption(region.place, id, text, [Mention(0, len(text), (f"r{id}",))])


def _id(record: Record, name: str) -> str:
    """The id under its name or, in the first release, plainly `id`."""
    return record.id(name if name in record or "id" not in record else "id")


def _corners(record: Record, width: str, height: str) -> tuple[float, ...]:
    x, y = record.number("x"), record.number("y")
    return x, y, x + record.number(width), y + record.number(height)


class _Entries:
    """The entries of a JSON list, one for each image, in whatever order they are asked for.

    Asked for in the file's own order, none is held. An entry that comes
    before it is asked for waits, compressed.
    """

    def __init__(self, path: Path, reading: Reading) -> None:
        self._stream = _entries(path, reading)
        self._waiting: dict[str, tuple[str, bytes]] = {}

    def take(self, id: str) -> Record | None:
        """The image's entry, or None where there is none (any more)."""
        if id in self._waiting:
            return self._unpacked(id)
        for other_id, record in self._stream:
            if other_id == id:
                return record
            # The fastest level: JSON compresses well at any, and few entries wait long.
            self._waiting[other_id] = record.place, zlib.compress(json.dumps(record.fields).encode(), 1)
        return None

    def rest(self) -> Iterator[tuple[str, Record]]:
        """Each image that was not asked for, with its entry."""
        for id in list(self._waiting):
            yield id, self._unpacked(id)
        yield from self._stream

    def _unpacked(self, id: str) -> Record:
        location, packed = self._waiting.pop(id)
        return Record(json.loads(zlib.decompress(packed)), location)


def _entries(path: Path, reading: Reading) -> Iterator[tuple[str, Record]]:
    """Every image that is wanted, with its entry; a second entry for one is a fault."""
    met: set[str] = set()
    for key, position, value in stream(path, reading):
        if key:
            raise BadInput(f"{path}: {key}", "the file is not a list", "is this one of the dataset's files?")
        try:
            record = Record(value, item_location(path, key, position))
            id = record.id("image_id" if "image_id" in record else "id")
            if id in met:
                raise BadInput(record.place, f"image {shown(id)} appears twice", "give every image one entry")
        except BadInput as error:
            reading.skip("faulty entry for an image", error)
            continue
        met.add(id)
        if reading.wants(id):
            yield id, record


CODEC = Codec(recognise, read, read_together=read_together)
