"""Animals by themselves and with people, and vehicles on their way."""

from __future__ import annotations

from collections.abc import Callable

from limner.playground.catalogue import CHILDREN, KINDS
from limner.playground.scene import Group, Thing
from limner.playground.stage import Stage

FAUNA: dict[str, tuple[str, ...]] = {
    "park": ("dog", "dog", "cat", "duck", "squirrel", "rabbit", "bird"),
    "beach": ("dog", "dog", "bird", "duck"),
    "street": ("dog", "cat", "bird"),
    "farm": ("cow", "cow", "sheep", "sheep", "horse", "horse", "pig", "goat", "chicken", "duck"),
    "snow": ("penguin", "penguin", "deer", "fox", "bear", "dog", "rabbit"),
    "forest": ("bear", "bear", "deer", "deer", "fox", "rabbit", "squirrel", "owl"),
    "lake": ("duck", "duck", "deer", "dog"),
    "savanna": ("elephant", "elephant", "giraffe", "giraffe", "zebra", "zebra", "lion", "lion"),
}
INDOORS = ("cat", "dog", "rabbit")


def wild_animal(st: Stage) -> Thing:
    """Some animal of the place, standing about."""
    return st.thing(st.pick_available(*FAUNA.get(st.setting.name, INDOORS)))


def animals(st: Stage) -> Group:
    name = st.pick_available(*FAUNA.get(st.setting.name, INDOORS))
    count = st.pick((1, 1, 2, 2, 3, 4) if "herd" in KINDS[name].traits else (1, 1, 1, 2))
    pose = st.pick(POSES.get(name, ("stand",)))
    colour: str | None = None
    group, x = Group(), 0.0
    flip = st.chance(0.5)
    for i in range(count):
        beast = st.thing(name, pose, colour=colour)
        # Herds are often of one colour.
        if st.chance(0.6):
            colour = beast.colour
        # A herd on the move goes one way.
        beast.flip = flip if pose in ("run", "walk") else st.chance(0.5)
        x0, _, x1, _ = beast.span()
        group.add(beast.move(x - x0, 0.06 * (i % 3), -(i % 3)))
        x += (x1 - x0) * st.between(0.85, 1.1)
    return group.say(pose, *group.things)


POSES: dict[str, tuple[str, ...]] = {
    "dog": ("stand", "sit", "lie", "run", "run", "walk"),
    "cat": ("stand", "sit", "lie", "walk"),
    "cow": ("stand", "graze", "graze", "lie"),
    "horse": ("stand", "graze", "walk", "run"),
    "sheep": ("stand", "graze", "graze", "walk"),
    "goat": ("stand", "graze", "walk"),
    "pig": ("stand", "walk"),
    "zebra": ("stand", "graze", "walk", "run"),
    "elephant": ("stand", "walk"),
    "giraffe": ("stand", "walk"),
    "lion": ("stand", "walk", "lie"),
    "bear": ("stand", "walk"),
    "fox": ("stand", "walk", "run"),
    "deer": ("stand", "graze", "walk", "run"),
    "rabbit": ("sit", "run"),
    "squirrel": ("sit",),
}


def chase(st: Stage) -> Group:
    # A dog after a ball is the commonest sight.
    pairs = "dog:cat dog:ball dog:ball cat:bird dog:rabbit person:dog cat:butterfly dog:duck"
    hunter, _, prey = st.pick(pairs.split()).partition(":")
    first = st.person("run", who=CHILDREN) if hunter == "person" else st.thing(hunter, "run")
    second = st.thing(prey, "run" if prey in ("cat", "dog", "rabbit") else "fly" if prey == "bird" else None)
    lift = st.between(0.35, 0.7) if prey in ("bird", "butterfly") else 0.0
    gap = first.bounds[2] * first.size + 0.35 - second.bounds[0] * second.size
    second.move(gap + st.between(0.0, 0.4), lift, -0.1)
    return Group(first, second).say("chase", first, object=second)


def feed(st: Stage) -> Group:
    pool = {
        "farm": ("horse", "horse", "cow", "goat", "goat", "sheep", "chicken", "pig"),
        "lake": ("duck", "duck", "duck"),
        "park": ("duck", "squirrel", "bird", "duck"),
        "forest": ("deer", "squirrel", "rabbit"),
    }
    name = st.pick_available(*pool.get(st.setting.name, INDOORS))
    feeder = st.person("hold out" if "tall" in KINDS[name].traits else "reach down")
    group = Group(feeder)
    fed: list[Thing] = []
    hand = feeder.anchor("far_hand")[0]
    for i in range(st.pick((1, 2, 3)) if name in ("duck", "chicken", "bird") else 1):
        beast = st.thing(name, "stand" if name not in ("rabbit", "squirrel") else "sit")
        beast.flip = True
        reach = hand + 0.16 - beast.span()[0] + i * 0.7
        fed.append(group.add(beast.move(reach, -0.04 * i, 0.5 + i)))
    return group.say_all("feed", feeder, fed)


def pet(st: Stage) -> Group:
    name = (
        st.pick_available("dog", "dog", "cat")
        if st.setting.name != "farm"
        else st.pick_available("horse", "goat", "dog", "sheep")
    )
    owner = st.person("hold out" if "tall" in KINDS[name].traits else st.pick(("reach down", "kneel")))
    beast = st.thing(name, "sit" if name in ("dog", "cat") else "stand")
    beast.flip = True
    beast.move(owner.anchor("far_hand")[0] - 0.05 - beast.span()[0], 0.0, 0.5)
    return Group(owner, beast).say("pet", owner, object=beast)


def look(st: Stage) -> Group:
    watcher = st.person(st.pick(("stand", "point", "hands on hips")))
    beast = wild_animal(st)
    beast.flip = st.chance(0.7)
    beast.move(st.between(1.1, 1.6) - beast.span()[0], 0.1, -0.5)
    verb = "point at" if watcher.pose == "point" else "look at"
    return Group(watcher, beast).say(verb, watcher, object=beast)


def traffic(st: Stage) -> Group:
    name = st.pick_available("car", "car", "car", "bus", "truck", "train", "motorcycle")
    if name == "motorcycle":
        name = st.pick_available("car", "bus")
    vehicle = st.thing(name)
    group = Group(vehicle)
    if name == "train":
        return group.say("drive", vehicle)
    if st.chance(0.4):
        follower = st.thing(st.pick_available("car", "car", "truck"))
        gap = vehicle.span()[2] - follower.span()[0] + st.between(0.3, 0.6)
        group.add(follower.move(gap))
        return group.say(st.pick(("drive", "park")), vehicle, follower)
    return group.say(st.pick(("drive", "park")), vehicle)


EVENTS: dict[str, Callable[[Stage], Group]] = {
    "animals": animals,
    "chase": chase,
    "feed": feed,
    "pet": pet,
    "pet indoors": pet,
    "look": look,
    "traffic": traffic,
}
