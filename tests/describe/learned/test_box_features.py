"""What boxes are judged by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from limner.corpus import Box, Image
from limner.describe.learned import LearnedSelector
from limner.describe.learned.box_features import FAMILIES, family_of, feature_names, matrix
from limner.describe.learned.box_layout import Layout

FARM = Image(
    "farm",
    100,
    100,
    (
        Box("man", 0, 0, 40, 80, "man", score=0.5),
        Box("hat", 10, 0, 30, 10, "hat", score=0.9),
        Box("ewe", 40, 40, 90, 90, "sheep"),
        Box("ram", 45, 50, 55, 60, "sheep"),
        Box("lamb", 95, 95, 100, 100, "sheep"),
    ),
)


@pytest.fixture(scope="module")
def seen(selector: LearnedSelector) -> dict[str, dict[str, float]]:
    """Every feature of every box of the farm, by the box's id."""
    layout = Layout([FARM])
    rows = matrix(layout, selector.model.priors, feature_names())
    return {id: dict(zip(feature_names(), row.tolist(), strict=True)) for id, row in zip(layout.ids, rows, strict=True)}


@pytest.mark.parametrize(
    ("box", "feature", "value"),
    [
        ("man", "geometry.area", 0.32),
        ("man", "geometry.size_place", 0),
        ("ewe", "geometry.size_place", 1),
        ("ewe", "geometry.of_largest", 0.25 / 0.32),
        ("man", "geometry.edges", 2),
        ("ram", "geometry.edges", 0),
        ("ram", "geometry.distance_place", 0),
        ("lamb", "geometry.gap", np.hypot(0.05, 0.05)),
        ("lamb", "geometry.above", 1.0),
        ("man", "type.people", 1),
        ("ewe", "type.people", 0),
        ("ewe", "type.same", 3),
        ("hat", "company.n_people", 1),
        ("hat", "company.n_animals", 3),
        ("hat", "containment.in_person", 1.0),
        ("hat", "containment.containers", 1),
        ("hat", "containment.of_container", 0.02 / 0.32),
        ("man", "containment.contents", 1),
        ("man", "containment.containers", 0),
        ("ewe", "containment.contents", 1),
        ("lamb", "containment.cover", 0.0),
        ("ewe", "redundancy.alike", 3),
        ("ewe", "redundancy.size_place", 0),
        ("ram", "redundancy.size_place", 1),
        ("lamb", "redundancy.size_place", 2),
        ("hat", "redundancy.alike", 1),
        ("ram", "redundancy.cover", 1.0),
        ("ram", "redundancy.of_largest", 0.01 / 0.25),
        ("man", "crowding.boxes", 5),
        ("man", "crowding.labels", 3),
        ("hat", "score.score", 0.9),
        ("hat", "score.place", 3),
        ("man", "score.place", 4),
    ],
)
def test_a_feature_says_what_its_name_says(
    seen: dict[str, dict[str, float]], box: str, feature: str, value: float
) -> None:
    assert seen[box][feature] == pytest.approx(value)


def test_names_are_distinct_and_begin_with_their_family() -> None:
    assert len(set(feature_names())) == len(feature_names())
    assert list(dict.fromkeys(map(family_of, feature_names()))) == list(FAMILIES)


def test_columns_come_in_the_order_of_their_names(selector: LearnedSelector) -> None:
    layout, priors = Layout([FARM]), selector.model.priors
    every = dict(zip(feature_names(), matrix(layout, priors, feature_names()).T, strict=True))
    some = ["score.score", "geometry.area", "score.place", "label.p"]
    assert np.array_equal(matrix(layout, priors, some).T, [every[name] for name in some])


def test_an_image_has_the_same_features_whatever_images_are_beside_it(
    selector: LearnedSelector, world: Callable[[int, int], list[Image]]
) -> None:
    images = [*world(20, 9), FARM, Image("none", 10, 10)]
    together = matrix(Layout(images), selector.model.priors, feature_names())
    alone = [matrix(Layout([image]), selector.model.priors, feature_names()) for image in images]
    assert np.array_equal(together, np.concatenate(alone))


def test_features_are_numbers_even_of_boxes_without_area(selector: LearnedSelector) -> None:
    boxes = (Box("0", 5, 5, 5, 5, "man"), Box("1", 0, 0, 10, 0, "man"), Box("2", 5, 5, 5, 5, "?", score=0.0))
    for image in (Image("a", 10, 10, boxes), Image("b", boxes=boxes), Image("c", boxes=boxes[:1])):
        assert np.isfinite(matrix(Layout([image]), selector.model.priors, feature_names())).all()
