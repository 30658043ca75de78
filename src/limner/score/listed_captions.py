"""Captions given as plain lists, an image a position, told apart from lists of paths."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from limner.corpus.formats import FORMATS

# What the names of corpora end in, whether they exist or not: a mistyped path must not be scored as a caption.
PATH_SUFFIXES = frozenset((".json", ".jsonl", ".gz", ".zst", ".zip", ".parquet", ".tsv", ".csv", ".txt"))


def captions_by_position(given: object) -> dict[str, object] | None:
    """What a list has for each image, by its position from 0; None for what is no list of captions."""
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        return None
    if all(isinstance(item, str) and not _is_path(item) for item in given) or all(map(_is_texts, given)):
        return {str(i): item for i, item in enumerate(given)}
    return None


def _is_texts(item: object) -> bool:
    return isinstance(item, list | tuple) and all(isinstance(text, str) for text in item)


def _is_path(text: str) -> bool:
    if os.path.exists(text) or Path(text).suffix.lower() in PATH_SUFFIXES or text.partition(":")[0] in FORMATS:
        return True
    return "/" in text and not any(c.isspace() for c in text)
