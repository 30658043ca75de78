"""What a captioner's language model has read: captions of images that must not test the captioner either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from limner.caption.models.lstm_language_model import SeenSplit
from limner.caption.training.training_images import CaptionedImage
from limner.corpus.seen_images import Overlap, SeenImages


def with_language_models_images(own: SeenImages, seen: SeenSplit | None) -> SeenImages:
    """The images of a captioner, and those of the language model that it reads by, if they are known."""
    return own if seen is None else own.joined(seen.learnt).joined(seen.held_out)


def held_out_warnings(seen: SeenSplit | None, held_out: Iterable[CaptionedImage]) -> Iterator[str]:
    """Warnings if a language model has learnt, or may have, from images that a captioner's epochs are compared on."""
    if seen is None:
        yield "warning: the language model does not tell its training images; images to test on may be among them"
        return
    overlap = Overlap.of(seen.learnt)
    for pair in held_out:
        overlap.add(pair.original)
    n_read, first = overlap.n_seen + overlap.n_alike, overlap.first_seen or overlap.first_alike
    if n_read:
        yield (
            f"warning: the language model has learnt from {n_read:,} of the {overlap.n_images:,} images held out, such "
            f"as {first}, so figures on them are too good; train both with the same seed and the same images held out"
        )
