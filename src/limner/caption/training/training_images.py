"""The images that a captioner learns from: those with captions, split, and without classes that it is not to know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from limner.caption.caption_vocabulary import caption_words
from limner.corpus.caption import Caption
from limner.corpus.classes.named_classes import NamedClasses
from limner.corpus.held_out_labels import visible
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap, SeenImages
from limner.errors import BadInput, shown

# The share of training images that choose the best epoch unless others are given.
HELD_OUT_SHARE = 0.1

# Images that must be held out: CIDEr of a single one is 0, whatever is said.
FEWEST_HELD_OUT = 2


class CaptionedImage(NamedTuple):
    """An image as one may see it who describes it, the words of each of its captions, and the image as it was given.

    `written` are the captions as people wrote them, of which `captions` are the words.
    """

    image: Image
    captions: list[list[str]]
    original: Image
    written: Sequence[Caption] = ()


class TrainingImages(NamedTuple):
    """The images to learn from, those that choose the best epoch, and how many were left out for their classes.

    `warnings` tell of images among both that are alike, and of classes that no image was left out for.
    """

    learnt: list[CaptionedImage]
    held_out: list[CaptionedImage]
    n_without: int
    warnings: tuple[str, ...] = ()


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

    Images that show a class of `without`, or whose captions name one by any
    word that Limner knows for it, are left out of both. A caption without a
    word is an error, or left out by a lenient `reading`.
    """
    reading = reading or Reading()
    unwanted = _ClassFilter(without)
    given = [image for image in images if _has_captions(image)]
    to_choose = [image for image in valid or () if _has_captions(image)]
    kept, kept_to_choose = ([image for image in group if not unwanted.holds_of(image)] for group in (given, to_choose))
    pairs = _with_words(kept, reading, place)
    held_out = _with_words(kept_to_choose, reading, valid_name)
    if valid is None:
        chosen = [_is_held_out(pair.image, seed) for pair in pairs]
        if not FEWEST_HELD_OUT <= sum(chosen) < len(pairs):
            chosen = [at >= len(pairs) - FEWEST_HELD_OUT for at in range(len(pairs))]
        held_out = [pair for pair, is_held in zip(pairs, chosen, strict=True) if is_held]
        pairs = [pair for pair, is_held in zip(pairs, chosen, strict=True) if not is_held]
    if valid is not None and len(held_out) < FEWEST_HELD_OUT:
        problem = f"only {len(held_out)} image{'' if len(held_out) == 1 else 's'} to choose the epoch by"
        remedy = f"give at least {FEWEST_HELD_OUT} images with captions"
        raise BadInput(valid_name, problem, remedy, code="few-held-out")
    if not pairs or len(held_out) < FEWEST_HELD_OUT:
        problem = f"{len(pairs) + len(held_out)} images have captions, too few to learn from"
        raise BadInput(place, problem, "give more images with captions", code="no-captions")
    warnings = unwanted.warnings() + (() if valid is None else _check_unseen(pairs, held_out, valid_name))
    return TrainingImages(pairs, held_out, len(given) - len(kept), warnings)


def seen_images(*groups: Iterable[CaptionedImage]) -> SeenImages:
    """The images of some groups, by their hashes."""
    seen = SeenImages()
    for group in groups:
        for pair in group:
            seen.add(pair.original)
    return seen


def _check_unseen(learnt: Iterable[CaptionedImage], held_out: Iterable[CaptionedImage], place: str) -> tuple[str, ...]:
    """An error for images to choose the epoch by that are learnt from; warnings of those that are much alike."""
    overlap = Overlap.of(seen_images(learnt))
    for pair in held_out:
        overlap.add(pair.original)
    overlap.refuse_seen(place, can_be_allowed=False)
    return tuple(overlap.warnings())


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
    written: list[list[Caption]] = [[] for _ in images]
    for (at, caption), words in zip(captions, caption_words([caption.text for _, caption in captions]), strict=True):
        if words:
            words_by_image[at].append(words)
            written[at].append(caption)
        else:
            problem = f"caption {shown(caption.id)} of image {shown(images[at].id)} has no word"
            reading.skip("caption without a word", BadInput(place, problem, "remove it", code="empty-caption"))
    pairs = zip(images, words_by_image, written, strict=True)
    return [CaptionedImage(visible(image), words, image, captions) for image, words, captions in pairs if words]


class _ClassFilter:
    """Whether an image shows one of some classes, or its captions name it by any word that Limner knows for it."""

    def __init__(self, classes: Sequence[str]) -> None:
        self._named = NamedClasses(classes, widely=True)
        self._unmet = dict.fromkeys(classes)

    def holds_of(self, image: Image) -> bool:
        if not self._named.classes:
            return False
        met = self._named.shown(image) | self._named.named_by_any(caption.text for caption in image.captions)
        for name in met:
            self._unmet.pop(name, None)
        return bool(met)

    def warnings(self) -> tuple[str, ...]:
        """A warning for each class that no image shows or mentions: it may be misspelt."""
        return tuple(f"no image shows or mentions {shown(name)}" for name in self._unmet)
