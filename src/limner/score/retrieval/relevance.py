"""Which texts are right for which images, where more are than an image's own, and mean average precision at R."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np

from limner.arrays import Booleans, Floats, Indices, Integers
from limner.errors import BadInput, shown
from limner.files import open_bytes
from limner.score.retrieval.retrieval_system import RetrievalSystem

# Right answers that a query may have. So many of the best items of every query are kept in memory.
MOST_RELEVANT = 1_000

# Bytes of a file: in memory it takes ten times as many.
MAX_BYTES = 64 << 20


@dataclass(frozen=True)
class Relevance:
    """The ids of the texts that are right for each image; `name` stands in signatures."""

    name: str
    texts_of_images: Mapping[str, Collection[str]]

    def fingerprint(self) -> str:
        """Eight letters that are others for other answers."""
        digest = blake2b(digest_size=4)
        for image in sorted(self.texts_of_images):
            for part in (image, *sorted(self.texts_of_images[image])):
                digest.update(part.encode(errors="surrogatepass") + b"\xff")
            digest.update(b"\xfe")
        return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class RelevantPairs:
    """Right pairs of images and texts by their numbers, sorted: image times the number of texts, plus text."""

    keys: Integers
    n_images: int
    n_texts: int

    @property
    def of_images(self) -> Integers:
        """How many texts are right for each image."""
        return np.bincount(self.keys // max(1, self.n_texts), minlength=self.n_images)

    @property
    def of_texts(self) -> Integers:
        """How many images are right for each text."""
        return np.bincount(self.keys % max(1, self.n_texts), minlength=self.n_texts)

    def has(self, images: Indices, texts: Indices) -> Booleans:
        """Whether pairs are right, in any shape; a number below 0 is no item."""
        keys = images * self.n_texts + texts
        at = np.minimum(np.searchsorted(self.keys, keys), max(0, len(self.keys) - 1))
        is_right = self.keys[at] == keys if len(self.keys) else np.zeros(keys.shape, dtype=bool)
        return np.asarray(is_right & (images >= 0) & (texts >= 0))


def relevant_pairs(system: RetrievalSystem, relevance: Relevance | None) -> RelevantPairs:
    """The right pairs of a system's images and texts: by default each text with its own image.

    Ids that the system does not have are an error, and so are images that are
    not listed: figures over a part of them would not tell of the whole.
    """
    n_images, n_texts = len(system.image_ids), len(system.text_ids)
    if relevance is None:
        own = np.flatnonzero(system.text_images >= 0)
        pairs = system.text_images[own] * n_texts + own
    else:
        pairs = _listed_pairs(system, relevance)
    found = RelevantPairs(np.unique(pairs), n_images, n_texts)
    most = max(found.of_images.max(initial=0), found.of_texts.max(initial=0))
    if most > MOST_RELEVANT:
        name = system.name if relevance is None else relevance.name
        problem = f"one query has {most:,} right answers"
        raise BadInput(name, problem, f"at most {MOST_RELEVANT:,} are supported")
    return found


def _listed_pairs(system: RetrievalSystem, relevance: Relevance) -> Integers:
    rows = {id: i for i, id in enumerate(system.image_ids)}
    columns = {id: i for i, id in enumerate(system.text_ids)}
    pairs = []
    for image, texts in relevance.texts_of_images.items():
        if image not in rows:
            raise BadInput(
                relevance.name, f"{system.name} has no image {shown(image)}", "list images that were embedded"
            )
        for text in texts:
            if text not in columns:
                raise BadInput(
                    relevance.name, f"{system.name} has no text {shown(text)}", "list texts that were embedded"
                )
            pairs.append(rows[image] * len(columns) + columns[text])
    if missing := [id for id in rows if id not in relevance.texts_of_images]:
        problem = f"{len(missing):,} of {len(rows):,} images are not listed, such as {shown(missing[0])}"
        raise BadInput(relevance.name, problem, "list the right texts of each, which may be none")
    return np.array(pairs, dtype=np.int64)


def average_precision_at_r(is_right: Booleans, n_right: Integers) -> Floats:
    """The average precision of each query over its R best items, R being its number of right ones; NaN without any.

    `is_right` is `[queries, k]`, best first, and k at least the largest R
    (Musgrave et al. 2020). Only right items within the first R count.
    """
    k = is_right.shape[1]
    within = is_right & (np.arange(k) < n_right[:, None])
    precision = np.cumsum(within, axis=1) / np.arange(1, k + 1)
    with np.errstate(invalid="ignore"):
        return np.asarray((precision * within).sum(axis=1) / np.where(n_right == 0, np.nan, n_right))


def read_relevance(path: Path) -> Relevance:
    """The right texts of images in a JSON file: `{"image id": ["text id", …], …}`."""
    with open_bytes(path) as handle:
        raw = handle.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise BadInput(str(path), f"is larger than {MAX_BYTES >> 20} MB", "list the right texts only")
    try:
        texts = msgspec.json.decode(raw, type=dict[str, list[str]])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        remedy = 'write {"image id": ["text id", ...]}'
        raise BadInput(str(path), f"does not list the right texts of images ({error})", remedy) from error
    return Relevance(path.name, {image: frozenset(of_image) for image, of_image in texts.items()})
