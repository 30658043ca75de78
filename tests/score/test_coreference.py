"""MUC, B³ and CEAF-e against worked examples of the papers and of the reference scorer, and against brute force."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.score.coreference import Agreement, Chains, b_cubed, ceaf_e, muc


def chains(written: str) -> list[frozenset[Hashable]]:
    """`"a bc"` is the chains {a} and {b, c}."""
    return [frozenset(letters) for letters in written.split()]


def recall_precision(agreement: Agreement) -> tuple[float, float]:
    return (
        agreement.gold_right / agreement.gold if agreement.gold else 0.0,
        agreement.predicted_right / agreement.predicted if agreement.predicted else 0.0,
    )


A, D = "a bc def", "12345 67 89ABC"

# Recall and precision: the test cases of the reference scorer (conll/reference-coreference-scorers, version 8,
# test/TestCases.README and test/CorefMetricTestConfig.pm), by their names there. Capital letters of are
# mentions that overlap others. D and E are the example of Bagga & Baldwin (1998), F to L those of Vilain et al. (1995).
MUC = [
    ("A-1", A, "a bc def", 1, 1),
    ("A-2", A, "a de", 1 / 3, 1),
    ("A-3", A, "a bcx defy z", 1, 3 / 5),
    ("A-4", A, "a bcx dy z", 1 / 3, 1 / 3),
    ("A-5", A, "a bcxB dy z", 1 / 3, 1 / 4),
    ("A-6", A, "a bcx dy Bz", 1 / 3, 1 / 4),
    ("A-10", A, "a b c d e f", 0, 0),
    ("A-11", A, "abcdef", 1, 3 / 5),
    ("A-12", A, "a x y c d e z", 0, 0),
    ("A-13", A, "axycdez", 1 / 3, 1 / 6),
    ("D-1", D, "12345 6789ABC", 1, 9 / 10),
    ("E-1", D, "1234589ABC 67", 1, 9 / 10),
    ("F-1", "ABCD", "AB CD", 2 / 3, 1),
    ("G-1", "AB CD", "ABCD", 1, 2 / 3),
    ("H-1", "ABCD", "ABCD", 1, 1),
    ("J-1", "ABC", "AC", 1 / 2, 1),
    ("K-1", "BCDEGHJ", "ABC DEF GHI", 3 / 6, 3 / 6),
    ("L-1", "ABC DEFG", "AB CD FGH", 2 / 5, 2 / 4),
    ("M-2", "abcdef", "a b c d e f", 0, 0),
    ("N-1", "a b c d e f", "a b c d e f", 0, 0),
]
B_CUBED = [
    ("A-1", A, "a bc def", 1, 1),
    ("A-2", A, "a de", 7 / 18, 1),
    ("A-3", A, "a bcx defy z", 1, 55 / 108),
    ("A-4", A, "a bcx dy z", 5 / 9, 17 / 42),
    ("A-5", A, "a bcxB dy z", 5 / 9, 5 / 16),
    ("A-6", A, "a bcx dy Bz", 5 / 9, 17 / 48),
    ("A-10", A, "a b c d e f", 1 / 2, 1),
    ("A-11", A, "abcdef", 1, 7 / 18),
    ("A-12", A, "a x y c d e z", 13 / 36, 4 / 7),
    ("A-13", A, "axycdez", 17 / 36, 6 / 49),
    ("D-1", D, "12345 6789ABC", 1, 16 / 21),
    ("E-1", D, "1234589ABC 67", 1, 7 / 12),
    ("N-1", "a b c d e f", "a b c d e f", 1, 1),
]
CEAF_E = [
    ("A-1", A, "a bc def", 1, 1),
    ("A-2", A, "a de", 1.8 / 3, 1.8 / 2),
    ("A-3", A, "a bcx defy z", 0.88571, 0.66429),
    ("A-4", A, "a bcx dy z", 2.2 / 3, 2.2 / 4),
    ("A-5", A, "a bcxB dy z", 0.68889, 0.51667),
    ("A-6", A, "a bcx dy Bz", 2.2 / 3, 2.2 / 4),
    ("M-1", "abcdef", "abcdef", 1, 1),
    ("N-1", "a b c d e f", "a b c d e f", 1, 1),
]


@pytest.mark.parametrize(("name", "gold", "predicted", "recall", "precision"), MUC, ids=[case[0] for case in MUC])
def test_muc_of_worked_examples(name: str, gold: str, predicted: str, recall: float, precision: float) -> None:
    assert recall_precision(muc(chains(gold), chains(predicted))) == pytest.approx((recall, precision))


@pytest.mark.parametrize(
    ("name", "gold", "predicted", "recall", "precision"), B_CUBED, ids=[case[0] for case in B_CUBED]
)
def test_b_cubed_of_worked_examples(name: str, gold: str, predicted: str, recall: float, precision: float) -> None:
    assert recall_precision(b_cubed(chains(gold), chains(predicted))) == pytest.approx((recall, precision))


@pytest.mark.parametrize(("name", "gold", "predicted", "recall", "precision"), CEAF_E, ids=[case[0] for case in CEAF_E])
def test_ceaf_e_of_worked_examples(name: str, gold: str, predicted: str, recall: float, precision: float) -> None:
    assert recall_precision(ceaf_e(chains(gold), chains(predicted))) == pytest.approx((recall, precision), abs=1e-5)


# F of φ4 in the example of Luo (2005), table 1: two chains merged in two ways, all in one, each alone.
LUO = [
    ("a", "12345 6789ABC", 0.733),
    ("b", "1234589ABC 67", 0.667),
    ("c", "123456789ABC", 0.294),
    ("d", "1 2 3 4 5 6 7 8 9 A B C", 0.178),
]


@pytest.mark.parametrize(("name", "predicted", "f"), LUO, ids=[case[0] for case in LUO])
def test_ceaf_e_of_the_paper_that_defined_it(name: str, predicted: str, f: float) -> None:
    recall, precision = recall_precision(ceaf_e(chains(D), chains(predicted)))
    assert 2 * precision * recall / (precision + recall) == pytest.approx(f, abs=5e-4)


def ceaf_by_trying(gold: Chains, predicted: Chains) -> float:
    """The largest sum of φ4 over all ways to match the chains one to one."""
    fewer, more = sorted((gold, predicted), key=len)
    return max(
        sum(2 * len(a & more[i]) / (len(a) + len(more[i])) for a, i in zip(fewer, places, strict=True))
        for places in permutations(range(len(more)), len(fewer))
    )


def partition(letters: str) -> st.SearchStrategy[list[frozenset[Hashable]]]:
    """Some of the letters, each in one of a few sets."""
    return st.lists(st.integers(0, 4), min_size=len(letters), max_size=len(letters)).map(
        lambda numbers: [
            frozenset(letter for letter, n in zip(letters, numbers, strict=True) if n == number)
            for number in sorted({*numbers} - {0})
        ]
    )


@given(partition("abcdefgh"), partition("abcdefghxy"))
def test_ceaf_e_is_the_best_of_all_ways_to_match(gold: Chains, predicted: Chains) -> None:
    agreement = ceaf_e(gold, predicted)
    expected = ceaf_by_trying(gold, predicted)
    assert agreement.gold_right == agreement.predicted_right == pytest.approx(expected)
    assert (agreement.gold, agreement.predicted) == (len(gold), len(predicted))


@given(partition("abcdefgh"), partition("abcdefghxy"))
def test_b_cubed_is_the_mean_over_mentions(gold: Chains, predicted: Chains) -> None:
    mine = {mention: chain for chain in predicted for mention in chain}
    shares = [len(chain & mine.get(mention, frozenset())) / len(chain) for chain in gold for mention in chain]
    agreement = b_cubed(gold, predicted)
    assert agreement.gold_right == pytest.approx(sum(shares))
    assert agreement.gold == len(shares)


@given(partition("abcdefgh"), partition("abcdefghxy"))
def test_muc_counts_the_links_of_a_spanning_forest(gold: Chains, predicted: Chains) -> None:
    """A chain of n mentions that falls into k connected parts keeps n - k links."""
    kept = 0
    for chain in gold:
        parts = {frozenset({mention}) for mention in chain}
        for other in predicted:
            joined = frozenset(chain & other)
            if joined:
                parts = {part for part in parts if not part & joined} | {joined}
        kept += len(chain) - len(parts)
    assert muc(gold, predicted).gold_right == kept


@given(partition("abcdefgh"), partition("abcdefghxy"))
@pytest.mark.parametrize("measure", [muc, b_cubed, ceaf_e])
def test_precision_is_the_recall_of_the_other_side(measure: object, gold: Chains, predicted: Chains) -> None:
    there, back = measure(gold, predicted), measure(predicted, gold)  # type: ignore[operator]
    assert there == pytest.approx((back.gold_right, back.gold, back.predicted_right, back.predicted))
