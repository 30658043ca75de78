"""Coverage: which share of what is there does a caption speak of?

The counterpart of CHAIR, with the same reading of sentences: of the classes
that an image's boxes have, and of those that its references speak of, the
share that its caption speaks of too; the mean over the images that have any.
Words and labels that may mean several classes count for none of them. Where
results bring boxes, a caption also speaks of what it points at: the class of
each gold box that one of its boxes matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import ClassVar

from limner.corpus.classes.chair_objects import ChairObjects, Classes, certain_classes, chair_objects, possible_classes
from limner.corpus.image import Image
from limner.score.chair import ObjectMetric
from limner.score.content import mentioned
from limner.score.measure import match_choice
from limner.score.metric import SHARE, Statistics, means
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
        pointed = self._pointed(run, objects)
        for image, caption, references, seen in zip(images, run.candidates, run.references, pointed, strict=True):
            # A word that may mean several classes covers any of them, but none of them is asked for.
            shown = objects.shown(image, references)
            said = possible_classes(mention.classes for mention in objects.spoken(caption)) | seen
            shares.append((_share(said, certain_classes(shown.boxes)), _share(said, certain_classes(shown.references))))
        choices = {
            **({} if run.result_boxes is None else {"match": match_choice(run.match_iou)}),
            "words": self.synonyms.name,
            "synonyms": self.synonyms.fingerprint(),
            "mentions": "words, longest first",
        }
        return means(shares, choices, value_range=SHARE)

    def _pointed(self, run: Run, objects: ChairObjects) -> Iterator[Classes]:
        """The classes of the gold boxes that each image's caption points at with boxes of the results."""
        if run.result_boxes is None or run.captions is None or run.images is None:
            yield from repeat(frozenset(), len(run))
            return
        for image, caption, drawn in zip(run.images, run.captions, run.result_boxes, strict=True):
            names = mentioned(caption) if drawn else frozenset()
            labels = {box.label for box in image.boxes if box.id in names}
            yield possible_classes(map(objects.labelled, labels))


def _share(said: Classes, shown: Classes) -> float:
    return len(said & shown) / len(shown) if shown else float("nan")
