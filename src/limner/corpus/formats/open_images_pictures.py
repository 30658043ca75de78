"""What Open Images' lists and the pictures themselves tell of a picture: size, rotation, split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from limner.corpus.formats.csv_rows import Table
from limner.corpus.image import MAX_SIDE, Scalar
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.corpus import picture_files
else:
    picture_files = lazy("limner.corpus.picture_files")

LIST_COLUMNS = frozenset({"Subset", "OriginalURL", "Rotation"})
SUFFIXES = (".jpg", ".jpeg", ".png")
ROTATIONS = (0, 90, 180, 270)


class Facts(NamedTuple):
    """What is known of a picture; `is_listed` where an image list names it, `is_done` once its boxes were read."""

    width: int | None = None
    height: int | None = None
    rotation: int | None = None
    split: str | None = None
    is_listed: bool = False
    is_done: bool = False

    @property
    def size(self) -> tuple[int, int] | None:
        return None if self.width is None or self.height is None else (self.width, self.height)

    @property
    def attributes(self) -> dict[str, Scalar]:
        known = {"rotation": self.rotation, "split": self.split}
        return {name: value for name, value in known.items() if value is not None}


NOTHING = Facts()


class Pictures:
    """The facts of millions of pictures: few differ, so that each is kept once."""

    def __init__(self, tables: Sequence[Path], folders: Sequence[Path], reading: Reading) -> None:
        self._reading = reading
        self._folders = folders
        self._facts: dict[str, Facts] = {}
        self._once: dict[Facts, Facts] = {}
        self.has_sizes = bool(folders)
        self.has_list = False
        for path in tables:
            self._read(path)

    def facts(self, id: str) -> Facts:
        return self._facts.get(id, NOTHING)

    def check_listed(self, id: str, location: str) -> None:
        """An error for an image that no image list names, where there are lists."""
        if self.has_list and not self.facts(id).is_listed:
            raise BadInput(location, f"image {shown(id)} is in no image list", "name the list that has it, or no list")

    def finish(self, id: str) -> None:
        """Remember that the picture's boxes were read."""
        self._keep(id, self.facts(id)._replace(is_done=True))

    def unfinished(self) -> Iterator[str]:
        """The pictures that a list names and that have no boxes, in the lists' order."""
        return (id for id, facts in self._facts.items() if facts.is_listed and not facts.is_done)

    def look(self, id: str) -> tuple[tuple[int, int] | None, str]:
        """A picture's size, from a table or else the picture, and its file's name, as far as they are known."""
        file = self._find(id)
        size = self.facts(id).size
        if file is None:
            return size, ""
        return picture_files.picture_size(file) if size is None else size, file.name

    def _find(self, id: str) -> Path | None:
        # An id that is a path could lead out of the folder.
        if not self._folders or "/" in id or "\0" in id:
            return None
        candidates = ((folder / f"{id}{suffix}", folder) for folder in self._folders for suffix in SUFFIXES)
        for path, folder in candidates:
            if picture_files.is_file_within(path, folder):
                return path
            if picture_files.is_link_out(path, folder):
                self._reading.warn(f"picture that is not read; {picture_files.COPY_FILES}", str(path))
        return None

    def _read(self, path: Path) -> None:
        table = Table(path, ["ImageID"], self._reading)
        is_list = not LIST_COLUMNS.isdisjoint(table.columns)
        self.has_list |= is_list
        self.has_sizes |= {"Width", "Height"} <= table.columns.keys()
        met: set[str] = set()
        for location, row in table:
            try:
                cells = {name: row[i].strip() for name, i in table.columns.items() if name in _READ}
                id = self._reading.text(location, "ImageID", cells["ImageID"])
                if not id or id in met:
                    problem = f"image {shown(id)} appears twice" if id else "there is no ImageID"
                    raise BadInput(location, problem, "give every image a row of its own")
                met.add(id)
                self._keep(id, _joined(self.facts(id), _facts(cells, location, is_list), id, location))
            except BadInput as error:
                self._reading.skip("faulty row about a picture", error)

    def _keep(self, id: str, facts: Facts) -> None:
        self._facts[id] = self._once.setdefault(facts, facts)


_READ = frozenset({"ImageID", "Subset", "Rotation", "Width", "Height"})


def _facts(cells: dict[str, str], location: str, is_list: bool) -> Facts:
    width, height = (_side(cells.get(name, ""), name, location) for name in ("Width", "Height"))
    if (width is None) != (height is None):
        raise BadInput(location, "only one of Width and Height is there", "give both, or neither")
    return Facts(width, height, _rotation(cells.get("Rotation", ""), location), cells.get("Subset") or None, is_list)


def _side(cell: str, name: str, location: str) -> int | None:
    if not cell:
        return None
    if cell.isascii() and cell.isdecimal() and len(cell) < 9 and 1 <= int(cell) <= MAX_SIDE:
        return int(cell)
    raise BadInput(location, f"{name} is {shown(cell)}", "give whole pixels")


def _rotation(cell: str, location: str) -> int | None:
    if cell.lower() in ("", "nan"):
        return None
    for degrees in ROTATIONS:
        if cell in (str(degrees), f"{degrees}.0"):
            return degrees
    raise BadInput(location, f"Rotation is {shown(cell)}", "give 0, 90, 180, 270 or nothing")


def _joined(old: Facts, new: Facts, id: str, location: str) -> Facts:
    """Both; where they contradict each other, an error."""
    for name, before, now in zip(Facts._fields[:4], old[:4], new[:4], strict=True):
        if before is not None and now is not None and before != now:
            problem = f"image {shown(id)} has {name} {shown(now)} here and {shown(before)} in another file"
            raise BadInput(location, problem, "join files that agree")
    return Facts(
        old.width or new.width,
        old.height or new.height,
        new.rotation if old.rotation is None else old.rotation,
        old.split or new.split,
        old.is_listed or new.is_listed,
    )
