"""What people wear, cut to fit a body in any pose."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from limner.playground.figures.people import (
    Z_FAR_ARM,
    Z_FAR_LEG,
    Z_HEAD,
    Z_NEAR_ARM,
    Z_NEAR_LEG,
    Z_TORSO,
    Skull,
)
from limner.playground.figures.shape import Figure, Point, Sketch, hull
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
        sketch.z = z + 1
        ink = "cloth-" if z == Z_FAR_ARM else "cloth"
        sketch.limb(ink, *((x, y, w * (1.12 - 0.12 * i)) for i, (x, y) in enumerate(cut)))


def _trunk(bones: Skeleton, slack: float, hem: float) -> list[tuple[float, float, float]]:
    """Circles whose hull is the trunk; `hem` is how far below the hips it goes."""
    b = bones.build
    (nx, ny), (hx, hy) = bones.neck, bones.hip
    ux, uy = (nx - hx) / b.torso, (ny - hy) / b.torso
    top, waist = b.arm_width * 1.15 * slack, b.hip * (0.62 + 0.38 * bones.pose.turn) * slack
    shoulders = [(x - 0.01 * ux, y - 0.01 * uy, top) for x, y in (bones.near_arm[0], bones.far_arm[0])]
    low = (hx - hem * ux, hy - hem * uy)
    across = (uy, -ux)
    side = b.hip * (0.45 + 0.55 * bones.pose.turn) * 1.12
    hips = [(low[0] + s * side * across[0], low[1] + s * side * across[1], waist * 0.42) for s in (-1, 1)]
    return [*shoulders, (nx - 0.045 * ux, ny - 0.045 * uy, top * 1.15), *hips]


def _collar(sketch: Sketch, bones: Skeleton, ink: str) -> None:
    skull = Skull(bones)
    sketch.line(ink, bones.build.arm_width * 0.55, *skull.all(((-0.42, -1.22), (0.02, -1.36), (0.46, -1.22))))


def _shirt(sketch: Sketch, bones: Skeleton) -> None:
    _sleeves(sketch, bones, 0.42, 1.25)
    sketch.z = Z_TORSO
    sketch.hull("cloth", *_trunk(bones, 1.0, 0.02))
    _collar(sketch, bones, "cloth-")


def _striped(sketch: Sketch, bones: Skeleton) -> None:
    _shirt(sketch, bones)
    b = bones.build
    (nx, ny), (hx, hy) = bones.neck, bones.hip
    low, high = b.hip * 1.25, (abs(bones.near_arm[0][0] - bones.far_arm[0][0]) / 2 + b.arm_width) * 0.96
    for share in (0.22, 0.42, 0.62):
        half = low + share * (high - low) - 0.03
        x, y = hx + share * (nx - hx), hy + share * (ny - hy)
        dx, dy = half * (ny - hy) / b.torso, -half * (nx - hx) / b.torso
        sketch.line("trim", 0.045, (x - dx, y - dy), (x + dx, y + dy))


def _sweater(sketch: Sketch, bones: Skeleton) -> None:
    _sleeves(sketch, bones, 0.92, 1.3)
    sketch.z = Z_TORSO
    sketch.hull("cloth", *_trunk(bones, 1.08, 0.05))
    _collar(sketch, bones, "cloth+")


def _jacket(sketch: Sketch, bones: Skeleton) -> None:
    _sleeves(sketch, bones, 0.94, 1.38)
    sketch.z = Z_TORSO
    sketch.hull("cloth", *_trunk(bones, 1.12, 0.07))
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
        if bones.pose.one_leg and leg is bones.far_leg:
            continue
        sketch.z = z + 1
        ink = "cloth-" if z == Z_FAR_LEG else "cloth"
        joints = [(x, y, w * (1.08 - 0.13 * i)) for i, (x, y) in enumerate(_along(leg, share))]
        sketch.limb(ink, *joints)
    sketch.z = Z_NEAR_LEG + 3
    (hx, hy), b = bones.hip, bones.build
    side = b.hip * (0.4 + 0.6 * bones.pose.turn) * 0.9
    (nx, ny) = bones.neck
    ux, uy = (nx - hx) / b.torso, (ny - hy) / b.torso
    sketch.hull(
        "cloth",
        *(
            (hx + s * side * uy + t * ux, hy - s * side * ux + t * uy, b.hip * 0.72)
            for s in (-1, 1)
            for t in (0.0, 0.06)
        ),
    )


def _pants(sketch: Sketch, bones: Skeleton) -> None:
    _legs(sketch, bones, 0.93, 1.18)


def _shorts(sketch: Sketch, bones: Skeleton) -> None:
    _legs(sketch, bones, 0.44, 1.3)


def _hem(bones: Skeleton, share: float, flare: float) -> list[tuple[float, float, float]]:
    w = bones.build.leg_width * flare
    ends = [_along(bones.near_leg, share)[-1]]
    if not bones.pose.one_leg:
        ends.append(_along(bones.far_leg, share)[-1])
    return [(x, y, w) for x, y in ends]


def _skirt_shape(bones: Skeleton, share: float, flare: float) -> list[tuple[float, float, float]]:
    (hx, hy), b = bones.hip, bones.build
    (nx, ny) = bones.neck
    ux, uy = (nx - hx) / b.torso, (ny - hy) / b.torso
    side = b.hip * (0.3 + 0.7 * bones.pose.turn) * 0.6
    waist = [(hx + s * side * uy + 0.07 * ux, hy - s * side * ux + 0.07 * uy, b.hip * 0.55) for s in (-1, 1)]
    hips = [(x, y, b.leg_width * 1.15) for x, y in (bones.near_leg[0], bones.far_leg[0])]
    return [*waist, *hips, *_hem(bones, share, flare)]


def _skirt(sketch: Sketch, bones: Skeleton) -> None:
    sketch.z = Z_NEAR_LEG + 4
    sketch.hull("cloth", *_skirt_shape(bones, 0.42, 1.75))


def _dress(sketch: Sketch, bones: Skeleton) -> None:
    _sleeves(sketch, bones, 0.22, 1.3)
    sketch.z = Z_TORSO
    sketch.add("cloth", hull(_skirt_shape(bones, 0.5, 2.1)), hull(_trunk(bones, 0.92, 0.0)))
    (nx, ny), (hx, hy), b = bones.neck, bones.hip, bones.build
    ux, uy = (nx - hx) / b.torso, (ny - hy) / b.torso
    side = b.hip * (0.5 + 0.5 * bones.pose.turn)
    at = (hx + 0.1 * ux, hy + 0.1 * uy)
    sketch.line("trim", 0.04, (at[0] - side * uy, at[1] + side * ux), (at[0] + side * uy, at[1] - side * ux))
    _collar(sketch, bones, "trim")


def _apron(sketch: Sketch, bones: Skeleton) -> None:
    sketch.z = Z_TORSO + 3
    (nx, ny), (hx, hy), b = bones.neck, bones.hip, bones.build
    ux, uy = (nx - hx) / b.torso, (ny - hy) / b.torso

    def at(across: float, up: float) -> Point:
        """A point in hip widths across the trunk and metres up from the hips."""
        across *= b.hip * 0.9
        return hx + across * uy + up * ux, hy - across * ux + up * uy

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


def _headwear(*parts: tuple[str, tuple[Point, ...]]) -> Callable[[Sketch, Skeleton], None]:
    def wear(sketch: Sketch, bones: Skeleton) -> None:
        sketch.z = Z_HEAD + 4
        skull = Skull(bones)
        for ink, outline in parts:
            sketch.blob(ink, *skull.all(outline))

    return wear


_DOME: tuple[Point, ...] = (
    (-1.0, 0.42), (-0.98, 0.85), (-0.55, 1.28), (0.0, 1.4), (0.55, 1.26), (0.94, 0.84), (0.96, 0.42), (0.0, 0.36),
)  # fmt: skip

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
    "cap": _headwear(
        ("cloth", _DOME),
        ("cloth-", ((0.3, 0.5), (0.9, 0.56), (1.5, 0.42), (1.58, 0.28), (1.1, 0.3), (0.4, 0.28))),
    ),
    "hat": _headwear(
        ("cloth", ((-0.82, 0.42), (-0.78, 1.0), (-0.6, 1.42), (0.0, 1.34), (0.6, 1.44), (0.8, 1.0), (0.82, 0.42))),
        ("trim", ((-0.84, 0.42), (-0.82, 0.72), (0.0, 0.66), (0.84, 0.72), (0.85, 0.42), (0.0, 0.36))),
        (
            "cloth",
            ((-1.75, 0.6), (-1.0, 0.36), (0.0, 0.26), (1.0, 0.36), (1.75, 0.6), (1.0, 0.58), (0.0, 0.46), (-1.0, 0.58)),
        ),
    ),
    "beanie": _headwear(
        (
            "cloth",
            ((-0.98, 0.4), (-0.98, 0.95), (-0.5, 1.42), (0.0, 1.54), (0.5, 1.4), (0.94, 0.94), (0.96, 0.4), (0, 0.36)),
        ),
        ("trim", ((-1.04, 0.3), (-1.06, 0.66), (0.0, 0.6), (1.02, 0.66), (1.02, 0.3), (0.0, 0.24))),
        (
            "trim",
            tuple(
                (0.0 + 0.24 * x, 1.66 + 0.24 * y)
                for x, y in ((1, 0), (0.7, 0.7), (0, 1), (-0.7, 0.7), (-1, 0), (-0.7, -0.7), (0, -1), (0.7, -0.7))
            ),
        ),
    ),
    "helmet": _headwear(
        (
            "cloth",
            (
                (-1.08, 0.3),
                (-1.12, 0.85),
                (-0.7, 1.36),
                (0.0, 1.54),
                (0.7, 1.38),
                (1.1, 0.86),
                (1.16, 0.44),
                (0.6, 0.5),
                (0, 0.44),
                (-0.6, 0.3),
            ),
        ),
        ("trim", ((-0.2, 1.5), (-0.12, 0.9), (0.0, 0.5), (0.12, 0.9), (0.2, 1.5), (0.0, 1.53))),
    ),
}
