from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limner.text.token_table import TokenTable, token_table

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


def test_words_are_numbered_as_they_come_and_spaces_part_them_one_by_one() -> None:
    table = token_table(["b a b", "", "a  c", "half \ud800"])
    assert list(table.words) == ["b", "a", "", "c", "half", "\ud800"]
    assert table.numbers.tolist() == [0, 1, 0, 1, 2, 3, 4, 5]
    assert table.starts.tolist() == [0, 3, 3, 6, 8]
    assert token_table([]).starts.tolist() == [0]
    assert token_table([" "]).numbers.tolist() == [0, 0]


def test_a_table_of_many_words_keeps_them_apart() -> None:
    words = [str(i) for i in range(50_000)]
    table = token_table([" ".join(words), " ".join(reversed(words))])
    assert list(table.words) == words
    assert table.numbers.tolist() == [*range(50_000), *reversed(range(50_000))]


def test_a_table_can_be_copied_with_other_words() -> None:
    table = token_table(["a dog", "a", "a b c d"])
    other = replace(table, words=[word.upper() for word in table.words])
    assert (len(other), other.sentence(0), other.sentence(1)) == (3, ["A", "DOG"], ["A"])


def test_a_table_is_made_of_copies_where_its_arrays_could_change() -> None:
    numbers, starts = np.array([0, 1, 0], dtype=np.int32), np.array([0, 2, 3])
    view = numbers[:]
    view.flags.writeable = False
    for array in (numbers, numbers[:], view):
        table = TokenTable(["a", "dog"], array, starts)
        numbers[1] = starts[1] = 0
        assert (table.sentence(0), table.sentence(1)) == (["a", "dog"], ["a"])
        numbers[1], starts[1] = 1, 2
    assert replace(table, words=["the", "dog"]).numbers is table.numbers


def test_a_table_cannot_be_written_to() -> None:
    table = token_table(["a dog", "a cat"])
    assert not table.numbers.flags.writeable
    assert not table.select(np.array([1])).starts.flags.writeable
