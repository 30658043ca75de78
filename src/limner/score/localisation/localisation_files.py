"""Results of localisation as files have them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from limner.corpus import Corpus, open_corpus
from limner.corpus.formats import split_source
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.score.localisation.gold_phrases import GoldPhrases
from limner.score.localisation.mdetr_results import is_mdetr, read_mdetr


def open_localisations(
    source: str | Path, gold: GoldPhrases, *, lenient: bool = False, ids: Collection[str] | None = None
) -> Corpus:
    """The corpus of a system's results; those that number phrases are read by gold's."""
    format_name, path = split_source(str(source))
    if format_name is None and is_mdetr(path):

        def read(reading: Reading) -> Iterator[Image]:
            return read_mdetr(path, gold, reading)

        return Corpus(str(path), read, lenient=lenient, ids=ids)
    return open_corpus(source, lenient=lenient, ids=ids)
