"""In how many images each n-gram is: what CIDEr weighs n-grams by.

Frequencies of shards add up to those of the whole. A file of them is one line
of JSON that says what is in it, then the words and the numbers, compressed;
nothing in it is run when it is read, and all of it is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import IO

import msgspec
import numpy as np
import zstandard

from limner.errors import BadInput, LimnerError, shown
from limner.files import open_bytes, write_bytes
from limner.score.ngram_counts import NgramCounts, from_mapping, from_numbered
from limner.score.ngrams import count_images, ngram_sentences, paired, unpaired
from limner.score.run import Run

# The longest n-grams that CIDEr looks at.
N = 4

FORMAT = "limner document frequencies"
VERSION = 1
MAX_HEADER = 1 << 16

# What 32 bits of a file cannot hold.
MAX_COUNT = 1 << 32

# How many times its packed size a file may have: far more than these have, far less than one made to fill memory.
MAX_RATIO = 32

# Bytes that a file may unpack to however small it is.
ALWAYS = 1 << 24

# Bytes that a file may unpack to at all: a hundred times those of COCO's captions.
MAX_BYTES = 1 << 30

# Bytes read at a time: nothing is set aside for what a header only claims.
STEP = 1 << 20


class DocumentFrequencies:
    """The number of images whose references have an n-gram, of all `n_images`, by n-gram: a tuple of words.

    `tokeniser` names what made the words: frequencies are of use only for
    captions whose words were made alike.
    """

    __slots__ = ("_digest", "counts", "n_images", "tokeniser")

    def __init__(self, n_images: int, counts: Mapping[tuple[str, ...], int], tokeniser: str = "none") -> None:
        self.n_images = n_images
        self.counts = counts if isinstance(counts, NgramCounts) else from_mapping(counts, N)
        self.tokeniser = tokeniser
        self._digest = ""
        if not 0 <= n_images < MAX_COUNT:
            raise ValueError(f"{n_images} images cannot be counted")
        most = max((int(found.max(initial=0)) for _, found in self.counts.orders), default=0)
        if most > n_images:
            raise ValueError(f"an n-gram is in {most} images of {n_images}")

    def __repr__(self) -> str:
        return f"DocumentFrequencies({self.n_images} images, {len(self.counts)} n-grams, {self.tokeniser!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DocumentFrequencies):
            return NotImplemented
        return (self.n_images, self.tokeniser, self.counts) == (other.n_images, other.tokeniser, other.counts)

    def __add__(self, other: DocumentFrequencies) -> DocumentFrequencies:
        """The frequencies of the images of both, none of which is in the other."""
        if self.tokeniser != other.tokeniser:
            both = f"{shown(self.tokeniser)} and {shown(other.tokeniser)}"
            raise LimnerError(f"document frequencies of words made by {both} do not add up; count with one tokeniser")
        return DocumentFrequencies(self.n_images + other.n_images, self.counts + other.counts, self.tokeniser)

    @property
    def digest(self) -> str:
        """A name for exactly these frequencies, for signatures."""
        if not self._digest:
            self._digest = _digest(self.n_images, self.tokeniser, b"".join(_sections(self.counts)))
        return self._digest[:12]

    def save(self, path: Path | str) -> None:
        """Write the file, whole or not at all."""
        body = b"".join(_sections(self.counts))
        packed = zstandard.ZstdCompressor(level=9, write_checksum=True).compress(body)
        header = _Header(
            FORMAT,
            VERSION,
            self.n_images,
            self.tokeniser,
            [len(counts) for _, counts in self.counts.orders],
            len(body),
            len(packed),
            _digest(self.n_images, self.tokeniser, body),
        )
        with write_bytes(Path(path)) as handle:
            handle.write(msgspec.json.encode(header) + b"\n" + packed)

    @staticmethod
    def load(path: Path | str) -> DocumentFrequencies:
        """Read a file that `save` wrote."""
        with open_bytes(Path(path)) as handle:
            return _read(handle, str(path))


def document_frequencies(run: Run) -> DocumentFrequencies:
    """The frequencies of the n-grams of a run's references; its captions have no part in them."""
    words, sentences = ngram_sentences(run)
    counts = from_numbered(words, count_images(sentences, N))
    return DocumentFrequencies(len(run), counts, run.tokeniser_name)


class _Header(msgspec.Struct, frozen=True):
    """What a file says of itself: its n-grams of each order, the bytes of its body, unpacked and packed."""

    format: str
    version: int
    n_images: int
    tokeniser: str
    n_grams: list[int]
    n_bytes: int
    n_packed: int
    sha256: str


def _sections(counts: NgramCounts) -> Iterator[bytes]:
    """The words, one a line, then for each order the steps of its first places, its last words, and the counts."""
    yield "".join(word + "\n" for word in counts.words).encode("utf-8", "surrogatepass")
    for pairs, found in counts.orders:
        first, last = unpaired(pairs)
        for numbers in (np.diff(first, prepend=0), last, found):
            yield numbers.astype("<u4").tobytes()


def _digest(n_images: int, tokeniser: str, body: bytes) -> str:
    return sha256(b"%d\n%b\n%b" % (n_images, tokeniser.encode(), body)).hexdigest()


def _read(handle: IO[bytes], place: str) -> DocumentFrequencies:
    header = _header(handle.readline(MAX_HEADER), place)
    packed = _read_up_to(handle, header.n_packed + 1)
    if len(packed) != header.n_packed:
        raise _fault(place, f"{header.n_packed} bytes should follow the first line")
    body = _unpacked(packed, header, place)
    if _digest(header.n_images, header.tokeniser, body) != header.sha256:
        raise _fault(place, "its contents are not what its first line says")
    try:
        return DocumentFrequencies(header.n_images, _parsed(body, header.n_grams), header.tokeniser)
    except ValueError as error:
        raise _fault(place, str(error)) from error


def _read_up_to(handle: IO[bytes], n: int) -> bytes:
    parts = []
    while n > 0 and (part := handle.read(min(n, STEP))):
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def _header(line: bytes, place: str) -> _Header:
    try:
        header = msgspec.json.decode(line, type=_Header)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadInput(
            place,
            "not a file of document frequencies",
            "write one with DocumentFrequencies.save",
            code="no-frequencies-file",
        ) from error
    if header.format != FORMAT or header.version != VERSION:
        raise BadInput(place, f"{shown(header.format)}, version {header.version}, cannot be read", "write it again")
    sizes = [header.n_images, header.n_bytes, header.n_packed, *header.n_grams]
    if not header.n_grams or min(sizes) < 0 or max(header.n_images, *header.n_grams) >= MAX_COUNT:
        raise _fault(place, "its sizes cannot be")
    if header.n_bytes > max(ALWAYS, MAX_RATIO * header.n_packed):
        raise _fault(place, f"{header.n_packed} bytes cannot unpack to {header.n_bytes}")
    if max(header.n_bytes, header.n_packed) > MAX_BYTES:
        problem = f"its first line says that it has {max(header.n_bytes, header.n_packed):,} bytes"
        raise BadInput(place, f"{problem}, more than the {MAX_BYTES:,} that are read", "count fewer images")
    return header


def _unpacked(packed: bytes, header: _Header, place: str) -> bytes:
    try:
        with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(packed) as reader:
            body = reader.read(header.n_bytes)
            is_over = reader.read(1) == b""
    except zstandard.ZstdError as error:
        raise BadInput(place, f"cannot be decompressed ({error})", "is the file complete?") from error
    if len(body) != header.n_bytes or not is_over:
        raise _fault(place, f"it does not unpack to {header.n_bytes} bytes")
    return body


def _parsed(body: bytes, n_grams: list[int]) -> NgramCounts:
    """The counts that a body holds; a ValueError where it holds none."""
    n_numbers = n_grams[0] + 3 * sum(n_grams[1:])
    if 4 * n_numbers > len(body):
        raise ValueError("it is too short for its n-grams")
    text = body[: len(body) - 4 * n_numbers].decode("utf-8", "surrogatepass")
    words = text.split("\n")
    if words.pop() or len(words) != n_grams[0] or any(a >= b for a, b in pairwise(words)):
        raise ValueError("its words are not sorted, one a line")
    numbers = np.frombuffer(body[len(body) - 4 * n_numbers :], dtype="<u4")
    orders = [(np.zeros(0, dtype=np.uint64), numbers[: n_grams[0]].astype(np.int64))]
    at = n_grams[0]
    for before, n in pairwise(n_grams):
        steps, last, counts = numbers[at : at + 3 * n].reshape(3, n).astype(np.int64)
        first = np.cumsum(steps)
        pairs = paired(first, last)
        if n and (first[-1] >= before or last.max() >= len(words) or (pairs[1:] <= pairs[:-1]).any()):
            raise ValueError("its n-grams are not sorted, or not made of its words")
        orders.append((pairs, counts))
        at += 3 * n
    return NgramCounts(words, orders)


def _fault(place: str, problem: str) -> BadInput:
    return BadInput(place, f"document frequencies that are damaged: {problem}", "write the file again")
