"""What people wear, cut to fit a body in any pose."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from limner.playground.figures.clip_art import Drawing
from limner.playground.figures.people import (
    Z_FAR_ARM,
    Z_FAR_LEG,
    Z_HEAD,
    Z_NEAR_ARM,
    Z_NEAR_LEG,
    Z_TORSO,
    Skull,
)
from limner.playground.figures.shape import Circle, Figure, Point, Sketch, hull
from limner.playground.figures.skeleton import Limb, Skeleton, skeleton


@cache
def garment(name: str, build: str, pose: str) -> Figure:
    """A garment by name on a body; its inks are `cloth` and, for trimmings, `trim`."""
    sketch = Sketch()
    GARMENTS[name](sketch, skeleton(build, pose))
    return sketch.figure()


def _along(limb: Limb, share: float) -> tuple[Point, ...]:
    """The limb cut off after a share of its length, in joints."""
    a, b, c = limb
    if share <= 0.5:
        t = share * 2
        return a, (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]))
    t = share * 2 - 1
    return a, b, (b[0] + t * (c[0] - b[0]), b[1] + t * (c[1] - b[1]))


def _sleeves(sketch: Sketch, bones: Skeleton, share: float, slack: float) -> None:
    w = bones.build.arm_width * slack
    for arm, z in ((bones.far_arm, Z_FAR_ARM), (bones.near_arm, Z_NEAR_ARM)):
        cut = _along(arm, share)
        # Over the arm and under the hand, which is painted at z + 2.
        sketch.z = z + 1
        ink = "cloth-" if z == Z_FAR_ARM else "cloth"
        sketch.limb(ink, *((x, y, w * (1.12 - 0.12 * i)) for i, (x, y) in enumerate(cut)))


def _trunk(bones: Skeleton, slack: float, hem: float) -> list[Circle]:
    """Circles whose hull is the trunk; `hem` is how far below the hips it goes."""
    b, turn = bones.build, bones.pose.turn
    top, waist = b.arm_width * 1.15 * slack, b.hip * (0.62 + 0.38 * turn) * slack
    ux, uy = bones.up
    # A centimetre below the joints: shoulders slope.
    shoulders = [(x - 0.01 * ux, y - 0.01 * uy, top) for x, y in (bones.near_arm[0], bones.far_arm[0])]
    side = b.hip * (0.45 + 0.55 * turn) * 1.12
    hips = [(*bones.trunk(s * side, -hem), waist * 0.42) for s in (-1, 1)]
    return [*shoulders, (*bones.trunk(0, b.torso - 0.045), top * 1.15), *hips]


def _collar(sketch: Sketch, bones: Skeleton, ink: str) -> None:
    skull = Skull(bones)
    sketch.line(ink, bones.build.arm_width * 0.55, *skull.all(((-0.42, -1.22), (0.02, -1.36), (0.46, -1.22))))


def _top(sketch: Sketch, bones: Skeleton, sleeve: float, sleeve_slack: float, slack: float, hem: float) -> None:
    _sleeves(sketch, bones, sleeve, sleeve_slack)
    sketch.z = Z_TORSO
    sketch.hull("cloth", *_trunk(bones, slack, hem))


def _shirt(sketch: Sketch, bones: Skeleton) -> None:
    _top(sketch, bones, 0.42, 1.25, 1.0, 0.02)
    _collar(sketch, bones, "cloth-")


def _striped(sketch: Sketch, bones: Skeleton) -> None:
    _shirt(sketch, bones)
    b = bones.build
    low, high = b.hip * 1.25, (abs(bones.near_arm[0][0] - bones.far_arm[0][0]) / 2 + b.arm_width) * 0.96
    for share in (0.22, 0.42, 0.62):
        # Three centimetres short of the side, for a stroke has round ends.
        half = low + share * (high - low) - 0.03
        sketch.line("trim", 0.045, bones.trunk(-half, share * b.torso), bones.trunk(half, share * b.torso))


def _sweater(sketch: Sketch, bones: Skeleton) -> None:
    _top(sketch, bones, 0.92, 1.3, 1.08, 0.05)
    _collar(sketch, bones, "cloth+")


def _jacket(sketch: Sketch, bones: Skeleton) -> None:
    _top(sketch, bones, 0.94, 1.38, 1.12, 0.07)
    (nx, ny), (hx, hy) = bones.neck, bones.hip
    x = 0.03 * bones.pose.turn
    sketch.line("cloth--", 0.018, (nx + x, ny - 0.05), (hx + x, hy - 0.06))
    for share in (0.3, 0.55):
        sketch.dot("trim", hx + share * (nx - hx) + x + 0.03, hy + share * (ny - hy), 0.014)
    skull = Skull(bones)
    sketch.poly("cloth-", *skull.all(((-0.5, -1.1), (0.05, -1.3), (-0.35, -1.72))))
    sketch.poly("cloth-", *skull.all(((0.55, -1.1), (0.1, -1.3), (0.45, -1.72))))


def _legs(sketch: Sketch, bones: Skeleton, share: float, slack: float) -> None:
    w = bones.build.leg_width * slack
    for leg, z in ((bones.far_leg, Z_FAR_LEG), (bones.near_leg, Z_NEAR_LEG)):
        # The far leg is hidden by what is ridden.
        if bones.pose.one_leg and leg is bones.far_leg:
            continue
        sketch.z = z + 1
        ink = "cloth-" if z == Z_FAR_LEG else "cloth"
        joints = [(x, y, w * (1.08 - 0.13 * i)) for i, (x, y) in enumerate(_along(leg, share))]
        sketch.limb(ink, *joints)
    sketch.z = Z_NEAR_LEG + 3
    hip = bones.build.hip
    side = hip * (0.4 + 0.6 * bones.pose.turn) * 0.9
    sketch.hull("cloth", *((*bones.trunk(s * side, t), hip * 0.72) for s in (-1, 1) for t in (0.0, 0.06)))


def _pants(sketch: Sketch, bones: Skeleton) -> None:
    _legs(sketch, bones, 0.93, 1.18)


def _shorts(sketch: Sketch, bones: Skeleton) -> None:
    _legs(sketch, bones, 0.44, 1.3)


def _skirt_shape(bones: Skeleton, share: float, flare: float) -> list[Circle]:
    """Circles whose hull is a skirt, down a share of the legs."""
    b = bones.build
    side = b.hip * (0.3 + 0.7 * bones.pose.turn) * 0.6
    waist = [(*bones.trunk(s * side, 0.07), b.hip * 0.55) for s in (-1, 1)]
    hips = [(x, y, b.leg_width * 1.15) for x, y in (bones.near_leg[0], bones.far_leg[0])]
    legs = (bones.near_leg,) if bones.pose.one_leg else (bones.near_leg, bones.far_leg)
    return [*waist, *hips, *((*_along(leg, share)[-1], b.leg_width * flare) for leg in legs)]


def _skirt(sketch: Sketch, bones: Skeleton) -> None:
    sketch.z = Z_NEAR_LEG + 4
    sketch.hull("cloth", *_skirt_shape(bones, 0.42, 1.75))


def _dress(sketch: Sketch, bones: Skeleton) -> None:
    _sleeves(sketch, bones, 0.22, 1.3)
    sketch.z = Z_TORSO
    # One part of two hulls: no seam shows at the waist.
    sketch.add("cloth", hull(_skirt_shape(bones, 0.5, 2.1)), hull(_trunk(bones, 0.92, 0.0)))
    side = bones.build.hip * (0.5 + 0.5 * bones.pose.turn)
    sketch.line("trim", 0.04, bones.trunk(-side, 0.1), bones.trunk(side, 0.1))
    _collar(sketch, bones, "trim")


def _apron(sketch: Sketch, bones: Skeleton) -> None:
    sketch.z = Z_TORSO + 3
    b = bones.build

    def at(across: float, up: float) -> Point:
        """A point in hip widths across the trunk and metres up from the hips."""
        return bones.trunk(across * (b.hip * 0.9), up)

    top, low = b.torso * 0.72, -b.leg * 0.34
    sketch.blob("cloth", at(-0.7, top), at(0.8, top), at(1.0, 0.1), at(1.25, low), at(-1.1, low), at(-0.9, 0.1))
    sketch.poly("cloth-", at(-0.5, -0.12), at(0.6, -0.12), at(0.6, 0.03), at(-0.5, 0.03), edge=0.004)
    sketch.line("cloth-", 0.02, at(-0.6, top), at(-0.5, b.torso - 0.02))
    sketch.line("cloth-", 0.02, at(0.7, top), at(0.6, b.torso - 0.02))


def _scarf(sketch: Sketch, bones: Skeleton) -> None:
    sketch.z = Z_HEAD - 2
    skull = Skull(bones)
    w = bones.build.head * 0.42
    sketch.limb("cloth", *((*p, w * 0.6) for p in skull.all(((-0.3, -1.3), (-0.5, -2.3)))))
    sketch.line("trim", w * 0.4, *skull.all(((-0.75, -2.1), (-0.22, -2.15))))
    sketch.limb("cloth", *((*p, w * 0.72) for p in skull.all(((-0.5, -1.08), (0.0, -1.22), (0.5, -1.08)))))


def _backpack(sketch: Sketch, bones: Skeleton) -> None:
    sketch.z = Z_FAR_ARM - 4
    (nx, ny), (hx, hy), b = bones.neck, bones.hip, bones.build
    cx, cy = (nx * 0.58 + hx * 0.42) - b.shoulder * (0.95 - 0.2 * bones.pose.turn), ny * 0.58 + hy * 0.42
    w, h = b.shoulder * 0.85, b.torso * 0.42
    sketch.box("cloth", cx - w, cy - h, cx + w, cy + h, w * 0.7)
    sketch.box("cloth-", cx - w * 0.95, cy - h * 0.85, cx + w * 0.3, cy - h * 0.1, w * 0.3)
    sketch.z = Z_TORSO + 3
    x, y = bones.near_arm[0]
    sketch.line("cloth-", 0.035, (x + 0.04, y + 0.05), (x + 0.07, y - h * 0.7), (x + 0.0, y - h * 1.3))


def _glasses(sketch: Sketch, bones: Skeleton) -> None:
    sketch.z = Z_HEAD + 1
    skull = Skull(bones)
    for x in (-0.1, 0.54):
        sketch.ellipse("cloth", *skull(x, 0.02), skull.r * 0.25, skull.r * 0.2, skull.turn, edge=0.006)
        sketch.line("#ffffff", skull.r * 0.05, *skull.all(((x - 0.1, 0.0), (x, 0.12))))
    sketch.line("cloth", skull.r * 0.08, *skull.all(((0.1, 0.06), (0.34, 0.06))))
    sketch.line("cloth", skull.r * 0.07, *skull.all(((-0.32, 0.06), (-0.8, 0.1))))


def _headwear(name: str) -> Callable[[Sketch, Skeleton], None]:
    """A cap or the like: clip art on the head's own axes."""

    def wear(sketch: Sketch, bones: Skeleton) -> None:
        sketch.z = Z_HEAD + 4
        skull = Skull(bones)
        drawing = Drawing(sketch)
        drawing.origin, drawing.axis = skull.centre, skull.axis
        drawing.stanza(name)

    return wear


GARMENTS: dict[str, Callable[[Sketch, Skeleton], None]] = {
    "shirt": _shirt,
    "striped shirt": _striped,
    "sweater": _sweater,
    "jacket": _jacket,
    "dress": _dress,
    "skirt": _skirt,
    "pants": _pants,
    "shorts": _shorts,
    "apron": _apron,
    "scarf": _scarf,
    "backpack": _backpack,
    "sunglasses": _glasses,
    **{name: _headwear(name) for name in ("cap", "hat", "beanie", "helmet")},
}
