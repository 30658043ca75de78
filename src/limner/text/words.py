"""The words of English sentences, their spans, and n-grams of words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# A word starts with a letter or digit and may be joined inside by hyphens and apostrophes, a number by its points and
# commas. A possessive "'s" is never part of one, whether it is attached ("man's") or set apart ("man 's") as tokenised
# captions have it.
_LETTERS = r"[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*"
_WORD = re.compile(rf"(?!(?<=['’])[sS]\b){_LETTERS}(?:(?:-|['’](?![sS]\b)|(?<=\d)[.,:](?=\d)){_LETTERS})*")


def words(sentence: str) -> list[str]:
    """The sentence's words in lower case: no punctuation, no possessive 's; hyphenated words are one.

    Contractions stay whole, with a straight apostrophe: "don’t" is "don't".
    "it's" and "man's" are "it" and "man": letters alone do not distinguish "is"
    from a possessive. Numbers stay whole too: "2.5", "1,000", "10:30".
    """
    return [word.lower().replace("’", "'") for word in _WORD.findall(sentence)]


def word_spans(sentence: str) -> list[tuple[int, int]]:
    """The half-open span of characters of each of `words(sentence)`."""
    return [match.span() for match in _WORD.finditer(sentence)]


def ngrams(tokens: Sequence[str], n: int) -> Iterator[tuple[str, ...]]:
    """Every run of n tokens, from left to right; none if there are fewer than n."""
    if n < 1:
        raise ValueError(f"an n-gram has at least one word, not {n}")
    return zip(*(tokens[i:] for i in range(n)), strict=False)
