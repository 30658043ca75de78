"""Scores of retrieval, against definitions that are written out query by query."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from limner.errors import BadInput, LimnerError
from limner.score.retrieval.relevance import Relevance, average_precision_at_r, read_relevance
from limner.score.retrieval.retrieval_evaluation import COMPARED, Direction, evaluate_retrieval, median_bounds
from limner.score.retrieval.retrieval_system import RetrievalSystem, embedded_system
from refusals import refusal


class Table:
    """Scores that are all there."""

    def __init__(self, scores: np.ndarray) -> None:
        self.scores = np.asarray(scores, dtype=np.float32)

    @property
    def shape(self) -> tuple[int, int]:
        return self.scores.shape

    def block(self, rows: slice, columns: slice) -> np.ndarray:
        return np.ascontiguousarray(self.scores[rows, columns])

    def pairs(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return self.scores[rows, columns]


def system(scores: np.ndarray, gold: list[int], name: str = "mine") -> RetrievalSystem:
    table = Table(scores)
    images, texts = ([f"{kind}{n}" for n in range(size)] for kind, size in zip("it", table.shape, strict=True))
    return RetrievalSystem(name, images, texts, np.array(gold), table)


def recall(scores: np.ndarray, gold: list[set[int]], k: int) -> float:
    """The share of queries of which a gold item is among the first k, all others of its score before it."""
    hits = []
    for row, relevant in zip(scores.tolist(), gold, strict=True):
        if relevant:
            order = sorted(range(len(row)), key=lambda item: (-row[item], item in relevant))
            hits.append(bool(relevant & set(order[:k])))
    return sum(hits) / len(hits)


def precision_at_r(row: list[float], relevant: set[int]) -> float:
    order = sorted(range(len(row)), key=lambda item: (-row[item], item))[: len(relevant)]
    return sum(len(relevant & set(order[: i + 1])) / (i + 1) for i, item in enumerate(order) if item in relevant) / len(
        relevant
    )


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, list[int]]:
    n_images, n_texts = draw(st.integers(1, 9)), draw(st.integers(1, 14))
    values = st.sampled_from([0.0, 0.25, 0.5, 0.75])
    scores = draw(arrays.arrays(np.float32, (n_images, n_texts), elements=values))
    gold = draw(st.lists(st.integers(-1, n_images - 1), min_size=n_texts, max_size=n_texts))
    return scores, gold if any(row >= 0 for row in gold) else [0, *gold[1:]]


@settings(deadline=None)
@given(tables())
def test_figures_are_those_of_their_definitions(table: tuple[np.ndarray, list[int]]) -> None:
    scores, gold = table
    of_images = [{text for text, row in enumerate(gold) if row == image} for image in range(len(scores))]
    of_texts = [{row} - {-1} for row in gold]
    (found,) = evaluate_retrieval([system(scores, gold)], samples=0).systems
    for k in (1, 5, 10):
        assert found.values[f"image_to_text R@{k}"] == pytest.approx(recall(scores, of_images, k))
        assert found.values[f"text_to_image R@{k}"] == pytest.approx(recall(scores.T, of_texts, k))
    expected = [precision_at_r(row, of) for row, of in zip(scores.tolist(), of_images, strict=True) if of]
    assert found.values["image_to_text mAP@R"] == pytest.approx(np.mean(expected))
    ranks = found.directions["text_to_image"].ranks
    assert found.values["text_to_image median_rank"] == np.median(ranks[ranks > 0])
    recalls = [found.values[name] for name in COMPARED if name != "rsum"]
    assert found.values["rsum"] == pytest.approx(sum(recalls))


def test_a_hand_worked_case() -> None:
    # Image 0 has texts 0 and 1, image 1 text 2. Text 1 is nearer to image 1; text 2 ties with text 0 at image 1.
    scores = np.array([[0.9, 0.1, 0.5], [0.3, 0.8, 0.3]])
    (found,) = evaluate_retrieval([system(scores, [0, 0, 1])], samples=0).systems
    assert found.values["image_to_text R@1"] == 0.5  # image 1's own text is third: texts 1 and 0 come before it
    assert found.directions["image_to_text"].ranks.tolist() == [1, 3]
    assert found.directions["text_to_image"].ranks.tolist() == [1, 2, 2]
    assert found.values["text_to_image R@1"] == pytest.approx(1 / 3)
    assert found.values["image_to_text mAP@R"] == pytest.approx((0.5 + 0) / 2)
    assert found.values["image_to_text median_rank"] == 2


def test_an_encoder_that_says_nothing_finds_nothing() -> None:
    constant = embedded_system("none", list("abcdefghijkl"), np.ones((12, 3)), list("abcdefghijkl"), np.ones((12, 3)))
    (found,) = evaluate_retrieval([constant], samples=0).systems
    assert found.values["rsum"] == 0
    assert found.values["text_to_image median_rank"] == 12


def test_other_relevance_changes_mean_average_precision_alone() -> None:
    scores = np.array([[0.9, 0.8, 0.1], [0.2, 0.7, 0.3]])
    plain = evaluate_retrieval([system(scores, [0, 1, 1])], samples=0).systems[0]
    wide = Relevance("wide", {"i0": ["t0", "t1"], "i1": ["t1", "t2"]})
    more = evaluate_retrieval([system(scores, [0, 1, 1])], relevance=wide, samples=0).systems[0]
    assert more.values["image_to_text mAP@R"] == 1.0
    assert more.values["text_to_image mAP@R"] == 1.0
    assert plain.values["text_to_image mAP@R"] == pytest.approx(2 / 3)
    assert more.values["text_to_image R@1"] == plain.values["text_to_image R@1"]
    assert "relevance:wide" in more.signature
    assert more.signature != plain.signature


@pytest.mark.parametrize("texts_of_images", [{"i9": ["t0"]}, {"i0": ["t9"]}])
def test_relevance_of_what_is_not_there_is_an_error(texts_of_images: dict[str, list[str]]) -> None:
    with refusal(BadInput):
        evaluate_retrieval([system(np.eye(2), [0, 1])], relevance=Relevance("r", texts_of_images))


def test_average_precision_is_the_published_one() -> None:
    # Musgrave et al. (2020), Table 1 of their appendix: R = 10 neighbours, the first right alone, or the first two.
    one = np.array([[True] + [False] * 9])
    two = np.array([[True, True] + [False] * 8])
    last = np.array([[False] * 9 + [True]])
    ten = np.array([10])
    assert average_precision_at_r(one, ten)[0] == pytest.approx(0.1)
    assert average_precision_at_r(two, ten)[0] == pytest.approx(0.2)
    assert average_precision_at_r(last, ten)[0] == pytest.approx(0.01)
    assert isnan(average_precision_at_r(one, np.array([0]))[0])


def noisy(seed: int, noise: float, n: int = 60) -> RetrievalSystem:
    random = np.random.default_rng(seed)
    images = np.random.default_rng(5).standard_normal((n, 16))
    texts = np.repeat(images, 5, axis=0) + noise * random.standard_normal((5 * n, 16))
    ids = [f"p{i}" for i in range(n)]
    return embedded_system(
        f"noise {noise}", ids, images, [id for id in ids for _ in range(5)], texts, signature=f"s{noise}"
    )


def test_intervals_hold_the_values_and_a_better_system_is_told_from_a_worse() -> None:
    scores = evaluate_retrieval([noisy(0, 1.0), noisy(1, 2.5)], samples=300)
    for found in scores.systems:
        assert found.counts["n_texts"] == 300
        for name, (low, high) in found.intervals.items():
            assert isnan(low) or low <= found.values[name] <= high
    by_column = {row.column: row for row in scores.differences}
    assert set(by_column) == set(COMPARED)
    assert by_column["rsum"].difference > 0
    assert by_column["rsum"].p_adjusted < 0.01
    assert scores.to_json()["compared"]["noise 2.5"]["image_to_text"]["R@1"] < scores.to_json()["image_to_text"]["R@1"]


def test_the_order_of_images_and_texts_changes_nothing() -> None:
    first = noisy(0, 1.5)
    backwards = RetrievalSystem(
        "backwards",
        list(first.image_ids)[::-1],
        list(first.text_ids)[::-1],
        (len(first.image_ids) - 1 - first.text_images)[::-1],
        Table(first.scores.block(slice(None), slice(None))[::-1, ::-1]),
        first.signature,
    )
    scores = evaluate_retrieval([first, backwards], samples=100)
    one, other = scores.systems
    assert one.values == pytest.approx(other.values)
    assert one.signature == other.signature
    assert {row.difference for row in scores.differences} == {0.0}


def test_the_interval_of_a_median_is_that_of_drawing_images() -> None:
    random = np.random.default_rng(2)
    images = np.repeat(np.arange(40), 3)
    ranks = random.integers(1, 90, size=120)
    found = median_bounds(Direction(ranks, np.zeros(120), images), 800)
    drawn = np.random.default_rng(7).integers(40, size=(800, 40))
    medians = [np.median(np.concatenate([ranks[3 * i : 3 * i + 3] for i in sample])) for sample in drawn.tolist()]
    low, high = np.quantile(medians, [0.025, 0.975])
    assert abs(found.low - low) <= 4
    assert abs(found.high - high) <= 4


def test_systems_of_other_images_are_not_compared() -> None:
    with refusal(BadInput):
        evaluate_retrieval([system(np.eye(2), [0, 1]), system(np.eye(3), [0, 1, 2], "other")])
    swapped = system(np.eye(2), [1, 0], "other")
    with refusal(BadInput):
        evaluate_retrieval([system(np.eye(2), [0, 1]), swapped])


def test_nothing_to_score_is_an_error() -> None:
    with refusal(LimnerError):
        evaluate_retrieval([])
    with refusal(BadInput):
        evaluate_retrieval([system(np.eye(2), [-1, -1])])


def test_relevance_is_read_and_what_is_none_refused(tmp_path: Path) -> None:
    path = tmp_path / "right.json"
    path.write_text('{"a": ["a#0", "b#1"]}')
    assert read_relevance(path).texts_of_images == {"a": frozenset({"a#0", "b#1"})}
    path.write_text('{"a": "a#0"}')
    with refusal(BadInput):
        read_relevance(path)


def test_images_that_relevance_does_not_list_are_an_error() -> None:
    with refusal(BadInput):
        evaluate_retrieval([system(np.eye(3), [0, 1, 2])], relevance=Relevance("r", {"i1": ["t1"]}))
    listed = Relevance("r", {"i0": [], "i1": ["t1", "t0"], "i2": []})
    (found,) = evaluate_retrieval([system(np.eye(3), [0, 1, 2])], relevance=listed, samples=0).systems
    report = found.to_json()
    assert [report[name]["n_mAP_queries"] for name in ("image_to_text", "text_to_image")] == [1, 2]


@pytest.mark.parametrize("turned", [False, True])
def test_texts_of_no_image_count_where_relevance_lists_them(turned: bool) -> None:
    """Of three texts, worked out by hand: t0 finds i0 first (1), t1 finds i0, not i1 (0), t2 both of its two (1)."""
    scores = np.array([[0.9, 0.8, 0.7], [0.1, 0.2, 0.6], [0.0, 0.1, 0.1]])
    right = Relevance("r", {"i0": ["t0", "t2"], "i1": ["t1", "t2"], "i2": []})
    systems = [system(scores, [0, 1, -1])]
    if turned:
        rows = [2, 1, 0]
        images = [f"i{row}" for row in rows]
        systems.append(RetrievalSystem("turned", images, ["t0", "t1", "t2"], np.array([2, 1, -1]), Table(scores[rows])))
    results = evaluate_retrieval(systems, relevance=right, samples=0).systems
    for found in results:
        assert found.values["text_to_image mAP@R"] == pytest.approx(2 / 3)
        assert found.values["text_to_image R@1"] == 0.5
        assert found.to_json()["text_to_image"]["n_mAP_queries"] == 3
    assert np.array_equal(results[0].statistics.rows, results[-1].statistics.rows)


def test_an_id_that_is_there_twice_is_named() -> None:
    ids = [f"i{n}" for n in range(100_000)]
    table = Table(np.zeros((100_001, 1), dtype=np.float32))
    with refusal(BadInput):
        RetrievalSystem("mine", [*ids, ids[-1]], ["t"], np.array([0]), table)
