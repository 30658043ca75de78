"""Captions to tokens: one answer for each, whatever they hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.text.lexicon import word_set
from limner.text.ptb import DROPPED, PTB, ptb_tokens, tokenise

WORDS = st.sampled_from(
    sorted(
        word_set(
            """
            a dog's Dogs don't cannot gonna, can't. etc. Mr. Inc. ill. B. The the No. 5 1 1/2 (555) 555-1234 . , ; - --
            ' " ... :) < b> <b c> x-ray t-shirt. co. A. U.S. 'em 3.5 .5 http://x.com a@b.c é café 日本 ½ “hi” it’s ca.
            op. 20 12,000 5:30. 9/10, $5 #7! 50%. 20s 6-foot 1,000-year 2.50 x_y and/or '90s '90sK.
            'emno. & R&B O'Neil 😀 K. K
            """
        )
    )
)
BLANKS = st.sampled_from([" ", " ", " ", "  ", "\t", "\n", "\r\n", "\u2028", "\xa0", ""])
ODD_TEXT = st.text(max_size=30) | st.lists(st.tuples(WORDS, BLANKS), max_size=8).map(
    lambda parts: "".join(word + blank for word, blank in parts)
)


@given(st.lists(ODD_TEXT, max_size=6))
def test_there_is_one_answer_a_sentence_and_never_a_line_break_or_a_stray_space(sentences: list[str]) -> None:
    answers = tokenise(sentences)
    assert len(answers) == len(sentences)
    assert not [answer for answer in answers if "\n" in answer or "  " in answer or answer != answer.strip(" ")]


@given(ODD_TEXT)
def test_captions_are_all_tokens_but_punctuation(sentence: str) -> None:
    assert tokenise([sentence]) == [" ".join(token for token in ptb_tokens(sentence) if token not in DROPPED)]


@given(st.lists(ODD_TEXT, max_size=6))
def test_neither_order_nor_company_matters(sentences: list[str]) -> None:
    assert tokenise(sentences) == [tokens for sentence in sentences for tokens in tokenise([sentence])]


@given(st.lists(st.sampled_from(["a", "man", "dogs", "x-ray", "'s", "n't", "ca", "-lrb-", "20", "é"]), max_size=8))
def test_tokens_of_words_are_their_own_tokens(words: list[str]) -> None:
    (once,) = tokenise([" ".join(words)])
    assert tokenise([once]) == [once]


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("", ""),
        (" \t\n", ""),
        (". , !", ""),
        ("A man,\na dog\r\nand a cat\u2028too.\n", "a man a dog and a cat too"),
        ("He can't (really) cannot.", "he ca n't -lrb- really -rrb- can not"),
        ("23 3/4 inches", "23\xa03/4 inches"),
        ("half \ud800 of a pair", "half of a pair"),
        ("nothing\0here", "nothing here"),
        ("a 👩‍🚀 in space", "a in space"),
    ],
)
def test_captions(sentence: str, tokens: str) -> None:
    assert tokenise([sentence]) == [tokens]


def test_a_caption_may_have_ten_thousand_words() -> None:
    assert tokenise(["Dogs run, " * 5_000]) == [("dogs run " * 5_000).strip()]


# By PTBTokenizer 3.4.1 (Java 17) over the two lines as one file, punctuation dropped.
@pytest.mark.parametrize(
    ("first", "second", "tokens"),
    [
        ("It reads K.", "The dog", "it reads k"),
        ("It reads K.", "the dog", "it reads k."),
        ("It reads K.", "Two dogs", "it reads k."),
        ("It reads K.", "", "it reads k."),
        ("It reads K. ", "  A dog", "it reads k"),
        ("It reads (K.", "A", "it reads -lrb- k"),
        ("In the U.S.", "The dog", "in the u.s."),
        ("Chairs etc.", "The dog", "chairs etc."),
    ],
)
def test_as_one_file_the_next_sentence_may_decide_about_a_last_full_stop(first: str, second: str, tokens: str) -> None:
    assert tokenise([first, second], as_one_file=True)[0] == tokens
    assert tokenise([first, " \n", second], as_one_file=True)[0] == tokens


def test_a_megabyte_of_dots_and_brackets() -> None:
    assert tokenise(["a.b.c." * 170_000, "(" * 20_000]) == ["a.b.c." * 170_000, " ".join(["-lrb-"] * 20_000)]


def test_the_name_is_for_signatures() -> None:
    assert PTB == "ptb-3.4.1"
