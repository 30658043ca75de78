"""Where the annotation of images is from, as every number that depends on it should say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from limner.corpus.image import Facts, Image

CAPTIONS, DETECTED, LINKED, UNKNOWN = "captions", "detected", "linked", "unknown"

# The provenance of mentions that are noun phrases, found by a tagger.
CHUNKED = "chunked"

# The provenance of chains that a model made.
PREDICTED = "predicted"

LEAKING_LABELS = "labels are nouns of the captions themselves, so scores against these captions are too high"


class ProvenanceTally:
    """How many images got their labels and mentions in a way that scores depend on, or were seen in training."""

    def __init__(self) -> None:
        self._n_images = 0
        self._counts: dict[str, Counter[str]] = {"labels": Counter(), "mentions": Counter(), "training": Counter()}

    @classmethod
    def of(cls, images: Iterable[Facts]) -> ProvenanceTally:
        """The tally of images, each given by its `provenance`."""
        tally = cls()
        for facts in images:
            tally.add(facts)
        return tally

    def add(self, facts: Facts, n: int = 1) -> None:
        """Count an image by its `provenance`, or `n` images of the same."""
        self._n_images += n
        if not facts:
            return
        if "labels_from" in facts:
            n_captions, seed = facts["labels_from"], facts.get("labels_seed", 0)
            self._counts["labels"][f"{n_captions} held-out caption{'' if n_captions == 1 else 's'}, seed {seed}"] += n
        elif "labels" in facts:
            self._counts["labels"][_labels_of(facts)] += n
        for name in ("mentions", "training"):
            if name in facts:
                self._counts[name][str(facts[name])] += n

    def watch(self, images: Iterable[Image]) -> Iterator[Image]:
        """The images as they come, each counted."""
        for image in images:
            self.add(image.provenance)
            yield image

    def to_json(self) -> dict[str, str]:
        """What there is to say of `labels`, `mentions` and `training`: nothing where all is as it should be."""
        return {name: self._described(counts) for name, counts in self._counts.items() if counts}

    @property
    def has_leaking_labels(self) -> bool:
        """Whether labels are nouns of captions that are gold too."""
        return self._counts["labels"][CAPTIONS] > 0

    @property
    def has_linked_mentions(self) -> bool:
        return any(how.startswith(LINKED) for how in self._counts["mentions"])

    def warning(self) -> str | None:
        """What a reader of the numbers should know, in one sentence; None if there is nothing."""
        said = []
        if self.has_leaking_labels:
            said.append(LEAKING_LABELS)
        if self.has_linked_mentions:
            said.append("mentions were linked by the names of classes, not by people")
        if n := self._counts["training"]["yes"]:
            said.append(f"{n:,} of {self._n_images:,} images were seen in training")
        if n := self._counts["training"][UNKNOWN]:
            said.append(f"it is unknown whether {n:,} of {self._n_images:,} images were seen in training")
        return "; ".join(said) or None

    def _described(self, counts: Counter[str]) -> str:
        if len(counts) == 1 and counts.total() == self._n_images:
            return next(iter(counts))
        return " + ".join(f"{value} in {n} of {self._n_images} images" for value, n in sorted(counts.items()))


class PredictionTally:
    """How many images have mentions or chains that a model predicted: gold is what people marked."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self.n_images = self.n_predicted = 0

    def watch(self, images: Iterable[Image]) -> Iterator[Image]:
        """The images as they come, each counted."""
        for image in images:
            self.n_images += 1
            made = (str(image.provenance.get(name, "")) for name in self._names)
            self.n_predicted += any(how.startswith((CHUNKED, PREDICTED)) for how in made)
            yield image

    def warning(self) -> str | None:
        """What whoever learns from the images should know; None if there is nothing."""
        if not self.n_predicted:
            return None
        what = " or ".join(self._names)
        return (
            f"{self.n_predicted:,} of {self.n_images:,} images have {what} that a model predicted; "
            "train on what people marked, or its mistakes are learnt too"
        )


def _labels_of(facts: Facts) -> str:
    """Where labels are from; if a detector gave them, which it was, in a form that a signature can hold."""
    labels = str(facts["labels"])
    return f"{labels} by {str(facts['detector']).replace('|', ' ')}" if "detector" in facts else labels


def scored_facts(gold: Facts, results: Facts) -> Facts:
    """What a score depends on, by the `provenance` of the gold image and of the result.

    Mentions are gold's, but labels matter only to a system that was told them,
    which its result says. Labels from held-out captions are harmless only
    where gold holds the same captions out. A result that says nothing may be
    of a system that saw the picture alone: what it was told is unknown.
    """
    facts = {**gold, **results}
    if "labels" in results:
        return _as_held_out(facts, gold, results)
    return {**_without_held_out(facts), "labels": UNKNOWN} if "labels" in gold else facts


def told_facts(gold: Facts, results: Facts) -> Facts:
    """What a system was told, by its result; labels count as held out only where gold holds the same captions out.

    How gold's mentions were made is told as well, under a name of its own: it
    matters to some metrics only (see `caveat_facts`).
    """
    facts = _as_held_out(results, gold, results)
    return {**facts, GOLD_MENTIONS: gold["mentions"]} if "mentions" in gold else facts


def caveat_facts(facts: Facts, of_people: bool, with_mentions: bool) -> Facts:
    """Which of the facts of `told_facts` a score depends on: people's, and that of a metric that needs mentions."""
    mentions = facts.get(GOLD_MENTIONS) if with_mentions else None
    mentions = facts.get("mentions") if mentions is None else mentions
    of_system = {} if of_people else {name: value for name, value in facts.items() if name != "mentions"}
    return of_system if mentions is None else {**of_system, "mentions": mentions}


def _as_held_out(facts: Facts, gold: Facts, results: Facts) -> Facts:
    if all(gold.get(name) == results.get(name) for name in _HELD_OUT):
        return facts
    return _without_held_out(facts)


def _without_held_out(facts: Facts) -> Facts:
    return {name: value for name, value in facts.items() if name not in _HELD_OUT}


_HELD_OUT = ("labels_from", "labels_seed")

# How the mentions of gold captions were made, beside what a result says of its own.
GOLD_MENTIONS = "gold_mentions"
