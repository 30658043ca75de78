"""Which matches of words and phrases to take: METEOR's beam search over a reference, from left to right.

Matches whose words no other match covers are certain. At every other word of
the reference each match that is still free is tried, and none. The best `BEAM`
paths are kept: those that cover most words, then those with fewest chunks
(runs of matches that stand side by side in both sentences), then those whose
matches lie least far apart; of equal ones the first.

Three things are as METEOR 1.5 does them, whatever was meant. What a path
covers is a whole number on either side, cut after each addition, and a match
that is not exact counts half its words: a single one adds nothing. A chunk is
counted when it ends. The distance of a match counts against those that are
tried after it at the same word, not against the path that takes it.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

# METEOR's own beam: another one would give other scores.
BEAM = 40

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)


class Match(NamedTuple):
    """Words of the caption, from `start` on, that go with words of the reference, by one of the modules."""

    start: int
    length: int
    reference_start: int
    reference_length: int
    module: int

    @property
    def covered(self) -> int:
        """What a path gains by it."""
        return 2 if self.module == EXACT else self.length // 2 + self.reference_length // 2

    def bits(self) -> tuple[int, int]:
        """The words of the caption, and those of the reference."""
        return _bits(self.start, self.length), _bits(self.reference_start, self.reference_length)


class Position(NamedTuple):
    """What matches at a word of the reference.

    `words` are the caption's words that match by the first three modules, a
    bit for each; `phrases` are paraphrases, in the order in which they are
    tried.
    """

    words: tuple[int, int, int]
    phrases: list[Match]


class Alignment(NamedTuple):
    """The matches that were taken, from left to right in the reference, and how many chunks they are."""

    matches: tuple[Match, ...]
    chunks: int


def search(at: Callable[[int], Position], n_reference: int, beam: int = BEAM) -> Alignment:
    """The alignment with a reference of `n_reference` words; `at` returns what matches at each of them."""
    several = _covered_by_several(at, n_reference)
    paths = [_Path()]
    for j in range(n_reference):
        position = at(j)
        n_matches = sum(map(int.bit_count, position.words)) + len(position.phrases)
        only = _only_match(position, j) if n_matches == 1 else None
        if only and not any(bits & both for bits, both in zip(only.bits(), several, strict=True)):
            paths = [path.taken(only) for path in paths]
        elif n_matches:
            paths = _branched(paths, position, j, beam)
        else:
            paths = [path.skipped() if path.next <= j else path for path in paths]
        paths.sort(key=_Path.key)
    best = min((path.skipped() for path in paths), key=_Path.key)
    return Alignment(best.matches(), best.chunks)


# The match that was taken last, and those before.
Trail = tuple[Match, "Trail"] | None


@dataclass(slots=True)
class _Path:
    """A choice of matches up to some word of the reference.

    `used` has a bit for each word of the caption that is matched by choice;
    `last` is the word at which the open chunk would go on, -1 if none is
    open; words of the reference before `next` are decided.
    """

    covered: int = 0
    chunks: int = 0
    distance: int = 0
    used: int = 0
    last: int = -1
    next: int = 0
    trail: Trail = None

    def key(self) -> tuple[int, int, int]:
        return -self.covered, self.chunks, self.distance

    def chunks_with(self, match: Match) -> int:
        return self.chunks + (self.last >= 0 and self.last != match.start)

    def taken(self, match: Match, distance: int | None = None) -> _Path:
        """The path that goes on by this match, with this distance (default: its own)."""
        return _Path(
            self.covered + match.covered,
            self.chunks_with(match),
            self.distance if distance is None else distance,
            self.used | _bits(match.start, match.length),
            match.start + match.length,
            match.reference_start + match.reference_length,
            (match, self.trail),
        )

    def skipped(self) -> _Path:
        """The path that takes nothing, which ends an open chunk."""
        return replace(self, chunks=self.chunks + 1, last=-1) if self.last >= 0 else self

    def matches(self) -> tuple[Match, ...]:
        matches = []
        trail = self.trail
        while trail:
            match, trail = trail
            matches.append(match)
        return tuple(reversed(matches))


def _bits(start: int, length: int) -> int:
    return (1 << length) - 1 << start


def _covered_by_several(at: Callable[[int], Position], n_reference: int) -> tuple[int, int]:
    """The words of the caption, and of the reference, that more than one match covers, as bits."""
    once = several = reference_once = reference_several = 0
    for j in range(n_reference):
        position = at(j)
        for bits in position.words:
            several |= once & bits
            once |= bits
            for _ in range(min(bits.bit_count(), 2)):
                reference_several |= reference_once & 1 << j
                reference_once |= 1 << j
        for match in position.phrases:
            bits, theirs = match.bits()
            several |= once & bits
            once |= bits
            reference_several |= reference_once & theirs
            reference_once |= theirs
    return several, reference_several


def _only_match(position: Position, j: int) -> Match:
    for module, bits in enumerate(position.words):
        if bits:
            return Match(bits.bit_length() - 1, 1, j, 1, module)
    return position.phrases[0]


def _branched(paths: list[_Path], position: Position, j: int, beam: int) -> list[_Path]:
    """The best paths that go on from these at a word of the reference."""
    best = _Best(beam)
    most = max(2 if position.words[EXACT] else 0, *(match.covered for match in position.phrases), 0)
    for parent, path in enumerate(paths):
        if path.next > j:
            best.add(path.key(), parent, None)
        else:
            _try(best, parent, path, position, j, most)
    return [_grown(paths[parent], match, distance, j) for _, _, distance, _, parent, match in best.children]


Key = tuple[int, int, int]
# Its key, its turn, the number of its parent, the match it takes. Turns differ: matches are never compared.
Child = tuple[int, int, int, int, int, Match | None]


class _Best:
    """The best children so far, the best first; of equal ones the earlier."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._turn = 0
        self.children: list[Child] = []

    def add(self, key: Key, parent: int, match: Match | None) -> None:
        child = (*key, self._turn, parent, match)
        self._turn += 1
        if len(self.children) == self._size:
            if child > self.children[-1]:
                return
            self.children.pop()
        insort(self.children, child)

    def is_beyond(self, key: Key) -> bool:
        """Whether nothing with this key would be among them."""
        return len(self.children) == self._size and key >= self.children[-1][:3]


def _try(best: _Best, parent: int, path: _Path, position: Position, j: int, most: int) -> None:
    """Add the children of a path: each match that is free, then none.

    It stops as soon as no later child could be among the best: distances only
    grow, no match covers more than `most`, and past the last one that adjoins
    the open chunk every match ends that chunk.
    """
    covered, chunks, distance = path.key()
    closing = int(path.last >= 0)
    adjoining = _last_adjoining(position, path.last) if closing else -1
    for module, words in enumerate(position.words):
        free = words & ~path.used
        while free:
            lowest = free & -free
            free ^= lowest
            i = lowest.bit_length() - 1
            is_past = module > adjoining or (module == adjoining and i > path.last)
            if best.is_beyond((covered - most, chunks + closing * is_past, distance)):
                return
            match = Match(i, 1, j, 1, module)
            best.add((covered - match.covered, path.chunks_with(match), distance), parent, match)
            distance += abs(i - j)
    for match in position.phrases:
        if not path.used & _bits(match.start, match.length):
            if best.is_beyond((covered - most, chunks, distance)):
                return
            best.add((covered - match.covered, path.chunks_with(match), distance), parent, match)
            distance += abs(match.start - j)
    best.add((covered, chunks + closing, distance), parent, None)


def _last_adjoining(position: Position, word: int) -> int:
    """The last module by which something matches that starts at a word of the caption, -1 for none."""
    if any(match.start == word for match in position.phrases):
        return PARAPHRASE
    return max((module for module, bits in enumerate(position.words) if bits >> word & 1), default=-1)


def _grown(path: _Path, match: Match | None, distance: int, j: int) -> _Path:
    if match:
        return path.taken(match, distance)
    return path if path.next > j else replace(path.skipped(), distance=distance)
