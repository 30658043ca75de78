"""Tokens as Stanford CoreNLP 3.4.1's PTBTokenizer makes them with -preserveLines -lowerCase, without Java.

pycocoevalcap counts these tokens, so scores agree with published ones only
where the tokens do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from limner.text.lexicon import word_set
from limner.text.ptb.abbreviations import BEFORE_NUMBERS
from limner.text.ptb.characters import LINE_BREAKS
from limner.text.ptb.lexer import ODD, lex

# The name for signatures.
PTB = "ptb-3.4.1"

# The tokens dropped from captions. Tokens are in lower case, so brackets stay: "-lrb-".
DROPPED = word_set("'' ' `` ` -LRB- -RRB- -LCB- -RCB- . ? ! , : - -- ... ;")

_NEXT_SENTENCE = "The"


def ptb_tokens(sentence: str, following: str = _NEXT_SENTENCE) -> list[str]:
    """All tokens of a sentence, including punctuation, in lower case.

    `following` is the line after the sentence. The reference reads it to
    decide whether the full stop of "… the letter K." or "… in the U.S." ends
    the sentence; by default, another sentence begins. Line breaks within a
    sentence count as spaces.
    """
    return lex(sentence, following)


def tokenise(sentences: Sequence[str], *, as_one_file: bool = False) -> list[str]:
    """The tokens of each sentence between single spaces, without punctuation: one string per sentence.

    Each sentence is tokenised on its own, so order and company do not matter.
    With `as_one_file` the tokens are exactly those of the reference for
    sentences on the lines of one file. There, the full stop after a single
    letter at the end of a sentence stays with the letter unless the next
    sentence begins with one of about forty words. This concerns a handful of
    captions in 200,000.
    """
    answers: list[str] = []
    for start in range(0, len(sentences), _BLOCK):
        answers += _tokenise_block(sentences[start : start + _BLOCK])
    if as_one_file:
        for i, tokens in enumerate(answers):
            # A single letter at the end may have lost a full stop that it keeps before the actual next line.
            if tokens[-2:-1] in ("", " ") and tokens:
                answers[i] = _without_dropped(lex(sentences[i], _next_line(sentences, i)))
    return answers


def _next_line(sentences: Sequence[str], i: int) -> str:
    """The first sentence after sentence i that is not blank."""
    return next((sentences[j] for j in range(i + 1, len(sentences)) if sentences[j].strip()), "")


def _without_dropped(tokens: list[str]) -> str:
    return " ".join(token for token in tokens if token not in DROPPED)


def _tokenise_block(sentences: Sequence[str]) -> Iterator[str]:
    """The tokens of sentences, all looked up by their chunks (the text between blanks) in one pass.

    Nearly all chunks have the same tokens whatever surrounds them. A sentence
    with a chunk that does not is lexed as a whole.
    """
    text = f" {_END} ".join([sentence.replace(_END, f" {_DEPENDS} ") for sentence in sentences])
    for blank in _OTHER_BLANKS:
        text = text.replace(blank, " ")
    # Numbers go on over a space: "2 1/2", "(555) 555 1234".
    text = _BETWEEN_NUMBERS.sub(f" {_DEPENDS} ", text)
    tokens_of_all = "".join(map(_tokens_by_chunk.__getitem__, text.replace("\t", " ").split(" ")))
    for sentence, tokens in zip(sentences, tokens_of_all.split(_END), strict=True):
        yield _without_dropped(lex(sentence, _NEXT_SENTENCE)) if _DEPENDS in tokens else tokens[1:]


class _TokensByChunk(dict[str, str]):
    """The tokens of every chunk met so far, with a space before each; `_DEPENDS` if they depend on its surroundings."""

    def __missing__(self, chunk: str) -> str:
        tokens = _tokens_of_chunk(chunk)
        if len(chunk) <= _LONGEST_KEPT:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[chunk] = tokens
        return tokens


def _tokens_of_chunk(chunk: str) -> str:
    if chunk in ("", _END, _DEPENDS):
        return chunk
    # Nearly all chunks are bare words, perhaps with a mark that is dropped.
    word = chunk[:-1] if chunk[-1] in ".,!?" else chunk
    if word.isascii() and word.isalpha() and chunk.lower() not in ODD:
        return f" {word.lower()}"
    if number := _NUMBER.fullmatch(chunk):
        return "".join(f" {token.lower()}" for token in number.groups() if token)
    if _OPEN.search(chunk):
        return _DEPENDS
    tokens = lex(chunk, "")
    return _DEPENDS if _may_lose_stop(tokens) else "".join(f" {token}" for token in tokens if token not in DROPPED)


def _may_lose_stop(tokens: list[str]) -> bool:
    """Whether the next chunk decides about the full stop at the end: that of "K." or "No."."""
    *before, last = tokens or [""]
    return (len(last) == 2 and last.endswith(".")) or (last == "." and bool(before) and before[-1] in BEFORE_NUMBERS)


_tokens_by_chunk = _TokensByChunk()
# Bounds on memory. The 25,000 captions of COCO's val2017 have 11,000 distinct chunks; long ones hardly come twice.
_MOST_KEPT, _LONGEST_KEPT = 1 << 17, 64
# Sentences that are joined to one text at a time: enough for speed, few enough for memory.
_BLOCK = 1000

# Two chunks that stand for themselves: the end of a sentence, and "the whole sentence must be lexed". A sentence that
# contains one of the two characters is lexed as a whole.
_END, _DEPENDS = "\0", "\1"
_OTHER_BLANKS = [chr(code) for code in LINE_BREAKS]
# Numbers as captions have them, perhaps with a mark that is dropped: "12,000", "5:30.", "1/2", "$5", "#7", "50%",
# "20s", "6-foot". The rules say the same, but a number is seldom met twice, and they are many to try.
_NUMBER = re.compile(r"([$#])?+([0-9]++(?:(?:[.,:][0-9]++)++|-?[A-Za-z]++)?+|[0-9]{1,4}/[0-9]{1,4})(%)?+[.,!?]?+")
_BETWEEN_NUMBERS = re.compile(r" (?=\d)(?<=[\d)] )")
# Tags go on over blanks, a dot may be the last of three, ". . .5", and blanks beyond ASCII are parts of some tokens.
_OPEN = re.compile(r"<|^\.[^.]|\s")
