"""Which boxes captions mention, as metrics: content selection, its oracle, and the list of the finer measures.

They need a run with gold images, whose gold captions refer to boxes, and the
system's captions with their mentions. An image without a gold caption that
refers to a box has no value.
"""

from __future__ import annotations

from math import nan
from typing import Any, ClassVar

import numpy as np

from limner.score.content import Boxes, mentioned, oracle, score_selection
from limner.score.measure import FinerMeasure
from limner.score.metric import Metric, Statistics, means
from limner.score.ordering import Ordering
from limner.score.relations import Prepositions, Verbs
from limner.score.run import Run
from limner.score.wording import Attributes, Lexicalisation


class ContentSelection(Metric):
    """Precision, recall and F of the boxes that captions mention (Wang & Gaizauskas 2015): means over images."""

    name: ClassVar[str] = "content"
    columns: ClassVar[tuple[str, ...]] = ("content_p", "content_r", "content_f")
    needs_images: ClassVar[bool] = True
    needs_mentions: ClassVar[bool] = True

    def measure(self, run: Run) -> Statistics:
        """The scores of every image."""
        pairs = [([mentioned(caption) for caption in gold], caption) for gold, caption in run.grounded_pairs(self.name)]
        scores = [
            score_selection(self.selected(mentioned(caption), gold), gold) if gold else (nan,) * len(self.columns)
            for gold, caption in pairs
        ]
        values = np.array(scores, dtype=np.float64).reshape(len(run), len(self.columns))
        return means(values, {"gold": "captions that refer to a box", "empty": 0})

    def selected(self, mentioned: Boxes, gold: list[Boxes]) -> Boxes:
        """The boxes that are scored: those that the caption mentions."""
        return mentioned


class OracleSelection(ContentSelection):
    """The same for a set of boxes that no other set outscores, whatever the captions mention."""

    name: ClassVar[str] = "oracle"
    columns: ClassVar[tuple[str, ...]] = ("oracle_p", "oracle_r", "oracle_f")

    def selected(self, mentioned: Boxes, gold: list[Boxes]) -> Boxes:
        return oracle(gold)


CONTENT = ContentSelection()
ORACLE = OracleSelection()

# What the paper names as future work: in what order, and in which words.
FINER: tuple[FinerMeasure[Any], ...] = (Ordering(), Lexicalisation(), Attributes(), Prepositions(), Verbs())
