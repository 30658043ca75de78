"""Captions with slots to learn from: which words are tied to which regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from torch import Tensor

from limner.arrays import Booleans, Floats, Integers
from limner.caption.class_map import ClassMap
from limner.caption.region_inputs import ImageRegions
from limner.caption.slot_proposals import RegionPlaces
from limner.caption.slot_spans import SlotFinder, SlotSpan
from limner.caption.training.caption_pairs import MOST_WORDS, CaptionNumbers, RegionTable, SentenceBatch
from limner.caption.training.training_images import CaptionedImage
from limner.corpus.geometry import corners, iou
from limner.corpus.image import Image
from limner.learn.vocabulary import EOS, Vocabulary

# A proposal shows what a mention refers to if it overlaps with one of its boxes by so much, whatever the proposal's
# class (nocaps, appendix 2.1).
TIED_IOU = 0.5


class SlotTarget(NamedTuple):
    """A word of a caption that slots of some regions should say: its position, and the regions."""

    position: int
    regions: tuple[int, ...]


class SlottedCaption(NamedTuple):
    """A caption as numbers of words, phrases of slots being one, and its slots from left to right."""

    numbers: list[int]
    slots: list[SlotTarget]


class SlotBatch(NamedTuple):
    """Sentences to learn: those of a `SentenceBatch`, and their slots.

    `at [slots]` are positions among all words of the batch, row by row, `tied
    [slots, regions]` the regions of each. `mask` is 0 for slots.
    """

    sentences: SentenceBatch
    at: Tensor
    tied: Tensor

    def to(self, device: torch.device) -> SlotBatch:
        return SlotBatch(self.sentences.to(device), self.at.to(device), self.tied.to(device))


@dataclass(frozen=True)
class SlottedCaptions:
    """Captions with slots, and the position of the image that each is about."""

    captions: Sequence[SlottedCaption]
    images: Integers

    @property
    def digest(self) -> str:
        """A few letters that are others for other words or slots."""
        return blake2b(msgspec.json.encode(self.captions), digest_size=8).hexdigest()

    @property
    def n_slots(self) -> int:
        return sum(len(caption.slots) for caption in self.captions)

    def text_counts(self, n_text: int) -> Integers:
        """How often each of the first `n_text` words of the vocabulary is said by the text, and sentences end."""
        counts = np.zeros(n_text, dtype=np.int64)
        for caption in self.captions:
            slots = {slot.position for slot in caption.slots}
            numbers = [number for at, number in enumerate(caption.numbers) if at not in slots]
            np.add.at(counts, [*numbers, EOS], 1)
        return counts

    @property
    def numbers(self) -> CaptionNumbers:
        """The captions without their slots."""
        return CaptionNumbers([caption.numbers for caption in self.captions], self.images)

    def batch(self, rows: Sequence[int], n_regions: int) -> SlotBatch:
        """Captions as tensors, for images with at most so many regions."""
        sentences = self.numbers.batch(rows)
        n_words = sentences.tokens.shape[1]
        slots = [
            (row * n_words + slot.position, slot.regions)
            for row, at in enumerate(rows)
            for slot in self.captions[at].slots
            if slot.position < MOST_WORDS
        ]
        at = torch.tensor([position for position, _ in slots], dtype=torch.long)
        tied = torch.zeros(len(slots), n_regions, dtype=torch.bool)
        for number, (_, regions) in enumerate(slots):
            tied[number, list(regions)] = True
        sentences.mask.view(-1)[at] = 0.0
        return SlotBatch(sentences, at, tied)


class CaptionNouns:
    """The nouns of captions that name things of some labels; `said` are their forms."""

    def __init__(self, pairs: Sequence[CaptionedImage], labels: Sequence[str]) -> None:
        finder = SlotFinder(labels)
        self._pairs = pairs
        self._spans = [
            [finder.spans(caption, words) for caption, words in zip(pair.written, pair.captions, strict=True)]
            for pair in pairs
        ]
        self.said = frozenset(span.form for image in self._spans for spans in image for span in spans)

    def slotted(
        self, regions: RegionTable, class_map: ClassMap, text: Vocabulary, vocabulary: Vocabulary
    ) -> SlottedCaptions:
        """The captions with slots, of images whose regions have found their slots."""
        captions: list[SlottedCaption] = []
        images: list[int] = []
        for at, (pair, found) in enumerate(zip(self._pairs, self._spans, strict=True)):
            ties = SlotTies(class_map, pair.image, regions[at], regions.places[at])
            for words, spans in zip(pair.captions, found, strict=True):
                captions.append(slotted_caption(words, spans, ties.regions, text, vocabulary))
                images.append(at)
        return SlottedCaptions(captions, np.array(images, dtype=np.int64))


class SlotTies:
    """Which regions of an image its captions' nouns are tied to."""

    def __init__(self, class_map: ClassMap, image: Image, regions: ImageRegions, places: RegionPlaces) -> None:
        self._proposals = np.flatnonzero(places.proposals)
        names = [regions.names[at] for at in self._proposals]
        self._forms = [frozenset(class_map.forms(name)) for name in names]
        self._corners = regions.corners[self._proposals].astype(np.float64)
        self._image = image

    def regions(self, span: SlotSpan) -> tuple[int, ...]:
        """The regions of a noun: proposals that show what it is a mention of; if nobody says, those of its class."""
        if span.boxes is None or not (self._image.width and self._image.height):
            tied = np.array([span.form in forms for forms in self._forms], dtype=np.bool_)
        else:
            tied = self._overlapping(span.boxes)
        return tuple(self._proposals[tied].tolist())

    def _overlapping(self, ids: Sequence[str]) -> Booleans:
        boxes = [box for box in self._image.boxes if box.id in ids]
        if not boxes or not len(self._proposals):
            return np.zeros(len(self._proposals), dtype=np.bool_)
        size = np.array([self._image.width, self._image.height] * 2, dtype=np.float64)
        shares: Floats = iou(self._corners, np.clip(corners(boxes) / size, 0.0, 1.0))
        # Corners of regions are kept in 32 bits.
        return np.asarray(shares.max(axis=1) >= TIED_IOU - 1e-6)


def slotted_caption(
    words: Sequence[str],
    spans: Sequence[SlotSpan],
    ties: Callable[[SlotSpan], tuple[int, ...]],
    text: Vocabulary,
    vocabulary: Vocabulary,
) -> SlottedCaption:
    """A caption whose nouns are slots where regions are tied to them, each one word of the `vocabulary` then.

    Other words are those of the `text`, whose numbers are the vocabulary's.
    """
    numbers: list[int] = []
    slots: list[SlotTarget] = []
    reached = 0
    for span in spans:
        if span.form in vocabulary and (regions := ties(span)):
            numbers += text.numbers(words[reached : span.first])
            slots.append(SlotTarget(len(numbers), regions))
            numbers += vocabulary.numbers([span.form])
            reached = span.end
    return SlottedCaption([*numbers, *text.numbers(words[reached:])], slots)
