"""Qwen-VL in all its versions: tags with thousandths, or JSON with pixels or thousandths."""

from __future__ import annotations

import re

from limner.corpus.formats.grounded_text.grounding import Corners, Grounding, Region, split_cut_tag
from limner.corpus.formats.grounded_text.json_boxes import Numbers, add_objects
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
    text, cut = split_cut_tag(text, _TAGS)
    reached = 0
    for match in _PIECE.finditer(text):
        grounding.say(text[reached : match.start()])
        reached = match.end()
        if match["stray"]:
            grounding.unparsable(match["stray"])
        else:
            boxes = _BOX.findall(match["boxes"] or match["alone"] or "")
            grounding.mention(match["phrase"] or "", [Region(box, _corners(box, grounding)) for box in boxes])
    grounding.say(text[reached:])
    if cut:
        grounding.unparsable(cut)


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
    return _relative((x0, y0, x1, y1), grounding)


def _relative(box: Numbers, grounding: Grounding) -> Corners | None:
    if not all(0 <= number <= SCALE for number in box):
        return None
    x0, y0, x1, y1 = box
    across, down = grounding.width, grounding.height
    return x0 * across / SCALE, y0 * down / SCALE, x1 * across / SCALE, y1 * down / SCALE


def _locate(box: Numbers, record: Record, grounding: Grounding) -> Corners | None:
    """Where a `bbox_2d` is, which depends on what the output's line says of it."""
    coordinates = record.text("coordinates", "absolute")
    if coordinates == "relative":
        return _relative(box, grounding)
    if coordinates != "absolute" or "resized_width" not in record or "resized_height" not in record:
        raise BadInput(
            record.place,
            f'"{KEY}" may mean pixels of the resized picture (Qwen2.5-VL) or thousandths (Qwen3-VL)',
            'give "resized_width" and "resized_height", or "coordinates": "relative"',
        )
    width, height = record.number("resized_width"), record.number("resized_height")
    if width < 1 or height < 1:
        raise BadInput(record.place, f"the resized picture measures {width} by {height}", "give its size in pixels")
    if not all(0 <= number <= limit for number, limit in zip(box, (width, height, width, height), strict=True)):
        return None
    x0, y0, x1, y1 = box
    across, down = grounding.width, grounding.height
    return x0 * across / width, y0 * down / height, x1 * across / width, y1 * down / height
