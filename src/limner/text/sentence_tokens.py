"""The words and marks of a sentence with their spans, the same whether or not spaces stand before its marks."""

from __future__ import annotations

import re
from typing import NamedTuple

from limner.text.words import word_spans


class Token(NamedTuple):
    """A word in lower case, a possessive 's or a mark, and its half-open span of characters."""

    word: str
    start: int
    end: int


def sentence_tokens(text: str) -> list[Token]:
    """The words of `word_spans` and what stands between them: each mark alone, 's as one.

    "A man's hat." and "A man 's hat ." have the same tokens.
    """
    tokens: list[Token] = []
    reached = 0
    for start, end in word_spans(text):
        if start - reached > 1 or (start > reached and not text[reached].isspace()):
            tokens += _marks(text, reached, start)
        tokens.append(Token(text[start:end].lower().replace("’", "'"), start, end))
        reached = end
    return tokens + _marks(text, reached, len(text))


_MARK = re.compile(r"['’][sS](?!\w)|\S")


def _marks(text: str, start: int, end: int) -> list[Token]:
    # A possessive's s is no word, so that it may stand at the end of what is searched.
    return [
        Token(match[0].lower().replace("’", "'"), match.start(), match.end())
        for match in _MARK.finditer(text, start, end)
    ]
