"""METEOR 1.5 (Denkowski and Lavie 2014) for English, as the COCO evaluation runs it, without Java.

A caption is aligned with each reference by equal words, stems, synonyms and
paraphrases. The reference with the best score counts. The value of several
images is computed from the sums of their statistics.

A row of statistics holds, in this order: the words of the caption and of the
reference; how many of each are function words; for each of the four modules
the matched content words of the caption and of the reference, then the matched
function words of both; the chunks; all matched words of the caption and of the
reference.

Content words weigh `DELTA`, function words the rest. Precision and recall are
the weighted shares of matched words, each by its module's weight. The more
chunks the matches fall into, the larger the penalty.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from limner.arrays import Floats, Integers
from limner.errors import LimnerError
from limner.progress import Progress, silent
from limner.score.meteor.meteor_alignment import N_STATISTICS, Matcher, Pair, align, aligned
from limner.score.meteor.meteor_search import Alignment
from limner.score.meteor.meteor_sentences import sentences
from limner.score.meteor.meteor_sources import REMEDY
from limner.score.meteor.meteor_tables import MODULES, Tables, load_tables
from limner.score.metric import SHARE, ExplanationKind, Metric, Settings, Statistics
from limner.score.run import Run

VERSION = "1.5"


class Meteor(Metric):
    """METEOR with these tables: those of a folder, or by default of the installed `pycocoevalcap`.

    They are compiled when they are first used, and `progress` is told how far
    that is. Without all of them it is another metric, and its column says so.
    A copy for another process opens them there, and must find the same.
    """

    explanation: ClassVar[ExplanationKind] = "alignment"

    def __init__(self, tables: Tables | Path | str | None = None, progress: Progress = silent) -> None:
        self._folder = Path(tables) if isinstance(tables, Path | str) else None
        self._given = tables if isinstance(tables, Tables) else None
        self._tables = self._given
        self._progress = progress
        self._key = ""

    def __getstate__(self) -> dict[str, object]:
        # The tables are a file in the cache that every process maps for itself; their key shows that it is the same.
        return {**self.__dict__, "_tables": self._given, "_progress": silent, "_key": self.tables.key}

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(settings.meteor_tables, settings.progress)

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
        for block in sentences(self.tables, run.tokens, run.groups):
            rows_of_block = align(block)
            values = measures(rows_of_block).score
            chosen = _best(values, block.groups)
            rows.append(rows_of_block[chosen].astype(np.float64))
            scores.append(values[chosen])
        tables = self.tables
        choices = {"version": VERSION, "modules": "+".join(tables.modules), "tables": tables.name}
        per_image = np.concatenate(scores)[:, None]
        summed, warnings = summable(np.concatenate(rows)), tables.warnings
        return Statistics(summed, _finish, per_image, choices, warnings=warnings, ranges=[SHARE])

    def explain(self, candidate: str, references: str | Sequence[str]) -> Explanation:
        """How a caption is aligned with the reference with which it scores best."""
        several = [references] if isinstance(references, str) else references
        return self.explanations(Run(["0"], [candidate], [several]))[0]

    def explanations(self, run: Run) -> list[Explanation]:
        """The alignment of each caption of a run with the reference with which it scores best."""
        explanations: list[Explanation] = []
        for block in sentences(self.tables, run.tokens, run.groups):
            rows = align(block)
            chosen = _best(measures(rows).score, block.groups)
            matcher = Matcher(block)
            for caption, s in zip(block.groups[:-1].tolist(), chosen.tolist(), strict=True):
                texts = block.tokens.sentence(caption), block.tokens.sentence(s)
                alignment = aligned(Pair(matcher, caption, s))
                explanations.append(explained(*texts, s - caption - 1, alignment, rows[s].tolist()))
        return explanations


def _best(scores: Floats, groups: Integers) -> Integers:
    """The reference of each image with the best score, the first of equal ones, as numbers of sentences."""
    # The caption stands first among an image's sentences; it must never win.
    candidates = scores.copy()
    candidates[groups[:-1]] = -1.0
    best = np.repeat(np.maximum.reduceat(candidates, groups[:-1]), np.diff(groups))
    chosen = np.flatnonzero(candidates == best)
    return chosen[np.searchsorted(chosen, groups[:-1])]


def _finish(sums: Floats) -> Floats:
    return measures(sums).score[..., None]


class Matched(NamedTuple):
    """Words of the caption and of the reference that go together: half-open spans of tokens.

    `chunk` is the number of the run of matches it belongs to, from 0, in the
    order of the reference.
    """

    start: int
    end: int
    reference_start: int
    reference_end: int
    module: str
    chunk: int


class Explanation(NamedTuple):
    """A caption beside the reference with which it scores best, in METEOR's tokens.

    `reference_number` counts the image's references from 0. The score is
    `f_mean` less its `penalty`'s share.
    """

    caption: list[str]
    reference: list[str]
    reference_number: int
    matches: list[Matched]
    chunks: int
    precision: float
    recall: float
    f_mean: float
    penalty: float
    score: float


def explained(
    caption: list[str], reference: list[str], reference_number: int, alignment: Alignment, row: Sequence[int]
) -> Explanation:
    """The explanation of an alignment with these statistics."""
    matches: list[Matched] = []
    for start, length, reference_start, reference_length, module in alignment.matches:
        before = matches[-1] if matches else None
        goes_on = before and (before.end, before.reference_end) == (start, reference_start)
        chunk = 0 if before is None else before.chunk + (not goes_on)
        ends = start + length, reference_start + reference_length
        matches.append(Matched(start, ends[0], reference_start, ends[1], MODULES[module], chunk))
    parts = measures(row)
    return Explanation(
        *(caption, reference, reference_number, matches, alignment.chunks),
        *(float(value) for value in parts),
    )


# The published parameters for English, tuned to people's rankings of translations: recall weighs more than precision
# (ALPHA), content words more than function words (DELTA); BETA and GAMMA shape the penalty.
ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75

# The worth of a word that matches exactly, by its stem, as a synonym, as part of a paraphrase.
WEIGHTS = (1.0, 0.6, 0.8, 0.6)

# The columns of a row of statistics.
CAPTION, REFERENCE, CAPTION_FUNCTION, REFERENCE_FUNCTION = range(4)
MODULE_COUNTS, CHUNKS, CAPTION_MATCHED, REFERENCE_MATCHED = 4, 20, 21, 22


class Measures(NamedTuple):
    """What a score is made of; arrays of one shape."""

    precision: Floats
    recall: Floats
    f_mean: Floats
    penalty: Floats
    score: Floats


def measures(rows: ArrayLike) -> Measures:
    """The measures of rows or sums of rows, `[..., 23]`; 0 if they are not defined."""
    statistics = np.asarray(rows, dtype=np.float64)
    modules = statistics[..., MODULE_COUNTS:CHUNKS].reshape(*statistics.shape[:-1], len(WEIGHTS), 4)
    content, function = (np.array(WEIGHTS) @ modules[..., columns] for columns in (slice(0, 2), slice(2, 4)))
    matched = DELTA * content + (1.0 - DELTA) * function
    n_function = statistics[..., CAPTION_FUNCTION : REFERENCE_FUNCTION + 1]
    lengths = DELTA * (statistics[..., CAPTION : REFERENCE + 1] - n_function) + (1.0 - DELTA) * n_function
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = matched / lengths
        precision, recall = shares[..., 0], shares[..., 1]
        f_mean = 1.0 / ((1.0 - ALPHA) / precision + ALPHA / recall)
        n_matched = (statistics[..., CAPTION_MATCHED] + statistics[..., REFERENCE_MATCHED]) / 2.0
        penalty = GAMMA * np.where(is_perfect(statistics), 0.0, statistics[..., CHUNKS] / n_matched) ** BETA
        values = precision, recall, f_mean, penalty, f_mean * (1.0 - penalty)
    return Measures(*(np.nan_to_num(value, nan=0.0, posinf=0.0, neginf=0.0) for value in values))


def is_perfect(rows: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Whether every word of both sentences is matched, in one chunk."""
    is_matched = rows[..., [CAPTION, REFERENCE]] == rows[..., [CAPTION_MATCHED, REFERENCE_MATCHED]]
    return np.asarray(is_matched.all(axis=-1) & (rows[..., CHUNKS] <= 1), dtype=np.bool_)


def summable(rows: Floats) -> Floats:
    """The rows as they are summed over images: a perfect one adds no chunk, since it has no penalty."""
    summed = rows.copy()
    summed[is_perfect(rows), CHUNKS] = 0.0
    return summed
