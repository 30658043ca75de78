from __future__ import annotations

from itertools import pairwise
from zlib import crc32

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limner.score.meteor import Tables
from limner.score.meteor.meteor_alignment import Matcher, Pair
from limner.score.meteor.meteor_search import PARAPHRASE, Match
from limner.score.meteor.meteor_sentences import Sentences, sentences, vocabulary
from limner.text.token_table import token_table


def senses(tables: Tables, word: str) -> list[int]:
    return vocabulary(tables, ["xyz", word, "a"]).senses.tolist()


def test_what_is_known_of_words(small: Tables) -> None:
    words = ["the", "dog", "dogs", "hounded", "xyzs", "xyz", "geese"]
    found = vocabulary(small, words)
    assert found.is_function_word.tolist() == [1, 0, 0, 0, 0, 0, 0]
    stems = found.stems.tolist()
    assert stems[1] == stems[2]
    assert stems[4] == stems[5]
    assert len(set(stems)) == 5
    assert np.diff(found.sense_starts).tolist() == [0, 2, 2, 1, 0, 0, 1]


def test_unknown_words_have_the_senses_of_the_base_that_the_dictionary_has(small: Tables) -> None:
    assert senses(small, "dog") == [7, 9]
    assert senses(small, "dogs") == [7, 9]
    assert senses(small, "dogged") == []
    # "doge" is known, as a paraphrase's word, but has no senses.
    assert senses(small, "doges") == [7, 9]
    # An irregular form is of its own bases.
    assert senses(small, "geese") == [13]
    assert senses(small, "rodes") == []


@given(st.lists(st.text(min_size=1, max_size=5), max_size=8))
def test_words_are_found_by_their_letters(small: Tables, others: list[str]) -> None:
    starts, letters = small["word_starts"].tolist(), small["word_bytes"].tobytes()
    known = [letters[a:b].decode() for a, b in pairwise(starts)]
    found = small.numbers([*known, *others])
    assert found.tolist() == [*range(len(known)), *(known.index(word) if word in known else -1 for word in others)]


def test_words_of_one_checksum_are_told_apart(small: Tables) -> None:
    # CRC-32 of both is 0x4DDB0C25.
    assert crc32(b"plumless") == crc32(b"buckeroo")
    pretended = Tables(None)
    pretended._arrays = {
        **pretended._arrays,
        "word_hashes": np.array([crc32(b"plumless")] * 2, dtype=np.uint32),
        "word_starts": np.array([0, 8, 16], dtype=np.uint32),
    }
    pretended._words = b"plumlessbuckeroo"
    assert pretended.numbers(["buckeroo", "a", "plumless"]).tolist() == [1, -1, 0]


def looked_up(tables: Tables, *texts: str) -> Sentences:
    (found,) = sentences(tables, token_table(texts), np.array([0, len(texts)]))
    return found


def test_paraphrases_are_tried_in_the_order_of_the_table(small: Tables) -> None:
    pair = Pair(Matcher(looked_up(small, "dogs hound the dog", "a dog is")), 0, 1)
    assert pair.at(0).phrases == [
        # "a dog" lists "dogs"; then, from left to right, what lists "a": "the".
        Match(0, 1, 0, 2, PARAPHRASE),
        Match(2, 1, 0, 1, PARAPHRASE),
    ]
    assert pair.at(1).phrases == [
        # "dog" lists "hound", then "the dog"; "hound" lists it.
        Match(1, 1, 1, 1, PARAPHRASE),
        Match(2, 2, 1, 1, PARAPHRASE),
        Match(1, 1, 1, 1, PARAPHRASE),
    ]
    assert pair.at(2).phrases == []


def test_what_lists_a_phrase_is_tried_from_left_to_right(small: Tables) -> None:
    # "the" lists "a", which is the shorter phrase of the reference; "a big dog", which comes first, the longer.
    pair = Pair(Matcher(looked_up(small, "a big dog is the", "a large dog")), 0, 1)
    assert pair.at(0).phrases == [Match(0, 3, 0, 3, PARAPHRASE), Match(4, 1, 0, 1, PARAPHRASE)]


def test_between_equal_sentences_only_equal_words_match(small: Tables) -> None:
    pair = Pair(Matcher(looked_up(small, "the dog hound", "the dog hound", "the dog dog")), 0, 1)
    assert [pair.at(j).words for j in range(3)] == [(1, 0, 0), (2, 0, 0), (4, 0, 0)]
    assert [pair.at(j).phrases for j in range(3)] == [[], [], []]
