"""What to say of images that settings are chosen on: too few of them, or some that a grounder has learnt from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.ground.grounder import Grounder
from limner.ground.grounder_file import DRAWN_FOR_TUNING, TUNING_SHARE

# Images held out from which on a choice tells something.
FEWEST_HELD_OUT = 30


def held_out_warnings(held: Sequence[Image], grounder: Path | None) -> Iterator[str]:
    """Warnings of the images held out for alpha and gamma, if a grounder's file is given with regard to it too."""
    n = len(held)
    if n < FEWEST_HELD_OUT:
        images = "1 image" if n == 1 else f"{n:,} images"
        yield f"settings are chosen on {images} held out; fewer than {FEWEST_HELD_OUT} tell little"
    if grounder is not None:
        yield from _grounder_warnings(Grounder.load(grounder), held)


def _grounder_warnings(grounder: Grounder, held: Sequence[Image]) -> Iterator[str]:
    seen = grounder.training_images
    if seen is None:
        yield "the grounder's file does not list its images: alpha and gamma may be chosen on images it learnt from"
        return
    learnt = [image for image in held if seen.find(image) == "seen" and not _was_held_out(grounder, image)]
    if learnt:
        yield (
            f"the grounder learnt from {len(learnt):,} of the {len(held):,} images that alpha and gamma are chosen on, "
            f"such as {learnt[0].id}; train it on the same images with the same seed"
        )


def _was_held_out(grounder: Grounder, image: Image) -> bool:
    """Whether the grounder held an image of its training out for its own weights, as far as its file tells."""
    trained = grounder.parts.trained
    if trained.tuned_on != DRAWN_FOR_TUNING:
        return False
    return random_stream("tuning", trained.seed, image.id).random() < TUNING_SHARE
