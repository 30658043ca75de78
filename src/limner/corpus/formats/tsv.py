"""Plain tables for corpora made by hand: boxes, and sentences with their mentions in brackets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from msgspec.structs import replace

from limner.corpus.box import Box
from limner.corpus.caption import Caption, Mention
from limner.corpus.formats.format import Codec, Head
from limner.corpus.formats.markup import join_names, markup_of, parse_markup, split_names
from limner.corpus.formats.records import Ids
from limner.corpus.image import MAX_SIDE, Image
from limner.corpus.reading import Reading
from limner.corpus.text_lines import text_lines
from limner.errors import BadInput, LimnerError, shown, unknown
from limner.files import check_file, write_bytes
from limner.outputs import write_folder


@dataclass(frozen=True)
class Table:
    """A kind of table: the columns it must have, and those it may have."""

    name: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return self.required + self.optional

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(f"{self.name}{suffix}" for suffix in SUFFIXES)


IMAGES = Table("images", ("image", "width", "height"), ("file",))
BOXES = Table("boxes", ("image", "box", "x0", "y0", "x1", "y1", "label"), ("score", "types", "attributes", "flags"))
SENTENCES = Table("sentences", ("image", "sentence"), ("caption", "source"))
TABLES = (IMAGES, BOXES, SENTENCES)
SUFFIXES = (".tsv", ".tsv.gz", ".tsv.zst")


def read(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of a folder of tables, or of one table alone."""
    return read_together([path], reading)


def read_together(paths: Sequence[Path], reading: Reading) -> Iterator[Image]:
    """The images of the tables, which are held in memory: in the order of the tables of images, boxes, sentences."""
    opened = [_Opened(file) for path in paths for file in _files(path)]
    gathered = _Gathering(reading, any(source.table is BOXES for source in opened))
    # Sizes first, then boxes: boxes are checked against sizes, mentions against boxes.
    for table, add in ((IMAGES, gathered.add_size), (BOXES, gathered.add_box), (SENTENCES, gathered.add_sentence)):
        for source in opened:
            if source.table is table:
                for location, row in source.rows(reading):
                    try:
                        add(location, row)
                    except BadInput as error:
                        reading.skip(f"row of {table.name} that cannot be read", error)
    yield from gathered.images()


def write(images: Iterable[Image], path: Path, replace: bool = False) -> int:
    """Write a folder of the three tables and return the number of images."""
    if path.name.endswith(SUFFIXES):
        raise LimnerError(f"{path}: tsv is a folder of tables; name a folder")
    written = 0
    names = {table: f"{table.name}.tsv" for table in TABLES}
    with write_folder(path, names=names.values(), replace=replace) as folder, ExitStack() as stack:
        tables = {table: stack.enter_context(write_bytes(folder / name)) for table, name in names.items()}
        for table, handle in tables.items():
            handle.write("\t".join(table.columns).encode() + b"\n")
        for image in images:
            _write_image(image, tables)
            written += 1
    return written


def recognise(head: Head) -> bool:
    if head.is_folder:
        return not {*BOXES.files, *SENTENCES.files}.isdisjoint(head.names)
    return _by_columns(_cells(head.first_line.removesuffix("\r"))) is not None


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = [path / name for table in TABLES for name in table.files if (path / name).exists()]
    for file in files:
        check_file(file)
    if not files:
        raise BadInput(str(path), "the folder holds no boxes.tsv or sentences.tsv", "name the folder of the tables")
    return files


def _cells(line: str) -> list[str]:
    return line.split("\t")


def _by_columns(columns: Sequence[str]) -> Table | None:
    return next((table for table in reversed(TABLES) if set(table.required) <= set(columns)), None)


class _Opened:
    """A file whose first line has been read: the table it is, and the rows to come."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = text_lines(path, waits=True)
        number, first = next(((number, line) for number, line in self._lines if line), (0, ""))
        if not first:
            raise BadInput(str(path), "the file is empty", "the first line names the columns")
        self._columns = _cells(first)
        # The name of a file decides before its columns, so that a missing column can be named.
        table = next((table for table in TABLES if path.name in table.files), None) or _by_columns(self._columns)
        if table is None:
            columns = "; ".join(f"{t.name}: {', '.join(t.required)}" for t in TABLES)
            raise BadInput(f"{path}:{number}", "these are not the columns of a table", f"name them first ({columns})")
        self.table = table
        self._check_columns(f"{path}:{number}")

    def rows(self, reading: Reading) -> Iterator[tuple[str, dict[str, str]]]:
        """Each row's place and its cells by column, for the images that are wanted; blank lines are passed over."""
        image = self._columns.index("image")
        for number, line in self._lines:
            if not line:
                continue
            location = f"{self._path}:{number}"
            cells = _cells(line)
            if len(cells) != len(self._columns):
                problem = f"{len(cells)} columns where the first line names {len(self._columns)}"
                fault = BadInput(location, problem, "columns are separated by one tab")
                reading.skip("row with another number of columns", fault)
            elif not cells[image]:
                reading.skip("row without an image", BadInput(location, "the image's id is empty", "name the image"))
            elif reading.wants(cells[image]):
                yield location, dict(zip(self._columns, cells, strict=True))

    def _check_columns(self, location: str) -> None:
        for name in self.table.required:
            if name not in self._columns:
                remedy = f"the first line names the columns {', '.join(self.table.required)}, with tabs between"
                raise BadInput(location, f"there is no column {name}", remedy)
        for name in self._columns:
            if name not in self.table.columns:
                raise BadInput(location, str(unknown("column", name, self.table.columns)))
            if self._columns.count(name) > 1:
                raise BadInput(location, f"the column {name} appears twice", "keep one of them")


@dataclass
class _Entry:
    """What the tables have said of an image so far."""

    location: str
    box_ids: Ids
    caption_ids: Ids
    size: tuple[int, int] | None = None
    file: str = ""
    listed: bool = False
    boxes: dict[str, Box | None] = field(default_factory=dict)
    captions: list[Caption | None] = field(default_factory=list)


class _Gathering:
    """The rows of all tables, by image; `closed` if the boxes are known, so that a mention can name no other."""

    def __init__(self, reading: Reading, closed: bool) -> None:
        self._reading = reading
        self._closed = closed
        self._entries: dict[str, _Entry] = {}

    def add_size(self, location: str, row: dict[str, str]) -> None:
        entry = self._entry(location, row)
        if entry.listed:
            problem = f"image {shown(row['image'])} appears twice"
            raise BadInput(location, problem, "give every image one row")
        entry.listed = True
        entry.file = row.get("file", "")
        if row["width"] or row["height"]:
            entry.size = _side(location, row, "width"), _side(location, row, "height")

    def add_box(self, location: str, row: dict[str, str]) -> None:
        entry = self._entry(location, row)
        id = row["box"]
        if entry.box_ids.is_new(id, location):
            entry.boxes[id] = self._reading.box(
                location,
                id,
                [row[edge] for edge in ("x0", "y0", "x1", "y1")],
                entry.size,
                label=row["label"],
                score=row.get("score") or 1.0,
                types=split_names(row.get("types", "")),
                attributes=split_names(row.get("attributes", "")),
                flags=split_names(row.get("flags", "")),
            )

    def add_sentence(self, location: str, row: dict[str, str]) -> None:
        entry = self._entry(location, row)
        text, mentions = parse_markup(row["sentence"], location)
        id = row.get("caption") or str(len(entry.captions))
        if entry.caption_ids.is_new(id, location):
            known_mentions = [replace(mention, boxes=self._known(mention, entry, location)) for mention in mentions]
            entry.captions.append(
                self._reading.caption(location, id, text, known_mentions, row.get("source") or "gold")
            )

    def images(self) -> Iterator[Image]:
        for id, entry in self._entries.items():
            image = self._reading.image(
                entry.location, id, entry.size, boxes=entry.boxes.values(), captions=entry.captions, file=entry.file
            )
            if image is not None:
                yield image

    def _entry(self, location: str, row: dict[str, str]) -> _Entry:
        id = row["image"]
        if id not in self._entries:
            self._entries[id] = _Entry(location, Ids("box", self._reading), Ids("caption", self._reading))
        return self._entries[id]

    def _known(self, mention: Mention, entry: _Entry, location: str) -> tuple[str, ...]:
        """The mention's boxes; one that is in no table is refused or, when lenient, left out."""
        missing = [box for box in mention.boxes if box not in entry.boxes] if self._closed else []
        for box in missing:
            problem = f"a mention names box {shown(box)}, which its image does not have"
            remedy = "write [words]{} where a letter follows a mention without box" if not box.isdigit() else ""
            self._reading.skip("reference to a box that is not there", BadInput(location, problem, remedy))
        return tuple(box for box in mention.boxes if box not in missing)


def _side(location: str, row: dict[str, str], name: str) -> int:
    cell = row[name]
    if not re.fullmatch(r"[0-9]{1,8}", cell) or not 1 <= int(cell) <= MAX_SIDE:
        raise BadInput(location, f"{name} is {shown(cell)}", "give width and height in whole pixels, or neither")
    return int(cell)


def _write_image(image: Image, tables: dict[Table, IO[bytes]]) -> None:
    size = ("", "") if image.width is None or image.height is None else (str(image.width), str(image.height))
    _write_row(tables[IMAGES], image, (*size, image.file))
    for box in image.boxes:
        names = [_names(image, given) for given in (box.types, box.attributes, box.flags)]
        corners = [_number(edge) for edge in box.corners]
        _write_row(tables[BOXES], image, (box.id, *corners, box.label, _number(box.score), *names))
    for caption in image.captions:
        for mention in caption.mentions:
            _names(image, mention.boxes)
        _write_row(tables[SENTENCES], image, (markup_of(caption), caption.id, caption.source))


def _write_row(handle: IO[bytes], image: Image, cells: Iterable[str]) -> None:
    row = (image.id, *cells)
    for cell in row:
        if re.search(r"[\t\n\r]|^\ufeff", cell):
            raise LimnerError(
                f"image {shown(image.id)}: {shown(cell)} holds a tab or a line break; a table cannot hold it there"
            )
    try:
        handle.write("\t".join(row).encode() + b"\n")
    except UnicodeEncodeError as error:
        raise LimnerError(f"image {shown(image.id)} holds half a surrogate pair; repair its text") from error


def _names(image: Image, names: tuple[str, ...]) -> str:
    if "" in names:
        raise LimnerError(f"image {shown(image.id)}: a name is empty; a table cannot hold it")
    return join_names(names)


def _number(value: float) -> str:
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


CODEC = Codec(recognise, read, read_together=read_together, write=write)
