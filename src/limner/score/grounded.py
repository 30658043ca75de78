"""Content selection and its finer measures as metrics: what captions that refer to boxes say of them.

The measures themselves are in `content`, `ordering`, `wording` and
`relations`; here they join the metrics of captions. They need a run with gold
images, whose gold captions refer to boxes, and the system's captions with
their mentions. An image without a gold caption that refers to a box has no
value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.errors import LimnerError
from limner.score.content import gold_sets, mentioned, score_selection
from limner.score.measure import Measure
from limner.score.metric import Choices, Statistics, means
from limner.score.ordering import ORDERING
from limner.score.relations import PREPOSITIONS, VERBS
from limner.score.run import Run
from limner.score.wording import ATTRIBUTES, LEXICALISATION

NAN = float("nan")


@dataclass(frozen=True, eq=False)
class ContentSelection:
    """Precision, recall and F of the boxes that captions mention (Wang & Gaizauskas 2015): means over images."""

    name: ClassVar[str] = "content"
    columns: ClassVar[tuple[str, ...]] = ("content_p", "content_r", "content_f")
    higher_is_better: ClassVar[bool] = True

    def measure(self, run: Run) -> Statistics:
        """The scores of every image."""
        found = []
        for image, caption in grounded_pairs(run, self.name):
            gold = gold_sets(image)
            found.append(score_selection(mentioned(caption), gold) if gold else (NAN,) * len(self.columns))
        return means(found, {"gold": "captions that refer to a box", "empty": 0})


@dataclass(frozen=True, eq=False)
class FinerMeasure:
    """A finer measure of captions that refer to boxes, against all gold captions: means over images."""

    compared: Measure[Any]
    choices: Choices
    higher_is_better: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return self.compared.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The measure's name, with a letter for each column where there are several."""
        if len(self.compared.columns) == 1:
            return (self.name,)
        return tuple(f"{self.name}_{column.lower()}" for column in self.compared.columns)

    def measure(self, run: Run) -> Statistics:
        """The values of every image, NaN where there is nothing to compare."""
        read = self.compared.read
        found = []
        for image, caption in grounded_pairs(run, self.name):
            gold = [read(one) for one in grounded_captions(image)]
            values = self.compared.compare(read(caption), gold).values if gold else (None,) * len(self.columns)
            found.append([NAN if value is None else value for value in values])
        return means(found, {"gold": "captions that refer to a box", **self.choices})


CONTENT = ContentSelection()
FINER = (
    FinerMeasure(ORDERING, {"order": "tau-b of first mentions"}),
    FinerMeasure(LEXICALISATION, {"noun": "singular head"}),
    FinerMeasure(ATTRIBUTES, {"attributes": "before the head"}),
    FinerMeasure(PREPOSITIONS, {"relations": "neighbouring mentions"}),
    FinerMeasure(VERBS, {"relations": "neighbouring mentions"}),
)


def grounded_pairs(run: Run, metric: str) -> Sequence[tuple[Image, Caption]]:
    """The gold images of a run, each with the system's caption; an error where the run was made without them."""
    if run.images is None or run.captions is None:
        raise LimnerError(f"{metric} needs boxes and captions that refer to them; give both as Limner's own JSON Lines")
    return list(zip(run.images, run.captions, strict=True))


def grounded_captions(image: Image) -> list[Caption]:
    """The gold captions of an image that refer to a box."""
    return [one for one in image.captions if one.source == "gold" and any(mention.boxes for mention in one.mentions)]
