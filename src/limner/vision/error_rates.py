"""Chances of errors from the counts of a profile, smoothed where little was seen."""

from __future__ import annotations

import numpy as np

from limner.arrays import Floats
from limner.text.kinds import kind_of_noun
from limner.text.words import words
from limner.vision.error_profile import N_BANDS, ErrorProfile

# How many boxes what is known of all classes counts for, beside what was seen of one. Of 2, 3, 8 and 20, fitted on one
# half of Flickr30k's training pictures, 2 gave the AP on the other half that is nearest to the real one.
PRIOR = 2.0

# The same for confusions, of which few are seen.
CONFUSION_PRIOR = 5.0

# How much likelier than any other class one of the same kind, or with a word in common, is what a class is taken for.
SAME_KIND = 8.0
SAME_WORD = 4.0


class ErrorRates:
    """The chances of a profile by class and band of size; the last row is of a label that means no class.

    `right` is the chance that a box is found by its class, `confused` that it
    is found by another if it is not. `shift` is how far the logits of a
    class's scores are above those of all.
    """

    def __init__(self, profile: ErrorProfile) -> None:
        self.profile = profile
        n_gold = _with_all(np.array(profile.n_gold, dtype=np.float64))
        n_right = _with_all(np.array(profile.n_right, dtype=np.float64))
        self.right = _smoothed(n_right, n_gold)
        n_missed = n_gold - n_right
        by_band = (np.array(profile.n_confused) + 0.5) / (n_missed[-1] + 1.0)
        n_confused = np.array([sum(profile.confusions.get(name, {}).values()) for name in profile.classes])
        n_confused = np.append(n_confused, n_confused.sum())
        missed = n_missed.sum(axis=1)
        # How much more often than others of its sizes a class is taken for another.
        expected = (n_missed * by_band).sum(axis=1)
        factor = (n_confused + PRIOR * expected.sum() / max(1.0, missed.sum())) / (
            expected + PRIOR * expected.sum() / max(1.0, missed.sum())
        )
        self.confused = np.clip(factor[:, None] * by_band, 0.0, 1.0)
        known = [profile.class_scores.get(name, (0.0, 0)) for name in profile.classes]
        self.shift = np.array([*(shift * n / (n + PRIOR) for shift, n in known), 0.0])
        self.false_bands = np.array(profile.false_bands) / sum(profile.false_bands)
        self._false = np.array([profile.false_classes.get(name, 0) for name in profile.classes], dtype=np.float64)
        self._false += 0.5 if not self._false.any() else 0.0
        self._counts = np.array(profile.n_false) / sum(profile.n_false)
        self._confusions: dict[tuple[int, str], Floats] = {}

    def confusion(self, number: int, label: str, draw: float) -> str:
        """The class that a box of a class, or of a label, is taken for."""
        key = (number, "" if number < len(self.profile.classes) else label)
        if key not in self._confusions:
            self._confusions[key] = np.cumsum(self.confusion_chances(number, label))
        chances = self._confusions[key]
        at = int(np.searchsorted(chances, draw * chances[-1], side="right"))
        return self.profile.classes[min(at, len(chances) - 1)]

    def confusion_chances(self, number: int, label: str) -> Floats:
        """The chance of each class to be what a class, or a label, is taken for; its own has none."""
        classes = self.profile.classes
        name = classes[number] if number < len(classes) else label
        likely = np.array([similarity(name, other) for other in classes])
        seen = np.array([self.profile.confusions.get(name, {}).get(other, 0) for other in classes], dtype=np.float64)
        if number < len(classes):
            likely[number] = seen[number] = 0.0
        if not likely.any():
            return np.ones(len(classes))
        chances = seen + CONFUSION_PRIOR * likely / likely.sum()
        return np.asarray(chances / chances.sum(), dtype=np.float64)

    def n_false(self, random: np.random.Generator, factor: float) -> int:
        """How many boxes of a picture are on nothing."""
        n = int(random.choice(len(self._counts), p=self._counts))
        if factor <= 1:
            return int(random.binomial(n, factor))
        mean = float(self._counts @ np.arange(len(self._counts)))
        return n + int(random.poisson((factor - 1) * mean))

    def false_class(self, random: np.random.Generator, present: list[int]) -> int:
        """The class of a box on nothing: one of those that the picture has gold boxes of, or another."""
        of_present = np.zeros_like(self._false)
        of_present[present] = self._false[present]
        weights = of_present if random.random() < self.profile.false_present else self._false - of_present
        # A picture may have no gold box, or all classes that are ever on nothing.
        weights = weights if weights.any() else self._false
        return int(random.choice(len(weights), p=weights / weights.sum()))


def similarity(first: str, second: str) -> float:
    """How much likelier than any class the second is what the first is taken for: by kind, and by common words."""
    likely = SAME_KIND if kind_of_noun(first) == kind_of_noun(second) else 1.0
    return likely + SAME_WORD if set(words(first)) & set(words(second)) else likely


def _with_all(counts: Floats) -> Floats:
    """The counts by class, and those of all classes as the last row."""
    return np.concatenate([counts, counts.sum(axis=0, keepdims=True)])


def _smoothed(n_right: Floats, n_gold: Floats) -> Floats:
    """Shares that go towards what the class and the band lead one to expect, the fewer boxes there were."""
    every = _logit((n_right[-1].sum() + 0.5) / (n_gold[-1].sum() + 1.0))
    band = _logit((n_right[-1] + 0.5) / (n_gold[-1] + 1.0))
    # What a class has above what its sizes explain.
    explained = (n_gold / (1.0 + np.exp(-band))).sum(axis=1)
    total = n_gold.sum(axis=1)
    share = (n_right.sum(axis=1) + PRIOR / (1 + np.exp(-every))) / (total + PRIOR)
    usual = (explained + PRIOR / (1 + np.exp(-every))) / (total + PRIOR)
    expected = 1.0 / (1.0 + np.exp(-(band + (_logit(share) - _logit(usual))[:, None])))
    assert expected.shape == (len(n_gold), N_BANDS)
    return np.asarray((n_right + PRIOR * expected) / (n_gold + PRIOR), dtype=np.float64)


def _logit(share: Floats | float) -> Floats:
    inside = np.clip(share, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(inside / (1 - inside)), dtype=np.float64)
