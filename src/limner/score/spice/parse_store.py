"""Parses kept on disk from run to run, in a database file that several processes may use at once."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from types import TracebackType

import msgspec

from limner.errors import LimnerError
from limner.files import cache_folder, check_file
from limner.score.spice.parse_tree import Parse

# The size at which the oldest parses go: about a million captions.
MAX_BYTES = 512 << 20

# Seconds. How long to wait for other processes that use the file.
TIMEOUT = 60.0

# Goes up when a parse is stored in another way; parses of other versions are then not found.
VERSION = 1


def default_store() -> Path:
    """The file for parses in the user's cache folder."""
    return cache_folder() / "parses.sqlite"


class ParseStore:
    """The parses of one parser in a file, which is created if it does not exist.

    A write is complete or does not happen. Parses of other parsers may be in
    the same file: `parser` tells them apart.
    """

    def __init__(self, path: Path, parser: str, *, max_bytes: int = MAX_BYTES) -> None:
        self._path, self._parser, self._max_bytes = path, f"{VERSION} {parser}", max_bytes
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # A database is not opened here: closing it would release the locks that other threads hold on it.
            if path.exists() and not path.is_file():
                check_file(path)
            self._connection = sqlite3.connect(path, timeout=TIMEOUT, isolation_level=None)
            self._use_write_ahead_log()
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS parse (number INTEGER PRIMARY KEY, key BLOB UNIQUE, value BLOB)"
            )
        except (OSError, sqlite3.Error) as error:
            raise self._failed(error) from error

    def __enter__(self) -> ParseStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def _use_write_ahead_log(self) -> None:
        """Let readers not wait for a writer, and a crash lose no more than the last writes."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                # SQLite's own timeout does not cover two that change the mode at once.
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def read(self, sentences: Iterable[str]) -> dict[str, Parse]:
        """The stored parses of these sentences; a damaged one is left out, and will be replaced."""
        parses = {}
        try:
            for sentence in sentences:
                row = self._connection.execute("SELECT value FROM parse WHERE key = ?", (self._key(sentence),))
                value = row.fetchone()
                parse = _decoded(value[0]) if value is not None else None
                if parse is not None:
                    parses[sentence] = parse
        except sqlite3.Error as error:
            raise self._failed(error) from error
        return parses

    def write(self, parses: Sequence[tuple[str, Parse]]) -> None:
        rows = [(self._key(sentence), msgspec.msgpack.encode(parse)) for sentence, parse in parses]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT OR REPLACE INTO parse (key, value) VALUES (?, ?)", rows)
            self._connection.execute("COMMIT")
            self._shrink()
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def _shrink(self) -> None:
        """Delete the older half of the parses if the file has grown too large."""
        execute = self._connection.execute
        pages, free, size = (
            execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        if (pages - free) * size <= self._max_bytes:
            return
        # Numbers rise with time: those up to the mean are the older half.
        execute("BEGIN IMMEDIATE")
        middle = execute("SELECT avg(number) FROM parse").fetchone()[0]
        execute("DELETE FROM parse WHERE number <= ?", (middle,))
        execute("COMMIT")

    def _key(self, sentence: str) -> bytes:
        return blake2b(f"{self._parser}\0{sentence}".encode(), digest_size=16).digest()

    def _failed(self, error: Exception) -> LimnerError:
        return LimnerError(f"{self._path}: parses cannot be kept there ({error}); delete it, or name another file")


def _decoded(value: object) -> Parse | None:
    if not isinstance(value, bytes):
        return None
    try:
        parse = msgspec.msgpack.decode(value, type=Parse)
    except msgspec.MsgspecError:
        return None
    return parse if parse.is_sound else None
