from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Box, Image
from limner.describe.realise.evidence import ClueRows, Evidence, clues
from strategies import images


def at_size(label: str, side: float, n: int = 1) -> list[Box]:
    return [Box(f"{label}{i}", 0, 0, side, side, label) for i in range(n)]


@pytest.mark.parametrize(
    ("boxes", "names"),
    [
        ([], []),
        (at_size("dog", 30), ["kind animals", "dog"]),
        (at_size("dog", 50), ["kind animals", "dog", "large dog"]),
        (at_size("dog", 22), ["kind animals", "dog", "small dog"]),
        (at_size("dogs", 30), ["kind animals", "dog"]),
        (at_size("dog", 30, 2), ["kind animals", "dog", "dog > 1", "boxes > 1"]),
        (at_size("dog", 30, 4), ["kind animals", "dog", "dog > 1", "boxes > 1", "boxes > 3"]),
        (at_size("dog", 30, 5), ["kind animals", "dog", "dog > 1", "dog > 4", "boxes > 1", "boxes > 3"]),
        (
            at_size("dog", 10) + at_size("horse", 60) + at_size("hat", 30),
            ["kind animals", "kind clothing", "dog", "small dog", "horse", "large horse", "hat", "boxes > 1"],
        ),
    ],
)
def test_clues_are_nouns_numbers_sizes_and_kinds(boxes: list[Box], names: list[str]) -> None:
    assert clues(Image("i", 100, 100, tuple(boxes))) == names


def test_the_largest_of_a_noun_tells_its_size() -> None:
    boxes = (Box("0", 0, 0, 1, 1, "dog"), Box("1", 0, 0, 60, 60, "dog"))
    assert "large dog" in clues(Image("i", 100, 100, boxes))


def test_sizes_in_a_picture_of_unknown_size_are_shares_of_its_boxes() -> None:
    boxes = (Box("0", 50, 50, 60, 60, "dog"), Box("1", 50, 50, 100, 150, "horse"))
    names = clues(Image("i", None, None, boxes))
    assert "small dog" in names
    assert "large horse" in names


@given(images())
def test_no_clue_is_given_twice_or_is_the_one_that_always_holds(image: Image) -> None:
    names = clues(image)
    assert len(names) == len(set(names))
    assert "" not in names


EVIDENCE = Evidence(
    weights={
        "kitchen": {"": -2.0, "oven": 3.0, "surfboard": -1.0, "cup": 0.5},
        "beach": {"": -1.0, "surfboard": 2.5},
        "play": {"": 0.0},
    }
)


@pytest.mark.parametrize(
    ("names", "scores"),
    [
        ([], [-2.0, -1.0, 0.0]),
        (["oven"], [1.0, -1.0, 0.0]),
        (["surfboard"], [-3.0, 1.5, 0.0]),
        (["oven", "cup", "surfboard"], [0.5, 1.5, 0.0]),
        (["what nobody knows", "oven"], [1.0, -1.0, 0.0]),
    ],
)
def test_probabilities_are_those_of_the_summed_weights(names: list[str], scores: list[float]) -> None:
    assert EVIDENCE.outcomes == ["kitchen", "beach", "play"]
    assert EVIDENCE.probabilities(names) == pytest.approx([1.0 / (1.0 + exp(-score)) for score in scores])


def test_the_strongest_clues_that_hold_are_reasons() -> None:
    held = ["cup", "surfboard", "oven", "what nobody knows"]
    assert EVIDENCE.reasons("kitchen", held) == [("oven", 3.0), ("cup", 0.5)]
    assert EVIDENCE.reasons("kitchen", held, most=1) == [("oven", 3.0)]
    assert EVIDENCE.reasons("kitchen", []) == []
    assert EVIDENCE.reasons("play", held) == []


def test_of_equal_clues_the_first_in_the_alphabet_comes_first() -> None:
    evidence = Evidence(weights={"kitchen": {"": 0.0, "b": 1.0, "a": 1.0, "c": 1.0, "d": 1.0}})
    assert evidence.reasons("kitchen", ["d", "c", "b", "a"]) == [("a", 1.0), ("b", 1.0), ("c", 1.0)]


def test_weights_are_rounded_and_those_that_matter_little_are_dropped() -> None:
    weights = np.array([[1.234, 0.004], [-0.0049, -0.126]])
    evidence = Evidence.of(["kitchen", "beach"], ["oven", "cup"], np.array([-1.23456, 0.5]), weights)
    assert evidence.weights == {"kitchen": {"": -1.235, "oven": 1.23}, "beach": {"": 0.5, "cup": -0.13}}


@given(
    st.dictionaries(
        st.sampled_from("xyz"), st.dictionaries(st.sampled_from(["a", "b", "c"]), st.floats(-5, 5)), min_size=1
    ),
    st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True),
)
def test_the_sum_of_reasons_is_what_a_dictionary_gives(weights: dict[str, dict[str, float]], names: list[str]) -> None:
    evidence = Evidence(weights={outcome: {"": 0.25, **of_outcome} for outcome, of_outcome in weights.items()})
    expected = [
        1.0 / (1.0 + exp(-0.25 - sum(of_outcome.get(name, 0.0) for name in names))) for of_outcome in weights.values()
    ]
    assert evidence.probabilities(names) == pytest.approx(expected)


def test_clues_that_few_images_have_are_left_out_and_the_most_frequent_come_first() -> None:
    rows = ClueRows([["a", "b"], ["b", "c"], ["b", "c", "d"], []], least=2, most=10)
    assert rows.names == ["b", "c"]
    assert [row.tolist() for row in rows.rows] == [[0], [0, 1], [0, 1], []]
    assert ClueRows([["b", "a"], ["a", "b"]], least=1, most=1).names == ["a"]
