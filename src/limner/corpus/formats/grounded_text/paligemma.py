"""PaliGemma: the corners of a box, top first, and after them its label."""

from __future__ import annotations

import re
from itertools import zip_longest

from limner.corpus.formats.grounded_text.grounding import Corners, Grounding, Region, split_cut_tag
from limner.corpus.formats.grounded_text.model_outputs import Output

BINS = 1024
# Tokens that code the mask within one box.
SEGMENTS = 16


def parse(output: Output, grounding: Grounding) -> None:
    """Add what `<loc0256><loc0128><loc0768><loc0512> cat ; …` says to the grounding."""
    text, cut = split_cut_tag(_SPECIAL.sub("", output.text), ("<loc", "<seg"))
    runs = list(_RUN.finditer(text))
    grounding.say(text[: runs[0].start()] if runs else text)
    for run, following in zip_longest(runs, runs[1:]):
        label, semicolon, rest = text[run.end() : following.start() if following else len(text)].partition(";")
        if text[run.start() - 1 : run.start()].isspace():
            label = label.lstrip()
        grounding.mention(label, _regions(run[0], grounding))
        grounding.say(semicolon + rest)
    if cut:
        grounding.unparsable(cut)


_SPECIAL = re.compile(r"<(?:eos|bos|pad|image)>")
_RUN = re.compile(r"<(?:loc|seg)[0-9][^<>]*>(?:\s*<(?:loc|seg)[0-9][^<>]*>)*")
_TOKEN = re.compile(r"<[^<>]*>")
_BOX = re.compile(r"<loc([0-9]{4})>" * 4)


def _regions(run: str, grounding: Grounding) -> list[Region]:
    """The boxes of a run of tokens; masks are reported, because an image has no field for them."""
    tokens = _TOKEN.findall(run)
    segments = [token for token in tokens if token.startswith("<seg")]
    corners = [token for token in tokens if token.startswith("<loc")]
    fours = ["".join(corners[i : i + 4]) for i in range(0, len(corners), 4)]
    if segments and len(segments) == SEGMENTS * len(fours):
        grounding.odd("segmentation mask that is not read", "".join(segments))
    elif segments:
        grounding.unparsable("".join(segments))
    return [Region(four, _corners(four, grounding)) for four in fours]


def _corners(four: str, grounding: Grounding) -> Corners | None:
    match = _BOX.fullmatch(four)
    if match is None:
        return None
    y0, x0, y1, x1 = (int(number) for number in match.groups())
    if max(y0, x0, y1, x1) >= BINS:
        return None
    return grounding.scaled((x0, y0, x1, y1), BINS, BINS)
