"""The picture files of images: found in a folder, and opened without trusting them."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from PIL import Image as Picture
from PIL import ImageFile

from limner.corpus.image import Image
from limner.errors import BadInput
from limner.files import check_file

# What photographs come in: the fewer parsers see a file, the fewer have to be trusted.
KINDS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "PPM")
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")

# What the library raises on files that are not pictures, are cut short, or are too large.
FAULTS = (OSError, SyntaxError, ValueError, Picture.DecompressionBombError, Warning)

# Pixels that the scans of a JPEG file may paint: 30 scans of the largest picture, which take some seconds, or more of
# smaller ones. Cameras make one scan, progressive files some ten.
MAX_SCANNED = 2_670_000_000

# Bytes of a file that are searched at a time.
BLOCK = 1 << 16


class FoundPicture(NamedTuple):
    """An image's file or, where there is none, the link that would be it but leads out of the folder."""

    file: Path | None = None
    link_out: Path | None = None


def find_picture(folder: Path, image: Image) -> FoundPicture:
    """The image's file: by its path, by the name in that path, or by the image's id.

    Only within the folder: a corpus has no business with other files.
    """
    link = None
    for name in _names(image):
        # As text: many corpora come without pictures, and to make a path of each name takes longer than to look for it.
        if not os.path.isfile(os.path.join(folder, name)):
            continue
        path = folder / name
        if is_file_within(path, folder):
            return FoundPicture(path)
        if link is None and is_link_out(path, folder):
            link = path
    return FoundPicture(link_out=link)


def _names(image: Image) -> Iterator[str]:
    """The names that the image's file may have within the folder."""
    names = dict.fromkeys((image.file, Path(image.file).name))
    yield from filter(is_inside, names)
    # An id that is a path could lead out of the folder.
    if Path(image.id).name == image.id:
        yield from (image.id + suffix for suffix in SUFFIXES)


def is_inside(name: str) -> bool:
    """Whether a file's name, as a corpus gives it, stays within the corpus' folder."""
    path = Path(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts


def is_file_within(path: Path, folder: Path) -> bool:
    """Whether there is such a file, and no link leads out of the folder to it; also for names that no file can have."""
    try:
        return path.is_file() and _is_within(path, folder)
    except (OSError, ValueError, RuntimeError):
        return False


def is_link_out(path: Path, folder: Path) -> bool:
    """Whether there is such a file, but a link leads out of the folder to it, as in the cache of Hugging Face's hub."""
    try:
        return path.is_file() and not _is_within(path, folder)
    except (OSError, ValueError, RuntimeError):
        return False


def _is_within(path: Path, folder: Path) -> bool:
    # Resolving takes seven times as long, and most files lie in the folder itself and are not links.
    if path.parent == folder and not path.is_symlink():
        return True
    return path.resolve().is_relative_to(folder.resolve())


# What to do about such a link.
COPY_FILES = "links out of the folder are not followed: copy the files themselves into it, as `cp -RL` does"


def picture_size(path: Path) -> tuple[int, int]:
    """Width and height of a picture's pixels as they are stored; only the beginning of the file is read."""
    try:
        with warnings.catch_warnings():
            # A large picture is no danger here: it is never decoded.
            warnings.simplefilter("ignore", Picture.DecompressionBombWarning)
            with _open(path) as picture:
                return picture.size
    except FAULTS as error:
        raise BadInput(str(path), f"is not a picture ({error})", "is the file complete?") from error


@contextmanager
def open_picture(path: Path) -> Iterator[Picture.Image]:
    """The picture, its header read; what the library only warns of (a size that bombs have) is an error here."""
    with _strict_warnings(), _open(path, KINDS) as picture:
        yield picture


def open_header(path: Path) -> Picture.Image:
    """The picture, its header read as `open_picture` does, for whoever decodes and closes it elsewhere."""
    with _strict_warnings():
        return _open(path, KINDS)


def _open(path: Path, kinds: tuple[str, ...] | None = None) -> Picture.Image:
    check_file(path)
    return Picture.open(path, formats=kinds)


def check_scans(picture: Picture.Image) -> None:
    """Raise an error for a JPEG file with so many scans that decoding would take minutes; call it before decoding.

    A scan takes a few bytes, and libjpeg goes through the whole picture for each.
    """
    # Photographs of several pictures, such as those for two eyes, are JPEG too.
    if not isinstance(picture, ImageFile.ImageFile) or picture.format not in ("JPEG", "MPO") or picture.fp is None:
        return
    width, height = picture.size
    most = MAX_SCANNED // (width * height)
    start = picture.fp.tell()
    picture.fp.seek(0)
    has_too_many = any(number > most for number, _ in enumerate(_scans(picture.fp), 1))
    picture.fp.seek(start)
    if has_too_many:
        raise Picture.DecompressionBombError(f"more than {most:,} scans of {width:,} by {height:,} pixels")


def _scans(handle: IO[bytes]) -> Iterator[None]:
    """Each scan of a JPEG file, without those of pictures within or behind it, such as thumbnails."""
    while True:
        block = handle.read(BLOCK)
        at = 0
        while match := _MARKER.search(block, at):
            if match[1] == END:
                return
            if match[1] == SCAN:
                yield
            at = match.start(2) + int.from_bytes(match[2])
        if len(block) < BLOCK:
            return
        # A marker may be cut by the end of the block.
        handle.seek(max(at, BLOCK - 3) - BLOCK, os.SEEK_CUR)


# A segment's marker and length, or the end of the picture. Others (fill, restart, escaped data) have no length.
_MARKER = re.compile(rb"\xff([\x02-\xcf\xd9-\xfe])((?<=\xd9)|..)", re.DOTALL)
SCAN, END = b"\xda", b"\xd9"


@contextmanager
def _strict_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # A size that only bombs have must not be decoded; other warnings are about odd metadata.
        warnings.simplefilter("error", Picture.DecompressionBombWarning)
        yield


def orientation(picture: Picture.Image) -> int:
    """How the camera was held, 1 to 8 as EXIF numbers it: 1 is upright, and from 5 on width and height are swapped.

    Also 1 for TIFF, which the library turns by itself, and for PNG that tells only after its pixels.
    """
    if picture.format == "TIFF" or (picture.format == "PNG" and "exif" not in picture.info):
        return 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            number: Any = picture.getexif().get(TURNED)
        except FAULTS:
            return 1
    return int(number) if number in range(2, 9) else 1


def eight_bits(picture: Picture.Image) -> Picture.Image:
    """The picture with 8 bits a colour: of greys of 16 the upper ones, which is what a screen shows."""
    if not picture.mode.startswith("I"):
        return picture
    return picture.convert("I").point(lambda grey: grey * (1 / 256)).convert("L")


def lies_upright(image: Image, stored: tuple[int, int]) -> bool:
    """Whether an image's boxes lie on its picture as EXIF turns it, and not as it is stored, in this size.

    The corpus' size tells, or the attribute that `UPRIGHT` is.
    """
    return (image.width, image.height) != stored or UPRIGHT.items() <= image.attributes.items()


# The EXIF tag for the orientation of the camera.
TURNED = 0x0112

# The attribute of images whose size does not tell that their boxes lie on the upright picture.
UPRIGHT = {"orientation": "upright"}
