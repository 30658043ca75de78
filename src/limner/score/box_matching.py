"""The boxes that results bring, matched to gold's: how the grounded output of a model is scored as it is.

A caption may name boxes of gold, or boxes that its own result image has: a
model draws its own. Where gold has a box of the same id at the same place,
that is the one. All others are matched to the gold boxes that are left, one
to one, the best IoU first. Labels do not matter: a model's are phrases of its
own. Of pairs that overlap alike those with one label come first, then those
that come first in the files. Only boxes that the caption refers to compete,
and boxes drawn twice at one place are one.

A box that matches none is of no gold box, and counts as a wrong one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from limner.corpus.box import Box
from limner.corpus.caption import Caption
from limner.corpus.geometry import corners, iou
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError, shown

# Boxes that overlap by so much are of the same thing.
MAX_PAIRS = 1 << 24  # of boxes that are compared in one image: 130 MB
MATCH_IOU = 0.5

# How far, in pixels, corners may differ where a result repeats a gold box: what rounding explains.
SAME_PLACE = 1.0

# How far the proportions of a picture may differ between results and gold, as a share.
PROPORTION = 0.05


class MatchedCaption(NamedTuple):
    """A caption whose mentions name gold's boxes, and by these names the boxes as the results have them.

    What matches no gold box has a name that gold does not know. There are no
    boxes where the caption names gold's itself.
    """

    caption: Caption
    boxes: Mapping[str, Box]


def check_match_iou(value: float) -> float:
    """The IoU from which boxes match; an error for one that is not above 0 and at most 1."""
    if not 0 < value <= 1:
        raise LimnerError(f"boxes are to match from an IoU of {value}; give a number above 0, at most 1")
    return value


def match_boxes(predicted: Sequence[Box], gold: Sequence[Box], min_iou: float = MATCH_IOU) -> dict[str, str]:
    """The id of the gold box of each predicted one that has any, one to one, the best IoU first."""
    if len(predicted) * len(gold) > MAX_PAIRS:
        problem = f"{len(predicted):,} boxes of results and {len(gold):,} of gold in one image are too many to match"
        raise LimnerError(f"{problem}; leave some out")
    overlap = iou(corners(predicted), corners(gold))
    rows, columns = np.nonzero(overlap >= min_iou)
    pairs = [
        (-overlap[row, column], predicted[row].label.casefold() != gold[column].label.casefold(), row, column)
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    matched: dict[str, str] = {}
    taken: set[int] = set()
    for _, _, row, column in sorted(pairs):
        if predicted[row].id not in matched and column not in taken:
            matched[predicted[row].id] = gold[column].id
            taken.add(column)
    return matched


def match_caption(
    caption: Caption, result: Image, gold: Image, min_iou: float = MATCH_IOU, *, place: str = "results"
) -> MatchedCaption:
    """The caption of a result image with gold's boxes in place of its own.

    Boxes of a picture of another size are scaled to gold's. `place` names the
    results in errors.
    """
    named = {id for mention in caption.mentions for id in mention.boxes}
    box_by_id = {box.id: box for box in scaled_boxes(result, gold, place) if box.id in named}
    gold_by_id = gold.box_by_id()
    names = {id: id for id, box in box_by_id.items() if id in gold_by_id and _is_same(box, gold_by_id[id])}
    if len(names) == len(box_by_id):
        return MatchedCaption(caption, {})
    drawn, twins = _distinct(box for id, box in box_by_id.items() if id not in names)
    names |= match_boxes(drawn, [box for id, box in gold_by_id.items() if id not in names], min_iou)
    names |= {box.id: _unknown(box.id, gold_by_id) for box in drawn if box.id not in names}
    names |= {id: names[twin] for id, twin in twins.items()}
    mentions = tuple(
        replace(mention, boxes=tuple(dict.fromkeys(names[id] for id in mention.boxes))) for mention in caption.mentions
    )
    boxes = {name: box_by_id[id] for id, name in names.items() if id not in twins}
    return MatchedCaption(replace(caption, mentions=mentions), boxes)


def count_boxes(images: Iterable[Image], result_boxes: Iterable[Mapping[str, Box]]) -> Counter[str]:
    """How many boxes results bring for gold images, and how many of them are `matched`."""
    counts: Counter[str] = Counter()
    for image, boxes in zip(images, result_boxes, strict=True):
        counts["boxes"] += len(boxes)
        counts["matched"] += len({box.id for box in image.boxes} & boxes.keys())
    return counts


# Few boxes may all miss; more of them hint at coordinates of another scale.
MIN_UNMATCHED = 5


def unmatched_warning(counts: Mapping[str, int]) -> str | None:
    """What to say of the counts of `count_boxes` if nothing matches; None if something does, or there are few boxes."""
    if counts["matched"] or counts["boxes"] < MIN_UNMATCHED:
        return None
    n = counts["boxes"]
    return f"no box of the results matches one of gold's (0 of {n:,}); are their coordinates of the right scale?"


def scale(result: Image, gold: Image) -> tuple[float, float] | None:
    """How much wider and higher gold's picture is than the result's; None if it is not, or a size is unknown."""
    if not (result.width and result.height and gold.width and gold.height):
        return None
    across, down = gold.width / result.width, gold.height / result.height
    return None if across == down == 1 else (across, down)


def scaled_boxes(result: Image, gold: Image, place: str) -> Iterable[Box]:
    """The result's boxes in pixels of the gold picture."""
    if (factors := scale(result, gold)) is None:
        return result.boxes
    across, down = factors
    if abs(across / down - 1) > PROPORTION:
        raise BadInput(
            place,
            f"image {shown(result.id)} measures {result.width} by {result.height}, "
            f"but {gold.width} by {gold.height} in gold",
            "give the size of the picture that gold describes",
        )
    return [
        replace(box, x0=box.x0 * across, y0=box.y0 * down, x1=box.x1 * across, y1=box.y1 * down) for box in result.boxes
    ]


def _is_same(box: Box, gold: Box) -> bool:
    return all(abs(a - b) < SAME_PLACE for a, b in zip(box.corners, gold.corners, strict=True))


def _distinct(boxes: Iterable[Box]) -> tuple[list[Box], dict[str, str]]:
    """The boxes without those that lie where another does, and for each of the latter the id of that other."""
    first: dict[tuple[float, ...], Box] = {}
    twins = {}
    for box in boxes:
        if first.setdefault(box.corners, box) is not box:
            twins[box.id] = first[box.corners].id
    return list(first.values()), twins


def _unknown(id: str, gold: Mapping[str, Box]) -> str:
    """A name for a box that matches none, which no gold box has."""
    name = f"unmatched:{id}"
    while name in gold:
        name = f"unmatched:{name}"
    return name
