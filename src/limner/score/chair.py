"""CHAIR: how much of what a caption speaks of is not there (Rohrbach et al. 2018).

CHAIRi is the share of hallucinated mentions among all mentions of objects,
CHAIRs the share of captions with one at least; both over all captions
together. An object is there if a box of its class is, or if a reference speaks
of it. Lower is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from limner.corpus.classes.chair_objects import Classes, Spoken, every, fingerprint, objects_of
from limner.corpus.classes.class_words import Synonyms, built_in_synonyms
from limner.corpus.image import Image
from limner.score.metric import Numbers, Statistics
from limner.score.run import Run


class Hallucination(NamedTuple):
    """What a caption speaks of, what of it is not there, and the classes that are."""

    spoken: tuple[Spoken, ...]
    hallucinated: tuple[Spoken, ...]
    truth: Classes


@dataclass(frozen=True, eq=False)
class Chair:
    """CHAIRi and CHAIRs with the words of `synonyms` for objects, and the labels of the run's boxes."""

    synonyms: Synonyms = field(default_factory=built_in_synonyms, repr=False)
    name: ClassVar[str] = "chair"
    columns: ClassVar[tuple[str, ...]] = ("chair_i", "chair_s")
    higher_is_better: ClassVar[bool] = False

    def measure(self, run: Run) -> Statistics:
        """Of every image its hallucinated mentions, its mentions, whether there is any of the former, and 1."""
        found = self.explain(run)
        rows = np.array(
            [(len(one.hallucinated), len(one.spoken), bool(one.hallucinated), 1) for one in found], dtype=np.float64
        ).reshape(-1, 4)
        choices = {
            "truth": "boxes+references" if _with_boxes(run) else "references",
            "synonyms": fingerprint(self.synonyms),
            "mentions": "words, longest first",
        }
        return Statistics(rows, _shares, _shares(rows), choices, warnings=_warnings(run))

    def explain(self, run: Run) -> list[Hallucination]:
        """What each image's caption speaks of, and which of it is hallucinated, in the order of the run."""
        objects = objects_of(run.images, self.synonyms)
        images: Sequence[Image | None] = run.images or [None] * len(run)
        found = []
        for image, caption, references in zip(images, run.candidates, run.references, strict=True):
            shown = objects.shown(image, references)
            truth = every(shown.boxes | shown.references)
            spoken = tuple(objects.spoken(caption))
            wrong = tuple(one for one in spoken if truth.isdisjoint(one.classes))
            found.append(Hallucination(spoken, wrong, truth))
        return found


def _shares(sums: Numbers) -> Numbers:
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
