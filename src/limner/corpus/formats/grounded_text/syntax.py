"""Which model's syntax a file of outputs is in."""

from __future__ import annotations

import json
import re

from limner.corpus.formats.format import Head

MARKS = {
    "kosmos-2": re.compile(r"<grounding>|<phrase>|<patch_index_[0-9]{4}>"),
    "florence-2": re.compile(r"<loc_[0-9]+>"),
    "paligemma": re.compile(r"<loc[0-9]{4}>"),
    "qwen-vl": re.compile(r'<ref>|<box>|<\|object_ref_start\|>|<\|box_start\|>|"bbox_2d"'),
    "box-2d": re.compile(r'"box_2d"'),
}


def syntax_of(head: Head) -> str | None:
    """The format whose marks come first in the file's outputs, or None where there are none.

    An output without marks is plain text and tells nothing, so the lines after
    it are asked, as far as the first look reaches.
    """
    if head.is_folder or not head.text.lstrip().startswith("{"):
        return None
    for line in head.text.split("\n"):
        marks = [(match.start(), name) for name, mark in MARKS.items() if (match := mark.search(_text(line)))]
        if marks:
            return min(marks)[1]
    return None


def _text(line: str) -> str:
    """The output on a line, or nothing if the line is none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(record, dict) or "image_id" not in record or "limner" in record:
        return ""
    text = record.get("text")
    return text if isinstance(text, str) else ""
