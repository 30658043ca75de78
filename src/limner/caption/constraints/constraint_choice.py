"""Which of an image's boxes a caption is made to mention, and why: nocaps' choice of constraints (§4, appendix 2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from msgspec import Struct, to_builtins

from limner.corpus.box import GOLD, Box
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.class_names import class_name, class_phrases
from limner.corpus.classes.class_tables import EXCLUDED_CLASSES
from limner.corpus.geometry import corners, iou
from limner.corpus.image import Image
from limner.errors import LimnerError, shown, unknown

By = Literal["confidence", "area"]
Rule = Literal["no words", "excluded", "more general", "same words", "rank"]

# Which of two boxes in one place is dropped: the one whose class is an ancestor of the other's, the one whose class is
# nearer to the root, related or not, or neither.
Suppression = Literal["ancestor", "height", "none"]

ORDERS: tuple[By, ...] = ("confidence", "area")
SUPPRESSIONS: tuple[Suppression, ...] = ("ancestor", "height", "none")
# As in nocaps, appendix 2.2.
TOP = 3
IOU = 0.85
MAX_PAIRS = 1 << 20  # pairs of boxes whose IoU is held in memory at a time


class Constraint(Struct, frozen=True):
    """A class that the caption has to mention, by any one of its phrases.

    `boxes` are the ids of all its boxes that no rule dropped, best first;
    `score` and `area`, in square pixels, are those of the first.
    """

    label: str
    phrases: tuple[str, ...]
    boxes: tuple[str, ...]
    score: float
    area: float
    why: str


class Dropped(Struct, frozen=True):
    """A box that gave no constraint: by which rule, and by which other box where there is one."""

    box: str
    label: str
    rule: Rule
    by: str | None
    why: str


class Choice(Struct, frozen=True):
    """The constraints of an image, best first, and the boxes that gave none, in the image's order.

    Every box is in one of the two. `by` is what classes were ranked by.
    """

    image: str
    by: By
    constraints: tuple[Constraint, ...]
    dropped: tuple[Dropped, ...]

    def to_json(self) -> dict[str, Any]:
        """The choice as it is written to files."""
        json: dict[str, Any] = to_builtins(self)
        return json


def choose_constraints(
    image: Image,
    tree: ClassHierarchy | None = None,
    *,
    top: int = TOP,
    iou: float = IOU,
    by: By | None = None,
    exclude: Iterable[str] = EXCLUDED_CLASSES,
    strict: bool = False,
) -> Choice:
    """The constraints of one image; `ConstraintChooser` explains the settings, and serves many images."""
    return ConstraintChooser(tree, top=top, iou=iou, by=by, exclude=exclude, strict=strict).choose(image)


@dataclass(eq=False, repr=False)
class ConstraintChooser:
    """Chooses the classes that captions of images have to mention.

    1. Boxes whose label has no words, or whose class is in `exclude`, are dropped.
    2. Of two boxes with an IoU of at least `iou`, the one whose class is an
       ancestor of the other's in `tree` is dropped: a dog suppresses an animal.
       Equal and unrelated classes, and labels that are not in the tree, stay.
       If `suppress` is `height`, the one whose class is fewer steps from the
       root is dropped, related or not; if it is `none`, neither.
    3. Boxes of one class are one constraint, which its best box stands for.
    4. The `top` best classes are taken, but none that shares a phrase with a better one.

    Better is what has the higher score, then the larger area, then comes first
    in the image; with `by="area"` the larger area, then the higher score.
    Without `by`, images whose boxes are all gold go by area, others by
    confidence. With `strict` a label that is not in the tree is an error.
    """

    tree: ClassHierarchy | None = None
    _: KW_ONLY
    top: int = TOP
    iou: float = IOU
    by: By | None = None
    exclude: Iterable[str] = tuple(EXCLUDED_CLASSES)
    strict: bool = False
    suppress: Suppression = "ancestor"

    def __post_init__(self) -> None:
        if self.top < 1:
            raise ValueError(f"top is {self.top}; it must be at least 1")
        if not 0.0 < self.iou <= 1.0:
            raise ValueError(f"iou is {self.iou}; it must be greater than 0 and at most 1")
        if self.by is not None and self.by not in ORDERS:
            raise unknown("order of classes", self.by, ORDERS)
        if self.suppress not in SUPPRESSIONS:
            raise unknown("suppression", self.suppress, SUPPRESSIONS)
        self.exclude = tuple(self.exclude)
        self._excluded = {self._excluded_key(name): name for name in self.exclude}
        self._kind = lru_cache(maxsize=1 << 16)(self._look_up)

    def choose(self, image: Image) -> Choice:
        """The constraints of an image, and what became of each of its boxes."""
        order = self.by or ("area" if all(box.score == GOLD for box in image.boxes) else "confidence")
        dropped: dict[int, Dropped] = {}
        left = [_Candidate(at, box, self._kind_of(box, image)) for at, box in enumerate(image.boxes)]
        left = _without(left, self._not_asked_for(left), dropped)
        left = _without(left, self._more_general(left, order), dropped)
        ranked = _classes(left, order)
        constraints: list[Constraint] = []
        for rank, members in enumerate(ranked):
            constraint = _constraint(members, rank, len(ranked), order)
            rejected = self._rejected(constraint, rank, len(ranked), constraints, order)
            if rejected is None:
                constraints.append(constraint)
            else:
                _without(members, dict.fromkeys((member.at for member in members), rejected), dropped)
        return Choice(image.id, order, tuple(constraints), tuple(dropped[at] for at in sorted(dropped)))

    def is_known(self, label: str) -> bool:
        """Whether a label is a class of the tree."""
        return self._kind(label).is_known

    def exclusion(self, label: str) -> str | None:
        """The excluded class that a label names, if it does."""
        return self._excluded.get(self._kind(label).key)

    def _kind_of(self, box: Box, image: Image) -> _Kind:
        kind = self._kind(box.label)
        if self.strict and self.tree is not None and not kind.is_known:
            try:
                self.tree.require(box.label)
            except LimnerError as error:
                raise LimnerError(f"image {shown(image.id)}, box {shown(box.id)}: {error}") from error
        return kind

    def _look_up(self, label: str) -> _Kind:
        known = self._class(label)
        # A label that is a class id is said by the class' name, any other as it is: "tv", not "Television".
        phrases = class_phrases(label) or class_phrases(known or label)
        above: tuple[str, ...] = ()
        depth = None
        if self.tree is not None and known is not None:
            above, depth = self.tree.ancestors(known), self.tree.depth(known)
        return _Kind(known or class_name(label), known is not None, frozenset(above), phrases, depth)

    def _class(self, label: str) -> str | None:
        if self.tree is None:
            return None
        return self.tree.find(label) or self.tree.find(class_name(label))

    def _excluded_key(self, name: str) -> str:
        # Some tables of names call Open Images' classes otherwise: the id finds them all the same.
        return self._class(name) or self._class(EXCLUDED_CLASSES.get(name, name)) or class_name(name)

    def _not_asked_for(self, candidates: Sequence[_Candidate]) -> dict[int, _Verdict]:
        verdicts: dict[int, _Verdict] = {}
        for at, box, kind in candidates:
            if (name := self.exclusion(box.label)) is not None:
                verdicts[at] = _Verdict("excluded", None, f"class {shown(name)} is excluded")
            elif not kind.phrases:
                verdicts[at] = _Verdict("no words", None, f"{shown(box.label)} has no words that a caption could say")
        return verdicts

    def _more_general(self, candidates: Sequence[_Candidate], order: By) -> dict[int, _Verdict]:
        """The boxes that overlap with one whose class is below theirs."""
        members: dict[_Kind, list[_Candidate]] = {}
        for candidate in candidates:
            members.setdefault(candidate.kind, []).append(candidate)
        depths = {kind.key: kind.depth for kind in members}
        below: dict[str, list[_Candidate]] = {}
        for kind, boxes in members.items():
            for general in self._above(kind, depths):
                below.setdefault(general, []).extend(boxes)
        verdicts: dict[int, _Verdict] = {}
        for general, particular in below.items():
            best_first = sorted(particular, key=lambda candidate: _rank(candidate, order))
            broad = [candidate for candidate in candidates if candidate.kind.key == general]
            for candidate, covering, overlap in _overlapping(broad, best_first, self.iou):
                relation = "nearer to the root" if self.suppress == "height" else "more general"
                why = f"{relation} than box {covering.box.id} ({covering.box.label}), IoU {overlap:.2f}"
                verdicts[candidate.at] = _Verdict("more general", covering.box.id, why)
        return verdicts

    def _above(self, kind: _Kind, depths: Mapping[str, int | None]) -> Iterable[str]:
        """Those of some classes, which are given with their depths, that give way to a class."""
        if self.suppress == "ancestor":
            return kind.above & depths.keys()
        if self.suppress == "none" or kind.depth is None:
            return ()
        return [key for key, depth in depths.items() if depth is not None and depth < kind.depth]

    def _rejected(
        self, constraint: Constraint, rank: int, n: int, before: Sequence[Constraint], order: By
    ) -> _Verdict | None:
        """Why a class is not taken, if it is not."""
        if len(before) >= self.top:
            taken = "1 is taken" if self.top == 1 else f"{self.top} are taken"
            return _Verdict("rank", None, f"{_rank_text(rank, n, order)}; {taken}")
        for better in before:
            shared = set(better.phrases).intersection(constraint.phrases)
            if shared:
                said = next(phrase for phrase in constraint.phrases if phrase in shared)
                why = f"{said!r} is said for {better.label} (box {better.boxes[0]})"
                return _Verdict("same words", better.boxes[0], why)
        return None


class _Kind(NamedTuple):
    """What is known of a label: the class it names, or else its own words; what is above; its phrases; its depth."""

    key: str
    is_known: bool
    above: frozenset[str]
    phrases: tuple[str, ...]
    depth: int | None


class _Candidate(NamedTuple):
    at: int
    box: Box
    kind: _Kind


class _Verdict(NamedTuple):
    rule: Rule
    by: str | None
    why: str


def _without(
    candidates: Sequence[_Candidate], verdicts: dict[int, _Verdict], dropped: dict[int, Dropped]
) -> list[_Candidate]:
    """The candidates that no verdict drops; the rest go to `dropped`."""
    for at, box, _ in candidates:
        if at in verdicts:
            dropped[at] = Dropped(box.id, box.label, *verdicts[at])
    return [candidate for candidate in candidates if candidate.at not in verdicts]


def _rank(candidate: _Candidate, order: By) -> tuple[float, float, int]:
    """A key that sorts the better first."""
    box = candidate.box
    first, second = (box.area, box.score) if order == "area" else (box.score, box.area)
    return -first, -second, candidate.at


def _classes(candidates: Sequence[_Candidate], order: By) -> list[list[_Candidate]]:
    """The boxes of each class, the best class and the best box first."""
    members: dict[str, list[_Candidate]] = {}
    for candidate in sorted(candidates, key=lambda candidate: _rank(candidate, order)):
        members.setdefault(candidate.kind.key, []).append(candidate)
    return list(members.values())


def _constraint(members: Sequence[_Candidate], rank: int, n: int, order: By) -> Constraint:
    best = members[0].box
    value = f"{best.area:,.0f} square pixels" if order == "area" else f"{best.score:.2f}"
    among = f", {'largest' if order == 'area' else 'surest'} of {len(members)} boxes" if len(members) > 1 else ""
    return Constraint(
        label=best.label,
        phrases=members[0].kind.phrases,
        boxes=tuple(member.box.id for member in members),
        score=best.score,
        area=best.area,
        why=f"{_rank_text(rank, n, order)}: {value}{among}",
    )


def _rank_text(rank: int, n: int, order: By) -> str:
    return f"{rank + 1} of {n} by {order}"


def _overlapping(
    general: Sequence[_Candidate], particular: Sequence[_Candidate], threshold: float
) -> Iterable[tuple[_Candidate, _Candidate, float]]:
    """The general boxes that overlap with a particular one: both boxes, the one it overlaps most, and the IoU."""
    particular_corners = corners(candidate.box for candidate in particular)
    step = max(1, MAX_PAIRS // len(particular))
    for start in range(0, len(general), step):
        block = general[start : start + step]
        overlaps = iou(corners(candidate.box for candidate in block), particular_corners)
        most = overlaps.argmax(axis=1)  # of equals the first, which is the best box
        for candidate, row, at in zip(block, overlaps, most.tolist(), strict=True):
            if row[at] >= threshold:
                yield candidate, particular[at], float(row[at])
