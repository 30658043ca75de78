"""Kosmos-2: phrases in tags, each followed by the patches at the corners of its boxes."""

from __future__ import annotations

import re

from limner.corpus.formats.grounded_text.grounding import Corners, Grounding, Region
from limner.corpus.formats.grounded_text.model_outputs import Output

# The picture is a grid of so many patches a side, numbered along its rows.
PATCHES = 32


def parse(output: Output, grounding: Grounding) -> None:
    """Add what `An image of<phrase> a fire</phrase><object>…</object>` says to the grounding."""
    # What stands before the picture's end is the prompt's picture, not output.
    text = _SPECIAL.sub("", output.text.rpartition("</image>")[2])
    for match in grounding.tagged(text, _PIECE, _TAGS):
        where = match["alone"] if match["where"] is None else match["where"]
        pieces = [] if where is None else where.split(_DELIMITER)
        regions = [Region(piece or match[0], _corners(piece, grounding)) for piece in pieces]
        grounding.mention(match["phrase"] or "", regions)


_SPECIAL = re.compile(r"</?s>|<pad>|<unk>|<grounding>|</?(?:image|doc|chunk|line)>")
_DELIMITER = "</delimiter_of_multi_objects/>"
_TAGS = ("<phrase>", "</phrase>", "<object>", "</object>", _DELIMITER, "<patch_index_")
_STRAY = rf"(?:</?(?:phrase|object)>|{_DELIMITER}|<patch_index_[^<>]*>)"
_WHERE = r"[^<]*(?:<(?!/?(?:object|phrase)>)[^<]*)*"
_PIECE = re.compile(
    rf"<phrase>(?P<phrase>[^<]*)</phrase>(?:\s*<object>(?P<where>{_WHERE})</object>)?"
    rf"|<object>(?P<alone>{_WHERE})</object>"
    rf"|(?P<stray>{_STRAY}(?:\s*{_STRAY})*)"
)
_PAIR = re.compile(r"\s*<patch_index_([0-9]{4})>\s*<patch_index_([0-9]{4})>\s*")


def _corners(piece: str, grounding: Grounding) -> Corners | None:
    """The box from the patch at its top left to the one at its bottom right.

    As the model's own processor has it, a box reaches from centre to centre of
    the patches; if it is only one patch wide or high, to their outer edges.
    """
    match = _PAIR.fullmatch(piece)
    if match is None or int(match[2]) >= PATCHES**2:
        return None
    top, left = divmod(int(match[1]), PATCHES)
    bottom, right = divmod(int(match[2]), PATCHES)
    if right < left or bottom < top:
        return None
    first, last = (0, 2) if left == right or top == bottom else (1, 1)
    box = (2 * left + first, 2 * top + first, 2 * right + last, 2 * bottom + last)
    return grounding.scaled(box, 2 * PATCHES, 2 * PATCHES)
