"""Whether captions name the classes that no training caption named: precision, recall and F1, class by class.

The F1 of Hendricks et al. (2016), which counts captions: one that names a
class by any of its words is right if the class is there. That it is there is
known from gold boxes, or from references that name it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from limner.arrays import Floats
from limner.corpus.classes.named_classes import NamedClasses
from limner.errors import LimnerError
from limner.score.metric import SHARE, Metric, Statistics
from limner.score.run import Run

# What says that a class is there.
Truth = Literal["boxes", "references"]
TRUTHS: tuple[Truth, ...] = ("boxes", "references")

# The values of each class, and what stands for all classes: the mean of their values, and the values of all counts.
# The last is F1 on the images that have the class alone, where every mention is right.
VALUES = ("precision", "recall", "f1", "f1_where_shown")
MEAN, POOLED = "mean", "pooled"

# Counts of an image for each class: it is named and there, it is named, it is there.
N_COUNTS = 3


@dataclass(frozen=True, eq=False)
class NovelMentions(Metric):
    """How well captions name some classes, by gold boxes or by what references name.

    Columns are those of `mention_column`. A class that no image has, or that
    no caption names, has no recall or precision, and no part in their mean. F1
    has a value if either holds, and its mean is over the classes that are
    there. On the images that have a class, F1 is 2R / (1 + R), which is the
    mean over classes of these values, not that of the mean recall.
    """

    classes: Sequence[str]
    truth: Truth = "boxes"
    needs_images: ClassVar[bool] = True
    _named: NamedClasses = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.classes:
            raise LimnerError("there are no classes whose mentions could be counted; name one")
        object.__setattr__(self, "_named", NamedClasses(self.classes))

    @property
    def name(self) -> str:
        return f"novel_{self.truth}"

    @property
    def columns(self) -> tuple[str, ...]:
        names = (*self.classes, MEAN, POOLED)
        return tuple(mention_column(self.truth, name, value) for name in names for value in VALUES)

    def measure(self, run: Run) -> Statistics:
        """Of every image and class whether it is named and there, named, and there."""
        if self.truth == "boxes" and run.images is None:
            raise LimnerError("mentions are judged by gold boxes; give references as a corpus with boxes")
        rows = np.zeros((len(run), len(self.classes), N_COUNTS))
        for i, (caption, references) in enumerate(zip(run.candidates, run.references, strict=True)):
            named = self._named.named(caption)
            there = self._named.named_by_any(references)
            if self.truth == "boxes" and run.images is not None:
                there = self._named.shown(run.images[i])
            for k, name in enumerate(self.classes):
                rows[i, k] = name in named and name in there, name in named, name in there
        flat = rows.reshape(len(run), -1)
        choices = {"truth": self.truth, "classes": ",".join(self.classes), "words": "limner"}
        return Statistics(flat, finish, finish(flat), choices, ranges=[SHARE] * len(self.columns))


def mention_column(truth: Truth, name: str, value: str) -> str:
    """The column of a value of a class, or of `mean` and `pooled`."""
    return f"novel_{truth} {name} {value}"


def finish(sums: Floats) -> Floats:
    """From sums of counts, `[..., 3 × classes]`, to the values of each class, of their mean and of all counts."""
    counts = sums.reshape(*sums.shape[:-1], -1, N_COUNTS)
    of_classes = _values(counts)
    # A class that is nowhere says nothing of F1, though a system may have named it.
    is_there = counts[..., 2:3] > 0
    counted = np.concatenate([of_classes[..., :2], np.where(is_there, of_classes[..., 2:], np.nan)], axis=-1)
    has_value = ~np.isnan(counted)
    with np.errstate(invalid="ignore"):
        mean = np.where(has_value, counted, 0.0).sum(axis=-2) / has_value.sum(axis=-2)
    pooled = _values(counts.sum(axis=-2))
    values = np.concatenate([of_classes, mean[..., None, :], pooled[..., None, :]], axis=-2)
    return np.asarray(values.reshape(*sums.shape[:-1], -1), dtype=np.float64)


def _values(counts: Floats) -> Floats:
    right, named, there = counts[..., 0], counts[..., 1], counts[..., 2]
    with np.errstate(invalid="ignore", divide="ignore"):
        values = [right / named, right / there, 2 * right / (named + there), 2 * right / (right + there)]
        return np.stack(values, axis=-1)
