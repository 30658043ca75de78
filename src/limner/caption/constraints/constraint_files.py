"""Constraints of a whole corpus: the classes to leave out are read, choices are written and summed up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from msgspec.structs import replace

from limner.caption.caption_vocabulary import caption_words
from limner.caption.constraints.constraint_choice import Choice, Constraint, ConstraintChooser, Dropped
from limner.corpus.boxed_images import BoxCheck
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.held_out_labels import visible
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, one_line, shown
from limner.files import entries, read_lines, write_bytes

MAX_LABEL = 40
MAX_LINE = 1000
MAX_IDS = 4  # boxes that are named one by one before the rest are only counted
MAX_UNKNOWN = 20  # labels that a summary remembers: enough to see what kind they are


@dataclass(slots=True)
class ChoiceSummary:
    """What was chosen in all.

    `n_by_area` counts images with boxes whose classes were ranked by area. `n_unknown` counts boxes with a label
    outside the tree, of which `unknown_labels` are the first. `excluded` are the excluded classes that boxes had.
    """

    n_images: int = 0
    n_with_constraints: int = 0
    n_constraints: int = 0
    n_by_area: int = 0
    n_boxes: int = 0
    n_unknown: int = 0
    unknown_labels: dict[str, None] = field(default_factory=dict)
    excluded: set[str] = field(default_factory=set)

    def add(self, image: Image, choice: Choice, chooser: ConstraintChooser) -> None:
        self.n_images += 1
        self.n_with_constraints += bool(choice.constraints)
        self.n_constraints += len(choice.constraints)
        self.n_by_area += choice.by == "area" and bool(image.boxes)
        self.n_boxes += len(image.boxes)
        for box in image.boxes:
            if (name := chooser.exclusion(box.label)) is not None:
                self.excluded.add(name)
            if not chooser.is_known(box.label):
                self.n_unknown += 1
                if len(self.unknown_labels) < MAX_UNKNOWN:
                    self.unknown_labels[box.label] = None


def write_choices(
    images: Iterable[Image], chooser: ConstraintChooser, out: Path, *, as_json: bool = False, place: str = "corpus"
) -> ChoiceSummary:
    """Writes the choice of each image, as text or as one JSON object a line, and returns what was chosen in all.

    A corpus without a single box is an error, which names it by `place`.
    """
    summary = ChoiceSummary()
    with write_bytes(out) as handle:
        for image in BoxCheck(place).watch(map(visible, images)):
            choice = chooser.choose(image)
            summary.add(image, choice, chooser)
            handle.write(msgspec.json.encode(choice) + b"\n" if as_json else choice_text(choice).encode())
    return summary


class GivenConstraints:
    """The constraints of images in a file, each image with the line that has them."""

    def __init__(
        self, path: Path, constraints: Mapping[str, tuple[int, tuple[Constraint, ...]]], reading: Reading
    ) -> None:
        self._path, self._constraints, self._reading = path, constraints, reading
        self._asked: set[str] = set()

    def unused(self) -> list[str]:
        """The images that nobody has asked for yet, in the order of the file."""
        return [id for id in self._constraints if id not in self._asked]

    def __call__(self, image: Image) -> tuple[Constraint, ...]:
        """The constraints of an image; boxes that it does not have are an error, or left out by a lenient reading."""
        self._asked.add(image.id)
        line, constraints = self._constraints.get(image.id, (0, ()))
        box_ids = {box.id for box in image.boxes}
        return tuple(self._with_known_boxes(constraint, image, box_ids, line) for constraint in constraints)

    def _with_known_boxes(self, constraint: Constraint, image: Image, box_ids: Set[str], line: int) -> Constraint:
        known = []
        for id in constraint.boxes:
            if id in box_ids:
                known.append(id)
                continue
            problem = f"image {shown(image.id)} has no box {shown(id)}"
            error = BadInput(f"{self._path}:{line}", problem, "correct the id, or leave it out", code="faulty")
            self._reading.skip("unknown box of a constraint", error)
        return constraint if len(known) == len(constraint.boxes) else replace(constraint, boxes=tuple(known))


def read_choices(path: Path, reading: Reading | None = None) -> GivenConstraints:
    """The constraints of images, from a file of one JSON object a line, as `write_choices` writes it.

    Of each constraint only `phrases` must be there; `boxes` are those that the phrases refer to. A phrase without a
    word is an error, or left out by a lenient reading.
    """
    reading = reading or Reading()
    constraints: dict[str, tuple[int, tuple[Constraint, ...]]] = {}
    for number, line in entries(read_lines(path)):
        location = f"{path}:{number}"
        try:
            choice = msgspec.json.decode(line, type=_GivenChoice)
        except (msgspec.MsgspecError, RecursionError) as error:
            problem = f"is not a choice of constraints ({one_line(str(error), 200)})"
            raise BadInput(location, problem, _WRITTEN, code="no-choices") from error
        if choice.image in constraints:
            raise BadInput(location, f"image {shown(choice.image)} is there twice", "remove one of them")
        given = [_constraint(item, location, reading) for item in choice.constraints]
        constraints[choice.image] = number, tuple(constraint for constraint in given if constraint.phrases)
    if not constraints:
        raise BadInput(str(path), "it has no constraints", _WRITTEN, code="no-choices")
    return GivenConstraints(path, constraints, reading)


def _constraint(given: _GivenConstraint, location: str, reading: Reading) -> Constraint:
    """A constraint with those of its phrases that have a word."""
    phrases = []
    for phrase, words in zip(given.phrases, caption_words(given.phrases), strict=True):
        if words:
            phrases.append(phrase)
        else:
            error = BadInput(location, f"there is no word in the phrase {shown(phrase)}", "leave it out", code="faulty")
            reading.skip("phrase without a word", error)
    return Constraint(given.label or given.phrases[0], tuple(phrases), given.boxes, 1.0, 0.0, "given")


_WRITTEN = "give a file in which choices were written as JSON"


class _GivenConstraint(msgspec.Struct):
    phrases: tuple[str, ...]
    boxes: tuple[str, ...] = ()
    label: str = ""

    def __post_init__(self) -> None:
        if not self.phrases:
            raise ValueError("a constraint needs phrases")


class _GivenChoice(msgspec.Struct):
    image: str
    constraints: tuple[_GivenConstraint, ...]


def read_excluded_classes(path: Path, tree: ClassHierarchy | None = None) -> list[str]:
    """The classes that a file lists, one a line; blank lines and those that start with # are passed over.

    With a tree, a class that is not in it is an error.
    """
    classes = []
    for number, name in entries(read_lines(path)):
        try:
            classes.append(name if tree is None else tree.require(name))
        except LimnerError as error:
            raise BadInput(f"{path}:{number}", str(error)) from error
    if not classes:
        raise BadInput(str(path), "it names no class", "list one a line", code="no-excluded-classes")
    return classes


def choice_text(choice: Choice) -> str:
    """A choice as people read it: constraints with their phrases, then boxes that gave none, each with the reason."""
    rows = [("+", c.label, [" / ".join(c.phrases), f"{c.why}; {_boxes(c.boxes)}"]) for c in choice.constraints]
    for alike in _alike(choice.dropped):
        rows.append(("-", alike[0].label, [f"{alike[0].why}; {_boxes([dropped.box for dropped in alike])}"]))
    width = max((len(_line(label, MAX_LABEL)) for _, label, _ in rows), default=0)
    lines = [f"{_line(choice.image)}: {', '.join(_line(c.label) for c in choice.constraints) or 'nothing'}"]
    for sign, label, reasons in rows:
        first, *rest = map(_line, reasons)
        lines.append(f"  {sign} {_line(label, MAX_LABEL):<{width}}  {first}")
        lines += [" " * (width + 6) + line for line in rest]
    return "\n".join(lines) + "\n"


def _alike(dropped: Iterable[Dropped]) -> Iterable[list[Dropped]]:
    """The dropped boxes, those of one label and one reason together."""
    groups: dict[tuple[str, str], list[Dropped]] = {}
    for box in dropped:
        groups.setdefault((box.label, box.why), []).append(box)
    return groups.values()


def _boxes(ids: Sequence[str]) -> str:
    named = ", ".join(ids[:MAX_IDS])
    more = f" and {len(ids) - MAX_IDS:,} more" if len(ids) > MAX_IDS else ""
    return f"box{'es' if len(ids) > 1 else ''} {named}{more}"


def _line(text: str, limit: int = MAX_LINE) -> str:
    return one_line(text, limit)
