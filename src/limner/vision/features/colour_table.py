"""What colours are: where they lie in CIELAB, where differences are as large as they look, and their basic names.

A picture's colours are cut to 64 levels a channel, so that all that is known
of a colour is one lookup in a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.arrays import Floats

# Bits of each channel that count.
BITS = 6

# Shades that the eleven basic colour terms of English (Berlin and Kay 1969) are said of, as sRGB. A colour has the name
# of the shade that is nearest to it in CIELAB.
SHADES: Mapping[str, tuple[tuple[int, int, int], ...]] = {
    "black": ((0, 0, 0), (25, 25, 25), (20, 15, 25)),
    "white": ((255, 255, 255), (240, 240, 235), (250, 245, 235)),
    "grey": ((128, 128, 128), (70, 72, 75), (100, 105, 108), (165, 165, 165), (200, 202, 204)),
    "red": ((205, 15, 25), (150, 0, 10), (235, 45, 40), (190, 45, 55), (110, 0, 5)),
    "orange": ((250, 125, 10), (225, 100, 30), (250, 165, 70), (200, 95, 10)),
    "yellow": ((250, 235, 20), (245, 215, 50), (250, 245, 130), (210, 190, 40), (255, 250, 170)),
    "green": (
        (20, 150, 40),
        (5, 80, 20),
        (110, 200, 60),
        (90, 120, 40),
        (140, 215, 140),
        (60, 180, 120),
        (15, 50, 20),
        (180, 240, 150),
        (150, 165, 70),
    ),
    "blue": (
        (20, 60, 200),
        (10, 20, 100),
        (60, 130, 220),
        (140, 190, 235),
        (70, 110, 160),
        (30, 140, 180),
        (110, 215, 245),
        (5, 15, 55),
    ),
    "purple": ((125, 40, 160), (75, 15, 95), (165, 100, 205), (100, 80, 170), (150, 70, 130), (195, 160, 230)),
    "pink": ((250, 150, 185), (235, 70, 150), (250, 195, 205), (225, 120, 135), (245, 110, 190)),
    "brown": ((115, 65, 25), (75, 40, 15), (150, 95, 50), (95, 75, 55), (170, 125, 85), (50, 30, 15)),
}
NAMES = tuple(SHADES)

# Levels of lightness, and of the green-to-red and blue-to-yellow axes, that a histogram tells apart.
LEVELS = 4

# Most colours of photographs lie within this of grey on either axis.
REACH = 60.0


class ColourTable(NamedTuple):
    """For each colour of the cut cube: CIELAB in hundredths `[n, 3]`, the bin of a histogram and the name's number."""

    lab: NDArray[np.float32]
    bin: NDArray[np.uint8]
    name: NDArray[np.uint8]


@cache
def colour_table() -> ColourTable:
    """The table of all colours, which takes some 50 ms to make and 4 MB."""
    levels = (np.arange(1 << BITS) + 0.5) * (256 >> BITS) - 0.5
    cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
    lab = to_lab(cube)
    shades = to_lab([shade for shades in SHADES.values() for shade in shades])
    owner = np.repeat(np.arange(len(NAMES)), [len(shades) for shades in SHADES.values()])
    nearest = np.empty(len(lab), dtype=np.uint8)
    for start in range(0, len(lab), 1 << 14):
        rows = slice(start, start + (1 << 14))
        distance = np.square(lab[rows, None, :] - shades[None]).sum(-1)
        nearest[rows] = owner[distance.argmin(1)]
    share = np.stack([lab[:, 0] / 100.0, lab[:, 1] / (2 * REACH) + 0.5, lab[:, 2] / (2 * REACH) + 0.5], axis=1)
    step = np.clip((share * LEVELS).astype(np.int64), 0, LEVELS - 1)
    bins = (step[:, 0] * LEVELS + step[:, 1]) * LEVELS + step[:, 2]
    return ColourTable((lab / 100.0).astype(np.float32), bins.astype(np.uint8), nearest)


def colour_numbers(pixels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The row of the table that each pixel's colour has: `[height, width]`."""
    cut = (pixels >> (8 - BITS)).astype(np.int64)
    return (cut[..., 0] << (2 * BITS)) | (cut[..., 1] << BITS) | cut[..., 2]


def to_lab(colours: ArrayLike) -> Floats:
    """CIELAB (lightness 0 to 100, green to red, blue to yellow) of sRGB colours from 0 to 255, under daylight D65."""
    share = np.asarray(colours, dtype=np.float64) / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    xyz = linear @ _TO_XYZ.T / _WHITE
    root = np.where(xyz > _DARK**3, np.cbrt(xyz), xyz / (3 * _DARK**2) + 4 / 29)
    x, y, z = np.moveaxis(root, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


# IEC 61966-2-1, and the white that its primaries add up to.
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = _TO_XYZ.sum(axis=1)
_DARK = 6 / 29
