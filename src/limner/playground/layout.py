"""Where groups go in the picture: depth makes size and height, and nothing important is hidden."""

from __future__ import annotations

from random import Random

from limner.playground.scene import Group, Scene
from limner.playground.settings import Setting

Rect = tuple[float, float, float, float]


class Layout:
    """The picture's ground plane, and what has been put on it so far."""

    OVER = 0.3
    """The share of its width that scenery may reach beyond the picture's edge."""

    def __init__(self, rng: Random, scene: Scene, setting: Setting) -> None:
        self.rng = rng
        self.scene = scene
        self.width, self.height = scene.width, scene.height
        self.unit = min(scene.height, 0.75 * scene.width)
        self.near, self.far = setting.near * self.unit, setting.far * self.unit
        self.taken: list[tuple[Rect, float, bool]] = []
        """The extents of groups that are placed, the row of their feet, and whether they are events."""

    def scale_at(self, row: float) -> float:
        """Pixels to the metre for feet on that row."""
        share = (row - self.scene.horizon) / (self.height - self.scene.horizon)
        return self.far + (self.near - self.far) * max(0.0, share)

    def event(self, group: Group, first: bool) -> bool:
        """Place what the scene is about, near and unhidden; whether there was room."""
        if group.where == "water":
            return self._stand(group, self._row_on_water(), 5, 0.2, True)
        low, high = {"far": (0.3, 0.55), "shore": (0.0, 0.06)}.get(group.where, (0.6, 0.97) if first else (0.3, 0.92))
        return self._stand(group, self._row(low, high), 6, 0.25, True)

    def prop(self, group: Group, *, eager: bool = False) -> bool:
        """Place what merely stands about; it is left out where it would hide others or be hidden."""
        back = "back" in group.things[0].kind.traits
        low, high = (0.0, 0.3) if back else (0.12, 0.98)
        if eager:
            low, high = (0.3, 0.7) if back else (0.45, 0.95)
        return self._stand(group, self._row(low, high), 8 if eager else 4, 0.5, eager)

    def afloat(self, group: Group) -> bool:
        return self._stand(group, self._row_on_water(), 4, 0.4, False)

    def aloft(self, group: Group, indoor: bool) -> bool:
        """Hang it on the wall or in the sky."""
        span = group.span()
        top = span[3]
        luck = self.rng.random
        if indoor:
            scale = self.far * 1.05
            row = self.height * (0.04 + 0.1 * luck()) + top * scale
        else:
            small = group.things[0].kind.name in ("bird", "butterfly", "owl")
            scale = self.unit * (0.2 if small else 0.13) * (0.75 + 0.6 * luck())
            row = self.scene.horizon * (0.03 + 0.5 * luck()) + top * scale
        return self._put(group, span, row, scale, 5, 0.15, False)

    def _row(self, low: float, high: float) -> float:
        start = max(self.scene.horizon, self.scene.shore) + 0.015 * self.height
        share = low + (high - low) * self.rng.random()
        return start + share * (self.height * 0.985 - start)

    def _row_on_water(self) -> float:
        scene = self.scene
        return scene.horizon + (0.3 + 0.6 * self.rng.random()) * (scene.shore - scene.horizon)

    def _stand(self, group: Group, row: float, tries: int, tolerance: float, event: bool) -> bool:
        """Put it on a row at that row's scale, smaller where it would not fit into the picture."""
        span = group.span()
        x0, bottom, x1, top = span
        scale = self.scale_at(row)
        row = min(row, self.height * 0.995 + bottom * scale)
        room = min(self.width * 0.97 / (x1 - x0), row * 0.985 / max(top, 0.1))
        if room < scale:
            if room < scale * 0.62:
                return False
            scale = room
        return self._put(group, span, row, scale, tries, tolerance, event)

    def _put(
        self, group: Group, span: Rect, row: float, scale: float, tries: int, tolerance: float, event: bool
    ) -> bool:
        """Put it where it hides and is hidden least; False where even that is too much."""
        random = self.rng.random
        flip = random() < 0.5
        x0, bottom, x1, top = span
        if flip:
            x0, x1 = -x1, -x0
        over = self.OVER * (x1 - x0) * scale if not event and "scenery" in group.things[0].kind.traits else 0.0
        left, right = -x0 * scale - over, self.width - x1 * scale + over
        flat = group.things[0].kind.figure == "rug"
        best, best_x = 9.0, 0.0
        for _ in range(tries):
            x = left + (right - left) * random()
            rect = (x + x0 * scale, row - top * scale, x + x1 * scale, row - bottom * scale)
            cost = 0.0 if flat else self._cost(rect, row)
            if cost < best:
                best, best_x = cost, x
                if cost == 0:
                    break
        if best > tolerance:
            return False
        group.put(best_x, row, scale, flip, self.width, self.height)
        if not flat:
            rect = (best_x + x0 * scale, row - top * scale, best_x + x1 * scale, row - bottom * scale)
            self.taken.append((rect, row, event))
        self.scene.groups.append(group)
        return True

    def _cost(self, rect: Rect, row: float) -> float:
        """How much of others it would hide, counting events thrice, and how much of it would be hidden."""
        cost = 0.0
        x0, y0, x1, y1 = rect
        for (a0, b0, a1, b1), other_row, event in self.taken:
            w = (x1 if x1 < a1 else a1) - (x0 if x0 > a0 else a0)
            h = (y1 if y1 < b1 else b1) - (y0 if y0 > b0 else b0)
            if w > 0 and h > 0:
                if row > other_row:
                    cost += (3 if event else 1) * w * h / ((a1 - a0) * (b1 - b0))
                else:
                    cost += w * h / ((x1 - x0) * (y1 - y0))
        return cost
