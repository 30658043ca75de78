"""Captioning corpora: every image gets a caption of a captioner, as results that never touch gold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from limner.caption.captioned import Captioned
from limner.caption.constraints.constraint_choice import ConstraintChooser
from limner.caption.constraints.worded_constraints import Worded
from limner.corpus.held_out_labels import visible
from limner.corpus.image import Image
from limner.corpus.seen_images import Overlap, SeenImages

# Constraints that a caption has to meet, of an image that has more (nocaps, §4).
AT_LEAST = 2

# Pieces of words that a caption of Hugging Face's may have: some 40 words.
PIECES = 60

# Default beam of Hugging Face models.
BEAM = 5

# Images that a captioner is given together.
BATCH = 32


@dataclass(frozen=True, slots=True)
class CaptionSettings:
    """How captions are searched for; None for what the captioner does by itself.

    Captions have at most `max_len` tokens, the end of the sentence included.
    `n_best` captions of each image are returned, the best first. Captions have
    to meet `at_least` of an image's constraints, or all if there are fewer.
    `search` is `per_state` or `banks`.
    """

    beam: int | None = None
    max_len: int | None = None
    n_best: int = 1
    at_least: int | None = AT_LEAST
    search: Literal["per_state", "banks"] | None = None
    batch: int = BATCH

    def __post_init__(self) -> None:
        numbers = (self.beam, self.max_len, self.n_best, self.at_least, self.batch)
        if any(number is not None and number < 1 for number in numbers):
            raise ValueError("beam, max_len, n_best, at_least and batch must be at least 1")
        if self.beam is not None and self.beam < self.n_best:
            raise ValueError(f"n_best is {self.n_best}; the beam must be at least as wide, not {self.beam}")


# What a caption of an image has to say.
Ask = Callable[[Image], Sequence[Worded]]


class CorpusCaptioner(Protocol):
    """Anything that captions the images of a corpus, in their order."""

    @property
    def training_images(self) -> SeenImages | None:
        """The images that it has learnt from; None if nobody knows."""

    def can_say(self, phrases: Sequence[str]) -> bool:
        """Whether it has the words of any of these phrases."""

    def asked(self, image: Image) -> Sequence[Worded]:
        """What the caption of an image had to mention, while it is among those captioned last."""

    def caption_images(
        self, images: Iterable[Image], ask: Ask, settings: CaptionSettings
    ) -> Iterator[tuple[Image, Captioned]]: ...


@dataclass
class CaptionTally:
    """What came of captioning: images, those with constraints, how many of these are met, and captions of no word."""

    n_images: int = 0
    n_constrained: int = 0
    n_met: int = 0
    n_silent: int = 0

    def add(self, captioned: Captioned) -> None:
        self.n_images += 1
        self.n_silent += not captioned.text
        self.n_constrained += bool(captioned.satisfied)
        self.n_met += bool(captioned.satisfied) and captioned.met


def nothing(image: Image) -> Sequence[Worded]:
    """No constraints, for captions that may say anything."""
    return ()


def silence(image: Image, captioned: Captioned) -> None:
    """Ignores a caption, for callers that want no explanations."""


def boxes_of(chooser: ConstraintChooser) -> Ask:
    """Has captions mention what is in an image's boxes, as nocaps chooses them."""
    return lambda image: chooser.choose(image).constraints


def caption_corpus(
    images: Iterable[Image],
    captioner: CorpusCaptioner,
    settings: CaptionSettings | None = None,
    *,
    ask: Ask = nothing,
    overlap: Overlap | None = None,
    tally: CaptionTally | None = None,
    explain: Callable[[Image, Captioned], None] = silence,
) -> Iterator[Image]:
    """For every image a result: its id and captions, the best first, whose mentions name the image's boxes.

    `ask` says what each caption has to mention. Captions of the images have no
    influence. Images that the captioner has learnt from are marked so in their
    provenance, and counted by `overlap`. `explain` hears of each caption.
    """
    overlap = overlap or Overlap.of(captioner.training_images)
    tally = tally or CaptionTally()
    views = map(visible, overlap.marked(images))
    for image, captioned in captioner.caption_images(views, ask, settings or CaptionSettings()):
        tally.add(captioned)
        explain(image, captioned)
        captions = (captioned.caption, *(other.caption for other in captioned.others))
        yield Image(image.id, captions=captions, provenance=image.provenance)
