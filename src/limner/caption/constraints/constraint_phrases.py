"""Constraints as a caller gives them: phrases of token ids, each of them checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice
from operator import index
from typing import NamedTuple, SupportsIndex, TypeAlias

from limner.errors import LimnerError, shown

MAX_CONSTRAINTS = 62  # masks are int64, whose sign must stay free
MAX_PHRASE = 1_000  # tokens: no sentence is so long, and every token of a phrase is a node of the machine


class BadConstraints(LimnerError, ValueError):
    """Constraints that no sentence could meet: the error names the constraint and the remedy."""


class Phrase(NamedTuple):
    """Tokens that count where they follow each other; with `at_start`, only at the start of a sentence."""

    tokens: tuple[int, ...]
    at_start: bool = False


PhraseLike: TypeAlias = Phrase | Iterable[int]


def read_constraints(constraints: Iterable[Iterable[PhraseLike]], n_vocab: int) -> tuple[tuple[Phrase, ...], ...]:
    """The constraints as tuples of phrases, in the order given."""
    read = tuple(
        tuple(_phrases(constraint, f"constraint {i}", n_vocab))
        for i, constraint in enumerate(_items(constraints, "constraints", "a list of constraints"))
    )
    if len(read) > MAX_CONSTRAINTS:
        raise BadConstraints(
            f"there are {len(read)} constraints, and at most {MAX_CONSTRAINTS} are possible; drop some, "
            "or join some as alternatives of one constraint"
        )
    for i, constraint in enumerate(read):
        if not constraint:
            raise BadConstraints(f"constraint {i} has no phrases and could never be met; leave it out")
    return read


def read_forbidden(forbid: Iterable[PhraseLike], n_vocab: int) -> tuple[Phrase, ...]:
    """The forbidden phrases, in the order given."""
    return tuple(_phrases(forbid, "forbid", n_vocab))


def _phrases(phrases: object, name: str, n_vocab: int) -> Iterator[Phrase]:
    for i, phrase in enumerate(_items(phrases, name, "a list of phrases, each a list of token ids")):
        yield _phrase(phrase, f"{name}, phrase {i}", n_vocab)


def _phrase(phrase: object, name: str, n_vocab: int) -> Phrase:
    tokens, at_start = (phrase.tokens, phrase.at_start) if isinstance(phrase, Phrase) else (phrase, False)
    items = islice(_items(tokens, name, "a list of token ids"), MAX_PHRASE + 1)
    read = tuple(_token(token, name, n_vocab) for token in items)
    if len(read) > MAX_PHRASE:
        raise BadConstraints(f"{name} has more than {MAX_PHRASE:,} tokens; give a shorter phrase")
    if not read:
        raise BadConstraints(f"{name} has no tokens; leave it out, or check why its words gave none")
    if not isinstance(at_start, bool):
        raise BadConstraints(f"{name}: at_start is {shown(at_start)}; it must be True or False")
    return Phrase(read, at_start)


def _token(token: object, name: str, n_vocab: int) -> int:
    value = integer(token)
    if value is None:
        raise BadConstraints(f"{name}: {shown(token)} is not a token id; ids are integers")
    if not 0 <= value < n_vocab:
        raise BadConstraints(
            f"{name}: token {shown(value)} is not in a vocabulary of {n_vocab}, whose ids are 0 to {n_vocab - 1}"
        )
    return value


def integer(value: object) -> int | None:
    """The value as an int, if it is an integer of Python, numpy or PyTorch; otherwise None."""
    if type(value) is int:
        return value
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        return None
    try:
        return index(value)
    except TypeError:  # an array of several numbers
        return None


def _items(value: object, name: str, wanted: str) -> Iterator[object]:
    if isinstance(value, str | bytes):
        raise BadConstraints(f"{name} is the text {shown(value)}, not {wanted}; turn words into token ids first")
    if not isinstance(value, Iterable) or isinstance(value, Mapping | Set):
        raise BadConstraints(f"{name} is {shown(value)}, not {wanted}")
    return iter(value)
