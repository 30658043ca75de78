"""METEOR's own tokens (its option `-norm`): punctuation stands apart, words are in lower case.

Hyphens between letters or digits split words ("well-known" is two), an
apostrophe belongs to what follows it ("man's" is "man", "'s"), and
abbreviations with periods inside lose them ("u.s." is "us"). The rules were
found by asking METEOR 1.5, case by case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain, compress, zip_longest

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Integers
from limner.text.token_table import TokenTable, sealed

_LETTERS = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e"  # Latin
    "\u0400-\u0527\u1d00-\u1d7f\ua640-\ua66e\ua67e-\ua697"  # Cyrillic, phonetic
)
_QUOTES = str.maketrans({"`": "'", "‘": "'", "’": "'", "“": '"', "”": '"', "–": " - "})
_SPACE = "[ \t\n\f\r]+"
_RARE_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")

# Applied to a sentence in this order. Within a step replacements do not overlap, which shows in "a,b,c".
_STEPS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (rf"([^{_LETTERS}0-9\v \t\n\f\r.',-])", r" \1 "),
        (r"(\.\.+)", r" \1 "),
        # Commas stay within numbers alone.
        (r"([^0-9]),([^0-9])", r"\1 , \2"),
        (r"([0-9]),([^0-9])", r"\1 , \2"),
        (r"([^0-9]),([0-9])", r"\1 , \2"),
        (r"--", "-"),
        (rf"([{_LETTERS}0-9.])-([{_LETTERS}0-9])", r"\1 \2"),
        (rf"([^{_LETTERS}])'([^{_LETTERS}])", r"\1 ' \2"),
        (rf"([^{_LETTERS}0-9])'([{_LETTERS}])", r"\1 ' \2"),
        (rf"([{_LETTERS}])'([^{_LETTERS}])", r"\1 ' \2"),
        (rf"([{_LETTERS}])'([{_LETTERS}])", r"\1 '\2"),
        (r"([0-9])'s", r"\1 's"),
    )
)

_LETTER = re.compile(f"[{_LETTERS}]")
# Words that are one token in any sentence. Numbers such as 1,000.5 are the most frequent ones with punctuation.
_PLAIN = re.compile("[a-z0-9]+|[0-9]+(?:[.,][0-9]+)+").fullmatch
_SEES_WHAT_IS_BEFORE = re.compile(f"['`‘’][^{_LETTERS}]|,.", re.DOTALL).match


class Normaliser:
    """Makes METEOR's tokens.

    `prefixes` are the abbreviations that keep their period ("Mr"), with their
    capitals; True for those that keep it only before a number ("No").
    """

    def __init__(self, prefixes: Mapping[str, bool]) -> None:
        self._prefixes = prefixes

    def words(self, sentence: str) -> list[str]:
        """The tokens of a sentence."""
        text = f" {sentence.translate(_QUOTES).strip(' ')} ".replace("''", '"')
        for pattern, replacement in _STEPS:
            text = pattern.sub(replacement, text)
        pieces = [piece for piece in re.split(_SPACE, text) if piece]
        parted = (
            self._period(piece, following)
            for piece, following in zip_longest(pieces, pieces[1:], fillvalue="")
            if not _RARE_SPACE.fullmatch(piece)
        )
        return [word.lower() for word in chain.from_iterable(parted)]

    def table(self, tokens: TokenTable) -> TokenTable:
        """The tokens of many sentences, given as words between spaces.

        Nearly all words become the same tokens in any sentence and are
        normalised once. Sentences with other words are normalised one by one.
        """
        is_plain = np.fromiter(map(bool, map(_PLAIN, tokens.words)), dtype=np.bool_, count=len(tokens.words))
        plain = list(compress(tokens.words, is_plain.tolist()))
        number = dict(zip(plain, range(len(plain)), strict=True))
        special = {i: self._alone(tokens.words[i]) for i in np.flatnonzero(~is_plain).tolist()}
        counts = np.ones(len(tokens.words), dtype=np.int64)
        for i, made in special.items():
            counts[i] = len(made or ())
        first = _starts(counts)
        pieces = np.zeros(int(first[-1]), dtype=np.int32)
        pieces[first[:-1][is_plain]] = np.arange(len(plain))
        for i, made in special.items():
            pieces[first[i] : first[i + 1]] = [number.setdefault(piece, len(number)) for piece in made or ()]
        lengths = counts[tokens.numbers]
        places = _starts(lengths)
        numbers = pieces[np.arange(places[-1]) + np.repeat(first[:-1][tokens.numbers] - places[:-1], lengths)]
        starts = places[tokens.starts]
        context_words = [i for i, made in special.items() if made is None]
        if context_words:
            numbers, starts = self._corrected(tokens, numbers, starts, context_words, number)
        return TokenTable(list(number), sealed(numbers), sealed(starts))

    def _alone(self, word: str) -> list[str] | None:
        """The tokens of a word, None if they depend on the words beside it."""
        if _SEES_WHAT_IS_BEFORE(word):
            return None
        tokens = self.words(word)
        # Whether a last period goes depends on how the next word begins: with a letter, a digit or something else.
        if word.endswith(".") and not self.words(word + " a")[:-1] == self.words(word + " 1")[:-1] == tokens:
            return None
        return tokens

    def _corrected(
        self,
        tokens: TokenTable,
        numbers: NDArray[np.int32],
        starts: Integers,
        context_words: Sequence[int],
        number: dict[str, int],
    ) -> tuple[NDArray[np.int32], Integers]:
        """The same, with the sentences that have one of these words normalised as wholes."""
        is_seen_whole = np.zeros(len(tokens.words), dtype=np.bool_)
        is_seen_whole[context_words] = True
        holders = np.searchsorted(tokens.starts, np.flatnonzero(is_seen_whole[tokens.numbers]), side="right") - 1
        lengths = np.diff(starts)
        parts: list[NDArray[np.int32]] = []
        done = 0
        for s in sorted(set(holders.tolist())):
            words = self.words(" ".join(tokens.sentence(s)))
            parts.append(numbers[done : starts[s]])
            parts.append(np.array([number.setdefault(word, len(number)) for word in words], dtype=np.int32))
            done, lengths[s] = int(starts[s + 1]), len(words)
        return np.concatenate([*parts, numbers[done:]]), np.concatenate([[0], np.cumsum(lengths)])

    def _period(self, piece: str, following: str) -> Sequence[str]:
        """The piece, with or without its last period."""
        if not piece.endswith(".") or not piece.strip("."):
            return (piece,)
        before = piece[:-1]
        if "." in before and _LETTER.search(before):
            return (piece.replace(".", ""),)
        only_before_numbers = self._prefixes.get(before)
        if only_before_numbers is False or "a" <= following[:1] <= "z":
            return (piece,)
        if only_before_numbers and "0" <= following[:1] <= "9":
            return (piece,)
        return before, "."


def _starts(lengths: Integers) -> Integers:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
