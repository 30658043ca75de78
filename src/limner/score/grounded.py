"""Which boxes captions mention, as metrics: content selection, and the list of the finer measures.

They need a run with gold images, whose gold captions refer to boxes, and the
system's captions with their mentions. An image without a gold caption that
refers to a box has no value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from limner.score.content import PRF, Boxes, mentioned, score_selection
from limner.score.measure import Compared, GroundedMeasure
from limner.score.metric import Choices
from limner.score.ordering import Ordering
from limner.score.relations import Prepositions, Verbs
from limner.score.wording import Attributes, Lexicalisation


class ContentSelection(GroundedMeasure[Boxes]):
    """Precision, recall and F of the boxes that captions mention (Wang & Gaizauskas 2015): means over images."""

    name: ClassVar[str] = "content"
    value_names: ClassVar[tuple[str, ...]] = PRF._fields
    choices: ClassVar[Choices] = {"empty": 0}
    pools_gold: ClassVar[bool] = False

    read = staticmethod(mentioned)

    def compare(self, said: Boxes, gold: Sequence[Boxes]) -> Compared:
        return Compared(score_selection(said, gold), len(said), len(said))


CONTENT = ContentSelection()

# What the paper names as future work: in what order, and in which words.
FINER: tuple[GroundedMeasure[Any], ...] = (Ordering(), Lexicalisation(), Attributes(), Prepositions(), Verbs())
