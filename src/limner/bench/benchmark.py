"""A benchmark from a corpus with boxes: the chosen images, and how they compare with a random choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from limner.bench.candidate_images import Candidates, Rotation, check_read_twice, gather_candidates
from limner.bench.counted_classes import CountedClasses
from limner.bench.image_selection import MANY, POOLS, SAMPLE, entropy, pool_of, select, select_randomly
from limner.corpus.formats import write_corpus
from limner.corpus.image import FrozenDict, Image
from limner.corpus.statistics.corpus_figures import Distribution
from limner.progress import Progress, silent, track


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
    def of(cls, candidates: Candidates, images: Sequence[int]) -> Composition:
        """The composition of some of the candidates."""
        chosen = np.array(images, dtype=np.int64)
        numbers, sizes = candidates.of_each(chosen)
        counts = np.bincount(numbers, minlength=len(candidates.classes))
        # Pairs of a class and a number of classes, numbered row by row.
        rows = np.repeat(np.minimum(sizes, POOLS[-1] + 1), sizes)
        joint = np.bincount(rows * len(candidates.classes) + numbers)
        return cls(
            entropy(counts),
            entropy(joint),
            {name: int(n) for name, n in zip(candidates.classes, counts, strict=True) if n},
            Distribution.of(Counter(sizes.tolist())),
            Distribution.of(Counter(candidates.n_boxes[chosen].tolist())),
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


@dataclass(frozen=True, slots=True, repr=False)
class Benchmark:
    """A choice of images and its statistics.

    `n_classes` holds the number of classes of each chosen image by its id.
    `pools` holds for each pool how many images it had and how many were taken.
    `candidates` are all images that might have been chosen, `random` as many
    of them as were chosen, taken at random.
    """

    n_classes: Mapping[str, int]
    dropped: Mapping[str, int]
    pools: Mapping[str, tuple[int, int]]
    chosen: Composition
    random: Composition
    candidates: Composition

    def __repr__(self) -> str:
        n_candidates = self.candidates.classes_per_image.n
        return f"<Benchmark of {len(self.n_classes):,} out of {n_candidates:,} images>"

    @property
    def overflows(self) -> bool:
        """Whether images with many classes were left out because there were more of them than asked for."""
        available, taken = self.pools[MANY]
        return taken < available

    def images(self, corpus: Iterable[Image]) -> Iterator[Image]:
        """The chosen images of the corpus, in its order, each with the attributes `n_classes` and `pool`."""
        for image in corpus:
            n = self.n_classes.get(image.id)
            if n is not None:
                yield structs.replace(
                    image, attributes=FrozenDict({**image.attributes, "n_classes": n, "pool": pool_of(n)})
                )

    def to_json(self) -> dict[str, Any]:
        return {
            "dropped": dict(self.dropped),
            "pools": {name: {"available": n, "taken": taken} for name, (n, taken) in self.pools.items()},
            "chosen": self.chosen.to_json(),
            "random": self.random.to_json(),
            "candidates": self.candidates.to_json(),
            "images_by_class": dict(self.chosen.images_by_class),
        }


def build(candidates: Candidates, size: int, *, sample: int = SAMPLE, seed: int = 0) -> Benchmark:
    """Choose `size` images by the procedure of nocaps; see `select`."""
    images = select(candidates, size, sample=sample, seed=seed)
    n_classes = candidates.n_classes
    available, taken = (Counter(map(pool_of, numbers.tolist())) for numbers in (n_classes, n_classes[images]))
    return Benchmark(
        {candidates.ids[i]: int(n_classes[i]) for i in images},
        candidates.dropped,
        {name: (available[name], taken[name]) for name in (*map(str, POOLS), MANY)},
        Composition.of(candidates, images),
        Composition.of(candidates, select_randomly(candidates, size, seed=seed)),
        Composition.of(candidates, range(len(candidates.ids))),
    )


def write_benchmark(
    corpus: Iterable[Image],
    target: str | Path,
    size: int,
    counted: CountedClasses | None = None,
    *,
    rotation: Rotation = "zero",
    sample: int = SAMPLE,
    seed: int = 0,
    format: str | None = None,
    replace: bool = False,
    progress: Progress = silent,
) -> tuple[Benchmark, int]:
    """Choose `size` images of a corpus, write them, and return the benchmark and the number of images written.

    The corpus is iterated twice, and kept in memory neither time.
    """
    benchmarks: list[Benchmark] = []

    # Everything happens inside the generator: a target that cannot be written is an error before the long work.
    def images() -> Iterator[Image]:
        check_read_twice(corpus)
        looked_at = track(corpus, "images looked at", progress)
        candidates = gather_candidates(looked_at, counted or CountedClasses(), rotation=rotation)
        benchmarks.append(build(candidates, size, sample=sample, seed=seed))
        yield from benchmarks[0].images(track(corpus, "images read again", progress))

    n_written = write_corpus(images(), target, format, replace=replace)
    return benchmarks[0], n_written
