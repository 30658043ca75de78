"""The classes that a captioned corpus has boxes of, and what the benchmark calls them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.coco_classes import COCO_CLASSES
from limner.corpus.classes.open_images_classes import COCO_NAMES
from limner.errors import BadInput, shown
from limner.files import entries, read_lines

# Open Images has no class for cups of every kind.
_COCO_MORE = {"cup": ("cup", "Coffee cup")}


class OwnClass(NamedTuple):
    """A class of the captioned corpus; `meant` are classes of the benchmark, where it is told which.

    `place` is where that is told, for errors.
    """

    name: str
    meant: tuple[str, ...] = ()
    place: str = ""


def coco_classes() -> list[OwnClass]:
    """COCO's 80."""
    return [OwnClass(name, _COCO_MORE.get(name, ())) for name in COCO_CLASSES]


def read_own_classes(path: Path) -> list[OwnClass]:
    """The classes of a file: a line is a class and, where it is called otherwise, the benchmark's after commas.

    Blank lines and those that start with # are passed over.
    """
    found = []
    for number, line in entries(read_lines(path)):
        name, *meant = (part.strip() for part in line.split(","))
        if not name or not all(meant):
            raise BadInput(f"{path}:{number}", f"{shown(line)} names a class by nothing", "give names between commas")
        found.append(OwnClass(name, tuple(meant), f"{path}:{number}"))
    if not found:
        raise BadInput(str(path), "it names no class", "a line is a class of the captioned corpus")
    return found


class Owned(NamedTuple):
    """The benchmark's classes that the captioned corpus has too, and its own that the benchmark has not."""

    classes: frozenset[str]
    missing: tuple[str, ...]


def find_own(own: Iterable[OwnClass], classes: Iterable[str]) -> Owned:
    """Which of the benchmark's classes the captioned corpus has.

    Names are compared without regard to case, in the singular; those of COCO
    find Open Images' names. One that a file tells and the benchmark has not is
    an error.
    """
    tree = ClassHierarchy("", dict.fromkeys(classes, ("",)), {}).known_as(COCO_NAMES)
    found: set[str] = set()
    missing: list[str] = []
    for one in own:
        meant = {name: tree.find(name) for name in one.meant or (one.name,)}
        lost = [name for name, known in meant.items() if known is None]
        if lost and one.meant and one.place:
            raise BadInput(one.place, f"the benchmark has no class {shown(lost[0])}", "correct the name")
        found.update(known for known in meant.values() if known is not None)
        if len(lost) == len(meant):
            missing.append(one.name)
    return Owned(frozenset(found), tuple(missing))
