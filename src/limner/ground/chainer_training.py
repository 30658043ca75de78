"""Learning from people's chains which mentions are of one thing.

All images teach which nouns go together. A sample of them teaches what else
matters: every two mentions of different captions are an example. While trees
are grown, an image sees counts of nouns to which its own share of the images
did not contribute, as new images will later. Images of the sample that the
trees have not seen choose the threshold.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Indices
from limner.corpus.image import Image
from limner.errors import BadInput
from limner.ground.chain_clusters import cluster
from limner.ground.chainer import MAX_MENTIONS, Chainer, TrainedChains
from limner.ground.mention_words import MentionWords, read_mentions
from limner.ground.noun_pairs import NounCounts, NounPairs, noun_pairs
from limner.ground.pair_features import Pairs, pair_features
from limner.learn.boosting import grow
from limner.learn.forests import Forest
from limner.progress import Progress, silent
from limner.score.coreference import MEASURES
from limner.score.data_fingerprint import chain_number, data_fingerprint

# Images whose mentions are compared in pairs: about 130 pairs each. More teach next to nothing.
MAX_SAMPLE = 5_000

# Parts of the corpus: the images of each part see the counts of the other parts.
FOLDS = 5

# One image of so many in the sample chooses the threshold, and teaches the trees nothing.
HELD_OUT = 8

# Few small trees do as well here as many large ones, and are quick.
ROUNDS = 100
SETTINGS = {"learning_rate": 0.12, "num_leaves": 20, "max_depth": 6}

THRESHOLDS = np.arange(-1.5, 1.01, 0.1)


class Example(NamedTuple):
    """The mentions of an image, their chains as numbers, and the fold of the image."""

    mentions: list[MentionWords]
    chain: Indices
    fold: int

    def linked(self, pairs: Pairs) -> Booleans:
        return np.equal(self.chain[pairs.first], self.chain[pairs.second])

    def has_link(self) -> bool:
        """Whether two mentions of different captions are of one chain."""
        chains = self.chain.tolist()
        return len(set(zip(chains, (mention.caption for mention in self.mentions), strict=True))) > len(set(chains))


def train_chains(
    images: Iterable[Image], *, seed: int = 0, place: str = "corpus", progress: Progress = silent
) -> Chainer:
    """A chainer that has learnt from the chains of the images; their order does not matter.

    `place` names the corpus in errors. Raises `BadInput` if there are too few chains with mentions in
    two captions.
    """
    lessons = _Lessons(seed)
    for image in images:
        lessons.add(image)
    sample = lessons.sample()
    held_out, grown_on = sample[::HELD_OUT], [e for i, e in enumerate(sample) if i % HELD_OUT]
    if not any(example.has_link() for example in grown_on):
        problem = "too few images have mentions of one chain in two captions, so there is nothing to learn from"
        raise BadInput(place, problem, "give a corpus with chains", code="no-chains")
    known = [noun_pairs(counts for other, counts in enumerate(lessons.folds) if other != fold) for fold in range(FOLDS)]
    matrix, targets = _table(grown_on, known, progress)
    (forest,) = grow(matrix, [targets], seed, progress, rounds=ROUNDS, settings=SETTINGS)
    return Chainer(
        noun_pairs(lessons.folds),
        forest,
        best_threshold(held_out or grown_on, known, forest, progress),
        TrainedChains(
            len(lessons.numbers),
            lessons.n_mentions,
            seed,
            data_fingerprint(np.array(sorted(lessons.numbers), dtype=np.int64)),
        ),
    )


class _Lessons:
    """What images teach as they pass: counts of nouns by fold, and a sample of examples."""

    def __init__(self, seed: int) -> None:
        self.folds = [NounCounts() for _ in range(FOLDS)]
        self.numbers: list[int] = []
        self.n_mentions = 0
        self._seed = seed
        self._sample: list[tuple[int, int, Example]] = []

    def add(self, image: Image) -> None:
        mentions = read_mentions(image.captions)
        if not mentions or len(mentions) > MAX_MENTIONS:
            return
        lot = self._lot(image.id)
        example = Example(mentions, _chain_numbers(image), lot % FOLDS)
        self._count(example, [mention.types for _, mention in image.mentions()])
        self.numbers.append(chain_number(image))
        self.n_mentions += len(mentions)
        # The images of the smallest lots stay, whatever the order in which they come.
        entry = (-lot, len(self.numbers), example)
        if len(self._sample) < MAX_SAMPLE:
            heapq.heappush(self._sample, entry)
        else:
            heapq.heappushpop(self._sample, entry)

    def sample(self) -> list[Example]:
        return [example for _, _, example in sorted(self._sample, key=lambda entry: -entry[0])]

    def _count(self, example: Example, types: Sequence[Sequence[str]]) -> None:
        counts = self.folds[example.fold]
        chains = example.chain.tolist()
        for i, mention in enumerate(example.mentions):
            counts.add_type(mention.phrase.noun, types[i])
            for j, other in enumerate(example.mentions[:i]):
                if mention.caption != other.caption:
                    is_linked = chains[i] == chains[j]
                    counts.add_pair(mention.phrase.noun, other.phrase.noun, is_linked=is_linked)

    def _lot(self, id: str) -> int:
        text = f"{self._seed}:{id}".encode(errors="surrogatepass")
        return int.from_bytes(blake2b(text, digest_size=7).digest(), "little")


def _chain_numbers(image: Image) -> Indices:
    """The number of each mention's chain; one without a chain is alone."""
    numbers: dict[str, int] = {}
    chains = [mention.chain for _, mention in image.mentions()]
    return np.array(
        [-1 - i if chain is None else numbers.setdefault(chain, len(numbers)) for i, chain in enumerate(chains)],
        dtype=np.intp,
    )


def _table(examples: Sequence[Example], known: Sequence[NounPairs], progress: Progress) -> tuple[Floats, Floats]:
    """The features of all pairs of mentions, and whether they are of one chain."""
    features, targets = [], []
    for done, example in enumerate(examples):
        progress("images read", done, len(examples))
        pairs = pair_features(example.mentions, known[example.fold])
        features.append(pairs.features)
        targets.append(example.linked(pairs).astype(np.float64))
    return np.concatenate(features), np.concatenate(targets)


def best_threshold(
    examples: Sequence[Example], known: Sequence[NounPairs], forest: Forest, progress: Progress
) -> float:
    """The threshold for which the mean of MUC, B³ and CEAF-e is the largest."""
    sums = np.zeros((len(THRESHOLDS), len(MEASURES), 4))
    for done, example in enumerate(examples):
        progress("images chained", done, len(examples))
        gold = _sets(example.chain)
        for at, chains in enumerate(_chained(example, known[example.fold], forest)):
            sums[at] += [measure(gold, chains) for measure in MEASURES.values()]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = sums[..., 0] / sums[..., 1], sums[..., 2] / sums[..., 3]
        means = np.nan_to_num(2 * precision * recall / (precision + recall)).mean(axis=-1)
    return round(float(THRESHOLDS[int(means.argmax())]), 6)


def _chained(example: Example, known: NounPairs, forest: Forest) -> Iterator[list[frozenset[int]]]:
    """The chains of an image for each threshold."""
    pairs = pair_features(example.mentions, known)
    caption = np.array([mention.caption for mention in example.mentions], dtype=np.intp)
    apart = caption[:, None] != caption
    scores = np.zeros(apart.shape)
    scores[pairs.first, pairs.second] = scores[pairs.second, pairs.first] = forest.predict(pairs.features)
    for threshold in THRESHOLDS:
        yield _sets(cluster(scores - threshold, apart))


def _sets(labels: Indices) -> list[frozenset[int]]:
    return [frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]
