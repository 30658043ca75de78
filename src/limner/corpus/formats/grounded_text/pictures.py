"""The size of a picture that lies beside a file of outputs."""

from __future__ import annotations

import warnings
from pathlib import Path

from limner.errors import BadInput, shown


def picture_size(outputs: Path, file_name: str, place: str) -> tuple[int, int]:
    """Width and height of the picture that a line names; only its header is read."""
    remedy = 'give "width" and "height", or a "file_name" that is beside the file of outputs'
    if not file_name:
        raise BadInput(place, "the image's size is not given", remedy)
    path = outputs.parent / file_name
    if not path.is_file():
        raise BadInput(place, f"the image's size is not given and there is no picture {shown(file_name)}", remedy)
    from PIL import Image

    try:
        with warnings.catch_warnings():
            # A large picture is no danger: nothing of it is decoded.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as picture:
                width, height = picture.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise BadInput(place, f"the picture {shown(file_name)} cannot be read", remedy) from error
    if width < 1 or height < 1:
        raise BadInput(place, f"the picture {shown(file_name)} measures {width} by {height}", remedy)
    return width, height
