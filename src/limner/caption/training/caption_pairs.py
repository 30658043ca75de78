"""Images and their captions as tensors to learn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from limner.arrays import Integers
from limner.caption.models.region_batches import RegionBatch, region_batch
from limner.caption.region_inputs import ImageRegions, RegionInputs
from limner.caption.slot_proposals import RegionPlaces, RegionSlots
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.learn.vocabulary import BOS, EOS
from limner.progress import Progress, silent, track

# Words of a caption that are learnt; hardly any is longer.
MOST_WORDS = 30

# Bytes of regions that are kept in memory; what is more is read again whenever it is needed.
MOST_KEPT = 4 << 30


class RegionTable:
    """The regions of images, read once if they fit into memory, and put together as batches.

    When `reading` is lenient, images whose regions cannot be read are left out;
    `positions` are those of the others among all. `digest` is another for
    other numbers, labels or boxes; `names` counts the labels of boxes.
    """

    def __init__(
        self,
        images: Sequence[Image],
        inputs: RegionInputs,
        *,
        reading: Reading | None = None,
        progress: Progress = silent,
    ) -> None:
        reading = reading or Reading()
        self._images: list[Image] = []
        self._inputs = inputs
        self._kept: list[ImageRegions] = []
        self.positions: list[int] = []
        self.places: list[RegionPlaces] = []
        self.names: Counter[str] = Counter()
        digest = blake2b(digest_size=8)
        n_bytes = 0
        for at, image in enumerate(track(images, "images with regions", progress, len(images))):
            # Each is read even if it is not kept: what is wrong with one is told before training begins.
            try:
                regions = inputs.read(image)
            except BadInput as error:
                reading.skip("image without features", error)
                continue
            self.positions.append(at)
            self._images.append(image)
            digest.update(regions.rows.tobytes() + regions.labels.tobytes() + repr(regions.box_ids).encode())
            digest.update(repr(regions.names).encode())
            self.names.update(name for name in regions.names if name)
            n_bytes += regions.rows.nbytes
            if n_bytes <= MOST_KEPT:
                self._kept.append(regions)
        self.digest = digest.hexdigest()

    def __len__(self) -> int:
        return len(self._images)

    def __getitem__(self, at: int) -> ImageRegions:
        return self._kept[at] if at < len(self._kept) else self._inputs.read(self._images[at])

    def batch(self, rows: Sequence[int]) -> RegionBatch:
        """The regions of the images at these positions."""
        places = [self.places[at] for at in rows] if self.places else ()
        return region_batch([self[at] for at in rows], places)

    def find_slots(self, slots: RegionSlots) -> None:
        """Have batches know the classes of regions, and which of them slots may refer to."""
        self.places = [slots.places(self[at]) for at in range(len(self))]


class SentenceBatch(NamedTuple):
    """Sentences to learn: what is read, what follows it, and which of it are words or ends, `[sentences, words]`."""

    tokens: Tensor
    targets: Tensor
    mask: Tensor

    def to(self, device: torch.device) -> SentenceBatch:
        return SentenceBatch(*(part.to(device) for part in self))


@dataclass(frozen=True)
class CaptionNumbers:
    """Captions as numbers of words, without beginning and end, and the position of the image that each is about."""

    captions: Sequence[Sequence[int]]
    images: Integers

    @property
    def lengths(self) -> Integers:
        """How many words of each caption are learnt, its end counted; a long one is cut off and has none."""
        return np.array([min(len(caption) + 1, MOST_WORDS) for caption in self.captions], dtype=np.int64)

    def batch(self, rows: Sequence[int]) -> SentenceBatch:
        captions = [self.captions[at] for at in rows]
        ends = [len(caption) < MOST_WORDS for caption in captions]
        return sentence_batch([caption[:MOST_WORDS] for caption in captions], ends=ends)


def sentence_batch(sentences: Sequence[Sequence[int]], *, ends: Sequence[bool] | None = None) -> SentenceBatch:
    """Sentences of numbers as tensors; with `ends` False, one is cut off, and its end is not learnt."""
    has_end = [True] * len(sentences) if ends is None else ends
    n_most = max(len(sentence) for sentence in sentences) + 1
    tokens = np.full((len(sentences), n_most), EOS, dtype=np.int64)
    targets = np.full((len(sentences), n_most), EOS, dtype=np.int64)
    mask = np.zeros((len(sentences), n_most), dtype=np.float32)
    for at, sentence in enumerate(sentences):
        n = len(sentence)
        tokens[at, 0] = BOS
        tokens[at, 1 : n + 1] = sentence
        targets[at, :n] = sentence
        mask[at, : n + has_end[at]] = 1.0
    return SentenceBatch(torch.from_numpy(tokens), torch.from_numpy(targets), torch.from_numpy(mask))
