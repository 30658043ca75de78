"""Files as bytes, lines and text: read without trusting them, and written whole or not at all."""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import os
import stat
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import SpooledTemporaryFile, gettempdir
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from limner.errors import BadInput, cannot
from limner.lazy import lazy

if TYPE_CHECKING:
    import zstandard

    from limner import outputs
else:
    # Commands that only read start without what writing needs.
    outputs = lazy("limner.outputs")
    # Few files are compressed so, and the library takes as long to import as all of this package's core.
    zstandard = lazy("zstandard")

# Bytes. A longer line is not text, and must not fill the memory.
MAX_LINE = 16 << 20

STDIO = Path("-")

# What the zip library raises on files that are not zips, are cut short, are encrypted or lie about their contents.
ZIP_FAULTS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, RuntimeError, ValueError)


def is_regular_file(path: str | Path) -> bool:
    """Whether a path, which may be any text, names a file that is neither a folder nor a pipe or device."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def open_file(path: Path) -> io.BufferedReader:
    """A regular file, open for reading.

    Everything else is an error that names it, and is never waited for: a
    folder, a pipe, a device, a socket, what is not there or cannot be read.
    """
    return _opened(path, takes_pipe=False, waits=False)


def check_file(path: Path) -> None:
    """Raise the error of `open_file`, if there is one: for libraries that open files themselves."""
    open_file(path).close()


def open_kept(path: Path) -> io.BufferedReader | None:
    """A file of a cache as `open_file` opens it; None if it is missing or cannot be read, and has to be made again.

    A pipe in its place is an error here too: making the file would write to it.
    """
    try:
        return open_file(path)
    except BadInput as error:
        if error.code == "cannot-read":
            return None
        raise


def read_kept(path: Path, size: int = -1) -> bytes | None:
    """The first bytes of a file of a cache, or all; None if it has to be made again."""
    file = open_kept(path)
    if file is None:
        return None
    with file:
        try:
            return file.read(size)
        except BadInput:
            return None


@contextmanager
def open_bytes(path: Path, *, waits: bool = False) -> Iterator[IO[bytes]]:
    """The file's bytes, decompressed by its suffix (.gz, .zst); `-` is standard input.

    A pipe that this process was started with, such as the /dev/fd/63 of a
    shell's `<(…)`, is read like standard input. Named pipes are refused unless
    `waits` is set, because opening one waits for a writer.
    """
    if path == STDIO:
        yield sys.stdin.buffer
        return
    try:
        with _opened(path, takes_pipe=True, waits=waits) as raw:
            yield _decompressed(path, raw)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise BadInput(str(path), f"cannot be decompressed ({error})", "is the file complete?") from error
    except OSError as error:
        raise cannot("read", path, error) from error


def _opened(path: Path, *, takes_pipe: bool, waits: bool) -> io.BufferedReader:
    try:
        raw = _InputFile(path, waits=waits)
    except OSError as error:
        # Windows says that permission is denied.
        if path.is_dir():
            raise _not_a_file(path, "folder") from error
        # What the system says of sockets, and of devices that are not there.
        if error.errno == errno.ENXIO:
            raise _not_a_file(path, "socket or a device") from error
        raise cannot("read", path, error) from error
    mode = os.fstat(raw.fileno()).st_mode
    is_pipe = stat.S_ISFIFO(mode)
    if stat.S_ISREG(mode) or (is_pipe and takes_pipe and (waits or outputs.own_descriptor(path) is not None)):
        return io.BufferedReader(raw, 1 << 16)
    raw.close()
    raise _not_a_file(path, "pipe" if is_pipe else "device")


def _not_a_file(path: Path, kind: str) -> BadInput:
    return BadInput(str(path), f"is a {kind}", "name a file", code="not-a-file")


class _InputFile(io.FileIO):
    """An open file whose errors say which file it is. Opening a pipe returns at once, unless it `waits`."""

    def __init__(self, path: Path, *, waits: bool) -> None:
        super().__init__(str(path), opener=None if waits else _open_at_once)
        self._path = path

    def readinto(self, buffer: Any, /) -> int:
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise cannot("read", self._path, error) from error

    def readall(self) -> bytes:
        try:
            return super().readall()
        except OSError as error:
            raise cannot("read", self._path, error) from error


def _open_at_once(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    if sys.platform != "win32":
        os.set_blocking(descriptor, True)
    return descriptor


def _decompressed(path: Path, raw: BinaryIO) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    if path.suffix == ".zst":
        return cast(IO[bytes], io.BufferedReader(_ZstdFrames(path, raw)))
    return raw


class _ZstdFrames(io.RawIOBase):
    """The contents of a zstd file, one frame after the other.

    The library's own stream takes a frame that is cut short for a whole one.
    """

    # So little at a time that even a hostile file unpacks to a few megabytes a step.
    STEP = 2048

    def __init__(self, path: Path, raw: BinaryIO) -> None:
        self._path = path
        self._raw = raw
        # 128 MB is the largest window that zstd's own tool takes by default.
        self._unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27)
        self._frame = self._unpacker.decompressobj()
        self._within = False
        self._packed = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(cast(bytearray, buffer)).cast("B")
        while not self._ready:
            if not self._unpack():
                return 0
        n = min(len(target), len(self._ready))
        target[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    def _unpack(self) -> bool:
        """Make the next bytes ready; False at a sound end of the file."""
        packed = self._packed or self._raw.read(self.STEP)
        if not packed:
            if self._within:
                raise BadInput(str(self._path), "cannot be decompressed (it is cut short)", "is the file complete?")
            return False
        try:
            self._ready = memoryview(self._frame.decompress(packed))
        except zstandard.ZstdError as error:
            raise BadInput(str(self._path), f"cannot be decompressed ({error})", "is it a zstd file?") from error
        self._within = not self._frame.eof
        self._packed = b""
        if self._frame.eof:
            self._packed = self._frame.unused_data
            self._frame = self._unpacker.decompressobj()
        return True


def read_lines(path: Path, *, waits: bool = False) -> Iterator[tuple[int, str]]:
    """Each line's number, from 1, and its text without the line end; UTF-8 only. `waits` is as for `open_bytes`."""
    with open_bytes(path, waits=waits) as handle:
        number = 0
        while line := handle.readline(MAX_LINE):
            number += 1
            if len(line) == MAX_LINE:
                raise BadInput(
                    f"{path}:{number}", f"the line is longer than {MAX_LINE >> 20} MB", "is this a text file?"
                )
            yield number, decode(line, f"{path}:{number}").removesuffix("\n").removesuffix("\r")


def entries(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines of a list that people wrote, without space around them: not those that are blank or begin with #."""
    for number, line in lines:
        entry = line.strip()
        if entry and not entry.startswith("#"):
            yield number, entry


def decode(raw: bytes, location: str) -> str:
    """The bytes as UTF-8 text."""
    try:
        return raw.decode("utf-8-sig" if raw.startswith(b"\xef\xbb\xbf") else "utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(location, f"byte {error.start} is not UTF-8", "convert the file to UTF-8") from error


@contextmanager
def write_bytes(path: Path) -> Iterator[IO[bytes]]:
    """A handle whose bytes appear at `path` when the block ends well, and nowhere when it fails.

    Compressed by suffix (.gz, .zst); `-` is standard output.
    """
    if path == STDIO or outputs.is_standard_output(path):
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with outputs.write_file(path) as raw, _compressed(path, raw) as handle:
        yield handle


def write_texts(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Write every text under its name in the folder; their paths."""
    for name, text in texts.items():
        with write_bytes(folder / name) as handle:
            handle.write(text.encode())
    return [folder / name for name in texts]


class ScratchFile(SpooledTemporaryFile[bytes]):
    """A temporary file, in memory as long as it is small, whose errors name the folder of temporary files."""

    def __init__(self, in_memory: int = 1 << 20) -> None:
        super().__init__(in_memory)

    def write(self, data: Any) -> int:
        with _temporary_folder():
            return super().write(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        with _temporary_folder():
            return super().seek(offset, whence)


@contextmanager
def _temporary_folder() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise cannot("write", Path(gettempdir()), error) from error


@contextmanager
def _compressed(path: Path, raw: IO[bytes]) -> Iterator[IO[bytes]]:
    if path.suffix == ".gz":
        # No time stamp and no name inside: the same corpus gives the same bytes.
        with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as handle:
            yield cast(IO[bytes], handle)
    elif path.suffix == ".zst":
        with zstandard.ZstdCompressor(level=3).stream_writer(raw, closefd=False) as writer:
            yield cast(IO[bytes], writer)
    else:
        yield raw


def cache_folder() -> Path:
    """Where Limner keeps what can be made again: `LIMNER_CACHE`, otherwise where the system has such things."""
    if named := os.environ.get("LIMNER_CACHE"):
        return Path(named)
    if named := os.environ.get("XDG_CACHE_HOME"):
        return Path(named) / "limner"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "limner"
    if sys.platform == "win32" and (named := os.environ.get("LOCALAPPDATA")):
        return Path(named) / "limner" / "cache"
    return Path.home() / ".cache" / "limner"
