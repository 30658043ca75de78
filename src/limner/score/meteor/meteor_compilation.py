"""METEOR's tables compiled to arrays: vocabulary, senses, a trie of phrases.

Mapped into memory, they can be looked up without being read. Words are
numbered in the order of their checksums (CRC-32 of UTF-8), so that bisection
finds many at once. Phrases are nodes of a trie over word numbers, numbered
level by level: the children of a node stand side by side, in the order of
their words. A phrase's paraphrases are nodes too, in the order of the table,
which decides between alignments that are otherwise equal.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Integers
from limner.errors import BadInput
from limner.progress import Progress
from limner.score.meteor.meteor_sources import PARAPHRASES, JarTables, Share, Source, read_jar, read_paraphrases
from limner.score.meteor.stemmer import stem
from limner.score.meteor.wordnet import base_of, senses_of

Array = NDArray[np.uint32] | NDArray[np.uint8]
Arrays = dict[str, Array]

# The arrays, and the types of their items.
TYPES: Mapping[str, type[np.uint32] | type[np.uint8]] = {
    **dict.fromkeys(("word_hashes", "word_starts", "word_stems", "own_starts", "own_senses"), np.uint32),
    **dict.fromkeys(("sense_starts", "senses", "trie_words", "trie_children"), np.uint32),
    **dict.fromkeys(("paraphrase_starts", "paraphrases"), np.uint32),
    **dict.fromkeys(("word_bytes", "word_flags"), np.uint8),
}

# Bits of a word's flags: it is a function word; the dictionary has it as it stands.
IS_FUNCTION_WORD, HAS_SENSES = 1, 2

# Limits that keep a wrong file from filling the memory. METEOR's table has 2,616,378 distinct phrases.
MAX_PHRASES = 5_000_000
MAX_ENTRIES = 30_000_000
MAX_PHRASE_WORDS = 255
MAX_PHRASE_BYTES = 256 << 20


# Progress is reported in hundredths of the work, which has no unit of its own.
PARTS = 100


def compiled(source: Source, progress: Progress) -> tuple[Arrays, Mapping[str, bool]]:
    """The arrays of these tables, by name, and the abbreviations that keep their period."""

    def report(share: float) -> None:
        progress("parts of METEOR's tables", round(PARTS * share), PARTS)

    jar = read_jar(source.jar)
    arrays: Arrays = {}
    phrases: list[bytes] = []
    pairs = array("I"), array("I")
    # The shares are rough: reading takes about half of the time.
    if source.paraphrases:
        phrases, pairs = _read_phrases(source.paraphrases, lambda share: report(0.5 * share))
    words = _vocabulary(jar, phrases, source)
    report(0.6)
    arrays |= _word_arrays(words, jar)
    report(0.75)
    nodes, trie = _trie(phrases, {word: i for i, word in enumerate(words)}, lambda share: report(0.75 + 0.2 * share))
    arrays |= trie | _paraphrase_arrays(nodes, *pairs, len(trie["trie_words"]))
    report(1.0)
    return arrays, jar.prefixes


def _read_phrases(path: Path, report: Share) -> tuple[list[bytes], tuple[array[int], array[int]]]:
    """Every distinct phrase, and the positions in that list of the two of each pair."""
    number: dict[bytes, int] = {}
    firsts, seconds = array("I"), array("I")
    for batch, paraphrases in read_paraphrases(path, report):
        for numbers, batch_phrases in ((firsts, batch), (seconds, paraphrases)):
            numbers.extend([number.setdefault(phrase, len(number)) for phrase in batch_phrases])
        if len(number) > MAX_PHRASES or len(firsts) > MAX_ENTRIES:
            raise BadInput(str(path), f"there are more than {MAX_PHRASES:,} phrases or {MAX_ENTRIES:,} pairs")
    phrases_read = list(number)
    if sum(map(len, phrases_read)) > MAX_PHRASE_BYTES:
        raise BadInput(str(path), f"the phrases take more than {MAX_PHRASE_BYTES >> 20} MB")
    if b"" in number:
        raise BadInput(str(path), "a phrase has no word", "is the file complete?")
    if max((phrase.count(b" ") for phrase in phrases_read), default=0) >= MAX_PHRASE_WORDS:
        raise BadInput(str(path), f"a phrase has more than {MAX_PHRASE_WORDS} words", f"is this {PARAPHRASES}?")
    return phrases_read, (firsts, seconds)


def _vocabulary(jar: JarTables, phrases: Iterable[bytes], source: Source) -> list[bytes]:
    """Every word that may be asked for, and the stems of all; by checksum, then by letters.

    A word with an underscore is a phrase of the dictionary, and never a token.
    """
    words: set[bytes] = set()
    for phrase in phrases:
        words.update(phrase.split(b" "))
    try:
        texts = {word.decode("utf-8") for word in words}
    except UnicodeDecodeError as error:
        raise BadInput(str(source.paraphrases), f"the word {error.object!r} is not UTF-8") from error
    texts.update(word for word in (*jar.synsets, *jar.bases, *jar.function_words) if word and "_" not in word)
    texts.update([stem(word) for word in texts])
    texts.discard("")
    return sorted((word.encode() for word in texts), key=lambda word: (zlib.crc32(word), word))


def _word_arrays(words: Sequence[bytes], jar: JarTables) -> Arrays:
    texts = [word.decode() for word in words]
    number = {word: i for i, word in enumerate(texts)}
    function_words, synsets = jar.function_words, jar.synsets
    flags = [IS_FUNCTION_WORD * (text in function_words) + HAS_SENSES * (text in synsets) for text in texts]
    own_senses = [sorted(synsets.get(text, ())) for text in texts]
    known = [
        senses_of(text, synsets, jar.bases.get(text) or [base for base in [base_of(text, synsets)] if base])
        for text in texts
    ]
    return {
        "word_hashes": np.fromiter(map(zlib.crc32, words), dtype=np.uint32, count=len(words)),
        "word_starts": _starts(map(len, words), len(words)),
        "word_bytes": np.frombuffer(b"".join(words), dtype=np.uint8),
        "word_flags": np.array(flags, dtype=np.uint8),
        "word_stems": np.array([number.get(stem(text), i) for i, text in enumerate(texts)], dtype=np.uint32),
        "own_starts": _starts(map(len, own_senses), len(own_senses)),
        "own_senses": np.array([sense for senses in own_senses for sense in senses], dtype=np.uint32),
        "sense_starts": _starts(map(len, known), len(known)),
        "senses": np.array([sense for senses in known for sense in senses], dtype=np.uint32),
    }


def _starts(lengths: Iterable[int], n: int) -> NDArray[np.uint32]:
    starts = np.zeros(n + 1, dtype=np.uint32)
    np.cumsum(np.fromiter(lengths, dtype=np.uint32, count=n), out=starts[1:])
    return starts


def _trie(phrases: list[bytes], number: Mapping[bytes, int], report: Share) -> tuple[Integers, Arrays]:
    """The node of each phrase; each node's word, and where its children begin. Node 0 is the root."""
    words, lengths, starts = _phrase_words(phrases, number)
    nodes = np.zeros(len(phrases), dtype=np.int64)
    node_words, parents = [np.zeros(1, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    n_nodes, depth = 1, 0
    longest = int(lengths.max(initial=0))
    while depth < longest:
        longer = np.flatnonzero(lengths > depth)
        # A node and a word in one number: sorting them gives the children of each node side by side.
        keys = nodes[longer] * len(number) + words[starts[longer] + depth]
        distinct, places = np.unique(keys, return_inverse=True)
        nodes[longer] = n_nodes + places
        node_words.append(distinct % len(number))
        parents.append(distinct // len(number))
        n_nodes, depth = n_nodes + len(distinct), depth + 1
        report(depth / longest)
    counts = np.bincount(np.concatenate(parents), minlength=n_nodes)
    children = np.ones(n_nodes + 1, dtype=np.uint32)
    np.cumsum(counts, out=children[1:])
    children[1:] += 1
    return nodes, {"trie_words": np.concatenate(node_words).astype(np.uint32), "trie_children": children}


def _phrase_words(phrases: list[bytes], number: Mapping[bytes, int]) -> tuple[NDArray[np.int32], Integers, Integers]:
    """The words of all phrases one after another, how many each has, and where they begin."""
    words = array("i")
    lengths = array("B")
    for phrase in phrases:
        split = phrase.split(b" ")
        lengths.append(len(split))
        words.extend([number[word] for word in split])
    n_words = np.frombuffer(lengths, dtype=np.uint8).astype(np.int64) if lengths else np.zeros(0, dtype=np.int64)
    flat = np.frombuffer(words, dtype=np.int32) if words else np.zeros(0, dtype=np.int32)
    return flat, n_words, np.cumsum(n_words) - n_words


def _paraphrase_arrays(nodes: Integers, firsts: array[int], seconds: array[int], n_nodes: int) -> Arrays:
    """Where each node's paraphrases begin, and what they are."""
    if not firsts:
        return {"paraphrase_starts": np.zeros(n_nodes + 1, dtype=np.uint32), "paraphrases": np.zeros(0, np.uint32)}
    sources = nodes[np.frombuffer(firsts, dtype=np.uint32)]
    # Stable: paraphrases of one phrase keep the order of the table.
    order = np.argsort(sources, kind="stable")
    starts = np.zeros(n_nodes + 1, dtype=np.uint32)
    np.cumsum(np.bincount(sources, minlength=n_nodes), out=starts[1:])
    return {
        "paraphrase_starts": starts,
        "paraphrases": nodes[np.frombuffer(seconds, dtype=np.uint32)[order]].astype(np.uint32),
    }
