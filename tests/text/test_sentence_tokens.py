"""Tokens of sentences, with spaces before marks and without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.text.sentence_tokens import sentence_tokens


def words(text: str) -> list[str]:
    return [token.word for token in sentence_tokens(text)]


@pytest.mark.parametrize(
    ("raw", "tokenised"),
    [
        ("A man's T-shirt, torn.", "A man 's T-shirt , torn ."),
        ("Two (2) dogs' tails...", "Two ( 2 ) dogs ' tails . . ."),
        ('A sign says "stop!"', 'A sign says " stop ! "'),
        ("The boy’s hat", "The boy 's hat"),
        ("1,000 people at 10:30", "1,000 people at 10:30"),
    ],
)
def test_spaces_before_marks_make_no_difference(raw: str, tokenised: str) -> None:
    assert words(raw) == words(tokenised) == tokenised.lower().split()


def test_nothing_has_no_tokens() -> None:
    assert words("") == words(" \n\t ") == []


@given(st.text(alphabet="aB ’'s.,-\n\t\u00e91\U0001f600", max_size=30))
def test_tokens_are_all_that_is_no_space_and_have_exact_spans(text: str) -> None:
    tokens = sentence_tokens(text)
    assert "".join(text[token.start : token.end] for token in tokens) == "".join(text.split())
    assert all(text[token.start : token.end].lower().replace("’", "'") == token.word for token in tokens)
    spans = [at for token in tokens for at in (token.start, token.end)]
    assert spans == sorted(spans)
