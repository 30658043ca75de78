"""METEOR's tables, ready to be asked: what is known of words, and which phrases mean the same.

Where a table is not at hand, METEOR is worked out without the modules that
need it. It is then another metric, under a name of its own.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limner.score.meteor.cache import Compiled, cached
from limner.score.meteor.compilation import Array
from limner.score.meteor.normalise import Normaliser
from limner.score.meteor.sources import REMEDY, Progress, find_source
from limner.text.token_table import Whole

MODULES = ("exact", "stem", "synonym", "paraphrase")
"""The ways in which words match, in METEOR's order."""


class Tables:
    """What METEOR knows of English.

    `modules` are those that these tables allow, `column` the name of the
    metric with them. `warnings` say what is missing or went wrong.
    """

    def __init__(self, compiled: Compiled | None) -> None:
        self._arrays: Mapping[str, Array] = compiled.arrays if compiled else _EMPTY
        self.key = compiled.key if compiled else "none"
        self.normaliser = Normaliser(compiled.prefixes if compiled else {})
        has_paraphrases = len(self["paraphrases"]) > 0
        self.modules = MODULES if has_paraphrases else MODULES[:3] if compiled else MODULES[:2]
        self.column = _COLUMNS[len(self.modules)]
        self.warnings = tuple(compiled.warnings) if compiled else ()
        if self.modules != MODULES:
            missing = "paraphrase table" if compiled else "tables"
            self.warnings += (f"without METEOR's {missing} this is {self.column}, not meteor; {REMEDY}",)
        self._words = self["word_bytes"].tobytes()

    def __getitem__(self, name: str) -> Array:
        """One of the compiled arrays."""
        return self._arrays[name]

    def numbers(self, words: Sequence[str]) -> Whole:
        """The numbers of words, -1 for those that no table has."""
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        hashes = np.fromiter(map(zlib.crc32, encoded), dtype=np.uint32, count=len(words))
        known, starts = self["word_hashes"], self["word_starts"]
        found = np.full(len(words), -1, dtype=np.int64)
        open_, places = np.arange(len(words)), np.searchsorted(known, hashes).astype(np.int64)
        # Those whose checksum is another word's too are looked for at the next place.
        while len(open_):
            is_alike = places < len(known)
            is_alike[is_alike] = known[places[is_alike]] == hashes[open_[is_alike]]
            open_, places = open_[is_alike], places[is_alike]
            spans = zip(open_.tolist(), starts[places].tolist(), starts[places + 1].tolist(), strict=True)
            is_it = np.array([self._words[a:b] == encoded[i] for i, a, b in spans], dtype=np.bool_)
            found[open_[is_it]] = places[is_it]
            open_, places = open_[~is_it], places[~is_it] + 1
        return found


_COLUMNS = {4: "meteor", 3: "meteor-no-paraphrase", 2: "meteor-exact-stem"}

_EMPTY: dict[str, NDArray[np.uint32] | NDArray[np.uint8]] = {
    **dict.fromkeys(("word_hashes", "word_stems", "own_senses", "senses", "paraphrases"), np.zeros(0, np.uint32)),
    **dict.fromkeys(("word_bytes", "word_flags"), np.zeros(0, np.uint8)),
    **dict.fromkeys(("word_starts", "own_starts", "sense_starts", "trie_words"), np.zeros(1, np.uint32)),
    **dict.fromkeys(("trie_children", "paraphrase_starts"), np.zeros(2, np.uint32)),
}


def load_tables(folder: Path | None = None, progress: Progress | None = None) -> Tables:
    """The tables of a folder, or of the installed `pycocoevalcap`; those of nothing where it is not installed.

    The first time they are compiled, which takes half a minute; `progress` is
    told how far that is.
    """
    source = find_source(folder)
    return Tables(cached(source, progress or (lambda share: None)) if source else None)
