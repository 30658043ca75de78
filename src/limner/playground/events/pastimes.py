"""Sport and music: riding, throwing, kicking, running, playing alone and in bands."""

from __future__ import annotations

from collections.abc import Callable

from limner.playground.catalogue import ADULTS, CHILDREN, PEOPLE
from limner.playground.figures.people import Z_HELD
from limner.playground.scene import Group, Thing
from limner.playground.stage import Stage

RIDES: dict[str, tuple[str, ...]] = {
    "street": ("bicycle", "bicycle", "motorcycle", "motorcycle", "scooter", "skateboard"),
    "park": ("bicycle", "bicycle", "bicycle", "scooter", "skateboard", "horse"),
    "beach": ("horse", "horse", "bicycle"),
    "farm": ("horse", "horse", "bicycle"),
    "forest": ("bicycle", "horse"),
    "savanna": ("elephant", "horse"),
    "lake": ("bicycle", "horse"),
}


def ride(st: Stage) -> Group:
    mount = st.pick_available(*RIDES.get(st.setting.name, ("bicycle",)))
    return {
        "bicycle": _ride_bicycle,
        "motorcycle": _ride_motorcycle,
        "scooter": _ride_scooter,
        "skateboard": skate,
        "horse": _ride_animal,
        "elephant": _ride_animal,
    }[mount](st, mount)


def _ride_bicycle(st: Stage, mount: str) -> Group:
    helmet = ("helmet",) if st.chance(0.6) else ()
    rider = st.person("cycle", wear=helmet)
    # Children ride children's bicycles.
    size = 0.68 if rider.kind.name in CHILDREN else 1.0
    bike = st.thing(mount, size=size)
    rider.move(*bike.anchor("seat"), 1.0)
    return Group(bike, rider).say("ride", rider, object=bike)


def _ride_motorcycle(st: Stage, mount: str) -> Group:
    rider = st.person("motor", who=ADULTS, wear=("helmet",) if st.chance(0.8) else ())
    bike = st.thing(mount)
    rider.move(*bike.anchor("seat"), 1.0)
    return Group(bike, rider).say("ride", rider, object=bike)


def _ride_scooter(st: Stage, mount: str) -> Group:
    rider = st.person("carry", who=CHILDREN, wear=("helmet",) if st.chance(0.5) else ())
    scooter = st.thing(mount, size=0.74)
    hand, bar = rider.anchor("far_hand"), scooter.anchor("bar")
    rider.move(bar[0] - hand[0] + 0.06, scooter.anchor("deck")[1], 1.0)
    return Group(scooter, rider).say("ride", rider, object=scooter)


def skate(st: Stage, mount: str = "skateboard") -> Group:
    rider = st.person("skate", wear=("helmet",) if st.chance(0.4) else ())
    board = st.thing(mount, size=0.8 if rider.kind.name in CHILDREN else 1.0)
    rider.move(0.0, board.anchor("deck")[1] - 0.01, 1.0)
    return Group(board, rider).say("ride board", rider, object=board)


def _ride_animal(st: Stage, mount: str) -> Group:
    gait = st.pick(("stand", "walk", "walk", "run"))
    if mount == "elephant":
        # A size other than 1, or `thing` would draw one and the saddle would not fit the rider.
        animal = st.thing(mount, "walk", size=1.0001)
    else:
        animal = st.thing(mount, f"saddled {gait}", size=1.0001)
    rider = st.person("ride", wear=("helmet",) if st.chance(0.3) else ("hat",) if st.chance(0.4) else ())
    saddle = animal.anchor("saddle")
    rider.move(saddle[0], saddle[1] - 0.03, 1.0)
    return Group(animal, rider).say("ride", rider, object=animal)


def throw(st: Stage) -> Group:
    toy = st.pick_available("ball", "ball", "frisbee")
    thrower = st.person("throw")
    flying = st.thing(toy)
    tall = thrower.anchor("head")[1]
    group = Group(thrower)
    partner = st.pick(("", "person", "person", "dog"))
    if partner == "person":
        catcher = st.person("catch", who=CHILDREN if thrower.kind.name in CHILDREN else PEOPLE)
        catcher.flip = True
        group.add(catcher.move(2.6, 0.0, 0.5))
        flying.move(1.35, tall * 0.95 + st.between(0, 0.3), 1.0)
        group.say("throw", thrower, object=flying, other=catcher)
        group.say("play with", thrower, catcher, object=flying)
        group.say("catch", catcher, object=flying)
    elif partner == "dog" and st.can("dog"):
        dog = st.thing("dog", "run").move(2.3, 0.0, 0.5)
        dog.flip = st.chance(0.5)
        group.add(dog)
        flying.move(1.3, tall * 0.9, 1.0)
        group.say("throw", thrower, object=flying, other=dog)
        group.say("play with", thrower, object=dog)
    else:
        flying.move(0.95, tall * 1.0, 1.0)
        group.say("throw", thrower, object=flying)
    group.add(flying)
    return group


def kick(st: Stage) -> Group:
    kicker = st.person("kick")
    ball = st.thing("ball", "soccer", colour="white").move(0.95, st.between(0.0, 0.25), 1.0)
    group = Group(kicker, ball).say("kick", kicker, object=ball)
    if st.chance(0.45):
        rival = st.person(st.pick(("run", "run", "stand")), who=CHILDREN if kicker.kind.name in CHILDREN else PEOPLE)
        rival.flip = True
        group.add(rival.move(2.3, 0.0, 0.2))
        group.say("play with", kicker, rival, object=ball)
    return group


def fly_kite(st: Stage) -> Group:
    flyer = st.person("hold up")
    kite = st.thing("kite", size=0.85).move(st.between(0.9, 1.3), flyer.anchor("head")[1] + st.between(0.55, 0.75), 1.0)
    group = Group(flyer, kite, where="far").say("fly kite", flyer, object=kite)
    st.string(group, flyer, "far_hand", kite, "string", 0.05, "#f4f1ea")
    return group


def run(st: Stage) -> Group:
    runners = st.people("run", st.pick((1, 1, 2, 2, 3)))
    group = Group()
    for i, runner in enumerate(runners):
        group.add(runner.move(i * 1.25, st.between(0.0, 0.08) * i, -i))
    return group.say("run", *runners)


def jump(st: Stage) -> Group:
    jumpers = st.people("jump", st.pick((1, 1, 2)))
    group = Group()
    for i, jumper in enumerate(jumpers):
        group.add(jumper.move(i * 1.2, st.between(0.15, 0.35)))
    return group.say("jump", *jumpers)


def dance(st: Stage) -> Group:
    dancers = st.people(st.pick(("jump", "wave", "hands on hips")), st.pick((1, 2, 2, 3)))
    group = Group()
    for i, dancer in enumerate(dancers):
        dancer.flip = i % 2 == 1
        group.add(dancer.move(i * 1.05))
    return group.say("dance", *dancers)


def ski(st: Stage) -> Group:
    skier = st.person("ski", wear=("helmet",) if st.chance(0.5) else ("beanie",))
    skis = st.thing("skis", size=0.72 if skier.kind.name in CHILDREN else 1.0)
    skier.move(0.0, skis.anchor("deck")[1], 1.0)
    return Group(skis, skier).say("ski", skier, object=skis)


def sled(st: Stage) -> Group:
    rider = st.person("sit on ground", wear=("beanie",))
    sledge = st.thing("sled", size=1.0 if rider.kind.name in CHILDREN else 1.3)
    rider.move(*sledge.anchor("seat"), 1.0)
    return Group(sledge, rider).say("ride", rider, object=sledge)


def surfboard(st: Stage) -> Group:
    if st.chance(0.55):
        surfer = st.person("surf")
        board = st.thing("surfboard", "flat", size=0.8 if surfer.kind.name in CHILDREN else 1.0)
        surfer.move(0.0, board.anchor("deck")[1] - 0.02, 1.0)
        return Group(board, surfer, where="water").say("surf", surfer, object=board)
    holder = st.person("hold")
    small = holder.kind.name in CHILDREN
    board = st.thing("surfboard", "standing", size=0.7 if small else 1.0)
    board.move(holder.anchor("far_hand")[0] + 0.04, 0.0, -1.0)
    return Group(board, holder).say("hold", holder, object=board)


def musician(st: Stage, name: str) -> tuple[Thing, Thing]:
    """Somebody with an instrument, playing it."""
    if name == "guitar":
        player = st.person("strum")
        return player, sling_guitar(st, player)
    if name == "violin":
        player = st.person("bow")
        item = st.give(player, name)
        x, y = player.anchor("neck")
        item.attach("chin", (x + 0.1, y + 0.02))
        item.z = Z_HELD
        return player, item
    if name == "trumpet":
        player = st.person("blow")
        return player, st.give(player, name, anchor="mouth", hand="mouth")
    player = st.person("drum")
    child = player.kind.name in CHILDREN
    return player, st.thing("drum", size=0.98 if child else 1.4).move(0.36 if child else 0.46, 0.0, 1.0)


def sling_guitar(st: Stage, player: Thing) -> Thing:
    """A guitar across the chest of somebody who stands or sits facing us."""
    item = st.give(player, "guitar", "slung", size=0.95)
    hip = player.anchor("hip")
    trunk = player.anchor("neck")[1] - hip[1]
    side = -1 if player.flip else 1
    item.flip = player.flip
    item.move(hip[0] + 0.02 * side, hip[1] + trunk * 0.38, Z_HELD)
    return item


def play_music(st: Stage) -> Group:
    player, item = musician(st, st.pick_available("guitar", "guitar", "guitar", "violin", "drum", "trumpet"))
    return Group(player, item).say("play", player, object=item)


def band(st: Stage) -> Group:
    group, x = Group(), 0.0
    players: list[Thing] = []
    names = ["guitar", "drum", "trumpet", "violin", "guitar"]
    start = int(st.random() * len(names))
    for i in range(st.pick((2, 2, 3))):
        name = names[(start + i * 2) % len(names)]
        if not st.can(name):
            continue
        player, item = musician(st, name)
        for thing in (player, item):
            thing.dx += x
            group.add(thing)
        players.append(player)
        group.say("play", player, object=item)
        x += 1.35 if name != "drum" else 1.6
    if not players:
        return play_music(st)
    if len(players) > 1:
        group.say("perform", *players)
    return group


def speak(st: Stage) -> Group:
    speaker = st.person(st.pick(("point", "wave", "hold out")))
    return Group(speaker).say("perform", speaker)


EVENTS: dict[str, Callable[[Stage], Group]] = {
    "ride": ride,
    "skate": skate,
    "throw": throw,
    "kick": kick,
    "fly kite": fly_kite,
    "run": run,
    "jump": jump,
    "dance": dance,
    "ski": ski,
    "sled": sled,
    "surfboard": surfboard,
    "play music": play_music,
    "band": band,
    "speak": speak,
}
