"""Features that others computed, brought into a store: from npz, HDF5, and the TSV files of bottom-up attention."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import file_digest, sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from limner.arrays import Singles
from limner.corpus.corpus import Corpus
from limner.corpus.image import Image
from limner.errors import BadInput, shown
from limner.files import open_file
from limner.lazy import lazy
from limner.progress import Progress, silent
from limner.vision.features.bottom_up_tsv import read_bottom_up
from limner.vision.features.feature_run import FeatureRun
from limner.vision.features.foreign_image import ForeignImage, files_of
from limner.vision.features.npz_features import read_npz
from limner.vision.features.store_files import DType
from limner.vision.features.store_writer import difference, write_store

if TYPE_CHECKING:
    from limner.vision.features import hdf5_features
else:
    hdf5_features = lazy("limner.vision.features.hdf5_features")

# Readers by the suffix of their files; of compressed ones by that before it.
_READERS: Mapping[str, tuple[str, Callable[[Path], Iterator[ForeignImage]]]] = {
    ".tsv": ("bottom-up", read_bottom_up),
    ".npz": ("npz", read_npz),
    ".h5": ("hdf5", lambda path: hdf5_features.read_hdf5(path)),
    ".hdf5": ("hdf5", lambda path: hdf5_features.read_hdf5(path)),
}


def is_feature_file(path: Path) -> bool:
    """Whether a path is a file of features, or a folder of npz files, and not a corpus or a folder of pictures."""
    return _suffix(path) is not None and path.exists()


def read_features(path: Path) -> Iterator[ForeignImage]:
    """The images of a file that others made, one at a time; a folder is one of npz files."""
    suffix = _suffix(path)
    if suffix is None:
        raise BadInput(str(path), "is not a file of features", f"give one of {', '.join(_READERS)}")
    return _READERS[suffix][1](path)


def import_features(
    path: Path,
    out: Path,
    *,
    corpus: Corpus | None = None,
    dtype: DType = "float16",
    resume: bool = False,
    progress: Progress = silent,
) -> FeatureRun:
    """Write the features of a file to the store `out`, with the boxes that the file brings.

    A file without boxes needs a corpus that has as many for each image as the
    file has rows. The signature of the store has the hash of the file.
    """
    images = read_features(path)
    head = _until_first_rows(images, path)
    n_dims, has_boxes = head[-1].rows.shape[1], head[-1].has_boxes
    image_by_id = None if has_boxes or corpus is None else corpus.index()
    run = FeatureRun()
    boxes = "file" if has_boxes else "corpus"
    with write_store(out, _signature(path), n_dims, dtype=dtype, boxes=boxes, resume=resume) as writer:
        written = writer.written()
        for number, foreign in enumerate(chain(head, images), 1):
            if foreign.has_boxes != has_boxes and len(foreign.rows):
                what = "boxes" if foreign.has_boxes else "no boxes"
                problem = f"image {shown(foreign.image.id)} has {what}, unlike others"
                raise BadInput(str(path), problem, "give boxes for all images, or for none")
            image = foreign.image if has_boxes else _with_boxes(foreign, image_by_id, path)
            _, stored = next(written, (None, None))
            if stored is None:
                writer.append(image, _rows(foreign, n_dims, path))
            else:
                _check_stored(stored, image, out)
                run.n_before += 1
            progress("images", number, None)
    run.n_images, run.n_rows = writer.n_images, writer.n_rows
    return run


def _check_stored(stored: Image, image: Image, out: Path) -> None:
    if words := difference(stored, image):
        problem = f"image {shown(stored.id)} had {words} when the store was begun"
        raise BadInput(str(out), problem, "resume with the same file and corpus, or name another folder")


def _until_first_rows(images: Iterator[ForeignImage], path: Path) -> list[ForeignImage]:
    """The first images, up to one with rows: only that tells how many numbers a feature has."""
    head = []
    for image in images:
        head.append(image)
        if len(image.rows):
            return head
    raise BadInput(str(path), "there are no features", "is the file complete?")


def _rows(foreign: ForeignImage, n_dims: int, path: Path) -> Singles:
    if not len(foreign.rows):
        return np.zeros((0, n_dims), dtype=np.float32)
    if foreign.rows.shape[1] != n_dims:
        problem = f"features of image {shown(foreign.image.id)} have {foreign.rows.shape[1]:,} numbers, not {n_dims:,}"
        raise BadInput(str(path), problem, "make the file anew")
    return foreign.rows


def _with_boxes(foreign: ForeignImage, image_by_id: Mapping[str, Image] | None, path: Path) -> Image:
    """The image with the boxes that a corpus has of it."""
    id, n_rows = foreign.image.id, len(foreign.rows)
    if image_by_id is None:
        raise BadInput(str(path), "the file has no boxes", "give a corpus that has them", code="no-foreign-boxes")
    known = image_by_id.get(id)
    if known is None:
        raise BadInput(str(path), f"the corpus has no image {shown(id)}", "give the corpus of these images")
    if len(known.boxes) != n_rows:
        problem = f"image {shown(id)} has {len(known.boxes):,} boxes, but {n_rows:,} rows of features"
        raise BadInput(str(path), problem, "give the corpus that the features were made of")
    return known


def _suffix(path: Path) -> str | None:
    if path.is_dir():
        return ".npz" if next(path.glob("*.npz"), None) else None
    suffixes = [suffix for suffix in path.suffixes[-2:] if suffix not in (".gz", ".zst")]
    return suffixes[-1] if suffixes and suffixes[-1] in _READERS else None


def _signature(path: Path) -> str:
    """What the features of a file are known by: the hash of the file, or of all npz files of a folder."""
    digest = sha256()
    for file in files_of(path, ".npz"):
        with open_file(file) as handle:
            of_file = file_digest(handle, "sha256").hexdigest()
        digest.update(f"{file.name if path.is_dir() else ''} {of_file}\n".encode())
    return f"features:file|kind:{_READERS[_suffix(path) or ''][0]}|sha256:{digest.hexdigest()}|version:1"
