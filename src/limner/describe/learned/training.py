"""Learning to choose boxes from a corpus whose captions are tied to its boxes.

Every image teaches what its boxes were worth to people. Priors are learnt from
all images; but while trees are trained, a box sees priors to which its own
image did not contribute, as later the boxes of new images do.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import blake2b

import numpy as np

from limner.corpus.geometry import Numbers
from limner.corpus.image import Image
from limner.describe.learned.features import FAMILIES, family_of, feature_names, matrix
from limner.describe.learned.growing import ROUNDS, grow
from limner.describe.learned.layout import Layout, in_order
from limner.describe.learned.model import Model, Trained
from limner.describe.learned.priors import Priors
from limner.describe.learned.selector import LearnedSelector
from limner.describe.learned.smoothing import learn
from limner.describe.learned.tally import Vocabulary, Worth, add, tally
from limner.errors import LimnerError, shown, unknown
from limner.score.content import gold_sets, weights

MAX_IMAGES = 50_000
"""How many images are learnt from: of a larger corpus so many are drawn."""

MAX_SEED = 1 << 53
"""What JSON can hold as a whole number."""

FOLDS = 5
"""Parts of the corpus: the boxes of each see the priors of the others."""

ALL = tuple(FAMILIES)

Progress = Callable[[str, int, int], None]
"""Hears what is being done, and how much of how much of it is."""


def train_selector(
    images: Iterable[Image], *, seed: int = 0, families: Collection[str] = ALL, progress: Progress | None = None
) -> LearnedSelector:
    """A selector that has learnt from the images' gold captions.

    The order of the images, and of their boxes, changes nothing. `families`
    are those whose features are used.
    """
    if abs(seed) > MAX_SEED:
        raise LimnerError(f"the seed {shown(seed)} is too large; give one of at most {MAX_SEED}")
    names = _features(families)
    tell = progress or _say_nothing
    drawn = _drawn(images, seed)
    if not drawn:
        raise LimnerError("no caption refers to a box, so there is nothing to learn; tie them with `limner link`")
    priors, values, worth = _examples(drawn, names, tell)
    p, r = grow(values, worth, seed, lambda n: tell("trees", n, ROUNDS * len(worth)))
    return LearnedSelector(Model(names, priors, p, r, Trained(len(drawn), len(values), seed)))


def _features(families: Collection[str]) -> list[str]:
    for family in families:
        if family not in FAMILIES:
            raise unknown("family of features", family, FAMILIES)
    if not families:
        raise LimnerError(f"no family of features is left to learn from; there is: {', '.join(FAMILIES)}")
    return [name for name in feature_names() if family_of(name) in families]


def _say_nothing(_: str, __: int, ___: int) -> None:
    pass


def _drawn(images: Iterable[Image], seed: int) -> list[Image]:
    """The images that are learnt from, in an order that depends on their ids and the seed alone."""
    teaching = ((_lot(image.id, seed), image.id, image) for image in images if image.boxes and gold_sets(image))
    kept = heapq.nsmallest(MAX_IMAGES, teaching, key=lambda entry: entry[:2])
    return [image for _, _, image in kept]


def _lot(name: str, seed: int) -> bytes:
    return blake2b(f"{seed}:{name}".encode(errors="surrogatepass"), digest_size=8).digest()


def _examples(images: Sequence[Image], names: Sequence[str], tell: Progress) -> tuple[Priors, Numbers, Worth]:
    """The priors of all images, and for every box its features and what it was worth."""
    folds = [images[i::FOLDS] for i in range(min(FOLDS, len(images)))]
    layouts = [Layout(fold) for fold in folds]
    worths = [_worth(fold) for fold in folds]
    vocabulary = Vocabulary(*(_numbered(getattr(one, what).names for one in layouts) for what in ("labels", "kinds")))
    tallies = [tally(layout, worth, vocabulary) for layout, worth in zip(layouts, worths, strict=True)]
    ends = np.cumsum([layout.n for layout in layouts])
    values = np.empty((int(ends[-1]), len(names)))
    for i, layout in enumerate(layouts):
        tell("features", i, len(layouts))
        # With a single image there are no others: its boxes have to see what they themselves taught.
        others = tallies[:i] + tallies[i + 1 :] or tallies
        values[ends[i] - layout.n : ends[i]] = matrix(layout, learn(add(others), vocabulary), names)
    tell("features", len(layouts), len(layouts))
    worth = Worth(*(np.concatenate(columns) for columns in zip(*worths, strict=True)))
    return learn(add(tallies), vocabulary), values, worth


def _numbered(names: Iterable[Sequence[str]]) -> dict[str, int]:
    return {name: i for i, name in enumerate(sorted({name for some in names for name in some}))}


def _worth(images: Sequence[Image]) -> Worth:
    """What the boxes were worth, in the order of a layout."""
    found = []
    for image in images:
        gold = gold_sets(image)
        worth = weights(gold)
        found += [
            (worth[box.id][0] / len(gold), worth[box.id][1]) if box.id in worth else (0.0, 0.0)
            for box in in_order(image.boxes)
        ]
    return Worth(*np.array(found, dtype=np.float64).reshape(-1, 2).T)
