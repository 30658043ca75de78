"""Subsets of a run: images by an attribute, by what is in them, by how long their references are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

import numpy as np

from limner.arrays import Integers
from limner.corpus.image import Image
from limner.errors import LimnerError, unknown
from limner.score.run import Run

# Where each class of lengths begins: the mean number of words of an image's references, rounded.
LENGTHS = ((0, "up to 8 words"), (9, "9 to 11 words"), (12, "12 to 15 words"), (16, "16 words and more"))

# The subset of the images that do not have the attribute.
NONE = "(none)"


def subsets(run: Run, key: str, *, known: Collection[str] | None = None) -> dict[str, Integers]:
    """The places of the images of each subset, by its name.

    `length` is by the references; `label` by the labels of boxes, where an
    image is in as many subsets as it has labels; any other key is an attribute
    of images, such as `domain`: one of those `known`, or that the run's images have.
    """
    if key == "length":
        return _by_length(run)
    if run.images is None:
        raise LimnerError(f"subsets by {key} need images with attributes; give references as a corpus")
    if key == "label":
        return _grouped(sorted({box.label for box in image.boxes}) or [NONE] for image in run.images)
    check_key(key, attribute_names(run.images) if known is None else known)
    return _grouped([str(image.attributes.get(key, NONE))] for image in run.images)


def attribute_names(images: Iterable[Image]) -> set[str]:
    """The names of all attributes that some image has."""
    known: set[str] = set()
    for image in images:
        known.update(image.attributes)
    return known


def check_key(key: str, known: Collection[str]) -> None:
    """Raise an error for a key that makes no subsets of images with these attributes."""
    if key not in ("length", "label") and key not in known:
        raise unknown("attribute to score by", key, ["length", "label", *sorted(known)])


def subset_names(key: str, names: Iterable[str]) -> list[str]:
    """The names of subsets in their order: lengths by length, others by the alphabet."""
    distinct = set(names)
    return [name for _, name in LENGTHS if name in distinct] if key == "length" else sorted(distinct)


def _by_length(run: Run) -> dict[str, Integers]:
    lengths, groups = np.diff(run.tokens.starts), run.groups
    totals = np.concatenate([[0], np.cumsum(lengths)])
    of_references = totals[groups[1:]] - totals[groups[:-1] + 1]
    mean = np.rint(of_references / np.maximum(1, np.diff(groups) - 1))
    bins = np.searchsorted([start for start, _ in LENGTHS], mean, side="right") - 1
    by_name = {name: np.flatnonzero(bins == i) for i, (_, name) in enumerate(LENGTHS)}
    return {name: places for name, places in by_name.items() if len(places)}


def _grouped(keys: Iterable[list[str]]) -> dict[str, Integers]:
    places: defaultdict[str, list[int]] = defaultdict(list)
    for i, names in enumerate(keys):
        for name in names:
            places[name].append(i)
    return {name: np.array(places[name], dtype=np.int64) for name in sorted(places)}
