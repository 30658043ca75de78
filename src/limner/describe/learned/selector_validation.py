"""Validating a selector: its content selection on images that it did not learn from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from limner.corpus.held_out_labels import visible
from limner.corpus.image import Image
from limner.corpus.provenance import ProvenanceTally
from limner.corpus.seen_images import Overlap, SeenImages
from limner.describe.learned.learned_selector import LearnedSelector
from limner.score.content import Content
from limner.score.selection_scores import GoldSelections


@dataclass(frozen=True)
class Validation:
    """How a selector does on images it did not learn from, and what to beware of.

    `n_left_out` images have no gold caption that refers to a box;
    `n_without_box` gold captions refer to none, and have no say.
    """

    scores: Content
    warnings: Sequence[str]
    n_left_out: int = 0
    n_without_box: int = 0


class ValidationImages:
    """The images to validate a selector on.

    They are read before the selector is trained: training takes minutes, and
    images that must not be both trained and validated on are refused first.
    `place` names them in the error; with `allow_overlap` there is none.
    """

    def __init__(self, images: Iterable[Image], *, allow_overlap: bool = False, place: str = "corpus") -> None:
        self._provenance = ProvenanceTally()
        self._images = {image.id: image for image in self._provenance.watch(images)}
        self._allow_overlap, self._place = allow_overlap, place

    def check(self, training: SeenImages | None) -> Overlap:
        """How many of the images were trained on; an error if any was, unless it is allowed."""
        overlap = Overlap.of(training)
        for image in self._images.values():
            overlap.add(image)
        if not self._allow_overlap:
            overlap.refuse_seen(self._place)
        return overlap

    def validate(self, selector: LearnedSelector) -> Validation:
        overlap = self.check(selector.model.trained.seen)
        gold = GoldSelections(self._images.values())
        views = [visible(image) for image in self._images.values() if image.id in gold.sets]
        selections = {view.id: ids for view, ids in zip(views, selector.select_many(views), strict=True)}
        warnings = [*overlap.warnings(), *filter(None, [self._provenance.warning()])]
        return Validation(gold.score(selections), warnings, gold.n_left_out, gold.n_without_box)
