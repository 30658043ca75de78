"""CHAIR: how much of what a caption speaks of is not there (Rohrbach et al. 2018).

CHAIRi is the share of hallucinated mentions among all mentions of objects,
CHAIRs the share of captions with one at least; both over all captions
together. An object is there if a box of its class is, or if a reference speaks
of it. Lower is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Self

import numpy as np

from limner.arrays import Floats
from limner.corpus.classes.chair_objects import Classes, SpokenObject, chair_objects, possible_classes
from limner.corpus.classes.class_words import Synonyms, published_synonyms
from limner.corpus.image import Image
from limner.score.metric import SHARE, ExplanationKind, Metric, Scope, Settings, Statistics
from limner.score.run import Run


class Hallucination(NamedTuple):
    """What a caption speaks of, what of it is not there, and the classes that are."""

    spoken: tuple[SpokenObject, ...]
    hallucinated: tuple[SpokenObject, ...]
    truth: Classes


@dataclass(frozen=True, eq=False)
class ObjectMetric(Metric):
    """A metric of the objects that captions speak of, with the words of `synonyms` for them.

    The default is the list that CHAIR was published with.
    """

    synonyms: Synonyms = field(default_factory=published_synonyms, repr=False)
    needs_images: ClassVar[bool] = True
    # Which words name an object depends on the labels of all images.
    scope: ClassVar[Scope] = "run"

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(settings.synonyms) if settings.synonyms else cls()


class Chair(ObjectMetric):
    """CHAIRi and CHAIRs with the words of `synonyms` for objects, and the labels of the run's boxes."""

    name: ClassVar[str] = "chair"
    columns: ClassVar[tuple[str, ...]] = ("chair_i", "chair_s")
    higher_is_better: ClassVar[bool] = False
    explanation: ClassVar[ExplanationKind] = "objects"

    def measure(self, run: Run) -> Statistics:
        """Of every image its hallucinated mentions, its mentions, whether there is any of the former, and 1."""
        counts = [
            (len(caption.hallucinated), len(caption.spoken), bool(caption.hallucinated), 1)
            for caption in self.explanations(run)
        ]
        rows = np.array(counts, dtype=np.float64).reshape(-1, 4)
        choices = {
            "truth": "boxes+references" if _with_boxes(run) else "references",
            "words": self.synonyms.name,
            "synonyms": self.synonyms.fingerprint(),
            "mentions": "words, longest first",
        }
        return Statistics(rows, _shares, _shares(rows), choices, warnings=_warnings(run), ranges=[SHARE, SHARE])

    def explanations(self, run: Run) -> list[Hallucination]:
        """What each image's caption speaks of, and which of it is hallucinated, in the order of the run."""
        objects = chair_objects(run.images, self.synonyms)
        images: Sequence[Image | None] = run.images or [None] * len(run)
        judged = []
        for image, caption, references in zip(images, run.candidates, run.references, strict=True):
            shown = objects.shown(image, references)
            truth = possible_classes(shown.boxes | shown.references)
            spoken = tuple(objects.spoken(caption))
            wrong = tuple(mention for mention in spoken if truth.isdisjoint(mention.classes))
            judged.append(Hallucination(spoken, wrong, truth))
        return judged


def _shares(sums: Floats) -> Floats:
    """CHAIRi, NaN where there is no mention, and CHAIRs."""
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[..., [0, 2]] / sums[..., [1, 3]], dtype=np.float64)


def _with_boxes(run: Run) -> int:
    return sum(bool(image.boxes) for image in run.images or ())


def _warnings(run: Run) -> list[str]:
    """Whether some images have boxes and others none: theirs are judged by references alone."""
    without = len(run) - _with_boxes(run)
    if without in (0, len(run)):
        return []
    return [f"{without:,} of {len(run):,} images have no boxes: what they show is known from references alone"]
