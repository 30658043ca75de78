"""Captions and spans in which spaces do not count: a caption may be compared with its tokenised text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate

from limner.corpus.caption import Caption, Mention

# A caption by its text without spaces, and which of several with that text it is.
CaptionKey = tuple[str, int]


def numbered_captions(captions: Iterable[Caption]) -> Iterator[tuple[CaptionKey, Caption]]:
    """Captions by their letters; several of the same letters are told apart by their order."""
    seen: Counter[str] = Counter()
    for caption in captions:
        letters = "".join(caption.text.split())
        yield (letters, seen[letters]), caption
        seen[letters] += 1


def letter_spans(caption: Caption) -> Iterator[tuple[int, int, Mention]]:
    """Each mention with where it begins and ends, counted without spaces."""
    n_before = [0, *accumulate(not letter.isspace() for letter in caption.text)]
    for mention in caption.mentions:
        yield n_before[mention.start], n_before[mention.end], mention
