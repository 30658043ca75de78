"""Words of a captioner written as text: the tokeniser of the scores took contractions apart, here they are joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

# What is written without a space after the word before it.
ENDINGS = frozenset({"n't", "'s", "'re", "'ve", "'ll", "'d", "'m", "'n", "%"})

# Words that the tokeniser makes two of.
HALVES = frozenset(
    {("gon", "na"), ("wan", "na"), ("got", "ta"), ("gim", "me"), ("lem", "me"), ("'t", "is"), ("y'", "all")}
)

# Brackets as the tokeniser writes them.
BRACKETS = frozenset({"-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"})


class JoinedWords(NamedTuple):
    """A text, and the character at which each of its words begins."""

    text: str
    starts: list[int]

    def span(self, first: int, end: int) -> tuple[int, int]:
        """The half-open span of characters of the words from `first` on, `end` outside."""
        after = self.starts[end] if end < len(self.starts) else len(self.text)
        # What follows a word is a space, or joined to it.
        return self.starts[first], after - self.text[:after].endswith(" ")


def join_words(words: Sequence[str]) -> JoinedWords:
    """The words with spaces between them, but for contractions: "is n't" is "isn't", "dog 's" is "dog's"."""
    parts: list[str] = []
    starts: list[int] = []
    n = 0
    for word, before in zip(words, ("", *words), strict=False):
        is_joined = not before or word in ENDINGS or (before, word) in HALVES
        parts.append(word if is_joined else f" {word}")
        n += len(parts[-1])
        starts.append(n - len(word))
    return JoinedWords("".join(parts), starts)


def is_sayable(word: str) -> bool:
    """Whether a caption may say a word of its own accord: it has a letter or digit and is no bracket, or is "%"."""
    return word == "%" or (word not in BRACKETS and any(map(str.isalnum, word)))
