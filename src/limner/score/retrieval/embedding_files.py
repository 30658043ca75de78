"""Vectors that any dual encoder made, with ids, from npz and safetensors files: nothing in them is run.

Arrays are known by several names (`NAMES`). Ids of images, of the images that
texts are of, and of texts are arrays of text or of whole numbers; in
safetensors, which have no text, they may be lists in JSON among the metadata.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Singles
from limner.errors import BadInput, cannot, one_line, shown
from limner.files import ZIP_FAULTS, open_file
from limner.learn.array_files import read_npy
from limner.score.retrieval.retrieval_system import RetrievalSystem, embedded_system
from limner.zip_files import open_zip, read_member

SUFFIXES = (".npz", ".safetensors")

# The names that arrays may have, by what they are.
NAMES: Mapping[str, Sequence[str]] = {
    "image vectors": ("image_vectors", "image_embeddings", "image_embeds", "image_features", "images"),
    "text vectors": ("text_vectors", "text_embeddings", "text_embeds", "text_features", "caption_vectors", "texts"),
    "image ids": ("image_ids",),
    "ids of the texts' images": ("text_image_ids", "caption_image_ids"),
    "text ids": ("text_ids", "caption_ids"),
}
KNOWN = frozenset(name for names in NAMES.values() for name in names)

# Bytes of all arrays that are read, and of the head of a safetensors file.
MAX_BYTES = 16 << 30
MAX_HEAD = 100 << 20

# Bytes from which on an array must not be packed better than so many times: vectors hardly can be.
LARGE = 256 << 20
MOST_PACKED = 20

# The types of safetensors, by their names there; bfloat16 is the upper half of a float.
TENSOR_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2"}


def open_embeddings(path: str | Path, *, captions_each: int | None = None) -> RetrievalSystem:
    """The vectors in a file as a system to score; `captions_each` says how many texts each image has, in its order.

    Without that number the file must say which image each text is of; with it, it must not.
    """
    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise BadInput(str(path), "is not a file of vectors", f"give {' or '.join(SUFFIXES)}")
    try:
        arrays = _npz(path) if path.suffix == ".npz" else _safetensors(path)
    except OSError as error:
        raise cannot("read", path, error) from error
    images, texts = (_vectors(arrays, what, path) for what in ("image vectors", "text vectors"))
    if images.shape[1] != texts.shape[1]:
        problem = f"vectors of images have {images.shape[1]:,} numbers, those of texts {texts.shape[1]:,}"
        raise BadInput(str(path), problem, "give vectors of one space")
    image_ids = _ids(arrays, "image ids", len(images), path)
    text_images = _ids(arrays, "ids of the texts' images", len(texts), path)
    if captions_each is not None:
        if text_images is not None:
            problem = "the file says which image each text is of"
            raise BadInput(str(path), problem, "leave the number of texts for each image out", code="has-embedding-ids")
        if len(texts) != captions_each * len(images):
            problem = f"there are {len(texts):,} texts for {len(images):,} images"
            raise BadInput(str(path), problem, f"{captions_each} for each would be {captions_each * len(images):,}")
        image_ids = image_ids or [str(number) for number in range(len(images))]
        text_images = [id for id in image_ids for _ in range(captions_each)]
    if image_ids is None or text_images is None:
        problem = f"there are no {'image ids' if image_ids is None else 'ids of the texts’ images'}"
        remedy = "add the arrays image_ids and text_image_ids"
        raise BadInput(str(path), problem, remedy, code="no-embedding-ids")
    text_ids = _ids(arrays, "text ids", len(texts), path)
    signature = f"vectors:{images.shape[1]}-{_digest(images, texts)}"
    return embedded_system(str(path), image_ids, images, text_images, texts, text_ids, signature)


def _digest(*tables: Singles) -> str:
    """The beginning of the hash of all numbers, however the file holds them."""
    digest = blake2b(digest_size=6)
    for rows in tables:
        digest.update(f"{rows.shape}".encode())
        digest.update(np.ascontiguousarray(rows).data)
    return digest.hexdigest()


def _vectors(arrays: Mapping[str, Any], what: str, path: Path) -> Singles:
    values = _named(arrays, what, path)
    if values is None:
        raise BadInput(str(path), f"there are no {what}", f"name an array {NAMES[what][0]}")
    rows = np.asarray(values)
    if rows.ndim != 2 or not rows.size or rows.dtype.kind != "f":
        problem = f"the {what} are {rows.dtype} of shape {rows.shape}"
        raise BadInput(str(path), problem, "give a row of floats for each")
    singles = rows.astype(np.float32)
    if not np.isfinite(singles).all():
        raise BadInput(str(path), f"the {what} have numbers that are not finite", "check the encoder")
    return singles


def _ids(arrays: Mapping[str, Any], what: str, n: int, path: Path) -> list[str] | None:
    values = _named(arrays, what, path)
    if values is None:
        return None
    if isinstance(values, list):
        if len(values) != n:
            raise BadInput(str(path), f"there are {len(values):,} {what}", f"give one for each of the {n:,} vectors")
        return values
    ids = np.asarray(values)
    if ids.shape != (n,) or ids.dtype.kind not in "iuU":
        problem = f"the {what} are {ids.dtype} of shape {ids.shape}"
        raise BadInput(str(path), problem, f"give one for each of the {n:,} vectors, as text or whole numbers")
    return [str(id) for id in ids.tolist()]


def _named(arrays: Mapping[str, Any], what: str, path: Path) -> Any:
    names = [name for name in NAMES[what] if name in arrays]
    if len(names) > 1:
        raise BadInput(str(path), f"{' and '.join(names)} are both {what}", "leave one of them out")
    return arrays[names[0]] if names else None


def _npz(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of an npz file that have known names."""
    try:
        with open_zip(path) as archive:
            named = [(info.filename.removesuffix(".npy"), info) for info in archive.infolist()]
            known = {name: info for name, info in named if name in KNOWN}
            if len(known) < sum(name in KNOWN for name, _ in named):
                raise BadInput(str(path), "an array is there twice", "make it anew")
            _check_size(sum(info.file_size for info in known.values()), path)
            _check_packing(known.values(), path)
            return {
                name: read_npy(read_member(archive, info, f"{path}: {name}"), f"{path}: {name}")
                for name, info in known.items()
            }
    except (FileNotFoundError, PermissionError, IsADirectoryError, BadInput):
        raise
    except ZIP_FAULTS as error:
        raise BadInput(str(path), f"is not a sound npz file ({one_line(str(error), 200)})", "make it anew") from error


def _safetensors(path: Path) -> dict[str, Any]:
    """The arrays of a safetensors file that have known names, and the lists among its metadata."""
    with open_file(path) as handle:
        size = os.fstat(handle.fileno()).st_size
        n_head = int.from_bytes(handle.read(8), "little")
        if not 2 <= n_head <= min(MAX_HEAD, size - 8):
            raise _not_sound(path, "its head is cut short")
        try:
            head = json.loads(handle.read(n_head), object_pairs_hook=_once_each)
            metadata = head.pop("__metadata__", None) or {}
            lists = {name: json.loads(text) for name, text in metadata.items() if name in KNOWN}
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise _not_sound(path, one_line(str(error), 100)) from error
    arrays: dict[str, Any] = {name: _list_of_ids(values, name, path) for name, values in lists.items()}
    known = {name: entry for name, entry in head.items() if name in KNOWN}
    _check_size(size if known else 0, path)
    if twice := arrays.keys() & known.keys():
        raise _not_sound(path, f"{shown(min(twice))} is there twice")
    layouts = {name: _layout(entry, name, path, size - 8 - n_head) for name, entry in known.items()}
    spans = sorted((layout.begin, layout.end) for layout in layouts.values())
    # Few bytes could otherwise be read as many arrays.
    if any(begin < end for (_, end), (begin, _) in pairwise(spans)):
        raise _not_sound(path, "arrays share their bytes")
    return {**arrays, **{name: _tensor(layout, path, 8 + n_head) for name, layout in layouts.items()}}


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The names of a JSON object with their values, none of which is there twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a name is there twice")
    return values


class _Layout(NamedTuple):
    """Where the numbers of a tensor are among the data of its file, and what they are."""

    begin: int
    end: int
    shape: tuple[int, ...]
    kind: str


def _layout(entry: Any, name: str, path: Path, n_bytes: int) -> _Layout:
    try:
        kind = entry["dtype"]
        shape = tuple(int(n) for n in entry["shape"])
        begin, end = (int(offset) for offset in entry["data_offsets"])
        n_needed = prod(shape) * np.dtype(TENSOR_TYPES[kind]).itemsize
        if min(shape, default=0) < 0 or not 0 <= begin <= end <= n_bytes or end - begin != n_needed:
            raise ValueError("its size is not that of its numbers")
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise _not_sound(path, f"{shown(name)}: {one_line(str(error), 100)}") from error
    return _Layout(begin, end, shape, kind)


def _tensor(layout: _Layout, path: Path, start: int) -> NDArray[Any]:
    with open_file(path) as handle:
        handle.seek(start + layout.begin)
        raw = handle.read(layout.end - layout.begin)
    values = np.frombuffer(raw, dtype=TENSOR_TYPES[layout.kind]).reshape(layout.shape)
    return (values.astype(np.uint32) << 16).view(np.float32) if layout.kind == "BF16" else values


def _list_of_ids(values: Any, name: str, path: Path) -> list[str]:
    # No array of texts: each of them would be as long as the longest.
    if not isinstance(values, list) or not all(type(id) in (str, int) for id in values):
        raise _not_sound(path, f"{shown(name)} is no list of ids")
    return [str(id) for id in values]


def _check_size(n_bytes: int, path: Path) -> None:
    if n_bytes > MAX_BYTES:
        raise BadInput(str(path), f"its arrays are larger than {MAX_BYTES >> 30} GB", "score fewer images at a time")


def _check_packing(members: Iterable[zipfile.ZipInfo], path: Path) -> None:
    """Refuse large arrays that were packed as no numbers of an encoder can be."""
    for info in members:
        if info.file_size > max(LARGE, MOST_PACKED * info.compress_size):
            problem = f"{shown(info.filename)} unpacks from {info.compress_size >> 20:,} to {info.file_size >> 20:,} MB"
            raise BadInput(str(path), problem, "save the arrays with numpy.savez")


def _not_sound(path: Path, problem: str) -> BadInput:
    return BadInput(str(path), f"is not a sound safetensors file ({problem})", "make it anew")
