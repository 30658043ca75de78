"""The pictures of a corpus' images: found, decoded, and brought together with the size that the corpus gives."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from limner.arrays import Singles
from limner.corpus.geometry import corners
from limner.corpus.image import Image
from limner.corpus.picture_files import COPY_FILES, UPRIGHT, find_picture, lies_upright
from limner.errors import BadInput, shown
from limner.vision.pictures import MAX_PIXELS, PictureFile, bad_picture
from limner.vision.protocols import Pixels

Size = tuple[int, int]


class ImagePixels(NamedTuple):
    """An image with its picture. `image` has a size; `scale` is how many pixels one of its units is, across and down.

    Both are 1 unless the corpus was annotated on pictures of another size.
    """

    image: Image
    pixels: Pixels
    scale: tuple[float, float] = (1.0, 1.0)

    def corners(self) -> Singles:
        """The corners of the image's boxes in pixels of the picture, `[boxes, 4]`."""
        return (corners(self.image.boxes) * (*self.scale, *self.scale)).astype(np.float32)


class ImageFile:
    """The picture file of an image whose header has been read; `read` decodes it, in any thread."""

    def __init__(self, image: Image, folder: Path, *, max_pixels: int = MAX_PIXELS) -> None:
        path, link = find_picture(folder, image)
        if path is None:
            raise _missing(image, folder, link)
        self._file = PictureFile(path, max_pixels=max_pixels)
        self._is_upright = lies_upright(image, self._file.size)
        size = self._file.upright_size if self._is_upright else self._file.size
        try:
            self.image = _sized(image, size, path)
        except BadInput:
            self._file.close()
            raise
        if self._file.is_turned and self._is_upright:
            # Whoever shows the boxes must turn the picture too, which its size alone does not always tell.
            self.image = replace(self.image, attributes={**self.image.attributes, **UPRIGHT})
        width, height = self.image.width or size[0], self.image.height or size[1]
        self._scale = size[0] / width, size[1] / height

    @property
    def n_pixels(self) -> int:
        """How many pixels the picture has."""
        return self._file.size[0] * self._file.size[1]

    def read(self) -> ImagePixels:
        return ImagePixels(self.image, self._file.pixels(as_stored=not self._is_upright), self._scale)

    def close(self) -> None:
        """Give the file back without decoding it."""
        self._file.close()


def read_image(image: Image, folder: Path, *, max_pixels: int = MAX_PIXELS) -> ImagePixels:
    """The image with its picture, which is looked for in the folder.

    A picture of another size than the image's is accepted if its proportions
    are the same; boxes are then scaled by `ImagePixels.scale`.
    """
    return ImageFile(image, folder, max_pixels=max_pixels).read()


def is_same_shape(size: Size, other: Size) -> bool:
    """Whether two sizes have the same proportions, up to the rounding of either to whole pixels."""
    (width, height), (other_width, other_height) = size, other
    return abs(width * other_height - height * other_width) <= max(width + height, other_width + other_height)


def _sized(image: Image, size: Size, path: Path) -> Image:
    if not image.file:
        image = replace(image, file=path.name)
    if image.width is None or image.height is None:
        try:
            return replace(image, width=size[0], height=size[1])
        except ValueError as error:
            raise bad_picture(path, str(error), "correct the boxes") from error
    if not is_same_shape(size, (image.width, image.height)):
        problem = f"measures {size[0]} by {size[1]}, but image {shown(image.id)} is {image.width} by {image.height}"
        raise bad_picture(path, problem, "give the pictures that were annotated")
    return image


def _missing(image: Image, folder: Path, link: Path | None) -> BadInput:
    if link is not None:
        return bad_picture(link, f"is not read as the picture of image {shown(image.id)}", COPY_FILES)
    problem = f"there is no picture of image {shown(image.id)}"
    return BadInput(str(folder), problem, "name the folder of the pictures", code="no-picture")
