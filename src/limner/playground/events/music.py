"""Musicians, alone and in bands."""

from __future__ import annotations

from collections.abc import Callable

from limner.playground.catalogue import CHILDREN
from limner.playground.figures.people import Z_HELD
from limner.playground.scene import Group, Thing
from limner.playground.stage import Stage


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
        return player, st.give(player, name, own="mouth", hand="mouth")
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
    player, item = musician(st, st.some("guitar", "guitar", "guitar", "violin", "drum", "trumpet"))
    return Group(player, item).say("play", player, object=item)


def band(st: Stage) -> Group:
    group, x = Group(), 0.0
    players: list[Thing] = []
    names = ["guitar", "drum", "trumpet", "violin", "guitar"]
    start = int(st.random() * len(names))
    for i in range(st.one((2, 2, 3))):
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
    speaker = st.person(st.one(("point", "wave", "hold out")))
    return Group(speaker).say("perform", speaker)


EVENTS: dict[str, Callable[[Stage], Group]] = {"play music": play_music, "band": band, "speak": speak}
