"""A trained retriever: whole pictures and sentences in one space, perhaps regions and phrases in another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limner.arrays import Singles
from limner.corpus.seen_images import SeenImages, is_hash
from limner.errors import BadInput, LimnerError, shown
from limner.files import is_regular_file
from limner.ground.dual_encoders import Mixture
from limner.ground.fisher_vectors import FisherVectors
from limner.ground.grounder_encoder import GrounderEncoder, GrounderTexts, open_grounder_encoders
from limner.ground.region_phrase_cca import WINDOWS, RegionPhraseCCA, open_region_extractors
from limner.ground.whole_image_cca import WholeImageCCA, projected_texts
from limner.ground.whole_pictures import Crops, open_picture_features
from limner.learn.array_files import read_arrays, write_arrays
from limner.learn.cca import NormalisedCCA
from limner.learn.model_files import ModelKind, file_fingerprint
from limner.text.text_embedders import AveragedWordVectors, TextEmbedder
from limner.text.word_bags import JoinedEmbedders, WordBag
from limner.text.word_choice import word_choice
from limner.text.word_vectors import open_word_vectors

RETRIEVER_KIND = ModelKind("retriever", 2, trained_by="limner.ground.train_retriever")

# What a file says of word vectors: there are none, or those of the installed package. Anything else is a path.
NO_VECTORS = ""
PACKAGED = "package"


class TrainedOn(msgspec.Struct):
    """What a retriever was trained on, and how its settings did on the images that were held out for them."""

    n_images: int
    n_captions: int
    n_phrases: int
    data: str
    seed: int
    n_held_out: int
    rsum: dict[str, float]


class RetrieverRecord(msgspec.Struct):
    """What the file says besides its arrays."""

    limner_model: str
    version: int
    model: str
    crops: int
    vectors: str
    vocabulary: list[str]
    alpha: float
    gamma: float
    windows: int
    # The file of a grounder whose regions and phrases count, with the beginning of its hash; empty for none.
    grounder: str
    grounder_fingerprint: str
    # Of everything that is opened from elsewhere: another model or other word vectors would give other numbers.
    signature: str
    text_signature: str
    trained_on: TrainedOn
    # Hashes of the images that it was trained on, None if there were too many to keep.
    images: list[str] | None
    # The words that Fisher vectors are made of; empty where texts are means of word vectors.
    fisher_words: str = ""


class FisherCodebook(NamedTuple):
    """What Fisher vectors were made with besides word vectors: arrays, and the words that count."""

    arrays: Mapping[str, NDArray[Any]]
    words: str


class Embedders(NamedTuple):
    """What embeds sentences and phrases: the words that were learnt, and word vectors unless there are none.

    With a codebook texts are Fisher vectors, and nothing else.
    """

    bag: WordBag
    vectors: str
    codebook: FisherCodebook | None = None

    def open(self) -> TextEmbedder:
        """The embedder; raises ValueError if the codebook does not fit the word vectors."""
        if self.vectors == NO_VECTORS:
            return self.bag
        vectors = open_word_vectors(None if self.vectors == PACKAGED else self.vectors)
        if self.codebook is not None:
            return FisherVectors.from_arrays(self.codebook.arrays, vectors, word_choice(self.codebook.words))
        return JoinedEmbedders([AveragedWordVectors(vectors), self.bag])


@dataclass(frozen=True)
class Retriever:
    """Whole pictures and sentences (`whole`), regions and phrases (`regions`), and how both are mixed.

    `model` is the path of what extracts features, or `colour+shape`;
    `grounder` that of the grounder whose regions and phrases count, if it is one.
    """

    whole: WholeImageCCA
    regions: RegionPhraseCCA | GrounderEncoder | None
    mixture: Mixture
    model: str
    crops: Crops
    embedders: Embedders
    trained_on: TrainedOn
    grounder: Path | None = None
    images: SeenImages | None = None

    @property
    def training_images(self) -> tuple[SeenImages | None, ...]:
        """The images that it and its grounder were trained on, those held out too; None where a file does not tell."""
        of_grounder = [self.regions.grounder.training_images] if isinstance(self.regions, GrounderEncoder) else []
        return self.images, *of_grounder

    @property
    def signature(self) -> str:
        regions = "" if self.regions is None else f"|{self.regions.signature}"
        return f"{self.whole.signature}{regions}"

    def save(self, path: str | Path) -> None:
        """Write the retriever to a file; a failed write leaves none."""
        record = RetrieverRecord(
            RETRIEVER_KIND.name,
            RETRIEVER_KIND.version,
            _whole_path(self.model),
            self.crops,
            _whole_path(self.embedders.vectors),
            list(self.embedders.bag.vocabulary),
            self.mixture.alpha,
            self.mixture.gamma,
            self.regions.windows if isinstance(self.regions, RegionPhraseCCA) else WINDOWS,
            "" if self.grounder is None else str(self.grounder.resolve()),
            "" if self.grounder is None else file_fingerprint(self.grounder),
            self.signature,
            self.whole.embedder.signature,
            self.trained_on,
            None if self.images is None else self.images.to_json(),
            "" if self.embedders.codebook is None else self.embedders.codebook.words,
        )
        arrays = {f"whole.{name}": values for name, values in self.whole.cca.to_arrays().items()}
        if isinstance(self.regions, RegionPhraseCCA):
            arrays |= {f"regions.{name}": values for name, values in self.regions.cca.to_arrays().items()}
        if self.embedders.codebook is not None:
            arrays |= {f"fisher.{name}": values for name, values in self.embedders.codebook.arrays.items()}
        write_arrays(Path(path), record, {"weights": self.embedders.bag.weights, **arrays})

    @classmethod
    def load(
        cls, path: str | Path, *, model: str | None = None, vectors: str | None = None, grounder: Path | None = None
    ) -> Retriever:
        """The retriever in a file, which is checked; nothing in it is run.

        The model of features, word vectors and the grounder are opened from the paths that
        they had when the retriever was trained, or from others: they must be the same.
        """
        return cls.load_several(path, model=model, vectors=vectors, grounder=grounder)[0]

    @classmethod
    def load_several(
        cls,
        path: str | Path,
        *,
        model: str | None = None,
        vectors: str | None = None,
        grounder: Path | None = None,
        n: int = 1,
        cache: Path | None = None,
    ) -> list[Retriever]:
        """The retriever n times, for so many threads: what sees pictures is opened for each.

        `cache` is a folder that keeps what a grounder sees.
        """
        path = Path(path)
        parts = _read(path, grounder, vectors)
        features = parts.record.model if model is None else model
        pictures = open_picture_features(features, parts.crops, n)
        retrievers = [
            cls(
                WholeImageCCA(seeing, parts.embedder, parts.whole),
                regions,
                parts.mixture,
                features,
                parts.crops,
                parts.embedders,
                parts.record.trained_on,
                parts.grounder,
                None if parts.record.images is None else SeenImages(parts.record.images),
            )
            for seeing, regions in zip(pictures, parts.region_encoders(features, n, cache), strict=True)
        ]
        _check_signature(parts.record, retrievers[0], path)
        return retrievers


class RetrieverTexts:
    """The half of a retriever that embeds sentences and phrases: it needs no model of pictures."""

    def __init__(self, path: Path, grounder: Path | None = None, vectors: str | None = None) -> None:
        self._parts = _read(path, grounder, vectors)

    def text_vectors(self, texts: Sequence[str]) -> Singles:
        return projected_texts(self._parts.whole, self._parts.embedder, texts)

    def phrase_vectors(self, phrases: Sequence[str]) -> Singles:
        if self._parts.grounder is not None:
            return self._grounder.phrase_vectors(phrases)
        if self._parts.regions is None:
            raise LimnerError("this retriever has learnt nothing of phrases")
        return projected_texts(self._parts.regions, self._parts.embedder, phrases)

    def knows(self, text: str) -> bool:
        return self._parts.embedder.knows(text)

    @cached_property
    def _grounder(self) -> GrounderTexts:
        assert self._parts.grounder is not None
        return GrounderTexts.load(self._parts.grounder)


@dataclass(frozen=True)
class _Parts:
    """What a file holds, checked, and the embedder of texts, opened."""

    record: RetrieverRecord
    crops: Crops
    embedders: Embedders
    embedder: TextEmbedder
    whole: NormalisedCCA
    regions: NormalisedCCA | None
    mixture: Mixture
    grounder: Path | None

    def region_encoders(
        self, features: str, n: int, cache: Path | None
    ) -> Sequence[RegionPhraseCCA | None] | Sequence[GrounderEncoder | None]:
        """What encodes regions and phrases, for n threads; None if nothing was learnt of them."""
        if self.grounder is not None:
            return open_grounder_encoders(self.grounder, n, cache)
        if self.regions is None:
            return [None] * n
        extractors = open_region_extractors(features, n)
        return [RegionPhraseCCA(e, self.embedder, self.regions, self.record.windows) for e in extractors]


def _read(path: Path, grounder: Path | None = None, vectors: str | None = None) -> _Parts:
    record, arrays = read_arrays(path, RETRIEVER_KIND, RetrieverRecord)
    try:
        bag = WordBag(record.vocabulary, np.asarray(arrays["weights"]))
        whole = NormalisedCCA.from_arrays(_part(arrays, "whole"))
        of_regions = _part(arrays, "regions")
        regions = NormalisedCCA.from_arrays(of_regions) if of_regions else None
        mixture = checked_mixture(record.alpha, record.gamma)
        if record.crops not in (1, 10) or not 1 <= record.windows <= 1000:
            raise ValueError(f"{record.crops} crops and {record.windows} windows are not supported")
        if record.images is not None and not all(map(is_hash, record.images)):
            raise ValueError("images: there is something else than hashes")
    except (ValueError, KeyError) as error:
        raise RETRIEVER_KIND.error(path, f"is damaged ({error})") from error
    source = record.vectors if vectors is None or record.vectors == NO_VECTORS else vectors
    codebook = FisherCodebook(_part(arrays, "fisher"), record.fisher_words) if record.fisher_words else None
    embedders = Embedders(bag, source, codebook)
    # A file may name whatever it likes: a pipe would be waited for, a device read without end.
    if source not in (NO_VECTORS, PACKAGED) and not is_regular_file(source):
        problem = f"its word vectors, {shown(source)}, are not there"
        raise BadInput(str(path), problem, "say where they are now, or train it anew", code="no-vectors-file")
    try:
        embedder = embedders.open()
    except ValueError as error:
        raise RETRIEVER_KIND.error(path, f"is damaged ({error})") from error
    if embedder.signature != record.text_signature or embedder.n_dims != len(whole.y_mean_):
        problem = "its word vectors are not those that it was trained with"
        raise BadInput(str(path), problem, "give the same word vectors, or train it anew", code="other-model")
    crops: Crops = 1 if record.crops == 1 else 10
    return _Parts(record, crops, embedders, embedder, whole, regions, mixture, _grounder(record, grounder, path))


def _grounder(record: RetrieverRecord, given: Path | None, path: Path) -> Path | None:
    """The file of the retriever's grounder, if it has one, which must be that of its training."""
    if not record.grounder:
        return None
    grounder = Path(record.grounder) if given is None else given
    if not is_regular_file(grounder):
        raise BadInput(str(grounder), f"the grounder of {path} is not there", "put it there", code="other-model")
    if file_fingerprint(grounder) != record.grounder_fingerprint:
        problem = f"is another grounder than {path} was trained with"
        raise BadInput(str(grounder), problem, "give the same, or train anew", code="other-model")
    return grounder


def _whole_path(name: str) -> str:
    """A path from the root, so that a file works from any folder; other names as they are."""
    return str(Path(name).resolve()) if name and Path(name).exists() else name


def checked_mixture(alpha: float, gamma: float) -> Mixture:
    """A mixture, if its numbers can be."""
    if not (0 <= alpha <= 1 and 0 <= gamma <= 10):
        raise ValueError(f"alpha must be from 0 to 1 and gamma from 0 to 10, not {alpha} and {gamma}")
    return Mixture(alpha, gamma)


def _part(arrays: Mapping[str, NDArray[Any]], name: str) -> dict[str, NDArray[Any]]:
    return {key.removeprefix(f"{name}."): values for key, values in arrays.items() if key.startswith(f"{name}.")}


def _check_signature(record: RetrieverRecord, opened: Retriever, path: Path) -> None:
    if _without_versions(opened.signature) == _without_versions(record.signature):
        return
    fits = opened.whole.features.n_dims == len(opened.whole.cca.x_mean_)
    problem = "its features are not those that it was trained with"
    if not fits:
        problem += f" ({opened.whole.features.n_dims:,} numbers of a picture, not {len(opened.whole.cca.x_mean_):,})"
    raise BadInput(str(path), problem, "give the same model of features, or train it anew", code="other-model")


def _without_versions(signature: str) -> str:
    """A signature without the versions of libraries: newer ones change the last digits, not what was learnt."""
    return re.sub(r"\b(litert|onnx|transformers|torch|pillow|opencv|numpy):[^|\]]*", r"\1", signature)
