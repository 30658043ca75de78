"""A benchmark from a corpus with boxes: the images that are chosen, and what is in them beside a random choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec.structs import replace

from limner.bench.candidate_images import Contents
from limner.bench.entropy import entropy
from limner.bench.image_selection import MANY, POOLS, SAMPLE, pool_of, select, select_any
from limner.corpus.image import FrozenDict, Image
from limner.corpus.statistics.corpus_figures import Distribution


@dataclass(frozen=True, slots=True)
class Composition:
    """What is in a set of images: how evenly classes occur, and how many classes and boxes an image has.

    `entropy` is over the images that have each class, `joint_entropy` over
    those that have each class together with each number of classes (7 and more
    are one), both in bits.
    """

    entropy: float
    joint_entropy: float
    images_by_class: Mapping[str, int]
    classes_per_image: Distribution
    boxes_per_image: Distribution

    @classmethod
    def of(cls, contents: Contents, images: Sequence[int]) -> Composition:
        """The composition of some of the images."""
        chosen = np.array(images, dtype=np.int64)
        numbers, sizes = contents.of_each(chosen)
        counts = np.bincount(numbers, minlength=len(contents.classes))
        rows = np.repeat(np.minimum(sizes, POOLS[-1] + 1), sizes)
        joint = np.bincount(rows * len(contents.classes) + numbers)
        return cls(
            entropy(counts),
            entropy(joint),
            {name: int(n) for name, n in zip(contents.classes, counts, strict=True) if n},
            Distribution.of(Counter(sizes.tolist())),
            Distribution.of(Counter(contents.n_boxes[chosen].tolist())),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "images": self.classes_per_image.n,
            "classes": len(self.images_by_class),
            "entropy": self.entropy,
            "joint_entropy": self.joint_entropy,
            "classes_per_image": self.classes_per_image.to_json(),
            "boxes_per_image": self.boxes_per_image.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A choice of images, and what is to be told of it.

    `n_classes` has the number of classes of each image that is chosen, by its
    id. `pools` tells of each pool how many images it had and how many were
    taken. `candidates` are all images that might have been chosen, `random` as
    many of them taken at random.
    """

    n_classes: Mapping[str, int]
    dropped: Mapping[str, int]
    pools: Mapping[str, tuple[int, int]]
    chosen: Composition
    random: Composition
    candidates: Composition

    @property
    def overflows(self) -> bool:
        """Whether images with many classes were left out, since there were more of them than asked for."""
        available, taken = self.pools[MANY]
        return taken < available

    def images(self, corpus: Iterable[Image]) -> Iterator[Image]:
        """The chosen images of the corpus, in its order, each with the attributes `n_classes` and `pool`."""
        for image in corpus:
            n = self.n_classes.get(image.id)
            if n is not None:
                yield replace(image, attributes=FrozenDict({**image.attributes, "n_classes": n, "pool": pool_of(n)}))

    def to_json(self) -> dict[str, Any]:
        return {
            "dropped": dict(self.dropped),
            "pools": {name: {"available": there, "taken": taken} for name, (there, taken) in self.pools.items()},
            "chosen": self.chosen.to_json(),
            "random": self.random.to_json(),
            "candidates": self.candidates.to_json(),
            "images_by_class": dict(self.chosen.images_by_class),
        }


def build(contents: Contents, size: int, *, sample: int = SAMPLE, seed: int = 0) -> Benchmark:
    """Choose `size` images by the procedure of nocaps; see `select`."""
    images = select(contents, size, sample=sample, seed=seed)
    n_classes = contents.n_classes
    there, taken = (Counter(map(pool_of, some.tolist())) for some in (n_classes, n_classes[images]))
    return Benchmark(
        {contents.ids[i]: int(n_classes[i]) for i in images},
        contents.dropped,
        {name: (there[name], taken[name]) for name in (*map(str, POOLS), MANY)},
        Composition.of(contents, images),
        Composition.of(contents, select_any(contents, size, seed=seed)),
        Composition.of(contents, range(len(contents.ids))),
    )
