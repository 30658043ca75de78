"""Perplexities by counts."""

from __future__ import annotations

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.caption.training.ngram_baselines import Bigrams, Unigrams, perplexity

# Two words, 3 and 4, beside the beginning, the end and unknown words.
TRAINING = [[3, 4], [3, 4], [3]]
N_VOCAB = 5

SENTENCES = st.lists(st.lists(st.integers(2, 6), max_size=5), max_size=6)


def test_unigrams_by_hand() -> None:
    # Counts plus one: 3 comes 4 times, 4 comes 3, the end 4, unknown words 1, of 12.
    expected = exp(-(log(4 / 12) + log(1 / 12) + log(4 / 12)) / 3)
    assert perplexity(Unigrams(TRAINING, N_VOCAB), [[3, 2]]) == pytest.approx(expected)


def test_bigrams_by_hand() -> None:
    # After the beginning always 3: (3 - .75 + .75 * 1 * 4/12) / 3. After 3: 4 twice and the end once, two kinds.
    first = (3 - 0.75 + 0.75 * 4 / 12) / 3
    end = (1 - 0.75 + 0.75 * 2 * 4 / 12) / 3
    assert perplexity(Bigrams(TRAINING, N_VOCAB), [[3]]) == pytest.approx(exp(-(log(first) + log(end)) / 2))


@pytest.mark.parametrize("kind", [Unigrams, Bigrams])
@given(training=SENTENCES, before=st.sampled_from([0, 2, 3, 4, 5, 6]))
def test_the_probabilities_of_all_next_words_sum_to_one(
    kind: type[Unigrams | Bigrams], training: list[list[int]], before: int
) -> None:
    model = kind(training, 7)
    assert sum(model.probability(before, word) for word in range(1, 7)) == pytest.approx(1)
