"""Qwen-VL in all its versions: tags with thousandths, or JSON with pixels or thousandths."""

from __future__ import annotations

import re

from limner.corpus.formats.grounded_text.grounding import Corners, Grounding, Region
from limner.corpus.formats.grounded_text.json_boxes import add_objects
from limner.corpus.formats.grounded_text.model_outputs import Output
from limner.corpus.formats.records import Record
from limner.errors import BadInput

SCALE = 1000
KEY = "bbox_2d"


def parse(output: Output, grounding: Grounding) -> None:
    """Add what an output says, in either syntax, to the grounding."""
    text = _SPECIAL.sub("", output.text)
    if _PIECE.search(text):
        _parse_tags(text, grounding)
    else:
        add_objects(text, KEY, lambda box: _locate(box, output.record, grounding), grounding)


def _parse_tags(text: str, grounding: Grounding) -> None:
    """`<ref>the dog</ref><box>(x1,y1),(x2,y2)</box>`, or the same with `<|object_ref_start|>` and its kin."""
    for match in grounding.tagged(text, _PIECE, _TAGS):
        boxes = _BOX.findall(match["boxes"] or match["alone"] or "")
        grounding.mention(match["phrase"] or "", [Region(box, _corners(box, grounding)) for box in boxes])


_SPECIAL = re.compile(r"<\|(?:endoftext|im_end|im_start)\|>|<img>[^<]*</img>")
_TAGS = tuple(f"<{slash}{name}>" for slash in ("", "/") for name in ("ref", "box", "quad")) + tuple(
    f"<|{name}_{end}|>" for name in ("object_ref", "box", "quad") for end in ("start", "end")
)
_ONE_BOX = r"(?:<(?:box|quad)>|<\|(?:box|quad)_start\|>)[^<]*(?:</(?:box|quad)>|<\|(?:box|quad)_end\|>)"
_STRAY = r"(?:</?(?:ref|box|quad)>|<\|(?:object_ref|box|quad)_(?:start|end)\|>)(?:\([0-9(),. ]*[0-9(),.])?"
_PIECE = re.compile(
    rf"(?:<ref>|<\|object_ref_start\|>)(?P<phrase>[^<]*)(?:</ref>|<\|object_ref_end\|>)(?P<boxes>(?:\s*{_ONE_BOX})*)"
    rf"|(?P<alone>{_ONE_BOX}(?:\s*{_ONE_BOX})*)"
    rf"|(?P<stray>(?:{_STRAY})+)"
)
_BOX = re.compile(_ONE_BOX)
_NUMBER = r"\s*([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*"
_PAIRS = re.compile(
    rf"(?:<box>|<\|box_start\|>)\s*\({_NUMBER},{_NUMBER}\)\s*,\s*\({_NUMBER},{_NUMBER}\)\s*(?:</box>|<\|box_end\|>)"
)


def _corners(box: str, grounding: Grounding) -> Corners | None:
    match = _PAIRS.fullmatch(box)
    if match is None:
        return None
    x0, y0, x1, y1 = (float(number) for number in match.groups())
    return grounding.scaled((x0, y0, x1, y1), SCALE, SCALE)


def _locate(box: Corners, record: Record, grounding: Grounding) -> Corners | None:
    """Where a `bbox_2d` is, which depends on what the output's line says of it."""
    coordinates = record.text("coordinates", "absolute")
    if coordinates == "relative":
        return grounding.scaled(box, SCALE, SCALE)
    if coordinates != "absolute" or "resized_width" not in record or "resized_height" not in record:
        raise BadInput(
            record.place,
            f'"{KEY}" may mean pixels of the resized picture (Qwen2.5-VL) or thousandths (Qwen3-VL)',
            'give "resized_width" and "resized_height", or "coordinates": "relative"',
        )
    width, height = record.number("resized_width"), record.number("resized_height")
    if width < 1 or height < 1:
        raise BadInput(record.place, f"the resized picture measures {width} by {height}", "give its size in pixels")
    return grounding.scaled(box, width, height)
