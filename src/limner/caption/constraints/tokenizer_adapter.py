"""Words as the tokens of a language model: how a phrase is written, and where a word goes on.

A tokenizer writes "fire hydrant" in pieces, and in other pieces at the start of
a text than within it. `TokenizerAdapter` finds both, and tells of every token
whether it continues the word before it, so that "cat" is found in "a cat." and
not in "catalog" or "bobcat".
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limner.caption.constraints.constraint_phrases import Phrase
from limner.errors import LimnerError, shown


class TokenizerAdapter:
    """How a Hugging Face tokenizer writes words.

    Byte-level BPE (a word begins with Ġ), SentencePiece (▁), WordPiece (what
    continues a word begins with ##) and whole words are supported.
    `n_vocab` is the number of tokens that the model scores, which can be
    greater than the tokenizer's.
    """

    def __init__(self, tokenizer: Any, n_vocab: int | None = None) -> None:
        self._tokenizer = tokenizer
        self.n_vocab = len(tokenizer) if n_vocab is None else n_vocab
        self.surfaces = _surfaces(tokenizer, self.n_vocab)

    @cached_property
    def continues(self) -> NDArray[np.bool_]:
        """Of every token, whether it continues the word before it.

        A hyphen does, without a space before it: nothing that is "dog-like" is
        a dog. So does what begins in the middle of a character, since it is
        not known yet which that will be.
        """
        return np.array([surface is not None and _goes_on(surface) for surface in self.surfaces], dtype=np.bool_)

    @cached_property
    def unsayable(self) -> NDArray[np.int64]:
        """The tokens that are not text: special ones (the end among them), and those the tokenizer does not know."""
        return np.flatnonzero([surface is None for surface in self.surfaces])

    def phrases(self, words: str, *, at_start: bool = True) -> list[Phrase]:
        """The ways to write the words: within a sentence and, if asked for, at its very start.

        Words are written as given, or with a capital. Those for the start
        have no space before them and count only there: `at_start` must be
        False where the sentence continues a prompt that ends in a word.
        """
        plain = " ".join(words.split())
        if not plain:
            raise LimnerError(f"there is no word in {shown(words)}; a constraint needs one")
        ways: dict[Phrase, None] = {}
        for form in dict.fromkeys((plain, plain[0].upper() + plain[1:])):
            ways.update(dict.fromkeys(self._written(form)))
        if all(phrase.at_start for phrase in ways):
            raise LimnerError(self._problem(plain))
        return [phrase for phrase in ways if at_start or not phrase.at_start]

    def text(self, tokens: Sequence[int]) -> str:
        """The tokens as the tokenizer decodes them, without special ones and space around."""
        return str(self._tokenizer.decode(list(tokens), skip_special_tokens=True)).strip()

    def span(self, tokens: Sequence[int], token_span: tuple[int, int]) -> tuple[int, int] | None:
        """The span of characters of a span of tokens: as many of the same words stand before it there as here.

        Decoders put spaces in or take them out by what is around a token, so lengths do not add up.
        """
        words = re.compile(rf"(?<!\w){re.escape(self.text(tokens[slice(*token_span)]))}(?!\w)")
        n_before = len(words.findall(self.text(tokens[: token_span[0]])))
        matches = [match.span() for match in words.finditer(self.text(tokens))]
        return matches[n_before] if n_before < len(matches) else None

    def ends_in_word(self, tokens: Sequence[int]) -> bool:
        """Whether a text that goes on from these tokens needs a space before its first word."""
        if not tokens:
            return False
        surface = self.surfaces[tokens[-1]]
        return surface is not None and _is_word(surface.decode("utf-8", errors="replace")[-1:])

    def _written(self, form: str) -> Iterator[Phrase]:
        # With the space and without: which of them the tokenizer keeps differs from one to the other.
        for text in (f" {form}", form):
            tokens = self._tokens(text)
            surfaces = [self.surfaces[token] for token in tokens]
            if not tokens or any(surface is None for surface in surfaces):
                continue
            surface = b"".join(filter(None, surfaces))
            if surface[:1] != b" ":
                yield Phrase(tokens, at_start=True)
            elif surface[1:2] != b" ":
                yield Phrase(tokens)

    def _tokens(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def _problem(self, words: str) -> str:
        """Why words cannot be written."""
        for word in words.split():
            tokens = self._tokens(word)
            if not tokens or self._tokenizer.unk_token_id in tokens:
                return f"the tokenizer has no pieces for {shown(word)}; use another word"
            if any(self.surfaces[token] is None for token in tokens):
                return f"{shown(word)} is a special token of the tokenizer, not a word"
        return f"the tokenizer cannot write {shown(words)} after a space; use other words"


def _surfaces(tokenizer: Any, n_vocab: int) -> list[bytes | None]:
    """What each token adds to a text, a space first where it begins a word; None for what is no text."""
    pieces: dict[str, int] = tokenizer.get_vocab()
    if n_vocab < len(tokenizer):
        raise LimnerError(
            f"the tokenizer has {len(tokenizer):,} tokens and the model {n_vocab:,}; are they of the same model?"
        )
    added = {token: str(entry.content) for token, entry in tokenizer.added_tokens_decoder.items()}
    silent = {*tokenizer.all_special_ids, *(t for t, entry in tokenizer.added_tokens_decoder.items() if entry.special)}
    spelt = _spelling(tokenizer, pieces)
    surfaces: list[bytes | None] = [None] * n_vocab
    for piece, token in pieces.items():
        if token not in silent:
            surfaces[token] = added[token].encode() if token in added else spelt(piece)
    return surfaces


def _spelling(tokenizer: Any, pieces: dict[str, int]) -> Callable[[str], bytes]:
    """How the pieces of a vocabulary are read, known by the mark that most of them bear."""
    marks = Counter(mark for piece in pieces for mark, bears in _MARKS.items() if bears(piece))
    if marks:
        mark = marks.most_common(1)[0][0]
        if mark in _SPELLINGS:
            return _SPELLINGS[mark]
    elif type(getattr(getattr(tokenizer, "backend_tokenizer", None), "model", None)).__name__ == "WordLevel":
        return _word
    raise LimnerError(
        "this tokenizer's pieces do not show where words begin; "
        "use a model with byte-level BPE, SentencePiece, WordPiece or whole words"
    )


def _byte_level(piece: str) -> bytes:
    if all(letter in _BYTE_BY_LETTER for letter in piece):
        return bytes(_BYTE_BY_LETTER[letter] for letter in piece)
    return piece.encode()


def _sentencepiece(piece: str) -> bytes:
    if byte := _BYTE_PIECE.fullmatch(piece):
        return bytes([int(byte[1], 16)])
    return piece.replace("▁", " ").encode()


def _wordpiece(piece: str) -> bytes:
    return piece[2:].encode() if piece.startswith("##") and len(piece) > 2 else _word(piece)


def _word(piece: str) -> bytes:
    return f" {piece}".encode()


_BYTE_PIECE = re.compile(r"<0x([0-9A-F]{2})>")

_MARKS: dict[str, Callable[[str], bool]] = {
    "Ġ": lambda piece: piece.startswith("Ġ"),
    "▁": lambda piece: piece.startswith("▁"),
    "##": lambda piece: piece.startswith("##") and len(piece) > 2,
    "</w>": lambda piece: piece.endswith("</w>"),
}
_SPELLINGS: dict[str, Callable[[str], bytes]] = {"Ġ": _byte_level, "▁": _sentencepiece, "##": _wordpiece}


def _letters() -> dict[str, int]:
    """The byte that each letter of byte-level BPE stands for: those that print stand for themselves."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + at): byte for at, byte in enumerate(hidden)}


_BYTE_BY_LETTER = _letters()


_HYPHENS = frozenset("-\u2010\u2011")


def _goes_on(surface: bytes) -> bool:
    first = surface[:4].decode("utf-8", errors="replace")[:1]
    return first == "\ufffd" or first in _HYPHENS or _is_word(first)


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_" or unicodedata.category(letter or " ").startswith("M")
