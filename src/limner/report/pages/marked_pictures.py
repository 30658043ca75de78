"""Pictures of a page without scripts, with regions on them in the colours of phrases."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from limner.corpus.image import Image
from limner.look.palette import PALETTE
from limner.report.pages.page_pictures import Shown

# Pixels that a picture is high at most.
HIGHEST = 300


class MarkedRegion(NamedTuple):
    """A region in units of the image, the number of the phrase that it is of, and what is said of both."""

    corners: tuple[float, float, float, float]
    phrase: int
    remark: str


def marked_picture(
    shown: Shown | None,
    name: str,
    image: Image | None = None,
    regions: Sequence[MarkedRegion] = (),
    highest: int = HIGHEST,
) -> str:
    """A picture with regions on it, which keep their places at any size."""
    width, height = _size(shown, image)
    if shown is None or not shown.data:
        inside = '<span class="none">no picture</span>'
    else:
        data = base64.b64encode(shown.data).decode()
        inside = f'<img src="data:{shown.mime};base64,{data}" alt="{escape(name)}">'
    boxes = "".join(_box(region, width, height) for region in regions)
    ratio = width / height
    size = f"width:min(100%,{highest * ratio:.0f}px);aspect-ratio:{ratio:.4f}"
    return f'<div class="picture"><div class="frame" style="{size}">{inside}{boxes}</div></div>'


def _box(region: MarkedRegion, width: float, height: float) -> str:
    x0, y0, x1, y1 = region.corners
    left, top = 100 * x0 / width, 100 * y0 / height
    place = (
        f"left:{left:.2f}%;top:{top:.2f}%;width:{100 * (x1 - x0) / width:.2f}%;height:{100 * (y1 - y0) / height:.2f}%"
    )
    return f'<div class="box {colour_class(region.phrase)}" style="{place}" title="{escape(region.remark)}"></div>'


def _size(shown: Shown | None, image: Image | None) -> tuple[float, float]:
    if image is not None and image.width and image.height:
        return image.width, image.height
    return (4.0, 3.0) if shown is None else (max(1, shown.width), max(1, shown.height))


def colour_class(phrase: int) -> str:
    """The class of what is drawn in the colour of a phrase."""
    return f"c{phrase % len(PALETTE)}"
