"""Picture files as pixels: listed in a folder, opened without trusting them, decoded to one form.

Every picture becomes `[height, width, 3]` of 8 bits, upright. Of animations
the first frame counts; transparent pictures are laid on white.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np
from PIL import Image as Picture
from PIL import UnidentifiedImageError

from limner.corpus.picture_files import (
    FAULTS,
    SUFFIXES,
    check_scans,
    eight_bits,
    is_file_within,
    open_header,
    orientation,
)
from limner.corpus.reading import Reading
from limner.errors import BadInput, cannot, one_line, os_problem, os_remedy
from limner.files import open_file
from limner.vision.protocols import Pixels

# 267 MB once decoded. Photographs of the largest cameras are below, and so is what PIL itself takes for no attack.
MAX_PIXELS = 89_000_000

# What names of pictures end with. The last ones cannot be read, but are pictures: nobody should miss them unnoticed.
PICTURE_SUFFIXES = (*SUFFIXES, ".jfif", ".gif", ".bmp", ".tif", ".tiff", ".ppm", ".pgm", ".heic", ".heif", ".avif")

# How the pixels of a picture are turned, by the orientation of the camera that EXIF tells.
TURNS = {
    2: Picture.Transpose.FLIP_LEFT_RIGHT,
    3: Picture.Transpose.ROTATE_180,
    4: Picture.Transpose.FLIP_TOP_BOTTOM,
    5: Picture.Transpose.TRANSPOSE,
    6: Picture.Transpose.ROTATE_270,
    7: Picture.Transpose.TRANSVERSE,
    8: Picture.Transpose.ROTATE_90,
}


class ListedPicture(NamedTuple):
    """A picture in a folder: the id of its image, and its name relative to the folder."""

    id: str
    file: str


def list_pictures(folder: Path, reading: Reading | None = None) -> list[ListedPicture]:
    """The pictures in a folder and the folders in it, by name; hidden files and links out of it are left out.

    An id is the name without its suffix, unless that is another picture's name
    or is so of several: these keep their suffix. `reading` is warned of files that are no pictures by their
    names. A folder without a picture is an error, and so is a name that is not UTF-8 unless `reading` is lenient.
    """
    reading = reading or Reading()
    names = []
    for name in sorted(_files(folder), key=lambda name: PurePosixPath(name).parts):
        if not name.lower().endswith(PICTURE_SUFFIXES):
            reading.warn("file that is no picture by its name, ignored", str(folder / name))
        elif not is_file_within(folder / name, folder):
            reading.warn("link out of the folder, not followed", str(folder / name))
        elif is_utf8(name):
            names.append(name)
        else:
            reading.skip("picture whose name is not UTF-8", misnamed(folder / name))
    if not names:
        raise BadInput(
            str(folder), "there is no picture in the folder", f"names end with {', '.join(PICTURE_SUFFIXES)}"
        )
    # Names count as well: `a.jpg.png` must not take the id of an `a.jpg` that keeps its suffix.
    claims = Counter([*names, *map(_stem, names)])
    return [ListedPicture(_stem(name) if claims[_stem(name)] == 1 else name, name) for name in names]


def is_utf8(name: str) -> bool:
    """Whether the name of a file can be written as text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def misnamed(path: Path) -> BadInput:
    """The error for a picture whose name cannot be written as text."""
    return bad_picture(path, "its name is not UTF-8", "rename it")


def _files(folder: Path) -> Iterator[str]:
    def refuse(error: OSError) -> None:
        raise cannot("read", Path(error.filename or folder), error)

    for inner, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        relative = Path(inner).relative_to(folder)
        yield from ((relative / name).as_posix() for name in files if not name.startswith("."))


def _stem(name: str) -> str:
    return str(PurePosixPath(name).with_suffix(""))


def read_pixels(path: Path, *, max_pixels: int = MAX_PIXELS) -> Pixels:
    """The pixels of a picture file, turned as EXIF says."""
    return PictureFile(path, max_pixels=max_pixels).pixels()


class PictureFile:
    """A picture file whose header has been read; decoding it may be left to another thread.

    `size` is the width and height of the picture as it is stored,
    `upright_size` as people see it; `is_turned` tells whether EXIF makes a
    difference. What is no picture, or too large to be decoded, is an error.
    """

    def __init__(self, path: Path, *, max_pixels: int = MAX_PIXELS) -> None:
        self.path = path
        try:
            self._picture = open_header(path)
        except BadInput as error:
            raise bad_picture(path, error.problem, error.remedy) from error
        except FAULTS as error:
            raise _unreadable(path, error) from error
        self.size = self._picture.size
        width, height = self.size
        if width * height > max_pixels:
            self._picture.close()
            problem = f"measures {width:,} by {height:,}, more than {max_pixels:,} pixels"
            raise bad_picture(path, problem, "make it smaller")
        self._orientation = orientation(self._picture)
        self.is_turned = self._orientation in TURNS
        self.upright_size = (height, width) if self._orientation >= 5 else (width, height)

    def close(self) -> None:
        """Give the file back without decoding it."""
        self._picture.close()

    def pixels(self, *, as_stored: bool = False) -> Pixels:
        """The picture, upright unless it is wanted as stored; the file is closed."""
        try:
            with self._picture as picture:
                check_scans(picture)
                picture.load()
                colours = _in_colours(picture)
        except (*FAULTS, MemoryError) as error:
            raise _undecodable(self.path, error) from error
        if self.is_turned and not as_stored:
            colours = colours.transpose(TURNS[self._orientation])
        return np.asarray(colours, dtype=np.uint8)


def _in_colours(picture: Picture.Image) -> Picture.Image:
    """The picture in red, green and blue of 8 bits each."""
    if picture.mode == "F":
        raise ValueError("its colours are fractions of an unknown range")
    if not picture.has_transparency_data:
        return eight_bits(picture).convert("RGB")
    layer = _layer(picture)
    return Picture.alpha_composite(Picture.new("RGBA", layer.size, "white"), layer).convert("RGB")


def _layer(picture: Picture.Image) -> Picture.Image:
    """The picture in red, green, blue and opacity of 8 bits each."""
    if not picture.mode.startswith("I"):
        return picture.convert("RGBA")
    # The one transparent grey is of 16 bits too, so it is looked for before the lower ones go.
    opacity = np.where(np.asarray(picture) == picture.info["transparency"], 0, 255).astype(np.uint8)
    del picture.info["transparency"]
    layer = eight_bits(picture).convert("RGBA")
    layer.putalpha(Picture.fromarray(opacity))
    return layer


def bad_picture(path: Path, problem: str, remedy: str) -> BadInput:
    """The error for a picture that cannot be used."""
    return BadInput(str(path), problem, remedy, code="unusable-picture", advice=remedy)


def _unreadable(path: Path, error: BaseException) -> BadInput:
    if isinstance(error, OSError) and not isinstance(error, UnidentifiedImageError) and error.errno is not None:
        return bad_picture(path, f"cannot be read ({os_problem(error)})", os_remedy(error))
    if isinstance(error, Picture.DecompressionBombError | Picture.DecompressionBombWarning):
        return bad_picture(path, f"is too large ({one_line(str(error), 100)})", "make it smaller")
    with open_file(path) as handle:
        start = handle.read(64)
    if start[4:8] == b"ftyp":
        kind = "AVIF" if start[8:11] == b"avi" else "HEIC" if start[8:10] in (b"he", b"mi", b"ms") else "video"
        return bad_picture(path, f"is {kind}, which is not read here", "convert it to JPEG or PNG")
    if not start:
        return bad_picture(path, "the file is empty", "remove it")
    problem = "is text, not a picture" if _is_text(start) else "is not a picture of a known kind"
    return bad_picture(path, problem, "convert it to JPEG or PNG, or remove it")


def _is_text(start: bytes) -> bool:
    # Text of several bytes a letter may be cut within one.
    return all(byte >= 32 or byte in b"\t\r\n\f" for byte in start) and bool(start.decode("utf-8", "ignore"))


def _undecodable(path: Path, error: BaseException) -> BadInput:
    if isinstance(error, MemoryError):
        return bad_picture(path, "does not fit in memory", "make it smaller")
    if isinstance(error, Picture.DecompressionBombError):
        return bad_picture(path, f"is too large ({error})", "save it anew with fewer scans, or make it smaller")
    return bad_picture(path, f"cannot be decoded ({one_line(str(error), 120)})", "is the file complete? repair it")
