"""An index of pictures: the pictures for a sentence, the sentences for a picture, and scores of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limner.arrays import Indices, Singles
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError, cannot, one_line, shown
from limner.files import open_file
from limner.ground.dual_encoders import Mixture, TextEncoder
from limner.ground.encoders import Encoder, open_encoders, open_texts
from limner.ground.index_files import (
    GROUNDER,
    IMAGES,
    MAX_LINE,
    MODEL,
    IndexHeader,
    damaged,
    open_array,
    open_numbers,
    open_starts,
    read_header,
)
from limner.ground.phrase_distances import By, MixedScores, PhraseTable, RegionTable, phrase_distances, phrase_sums
from limner.ground.phrase_model import built_in_phrases
from limner.lazy import lazy
from limner.learn.cross_search import Products, ScoreBlocks, best_of_rows
from limner.learn.model_files import file_fingerprint
from limner.score.retrieval.retrieval_system import SEPARATOR, RetrievalSystem
from limner.vision.image_pixels import ImagePixels

if TYPE_CHECKING:
    from limner.learn import approximate_search, transformers_folders
else:
    approximate_search = lazy("limner.learn.approximate_search")
    transformers_folders = lazy("limner.learn.transformers_folders")

# Images whose vectors are multiplied at a time.
BLOCK = 16_384

# Vectors have length 1: numbers beyond this are of none, and their products could overflow.
LARGE = 1_000

ASPECTS: tuple[By, ...] = ("whole", "phrases", "mixture")


class PhraseRegion(NamedTuple):
    """A phrase of the query, as a half-open span of it, and the nearest region of a picture with their cosine."""

    start: int
    end: int
    corners: tuple[float, float, float, float]
    cosine: float


class FoundImage(NamedTuple):
    """An image for a sentence: how well it fits, and where its phrases are, if the index has regions."""

    image: Image
    score: float
    phrases: tuple[PhraseRegion, ...] = ()


class FoundCaption(NamedTuple):
    """A caption for a picture, and the image that it is of."""

    image: Image
    caption: Caption
    score: float


class RetrievalIndex:
    """An index in a folder. Opening reads its header and a few whole numbers of each image; vectors are mapped.

    Scores are cosines of whole pictures and sentences; with regions, 1 minus
    the distance of equation 5 (`phrase_distances`). `features` and `vectors`
    are the paths of what its model needs, if they have moved since training.
    """

    def __init__(self, folder: str | Path, *, features: str | None = None, vectors: str | None = None) -> None:
        self.folder = Path(folder)
        self._features, self._vectors = features, vectors
        self.header = header = read_header(self.folder)
        n, m = header.n_images, header.n_texts
        self.images = open_array(self.folder, "images", (n, header.n_dims), "<f4")
        self.texts = open_array(self.folder, "texts", (m, header.n_dims), "<f4")
        self.text_images = open_numbers(self.folder, "text_images", m, n)
        if (np.diff(self.text_images) < 0).any():
            raise damaged(self.folder / "text_images.npy", "captions are not in the order of their images")
        try:
            size = (self.folder / IMAGES).stat().st_size
        except OSError as error:
            raise cannot("read", self.folder / IMAGES, error) from error
        self._lines = open_starts(self.folder, "lines", n, size)
        self._first_texts = np.searchsorted(self.text_images, np.arange(n + 1))

    def __len__(self) -> int:
        return self.header.n_images

    def __repr__(self) -> str:
        return f"<RetrievalIndex {shown(str(self.folder))}, {len(self):,} images, {self.header.n_texts:,} captions>"

    @property
    def mixture(self) -> Mixture:
        return Mixture(self.header.alpha, self.header.gamma)

    @property
    def usual(self) -> By:
        """By what images are found by default: the mixture, unless whole pictures or phrases count alone in it."""
        if not self.header.has_regions or self.header.alpha == 1:
            return "whole"
        return "phrases" if self.header.alpha == 0 else "mixture"

    @cached_property
    def regions(self) -> RegionTable:
        """The regions of all images."""
        header = self._with_regions()
        vectors = open_array(self.folder, "regions", (header.n_regions, header.n_region_dims), "<f2")
        return RegionTable(vectors, open_starts(self.folder, "region_starts", header.n_images, header.n_regions))

    @cached_property
    def phrases(self) -> PhraseTable:
        """The phrases of all captions."""
        header = self._with_regions()
        vectors = open_array(self.folder, "phrases", (header.n_phrases, header.n_region_dims), "<f4")
        path = self.folder / "phrase_starts.npy"
        starts = np.array(open_array(self.folder, "phrase_starts", (header.n_texts + 1,), "<i8"))
        if (np.diff(starts) < 0).any() or starts[0] != 0 or starts[-1] > 1 << 40:
            raise damaged(path, "its captions do not follow each other")
        numbers = open_numbers(self.folder, "phrase_numbers", int(starts[-1]), header.n_phrases)
        return PhraseTable(vectors, numbers, starts)

    @cached_property
    def text_encoder(self) -> TextEncoder:
        """What encodes sentences, of the model that the index was made with."""
        return open_texts(self.header.source, self._model(), self.folder / GROUNDER, self._vectors)

    @cached_property
    def encoder(self) -> Encoder:
        """The model that the index was made with, which sees pictures too."""
        return open_encoders(
            self._model(), features=self._features, vectors=self._vectors, grounder=self.folder / GROUNDER
        )[0]

    def image(self, number: int) -> Image:
        """The image of this number."""
        start, end = self._lines[number : number + 2].tolist()
        path = self.folder / IMAGES
        if end - start > MAX_LINE:
            raise damaged(path, f"the line of image {number:,} is longer than {MAX_LINE >> 20} MB")
        try:
            with open_file(path) as handle:
                handle.seek(start)
                return msgspec.json.decode(handle.read(end - start), type=Image)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise damaged(path, f"image {number:,}: {one_line(str(error), 100)}") from error

    @np.errstate(over="ignore", invalid="ignore")
    def search(self, query: str, k: int = 10, by: By | None = None) -> list[FoundImage]:
        """The k images that fit a sentence best, by exact search; of equal ones the first of the index.

        By phrases alone, a sentence without one is a phrase as a whole: all images would be equal otherwise.
        """
        text = self._text_vectors([query])[0]
        by = by or self.usual
        if by != "whole":
            self._with_regions()
        spans = [] if by == "whole" else self._phrase_spans(query)
        vectors = self._phrase_vectors([query[start:end] for start, end in spans])
        if by == "phrases" and not vectors.any():
            spans, vectors = [(0, len(query))], self._phrase_vectors([query])
        scores = np.concatenate([self._scores(at, text, vectors, by) for at in self._blocks()])
        (items,), (values,) = best_of_rows(self._finite(scores)[None], min(k, len(self)))
        return [
            FoundImage(self.image(i), float(score), tuple(self.nearest_regions(i, spans, vectors)))
            for i, score in zip(items.tolist(), values.tolist(), strict=True)
        ]

    @np.errstate(over="ignore", invalid="ignore")
    def search_many(self, queries: Sequence[str], k: int = 10, *, exact: bool | None = None) -> tuple[Indices, Singles]:
        """The numbers of the k best images of each sentence by whole vectors, and their scores, `[queries, k]`.

        Approximate, unless `exact` is asked for, if the index has lists for it.
        """
        vectors = self._text_vectors(queries)
        if self.header.n_lists and not exact:
            return self._approximate.search(vectors, k)
        blocks = [vectors @ np.asarray(self.images[at]).T for at in self._blocks()]
        return best_of_rows(self._finite(np.concatenate(blocks, axis=1)), k)

    @np.errstate(over="ignore", invalid="ignore")
    def search_captions(self, seen: ImagePixels, k: int = 10, by: By | None = None) -> list[FoundCaption]:
        """The k captions that fit a picture best."""
        self._check_captions()
        by, encoder = by or self.usual, self.encoder
        whole = self._fitting(np.asarray(encoder.whole.image_vectors([seen])), self.header.n_dims)
        scores = (whole @ np.asarray(self.texts).T)[0]
        if by != "whole":
            self._with_regions()
            if encoder.regions is None:
                raise damaged(self.folder, "its model has no regions")
            rows = self._fitting(encoder.regions.regions(seen).vectors, self.header.n_region_dims)
            table = RegionTable(rows, np.array([0, len(rows)], dtype=np.int64))
            mixed = MixedScores(Products(whole, np.asarray(self.texts)), table, self.phrases, self._mixed(by))
            scores = mixed.block(slice(0, 1), slice(0, self.header.n_texts))[0]
        (items,), (values,) = best_of_rows(self._finite(scores)[None], min(k, len(scores)))
        return [self._caption(text, float(score)) for text, score in zip(items.tolist(), values.tolist(), strict=True)]

    def nearest_regions(self, image: int, spans: Sequence[tuple[int, int]], vectors: Singles) -> Iterator[PhraseRegion]:
        """The nearest region of an image for each known phrase, by the spans and vectors of phrases."""
        if not len(vectors):
            return
        first, end = self.regions.starts[image : image + 2].tolist()
        if end == first:
            return
        shape = self.header.n_regions, 4
        corners = open_array(self.folder, "region_corners", shape, "<f4")[first:end]
        cosines = vectors @ np.asarray(self.regions.vectors[first:end], dtype=np.float32).T
        for (start, stop), row, vector in zip(spans, cosines, vectors, strict=True):
            if vector.any():
                best = int(row.argmax())
                x0, y0, x1, y1 = corners[best].tolist()
                yield PhraseRegion(start, stop, (x0, y0, x1, y1), float(row[best]))

    def system(self, by: By | None = None, name: str | None = None) -> RetrievalSystem:
        """The index as a system that can be scored: its captions are the texts."""
        by = by or self.usual
        self._check_captions()
        self._check_vectors("images", self.images)
        self._check_vectors("texts", self.texts)
        ids = [self.image(number).id for number in range(len(self))]
        texts = [f"{ids[i]}{SEPARATOR}{t - self._first_texts[i]}" for t, i in enumerate(self.text_images.tolist())]
        whole = Products(np.asarray(self.images), np.asarray(self.texts))
        scores: ScoreBlocks = whole
        signature = f"by:{by}|{self.header.signature}"
        if by != "whole":
            mixture = self._mixed(by)
            self._check_vectors("regions", self.regions.vectors)
            self._check_vectors("phrases", self.phrases.vectors)
            scores = MixedScores(whole, self.regions, self.phrases, mixture)
            chunked = f"{self.header.n_chunked} of {self.header.n_texts} captions chunked"
            signature = (
                f"by:{by}|alpha:{mixture.alpha:g}|gamma:{mixture.gamma:g}|phrases:{chunked}|{self.header.signature}"
            )
        if self.header.training:
            signature = f"training:{self.header.training}|{signature}"
        return RetrievalSystem(name or f"{self.folder} ({by})", ids, texts, self.text_images, scores, signature)

    @cached_property
    def _approximate(self) -> approximate_search.ApproximateSearch:
        header = self.header
        centres = np.array(open_array(self.folder, "centres", (header.n_lists, header.n_dims), "<f4"))
        lists = open_numbers(self.folder, "lists", header.n_images, header.n_lists)
        if not np.isfinite(centres).all():
            raise damaged(self.folder / "centres.npy", "some of its numbers are not finite")
        return approximate_search.ApproximateSearch(self.images, approximate_search.Lists(centres, lists))

    def _blocks(self) -> Iterator[slice]:
        for start in range(0, len(self), BLOCK):
            yield slice(start, min(start + BLOCK, len(self)))

    def _scores(self, at: slice, text: Singles, phrases: Singles, by: By) -> Singles:
        whole = np.asarray(self.images[at]) @ text
        if by == "whole":
            return whole
        alpha, gamma = self._mixed(by)
        known = phrases[phrases.any(axis=1)]
        numbers, starts = np.arange(len(known)), np.array([0, len(known)])
        sums = phrase_sums(self.regions.nearest(at, known), numbers, starts)
        of_phrases = phrase_distances(sums, np.array([len(known)]), gamma)[:, 0]
        return np.asarray(1 - (alpha * (1 - whole) + (1 - alpha) * of_phrases), dtype=np.float32)

    def _caption(self, text: int, score: float) -> FoundCaption:
        number = int(self.text_images[text])
        image = self.image(number)
        at = text - int(self._first_texts[number])
        if at >= len(image.captions):
            raise damaged(self.folder / IMAGES, f"image {shown(image.id)} has fewer captions than vectors")
        return FoundCaption(image, image.captions[at], score)

    def knows(self, query: str) -> bool:
        """Whether any word of a sentence is known, without which nothing can be found."""
        return self.text_encoder.knows(query)

    def _text_vectors(self, queries: Sequence[str]) -> Singles:
        for query in queries:
            if not self.knows(query):
                problem = f"no word of {shown(query)} is known" if query.strip() else "the sentence is empty"
                raise LimnerError(f"{problem}; use other words", code="unknown-words")
        return self._fitting(self.text_encoder.text_vectors(queries), self.header.n_dims)

    def _phrase_spans(self, query: str) -> list[tuple[int, int]]:
        return [(phrase.start, phrase.end) for phrase in built_in_phrases().phrases(query)]

    def _phrase_vectors(self, phrases: Sequence[str]) -> Singles:
        if not phrases:
            return np.zeros((0, max(1, self.header.n_region_dims)), dtype=np.float32)
        vectors = self.text_encoder.phrase_vectors([phrase.lower() for phrase in phrases])
        return self._fitting(vectors, self.header.n_region_dims)

    def _mixed(self, by: By) -> Mixture:
        self._with_regions()
        return Mixture(0.0, self.header.gamma) if by == "phrases" else self.mixture

    def _with_regions(self) -> IndexHeader:
        if not self.header.has_regions:
            problem = "the index has no regions and phrases"
            raise BadInput(
                str(self.folder), problem, "make one with them, or search by whole pictures", code="no-regions"
            )
        return self.header

    def _check_captions(self) -> None:
        if not self.header.n_texts:
            problem = "the index has no captions"
            raise BadInput(str(self.folder), problem, "make it of a corpus with captions", code="no-captions-indexed")

    def _model(self) -> Path:
        """The model's file or folder, if it is the one that the index was made with."""
        is_folder = self.header.source == "folder"
        path = Path(self.header.model) if is_folder else self.folder / MODEL
        if not (path.is_dir() if is_folder else path.exists()):
            raise BadInput(str(path), "the model of the index is not there", "put it there, or make the index anew")
        here = transformers_folders.fingerprint(path) if is_folder else file_fingerprint(path)
        if here != self.header.fingerprint:
            problem = "the index was made with a different model"
            raise BadInput(str(path), problem, "rebuild it", code="other-index-model")
        return path

    def _fitting(self, vectors: Singles, n_dims: int) -> Singles:
        """Vectors of the model, if they are as long as the index says."""
        if vectors.shape[1] != n_dims:
            problem = f"its model makes vectors of {vectors.shape[1]:,} numbers, and it has vectors of {n_dims:,}"
            raise damaged(self.folder, problem)
        return vectors

    def _check_vectors(self, name: str, vectors: NDArray[Any]) -> None:
        """Raise an error unless all numbers are those of vectors: ranks of others look like any ranks."""
        for start in range(0, len(vectors), BLOCK):
            if not (np.abs(vectors[start : start + BLOCK]) <= LARGE).all():
                raise damaged(self.folder / f"{name}.npy", f"some of its numbers are not finite, or beyond {LARGE:,}")

    def _finite(self, scores: Singles) -> Singles:
        if not np.isfinite(scores).all():
            raise damaged(self.folder, "some of its vectors are not finite numbers")
        return scores
