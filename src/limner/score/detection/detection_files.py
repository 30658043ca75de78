"""Detections as files have them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from limner.corpus import Corpus, open_corpus
from limner.corpus.formats import split_source
from limner.corpus.formats.coco_files import is_results, read_results
from limner.corpus.image import Image
from limner.corpus.reading import Reading


def open_detections(source: str | Path, gold: str | Path, *, lenient: bool = False) -> Corpus:
    """The corpus of a detector's boxes; of a COCO results file, by the categories of the gold file.

    COCO's results number their categories, and do not name them.
    """
    format_name, path = split_source(str(source))
    if format_name in (None, "coco") and is_results(path) and (named := split_source(str(gold))[1]).is_file():

        def read(reading: Reading) -> Iterator[Image]:
            return read_results(path, named, reading)

        return Corpus(str(path), read, lenient=lenient)
    return open_corpus(source, lenient=lenient)
