"""Kendall's τ-b between the orders in which captions mention boxes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Caption
from limner.score.ordering import Ordering, places, tau

orders = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 4))


def by_pairs(one: dict[str, int], other: dict[str, int]) -> float | None:
    """τ-b by its definition, over every two shared boxes."""
    numerator = untied_one = untied_other = 0
    for a, b in combinations(sorted(one.keys() & other.keys()), 2):
        x, y = one[a] - one[b], other[a] - other[b]
        untied_one += x != 0
        untied_other += y != 0
        numerator += (x * y > 0) - (x * y < 0)
    return numerator / sqrt(untied_one * untied_other) if untied_one and untied_other else None


@given(orders, orders)
def test_tau_is_kendalls_by_definition(one: dict[str, int], other: dict[str, int]) -> None:
    expected = by_pairs(one, other)
    assert tau(one, other) == (None if expected is None else pytest.approx(expected))


@given(orders, orders)
def test_tau_is_mutual_and_within_bounds(one: dict[str, int], other: dict[str, int]) -> None:
    found = tau(one, other)
    assert found == tau(other, one)
    assert found is None or -1 <= found <= 1


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("[A]a [b]b [c]c", "[A]a [b]b [c]c", 1.0),
        ("[A]a [b]b [c]c", "[c]c [b]b [a]a", -1.0),
        ("[A]a [b]b [c]c", "[A]a [c]c [b]b", 1 / 3),
        ("[A]a [b]b [c]c [a]a", "[b]b [A]a", -1.0),
        ("[A]a [x] [d]d [b]b", "[A]a [b]b [c]c", 1.0),
        ("[Both]a,b [c]c", "[Both]a,b [c]c", 1.0),
        ("[Both]a,b [c]c", "[A]a [b]b [c]c", 2 / sqrt(2 * 3)),
        ("[Both]a,b", "[A]a [b]b", None),
        ("[A]a [b]b", "[Both]a,b", None),
        ("[A]a [b]b", "[A]a [c]c", None),
        ("[A]a", "[A]a", None),
        ("None .", "[A]a [b]b", None),
    ],
)
def test_orders_are_compared_by_first_mention(
    caption: Callable[[str], Caption], one: str, other: str, expected: float | None
) -> None:
    found = tau(places(caption(one)), places(caption(other)))
    assert found == (None if expected is None else pytest.approx(expected))


def test_an_image_has_the_mean_over_captions_that_can_be_compared(caption: Callable[[str], Caption]) -> None:
    gold = [places(caption(text)) for text in ("[a]a [b]b [c]c", "[c]c [b]b [a]a", "[a]a [b]b", "[a]a", "[two]a,b")]
    assert Ordering().compare(places(caption("[a]a [b]b [c]c")), gold) == ((pytest.approx(1 / 3),), 5, 3)
    assert Ordering().compare(places(caption("[d]d")), gold) == ((None,), 5, 0)


def test_thousands_of_boxes_are_ordered_at_once() -> None:
    n = 20_000
    forth, back = {str(i): i for i in range(n)}, {str(i): n - i for i in range(n)}
    assert tau(forth, forth) == 1
    assert tau(forth, back) == -1
