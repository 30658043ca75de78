"""Content selection, by equations 1 to 3 of Wang & Gaizauskas (2015)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Image
from limner.describe.selectors import All, Limited, Position, Size, seen
from limner.score.content import PRF, gold_sets, human, oracle, score_selection, summarise, weights

BOXES = "abcdef"

sets = st.frozensets(st.sampled_from(BOXES), min_size=1)
golds = st.lists(sets, min_size=1, max_size=5)


def by_the_book(selected: frozenset[str], gold: list[frozenset[str]]) -> PRF:
    """Equations 1 to 3, term by term."""
    p = sum(len(g & selected) / len(selected) for g in gold) / len(gold)
    r = sum(len(g & selected) / len(g) for g in gold) / len(gold)
    return PRF(p, r, 2 * p * r / (p + r) if p + r else 0.0)


@given(sets, golds)
def test_a_selection_scores_by_the_equations(selected: frozenset[str], gold: list[frozenset[str]]) -> None:
    assert score_selection(selected, gold) == pytest.approx(by_the_book(selected, gold))


@given(golds)
def test_an_empty_selection_scores_nothing(gold: list[frozenset[str]]) -> None:
    assert score_selection([], gold) == (0, 0, 0)


@given(golds)
def test_no_set_of_boxes_outscores_the_oracle(gold: list[frozenset[str]]) -> None:
    best = max(score_selection(chosen, gold).F for n in range(1, len(BOXES) + 1) for chosen in combinations(BOXES, n))
    reached = score_selection(oracle(gold), gold).F
    assert reached == pytest.approx(best)


@given(sets, golds)
def test_precision_and_recall_are_sums_of_what_boxes_are_worth(
    selected: frozenset[str], gold: list[frozenset[str]]
) -> None:
    worth = [weights(gold).get(box, (0, 0.0)) for box in selected]
    p, r = sum(c for c, _ in worth) / len(gold) / len(selected), sum(share for _, share in worth)
    assert score_selection(selected, gold)[:2] == pytest.approx((p, r))


@given(golds)
def test_people_are_scored_against_the_others(gold: list[frozenset[str]]) -> None:
    found = human(gold)
    if len(gold) < 2:
        assert found is None
        return
    scores = [by_the_book(gold[i], gold[:i] + gold[i + 1 :]) for i in range(len(gold))]
    assert found == pytest.approx([sum(column) / len(gold) for column in zip(*scores, strict=True)])
    precision, recall, _ = found
    assert precision == pytest.approx(recall)


@given(sets, golds, st.integers(0, 3))
def test_a_caption_without_a_box_counts_in_the_m_of_precision_alone(
    selected: frozenset[str], gold: list[frozenset[str]], n_empty: int
) -> None:
    p, r, _ = by_the_book(selected, gold)
    found = score_selection(selected, [*gold, *[frozenset[str]()] * n_empty])
    assert found[:2] == pytest.approx((p * len(gold) / (len(gold) + n_empty), r))
    worth = [weights([frozenset(), *gold]).get(box, (0, 0.0)) for box in selected]
    assert sum(share for _, share in worth) == pytest.approx(r)


def test_people_who_agree_score_one() -> None:
    assert human([frozenset("ab")] * 3) == (1, 1, 1)


def test_the_boxes_of_figure_2_count_as_the_paper_says(figure_2: Image) -> None:
    gold = gold_sets(figure_2)
    shares = {box: count for box, (count, _) in weights(gold).items()}
    assert len(gold) == 7
    assert shares == {"2": 7, "3": 7, "5": 4, "0": 2}
    woman_and_car, woman_and_dress = score_selection(["2", "3"], gold), score_selection(["2", "0"], gold)
    assert woman_and_car.F > woman_and_dress.F
    assert woman_and_car.P == 1
    precision, _, _ = woman_and_dress
    assert precision == pytest.approx(9 / 14)


def test_captions_without_boxes_and_those_of_systems_are_no_gold(
    image: Callable[..., Image],
) -> None:
    assert gold_sets(image("A [dog]a .", "Nothing [here] .", "Words .", "[Dogs]a,b .")) == [{"a"}, {"a", "b"}]


def test_captions_without_boxes_may_count_as_empty(image: Callable[..., Image]) -> None:
    assert gold_sets(image("A [dog]a .", "Words ."), all_captions=True) == [{"a"}, set()]
    assert gold_sets(image("Words .", "More ."), all_captions=True) == []


def test_a_summary_has_means_and_the_populations_spread() -> None:
    found = summarise({"i": PRF(0, 0.5, 0), "j": PRF(1, 0.5, 0.5)})
    assert found[:7] == (2, 0.5, 0.5, 0.25, 0.5, 0.0, 0.25)
    assert summarise({}).n_images == 0


def test_people_on_flickr30k_entities(val: list[Image]) -> None:
    found = summarise({image.id: score for image in val if (score := human(gold_sets(image))) is not None})
    assert [round(value, 4) for value in found[:4]] == [1000, 0.6841, 0.6841, 0.6573]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (All(), (0.5397, 1.0, 0.6874)),
        (Limited(Size(), 4), (0.6076, 0.6865, 0.6249)),
        (Limited(Position(), 4), (0.5734, 0.6416, 0.5858)),
        (Limited(Position(), 1), (None, None, 0.2794)),
    ],
    ids=["all", "size 4", "position 4", "position 1"],
)
def test_selectors_on_flickr30k_entities(
    val: list[Image], selector: Limited, expected: tuple[float | None, ...]
) -> None:
    found = summarise({i.id: score_selection(selector.select(seen(i)), gold_sets(i)) for i in val})
    assert found.n_images == 1000
    for value, wanted in zip((found.P, found.R, found.F), expected, strict=True):
        assert wanted is None or round(value, 4) == wanted


def test_with_very_many_boxes_the_oracle_still_answers() -> None:
    everything = frozenset(map(str, range(3000)))
    gold = [everything, frozenset({"1", "2"}), frozenset({"1", "2"})]
    assert oracle(gold) >= {"1", "2"}
    assert score_selection(oracle(gold), gold).F >= score_selection({"1", "2"}, gold).F
