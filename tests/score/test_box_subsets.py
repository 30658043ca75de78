"""Content selection by kinds of boxes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Box, Image
from limner.score.box_subsets import BoxSubsets
from limner.score.content import PRF, gold_sets, human, score_selection


def counted(image: Image, selected: set[str]) -> BoxSubsets:
    gold = gold_sets(image)
    found = BoxSubsets()
    found.add(image, frozenset(selected), gold, score_selection(selected, gold), human(gold))
    return found


def test_boxes_are_told_apart_by_label_type_and_size(image: Callable[..., Image]) -> None:
    boxes = (
        Box("a", 0, 0, 50, 100, "dog", types=("animals",)),
        Box("b", 0, 0, 10, 10, "dog", types=("animals", "other")),
        Box("c", 0, 0, 9, 9, "cat", types=("animals",)),
        Box("d", 0, 0, 9, 10, "hat"),
    )
    picture = replace(image("[dog]a", "[dogs]a,b", "[dog]a [cat]c", "[cat]c"), boxes=boxes)
    found = counted(picture, {"a", "b", "d"}).to_json()
    assert list(found["label"]) == ["dog", "cat", "hat"]
    # Three of four people mention a, one b: 3/4 + 1/4.
    assert found["label"]["dog"] == {
        "n_boxes": 2,
        "n_selected": 2,
        "mentioned": 0.5,
        "P": 0.5,
        "R": 1.0,
        "F": pytest.approx(2 / 3),
        # a: each of three people finds two of the three others agree; b: nobody.
        "human": pytest.approx(3 * 2 / 3 / 4),
    }
    assert found["label"]["cat"] == {
        "n_boxes": 1,
        "n_selected": 0,
        "mentioned": 0.5,
        "P": None,
        "R": 0.0,
        "F": 0.0,
        "human": pytest.approx(1 / 3),
    }
    assert found["label"]["hat"]["P"] == 0
    assert found["label"]["hat"]["R"] is None
    assert found["label"]["hat"]["human"] is None
    assert {kind: row["n_boxes"] for kind, row in found["type"].items()} == {"animals": 3, "other": 1, "untyped": 1}
    assert {band: row["n_boxes"] for band, row in found["size"].items()} == {"0-1%": 2, "1-5%": 1, "50-100%": 1}


def test_pictures_without_a_size_have_boxes_of_unknown_size(image: Callable[..., Image]) -> None:
    unsized = replace(image("[dog]a"), width=None, height=None)
    assert set(counted(unsized, {"a"}).to_json()["size"]) == {"unknown"}


@pytest.mark.parametrize(
    ("n", "band"),
    [(1, "1"), (2, "2"), (4, "4"), (5, "5-6"), (6, "5-6"), (7, "7-9"), (14, "10-14"), (20, "20+"), (5000, "20+")],
)
def test_images_are_told_apart_by_their_number_of_boxes(image: Callable[..., Image], n: int, band: str) -> None:
    found = counted(image("[dog]0", "[dog]0", boxes=" ".join(map(str, range(n)))), {"0"}).to_json()
    assert found["boxes"] == {band: {"n_images": 1, "P": 1.0, "R": 1.0, "F": 1.0, "human": 1.0}}


def test_a_single_caption_has_nobody_to_agree_with(image: Callable[..., Image]) -> None:
    found = counted(image("[dog]a"), {"a"}).to_json()
    assert found["boxes"]["1"]["human"] is None
    assert found["label"]["label a"]["human"] is None


@given(
    gold=st.lists(st.frozensets(st.sampled_from("abc"), min_size=1), min_size=2, max_size=5),
    selected=st.frozensets(st.sampled_from("abc"), min_size=1),
)
def test_one_kind_of_box_has_the_precision_of_the_image(gold: list[frozenset[str]], selected: frozenset[str]) -> None:
    boxes = tuple(Box(id, 0, 0, 1, 1, "thing") for id in "abc")
    found = BoxSubsets()
    found.add(Image("i", 9, 9, boxes), selected, gold, PRF(0, 0, 0), human(gold))
    row = found.to_json()["label"]["thing"]
    precision, _, _ = score_selection(selected, gold)
    assert row["P"] == pytest.approx(precision)
    # Pooled over captions rather than averaged, people's agreement is by pairs of captions.
    pairs = [(one, other) for i, one in enumerate(gold) for j, other in enumerate(gold) if i != j]
    agreed = sum(len(one & other) for one, other in pairs) / (len(gold) - 1)
    assert row["human"] == pytest.approx(agreed / sum(map(len, gold)))
