"""Classes above and below each other, and their parts: Open Images' hierarchy."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from limner.corpus.json_stream import stream_items
from limner.corpus.reading import is_encodable
from limner.errors import BadInput, shown, unknown
from limner.text.noun_forms import singular

# A file with more than this is no hierarchy of classes but an attack on memory.
MAX_CLASSES = 100_000

# Classes of a circle that an error names: a circle may have thousands.
MAX_NAMED = 6

Links = Mapping[str, tuple[str, ...]]


class ClassHierarchy:
    """What is a kind of what, and what is a part of what.

    A class may have several parents (a teddy bear is a toy and a bear), or
    none if it is the root or only ever a part. No class is above itself.
    Classes go by their exact names; `find` returns the one that a label means.
    """

    def __init__(self, root: str, parents: Links, wholes: Links, aliases: Mapping[str, str] | None = None) -> None:
        """`parents` are the classes directly above each class, `wholes` those it is a part of.

        `aliases` maps other names to classes; those of unknown classes are ignored.
        """
        self.root = root
        self._parents = dict(parents)
        self._wholes = dict(wholes)
        self._children = _turned(self._parents)
        self._parts = _turned(self._wholes)
        self._classes = dict.fromkeys([root, *self._children, *self._parents, *self._parts, *self._wholes])
        self._aliases = {alias: name for alias, name in (aliases or {}).items() if name in self._classes}
        self._class_by_folded = _first_by_folded((name, name) for name in self._classes)
        # Aliases override names that only agree when folded: COCO's "mouse" is the "Computer mouse".
        self._class_by_folded |= _first_by_folded(self._aliases.items())
        self._above: dict[str, frozenset[str]] = {}
        if circle := _circle(self._parents, self._children):
            raise ValueError(_circle_problem(circle))

    @classmethod
    def read(cls, path: Path) -> ClassHierarchy:
        """The hierarchy of a JSON file such as bbox_labels_600_hierarchy.json, by class ids ("/m/01g317")."""
        root, parents, wholes = _links(path)
        try:
            return cls(root, parents, wholes)
        except ValueError as error:
            raise BadInput(str(path), str(error), "let no class be its own subcategory") from error

    def renamed(self, names: Mapping[str, str]) -> ClassHierarchy:
        """The same hierarchy with new names, which must differ; classes without one keep their name.

        The old names become aliases, so that class ids can still be looked up.
        """
        old_by_new: dict[str, str] = {}
        for old in self._classes:
            new = names.get(old, old)
            if old_by_new.setdefault(new, old) != old:
                raise ValueError(f"classes {shown(old_by_new[new])} and {shown(old)} are both called {shown(new)}")

        def rename(links: Links) -> dict[str, tuple[str, ...]]:
            return {names.get(name, name): tuple(names.get(n, n) for n in linked) for name, linked in links.items()}

        aliases = {alias: names.get(name, name) for alias, name in self._aliases.items()}
        aliases |= {old: new for new, old in old_by_new.items() if new != old}
        return ClassHierarchy(names.get(self.root, self.root), rename(self._parents), rename(self._wholes), aliases)

    def known_as(self, aliases: Mapping[str, str]) -> ClassHierarchy:
        """The same hierarchy with more aliases; a class's own name takes precedence over an alias."""
        return ClassHierarchy(self.root, self._parents, self._wholes, {**self._aliases, **aliases})

    def find(self, label: str) -> str | None:
        """The class that a label means, or None.

        The exact name comes first, then an alias, then either in any case and
        with underscores for spaces, then the label's singular: "dog", "Dogs"
        and "DOG" are "Dog". Part of a name is not enough: "car" is not
        "Carrot".
        """
        if label in self._classes:
            return label
        folded = _folded(label)
        return self._class_by_folded.get(folded) or self._class_by_folded.get(singular(folded))

    def require(self, label: str) -> str:
        """The class that a label means; raises an error that suggests the nearest one."""
        name = self.find(label)
        if name is None:
            raise unknown("class", label, dict.fromkeys([*self._classes, *self._class_by_folded]))
        return name

    def __contains__(self, name: object) -> bool:
        return name in self._classes

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)

    def parents(self, name: str) -> tuple[str, ...]:
        """The classes directly above; none for the root and for an unknown class."""
        return self._parents.get(name, ())

    def children(self, name: str) -> tuple[str, ...]:
        """The classes directly below."""
        return self._children.get(name, ())

    def depth(self, name: str) -> int | None:
        """The fewest steps up from a class to the root; None for an unknown class or one that is only ever a part."""
        level, n_steps = {name}, 0
        while level and self.root not in level:
            level = {parent for child in level for parent in self.parents(child)}
            n_steps += 1
        return n_steps if level else None

    def ancestors(self, name: str) -> tuple[str, ...]:
        """All classes above, nearest first, including the root."""
        return _reached(name, self._parents)

    def descendants(self, name: str) -> tuple[str, ...]:
        """All classes below, nearest first."""
        return _reached(name, self._children)

    def is_ancestor(self, above: str, below: str) -> bool:
        """Whether the first is a more general class than the second; no class is its own ancestor."""
        if below not in self._above:
            self._above[below] = frozenset(self.ancestors(below))
        return above in self._above[below]

    def parts(self, name: str) -> tuple[str, ...]:
        """The classes that are parts of this one."""
        return self._parts.get(name, ())

    def wholes(self, name: str) -> tuple[str, ...]:
        """The classes of which this one is a part."""
        return self._wholes.get(name, ())


def _reached(start: str, links: Links) -> tuple[str, ...]:
    reached: dict[str, None] = {}
    waiting = deque(links.get(start, ()))
    while waiting:
        name = waiting.popleft()
        if name not in reached:
            reached[name] = None
            waiting.extend(links.get(name, ()))
    return tuple(reached)


def _turned(links: Links) -> dict[str, tuple[str, ...]]:
    # Dicts rather than sets: the order of the file is kept.
    turned: dict[str, dict[str, None]] = {}
    for name, targets in links.items():
        for target in targets:
            turned.setdefault(target, {})[name] = None
    return {target: tuple(names) for target, names in turned.items()}


def _circle(parents: Links, children: Links) -> tuple[str, ...]:
    """Classes each directly above the next, and the last above the first; empty if there is no such circle."""
    above = {name: len(names) for name, names in parents.items()}
    tops = [name for name in children if not above.get(name)]
    while tops:
        for below in children.get(tops.pop(), ()):
            above[below] -= 1
            if not above[below]:
                tops.append(below)
    # Taking away tops in turn leaves circles and what is below them: upwards from any of these is a circle.
    name = next((name for name, n in above.items() if n), None)
    walked: dict[str, int] = {}
    while name is not None and name not in walked:
        walked[name] = len(walked)
        name = next(parent for parent in parents[name] if above.get(parent))
    return () if name is None else tuple(walked)[walked[name] :][::-1]


def _circle_problem(circle: tuple[str, ...]) -> str:
    """What an error says about a circle."""
    problem = f"class {shown(circle[0])} is above itself"
    if len(circle) == 1:
        return problem
    named = [shown(name) for name in circle]
    between = named[1:] if len(circle) <= MAX_NAMED else [*named[1:MAX_NAMED], "…", named[-1]]
    return f"{problem}: {' > '.join([named[0], *between, named[0]])}"


def _folded(label: str) -> str:
    """A label in lower case, with single spaces for underscores and spaces."""
    return " ".join(label.replace("_", " ").lower().split())


def _first_by_folded(names: Iterable[tuple[str, str]]) -> dict[str, str]:
    class_by_folded: dict[str, str] = {}
    for name, meant in names:
        class_by_folded.setdefault(_folded(name), meant)
    return class_by_folded


_KINDS = {"Subcategory": 0, "Part": 1}


def _links(path: Path) -> tuple[str, dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The root, the parents and the wholes of a hierarchy file."""
    root: Any = None
    tops: list[tuple[str, str, Any]] = []
    for key, position, value in stream_items(path):
        if key == "LabelName":
            root = value
        elif key in _KINDS:
            tops.append((key, f"{path}: {key}[{position}]", value))
    if not tops:
        raise BadInput(str(path), "there is no Subcategory", "is this Open Images' hierarchy?")
    root = _label({"LabelName": root}, str(path))
    links: tuple[dict[str, dict[str, None]], ...] = ({}, {})
    classes = {root}
    waiting = deque((root, *top) for top in tops)
    while waiting:
        above, kind, location, node = waiting.popleft()
        name = _label(node, location)
        links[_KINDS[kind]].setdefault(name, {})[above] = None
        classes.add(name)
        if len(classes) > MAX_CLASSES:
            raise BadInput(location, f"there are more than {MAX_CLASSES:,} classes", "is this a hierarchy of classes?")
        for key in _KINDS:
            below = node.get(key, [])
            if not isinstance(below, list):
                raise BadInput(location, f"{key} is {shown(below)}", "give a list of classes")
            waiting.extend((name, key, f"{location}.{key}[{i}]", item) for i, item in enumerate(below))
    parents, wholes = ({name: tuple(above) for name, above in kind.items()} for kind in links)
    return root, parents, wholes


def _label(node: Any, location: str) -> str:
    name = node.get("LabelName") if isinstance(node, dict) else None
    if not isinstance(name, str) or not name or not is_encodable(name):
        raise BadInput(location, f"a class is {shown(node)}", "give it a LabelName")
    return name
