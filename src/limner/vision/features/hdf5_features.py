"""Features in HDF5 files: datasets of all images, or for each image a dataset or a group, whose name is the id.

`foreign_layouts` has the layouts. Only one image's rows are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from limner.errors import BadInput, one_line, shown
from limner.files import check_file
from limner.vision.features.foreign_image import ForeignImage
from limner.vision.features.foreign_layouts import (
    FEATURES,
    IDS,
    KNOWN,
    FileArray,
    Selection,
    image_in,
    images_in,
    named,
)

# Bytes that are read at a time: more than 30,000 regions of 2,048 numbers.
MAX_BYTES = 1 << 28


def read_hdf5(path: Path) -> Iterator[ForeignImage]:
    """The images of an HDF5 file, one at a time."""
    check_file(path)
    try:
        with h5py.File(path, "r") as file:
            arrays = _arrays(file, path)
            ids = named(arrays, IDS)
            if ids is not None and len(ids.shape) == 1:
                yield from images_in(arrays, ids, str(path))
            else:
                yield from _by_name(file, path)
    except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
        raise BadInput(str(path), f"is not a sound HDF5 file ({one_line(str(error), 200)})", "make it anew") from error


def _by_name(file: h5py.Group, path: Path) -> Iterator[ForeignImage]:
    """Images whose names are those of datasets or groups."""
    for name in file:
        item = _member(file, name, path)
        arrays = _arrays(item, path) if isinstance(item, h5py.Group) else {FEATURES[0]: _array(item, name, path)}
        yield image_in(arrays, name, f"{path}: {name}")


def _arrays(group: h5py.Group, path: Path) -> dict[str, FileArray]:
    """The datasets of a group whose names are known."""
    # To ask whether a name is in a group would follow a link.
    items = {name: _member(group, name, path) for name in KNOWN if group.id.links.exists(name.encode())}
    return {name: _array(item, name, path) for name, item in items.items() if isinstance(item, h5py.Dataset)}


def _member(group: h5py.Group, name: str, path: Path) -> Any:
    """A member of a group itself; links can lead to another file, also by way of each other."""
    if group.id.links.get_info(name.encode()).type != h5py.h5l.TYPE_HARD:
        problem = f"{shown(name)} is a link, which leads to another file or name"
        raise BadInput(str(path), problem, "store the data itself")
    return group[name]


def _array(dataset: Any, name: str, path: Path) -> FileArray:
    if not isinstance(dataset, h5py.Dataset) or dataset.shape is None:
        raise BadInput(str(path), f"{shown(name)} has no numbers", "store features in datasets")
    if dataset.external or dataset.is_virtual:
        raise BadInput(str(path), f"{shown(name)} leads to another file", "put everything into one file")
    return FileArray(dataset.shape, dataset.dtype, partial(_read, dataset, f"{path}: {name}"))


def _read(dataset: h5py.Dataset, location: str, selection: Selection) -> NDArray[Any]:
    """What is selected of a dataset; never more than the features of one image may have."""
    n_rest = prod(dataset.shape[1:])
    if isinstance(selection, slice):
        n_items = (selection.stop - selection.start) * n_rest
    else:
        n_items = n_rest if isinstance(selection, int) else prod(dataset.shape)
    # A chunk is unpacked whole.
    if max(n_items, prod(dataset.chunks or (0,))) * dataset.dtype.itemsize > MAX_BYTES:
        raise BadInput(location, f"the dataset is too large: {dataset.shape} of {dataset.dtype}", "split it")
    return np.asarray(dataset[selection])
