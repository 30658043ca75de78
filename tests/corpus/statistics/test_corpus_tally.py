"""The overlap of boxes, against a loop over the scalar model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Box
from limner.corpus.statistics import corpus_tally
from limner.corpus.statistics.corpus_tally import Overlap


@st.composite
def images(draw: st.DrawFn) -> list[list[Box]]:
    edges = st.tuples(*[st.integers(0, 6)] * 2).map(sorted)
    box = st.tuples(edges, edges)
    drawn = draw(st.lists(st.lists(box, max_size=6), max_size=5))
    return [[Box(str(i), x[0], y[0], x[1], y[1]) for i, (x, y) in enumerate(image)] for image in drawn]


def by_loop(images: list[list[Box]]) -> tuple[float | None, float | None]:
    best, enclosed = [], []
    for image in images:
        for box in image:
            others = [other for other in image if other is not box]
            best.append(max((box.iou(other) for other in others), default=0.0))
            enclosed.append(any(other.contains(box) for other in others))
    return (sum(best) / len(best), sum(enclosed) / len(enclosed)) if best else (None, None)


@given(images(), st.sampled_from([0, 1, 7, 1 << 20]))
def test_overlap_equals_a_loop_however_it_is_batched(images: list[list[Box]], batch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # A batch of 0 takes every image with two boxes for a crowded one.
        patch.setattr(corpus_tally, "BATCH", batch)
        found = Overlap()
        for image in images:
            found.add(image)
        iou, enclosed = by_loop(images)
        assert found.best_iou() == (None if iou is None else pytest.approx(iou))
        assert found.enclosed() == enclosed
