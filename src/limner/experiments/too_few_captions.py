"""What is left out where some captions of each image give labels and are no longer gold."""

from __future__ import annotations

from typing import NamedTuple


class TooFewCaptions(NamedTuple):
    """How many images have no gold caption besides those that give labels, and are left out: of each corpus."""

    training: int
    test: int

    def __str__(self) -> str:
        return f"{_images(self.training, 'training')} and {_images(self.test, 'test')}"


def _images(n: int, corpus: str) -> str:
    return f"{n:,} {corpus} image{'' if n == 1 else 's'}"
