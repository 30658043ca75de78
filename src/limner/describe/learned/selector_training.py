"""Training a selector on a corpus whose captions are tied to its boxes.

Every image teaches what its boxes were worth to people. Priors are learnt from
all images. But while trees are trained, a box sees priors to which its own
image did not contribute, as the boxes of new images will later.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import blake2b

import numpy as np

from limner.arrays import Floats
from limner.corpus.held_out_labels import visible
from limner.corpus.image import Image
from limner.corpus.seen_images import SeenImages
from limner.describe.learned.box_features import FAMILIES, family_of, feature_names, matrix
from limner.describe.learned.box_layout import Layout, in_order
from limner.describe.learned.learned_selector import LearnedSelector
from limner.describe.learned.mention_counts import Vocabulary, Worth, add, priors_of, tally
from limner.describe.learned.mention_priors import Priors
from limner.describe.learned.selector_model import Model, Trained
from limner.errors import BadInput, LimnerError, shown, unknown
from limner.learn.boosting import grow
from limner.progress import Progress, silent
from limner.score.content import gold_sets, weights

# Images that are learnt from. A larger corpus is sampled, which bounds memory and time.
MAX_IMAGES = 50_000

# The largest whole number that every reader of JSON can hold.
MAX_SEED = 1 << 53

# Parts of the corpus: the boxes of each part see the priors of the other parts.
FOLDS = 5

ALL_FAMILIES = tuple(FAMILIES)


def train_selector(
    images: Iterable[Image],
    *,
    seed: int = 0,
    families: Collection[str] = ALL_FAMILIES,
    place: str = "corpus",
    check: Callable[[SeenImages], object] = lambda training: None,
    progress: Progress = silent,
) -> LearnedSelector:
    """A selector that has learnt from the images' gold captions.

    The order of the images and of their boxes does not matter. `families` are
    the families of features to use. `check` is called with the training images
    before anything is learnt, and may refuse them. `place` names the corpus in
    errors. Raises `BadInput` if no caption refers to a box.
    """
    if abs(seed) > MAX_SEED:
        raise LimnerError(f"the seed {shown(seed)} is too large; it must be at most {MAX_SEED}")
    names = _features(families)
    originals = _sample(images, seed)
    sample = list(map(visible, originals))
    if not sample:
        problem = "no caption refers to a box, so there is nothing to learn from"
        raise BadInput(place, problem, "tie captions to boxes", code="no-mentions")
    seen = SeenImages()
    for image in originals:
        seen.add(image)
    check(seen)
    priors, values, worth = _examples(sample, names, progress)
    p, r = grow(values, worth, seed, progress)
    return LearnedSelector(Model(names, priors, p, r, Trained(len(sample), len(values), seed, seen)))


def _features(families: Collection[str]) -> list[str]:
    for family in families:
        if family not in FAMILIES:
            raise unknown("family of features", family, FAMILIES)
    if not families:
        raise LimnerError(f"families is empty; there are: {', '.join(FAMILIES)}")
    return [name for name in feature_names() if family_of(name) in families]


def _sample(images: Iterable[Image], seed: int) -> list[Image]:
    """The images to learn from, in an order that depends on their ids and the seed alone."""
    usable = (
        (_lot(image.id, seed), image.id, image)
        for image in images
        if visible(image).boxes and gold_sets(visible(image))
    )
    return [image for _, _, image in heapq.nsmallest(MAX_IMAGES, usable, key=lambda entry: entry[:2])]


def _lot(name: str, seed: int) -> bytes:
    return blake2b(f"{seed}:{name}".encode(errors="surrogatepass"), digest_size=8).digest()


def _examples(images: Sequence[Image], names: Sequence[str], progress: Progress) -> tuple[Priors, Floats, Worth]:
    """The priors of all images, and for every box its features and what it was worth."""
    folds = [images[i::FOLDS] for i in range(min(FOLDS, len(images)))]
    layouts = [Layout(fold) for fold in folds]
    worths = [_worth(fold) for fold in folds]
    vocabulary = Vocabulary(
        _numbered(layout.labels.names for layout in layouts), _numbered(layout.kinds.names for layout in layouts)
    )
    tallies = [tally(layout, worth, vocabulary) for layout, worth in zip(layouts, worths, strict=True)]
    ends = np.cumsum([layout.n for layout in layouts])
    values = np.empty((int(ends[-1]), len(names)))
    for i, layout in enumerate(layouts):
        progress("features", i, len(layouts))
        # A single image makes a single fold: its boxes have to see what they themselves taught.
        rest = tallies[:i] + tallies[i + 1 :] or tallies
        values[ends[i] - layout.n : ends[i]] = matrix(layout, priors_of(add(rest), vocabulary), names)
    progress("features", len(layouts), len(layouts))
    worth = Worth(*(np.concatenate(columns) for columns in zip(*worths, strict=True)))
    return priors_of(add(tallies), vocabulary), values, worth


def _numbered(names: Iterable[Sequence[str]]) -> dict[str, int]:
    distinct = {name for of_layout in names for name in of_layout}
    return {name: i for i, name in enumerate(sorted(distinct))}


def _worth(images: Sequence[Image]) -> Worth:
    """What the boxes were worth, in the order of a layout."""
    rows = []
    for image in images:
        gold = gold_sets(image)
        worth = weights(gold)
        rows += [
            (worth[box.id][0] / len(gold), worth[box.id][1]) if box.id in worth else (0.0, 0.0)
            for box in in_order(image.boxes)
        ]
    return Worth(*np.array(rows, dtype=np.float64).reshape(-1, 2).T)
