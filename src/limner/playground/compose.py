"""Composing a scene: a setting, what happens there, what stands about, and where everything goes.

Depth gives size and height, and nothing important is hidden.
"""

from __future__ import annotations

from random import Random

from limner.playground.catalogue import KINDS, with_trait
from limner.playground.events import EVENTS
from limner.playground.scene import Group, Scene, Thing
from limner.playground.scene_settings import SETTINGS, Setting, Wheel, wheel
from limner.playground.stage import Missing, Stage

_SETTINGS = Wheel({setting.name: setting.weight for setting in SETTINGS.values()})
_LIGHTS = Wheel({"day": 60.0, "overcast": 14.0, "sunset": 14.0, "morning": 12.0})
_N_EVENTS = Wheel({1: 56.0, 2: 40.0, 3: 4.0})
_N_PROPS = Wheel({0: 8.0, 1: 34.0, 2: 36.0, 3: 17.0, 4: 5.0})
_N_ALOFT = Wheel({0: 50.0, 1: 40.0, 2: 10.0})


def compose(
    rng: Random,
    seed: str,
    size: tuple[int, int] = (640, 480),
    allowed: frozenset[str] | None = None,
    wanted: str | None = None,
) -> Scene:
    """A scene from a random generator, of allowed classes only.

    `wanted` is a class that ought to be in it: the setting suits it, and if no
    event brings it along it stands about in plain view. `seed` is kept for
    what drawing leaves to chance.
    """
    width, height = size
    name = _setting_for(rng, wanted) if wanted is not None else _SETTINGS.spin(rng)
    setting = SETTINGS[name]
    light = "day" if setting.indoor else _LIGHTS.spin(rng)
    low, high = setting.horizon
    horizon = height * (low + (high - low) * rng.random())
    scene = Scene(seed, name, light, width, height, horizon, max(horizon, height * setting.shore))
    stage = Stage(rng, name, allowed)
    layout = Layout(rng, scene, setting)
    # Drawn before anything is placed, so that how much there is does not depend on what fitted.
    n_events, n_props, n_aloft = _N_EVENTS.spin(rng), _N_PROPS.spin(rng), _N_ALOFT.spin(rng)
    _events(stage, layout, n_events)
    if wanted is not None and not _holds(scene, wanted):
        _show(stage, layout, wanted)
    _props(stage, layout, n_props)
    _aloft(stage, layout, n_aloft)
    if setting.shore and rng.random() < 0.55:
        _afloat(stage, layout)
    finish(scene)
    return scene


def finish(scene: Scene) -> None:
    """Order the groups from back to front, and number the things by their boxes."""
    scene.groups.sort(key=_depth)
    things = [t for group in scene.groups for t in group.members()]
    things.sort(key=_position)
    for number, thing in enumerate(things):
        thing.number = number
    scene.things = things


def _depth(group: Group) -> tuple[int, float]:
    first = group.things[0].kind.name
    if group.where == "aloft":
        # The sun is behind the clouds, and both are behind all else.
        return (0 if first == "sun" else 1), 0.0
    # What lies flat is under whatever stands, even nearer to us.
    return (2 if group.things[0].kind.figure == "rug" and len(group.things) == 1 else 3), group.y


def _position(thing: Thing) -> tuple[int, int, int, int, str, str]:
    # Class and colour break ties, so that numbers do not depend on the order of composing.
    return (*thing.box, thing.kind.name, thing.colour)


def _events(stage: Stage, layout: Layout, count: int) -> None:
    choices = wheel(stage.setting.name, "events", None)
    placed, before = 0, ""
    # With few classes allowed most events cannot take place, and more of them are tried.
    for _ in range(count + 2 if stage.allowed is None else count + 14):
        name = choices.spin(stage.rng)
        # Twice the same event side by side would be seen as one.
        if name == before:
            continue
        try:
            group = EVENTS[name](stage)
        except Missing:
            continue
        if layout.event(group, placed == 0):
            placed, before = placed + 1, name
            if placed == count:
                return


def _props(stage: Stage, layout: Layout, count: int) -> None:
    choices = wheel(stage.setting.name, "props", stage.allowed)
    if not choices:
        return
    for _ in range(count):
        name = choices.spin(stage.rng)
        if name not in SINGLE or not _holds(layout.scene, name):
            layout.prop(prop(stage, name))


def _holds(scene: Scene, name: str) -> bool:
    return any(thing.kind.name == name for group in scene.groups for thing in group.members())


def prop(stage: Stage, name: str) -> Group:
    """A thing by itself, standing about; a table may have something on it."""
    thing = stage.thing(name, SNOWY.get(name) if stage.setting.name == "snow" else None)
    thing.flip = stage.chance(0.5)
    group = Group(thing)
    if KINDS[name].type == "animals":
        group.say({"graze": "graze", "sit": "sit", "lie": "lie", "walk": "walk"}.get(thing.pose, "stand"), thing)
    elif name in ("car", "truck", "bus", "tractor", "motorcycle", "bicycle"):
        group.say("park", thing)
    elif name == "table" and stage.chance(0.7):
        menu = [m for m in ("cup", "bowl", "bottle", "cake", "potted plant", "book", "apple", "bread") if stage.can(m)]
        if menu:
            item = stage.thing(stage.pick(menu))
            item.on = thing
            group.add(item.move(stage.between(-0.35, 0.35), thing.anchor("top")[1] - 0.03, 1.0))
    return group


SNOWY = {"pine tree": "snowy"}


def _show(stage: Stage, layout: Layout, name: str) -> None:
    """Put a wanted class in plain view, one to three of it."""
    kind = KINDS[name]
    for _ in range(6):
        if name in SMALL:
            table = stage.thing("table") if stage.can("table") else None
            item = stage.thing(name)
            group = Group(table, item.move(stage.between(-0.3, 0.3), 0.72, 1.0)) if table else Group(item)
            item.on = table
        elif kind.type == "people":
            person = stage.person("stand", who=(name,))
            group = Group(person).say("stand", person)
        elif name in FLYING:
            group = sky_group(stage, name)
            if layout.aloft(group, False):
                return
            continue
        elif kind.figure == "garment":
            wearer = stage.person("stand", wear=(name,) if kind.name in ACCESSORIES else ())
            group = Group(wearer).say("stand", wearer)
            if not any(garment.kind is kind for garment in wearer.garments):
                continue
        else:
            group = prop(stage, name)
        if layout.prop(group, eager=True):
            return


SMALL = with_trait("small")
FLYING = with_trait("flying")
ACCESSORIES = with_trait("accessory")
SINGLE = with_trait("single")


def sky_group(stage: Stage, name: str) -> Group:
    """What flies or hangs, by itself; birds come in flocks."""
    count = stage.pick((1, 1, 2, 3)) if name == "bird" else 1
    group, x = Group(where="aloft"), 0.0
    for i in range(count):
        # A size other than 1 keeps `thing` from drawing one at random: far away no size is striking.
        thing = stage.thing(name, "fly" if name == "bird" else None, size=1.0001)
        thing.aloft = True
        group.add(thing.move(x, 0.18 * (i % 2)))
        x += 0.95
    if name in ("bird", "airplane", "helicopter", "hot air balloon", "butterfly"):
        group.say("fly" if name != "hot air balloon" else "float", *group.things)
    return group


def _aloft(stage: Stage, layout: Layout, count: int) -> None:
    choices = wheel(stage.setting.name, "aloft", stage.allowed)
    if not choices:
        return
    indoor = stage.setting.indoor or stage.setting.name == "cafe"
    seen: set[str] = set()
    for _ in range(count):
        name = choices.spin(stage.rng)
        if name in seen and name != "cloud":
            continue
        seen.add(name)
        group = sky_group(stage, name)
        layout.aloft(group, indoor)


def _afloat(stage: Stage, layout: Layout) -> None:
    choices = wheel(stage.setting.name, "afloat", stage.allowed)
    if not choices:
        return
    name = choices.spin(stage.rng)
    group = Group(where="water")
    for i in range(stage.pick((1, 1, 2, 3)) if name == "duck" else 1):
        group.add(stage.thing(name, "swim" if name == "duck" else None).move(i * 0.85, 0.1 * (i % 2)))
    group.say("swim" if name == "duck" else "sail", *group.things)
    layout.afloat(group)


def _setting_for(rng: Random, wanted: str) -> str:
    """A setting that a class is at home in."""
    homes = {
        s.name: s.weight for s in SETTINGS.values() if any(wanted in s.offers[f] for f in ("props", "aloft", "afloat"))
    }
    if not homes:
        indoors = wanted in SMALL
        homes = {s.name: s.weight for s in SETTINGS.values() if s.indoor == indoors and s.name != "stage"}
    return Wheel(homes).spin(rng)


Rect = tuple[float, float, float, float]


class Layout:
    """The picture's ground plane, and what has been put on it so far."""

    # The share of its width that scenery may reach beyond the picture's edge.
    OVER = 0.3

    def __init__(self, rng: Random, scene: Scene, setting: Setting) -> None:
        self.rng = rng
        self.scene = scene
        self.width, self.height = scene.width, scene.height
        # Portrait formats are measured by their width, or people would not fit side by side.
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
            # Any smaller, it would look farther away than where it stands.
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
        # Scenery may be cut off by the picture's edge; what the scene is about may not.
        over = self.OVER * (x1 - x0) * scale if not event and "scenery" in group.things[0].kind.traits else 0.0
        left, right = -x0 * scale - over, self.width - x1 * scale + over
        flat = group.things[0].kind.figure == "rug"
        # More than any tolerance.
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
            # Comparisons rather than min and max: this runs for every try of every group.
            w = (x1 if x1 < a1 else a1) - (x0 if x0 > a0 else a0)
            h = (y1 if y1 < b1 else b1) - (y0 if y0 > b0 else b0)
            if w > 0 and h > 0:
                if row > other_row:
                    cost += (3 if event else 1) * w * h / ((a1 - a0) * (b1 - b0))
                else:
                    cost += w * h / ((x1 - x0) * (y1 - y0))
        return cost
