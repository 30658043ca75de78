"""The picture files of images: found in a folder, and opened without trusting them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image as Picture

from limner.corpus.image import Image

KINDS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "PPM")
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")

FAULTS = (OSError, SyntaxError, ValueError, Picture.DecompressionBombError, Warning)
"""What the library raises on files that are no pictures, are cut short, or are too large to be ones."""


def find_picture(folder: Path, image: Image) -> Path | None:
    """The image's file: by its path, by the name in that path, or by the image's id.

    Only within the folder: a corpus has no business with other files.
    """
    named = Path(image.file)
    names = [named.name, *(image.id + suffix for suffix in SUFFIXES if Path(image.id).name == image.id)]
    if not named.is_absolute() and ".." not in named.parts:
        names.insert(0, image.file)
    return next((folder / name for name in names if name and _is_file(folder / name)), None)


@contextmanager
def open_picture(path: Path) -> Iterator[Picture.Image]:
    """The picture, its header read; what the library only warns of (a size that bombs have) is an error here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", Picture.DecompressionBombWarning)
        with Picture.open(path, formats=KINDS) as picture:
            yield picture


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # A name longer than file systems allow, or a folder that may not be entered.
        return False
