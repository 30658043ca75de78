"""The world's colours: the words people use for them and how they look."""

from __future__ import annotations

from functools import cache

RGB = tuple[int, int, int]

COLOURS: dict[str, RGB] = {
    "red": (212, 68, 60),
    "blue": (64, 118, 190),
    "green": (82, 152, 92),
    "yellow": (244, 204, 78),
    "orange": (238, 144, 62),
    "purple": (142, 98, 178),
    "pink": (240, 152, 178),
    "brown": (146, 102, 68),
    "black": (62, 60, 68),
    "white": (246, 244, 238),
    "gray": (158, 161, 168),
    "tan": (220, 188, 142),
    "golden": (222, 168, 84),
}

SKIN: tuple[str, ...] = ("#fbd9bd", "#f2c29b", "#dda273", "#bd7f52", "#93603d", "#6b442c")
HAIR: tuple[str, ...] = ("#2c2328", "#4b3326", "#7a4f2d", "#a8622e", "#d8ab58", "#8d8a8c")
SHOES: tuple[str, ...] = ("#3b3640", "#6b4a35", "#e9e6e0", "#b5483f", "#39588a")


@cache
def rgb(name: str) -> RGB:
    """The colour of a word in the table or of `#rrggbb`."""
    if name.startswith("#"):
        return int(name[1:3], 16), int(name[3:5], 16), int(name[5:7], 16)
    return COLOURS[name]


def lighter(colour: RGB, by: float) -> RGB:
    """The colour moved towards white (or, if `by` is negative, towards a dark violet)."""
    aim, share = ((255, 252, 244), by) if by >= 0 else ((38, 26, 52), -by)
    return (
        round(colour[0] + share * (aim[0] - colour[0])),
        round(colour[1] + share * (aim[1] - colour[1])),
        round(colour[2] + share * (aim[2] - colour[2])),
    )
