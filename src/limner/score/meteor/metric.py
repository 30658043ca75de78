"""METEOR 1.5 (Denkowski and Lavie 2014) for English, as the COCO evaluation runs it, without Java.

A caption is aligned with each reference, by equal words, stems, synonyms and
paraphrases; the reference it scores best with counts. The value of several
images is computed from the sums of their statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from limner.errors import LimnerError
from limner.score.meteor.align import N_STATISTICS, align, aligned
from limner.score.meteor.explanation import Explanation, explained
from limner.score.meteor.matching import Matcher, Pair
from limner.score.meteor.scoring import measures, summable
from limner.score.meteor.sentences import sentences
from limner.score.meteor.sources import REMEDY, Progress
from limner.score.meteor.tables import Tables, load_tables
from limner.score.metric import Numbers, Statistics
from limner.score.run import Run
from limner.text.token_table import Whole

VERSION = "1.5"


class Meteor:
    """METEOR with these tables: those of a folder, or by default of the installed `pycocoevalcap`.

    They are compiled when they are first used, and `progress` is told how far
    that is. Without all of them it is another metric, and its column says so.
    A copy for another process opens them there, and must find the same.
    """

    def __init__(self, tables: Tables | Path | str | None = None, progress: Progress | None = None) -> None:
        self._folder = Path(tables) if isinstance(tables, Path | str) else None
        self._given = tables if isinstance(tables, Tables) else None
        self._tables = self._given
        self._progress = progress
        self._key = ""

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_tables": self._given, "_progress": None, "_key": self.tables.key}

    @property
    def name(self) -> str:
        return "meteor"

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.tables.column,)

    @property
    def tables(self) -> Tables:
        """The tables, loaded when first asked for."""
        if self._tables is None:
            self._tables = load_tables(self._folder, self._progress)
            if self._key not in ("", self._tables.key):
                raise LimnerError(f"METEOR's tables are others here than where scoring began; {REMEDY}")
        return self._tables

    def measure(self, run: Run) -> Statistics:
        rows, scores = [np.zeros((0, N_STATISTICS))], [np.zeros(0)]
        for those in sentences(self.tables, run.tokens, run.groups):
            found = align(those)
            values = measures(found).score
            chosen = _best(values, those.groups)
            rows.append(found[chosen].astype(np.float64))
            scores.append(values[chosen])
        tables = self.tables
        choices = {"version": VERSION, "modules": "+".join(tables.modules), "tables": tables.key}
        per_image = np.concatenate(scores)[:, None]
        return Statistics(summable(np.concatenate(rows)), _finish, per_image, choices, warnings=tables.warnings)

    def explain(self, candidate: str, references: str | Sequence[str]) -> Explanation:
        """How a caption is aligned with the reference that it scores best with."""
        several = [references] if isinstance(references, str) else references
        return self.explanations(Run(["0"], [candidate], [several]))[0]

    def explanations(self, run: Run) -> list[Explanation]:
        """The same for each image of a run."""
        found: list[Explanation] = []
        for those in sentences(self.tables, run.tokens, run.groups):
            rows = align(those)
            chosen = _best(measures(rows).score, those.groups)
            matcher = Matcher(those)
            for caption, s in zip(those.groups[:-1].tolist(), chosen.tolist(), strict=True):
                texts = those.tokens.sentence(caption), those.tokens.sentence(s)
                alignment = aligned(Pair(matcher, caption, s))
                found.append(explained(*texts, s - caption - 1, alignment, rows[s].tolist()))
        return found


def _best(scores: Numbers, groups: Whole) -> Whole:
    """The sentence of each image that has the best score, the first of equal ones; never the caption itself."""
    those = scores.copy()
    those[groups[:-1]] = -1.0
    best = np.repeat(np.maximum.reduceat(those, groups[:-1]), np.diff(groups))
    chosen = np.flatnonzero(those == best)
    return chosen[np.searchsorted(chosen, groups[:-1])]


def _finish(sums: Numbers) -> Numbers:
    return measures(sums).score[..., None]
