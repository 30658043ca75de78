"""Boxes as JSON in thousandths, top first: `box_2d`, as Gemini writes them."""

from __future__ import annotations

from limner.corpus.formats.grounded_text.grounding import Corners, Grounding
from limner.corpus.formats.grounded_text.json_objects import Numbers, tell_objects
from limner.corpus.formats.grounded_text.outputs import Output, grounded_format

SCALE = 1000


def parse(output: Output, grounding: Grounding) -> None:
    """Tell the grounding what `[{"box_2d": [top, left, bottom, right], "label": "…"}]` says."""

    def locate(box: Numbers) -> Corners | None:
        if not all(0 <= number <= SCALE for number in box):
            return None
        y0, x0, y1, x1 = box
        across, down = grounding.width, grounding.height
        return x0 * across / SCALE, y0 * down / SCALE, x1 * across / SCALE, y1 * down / SCALE

    tell_objects(output.text, "box_2d", locate, grounding)


FORMAT = grounded_format("box-2d", "JSON boxes in thousandths, top first, as Gemini writes them", parse)
