"""Agreement: examples with published answers, the definitions by brute force, and Flickr8k's figures."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.errors import LimnerError
from limner.score.judgement.agreement import MEASURES, Measure, Ratings, agreement_report, measure_agreement
from limner.score.judgement.judged_captions import flickr8k
from limner.score.judgement.judgement_files import read_judgements
from limner.score.judgement.judgements import EXPERT, Judgement, Judgements
from refusals import refusal

Units = list[list[float]]


def ratings_of(units: Units) -> Ratings:
    unit = np.repeat(np.arange(len(units)), [len(one) for one in units])
    return Ratings(unit, [value for one in units for value in one], np.ones(len(unit), dtype=np.int64))


def ratings_of_table(rows: list[list[int]]) -> Ratings:
    """The ratings of a table: how often each unit has each value from 0 on."""
    table = np.array(rows)
    unit, value = np.nonzero(table)
    return Ratings(unit, value, table[unit, value])


def by_unit(*observers: str) -> Units:
    """The ratings of each unit, from a row for each observer; a point is missing."""
    return [[float(cell) for cell in cells if cell != "."] for cells in zip(*map(str.split, observers), strict=True)]


# Four observers and twelve units, from Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011),
# with the answers printed there.
FOUR_OBSERVERS = by_unit(
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)


@pytest.mark.parametrize(
    ("measure", "published"),
    [("alpha_nominal", 0.743), ("alpha_ordinal", 0.815), ("alpha_interval", 0.849), ("alpha_ratio", 0.797)],
)
def test_alpha_of_four_observers_with_missing_data(measure: Measure, published: float) -> None:
    assert measure_agreement(ratings_of(FOUR_OBSERVERS), measure, samples=0).value == pytest.approx(
        published, abs=0.0005
    )


def test_alpha_of_two_observers() -> None:
    # Two more of the same paper: binary data, and nominal data, there a to e.
    binary = by_unit("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
    assert measure_agreement(ratings_of(binary), "alpha_nominal", samples=0).value == pytest.approx(0.095, abs=0.0005)
    letters = by_unit("1 1 2 2 4 3 3 3 5 4 4 1", "2 1 2 2 2 3 3 3 5 4 4 4")
    assert measure_agreement(ratings_of(letters), "alpha_nominal", samples=0).value == pytest.approx(0.692, abs=0.0005)


def test_fleiss_kappa_of_fourteen_raters() -> None:
    # Ten subjects in five categories, the example that goes with κ in encyclopaedias: κ = .210.
    table = [
        *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]),
        *([7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
    ]
    ratings = ratings_of_table(table)
    assert measure_agreement(ratings, "fleiss_kappa", samples=0).value == pytest.approx(0.210, abs=0.0005)
    assert measure_agreement(ratings, "percent", samples=0).value == pytest.approx(0.378, abs=0.0005)


def by_definition(units: Units, measure: Measure) -> float | None:
    """The measure from every pair of ratings, one by one."""
    units = [unit for unit in units if len(unit) > 1]
    given_ = Counter(value for unit in units for value in unit)
    n = sum(given_.values())
    if len(given_) < 2:
        return None if measure != "percent" or not units else 1.0
    agreeing = [sum(a == b for a, b in permutations(u, 2)) / (len(u) * (len(u) - 1)) for u in units]
    if measure == "percent":
        return sum(agreeing) / len(units)
    if measure == "fleiss_kappa":
        chance = sum((count / n) ** 2 for count in given_.values())
        return (sum(agreeing) / len(units) - chance) / (1 - chance)

    def distance(a: float, b: float) -> float:
        low, high = min(a, b), max(a, b)
        between = sum(count for value, count in given_.items() if low <= value <= high)
        return {
            "alpha_nominal": float(a != b),
            "alpha_ordinal": between - (given_[a] + given_[b]) / 2,
            "alpha_interval": a - b,
            "alpha_ratio": (a - b) / (a + b) if a + b else 0.0,
        }[measure] ** 2

    observed = sum(distance(a, b) / (len(u) - 1) for u in units for a, b in permutations(u, 2)) / n
    everything = [value for unit in units for value in unit]
    expected = sum(distance(a, b) for a, b in permutations(everything, 2)) / (n * (n - 1))
    return 1 - observed / expected


VALUES = st.sampled_from([0.0, 0.1, 1.0, 2.0, 2.5, 7.0])


@given(
    units=st.lists(st.lists(VALUES, min_size=0, max_size=4), min_size=1, max_size=7), measure=st.sampled_from(MEASURES)
)
def test_every_measure_is_as_defined(units: Units, measure: Measure) -> None:
    found = measure_agreement(ratings_of(units), measure, samples=0)
    expected = by_definition(units, measure)
    if expected is None:
        assert found.value is None
        assert found.reason
    else:
        assert found.value == pytest.approx(expected, abs=1e-9)


@pytest.mark.usefixtures("intervals_of_few")
@pytest.mark.parametrize("measure", MEASURES)
def test_an_interval_is_of_samples_of_units(measure: Measure) -> None:
    units = [unit for unit in FOUR_OBSERVERS if len(unit) > 1] * 2
    found = measure_agreement(ratings_of(units), measure, samples=40, seed=3)
    # The same draws, unit by unit: a sample takes patterns in the order in which units first show them.
    patterns = list(dict.fromkeys(tuple(sorted(unit)) for unit in units))
    times = [sum(tuple(sorted(unit)) == pattern for unit in units) for pattern in patterns]
    draws = np.random.default_rng(3).multinomial(len(units), np.array(times) / len(units), size=40)
    values = [
        by_definition([list(p) for p, n in zip(patterns, drawn, strict=True) for _ in range(n)], measure)
        for drawn in draws
    ]
    there = [value for value in values if value is not None]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(there, [0.025, 0.975])), abs=1e-9)


@pytest.mark.usefixtures("intervals_of_few")
@pytest.mark.parametrize("measure", MEASURES)
def test_of_judgements_the_samples_are_of_images(measure: Measure) -> None:
    chance = np.random.default_rng(6)
    units: dict[tuple[str, str], list[float]] = {
        (f"i{i}", str(n)): [float(v) for v in np.clip(chance.integers(1, 4) + chance.integers(0, 2, size=3), 1, 4)]
        for i in range(8)
        for n in range(int(chance.integers(1, 5)))
    }
    # An image whose captions have one rating each is never drawn.
    units["once", "0"] = [4.0]
    people = Judgements.of(EXPERT, [Judgement(*pair, value) for pair, values in units.items() for value in values])
    found = measure_agreement(Ratings.of(people), measure, samples=60, seed=3)
    draws = np.random.default_rng(3).multinomial(8, np.full(8, 1 / 8), size=60)
    values = [
        by_definition(
            [unit for (image, _), unit in units.items() if image != "once" for _ in range(drawn[int(image[1:])])],
            measure,
        )
        for drawn in draws
    ]
    there = [value for value in values if value is not None]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(there, [0.025, 0.975])), abs=1e-9)


def test_units_of_few_images_say_less_than_units_alone() -> None:
    chance = np.random.default_rng(2)
    made = []
    for i in range(30):
        wild = i % 2
        for n in range(20):
            first = int(chance.integers(1, 5))
            other = int(chance.integers(1, 5)) if wild else first
            made += [Judgement(f"i{i}", str(n), float(first)), Judgement(f"i{i}", str(n), float(other))]
    people = Judgements.of(EXPERT, made)
    by_image = measure_agreement(Ratings.of(people), "alpha_nominal", samples=300)
    by_unit = measure_agreement(Ratings(people.pair, people.value, people.count), "alpha_nominal", samples=300)
    assert by_image.value == by_unit.value
    widths = [(found.high or 0.0) - (found.low or 0.0) for found in (by_image, by_unit)]
    assert widths[0] > 2 * widths[1] > 0


@pytest.mark.usefixtures("intervals_of_few")
def test_equal_seeds_give_equal_intervals() -> None:
    ratings = ratings_of(FOUR_OBSERVERS)
    assert measure_agreement(ratings, "alpha_ordinal", seed=1) == measure_agreement(ratings, "alpha_ordinal", seed=1)
    assert measure_agreement(ratings, "alpha_ordinal", seed=1) != measure_agreement(ratings, "alpha_ordinal", seed=2)


@pytest.mark.parametrize(
    ("units", "measure", "reason"),
    [
        ([[1.0], [2.0]], "alpha_nominal", "no unit has two ratings"),
        ([], "percent", "no unit has two ratings"),
        ([[1.0, 1.0], [1.0, 1.0]], "alpha_interval", "all ratings are equal"),
        ([[0.1, 0.1, 0.1], [0.1, 0.1]], "fleiss_kappa", "all ratings are equal"),
        ([[-1.0, 1.0]], "alpha_ratio", "below 0"),
        ([[float(n), float(n)] for n in range(1100)], "alpha_ratio", "more than 1,000"),
    ],
)
def test_where_there_is_no_answer_there_is_a_reason(units: Units, measure: Measure, reason: str) -> None:
    found = measure_agreement(ratings_of(units), measure)
    assert found.value is None
    assert reason in found.reason


def test_many_distinct_values_take_no_more_than_they_are() -> None:
    values = np.random.default_rng(0).normal(size=4000)
    ratings = Ratings(np.arange(4000) // 2, values, np.ones(4000, dtype=np.int64))
    found = measure_agreement(ratings, "alpha_ordinal", samples=20)
    assert found.value == pytest.approx(0.0, abs=0.05)
    assert found.low is not None
    assert found.low < found.value < (found.high or 0.0)


def test_no_samples_are_no_samples() -> None:
    with refusal(LimnerError):
        measure_agreement(ratings_of(FOUR_OBSERVERS), "percent", samples=-1)
    with refusal(LimnerError):
        measure_agreement(ratings_of(FOUR_OBSERVERS), "percents")  # type: ignore[arg-type]


def test_flickr8ks_experts_agree_as_known(shared_data: Path) -> None:
    expert, crowd = flickr8k(shared_data / "flickr8k_judgements")
    ratings = Ratings.of(expert.judgements)
    assert (ratings.n_pairable, ratings.n_ratings) == (5664, 16992)
    known = {"alpha_nominal": 0.488, "alpha_ordinal": 0.661, "alpha_interval": 0.738}
    for measure in MEASURES[:3]:
        found = measure_agreement(ratings, measure, samples=200)
        assert found.value == pytest.approx(known[measure], abs=0.0005)
        assert found.low is not None
        assert found.low < known[measure] < (found.high or 0.0)
    # Yes and no are two values: however their distance is taken, α is one.
    alphas = [measure_agreement(Ratings.of(crowd.judgements), measure, samples=0).value for measure in MEASURES[:4]]
    assert alphas == pytest.approx([alphas[0]] * 4, abs=1e-9)


def test_captions_of_the_image_itself_make_experts_agree_more(shared_data: Path) -> None:
    everything = read_judgements(shared_data / "flickr8k_judgements" / "ExpertAnnotations.txt")
    assert measure_agreement(Ratings.of(everything), "alpha_interval", samples=0).value == pytest.approx(
        0.788, abs=0.0005
    )


def test_a_report_has_every_measure_with_and_without_own_captions() -> None:
    people = Judgements.of(
        EXPERT,
        [Judgement("a", caption, value) for caption, value in (("a#0", 4.0), ("a#0", 4.0), ("b#1", 1.0), ("b#1", 2.0))],
    )
    report = agreement_report(people, samples=0)
    assert [result.measure for result in report.measures] == list(MEASURES)
    assert report.without_own is not None
    figures = report.to_json()
    assert (figures["n_pairs"], figures["agreement"]["percent"]["value"]) == (2, 0.5)
    assert figures["without_own"]["agreement"]["percent"] == {"value": 0.0, "low": None, "high": None}
    assert (figures["samples"], figures["sampled"]) == (0, "images")
    assert agreement_report(people.without_own(), samples=0).without_own is None


def test_fewer_than_30_units_have_no_interval_and_a_reason() -> None:
    few, enough = (
        measure_agreement(ratings_of_table([[2, 1], [0, 3]] * n), "alpha_nominal", samples=50) for n in (14, 15)
    )
    assert (few.low, few.high, few.reason) == (None, None, "no interval: fewer than 30 units")
    assert enough.low is not None
    assert enough.reason == ""
