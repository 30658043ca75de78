"""The images that a captioner learns from: those with captions, split, and without classes that it is not to know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from limner.caption.caption_vocabulary import caption_words
from limner.corpus.classes.class_mentions import ClassMentions
from limner.corpus.classes.class_names import term_key
from limner.corpus.classes.class_words import name_terms
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap, SeenImages
from limner.errors import BadInput, shown

# The share of training images that choose the best epoch unless others are given.
HELD_OUT_SHARE = 0.1

# Words of a caption that are read; hardly any is longer.
MOST_WORDS = 30


class CaptionedImage(NamedTuple):
    """An image and the words of each of its captions."""

    image: Image
    captions: list[list[str]]


class TrainingImages(NamedTuple):
    """The images to learn from, those that choose the best epoch, and how many were left out for their classes."""

    learnt: list[CaptionedImage]
    held_out: list[CaptionedImage]
    n_without: int


def training_images(
    images: Iterable[Image],
    *,
    valid: Iterable[Image] | None = None,
    without: Sequence[str] = (),
    seed: int = 0,
    place: str = "the training corpus",
    valid_name: str = "the images to choose the epoch by",
    reading: Reading | None = None,
) -> TrainingImages:
    """The images with captions that people wrote, split by chance; with `valid`, all of them are learnt from.

    Images that show a class of `without`, or whose captions name one, are left
    out. A caption without a word is an error, or left out by a lenient `reading`.
    """
    reading = reading or Reading()
    unwanted = _ClassFilter(without)
    given = [image for image in images if _has_captions(image)]
    kept = [image for image in given if not unwanted.holds_of(image)]
    pairs = _with_words(kept, reading, place)
    held_out = _with_words([image for image in valid or () if _has_captions(image)], reading, valid_name)
    if valid is None:
        chosen = [_is_held_out(pair.image, seed) for pair in pairs]
        if len(pairs) > 1 and not 0 < sum(chosen) < len(pairs):
            chosen = [at == len(pairs) - 1 for at in range(len(pairs))]
        held_out = [pair for pair, is_held in zip(pairs, chosen, strict=True) if is_held]
        pairs = [pair for pair, is_held in zip(pairs, chosen, strict=True) if not is_held]
    if not pairs or not held_out:
        problem = f"{len(pairs) + len(held_out)} images have captions, too few to learn from"
        raise BadInput(place, problem, "give more images with captions", code="no-captions")
    if valid is not None:
        _check_unseen(pairs, held_out, valid_name)
    return TrainingImages(pairs, held_out, len(given) - len(kept))


def seen_images(*groups: Iterable[CaptionedImage]) -> SeenImages:
    """The images of some groups, by their hashes."""
    seen = SeenImages()
    for group in groups:
        for pair in group:
            seen.add(pair.image)
    return seen


def _check_unseen(learnt: Iterable[CaptionedImage], held_out: Iterable[CaptionedImage], place: str) -> None:
    overlap = Overlap.of(seen_images(learnt))
    for pair in held_out:
        overlap.add(pair.image)
    overlap.refuse_seen(place, can_be_allowed=False)


def _is_held_out(image: Image, seed: int) -> bool:
    return random_stream("tuning", seed, image.id).random() < HELD_OUT_SHARE


def _has_captions(image: Image) -> bool:
    return any(not caption.source.startswith("system:") for caption in image.captions)


def _with_words(images: Sequence[Image], reading: Reading, place: str) -> list[CaptionedImage]:
    """The images with the words of people's captions; those without any caption left are not among them."""
    captions = [
        (at, caption)
        for at, image in enumerate(images)
        for caption in image.captions
        if not caption.source.startswith("system:")
    ]
    words_by_image: list[list[list[str]]] = [[] for _ in images]
    for (at, caption), words in zip(captions, caption_words([caption.text for _, caption in captions]), strict=True):
        if words:
            words_by_image[at].append(words[:MOST_WORDS])
        else:
            problem = f"caption {shown(caption.id)} of image {shown(images[at].id)} has no word"
            reading.skip("caption without a word", BadInput(place, problem, "remove it", code="empty-caption"))
    return [CaptionedImage(image, words) for image, words in zip(images, words_by_image, strict=True) if words]


class _ClassFilter:
    """Whether an image shows one of some classes, or its captions name it."""

    def __init__(self, classes: Sequence[str]) -> None:
        self._terms = name_terms(classes)
        self._mentions = ClassMentions(self._terms)

    def holds_of(self, image: Image) -> bool:
        if not self._terms:
            return False
        if any(term_key(box.label) in self._terms for box in image.boxes):
            return True
        return any(self._mentions.occurrences(caption.text) for caption in image.captions)
