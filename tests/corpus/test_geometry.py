"""Geometry of many boxes, held to the scalar model, to brute force and to pycocotools."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from pycocotools import mask

from limner.corpus import Box, geometry
from refusals import refusal

Numbers = NDArray[np.float64]


def arrays_of_boxes(max_n: int = 6, min_n: int = 0, *, whole: bool = False) -> st.SearchStrategy[Numbers]:
    """Boxes on a small grid (so that edges meet and areas vanish), or anywhere in a picture."""
    places = st.integers(0, 8) if whole else st.one_of(st.integers(0, 8), st.floats(0, 500, allow_nan=False))
    points = st.integers(min_n, max_n).flatmap(lambda n: hnp.arrays(np.float64, (n, 2, 2), elements=places))
    return points.map(lambda p: np.concatenate([p.min(1), p.max(1)], axis=-1))


def as_boxes(array: Numbers) -> list[Box]:
    return [Box(str(i), *map(float, row)) for i, row in enumerate(array)]


@pytest.mark.parametrize(
    ("a", "b", "shared", "iou", "containment", "inside"),
    [
        ((0, 0, 10, 10), (0, 0, 10, 10), 100, 1, 1, True),
        ((0, 0, 10, 10), (5, 0, 15, 10), 50, 1 / 3, 0.5, False),
        ((2, 2, 4, 4), (0, 0, 10, 10), 4, 0.04, 1, True),
        ((0, 0, 10, 10), (10, 0, 20, 10), 0, 0, 0, False),
        ((0, 0, 10, 10), (20, 20, 30, 30), 0, 0, 0, False),
        ((3, 3, 3, 9), (0, 0, 10, 10), 0, 0, 0, True),
        ((3, 3, 3, 3), (3, 3, 3, 3), 0, 0, 0, True),
        ((9, 9, 1, 1), (0, 0, 10, 10), 0, 0, 0, True),
        ((0, 0, 1e200, 1e200), (0, 0, 1e200, 1e200), np.inf, 0, 0, True),
    ],
)
def test_two_boxes_have_these_relations(a, b, shared, iou, containment, inside):
    assert geometry.intersection([a], [b]).tolist() == [[shared]]
    assert geometry.iou([a], [b]).tolist() == [[pytest.approx(iou)]]
    if np.isfinite(shared):
        assert geometry.containment([a], [b]).tolist() == [[containment]]
    assert geometry.inside([a], [b]).tolist() == [[inside]]


@given(arrays_of_boxes(), arrays_of_boxes())
def test_matrices_equal_the_scalar_model(a, b):
    one, other = as_boxes(a), as_boxes(b)
    shape = (len(a), len(b))
    assert geometry.area(a).tolist() == [box.area for box in one]
    for of_arrays, of_boxes in (
        (geometry.intersection, lambda x, y: x.intersection(y)),
        (geometry.iou, lambda x, y: x.iou(y)),
        (geometry.inside, lambda x, y: y.contains(x)),
        (geometry.containment, lambda x, y: x.intersection(y) / x.area if x.area else 0.0),
    ):
        expected = np.array([[of_boxes(x, y) for y in other] for x in one]).reshape(shape)
        found = of_arrays(a, b)
        assert found.shape == shape
        assert np.array_equal(found, expected)


@given(arrays_of_boxes(), arrays_of_boxes())
def test_iou_is_symmetric_and_between_0_and_1(a, b):
    forth, back = geometry.iou(a, b), geometry.iou(b, a)
    assert np.array_equal(forth, back.T)
    assert ((forth >= 0) & (forth <= 1)).all()
    share = geometry.containment(a, b)
    assert ((share >= 0) & (share <= 1)).all()
    has_area = geometry.area(a) > 0
    assert (share[has_area][geometry.inside(a, b)[has_area]] == 1).all()


@given(st.lists(arrays_of_boxes(), min_size=1, max_size=4), arrays_of_boxes())
def test_a_padded_batch_gives_what_each_image_gives_alone(images, b):
    longest = max(map(len, images))
    batch = np.zeros((len(images), longest, 4))
    for i, boxes in enumerate(images):
        batch[i, : len(boxes)] = boxes
    for relation in (geometry.iou, geometry.containment, geometry.intersection):
        together = relation(batch, np.broadcast_to(b, (len(images), *b.shape)))
        assert together.shape == (len(images), longest, len(b))
        for i, boxes in enumerate(images):
            assert np.array_equal(together[i, : len(boxes)], relation(boxes, b))
            assert not together[i, len(boxes) :].any()


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 16])
def test_iou_is_the_same_however_it_is_cut_into_blocks(monkeypatch, block):
    random = np.random.default_rng(2)
    batch, other = (_random_boxes(random, 60, side=20).reshape(5, 12, 4) for _ in range(2))
    monkeypatch.setattr(geometry, "BLOCK", block)
    together = geometry.iou(batch, other)
    for i in range(5):
        alone = [[x.iou(y) for y in as_boxes(other[i])] for x in as_boxes(batch[i])]
        assert together[i].tolist() == geometry.iou(batch[i], other[i]).tolist() == alone
    # One image against a batch, and a batch against one image.
    assert np.array_equal(geometry.iou(batch[:1], other)[3], geometry.iou(batch[0], other[3]))
    assert np.array_equal(geometry.iou(batch, other[0])[3], geometry.iou(batch[3], other[0]))
    assert np.array_equal(geometry.iou(batch[0], other)[3], geometry.iou(batch[0], other[3]))


def test_iou_agrees_with_pycocotools():
    random = np.random.default_rng(0)
    a, b = (_random_boxes(random, 200) for _ in range(2))
    wide = [np.concatenate([x[:, :2], x[:, 2:] - x[:, :2]], axis=1) for x in (a, b)]
    theirs = mask.iou(*wide, np.zeros(len(b)))
    np.testing.assert_allclose(geometry.iou(a, b), theirs, rtol=1e-12, atol=1e-15)
    # With iscrowd, pycocotools divides by the first box's area alone: that is containment.
    np.testing.assert_allclose(geometry.containment(a, b), mask.iou(*wide, np.ones(len(b))), rtol=1e-12, atol=1e-15)


@given(arrays_of_boxes(min_n=1))
def test_union_is_the_smallest_box_around_all(boxes):
    around = geometry.union(boxes)
    assert geometry.inside(boxes, around[None]).all()
    assert around.tolist() == [*boxes[:, :2].min(0), *boxes[:, 2:].max(0)]
    assert np.array_equal(geometry.union(np.stack([boxes, boxes])), np.stack([around, around]))


@given(arrays_of_boxes(max_n=8), st.data())
def test_union_of_groups_is_the_union_of_each(boxes, data):
    groups = data.draw(hnp.arrays(np.int64, len(boxes), elements=st.integers(-2, 3)))
    names, around = geometry.union_of_groups(boxes, groups)
    assert names.tolist() == sorted(set(groups.tolist()))
    for name, box in zip(names, around, strict=True):
        assert np.array_equal(box, geometry.union(boxes[groups == name]))


@given(arrays_of_boxes(max_n=8))
def test_clipped_boxes_lie_in_their_pictures_and_keep_what_was_there(boxes):
    sizes = np.tile([5.0, 3.0], (len(boxes), 1))
    cut = geometry.clip(boxes, sizes)
    picture = np.array([[0.0, 0.0, 5.0, 3.0]])
    assert geometry.inside(cut, picture).all()
    assert np.array_equal(geometry.area(cut), geometry.intersection(boxes, picture)[:, 0])
    assert np.array_equal(cut, geometry.clip(boxes, (5, 3)))
    assert np.array_equal(cut, geometry.clip(cut, sizes))


def test_each_box_is_clipped_to_its_own_picture():
    assert geometry.clip([(-2, -2, 9, 9), (1, 1, 9, 9)], [(5, 3), (20, 4)]).tolist() == [[0, 0, 5, 3], [1, 1, 9, 4]]


def brute_force_nms(boxes: list[Box], scores: list[float], threshold: float, groups: list[int]) -> list[int]:
    kept: list[int] = []
    for i in sorted(range(len(boxes)), key=lambda i: (-scores[i], i)):
        if all(groups[i] != groups[k] or boxes[i].iou(boxes[k]) <= threshold for k in kept):
            kept.append(i)
    return kept


@given(arrays_of_boxes(max_n=14, whole=True), st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.data())
def test_nms_keeps_what_brute_force_keeps(boxes, threshold, data):
    n = len(boxes)
    scores = data.draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.1, 0.5, 0.9])))
    groups = data.draw(hnp.arrays(np.int64, n, elements=st.integers(0, 3)))
    expected = brute_force_nms(as_boxes(boxes), scores.tolist(), threshold, groups.tolist())
    assert geometry.nms(boxes, scores, threshold, groups).tolist() == expected
    # A group may be named by two things, here the halves of its number, or by words.
    pairs = np.stack([groups // 2, groups % 2], axis=1)
    assert geometry.nms(boxes, scores, threshold, pairs).tolist() == expected
    assert geometry.nms(boxes, scores, threshold, np.array(list("dcba"))[groups]).tolist() == expected
    alone = brute_force_nms(as_boxes(boxes), scores.tolist(), threshold, [0] * n)
    assert geometry.nms(boxes, scores, threshold).tolist() == alone


@pytest.mark.parametrize("batch", [1, 40, 1 << 20])
def test_nms_gives_the_same_however_groups_are_batched(monkeypatch, batch):
    random = np.random.default_rng(1)
    boxes = _random_boxes(random, 400, side=60)
    scores = random.integers(0, 20, 400) / 20
    groups = random.integers(0, 30, 400) ** 2 // 30
    monkeypatch.setattr(geometry, "NMS_BATCH", batch)
    expected = brute_force_nms(as_boxes(boxes), scores.tolist(), 0.3, groups.tolist())
    assert 30 < len(expected) < 400
    assert geometry.nms(boxes, scores, 0.3, groups).tolist() == expected


def test_of_equal_scores_the_first_box_survives():
    same = [(0, 0, 4, 4)] * 3
    assert geometry.nms(same, [0.5, 0.5, 0.5], 0.5).tolist() == [0]
    assert geometry.nms(same, [0.5, 0.9, 0.9], 0.5).tolist() == [1]
    assert geometry.nms(same, [0.5, 0.9, 0.9], 1.0).tolist() == [1, 2, 0]


@given(st.lists(arrays_of_boxes(max_n=5), max_size=5))
def test_pairs_of_concatenated_images_equal_each_images_matrix(images):
    offsets = np.cumsum([0, *map(len, images)])
    boxes = np.concatenate([np.zeros((0, 4)), *images])
    first, second, iou = geometry.iou_within(boxes, offsets)
    expected = [
        (start + i, start + j, geometry.iou(some, some)[i, j])
        for start, some in zip(offsets, images, strict=False)
        for i in range(len(some))
        for j in range(len(some))
        if i != j
    ]
    assert list(zip(first.tolist(), second.tolist(), iou.tolist(), strict=True)) == expected


def test_no_function_alters_its_input():
    boxes = np.array([[0.0, 0, 10, 10], [1, 1, 9, 9], [5, 5, 20, 20]])
    boxes.setflags(write=False)
    scores = np.array([0.1, 0.2, 0.3])
    scores.setflags(write=False)
    geometry.iou(boxes, boxes)
    geometry.containment(boxes, boxes)
    geometry.union(boxes)
    geometry.union_of_groups(boxes, [0, 0, 1])
    geometry.clip(boxes, (8, 8))
    geometry.nms(boxes, scores, 0.1, [0, 0, 1])
    geometry.iou_within(boxes, [0, 2, 3])
    assert boxes.tolist() == [[0, 0, 10, 10], [1, 1, 9, 9], [5, 5, 20, 20]]


def test_nothing_gives_nothing():
    assert geometry.corners([]).shape == (0, 4)
    assert geometry.iou([], []).shape == (0, 0)
    assert geometry.area([]).shape == (0,)
    assert geometry.nms([], [], 0.5, []).tolist() == []
    assert geometry.iou_within([], [0]).iou.tolist() == []
    assert geometry.iou_within([], [0, 0, 0]).first.tolist() == []
    assert geometry.clip([], (5, 5)).shape == (0, 4)
    assert geometry.union_of_groups([], [])[1].shape == (0, 4)


def test_corners_are_those_of_the_boxes():
    assert geometry.corners([Box("a", 1, 2, 3, 4.5)]).tolist() == [[1, 2, 3, 4.5]]


@pytest.mark.parametrize(
    "call",
    [
        lambda: geometry.area([[1, 2, 3]]),
        lambda: geometry.union(np.zeros((0, 4))),
        lambda: geometry.clip(np.zeros((1, 4)), (1, 2, 3)),
        lambda: geometry.nms(np.zeros((2, 4)), [1.0], 0.5),
        lambda: geometry.nms(np.zeros((1, 4)), [np.nan], 0.5),
        lambda: geometry.nms(np.zeros((1, 4)), [1.0], 1.5),
        lambda: geometry.nms(np.zeros((2, 4)), [1.0, 1.0], 0.5, [1]),
        lambda: geometry.iou_within(np.zeros((2, 4)), [0, 1]),
        lambda: geometry.pairs_within([1, 2]),
        lambda: geometry.pairs_within([0, 2, 1]),
    ],
)
def test_a_callers_mistake_is_a_value_error_that_says_what_is_wrong(call):
    with refusal(ValueError):
        call()


def _random_boxes(random: np.random.Generator, n: int, side: int = 500) -> Numbers:
    points = random.integers(0, side, (n, 2, 2)).astype(np.float64)
    return np.concatenate([points.min(1), points.max(1)], axis=-1)
