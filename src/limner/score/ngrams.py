"""The n-grams of captions and their references, for BLEU and CIDEr.

An n-gram is numbered by the pair (number of its first n - 1 words, last
word): equal numbers are equal n-grams. The work is done by a compiled kernel;
where it was not built, the same is done here with arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limner.score.metric import Numbers
from limner.score.run import Run
from limner.text.compiled import kernel
from limner.text.token_table import TokenTable, Whole

KERNEL = kernel("limner.score._ngrams")

HIGH, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)

Pairs = NDArray[np.uint64]

Counts = Sequence[tuple[Pairs, Whole]]
"""For each order, its n-grams and the number of images whose references have them.

An n-gram is a pair in one number: the place of its first n - 1 words in the
order before, then, in the lower 32 bits, its last word. Single words have no
pairs: their counts stand in the order of the words.
"""


class Sentences(NamedTuple):
    """Sentences of numbers below `n_words`, and where those of each image begin: a caption, then its references."""

    numbers: NDArray[np.int32]
    starts: Whole
    groups: Whole
    n_words: int

    @property
    def lengths(self) -> Whole:
        return np.diff(self.starts)

    @property
    def n_references(self) -> Whole:
        return np.diff(self.groups) - 1

    @property
    def image_of(self) -> Whole:
        """The image that each sentence is of."""
        return np.repeat(np.arange(len(self.groups) - 1), np.diff(self.groups))

    @property
    def is_caption(self) -> NDArray[np.bool_]:
        """Whether each sentence is a caption, not a reference."""
        is_caption = np.zeros(len(self.starts) - 1, dtype=np.bool_)
        is_caption[self.groups[:-1]] = True
        return is_caption


def sentences(table: TokenTable, groups: Whole) -> Sentences:
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
    place = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(n_each)])
    wanted = np.repeat(first_part[table.numbers] - place[:-1], n_each) + np.arange(place[-1])
    return TokenTable(list(number), np.array(parts, dtype=np.int32)[wanted], place[table.starts])


def matches(those: Sentences, n: int) -> Whole:
    """How many n-grams of each caption its references have too, `[images, n]`, for 1-grams up to n-grams.

    Each counts as often as the reference that has it most, at most.
    """
    found = np.zeros((len(those.groups) - 1, n), dtype=np.int64)
    if KERNEL is not None:
        KERNEL.matches(*those, n, found)
        return found
    for order in _orders(those, n):
        image, gram, times = order.split(those.is_caption[order.sentence], those.image_of)
        r_image, r_gram, r_times = order.split(~those.is_caption[order.sentence], those.image_of)
        at, is_there = _look_up(image * order.n_grams + gram, r_image * order.n_grams + r_gram)
        most = np.zeros(len(gram), dtype=np.int64)
        np.maximum.at(most, at[is_there], r_times[is_there])
        found[:, order.n - 1] = _sums(image, np.minimum(times, most), len(found))
    return found


def cosines(those: Sentences, n: int, n_images: int, given: Counts | None, *, is_clipped: bool) -> Numbers:
    """The cosine of each reference and its caption, `[sentences, n]`; 0 for captions themselves.

    N-grams weigh their number times ln `n_images` less ln of the images that
    have them: those given, or else those of the references at hand. Clipped,
    what a caption has more of an n-gram than the reference counts in its norm
    alone, not in the product.
    """
    found = np.zeros((len(those.starts) - 1, n))
    if KERNEL is not None:
        KERNEL.cosines(*those, n, float(n_images), given, is_clipped, found)
        return found
    for order in _orders(those, n, given):
        df = order.images(those) if given is None else order.known(given[order.n - 1][1])
        weights = np.where(df < n_images, np.log(max(n_images, 1.0)) - np.log(np.maximum(df, 1.0)), 0.0)
        norms = np.sqrt(_sums(order.sentence, (order.times * weights[order.gram]) ** 2, len(found)))
        image, gram, times = order.split(those.is_caption[order.sentence], those.image_of)
        is_reference = ~those.is_caption[order.sentence]
        r_image, r_gram, r_times = order.split(is_reference, those.image_of)
        at, is_there = _look_up(image * order.n_grams + gram, r_image * order.n_grams + r_gram)
        h, r = times[at[is_there]], r_times[is_there]
        products = (np.minimum(h, r) if is_clipped else h) * r * weights[r_gram[is_there]] ** 2
        sums = _sums(order.sentence[is_reference][is_there], products, len(found))
        both = norms * norms[those.groups[:-1]][those.image_of]
        np.divide(sums, both, out=found[:, order.n - 1], where=(both > 0.0) & ~those.is_caption)
    return found


def count_images(those: Sentences, n: int) -> list[tuple[Pairs, Whole]]:
    """In how many images each n-gram of the references is, for each order."""
    if KERNEL is not None:
        counted = KERNEL.count(*those, n)
        return [(np.frombuffer(pairs, np.uint64), np.frombuffer(counts, np.int64)) for pairs, counts in counted]
    return [(order.pairs, order.images(those)) for order in _orders(those, n, has_captions=False)]


def paired(first: NDArray[np.integer], last: NDArray[np.integer]) -> Pairs:
    """The pairs of these numbers, each in one."""
    return first.astype(np.uint64) << HIGH | last.astype(np.uint64)


def unpaired(pairs: Pairs) -> tuple[Whole, Whole]:
    """The first and the last number of each pair."""
    return (pairs >> HIGH).astype(np.int64), (pairs & LOW).astype(np.int64)


class _Order(NamedTuple):
    """How often (`times`) each sentence has each n-gram of one order, by sentence and then n-gram.

    Known n-grams have the numbers `known_ids`, in their order.
    """

    n: int
    sentence: Whole
    gram: Whole
    times: Whole
    n_grams: int
    pairs: Pairs
    known_ids: Whole

    def split(self, is_wanted: NDArray[np.bool_], image_of: Whole) -> tuple[Whole, Whole, Whole]:
        """Image, n-gram and times of some of them."""
        return image_of[self.sentence[is_wanted]], self.gram[is_wanted], self.times[is_wanted]

    def images(self, those: Sentences) -> Whole:
        """The number of images whose references have each n-gram."""
        image, gram, _ = self.split(~those.is_caption[self.sentence], those.image_of)
        distinct = np.unique(image * self.n_grams + gram) % max(self.n_grams, 1)
        return np.bincount(distinct, minlength=self.n_grams).astype(np.int64)

    def known(self, counts: Whole) -> Whole:
        """The counts of the known n-grams, for each n-gram: 0 where it is not known."""
        found = np.zeros(self.n_grams, dtype=np.int64)
        found[self.known_ids] = counts
        return found


def _orders(those: Sentences, n: int, given: Counts | None = None, *, has_captions: bool = True) -> Iterator[_Order]:
    """The n-grams of each order, one after the other."""
    sentence_of = np.repeat(np.arange(len(those.starts) - 1), those.lengths)
    ends = those.starts[1:][sentence_of]
    at = np.arange(len(those.numbers))
    if not has_captions:
        at = at[~those.is_caption[sentence_of]]
    ids = those.numbers[at].astype(np.int64)
    known_ids, pairs, n_grams = np.arange(those.n_words), np.zeros(0, dtype=np.uint64), those.n_words
    for k in range(1, n + 1):
        if k > 1:
            is_inside = at + k <= ends[at]
            at, ids = at[is_inside], ids[is_inside]
            known = np.zeros(0, dtype=np.uint64) if given is None else given[k - 1][0]
            first, last = unpaired(known)
            every = np.concatenate([paired(known_ids[first], last), paired(ids, those.numbers[at + k - 1])])
            pairs, numbers = np.unique(every, return_inverse=True)
            known_ids, ids, n_grams = numbers[: len(known)], numbers[len(known) :], len(pairs)
        keys, times = np.unique(sentence_of[at] * n_grams + ids, return_counts=True)
        yield _Order(k, *np.divmod(keys, max(n_grams, 1)), times, n_grams, pairs, known_ids)


def _look_up(keys: Whole, wanted: Whole) -> tuple[Whole, NDArray[np.bool_]]:
    """Where each of the wanted stands among the sorted keys, and whether it does."""
    at = np.searchsorted(keys, wanted)
    is_there = at < len(keys)
    is_there[is_there] = keys[at[is_there]] == wanted[is_there]
    return at, is_there


def _sums(places: Whole, values: NDArray[np.generic], n: int) -> Numbers:
    return np.bincount(places, values, minlength=n).astype(np.float64)
