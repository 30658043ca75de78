"""Results of localisation as files have them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from limner.corpus import Corpus, open_corpus


def open_localisations(source: str | Path, *, lenient: bool = False, ids: Collection[str] | None = None) -> Corpus:
    """The corpus of a system's results."""
    return open_corpus(source, lenient=lenient, ids=ids)
