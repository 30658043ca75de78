"""Which classes of boxes count for a benchmark: neither parts of things nor names too broad to say much."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.class_tables import COCO_CLASSES, EXCLUDED_CLASSES
from limner.errors import LimnerError, shown, unknown

PART, SUPER_CATEGORY, NAMED = "part", "super-category", "named"

# Classes that count although Open Images has classes below them.
# As in the paper: there all of COCO's classes are in-domain, and so are table and tree; plants are called frequent.
PLAIN = (*COCO_CLASSES, "table", "tree", "plant")

# Classes whose parts, by the hierarchy, are none.
# An error of Open Images' file: laptops, tools and all that follows in its list are parts of a building there.
NO_WHOLES = frozenset({"Building", EXCLUDED_CLASSES["Building"]})


class CountedClasses:
    """Tells which classes count, and why the others are ignored.

    A class is ignored as a `part` if it, or a class above it, is a part of
    something in the hierarchy; as a `super-category` if there are classes
    below it, unless it is in `PLAIN` or `keep`; and as `named` if it is in
    `ignore`. Labels outside the hierarchy count; without one all labels do.
    """

    def __init__(
        self, hierarchy: ClassHierarchy | None = None, *, keep: Iterable[str] = (), ignore: Iterable[str] = ()
    ) -> None:
        self._hierarchy = hierarchy
        self._class_by_label: dict[str, str] = {}
        self._named = {self.class_of(name): name for name in ignore}
        self._why: dict[str, str] = {}
        if hierarchy is not None:
            required = map(hierarchy.require, keep)
            self._why = _ignored(hierarchy, {*required, *(self.class_of(name) for name in PLAIN)})
        self._why.update(dict.fromkeys(self._named, NAMED))

    def class_of(self, label: str) -> str:
        """The class that a label means, by its name in the hierarchy, or the label itself."""
        if label not in self._class_by_label:
            name = self._hierarchy.find(label) if self._hierarchy is not None else None
            self._class_by_label[label] = name or label
        return self._class_by_label[label]

    @property
    def known(self) -> tuple[str, ...]:
        """The classes of the hierarchy except its root; none without a hierarchy."""
        return tuple(name for name in self._hierarchy or () if self._hierarchy and name != self._hierarchy.root)

    def why_not(self, name: str) -> str:
        """Why a class is ignored: `part`, `super-category` or `named`; empty if it counts."""
        return self._why.get(name, "")

    def of(self, labels: Iterable[str]) -> list[str]:
        """The classes of the labels, leaving out those that do not count."""
        return [name for name in map(self.class_of, labels) if name not in self._why]

    def check(self, labels: Collection[str]) -> None:
        """Raise an error if neither the hierarchy nor a class to ignore has anything to do with a corpus's labels."""
        classes = {self.class_of(label) for label in labels}
        if self._hierarchy is not None and labels and not any(name in self._hierarchy for name in classes):
            problem = f"no class of the corpus, such as {shown(min(labels))}, is in the hierarchy"
            raise LimnerError(problem, code="class-names-needed")
        # A class to ignore that is nowhere is a typing error, and ignoring it would go unnoticed.
        for name, given in self._named.items():
            if name not in classes and (self._hierarchy is None or name not in self._hierarchy):
                raise unknown("class", given, sorted(classes))


def _ignored(hierarchy: ClassHierarchy, plain: Collection[str]) -> dict[str, str]:
    why = {
        name: SUPER_CATEGORY
        for name in hierarchy
        if name == hierarchy.root or (hierarchy.children(name) and name not in plain)
    }
    # Last, so that a part with classes below it is ignored as a part.
    for name in hierarchy:
        if set(hierarchy.wholes(name)) - NO_WHOLES:
            why.update(dict.fromkeys((name, *hierarchy.descendants(name)), PART))
    return why
