"""The pictures of a page: found in a folder, made small, embedded or linked."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import quote

from PIL import Image as Picture
from PIL import ImageOps

from limner.corpus.image import Image
from limner.corpus.picture_files import (
    COPY_FILES,
    FAULTS,
    check_scans,
    eight_bits,
    find_picture,
    lies_upright,
    open_picture,
    orientation,
)
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.look.document import kept_picture

# Pixels of the longer side of an embedded picture: sharp at the width the page gives it.
LONGEST_SIDE = 640

# The quality of embedded pictures: about 33 kB each at 500 by 375 pixels.
QUALITY = {"JPEG": 75, "WEBP": 70}

# How far a picture's proportions may differ from the corpus' before its boxes cannot be trusted.
SHAPE_TOLERANCE = 0.03


class Shown(NamedTuple):
    """A picture for the page: its size in pixels as people see it, and its bytes and their type or its address."""

    width: int
    height: int
    data: bytes = b""
    mime: str = ""
    link: str = ""


class Pictures:
    """The pictures in a folder, as the page at `page` shows them.

    Linked, they stay where they are and the page refers to them by a path
    relative to its own folder; otherwise each is made small enough to embed.
    """

    def __init__(self, folder: Path, page: Path, *, link: bool = False, longest_side: int = LONGEST_SIDE) -> None:
        self.folder = folder
        self.link = link
        self._page = page
        self._longest_side = longest_side

    def show(self, image: Image, reading: Reading) -> Shown | None:
        """The image's picture; None if there is none, or if it cannot be read and `reading` is lenient."""
        path, link = find_picture(self.folder, image)
        if link is not None:
            reading.warn(f"picture that is not shown; {COPY_FILES}", str(link))
        if path is None:
            return None
        try:
            with open_picture(path) as picture:
                return self._linked(path, picture) if self.link else self._embedded(image, picture)
        except (BadInput, *FAULTS) as error:
            problem = f"cannot be shown as a picture ({error})"
            remedy = "repair or remove the file, or be lenient to do without"
            reading.skip("picture that cannot be read", BadInput(str(path), problem, remedy, code="bad-picture"))
            return None

    def embed(self, image: Image, number: int, reading: Reading, embedded: IO[bytes]) -> Shown | None:
        """The image's picture as `show` returns it; if it is not linked, its bytes go to `embedded` by their number."""
        picture = self.show(image, reading)
        if picture is None:
            return None
        if not fits(image, picture):
            reading.warn("picture whose shape is not the corpus'", f"image {image.id}")
        if picture.data:
            embedded.write(kept_picture(number, picture.data, picture.mime))
        return picture

    def _linked(self, path: Path, picture: Picture.Image) -> Shown:
        width, height = picture.size
        if orientation(picture) >= 5:
            width, height = height, width
        near = os.path.relpath(path.resolve(), self._page.resolve().parent)
        return Shown(width, height, link="./" + quote(Path(near).as_posix()))

    def _embedded(self, image: Image, picture: Picture.Image) -> Shown:
        check_scans(picture)
        side = self._longest_side
        # Large photographs are decoded at a fraction of their size; twice the target keeps them sharp.
        size, photograph = picture.size, picture.format == "JPEG"
        picture.draft("RGB", (2 * side, 2 * side))
        if lies_upright(image, size) and (turn := orientation(picture)) > 1:
            if turn >= 5:
                size = size[1], size[0]
            picture = ImageOps.exif_transpose(picture)
        # Photographs stay JPEG, which is four times faster to make; drawings and transparent pictures suit WebP.
        kind = "JPEG" if photograph else "WEBP"
        picture = eight_bits(picture)
        picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
        picture.thumbnail((side, side), reducing_gap=2.0)
        small = io.BytesIO()
        picture.save(small, kind, quality=QUALITY[kind], optimize=True, method=2)
        return Shown(*size, small.getvalue(), f"image/{kind.lower()}")


def fits(image: Image, picture: Shown) -> bool:
    """Whether the picture has the proportions that the corpus gives."""
    if image.width is None or image.height is None:
        return True
    return abs(picture.width * image.height / (picture.height * image.width) - 1) <= SHAPE_TOLERANCE
