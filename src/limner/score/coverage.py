"""Coverage: which share of what is there does a caption speak of?

The counterpart of CHAIR, with the same reading of sentences: of the classes
that an image's boxes have, and of those that its references speak of, the
share that its caption speaks of too; the mean over the images that have any.
Words and labels that may mean several classes count for none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from limner.corpus.classes.chair_objects import Classes, certain_classes, chair_objects, possible_classes
from limner.corpus.image import Image
from limner.score.chair import ObjectMetric
from limner.score.metric import Statistics, means
from limner.score.run import Run


class Coverage(ObjectMetric):
    """The covered share of the classes of boxes, and of those that references speak of."""

    name: ClassVar[str] = "coverage"
    columns: ClassVar[tuple[str, ...]] = ("coverage_boxes", "coverage_references")

    def measure(self, run: Run) -> Statistics:
        """Both shares for every image, NaN where there is nothing to cover."""
        objects = chair_objects(run.images, self.synonyms)
        images: Sequence[Image | None] = run.images or [None] * len(run)
        shares = []
        for image, caption, references in zip(images, run.candidates, run.references, strict=True):
            # A word that may mean several classes covers any of them, but none of them is asked for.
            shown = objects.shown(image, references)
            said = possible_classes(mention.classes for mention in objects.spoken(caption))
            shares.append((_share(said, certain_classes(shown.boxes)), _share(said, certain_classes(shown.references))))
        choices = {
            "words": self.synonyms.name,
            "synonyms": self.synonyms.fingerprint(),
            "mentions": "words, longest first",
        }
        return means(shares, choices)


def _share(said: Classes, shown: Classes) -> float:
    return len(said & shown) / len(shown) if shown else float("nan")
