"""Tokens as Stanford CoreNLP 3.4.1's PTBTokenizer makes them with -preserveLines -lowerCase, without Java.

That is what pycocoevalcap counts, so numbers agree with published ones only
where these tokens do.
"""

from __future__ import annotations

from collections.abc import Sequence

from limner.kernels import kernel
from limner.text.ptb.chunks import ODD, by_chunks, without_dropped
from limner.text.ptb.lexer import lex

PTB = "ptb-3.4.1"
"""The name for signatures."""

_ANOTHER = "The"


def ptb_tokens(sentence: str, following: str = _ANOTHER) -> list[str]:
    """All tokens of a sentence, punctuation too, in lower case.

    `following` is the line after it. The reference looks there to tell whether
    the full stop of "… the letter K." or "… in the U.S." ends the sentence;
    as it stands, another sentence is thought to begin. Line breaks within a
    sentence are spaces.
    """
    return lex(sentence, following)


def tokenise(sentences: Sequence[str], *, as_one_file: bool = False) -> list[str]:
    """The tokens of each sentence between single spaces, without punctuation; as many as there are sentences.

    Each is taken for itself, so that neither order nor company matters.
    `as_one_file` is what the reference does with sentences on the lines of one
    file, to the last: there the full stop after a single letter at the end of
    a sentence stays with the letter unless the next sentence begins with one
    of some forty words. It concerns a handful of captions in 200,000.
    """
    plain = _plain.plain(sentences, ODD) if _plain else [None] * len(sentences)
    found = [by_chunks(one, _ANOTHER) if done is None else done for one, done in zip(sentences, plain, strict=True)]
    if as_one_file:
        for i, tokens in enumerate(found):
            # A single letter at the end may have lost a full stop that it keeps before this next line.
            if tokens[-2:-1] in ("", " ") and tokens:
                found[i] = without_dropped(lex(sentences[i], _next_line(sentences, i)))
    return found


def _next_line(sentences: Sequence[str], i: int) -> str:
    """The first sentence after this one that is not blank."""
    return next((sentences[j] for j in range(i + 1, len(sentences)) if sentences[j].strip()), "")


_plain = kernel("limner.text._ptb")
