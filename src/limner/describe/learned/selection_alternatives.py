"""Selections that promise nearly as much as the best one: with one thing more, or one fewer.

How many things a sentence should mention depends on how well they go into one
sentence. So a realiser may choose among these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from limner.arrays import Booleans, Floats
from limner.describe.learned.box_layout import Layout
from limner.describe.selectors import Selection

# Selections are offered that promise at least this share of the best one's F, and at most so many besides it.
NEARLY = 0.92
MOST_OFFERED = 4

# So many of the likeliest things that were not chosen may be added.
MOST_ADDED = 3


class _Rows(NamedTuple):
    """The boxes of an image: what each is expected to bring, and the thing (boxes of one label) that it belongs to."""

    p: Sequence[float]
    r: Sequence[float]
    thing: Sequence[int]

    def promise(self, rows: Sequence[int]) -> float:
        """The F that is expected of these boxes."""
        precision = sum(self.p[row] for row in rows) / len(rows)
        recall = sum(self.r[row] for row in rows)
        return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0

    def by_p(self, rows: Sequence[int]) -> list[int]:
        """The boxes, the likeliest to be mentioned first."""
        return sorted(rows, key=lambda row: -self.p[row])


def alternatives(layout: Layout, p: Floats, r: Floats, chosen: Booleans) -> Iterator[list[Selection]]:
    """For each image the best selection, then others that promise nearly as much, the most promising first.

    An image without boxes has one selection, which is empty.
    """
    things = layout.thing.tolist()
    all_p, all_r, is_chosen = p.tolist(), r.tolist(), chosen.tolist()
    for start, end in zip(layout.offsets[:-1].tolist(), layout.offsets[1:].tolist(), strict=True):
        of_image = _Rows(all_p[start:end], all_r[start:end], things[start:end])
        best = of_image.by_p([row for row in range(end - start) if is_chosen[start + row]])
        ids = layout.ids[start:end]
        offered = _offered(of_image, best) if best else []
        yield [Selection([ids[row] for row in rows], share) for share, rows in ((1.0, best), *offered)]


def _offered(boxes: _Rows, best: list[int]) -> list[tuple[float, list[int]]]:
    """The alternatives, and what share of the best selection's F each of them promises."""
    promised = boxes.promise(best)
    if promised == 0:
        return []
    shares = [(boxes.promise(rows) / promised, rows) for rows in _changed(boxes, best)]
    nearly = [(min(share, 1.0), rows) for share, rows in shares if share >= NEARLY]
    return sorted(nearly, key=lambda item: -item[0])[:MOST_OFFERED]


def _changed(boxes: _Rows, best: list[int]) -> Iterator[list[int]]:
    """The best selection without one of its things, and with one more: its likeliest box, or all of its boxes."""
    chosen = dict.fromkeys(boxes.thing[row] for row in best)
    if len(chosen) > 1:
        for thing in chosen:
            yield [row for row in best if boxes.thing[row] != thing]
    left: Mapping[int, list[int]] = _by_thing(boxes, set(range(len(boxes.p))) - set(best))
    for rows in list(left.values())[:MOST_ADDED]:
        yield boxes.by_p([*best, rows[0]])
        if len(rows) > 1:
            yield boxes.by_p([*best, *rows])


def _by_thing(boxes: _Rows, rows: set[int]) -> dict[int, list[int]]:
    things: dict[int, list[int]] = {}
    for row in boxes.by_p(sorted(rows)):
        things.setdefault(boxes.thing[row], []).append(row)
    return things
