"""The names of a model's classes, by number: of the model file, of a file of names, or of a known list."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from limner.corpus.classes.class_tables import COCO_CLASSES
from limner.corpus.classes.open_images_classes import read_class_names
from limner.corpus.reading import Reading
from limner.errors import BadInput, unknown
from limner.files import read_lines

# What stands in lists of names for a number that no class has.
UNUSED = ("", "???", "N/A", "background", "__background__")


def known_labels(name: str) -> tuple[str, ...]:
    """A known list: `coco` has COCO's 80 classes on end, `coco-90` and `coco-91` by their numbers from 1 and from 0."""
    if name not in KNOWN:
        raise unknown("list of class names", name, KNOWN)
    return KNOWN[name]


def read_labels(path: Path) -> tuple[str, ...]:
    """The names in a file, one a line by number; of a CSV file with an id and a name a line, the names.

    A line that is empty, `???` or `N/A` is a number without a class.
    """
    if path.suffix == ".csv":
        names = tuple(read_class_names([path], Reading()).values())
    else:
        names = tuple(line.strip() for _, line in read_lines(path))
    if not any(map(is_class, names)):
        raise BadInput(str(path), "there is no class name in it", "write one a line")
    return names


def is_class(name: str) -> bool:
    """Whether a line of a list names a class."""
    return name not in UNUSED


def labels_signature(names: Sequence[str]) -> str:
    """How many names there are, and a few letters that are others for other names."""
    return f"classes:{len(names)},{sha256(chr(10).join(names).encode()).hexdigest()[:8]}"


def _by_number(first: int) -> tuple[str, ...]:
    name_by_number = {number: name for name, number in COCO_CLASSES.items()}
    return tuple(name_by_number.get(number, "") for number in range(first, max(name_by_number) + 1))


KNOWN = {"coco": tuple(COCO_CLASSES), "coco-90": _by_number(1), "coco-91": _by_number(0)}
