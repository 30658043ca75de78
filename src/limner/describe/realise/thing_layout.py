"""How things lie to each other in the picture: overlap, distance, height and size."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import NamedTuple

from limner.corpus.box import Box

# A box is mostly inside another if this share of it lies there.
MOSTLY = 0.75


class Frame(NamedTuple):
    """The smallest rectangle around a thing's boxes, in pixels."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def around(cls, boxes: Sequence[Box]) -> Frame:
        return cls(
            min(box.x0 for box in boxes),
            min(box.y0 for box in boxes),
            max(box.x1 for box in boxes),
            max(box.y1 for box in boxes),
        )

    @property
    def area(self) -> float:
        return (self.x1 - self.x0) * (self.y1 - self.y0)


class Layout(NamedTuple):
    """How A lies to B: shares of overlap, the gap between them, and which is higher and larger.

    `gap` is in units of the smaller one's diagonal; `up` says by how much of
    the mean height A's centre is above B's, and `bottom` the same of their
    bottoms; `size` is A's area over B's.
    """

    a_in_b: float
    b_in_a: float
    gap: float
    up: float
    bottom: float
    size: float
    x_overlap: bool
    y_overlap: bool

    @property
    def touching(self) -> bool:
        """Whether the boxes meet, or nearly do."""
        return self.gap <= 0.05

    @property
    def near(self) -> bool:
        return self.gap <= 1.0

    @property
    def bucket(self) -> str:
        """The layout in three letters, for counting: how they meet, who is up, who is larger."""
        if self.a_in_b >= MOSTLY:
            meet = "i"
        elif self.b_in_a >= MOSTLY:
            meet = "h"
        elif self.gap <= 0:
            meet = "o"
        else:
            meet = "t" if self.touching else "n" if self.near else "f"
        height = "u" if self.up > 0.25 else "d" if self.up < -0.25 else "l"
        return meet + height + ("s" if self.size < 1 / 3 else "b" if self.size > 3 else "e")


BUCKETS = frozenset(meet + height + size for meet in "ihotnf" for height in "uld" for size in "seb")


def layout(a: Frame, b: Frame) -> Layout:
    """How A lies to B. Boxes without area are points or lines, inside what they are on."""
    ax0, ay0, ax1, ay1 = a
    bx0, by0, bx1, by1 = b
    across = min(ax1, bx1) - max(ax0, bx0)
    down = min(ay1, by1) - max(ay0, by0)
    aw, ah, bw, bh = ax1 - ax0, ay1 - ay0, bx1 - bx0, by1 - by0
    a_area, b_area = aw * ah, bw * bh
    shared = across * down if across > 0 and down > 0 else 0.0
    apart = hypot(min(across, 0.0), min(down, 0.0))
    scale = min(hypot(aw, ah), hypot(bw, bh)) or 1.0
    height = (ah + bh) / 2 or 1.0
    return Layout(
        _share(shared, a_area, across, down),
        _share(shared, b_area, across, down),
        apart / scale,
        ((by0 + by1) - (ay0 + ay1)) / 2 / height,
        (by1 - ay1) / height,
        a_area / b_area if b_area else float("inf") if a_area else 1.0,
        across > 0,
        down > 0,
    )


def _share(shared: float, area: float, across: float, down: float) -> float:
    if area > 0:
        return min(shared / area, 1.0)
    return 1.0 if across >= 0 and down >= 0 else 0.0
