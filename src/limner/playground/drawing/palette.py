"""What colours a thing's inks have."""

from __future__ import annotations

from limner.playground.colours import COLOURS, HAIR, RGB, SHOES, SKIN, rgb
from limner.playground.scene import Thing

TRIMS = ("white", "yellow", "tan", "red", "blue", "green", "pink")
GREENS = ("#69a458", "#7db35e", "#5a9a62", "#86b565", "#5f9f4f")
ROOFS = ("#b5564a", "#8a5a48", "#6d7a94", "#a86f3e")


def palette_of(thing: Thing) -> dict[str, RGB]:
    """The colours of a thing's roles: its own colour, varied a little, and what goes with it."""
    if thing.key[0] == "body":
        return _body(thing)
    name = thing.kind.name
    luck, other = thing.looks
    if thing.colour == "green" and name in ("tree", "bush"):
        own = rgb(GREENS[int(luck * len(GREENS))])
    else:
        own = _varied(COLOURS[thing.colour] if thing.colour else (200, 200, 200), luck)
    trim = TRIMS[int(other * len(TRIMS))]
    if trim == thing.colour:
        trim = "white" if thing.colour != "white" else "red"
    colours = dict.fromkeys(("coat", "paint", "cloth", "leaf", "wool", "neck"), own)
    colours["trim"] = rgb(ROOFS[int(other * len(ROOFS))]) if name == "house" else COLOURS[trim]
    for role, ink in thing.kind.inks.items():
        colours[role] = rgb(ink)
    return colours


def _body(thing: Thing) -> dict[str, RGB]:
    skin_no, hair_no, shoe_no = (int(look) for look in thing.looks)
    skin = rgb(SKIN[skin_no])
    blush = tuple(round(0.74 * s + 0.26 * b) for s, b in zip(skin, (224, 84, 84), strict=True))
    return {
        "skin": skin,
        "blush": (blush[0], blush[1], blush[2]),
        "hair": rgb(HAIR[hair_no]),
        "shoe": rgb(SHOES[shoe_no]),
    }


def _varied(colour: RGB, luck: float) -> RGB:
    """The colour a little lighter or darker, and never another colour."""
    share = 1.0 + (luck - 0.5) * 0.16
    return (
        min(255, round(colour[0] * share)),
        min(255, round(colour[1] * share)),
        min(255, round(colour[2] * share)),
    )
