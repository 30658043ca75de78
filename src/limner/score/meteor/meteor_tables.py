"""METEOR's compiled tables: looking words up.

If a table is missing, METEOR is computed without the modules that need it. It
is then another metric and has another name.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Integers
from limner.progress import Progress, silent
from limner.score.meteor.meteor_cache import Compiled, cached
from limner.score.meteor.meteor_compilation import Array
from limner.score.meteor.meteor_normaliser import Normaliser
from limner.score.meteor.meteor_sources import PUBLISHED, PUBLISHED_KEYS, REMEDY, find_source

# The ways in which words match, in METEOR's order.
MODULES = ("exact", "stem", "synonym", "paraphrase")


class Tables:
    """What METEOR knows of English.

    `modules` are those that these tables allow, `column` is the name of the
    metric with them. `name` is for signatures: the published tables have a
    name, others their key. `warnings` say what is missing or went wrong.
    """

    def __init__(self, compiled: Compiled | None) -> None:
        self._arrays: Mapping[str, Array] = compiled.arrays if compiled else _EMPTY
        self.key = compiled.key if compiled else "none"
        self.name = PUBLISHED if self.key in PUBLISHED_KEYS else self.key
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

    def numbers(self, words: Sequence[str]) -> Integers:
        """The numbers of words, -1 for those that no table has."""
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        hashes = np.fromiter(map(zlib.crc32, encoded), dtype=np.uint32, count=len(words))
        known, starts = self["word_hashes"], self["word_starts"]
        numbers = np.full(len(words), -1, dtype=np.int64)
        open_, places = np.arange(len(words)), np.searchsorted(known, hashes).astype(np.int64)
        # Words may share a checksum, and then stand side by side: each round looks one place further.
        while len(open_):
            is_alike = places < len(known)
            is_alike[is_alike] = known[places[is_alike]] == hashes[open_[is_alike]]
            open_, places = open_[is_alike], places[is_alike]
            spans = zip(open_.tolist(), starts[places].tolist(), starts[places + 1].tolist(), strict=True)
            is_equal = np.array([self._words[a:b] == encoded[i] for i, a, b in spans], dtype=np.bool_)
            numbers[open_[is_equal]] = places[is_equal]
            open_, places = open_[~is_equal], places[~is_equal] + 1
        return numbers


_COLUMNS = {4: "meteor", 3: "meteor-no-paraphrase", 2: "meteor-exact-stem"}

# The tables of nothing: no word, and a trie that has only a root.
_EMPTY: dict[str, NDArray[np.uint32] | NDArray[np.uint8]] = {
    **dict.fromkeys(("word_hashes", "word_stems", "own_senses", "senses", "paraphrases"), np.zeros(0, np.uint32)),
    **dict.fromkeys(("word_bytes", "word_flags"), np.zeros(0, np.uint8)),
    **dict.fromkeys(("word_starts", "own_starts", "sense_starts", "trie_words"), np.zeros(1, np.uint32)),
    **dict.fromkeys(("trie_children", "paraphrase_starts"), np.zeros(2, np.uint32)),
}


def load_tables(folder: Path | None = None, progress: Progress = silent) -> Tables:
    """The tables of a folder, or of the installed `pycocoevalcap`; empty ones if it is not installed.

    They are compiled when they are first used, which takes half a minute;
    `progress` hears how far that is.
    """
    source = find_source(folder)
    return Tables(cached(source, progress) if source else None)
