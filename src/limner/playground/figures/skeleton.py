"""How people are built and how they hold themselves: joints from builds and poses."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin
from typing import NamedTuple

from limner.playground.figures.shape import Point


class Build(NamedTuple):
    """Lengths in metres; `head` is half the head's height."""

    leg: float
    torso: float
    arm: float
    head: float
    shoulder: float
    hip: float
    arm_width: float
    leg_width: float


BUILDS: dict[str, Build] = {
    "man": Build(0.76, 0.54, 0.58, 0.168, 0.180, 0.095, 0.052, 0.075),
    "woman": Build(0.74, 0.50, 0.54, 0.163, 0.148, 0.098, 0.043, 0.068),
    "boy": Build(0.46, 0.37, 0.40, 0.158, 0.122, 0.075, 0.040, 0.058),
    "girl": Build(0.45, 0.35, 0.38, 0.156, 0.112, 0.078, 0.036, 0.053),
}


class Pose(NamedTuple):
    """Angles in degrees: 0 hangs down, 90 points forward, 180 up, negative back.

    Arms and legs are (upper, lower), the near one first. `turn` is how much of
    the body's breadth shows: 1 from the front, less from the side. `lean` tips
    the trunk forward, `roll` the whole body (90 lies on its back). `base` says
    what of the body rests on the ground: its `feet`, its `seat`, or `all`.
    """

    near_arm: tuple[float, float] = (-14, -4)
    far_arm: tuple[float, float] = (14, 4)
    near_leg: tuple[float, float] = (-5, -3)
    far_leg: tuple[float, float] = (5, 3)
    turn: float = 1.0
    lean: float = 0.0
    roll: float = 0.0
    base: str = "feet"
    one_leg: bool = False
    shortened: bool = False
    nod: float = 0.0


POSES: dict[str, Pose] = {
    "stand": Pose(),
    "hands on hips": Pose(near_arm=(-48, 42), far_arm=(48, -42)),
    "wave": Pose(far_arm=(128, 165)),
    "walk": Pose((-24, -8), (24, 44), (-20, -26), (22, 12), turn=0.6),
    "run": Pose((-50, 30), (42, 118), (-30, -92), (58, 2), turn=0.5, lean=10),
    "jump": Pose((-140, -165), (140, 165), (-38, -70), (38, 4), lean=2),
    "hold": Pose((-12, -2), (38, 112), turn=0.8),
    "hold out": Pose((-12, -2), (58, 84), turn=0.8),
    "hold up": Pose((-14, -4), (112, 158), turn=0.8),
    "carry": Pose((28, 86), (42, 94), turn=0.6),
    "read": Pose((20, 100), (34, 112), turn=0.6, nod=-6),
    "eat": Pose((-12, -2), (40, 205), turn=0.7),
    "shelter": Pose((-12, -2), (20, 165), turn=0.8),
    "haul": Pose((22, 34), (30, 40), (-20, -26), (22, 12), turn=0.5, lean=6),
    "throw": Pose((-112, -168), (74, 88), (-22, -12), (26, 6), turn=0.6, lean=-6),
    "catch": Pose((72, 112), (94, 122), (-14, -8), (14, 6), turn=0.6),
    "kick": Pose((40, 70), (-44, -14), (-9, -16), (58, 34), turn=0.6, lean=-10),
    "push": Pose((56, 84), (66, 88), (-24, -34), (26, 4), turn=0.5, lean=10),
    "reach down": Pose((28, 46), (46, 60), (-12, -6), (14, 2), turn=0.5, lean=20),
    "point": Pose((-12, -2), (94, 92), turn=0.7),
    "strum": Pose((-6, 84), (42, 112), turn=0.9),
    "bow": Pose((30, 118), (84, 150), turn=0.8),
    "drum": Pose((14, 66), (34, 72), turn=0.8),
    "blow": Pose((60, 140), (80, 140), turn=0.6),
    "cook": Pose((16, 70), (40, 78), turn=0.8),
    "photograph": Pose((50, 146), (60, 146), turn=0.6),
    "skate": Pose((-66, -54), (66, 80), (-26, 8), (30, -4), turn=0.6, lean=8),
    "ski": Pose((22, 66), (36, 78), (18, -14), (30, -4), turn=0.5, lean=16),
    "surf": Pose((-82, -76), (76, 92), (-40, -6), (44, 4), turn=0.7, lean=4),
    "sit": Pose((-12, 22), (12, -22), (-16, -3), (16, 3), base="seat", shortened=True),
    "sit reading": Pose((14, 98), (-14, -98), (-12, -3), (12, 3), base="seat", shortened=True, nod=-4),
    "sit eating": Pose((-10, 24), (40, 205), (-14, -3), (14, 3), base="seat", shortened=True),
    "sit strumming": Pose((-6, 84), (42, 112), (-16, -3), (18, 3), base="seat", shortened=True),
    "sit sideways": Pose((18, 62), (24, 70), (82, 4), (86, 10), turn=0.5, base="seat"),
    "sit on ground": Pose((-24, -18), (26, 50), (78, 92), (62, 112), turn=0.6, lean=-8, base="seat"),
    "sit cross-legged": Pose((-10, 34), (10, -34), (-74, 72), (74, -72), base="seat"),
    "kneel": Pose((34, 62), (46, 70), (38, -88), (62, -84), turn=0.5, lean=14),
    "ride": Pose((24, 74), (32, 80), (42, -8), (42, -8), turn=0.5, lean=4, base="seat", one_leg=True),
    "cycle": Pose((52, 64), (58, 70), (66, -18), (30, -16), turn=0.45, lean=26, base="seat"),
    "motor": Pose((46, 78), (52, 82), (72, -16), (72, -16), turn=0.45, lean=12, base="seat", one_leg=True),
    "lie": Pose((-8, 6), (20, 40), (-4, 4), (8, 20), turn=0.6, roll=90, base="all"),
}


Limb = tuple[Point, Point, Point]


class Skeleton(NamedTuple):
    """Where a body's joints are, in metres, origin at its base."""

    build: Build
    pose: Pose
    hip: Point
    neck: Point
    head: Point
    near_arm: Limb
    far_arm: Limb
    near_leg: Limb
    far_leg: Limb
    tilt: float
    """The head's turn in degrees, anticlockwise."""

    @property
    def up(self) -> Point:
        """The way from hips to neck, a metre of it."""
        (nx, ny), (hx, hy) = self.neck, self.hip
        return (nx - hx) / self.build.torso, (ny - hy) / self.build.torso

    def trunk(self, across: float, up: float) -> Point:
        """The point so many metres across the trunk, towards the far side, and up it from the hips."""
        (hx, hy), (ux, uy) = self.hip, self.up
        return hx + across * uy + up * ux, hy - across * ux + up * uy


@cache
def skeleton(build_name: str, pose_name: str) -> Skeleton:
    """The joints of a build in a pose, facing right."""
    build, pose = BUILDS[build_name], POSES[pose_name]
    lean = -pose.lean
    up = _turned((0, 1), lean)
    across = _turned((1, 0), lean)
    neck = (build.torso * up[0], build.torso * up[1])
    # Whoever leans forward still looks ahead, so the head leans half as much.
    tilt = lean * 0.5 + pose.nod
    skull = _turned((0, 1), tilt)
    head = (neck[0] + (build.head + 0.045) * skull[0], neck[1] + (build.head + 0.045) * skull[1])
    breadth = build.shoulder * (0.35 + 0.65 * pose.turn)
    top = (neck[0] - 0.055 * up[0], neck[1] - 0.055 * up[1])
    hips = build.hip * (0.3 + 0.7 * pose.turn)
    # Seated and seen from the front, thighs point at us.
    thigh = 0.2 if pose.shortened else 0.5
    joints = [
        (0.0, 0.0),
        neck,
        head,
        *_chain((top[0] - breadth * across[0], top[1] - breadth * across[1]), build.arm, pose.near_arm, 0.5),
        *_chain((top[0] + breadth * across[0], top[1] + breadth * across[1]), build.arm, pose.far_arm, 0.5),
        *_chain((-hips, 0.0), build.leg, pose.near_leg, thigh),
        *_chain((hips, 0.0), build.leg, pose.far_leg, thigh),
    ]
    joints = [_turned(p, pose.roll) for p in joints]
    joints = _on_base(joints, build, pose)
    j = joints
    return Skeleton(
        build,
        pose,
        j[0],
        j[1],
        j[2],
        (j[3], j[4], j[5]),
        (j[6], j[7], j[8]),
        (j[9], j[10], j[11]),
        (j[12], j[13], j[14]),
        tilt + pose.roll,
    )


def _on_base(joints: list[Point], build: Build, pose: Pose) -> list[Point]:
    if pose.base == "seat":
        drop = -build.leg_width
    elif pose.base == "all":
        drop = min(y for _, y in joints) - build.shoulder * 0.55
    else:
        # On the lower of both feet, half a shoe above the ground.
        drop = min(joints[11][1], joints[14][1]) - build.leg_width * 0.55
    return [(x, y - drop) for x, y in joints]


def _chain(start: Point, length: float, angles: tuple[float, float], share: float) -> list[Point]:
    """Start, middle and end of a limb; `share` of its length is above the middle joint."""
    upper, lower = angles
    reach = length if share >= 0.5 else length * (share + 0.5)
    a, b = (length * share, reach - length * share)
    middle = (start[0] + a * sin(upper * pi / 180), start[1] - a * cos(upper * pi / 180))
    return [start, middle, (middle[0] + b * sin(lower * pi / 180), middle[1] - b * cos(lower * pi / 180))]


def _turned(p: Point, degrees: float) -> Point:
    c, s = cos(degrees * pi / 180), sin(degrees * pi / 180)
    return p[0] * c - p[1] * s, p[0] * s + p[1] * c
