"""Texts as Fisher vectors over a hybrid mixture of word vectors (Klein et al. 2015; Plummer et al. 2016, §4.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from limner.arrays import Floats, Integers, Singles
from limner.errors import LimnerError
from limner.learn.array_files import read_arrays, write_arrays
from limner.learn.hybrid_mixture import HybridMixture, fit_hybrid_mixture, mixture_fault
from limner.learn.ica import ICA, fit_ica
from limner.learn.model_files import ModelKind
from limner.progress import Progress, silent
from limner.text.text_embedders import unit_rows
from limner.text.word_choice import CONTENT, WordChoice, word_choice
from limner.text.word_vectors import WordVectors
from limner.text.words import words

FISHER_KIND = ModelKind("fisher-vectors", 1, trained_by="limner.ground.train_fisher_vectors")

# After the second normalisation vectors have this length, as in Klein et al.'s own code.
VECTOR_LENGTH = 10.0

N_CENTRES = 30
N_DIMS = 300

# Bytes of word statistics that are summed at a time.
_STEP_BYTES = 64 << 20

# Bytes of distinct words' statistics that are kept while texts are summed.
_KEPT_BYTES = 512 << 20

_ARRAYS = ("ica_mean", "ica_weights", "shares", "locations", "scales", "is_gaussian")


class FisherRecord(msgspec.Struct):
    """What a file of Fisher vectors says besides its arrays: which vectors and words it was made with."""

    limner_model: str
    version: int
    vectors: str
    words: str


class FisherVectors:
    """Fisher vectors of texts: sums over words of the derivatives of a mixture's likelihood, rooted, of length 1.

    Before the square root, which keeps signs, they are additive over words.
    So each word's statistics are computed once, and texts are sums of them.
    """

    def __init__(self, vectors: WordVectors, ica: ICA, mixture: HybridMixture, choice: WordChoice = CONTENT) -> None:
        if len(ica.mean) != vectors.n_dims:
            raise ValueError(f"vectors have {vectors.n_dims} dimensions, the codebook's have {len(ica.mean)}")
        self._vectors = vectors
        self._ica = ica
        self._mixture = mixture
        self._choice = choice
        self.n_dims = mixture.n_scores
        digest = sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in self.to_arrays().values()))
        codebook = f"centres:{len(mixture.shares)}|sha256:{digest.hexdigest()[:12]}"
        self.signature = f"hglmm|{vectors.signature}|words:{choice.name}|{codebook}|version:1"

    def embed(self, texts: Sequence[str]) -> Singles:
        """A row for each text, `[texts, 2 centres dims]`.

        Time and memory grow with the words of the texts times the length of a row.
        """
        # Phrases repeat: each distinct one is embedded once.
        row_of = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        distinct = self._rooted([self._vectors.rows(self._choice.chosen(words(text))) for text in row_of])
        return distinct if len(distinct) == len(texts) else distinct[[row_of[text] for text in texts]]

    def knows(self, text: str) -> bool:
        return len(self._vectors.rows(self._choice.chosen(words(text)))) > 0

    def _rooted(self, rows_by_text: list[Integers]) -> Singles:
        embedded = np.zeros((len(rows_by_text), self.n_dims), dtype=np.float32)
        lengths = np.array([len(rows) for rows in rows_by_text], dtype=np.int64)
        starts = np.append(0, np.cumsum(lengths))
        statistics = _WordStatistics(self, np.concatenate([*rows_by_text, np.empty(0, dtype=np.int64)]))
        step = max(1, _STEP_BYTES // (4 * self.n_dims))
        first = 0
        while first < len(rows_by_text):
            # As many texts as have about `step` words together, and at least one.
            last = max(first + 1, int(np.searchsorted(starts, starts[first] + step, side="right")) - 1)
            some = np.flatnonzero(lengths[first:last]) + first
            if len(some):
                word_rows = statistics.rows(slice(starts[first], starts[last]))
                embedded[some] = np.add.reduceat(word_rows, starts[some] - starts[first], axis=0)
            first = last
        np.multiply(np.sign(embedded), np.sqrt(np.abs(embedded)), out=embedded)
        return unit_rows(embedded)

    def word_statistics(self, rows: Integers) -> Singles:
        """What each word, a row of the word vectors, adds to the Fisher vector of a text before its square root."""
        return self._mixture.fisher_scores(_components(self._vectors, rows, self._ica))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The codebook as named arrays, which a larger model's file can hold; word vectors are not among them."""
        return dict(zip(_ARRAYS, (*self._ica, *self._mixture), strict=True))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], vectors: WordVectors, choice: WordChoice) -> Self:
        """The embedder of `to_arrays`; raises ValueError if the arrays do not fit each other or the vectors."""
        if arrays.keys() != set(_ARRAYS):
            raise ValueError(f"its arrays are {sorted(arrays)}, not {sorted(_ARRAYS)}")
        ica = ICA(arrays["ica_mean"], arrays["ica_weights"])
        mixture = HybridMixture(*(arrays[name] for name in _ARRAYS[2:]))
        fault = mixture_fault(mixture)
        if fault:
            raise ValueError(fault)
        if ica.mean.ndim != 1 or ica.weights.shape != (len(ica.mean), mixture.locations.shape[1]):
            raise ValueError(f"ica_weights has the shape {ica.weights.shape}")
        if ica.mean.dtype != np.float32 or ica.weights.dtype != np.float32:
            raise ValueError("its components are not float32")
        return cls(vectors, ica, mixture, choice)

    def save(self, path: str | Path) -> None:
        """Write the codebook to a file; a failed write leaves none."""
        kind = FISHER_KIND
        record = FisherRecord(kind.name, kind.version, self._vectors.signature, self._choice.name)
        write_arrays(Path(path), record, self.to_arrays())

    @classmethod
    def load(cls, path: str | Path, vectors: WordVectors) -> Self:
        """The embedder in a file, with the word vectors that it was trained with."""
        record, arrays = read_arrays(Path(path), FISHER_KIND, FisherRecord)
        if record.vectors != vectors.signature:
            problem = f"was made with other word vectors ({record.vectors}) than these ({vectors.signature})"
            raise FISHER_KIND.error(Path(path), problem)
        try:
            return cls.from_arrays(arrays, vectors, word_choice(record.words))
        except (ValueError, LimnerError) as error:
            raise FISHER_KIND.error(Path(path), f"is damaged ({error})") from error


class _WordStatistics:
    """The statistics of a sequence of words: those of distinct words are kept if they are few, else computed anew."""

    def __init__(self, embedder: FisherVectors, word_rows: Integers) -> None:
        self._embedder = embedder
        self._word_rows = word_rows
        distinct, self._positions = np.unique(word_rows, return_inverse=True)
        is_small = 4 * embedder.n_dims * len(distinct) <= _KEPT_BYTES
        self._kept = embedder.word_statistics(distinct) if is_small else None

    def rows(self, part: slice) -> Singles:
        """A row for each word of a part of the sequence."""
        if self._kept is not None:
            return self._kept[self._positions[part]]
        distinct, positions = np.unique(self._word_rows[part], return_inverse=True)
        return self._embedder.word_statistics(distinct)[positions]


def train_fisher_vectors(
    texts: Iterable[str],
    vectors: WordVectors,
    choice: WordChoice = CONTENT,
    *,
    n_centres: int = N_CENTRES,
    n_dims: int = N_DIMS,
    seed: int = 0,
    progress: Progress = silent,
) -> FisherVectors:
    """Fisher vectors whose codebook is learnt from the words of texts, each as often as it occurs.

    Word vectors are normalised, turned to at most `n_dims` independent
    components, and normalised again. Words are counted, so that time grows
    with the vocabulary, not the texts: 10,000 words of 50 dimensions take
    about half a minute of one processor.
    """
    counts = Counter[int]()
    for text in texts:
        counts.update(vectors.rows(choice.chosen(words(text))).tolist())
    # In the order of the vocabulary: the order of texts makes no difference.
    rows = np.array(sorted(counts), dtype=np.int64)
    if len(rows) < n_centres:
        problem = f"the texts have {len(rows):,} different words that are known; {n_centres} centres need as many"
        raise LimnerError(f"{problem}; give more texts, or other word vectors")
    weights: Floats = np.array([counts[row] for row in rows.tolist()], dtype=np.float64)
    progress("independent components", 0, None)
    ica = fit_ica(unit_rows(vectors.vectors[rows]), n_dims, weights, seed=seed)
    components = _components(vectors, rows, ica)
    fitted = fit_hybrid_mixture(components, n_centres, weights, seed=seed, progress=progress)
    return FisherVectors(vectors, ica, fitted.mixture, choice)


def _components(vectors: WordVectors, rows: Integers, ica: ICA) -> Singles:
    return unit_rows(ica.transform(unit_rows(vectors.vectors[rows]))) * np.float32(VECTOR_LENGTH)
