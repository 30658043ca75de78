"""Bodies: skin, face, hair and shoes; what people wear is in `garments`."""

from __future__ import annotations

from functools import cache
from math import cos, hypot, pi, sin

from limner.playground.figures.shape import Figure, Point, Sketch, polygon, smooth
from limner.playground.figures.skeleton import Limb, Skeleton, skeleton

# The order in which a body and its clothes are painted, back to front.
Z_BACK_HAIR, Z_FAR_ARM, Z_FAR_LEG, Z_NEAR_LEG, Z_TORSO, Z_HEAD, Z_HELD, Z_NEAR_ARM = range(0, 80, 10)

HAIR: dict[str, tuple[str, ...]] = {
    "man": ("short", "short", "parted", "curly", "bald", "beard"),
    "woman": ("long", "bob", "bun", "ponytail", "curly", "long"),
    "boy": ("short", "parted", "curly", "spiky"),
    "girl": ("long", "bob", "ponytail", "pigtails", "bun"),
}


@cache
def body(build: str, pose: str, hair: str) -> Figure:
    """A person without clothes to speak of, with points for hands, mouth and seat."""
    bones = skeleton(build, pose)
    sketch = Sketch()
    _arm(sketch, bones, bones.far_arm, Z_FAR_ARM)
    if not bones.pose.one_leg:
        _leg(sketch, bones, bones.far_leg, Z_FAR_LEG)
    _leg(sketch, bones, bones.near_leg, Z_NEAR_LEG)
    _arm(sketch, bones, bones.near_arm, Z_NEAR_ARM)
    _head(sketch, bones, hair)
    sketch.anchors.update(
        near_hand=bones.near_arm[2],
        far_hand=bones.far_arm[2],
        mouth=Skull(bones)(0.35, -0.5),
        head=bones.head,
        neck=bones.neck,
        hip=bones.hip,
        chest=((bones.hip[0] + bones.neck[0] * 2) / 3, (bones.hip[1] + bones.neck[1] * 2) / 3),
        near_foot=bones.near_leg[2],
        far_foot=bones.far_leg[2],
    )
    return sketch.figure()


class Skull:
    """The head's own axes, half its height being 1, as points in metres."""

    def __init__(self, bones: Skeleton) -> None:
        self.r = bones.build.head
        self.turn = bones.tilt
        self.centre = bones.head
        self.axis = (self.r * cos(bones.tilt * pi / 180), self.r * sin(bones.tilt * pi / 180))

    def __call__(self, x: float, y: float) -> Point:
        c, s = self.axis
        return self.centre[0] + x * c - y * s, self.centre[1] + x * s + y * c

    def all(self, points: tuple[Point, ...]) -> list[Point]:
        return [self(x, y) for x, y in points]


def _arm(sketch: Sketch, bones: Skeleton, arm: Limb, z: float) -> None:
    w = bones.build.arm_width
    (ax, ay), (bx, by), (cx, cy) = arm
    sketch.z = z
    sketch.limb("skin", (ax, ay, w), (bx, by, w * 0.88), (cx, cy, w * 0.72))
    sketch.z = z + 2
    sketch.ellipse("skin", cx, cy, w * 1.12, w * 1.12)


def _leg(sketch: Sketch, bones: Skeleton, leg: Limb, z: float) -> None:
    w = bones.build.leg_width
    (ax, ay), (bx, by), (cx, cy) = leg
    sketch.z = z
    sketch.limb("skin", (ax, ay, w), (bx, by, w * 0.82), (cx, cy, w * 0.6))
    sketch.z = z + 2
    toe = _toe(bones, leg)
    sketch.limb("shoe", (cx, cy, w * 0.66), (cx + toe[0], cy + toe[1], w * 0.58))


def _toe(bones: Skeleton, leg: Limb) -> Point:
    """Where the toes are from the ankle: forward of the shin, or apart when seen from the front."""
    _, (bx, by), (cx, cy) = leg
    length = max(1e-6, hypot(cx - bx, cy - by))
    dx, dy = (cx - bx) / length, (cy - by) / length
    reach = bones.build.leg_width * 1.25
    # From the front feet point outwards.
    if bones.pose.turn > 0.95 and bones.pose.roll == 0:
        side = -0.6 if leg is bones.near_leg else 0.6
        return reach * side, -reach * 0.08
    return reach * (-0.95 * dy + 0.1 * dx), reach * (0.95 * dx + 0.1 * dy)


def _head(sketch: Sketch, bones: Skeleton, hair: str) -> None:
    skull = Skull(bones)
    r, turn = skull.r, skull.turn
    w = bones.build.arm_width * 1.15
    sketch.z = Z_TORSO + 4
    sketch.limb("skin-", (bones.neck[0], bones.neck[1] - 0.02, w), (*skull(0, -0.7), w * 0.95))
    _hair(sketch, skull, BACK_HAIR.get(hair, ()), Z_BACK_HAIR)
    sketch.z = Z_HEAD
    sketch.ellipse("skin", *skull(-0.8, -0.1), r * 0.16, r * 0.21, turn)
    sketch.ellipse("skin", *skull(0, 0), r * 0.86, r, turn)
    if hair == "beard":
        sketch.blob("hair", *skull.all(_BEARD))
    sketch.later(lambda s: _face(s, skull, young=bones.build.shoulder < 0.13))
    _hair(sketch, skull, FRONT_HAIR.get(hair, ()), Z_HEAD + 2)


def _face(sketch: Sketch, skull: Skull, *, young: bool) -> None:
    r, turn = skull.r, skull.turn
    sketch.z = Z_HEAD + 0.5
    for x in (-0.1, 0.52):
        sketch.ellipse("#2b2430", *skull(x, 0.02), r * 0.085, r * 0.125, turn, edge=0.0)
        sketch.dot("#ffffff", *skull(x + 0.03, 0.07), r * 0.038)
        sketch.line("hair-", r * 0.07, *skull.all(((x - 0.13, 0.27), (x, 0.32), (x + 0.13, 0.27))))
    sketch.line("skin--", r * 0.06, *skull.all(((0.25, -0.02), (0.32, -0.18), (0.2, -0.21))))
    for x in (-0.34, 0.66):
        sketch.ellipse("blush", *skull(x, -0.28), r * 0.15, r * 0.1, turn, edge=0.0)
    if young:
        sketch.poly("#8f2f35", *skull.all(_OPEN_MOUTH), edge=0.0)
        sketch.poly("#ffffff", *skull.all(_TEETH), edge=0.0)
    else:
        sketch.line("#9a3f3a", r * 0.075, *skull.all(((-0.06, -0.44), (0.2, -0.56), (0.46, -0.44))))


_OPEN_MOUTH: tuple[Point, ...] = (
    (-0.06, -0.41),
    (0.2, -0.45),
    (0.46, -0.41),
    (0.39, -0.58),
    (0.2, -0.66),
    (0.01, -0.58),
)
_TEETH: tuple[Point, ...] = ((0.0, -0.43), (0.2, -0.46), (0.4, -0.43), (0.36, -0.5), (0.2, -0.53), (0.04, -0.5))
_BEARD: tuple[Point, ...] = (
    (-0.84, 0.0), (-0.8, -0.5), (-0.45, -1.0), (0.05, -1.16), (0.52, -1.02), (0.84, -0.5), (0.86, 0.0),
    (0.72, -0.28), (0.46, -0.34), (0.2, -0.3), (-0.06, -0.34), (-0.45, -0.28), (-0.66, -0.1),
)  # fmt: skip

# Each lock of hair is a smooth outline on the skull's axes.
_CROWN: tuple[Point, ...] = (
    (-0.92, -0.08), (-1.0, 0.4), (-0.72, 0.94), (-0.1, 1.17), (0.52, 1.05), (0.9, 0.62), (0.88, 0.3),
    (0.6, 0.5), (0.05, 0.58), (-0.48, 0.44), (-0.64, 0.05),
)  # fmt: skip
_FRINGE: tuple[Point, ...] = (
    (-0.94, -0.3), (-1.04, 0.4), (-0.74, 0.98), (-0.1, 1.2), (0.54, 1.07), (0.94, 0.62), (0.94, 0.1),
    (0.78, 0.36), (0.3, 0.42), (-0.2, 0.4), (-0.6, 0.3), (-0.7, -0.2),
)  # fmt: skip
_PARTED: tuple[Point, ...] = (
    (-0.92, -0.1), (-1.0, 0.4), (-0.74, 0.95), (-0.2, 1.14), (0.5, 1.12), (0.98, 0.78), (0.9, 0.36),
    (0.66, 0.58), (0.1, 0.7), (-0.35, 0.86), (-0.6, 0.5), (-0.66, 0.1),
)  # fmt: skip
_SPIKES: tuple[Point, ...] = (
    (-0.92, 0.0), (-1.08, 0.5), (-0.86, 0.7), (-0.88, 1.1), (-0.5, 1.02), (-0.36, 1.36), (-0.06, 1.1),
    (0.2, 1.4), (0.38, 1.08), (0.74, 1.2), (0.76, 0.84), (0.98, 0.7), (0.86, 0.36), (0.5, 0.54), (0.0, 0.56),
    (-0.64, 0.3),
)  # fmt: skip


def _ring(x: float, y: float, rx: float, ry: float, n: int = 10) -> tuple[Point, ...]:
    return tuple((x + rx * cos(2 * pi * i / n), y + ry * sin(2 * pi * i / n)) for i in range(n))


_CURLS = (
    *(_ring(0.04 + 0.9 * cos(a * pi / 180), 0.34 + 0.78 * sin(a * pi / 180), 0.31, 0.31) for a in range(5, 200, 26)),
    _ring(0.0, 0.78, 0.66, 0.3),
)
_LONG: tuple[Point, ...] = (
    (-0.1, 1.1), (-0.86, 0.8), (-1.12, 0.0), (-1.14, -0.9), (-1.05, -1.75), (-0.55, -1.9), (0.0, -1.6), (0.55, -1.9),
    (1.0, -1.7), (1.08, -0.9), (1.04, 0.0), (0.8, 0.8),
)  # fmt: skip
_BOB: tuple[Point, ...] = (
    (-0.1, 1.1), (-0.9, 0.8), (-1.12, 0.0), (-1.12, -0.7), (-0.8, -0.95), (0.0, -0.8), (0.8, -0.95), (1.06, -0.7),
    (1.04, 0.0), (0.8, 0.8),
)  # fmt: skip
_TAIL: tuple[Point, ...] = (
    (-0.7, 0.7), (-1.3, 0.75), (-1.75, 0.2), (-1.8, -0.6), (-1.55, -1.25), (-1.4, -0.6), (-1.25, 0.0), (-0.8, 0.3),
)  # fmt: skip

BACK_HAIR: dict[str, tuple[tuple[Point, ...], ...]] = {
    "long": (_LONG,),
    "bob": (_BOB,),
    "ponytail": (_TAIL,),
    "bun": (_ring(-0.45, 1.22, 0.42, 0.4),),
    "pigtails": (
        ((-0.75, 0.3), (-1.3, 0.35), (-1.6, -0.2), (-1.5, -0.9), (-1.2, -0.7), (-1.05, -0.1)),
        ((0.75, 0.3), (1.25, 0.35), (1.55, -0.2), (1.45, -0.9), (1.15, -0.7), (1.0, -0.1)),
    ),
    "curly": (_ring(-0.05, 0.2, 1.08, 0.98, 14),),
}
FRONT_HAIR: dict[str, tuple[tuple[Point, ...], ...]] = {
    "short": (_CROWN,),
    "beard": (_CROWN,),
    "parted": (_PARTED,),
    "spiky": (_SPIKES,),
    "curly": _CURLS,
    "long": (_FRINGE,),
    "bob": (_FRINGE,),
    "bun": (_CROWN,),
    "ponytail": (_PARTED,),
    "pigtails": (_FRINGE,),
}


def _hair(sketch: Sketch, skull: Skull, locks: tuple[tuple[Point, ...], ...], z: float) -> None:
    sketch.z = z
    if locks:
        sketch.add("hair", *(polygon(smooth(skull.all(lock))) for lock in locks))
