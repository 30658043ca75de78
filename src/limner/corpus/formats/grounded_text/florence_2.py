"""Florence-2: phrases or labels, each followed by the corners of its boxes in thousandths."""

from __future__ import annotations

import re

from limner.corpus.formats.grounded_text.grounding import Corners, Grounding, Region, split_cut_tag
from limner.corpus.formats.grounded_text.model_outputs import Output
from limner.errors import BadInput, shown

BINS = 1000

# Tasks whose numbers are corners of outlines, which nothing in the text tells from boxes.
OUTLINES = ("<OCR_WITH_REGION>", "<REFERRING_EXPRESSION_SEGMENTATION>", "<REGION_TO_SEGMENTATION>")


def parse(output: Output, grounding: Grounding) -> None:
    """Add what `A green car<loc_54><loc_330><loc_911><loc_780>…` says to the grounding."""
    given = output.record.text("task", "")
    for task in (given, *_TASK.findall(output.text)):
        if task in OUTLINES:
            raise BadInput(output.place, f"task {shown(task)} gives outlines, not boxes", "leave such lines out")
    plain = _TASK.sub("", _SPECIAL.sub("", output.text))
    text, cut = split_cut_tag(plain, ("<loc_", "<poly>", "</poly>", "<sep>"))
    reached = 0
    for match in _PIECE.finditer(text):
        phrase = text[reached : match.start()]
        reached = match.end()
        tokens = _TOKEN.findall(match[0])
        fours = ["".join(tokens[i : i + 4]) for i in range(0, len(tokens), 4)]
        if phrase[:1].isalnum():
            grounding.separate()
        if "<sep>" in tokens or match[0].startswith(("<poly>", "</poly>")):
            grounding.mention(phrase)
            grounding.unparsable(match[0])
        else:
            grounding.mention(phrase, [Region(four, _corners(four, grounding)) for four in fours])
    if text[reached : reached + 1].isalnum():
        grounding.separate()
    grounding.say(text[reached:])
    if cut:
        grounding.unparsable(cut)


_SPECIAL = re.compile(r"</?s>|<pad>|<unk>")
# The prompt's task, which some keep with the output: `<OD>`, `<CAPTION_TO_PHRASE_GROUNDING>`.
_TASK = re.compile(r"</?[A-Z]{2,}(?:_[A-Z]+)*>")
_TOKEN = re.compile(r"<loc_[^<>]*>|<sep>")
_PIECE = re.compile(r"<poly>.*?(?:</poly>|$)|</poly>|(?:<loc_[^<>]*>|<sep>)(?:\s*(?:<loc_[^<>]*>|<sep>))*", re.DOTALL)
_BOX = re.compile(r"<loc_([0-9]{1,3})>" * 4)


def _corners(four: str, grounding: Grounding) -> Corners | None:
    """Left, top, right, bottom: each the middle of its bin."""
    match = _BOX.fullmatch(four)
    if match is None:
        return None
    x0, y0, x1, y1 = (2 * int(number) + 1 for number in match.groups())
    return grounding.scaled((x0, y0, x1, y1), 2 * BINS, 2 * BINS)
