from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limner.text.token_table import token_table

SENTENCES = st.lists(st.lists(st.sampled_from(["a", "dog", "runs", "café", "22\xa03/4"]), max_size=6), max_size=8)


@given(SENTENCES)
def test_every_sentence_comes_back_word_for_word(sentences: list[list[str]]) -> None:
    table = token_table(" ".join(words) for words in sentences)
    assert len(table) == len(sentences)
    assert [table.sentence(s) for s in range(len(table))] == sentences
    assert len(set(table.words)) == len(table.words)


@given(SENTENCES, st.data())
def test_a_selection_holds_the_sentences_asked_for_in_the_order_asked(
    sentences: list[list[str]], data: st.DataObject
) -> None:
    table = token_table(" ".join(words) for words in sentences)
    places = data.draw(st.lists(st.integers(0, len(sentences) - 1)) if sentences else st.just([]))
    chosen = table.select(np.array(places, dtype=np.int64))
    assert [chosen.sentence(s) for s in range(len(chosen))] == [sentences[s] for s in places]
