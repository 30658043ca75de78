"""Reading Open Images' classes: their names, and their hierarchy by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.class_tables import OPEN_IMAGES_NAMES
from limner.corpus.formats.csv_rows import rows
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown


def read_class_tree(hierarchy: Path, names: Path | None = None, reading: Reading | None = None) -> ClassHierarchy:
    """The hierarchy of a JSON file; `names` is a CSV file that gives names to its classes' ids.

    COCO's labels find their classes in it (`ClassHierarchy.find`): "tv" is "Television".
    """
    tree = ClassHierarchy.read(hierarchy)
    if names is not None:
        name_by_id = read_class_names([names], reading or Reading())
        if not any(id in name_by_id for id in tree):
            raise BadInput(str(names), f"it names no class of {hierarchy}", "pass the names that belong to it")
        try:
            tree = tree.renamed(name_by_id)
        except ValueError as error:
            raise BadInput(str(names), str(error), "give each class a name of its own") from error
    return tree.known_as(OPEN_IMAGES_NAMES)


def read_class_names(paths: Sequence[Path], reading: Reading) -> dict[str, str]:
    """The name of each class by its id, from CSV files with or without the header `LabelName,DisplayName`."""
    names: dict[str, str] = {}
    for path in paths:
        for location, row in rows(path, reading):
            try:
                if len(row) < 2 or not row[0] or not row[1]:
                    raise BadInput(
                        location, f"expected an id and a name, not {shown(row)}", "write LabelName,DisplayName"
                    )
                id, name = (reading.text(location, "class", cell) for cell in row[:2])
                # A quote that is never closed swallows the rest of the file.
                if "\n" in id + name:
                    raise BadInput(location, f"{shown(row[:2])} goes over several lines", "check its quotes")
                if (id, name) != ("LabelName", "DisplayName") and names.setdefault(id, name) != name:
                    problem = f"class {shown(id)} is {shown(name)} here and {shown(names[id])} before"
                    raise BadInput(location, problem, "give each class one name")
            except BadInput as error:
                reading.skip("faulty class", error)
    return names
