"""Captions by their chunks, the text between blanks: most are the same tokens whatever stands around them."""

from __future__ import annotations

import re

from limner.text.lexicon import word_set
from limner.text.ptb.abbreviations import BEFORE_NUMBERS, ENDINGS, LIMITED, MANUFACTURED, PARTED, STATES, TITLES
from limner.text.ptb.lexer import lex

DROPPED = word_set("'' ' `` ` -LRB- -RRB- -LCB- -RCB- . ? ! , : - -- ... ;")
"""What is dropped from captions. Tokens are in lower case, so that brackets stay: "-lrb-"."""

STOPPED = frozenset(
    word.lower() for words in (TITLES, MANUFACTURED, ENDINGS, LIMITED, STATES, BEFORE_NUMBERS) for word in words
)
"""Words whose full stop is, or may be, their own."""

ODD = STOPPED | frozenset(PARTED)
"""Words that are not plain: those before a full stop, and those that are two tokens."""


def by_chunks(sentence: str, following: str) -> str:
    """The tokens of a sentence between spaces, without what is dropped."""
    if not sentence.isascii() and _ODD_BLANK.search(sentence):
        return without_dropped(lex(sentence, following))
    tokens = "".join(map(_said.__getitem__, sentence.split()))
    return without_dropped(lex(sentence, following)) if _DEPENDS in tokens else tokens[1:]


def without_dropped(tokens: list[str]) -> str:
    return " ".join(token for token in tokens if token not in DROPPED)


class _Said(dict[str, str]):
    """The tokens of each chunk that was met, with a space before each; `_DEPENDS` where its surroundings matter."""

    def __missing__(self, chunk: str) -> str:
        said = _say(chunk)
        if len(chunk) <= _LONGEST_KEPT:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[chunk] = said
        return said


def _say(chunk: str) -> str:
    simple = _SIMPLE.fullmatch(chunk)
    if simple:
        word, possessive, mark = simple.groups()
        word = word.lower()
        if possessive:
            return f" {word} 's"
        if word in PARTED:
            return f" {word[:3]} {word[3:]}"
        if mark != "." or (len(word) > 1 and word not in STOPPED):
            return f" {word}"
    if _SURROUNDED.search(chunk):
        return _DEPENDS
    tokens = lex(chunk, "")
    return _DEPENDS if _may_lose_stop(tokens) else "".join(f" {token}" for token in tokens if token not in DROPPED)


def _may_lose_stop(tokens: list[str]) -> bool:
    """Whether what comes next decides about the full stop at the end: that of "K." or "No."."""
    *before, last = tokens or [""]
    return (len(last) == 2 and last.endswith(".")) or (
        last == "." and before[-1:] != [] and before[-1] in BEFORE_NUMBERS
    )


_said = _Said()
_MOST_KEPT, _LONGEST_KEPT = 1 << 17, 64
_DEPENDS = "\n"
_SIMPLE = re.compile(r"([A-Za-z]+(?:-[A-Za-z]+)*)('[sS])?([.,!?]?)")
# Tags and numbers go on over blanks, and a dot may be the last of three.
_SURROUNDED = re.compile(r"<|^\.[^.]|[0-9]\)?$")
# Blanks to Python, but to the reference either no blanks or such as a token may hold.
_ODD_BLANK = re.compile("[\x85\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
