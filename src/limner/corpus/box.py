"""A labelled region of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

from msgspec import Struct
from msgspec.structs import force_setattr

from limner.errors import shown

# The score of a box that people drew.
GOLD = 1.0

# Pixels. Areas and sums of numbers beyond this would overflow.
FAR = 1e100


# Decoders give the right types: only what a program made comes here.
def settle(
    thing: Struct,
    *,
    texts: Sequence[str] = (),
    wholes: Sequence[str] = (),
    words: Sequence[str] = (),
    tuples: Sequence[str] = (),
) -> None:
    """Give the named fields of a new object the types that files hold, or raise a ValueError.

    A list becomes a tuple, and a kind of string or of whole number a plain
    one; everything else is refused. `words` are tuples of strings.
    """
    for names, accepted, plain, expected in (
        (texts, str, str, "a string"),
        (wholes, Integral, int, "a whole number"),
        (words, list | tuple, tuple, "a tuple of strings"),
        (tuples, list | tuple, tuple, "a tuple"),
    ):
        for name in names:
            value = getattr(thing, name)
            is_sound = isinstance(value, accepted) and not isinstance(value, bool)
            if not is_sound or (names is words and not all(isinstance(word, str) for word in value)):
                raise ValueError(f"{name} of {type(thing).__name__} is {shown(value)}; give {expected}")
            force_setattr(thing, name, plain(value))


# gc=False here and below: there are millions of these, and none can be part of a cycle.
class Box(Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A rectangle in pixels: left and top inside, right and bottom outside.

    The half-open convention makes width plain subtraction. Readers translate
    every other one (1-based, inclusive, width and height) as they read, so
    that no other module has to know there was a difference.

    `types` are coarse kinds (people, animals), `attributes` words that hold of
    the thing (red, wooden), `flags` remarks of the annotation about the box
    (crowd, occluded) that say nothing of the thing. Gold boxes score 1.
    """

    id: str
    x0: int | float
    y0: int | float
    x1: int | float
    y1: int | float
    label: str = "object"
    score: int | float = GOLD
    types: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # One look is all that the millions of boxes in files can afford; writing looks at every field.
        if type(self.id) is not str:
            settle(self, texts=("id", "label"), words=("types", "attributes", "flags"))
        if not self.id:
            raise ValueError("a box needs an id")
        if not self.label:
            raise ValueError(f"box {shown(self.id)} has an empty label")
        try:
            # False for NaN, and for whole numbers that no float can hold.
            if not (self.x0 >= -FAR and self.y0 >= -FAR and self.x1 <= FAR and self.y1 <= FAR):
                raise ValueError(f"box {shown(self.id)} is not finite: {shown(self.corners)}")
            if self.x1 < self.x0 or self.y1 < self.y0:
                raise ValueError(
                    f"box {shown(self.id)} is inverted: {shown(self.corners)} must be left, top, right, bottom"
                )
            if not 0.0 <= self.score <= 1.0:
                raise ValueError(f"box {shown(self.id)} has score {shown(self.score)}, outside 0 to 1")
        except TypeError:
            raise ValueError(
                f"box {shown(self.id)} has corners {shown(self.corners)} and score {shown(self.score)}; give numbers"
            ) from None

    @property
    def corners(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        return self.x0, self.y0, self.x1, self.y1

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        """Square pixels; 0 for a degenerate box."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    @property
    def centre(self) -> tuple[float, float]:
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def intersection(self, other: Box) -> float:
        """The area that both boxes cover, in square pixels."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return width * height if width > 0 and height > 0 else 0.0

    def iou(self, other: Box) -> float:
        """Intersection over union; 0 where both are without area."""
        shared = self.intersection(other)
        union = self.area + other.area - shared
        return shared / union if union > 0 else 0.0

    def contains(self, other: Box) -> bool:
        """Whether the other box lies wholly within this one (a shared edge is within)."""
        return self.x0 <= other.x0 and self.y0 <= other.y0 and other.x1 <= self.x1 and other.y1 <= self.y1
