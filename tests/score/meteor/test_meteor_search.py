from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.score.meteor.meteor_search import EXACT, PARAPHRASE, STEM, Alignment, Match, Position, search


def exact(start: int, reference_start: int) -> Match:
    return Match(start, 1, reference_start, 1, EXACT)


def positions(caption: str, reference: str) -> list[Position]:
    """Letters as words: those that are equal match, and capitals have the stem of their small letters."""
    found = []
    for letter in reference:
        same = sum(1 << i for i, other in enumerate(caption) if other == letter)
        stem = sum(1 << i for i, other in enumerate(caption) if other != letter and other.lower() == letter.lower())
        found.append(Position((same, stem, 0), []))
    return found


def aligned(caption: str, reference: str, beam: int = 40) -> Alignment:
    return search(positions(caption, reference).__getitem__, len(reference), beam)


@pytest.mark.parametrize(
    ("caption", "reference", "starts", "chunks"),
    [
        ("", "", [], 0),
        ("abc", "", [], 0),
        ("abc", "abc", [(0, 0), (1, 1), (2, 2)], 1),
        ("abc", "cab", [(2, 0), (0, 1), (1, 2)], 2),
        # Of two that are alike, the one that makes a longer run.
        ("axab", "ab", [(2, 0), (3, 1)], 1),
        # A lone stem match counts for nothing, and starts a chunk: it is left out unless nothing speaks against it.
        ("AA", "a", [], 0),
        ("A", "a", [(0, 0)], 1),
        ("xAAx", "xax", [(0, 0), (1, 1), (3, 2)], 2),
        ("xAx", "xax", [(0, 0), (1, 1), (2, 2)], 1),
    ],
)
def test_the_alignment_of_letters(caption: str, reference: str, starts: list[tuple[int, int]], chunks: int) -> None:
    found = aligned(caption, reference)
    assert [(match.start, match.reference_start) for match in found.matches] == starts
    assert found.chunks == chunks


def test_a_phrase_is_taken_whole_or_not_at_all() -> None:
    phrase = Match(0, 3, 0, 2, PARAPHRASE)
    at = [Position((0b001, 0, 0), [phrase]), Position((0b010, 0, 0), []), Position((0b1000, 0, 0), [])]
    # Half of three words and half of two are less than two exact ones.
    assert search(at.__getitem__, 3).matches == (exact(0, 0), exact(1, 1), exact(3, 2))
    longer = [Position((0b001, 0, 0), [Match(0, 6, 0, 6, PARAPHRASE)]), *[Position((0, 0, 0), [])] * 5]
    assert search(longer.__getitem__, 6) == Alignment((Match(0, 6, 0, 6, PARAPHRASE),), 1)


sentences = st.text("abAB", max_size=5)


@given(sentences, sentences)
def test_nothing_better_is_missed_by_an_endless_beam(caption: str, reference: str) -> None:
    found = aligned(caption, reference, beam=10_000)
    assert is_sound(found)
    assert value(found) == max(map(value, every_alignment(caption, reference)))


@given(st.text("abcABC", max_size=12), st.text("abcABC", max_size=12), st.integers(1, 3))
def test_a_narrow_beam_finds_a_sound_alignment_too(caption: str, reference: str, beam: int) -> None:
    assert is_sound(aligned(caption, reference, beam))


def value(found: Alignment) -> tuple[int, int]:
    """What decides first: words covered, where a lone stem is none, then fewer chunks."""
    return sum(match.covered for match in found.matches), -found.chunks


def is_sound(found: Alignment) -> bool:
    ours, theirs = [match.start for match in found.matches], [match.reference_start for match in found.matches]
    return len(set(ours)) == len(ours) and theirs == sorted(set(theirs)) and found.chunks == n_chunks(found.matches)


def n_chunks(matches: tuple[Match, ...]) -> int:
    chunks, ends = 0, (-1, -1)
    for match in matches:
        chunks += ends != (match.start, match.reference_start)
        ends = match.start + match.length, match.reference_start + match.reference_length
    return chunks


def every_alignment(caption: str, reference: str) -> Iterator[Alignment]:
    """Every choice of matches that has the certain ones: those of words that nothing else matches."""
    at = positions(caption, reference)
    pairs = [
        Match(i, 1, j, 1, module)
        for j, position in enumerate(at)
        for module in (EXACT, STEM)
        for i in range(len(caption))
        if position.words[module] >> i & 1
    ]
    certain = [
        one
        for one in pairs
        if sum(other.start == one.start or other.reference_start == one.reference_start for other in pairs) == 1
    ]

    def chosen(j: int, taken: tuple[Match, ...]) -> Iterator[tuple[Match, ...]]:
        if j == len(reference):
            yield taken
            return
        here = [match for match in pairs if match.reference_start == j]
        if not any(match in certain for match in here):
            yield from chosen(j + 1, taken)
        for match in here:
            if match.start not in [one.start for one in taken]:
                yield from chosen(j + 1, (*taken, match))

    return (Alignment(matches, n_chunks(matches)) for matches in chosen(0, ()))
