"""GloVe's vectors in an installed package: an array of numpy, and the words in a Parquet file."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from limner.arrays import Singles
from limner.errors import BadInput


def read_package(name: str) -> tuple[list[str], Singles, str]:
    """The words, their vectors, which are mapped into memory, and the package's version."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise BadInput(name, "is not installed", "install it")
    folder = Path(spec.origin).parent / "data"
    try:
        (table,) = folder.glob("*_index.parquet")
        (array,) = folder.glob("*_emb.npy")
        words = pq.read_table(table, columns=["index"])["index"].to_pylist()
        vectors = np.load(array, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(str(folder), f"cannot be read ({error})", "install the package anew") from error
    return words, vectors, version(name)
