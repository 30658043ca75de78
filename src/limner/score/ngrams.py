"""The n-grams of captions and their references, for BLEU and CIDEr.

An n-gram is numbered by the pair (number of its first n - 1 words, last
word): equal numbers are equal n-grams. The work is done by a compiled kernel;
where it was not built, the same is done here with arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Booleans, Floats, Integers
from limner.lazy import kernel
from limner.score.run import Run
from limner.text.token_table import TokenTable

KERNEL = kernel("limner.score._ngrams")

# Two numbers below 2^32 in one of 64 bits: the first by a shift, the second by a mask.
HIGH, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)

Pairs = NDArray[np.uint64]

# For each order, its n-grams and the number of images whose references have them.
#
# An n-gram is a pair in one number: the place of its first n - 1 words in the
# order before, then, in the lower 32 bits, its last word. Single words have no
# pairs: their counts stand in the order of the words.
Counts = Sequence[tuple[Pairs, Integers]]


class Sentences(NamedTuple):
    """Sentences of numbers below `n_words`, and where those of each image begin: a caption, then its references."""

    numbers: NDArray[np.int32]
    starts: Integers
    groups: Integers
    n_words: int

    @property
    def lengths(self) -> Integers:
        return np.diff(self.starts)

    @property
    def n_references(self) -> Integers:
        return np.diff(self.groups) - 1

    @property
    def image_of(self) -> Integers:
        """The image that each sentence is of."""
        return np.repeat(np.arange(len(self.groups) - 1), np.diff(self.groups))

    @property
    def is_caption(self) -> Booleans:
        """Whether each sentence is a caption, not a reference."""
        is_caption = np.zeros(len(self.starts) - 1, dtype=np.bool_)
        is_caption[self.groups[:-1]] = True
        return is_caption


def sentences(table: TokenTable, groups: Integers) -> Sentences:
    """The table's sentences as the kernels take them."""
    return Sentences(
        np.ascontiguousarray(table.numbers, dtype=np.int32),
        np.ascontiguousarray(table.starts, dtype=np.int64),
        np.ascontiguousarray(groups, dtype=np.int64),
        len(table.words),
    )


def ngram_sentences(run: Run) -> tuple[Sequence[str], Sentences]:
    """The words of a run and its sentences, for n-grams."""
    table = without_spaces(run.tokens)
    return table.words, sentences(table, run.groups)


def without_spaces(table: TokenTable) -> TokenTable:
    """The table with words split at whatever white space they hold, as the reference tools do for n-grams.

    They do not for ROUGE-L: a fraction, "22 3/4" with a no-break space, is
    one word there and two here.
    """
    words = list(table.words)
    if " ".join(words).split() == words:
        return table
    number = {word: i for i, word in enumerate(words)}
    # The parts of word i are n_parts[i] of `parts`, from first_part[i]: itself alone, for nearly every one.
    parts = list(range(len(words)))
    first_part, n_parts = np.arange(len(words)), np.ones(len(words), dtype=np.int64)
    for i, word in enumerate(words):
        split = word.split()
        if split != [word]:
            first_part[i], n_parts[i] = len(parts), len(split)
            parts += [number.setdefault(part, len(number)) for part in split]
    n_each = n_parts[table.numbers]
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(n_each)])
    wanted = np.repeat(first_part[table.numbers] - starts[:-1], n_each) + np.arange(starts[-1])
    return TokenTable(list(number), np.array(parts, dtype=np.int32)[wanted], starts[table.starts])


def matches(sentences: Sentences, n: int) -> Integers:
    """How many n-grams of each caption its references have too, `[images, n]`, for 1-grams up to n-grams.

    Each counts as often as the reference that has it most, at most.
    """
    counts = np.zeros((len(sentences.groups) - 1, n), dtype=np.int64)
    if KERNEL is not None:
        KERNEL.matches(*sentences, n, counts)
        return counts
    for order in _orders(sentences, n):
        for captions, references in order.tallies():
            at, is_there = captions.find(references)
            most = np.zeros(len(captions.gram), dtype=np.int64)
            np.maximum.at(most, at, references.times[is_there])
            np.add.at(counts[:, order.n - 1], captions.image, np.minimum(captions.times, most))
    return counts


def cosines(sentences: Sentences, n: int, n_images: int, given: Counts | None, *, is_clipped: bool) -> Floats:
    """The cosine of each reference and its caption, `[sentences, n]`; 0 for captions themselves.

    N-grams weigh their number times ln `n_images` less ln of the images that
    have them: those given, or else those of the references at hand. Clipped,
    what a caption has more of an n-gram than the reference counts in its norm
    alone, not in the product.
    """
    values = np.zeros((len(sentences.starts) - 1, n))
    if KERNEL is not None:
        KERNEL.cosines(*sentences, n, float(n_images), given, is_clipped, values)
        return values
    for order in _orders(sentences, n, given):
        df = order.images() if given is None else order.known(given[order.n - 1][1])
        weights = np.where(df < n_images, np.log(max(n_images, 1.0)) - np.log(np.maximum(df, 1.0)), 0.0)
        squares, products = np.zeros(len(values)), np.zeros(len(values))
        for captions, references in order.tallies():
            for tally in (captions, references):
                np.add.at(squares, tally.sentence, (tally.times * weights[tally.gram]) ** 2)
            at, is_there = captions.find(references)
            h, r = captions.times[at], references.times[is_there]
            shared = (np.minimum(h, r) if is_clipped else h) * r * weights[references.gram[is_there]] ** 2
            np.add.at(products, references.sentence[is_there], shared)
        norms = np.sqrt(squares)
        norms *= norms[sentences.groups[:-1]][sentences.image_of]
        np.divide(products, norms, out=values[:, order.n - 1], where=(norms > 0.0) & ~sentences.is_caption)
    return values


def count_images(sentences: Sentences, n: int) -> list[tuple[Pairs, Integers]]:
    """In how many images each n-gram of the references is, for each order."""
    if KERNEL is not None:
        counted = KERNEL.count(*sentences, n)
        return [(np.frombuffer(pairs, np.uint64), np.frombuffer(counts, np.int64)) for pairs, counts in counted]
    # Captions have no part in it, and are left without a word.
    lengths = np.where(sentences.is_caption, 0, sentences.lengths)
    numbers = sentences.numbers[~np.repeat(sentences.is_caption, sentences.lengths)]
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    alone = Sentences(numbers, starts, sentences.groups, sentences.n_words)
    return [(order.pairs, order.images()) for order in _orders(alone, n)]


def paired(first: NDArray[np.integer], last: NDArray[np.integer]) -> Pairs:
    """The pairs of these numbers, each in one."""
    return first.astype(np.uint64) << HIGH | last.astype(np.uint64)


def unpaired(pairs: Pairs) -> tuple[Integers, Integers]:
    """The first and the last number of each pair."""
    return (pairs >> HIGH).astype(np.int64), (pairs & LOW).astype(np.int64)


# How many words are looked at together: sorting them stays quick, and what it takes small.
BLOCK = 1 << 17


class _Tally(NamedTuple):
    """How often (`times`) each of some sentences has each of its n-grams, by sentence and then n-gram."""

    image: Integers
    sentence: Integers
    gram: Integers
    times: Integers

    def find(self, references: _Tally) -> tuple[Integers, Booleans]:
        """Where these captions have n-grams of their references, for those that they have, and which these are."""
        base = max(self.gram.max(initial=0), references.gram.max(initial=0)) + 1
        keys, wanted = self.image * base + self.gram, references.image * base + references.gram
        at = np.searchsorted(keys, wanted)
        is_there = at < len(keys)
        is_there[is_there] = keys[at[is_there]] == wanted[is_there]
        return at[is_there], is_there


@dataclass(frozen=True, slots=True)
class _Order:
    """The n-grams of one order: `ids` has the number of that which begins at each word, `pairs` each number's n-gram.

    Known n-grams have the numbers `known_ids`, in their order.
    """

    n: int
    sentences: Sentences
    ids: Integers
    n_grams: int
    pairs: Pairs
    known_ids: Integers

    def tallies(self) -> Iterator[tuple[_Tally, _Tally]]:
        """Those of the captions, and of the references, of some images after others."""
        image_of, is_caption = self.sentences.image_of, self.sentences.is_caption
        for block in _blocks(self.sentences):
            at, sentence_of = _places(self.sentences, block, self.n)
            keys, times = np.unique(sentence_of * self.n_grams + self.ids[at], return_counts=True)
            sentence, gram = np.divmod(keys, max(self.n_grams, 1))
            of_caption = is_caption[sentence]
            captions, references = (
                _Tally(image_of[sentence[chosen]], sentence[chosen], gram[chosen], times[chosen])
                for chosen in (of_caption, ~of_caption)
            )
            yield captions, references

    def images(self) -> Integers:
        """The number of images whose references have each n-gram."""
        n_images = np.zeros(self.n_grams, dtype=np.int64)
        for _, references in self.tallies():
            distinct = np.unique(references.image * self.n_grams + references.gram)
            np.add.at(n_images, distinct % max(self.n_grams, 1), 1)
        return n_images

    def known(self, counts: Integers) -> Integers:
        """The counts of the known n-grams, for each n-gram: 0 where it is not known."""
        n_images = np.zeros(self.n_grams, dtype=np.int64)
        n_images[self.known_ids] = counts
        return n_images


def _orders(sentences: Sentences, n: int, given: Counts | None = None) -> Iterator[_Order]:
    """The n-grams of each order, one after the other."""
    ids = sentences.numbers.astype(np.int64)
    yield _Order(
        1, sentences, ids, sentences.n_words, np.zeros(0, dtype=np.uint64), known_ids := np.arange(sentences.n_words)
    )
    for k in range(2, n + 1):
        first, last = unpaired(np.zeros(0, dtype=np.uint64) if given is None else given[k - 1][0])
        known = paired(known_ids[first], last)
        # Pairs are numbered within each block, then the blocks' distinct ones, few beside all, together.
        places = [_places(sentences, block, k)[0] for block in _blocks(sentences)]
        distinct = []
        for at in places:
            pairs_of_block, ids[at] = np.unique(paired(ids[at], sentences.numbers[at + k - 1]), return_inverse=True)
            distinct.append(pairs_of_block)
        pairs = np.unique(np.concatenate([known, *distinct]))
        for at, pairs_of_block in zip(places, distinct, strict=True):
            ids[at] = np.searchsorted(pairs, pairs_of_block)[ids[at]]
        known_ids = np.searchsorted(pairs, known)
        yield _Order(k, sentences, ids, len(pairs), pairs, known_ids)


def _blocks(sentences: Sentences) -> Iterator[tuple[int, int]]:
    """Ranges of sentences of whole images, of some words each."""
    firsts = sentences.starts[sentences.groups]
    cuts = np.searchsorted(firsts, np.arange(BLOCK, len(sentences.numbers), BLOCK))
    yield from pairwise(sentences.groups[np.unique([0, *cuts, len(firsts) - 1])].tolist())


def _places(sentences: Sentences, block: tuple[int, int], n: int) -> tuple[Integers, Integers]:
    """The words of a range of sentences at which an n-gram begins, and the sentence each is in."""
    first, last = block
    sentence_of = np.repeat(np.arange(first, last), np.diff(sentences.starts[first : last + 1]))
    at = np.arange(sentences.starts[first], sentences.starts[last])
    is_inside = at + n <= sentences.starts[1:][sentence_of]
    return at[is_inside], sentence_of[is_inside]
