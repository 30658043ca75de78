"""What COCO's files say, gathered image by image: they list annotations in an order of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from limner.corpus.box import Box
from limner.corpus.caption import Caption
from limner.corpus.formats.records import Ids, Record, item_location, stream
from limner.corpus.image import MAX_PARTS, TOO_MANY, Image, Scalar
from limner.corpus.merge import DISJOINT
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown

# The files of a folder as the writer makes it; results follow by system.
DOCUMENTS = ("captions.json", "instances.json")
RESULTS = "results-"


@dataclass(frozen=True, slots=True)
class _Listed:
    """An entry of an `images` array."""

    place: str
    id: str
    size: tuple[int, int] | None
    file: str
    facts: tuple[tuple[str, Scalar], ...]


@dataclass(frozen=True)
class _Origin:
    """A file's list of annotations; `system` names whose results they are, "" is gold."""

    number: int
    path: str
    key: str
    system: str = ""

    @cached_property
    def source(self) -> str:
        return f"system:{self.system}" if self.system else "gold"

    def location(self, position: int) -> str:
        return item_location(self.path, self.key, position)

    def id(self, record: Record, last: _CaptionEntry | _BoxEntry | None) -> str | int:
        """An annotation's id. Results have none that is unique beside gold's, so they are counted in each image."""
        if "limner_id" in record:
            return record.id("limner_id")
        if not self.system:
            return record.id("id")
        if last is None or last[0] != self.number:
            return 0
        return last[2] + 1 if isinstance(last[2], int) else last[1] + 1

    def full_id(self, id: str | int) -> str:
        return id if isinstance(id, str) else f"{self.system}-{id}"


# What is kept of an annotation until its image is made: its origin's number, its position there and its id, then what
# it says. Flat tuples of plain values are small, and the garbage collector need not look at them.
_CaptionEntry = tuple[int, int, str | int, str, str]
_BoxEntry = tuple[int, int, str | int, str, float, float, float, float, bool, float]


_Entry = TypeVar("_Entry", _CaptionEntry, _BoxEntry)


class _ByImage(dict[str, "_Entry | list[_Entry]"], Generic[_Entry]):
    """The entries of each image, called `parts`; most results have one, which then needs no list.

    `place` is the file that they are read from.
    """

    def __init__(self, parts: str) -> None:
        self._parts = parts
        self.place = ""

    def add(self, image: str, entry: _Entry) -> None:
        before = self.setdefault(image, entry)
        if isinstance(before, list):
            # Before they are made into boxes, which would take far more room.
            if len(before) > MAX_PARTS:
                raise BadInput(self.place, f"image {shown(image)} has {TOO_MANY} {self._parts}", "leave some out")
            before.append(entry)
        elif before is not entry:
            self[image] = [before, entry]

    def first(self, image: str) -> _Entry | None:
        entries = self.get(image)
        return entries[0] if isinstance(entries, list) else entries

    def last(self, image: str) -> _Entry | None:
        entries = self.get(image)
        return entries[-1] if isinstance(entries, list) else entries

    def take(self, image: str) -> list[_Entry]:
        entries = self.pop(image, [])
        return entries if isinstance(entries, list) else [entries]


# The fields of a gold caption in the files that COCO publishes.
_CAPTION_FIELDS = {"image_id", "id", "caption"}

# Keys that tell nothing of the format: a file of these alone is an empty COCO file.
_PREAMBLE = {"info", "licenses", "type"}


class Annotations:
    """The annotations of several files, kept as compactly as plain tuples are; no segmentation is."""

    def __init__(self, reading: Reading, facts: Sequence[str]) -> None:
        self._reading = reading
        self._facts = facts
        self._listed: dict[str, _Listed] = {}
        self._categories: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._captions: _ByImage[_CaptionEntry] = _ByImage("captions")
        self._boxes: _ByImage[_BoxEntry] = _ByImage("boxes")
        self._origins: list[_Origin] = []
        self._interned: dict[str, str] = {}

    def add(self, path: Path, system: str) -> bool:
        """Read a file; whether it holds results, which are then the named system's."""
        n = len(self._origins)
        name = str(path)
        gold, results = _Origin(n, name, "annotations"), _Origin(n + 1, name, "", system)
        self._origins += [gold, results]
        self._captions.place = self._boxes.place = name
        takers: dict[str, Callable[[Record, int], None]] = {
            "images": lambda record, _: self._list(record, path),
            "annotations": lambda record, position: self._annotate(record, gold, position),
            "categories": lambda record, _: self._categorise(record),
            "": lambda record, position: self._annotate(record, results, position),
        }
        met = set()
        for key, position, value in stream(path, self._reading):
            met.add(key)
            if key not in takers:
                continue
            if key == "annotations" and position >= 0 and self._add_plain_caption(value, gold, position):
                continue
            at = item_location(name, key, position)
            try:
                if position < 0:
                    raise BadInput(at, f"{shown(value)} is not a list", "this is a list in COCO")
                takers[key](Record(value, at), position)
            except BadInput as error:
                self._reading.skip(f"faulty entry of {key or 'results'}", error)
        if met - _PREAMBLE and not met & takers.keys():
            raise BadInput(str(path), "there are neither images nor annotations nor results", "is this a COCO file?")
        return "" in met

    def add_categories(self, path: Path) -> None:
        """Read the categories of a file, and nothing else of it."""
        for key, position, value in stream(path, self._reading):
            if key == "categories" and position >= 0:
                self._categorise(Record(value, item_location(str(path), key, position)))

    def images(self) -> Iterator[Image]:
        """Each image with all that was gathered of it, which is let go."""
        if self._listed:
            self._refuse_unlisted()
        if self._captions and self._boxes and self._captions.keys().isdisjoint(self._boxes):
            captioned, boxed = next(iter(self._captions)), next(iter(self._boxes))
            self._reading.warn(DISJOINT, f"captions of {shown(captioned)}, boxes of {shown(boxed)}")
        for raw in self._listed or [*self._captions, *(raw for raw in self._boxes if raw not in self._captions)]:
            listed = self._listed.get(raw) or self._unlisted(raw)
            if not self._reading.wants(listed.id):
                continue
            image = self._reading.image(
                listed.place,
                listed.id,
                listed.size,
                boxes=self._make_boxes(raw, listed.size),
                captions=self._make_captions(raw),
                file=listed.file,
                attributes=dict(listed.facts),
            )
            if image is not None:
                yield image

    def _list(self, record: Record, path: Path) -> None:
        raw = record.id("id")
        facts = {name: record.scalar(name) for name in self._facts if name in record}
        id = record.id("limner_id") if "limner_id" in record else raw
        new = _Listed(record.place, id, record.size(), record.text("file_name", ""), tuple(facts.items()))
        old = self._listed.setdefault(raw, new)
        if old is new:
            return
        if old.place.startswith(f"{path}: "):
            raise BadInput(record.place, f"image {shown(raw)} appears twice", "give every image its own id")
        for what, before, now in (("id", old.id, new.id), ("size", old.size, new.size)):
            if before and now and before != now:
                raise BadInput(
                    record.place,
                    f"image {shown(raw)} has {what} {shown(now)} here and {shown(before)} in {old.place}",
                    "join files of the same pictures",
                )
        facts.update(old.facts)
        self._listed[raw] = _Listed(old.place, id, old.size or new.size, old.file or new.file, tuple(facts.items()))

    def _categorise(self, record: Record) -> None:
        id = record.id("id")
        above = record.text("supercategory", "")
        new = record.text("name"), (above,) if above else ()
        old = self._categories.setdefault(id, new)
        if old[0] != new[0]:
            raise BadInput(
                record.place,
                f"category {shown(id)} is {shown(new[0])} here and {shown(old[0])} before",
                "join files that number their categories alike",
            )
        self._categories[id] = new[0], old[1] or new[1]

    def _annotate(self, record: Record, origin: _Origin, position: int) -> None:
        raw = record.id("image_id")
        has_caption, has_box = "caption" in record, "bbox" in record
        if not has_caption and not has_box:
            raise BadInput(record.place, "there is neither a caption nor a bbox", "only captions and boxes are read")
        if has_caption:
            source = record.text("limner_source", origin.source)
            id = origin.id(record, self._captions.last(raw))
            said = (origin.number, position, id, record.text("caption"), self._intern(source))
            self._captions.add(raw, said)
        if has_box:
            category, (x0, y0, x1, y1) = self._intern(record.id("category_id")), _corners(record)
            is_crowd, score = record.yes("iscrowd"), record.number("score", 1.0)
            id = origin.id(record, self._boxes.last(raw))
            drawn = (origin.number, position, id, category, x0, y0, x1, y1, is_crowd, score)
            self._boxes.add(raw, drawn)

    def _add_plain_caption(self, value: object, origin: _Origin, position: int) -> bool:
        """Keep an annotation that is a caption in ASCII with two numbers, as nearly all are; False for any other.

        It says the same as `_annotate`, in a third of the time: a file has hundreds of thousands.
        """
        if type(value) is not dict or value.keys() != _CAPTION_FIELDS:
            return False
        image, id, text = value["image_id"], value["id"], value["caption"]
        if not (type(image) is type(id) is int and type(text) is str and text.isascii()):
            return False
        self._captions.add(str(image), (origin.number, position, str(id), text, origin.source))
        return True

    def _intern(self, text: str) -> str:
        return self._interned.setdefault(text, text)

    def _refuse_unlisted(self) -> None:
        for raw in [*self._captions, *self._boxes]:
            if raw not in self._listed:
                said, drawn = self._captions.take(raw), self._boxes.take(raw)
                for origin, position in [*(entry[:2] for entry in said), *(entry[:2] for entry in drawn)]:
                    problem = f"image {shown(raw)} is in no list of images"
                    error = BadInput(
                        self._origins[origin].location(position), problem, "pass the file that lists it too"
                    )
                    self._reading.skip("annotation of an image that is not listed", error)

    def _unlisted(self, raw: str) -> _Listed:
        said, drawn = self._captions.first(raw), self._boxes.first(raw)
        first = said[:2] if said else drawn[:2] if drawn else None
        assert first is not None, "nothing is said of the image"
        origin, position = first
        return _Listed(self._origins[origin].location(position), raw, None, "", ())

    def _make_captions(self, raw: str) -> Iterator[Caption | None]:
        ids = Ids("caption", self._reading)
        for number, position, known, text, source in self._captions.take(raw):
            origin = self._origins[number]
            at, id = origin.location(position), origin.full_id(known)
            if ids.is_new(id, at):
                yield self._reading.caption(at, id, text, source=source)

    def _make_boxes(self, raw: str, size: tuple[int, int] | None) -> Iterator[Box | None]:
        ids = Ids("box", self._reading)
        for number, position, known, category, x0, y0, x1, y1, is_crowd, score in self._boxes.take(raw):
            origin = self._origins[number]
            at, id = origin.location(position), origin.full_id(known)
            if category not in self._categories:
                remedy = "pass a file with its categories too, such as the instances file"
                error = BadInput(at, f"category {shown(category)} is in no list of categories", remedy)
                self._reading.skip("box of an unknown category", error)
            elif ids.is_new(id, at):
                label, types = self._categories[category]
                flags = ("crowd",) if is_crowd else ()
                corners = (x0, y0, x1, y1)
                yield self._reading.box(at, id, corners, size, label=label, score=score, types=types, flags=flags)


def _corners(record: Record) -> tuple[float, ...]:
    """Left, top, right, bottom of a `bbox`, which is left, top, width, height.

    The sum may miss a right or bottom edge by a rounding; a file that Limner
    wrote then has them in full.
    """
    if "limner_box" in record:
        return record.numbers("limner_box", 4)
    x, y, width, height = record.numbers("bbox", 4)
    return x, y, x + width, y + height
