from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limner.describe.realise.caption_ngrams import N, ngram_orders
from limner.text.token_table import token_table
from limner.text.words import ngrams

SENTENCES = st.lists(st.lists(st.sampled_from("abc"), max_size=7).map(" ".join), max_size=6)


@given(SENTENCES)
def test_every_caption_has_its_ngrams_as_often_as_they_occur(sentences: list[str]) -> None:
    table = token_table(sentences)
    for order in ngram_orders(table):
        spelled = [tuple(table.words[i] for i in table.numbers[at : at + order.n]) for at in order.examples]
        counted = [Counter[tuple[str, ...]]() for _ in sentences]
        for caption, gram, times in zip(order.caption, order.gram, order.times, strict=True):
            counted[caption][spelled[gram]] = int(times)
        assert counted == [Counter(ngrams(sentence.split(), order.n)) for sentence in sentences]
        assert order.n_captions().tolist() == [sum(gram in of_caption for of_caption in counted) for gram in spelled]


def test_all_lengths_are_there_also_of_no_caption() -> None:
    assert [order.n for order in ngram_orders(token_table([]))] == list(range(1, N + 1))
    assert all(len(order.idf(np.zeros(0, dtype=np.int64), 0)) == 0 for order in ngram_orders(token_table([])))


def test_a_document_is_all_captions_of_an_image() -> None:
    table = token_table(["a dog", "a cat", "a dog", "the dog"])
    words, *_ = ngram_orders(table)
    idf = words.idf(np.array([0, 0, 1, 2]), 3)
    assert dict(zip((table.words[table.numbers[at]] for at in words.examples), idf.tolist(), strict=True)) == {
        "a": log(3) - log(2),
        "dog": 0.0,
        "cat": log(3),
        "the": log(3),
    }
