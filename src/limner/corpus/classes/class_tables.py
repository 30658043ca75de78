"""The tables of classes that come with Limner: COCO's, and what is known of Open Images' beyond its own files.

`coco_class_words.txt` and `open_images_class_words.txt` explain their columns and marks at their head.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

from limner.files import entries
from limner.text.labels import noun


class ClassRow(NamedTuple):
    """A line of a table of classes.

    `words` are all that may mean the class, as captions use them; `published`
    are those that CHAIR's authors list for it; `names` are the ones that a
    constraint may ask for; `broad` are said of other things as well. The
    class's name is in none of them; `is_said` tells whether a constraint may
    ask for it too.
    """

    code: str
    name: str
    note: str
    words: tuple[str, ...]
    published: tuple[str, ...]
    names: tuple[str, ...]
    broad: tuple[str, ...]
    is_said: bool


def _read_table(file: str) -> Iterator[ClassRow]:
    text = files(__package__).joinpath(file).read_text(encoding="utf-8")
    for _, line in entries(enumerate(text.splitlines(), 1)):
        code, name, note, listed = (column.strip() for column in line.split("|"))
        marked = [word.strip() for word in listed.split(",") if listed]
        is_said = not any(word.startswith("==") for word in marked)
        yield ClassRow(
            code,
            name,
            note,
            words=tuple(_bare(word) for word in marked if not word.endswith("**")),
            published=tuple(_bare(word).rstrip("+") for word in marked if word.rstrip("?").endswith("*")),
            names=tuple(_bare(word) for word in marked if word.startswith("=")),
            broad=tuple(_bare(word) for word in marked if word.endswith("?")),
            is_said=is_said,
        )


def _bare(word: str) -> str:
    """A listed word without the marks that say who may use it."""
    return word.lstrip("=").rstrip("?").rstrip("*")


# The class of words that contain a word for a class and mean none: "train station".
NO_CLASS = "-"

_COCO = {row.name: row for row in _read_table("coco_class_words.txt")}
_OPEN_IMAGES = {row.name: row for row in _read_table("open_images_class_words.txt")}

# The number of each of COCO's 80 classes in COCO's files, by its name.
COCO_CLASSES = {name: int(row.code) for name, row in _COCO.items() if name != NO_CLASS}

# The words by which captions call COCO's classes, and those of `NO_CLASS`.
COCO_WORDS = {name: row.words for name, row in _COCO.items()}

# Those of them that are seldom said of anything else: what a box of the class may be labelled.
COCO_LABEL_WORDS = {name: tuple(word for word in row.words if word not in row.broad) for name, row in _COCO.items()}

# The words that mean COCO's classes in CHAIR as it was published (Rohrbach et al. 2018).
PUBLISHED_WORDS = {name: row.published for name, row in _COCO.items() if name != NO_CLASS}

# What Open Images calls the classes of COCO that have another name there.
OPEN_IMAGES_NAMES = {name: row.note for name, row in _COCO.items() if row.note and not row.note.startswith(">")}

# The names of a class of COCO in Open Images where that has only a narrower class.
NARROWER_NAMES = {name: (name, row.note[1:].strip()) for name, row in _COCO.items() if row.note.startswith(">")}

EXCLUDED_PARTS = {name: row.code for name, row in _OPEN_IMAGES.items() if row.note == "part"}
EXCLUDED_BROAD = {name: row.code for name, row in _OPEN_IMAGES.items() if row.note == "broad"}

# The 39 classes of Open Images that no constraint asks for, with their ids: Table 5 of nocaps.
# The ids are kept with the names: some published tables of names call these classes otherwise.
EXCLUDED_CLASSES = {**EXCLUDED_PARTS, **EXCLUDED_BROAD}


def names_by_class() -> dict[str, tuple[str, ...]]:
    """What captions may be made to call the classes that have other names; their own noun first, if anybody says it."""
    names = {name: _said(row, (noun(name),)) for name, row in _COCO.items()}
    for coco_name, name in OPEN_IMAGES_NAMES.items():
        # Both mean the same thing, so Open Images' class goes by COCO's name too: "Cattle" is "cow".
        if _COCO[coco_name].is_said:
            names[name] = (noun(name), coco_name)
    for name, row in _OPEN_IMAGES.items():
        names[name] = _said(row, names.get(name, (noun(name),)))
    return {name: said for name, said in names.items() if said != (noun(name),)}


def _said(row: ClassRow, names: tuple[str, ...]) -> tuple[str, ...]:
    return (*names, *row.names) if row.is_said else row.names
