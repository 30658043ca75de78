"""Two classifiers of the colour of a region (Plummer et al. 2016, Figure 8), and which of them is the better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Floats, Integers
from limner.ground.phrase_queries import PhraseQuery
from limner.ground.picture_regions import PictureRegions
from limner.lazy import lazy
from limner.learn.linear_svm import LinearSVM
from limner.learn.softmax_classifier import SoftmaxClassifier, train_classifier
from limner.vision.features.colour_table import NAMES

if TYPE_CHECKING:
    from limner.learn import svm_training
else:
    # Training needs scipy, telling colours does not.
    svm_training = lazy("limner.learn.svm_training")

# Classifiers of fewer regions would know next to nothing: the shares of colours themselves are used instead.
FEWEST_REGIONS = 50

# A linear SVM over the appearance of regions, and a network over their colours.
SVM, NETWORK = "svm", "network"
CLASSIFIERS = (SVM, NETWORK)

# What errors cost the SVM: of rows with hundreds of numbers, more would be learnt by heart.
SVM_COST = 1e-4

# The last numbers of a region's colours are the shares of the eleven names.
_SHARES = slice(-len(NAMES), None)


def named_colour(query: PhraseQuery) -> int | None:
    """The number in `NAMES` of the one colour that a phrase names.

    None for people, whose colours are said of skin and hair, for phrases of
    several colours, and for colours that are not among the eleven.
    """
    if "people" in query.types:
        return None
    said = {"grey" if colour == "gray" else colour for colour in query.colours}
    return NAMES.index(next(iter(said))) if len(said) == 1 and said <= set(NAMES) else None


@dataclass(frozen=True)
class ColourClassifiers:
    """The network over colours and the SVM over appearance, either of which may be missing.

    `used` is the one that the colour cue asks. `accuracies` are by classifier: the mean over colours of
    the share of the tuning regions of a colour that are told to be of it.
    """

    network: SoftmaxClassifier | None = None
    svm: LinearSVM | None = None
    used: str = NETWORK
    accuracies: Mapping[str, float] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers that there are, as in `CLASSIFIERS`; `network` are the shares of colours if it is missing."""
        return CLASSIFIERS if self.svm is not None else (NETWORK,)

    def chances(self, regions: PictureRegions, name: str | None = None) -> Floats:
        """How likely regions have each colour of `NAMES`, `[regions, colours]`, by a classifier; default: `used`."""
        if (name or self.used) == SVM and self.svm is not None:
            return self.svm.chances(svm_numbers(regions))
        if self.network is None:
            return np.asarray(regions.colours[:, _SHARES], dtype=np.float64)
        return np.asarray(self.network.chances(regions.colours), dtype=np.float64)

    def tuned(self, said: Sequence[tuple[PictureRegions, Sequence[PhraseQuery]]]) -> ColourClassifiers:
        """The same with the more accurate one used; of equal ones, or without a named colour, the network.

        `said` are regions of pictures, row by row with the phrases said of them.
        """
        named = [(regions.rows(rows), numbers) for regions, q in said for rows, numbers in [named_rows(q)] if len(rows)]
        if not named:
            return self
        gold = np.concatenate([numbers for _, numbers in named])
        accuracies = {}
        for name in self.names:
            told = np.concatenate([self.chances(regions, name).argmax(axis=1) for regions, _ in named])
            accuracies[name] = balanced_accuracy(gold, told)
        used = max(self.names, key=lambda name: (accuracies[name], name == NETWORK))
        return replace(self, used=used, accuracies=accuracies)


def svm_numbers(regions: PictureRegions) -> NDArray[Any]:
    """What the SVM knows of regions: the model's appearance, or colours and shapes where there is no model."""
    if regions.appearance.shape[1]:
        return regions.appearance
    return np.hstack([regions.colours, regions.shapes])


def named_rows(queries: Sequence[PhraseQuery]) -> tuple[Integers, Integers]:
    """The phrases that name one colour, by number, and the colours, by their numbers in `NAMES`."""
    pairs = [(row, number) for row, query in enumerate(queries) if (number := named_colour(query)) is not None]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def learn_colours(said: Sequence[tuple[PictureRegions, Sequence[PhraseQuery]]], seed: int = 0) -> ColourClassifiers:
    """Both classifiers, learnt from regions of pictures, each given row by row with the phrases said of them.

    There are none if fewer than `FEWEST_REGIONS` phrases name a colour.
    """
    colours, numbers, classes = [], [], []
    for regions, queries in said:
        rows, named = named_rows(queries)
        colours.append(regions.colours[rows].astype(np.float32))
        numbers.append(svm_numbers(regions)[rows].astype(np.float32))
        classes.append(named)
    gold = np.concatenate(classes) if classes else np.zeros(0, dtype=np.int64)
    if len(gold) < FEWEST_REGIONS:
        return ColourClassifiers()
    return ColourClassifiers(
        train_classifier(np.concatenate(colours), gold, len(NAMES), seed=seed),
        svm_training.train_svm(np.concatenate(numbers), gold, len(NAMES), cost=SVM_COST),
    )


def balanced_accuracy(gold: Integers, told: Integers) -> float:
    """The mean, over the classes that are there, of the share of a class that is told to be of it."""
    n_gold = np.bincount(gold)
    n_right = np.bincount(gold[gold == told], minlength=len(n_gold))
    return float((n_right[n_gold > 0] / n_gold[n_gold > 0]).mean())
