"""Training a retriever: one pass over pictures, then CCA, with ridge, alpha and gamma chosen on images held out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limner.arrays import Singles
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.ground.caption_phrases import PhraseCollection
from limner.ground.dual_encoders import Mixture
from limner.ground.grounder_encoder import GrounderEncoder, GrounderTexts, open_grounder_encoders
from limner.ground.mixture_tuning import Tuned, recall_sum, tune_mixture
from limner.ground.phrase_distances import PhraseTable, RegionTable
from limner.ground.phrase_model import built_in_phrases
from limner.ground.picture_workers import work_on_pictures
from limner.ground.region_phrase_cca import (
    WINDOWS,
    RegionExtractor,
    RegionPhraseCCA,
    fit_region_phrase_cca,
    open_region_extractors,
    phrase_regions,
    window_corners,
)
from limner.ground.retriever import NO_VECTORS, PACKAGED, Embedders, Retriever, TrainedOn
from limner.ground.whole_image_cca import RIDGES, WholeImageCCA, fit_whole_image_cca, projected_texts
from limner.ground.whole_pictures import BUILT_IN, Crops, PictureFeatures, open_picture_features
from limner.learn.cca import NormalisedCCA
from limner.progress import Progress, silent, track
from limner.score.data_fingerprint import data_fingerprint, gold_numbers
from limner.text.text_embedders import TextEmbedder
from limner.text.word_bags import WordBag
from limner.text.word_vectors import PACKAGE
from limner.vision.features.feature_run import n_cores
from limner.vision.image_pixels import ImagePixels

# Images that are held out for the settings.
HELD_OUT = 0.1

# Images with captions, at least, to learn from, and to choose settings on.
FEWEST_IMAGES = 10


class SeenPicture(NamedTuple):
    """What training keeps of a picture: its vector, its phrases with their regions' features, and those of windows."""

    image: Image
    whole: Singles
    phrases: list[str]
    of_phrases: Singles
    of_windows: Singles | None


@dataclass
class RetrieverTraining:
    """How a retriever is trained.

    `model` is a path, or `colour+shape`; `crops` are 1 or 10; `vectors` a file
    of word vectors (default: those of the installed package, if there are
    any). With `regions`, regions and phrases are learnt too, where captions
    refer to boxes; those of a `grounder` count instead, if its file is given.
    Train it on the same images with the same seed: settings are then chosen on
    images that it has not learnt from either.
    """

    model: str = BUILT_IN
    crops: Crops = 1
    vectors: str | None = None
    regions: bool = True
    grounder: Path | None = None
    seed: int = 0
    workers: int | None = None
    reading: Reading = field(default_factory=Reading)
    progress: Progress = silent

    def train(
        self, images: Iterable[Image], pictures: Path, valid: Iterable[Image] | None = None, *, place: str = "corpus"
    ) -> Retriever:
        """A retriever of the images' captions; settings are chosen on `valid`, otherwise on a random tenth of them."""
        given = [image for image in images if image.captions]
        if len(given) < FEWEST_IMAGES:
            problem = f"{len(given):,} images have captions, too few to learn from"
            raise BadInput(place, problem, f"give {FEWEST_IMAGES} or more", code="few-captions")
        held_out = _held_out(given, self.seed) if valid is None else None
        others = [] if valid is None else [image for image in valid if image.captions]
        is_held = [*(held_out if held_out is not None else [False] * len(given)), *([True] * len(others))]
        seen = self._seen([*given, *others], is_held, pictures)
        held_ids = {image.id for image, is_out in zip([*given, *others], is_held, strict=True) if is_out}
        learning = [picture for picture in seen if picture.image.id not in held_ids]
        held = [picture for picture in seen if picture.image.id in held_ids]
        if len(learning) < 2 or not held:
            raise BadInput(place, "too few images have pictures to learn from", "give more", code="few-captions")
        tuned, ridges = self._tune(learning, held)
        # What was held out is learnt from at last, unless it is another corpus.
        return self._retriever(seen if valid is None else learning, len(held), tuned, ridges)

    def _seen(self, images: Sequence[Image], is_held: Sequence[bool], pictures: Path) -> list[SeenPicture]:
        n = self.workers or n_cores()
        with_windows = {image.id for image, is_out in zip(images, is_held, strict=True) if is_out}
        extractors: Sequence[RegionExtractor | GrounderEncoder | None] = [None] * n
        if self.grounder is not None:
            extractors = open_grounder_encoders(self.grounder, n)
        elif self.regions:
            extractors = open_region_extractors(self.model, n)
        workers = [
            _worker(features, extractor, with_windows)
            for features, extractor in zip(open_picture_features(self.model, self.crops, n), extractors, strict=True)
        ]
        results = work_on_pictures(images, pictures, workers, self.reading)
        return list(track(results, "pictures", self.progress, len(images)))

    def _tune(self, learning: Sequence[SeenPicture], held: Sequence[SeenPicture]) -> tuple[Tuned, tuple[float, float]]:
        """The mixture, and the ridges of whole pictures and of regions, that do best on the held-out pictures."""
        embedder = self._embedders(learning).open()
        gold = np.repeat(np.arange(len(held)), [len(picture.image.captions) for picture in held])
        whole = np.stack([picture.whole for picture in held])
        texts = [caption.text for picture in held for caption in picture.image.captions]
        spaces = {ridge: _whole_space(learning, embedder, ridge) for ridge in RIDGES}
        vectors = {r: (cca.transform(whole), projected_texts(cca, embedder, texts)) for r, cca in spaces.items()}
        rsums = {ridge: recall_sum(images @ of_texts.T, gold) for ridge, (images, of_texts) in vectors.items()}
        ridge = max(rsums, key=lambda r: rsums[r])
        none = Tuned(Mixture(1.0), {"whole": rsums[ridge]})
        if self.grounder is None and (not self.regions or not any(picture.phrases for picture in learning)):
            return none, (ridge, 0.0)
        phrases = PhraseCollection(built_in_phrases()).add_all(c for p in held for c in p.image.captions)
        counts = [0 if p.of_windows is None else len(p.of_windows) for p in held]
        windows = np.concatenate([p.of_windows for p in held if p.of_windows is not None])
        starts = np.concatenate([[0], np.cumsum(counts)])
        if self.grounder is not None:
            vectors_of_phrases = GrounderTexts.load(self.grounder).phrase_vectors(phrases.texts)
            table = PhraseTable(vectors_of_phrases, phrases.numbers, phrases.starts)
            return tune_mixture(*vectors[ridge], RegionTable(windows, starts), table, gold), (ridge, 0.0)
        choices = {}
        for of_regions in RIDGES:
            cca = self._region_space(learning, embedder, of_regions)
            table = PhraseTable(projected_texts(cca, embedder, phrases.texts), phrases.numbers, phrases.starts)
            choices[of_regions] = tune_mixture(
                *vectors[ridge], RegionTable(cca.transform(windows), starts), table, gold
            )
        best = max(choices, key=lambda r: (choices[r].rsum["mixture"], choices[r].rsum["phrases"]))
        return choices[best], (ridge, best)

    def _retriever(
        self, learning: Sequence[SeenPicture], n_held: int, tuned: Tuned, ridges: tuple[float, float]
    ) -> Retriever:
        embedders = self._embedders(learning)
        embedder = embedders.open()
        (features,) = open_picture_features(self.model, self.crops)
        regions: RegionPhraseCCA | GrounderEncoder | None = None
        if self.grounder is not None:
            (regions,) = open_grounder_encoders(self.grounder, 1)
        if ridges[1]:
            (extractor,) = open_region_extractors(self.model)
            cca = self._region_space(learning, embedder, ridges[1])
            regions = RegionPhraseCCA(extractor, embedder, cca, WINDOWS)
        trained_on = TrainedOn(
            len(learning),
            sum(len(picture.image.captions) for picture in learning),
            sum(len(picture.phrases) for picture in learning),
            data_fingerprint(gold_numbers([picture.image for picture in learning])),
            self.seed,
            n_held,
            tuned.rsum,
        )
        whole = WholeImageCCA(features, embedder, _whole_space(learning, embedder, ridges[0]))
        return Retriever(whole, regions, tuned.mixture, self.model, self.crops, embedders, trained_on, self.grounder)

    def _region_space(self, learning: Sequence[SeenPicture], embedder: TextEmbedder, ridge: float) -> NormalisedCCA:
        phrases = [phrase for picture in learning for phrase in picture.phrases]
        features = np.concatenate([picture.of_phrases for picture in learning])
        return fit_region_phrase_cca(phrases, features, embedder, ridge=ridge, seed=self.seed)

    def _embedders(self, learning: Sequence[SeenPicture]) -> Embedders:
        bag = WordBag.learn(caption.text for picture in learning for caption in picture.image.captions)
        usual = PACKAGED if find_spec(PACKAGE) and find_spec("pyarrow") else NO_VECTORS
        return Embedders(bag, usual if self.vectors is None else self.vectors)


def train_retriever(
    images: Iterable[Image],
    pictures: Path,
    *,
    model: str = BUILT_IN,
    crops: Crops = 1,
    vectors: str | None = None,
    regions: bool = True,
    grounder: Path | None = None,
    valid: Iterable[Image] | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Retriever:
    """A retriever learnt from images with captions, whose pictures are in a folder; see `RetrieverTraining`."""
    training = RetrieverTraining(model, crops, vectors, regions, grounder, seed, progress=progress)
    return training.train(images, pictures, valid)


def _held_out(images: Sequence[Image], seed: int) -> list[bool]:
    """Which images are held out: a tenth, by chance. A grounder of the same seed tunes its weights on the same."""
    held = [random_stream("tuning", seed, image.id).random() < HELD_OUT for image in images]
    if not 0 < sum(held) < len(held):
        held = [False] * (len(held) - 1) + [True]
    return held


def _worker(
    features: PictureFeatures, extractor: RegionExtractor | GrounderEncoder | None, with_windows: set[str]
) -> Callable[[ImagePixels], SeenPicture]:
    """What looks at one picture after the other; at windows only of those held out, since only these are ranked."""

    def look(seen: ImagePixels) -> SeenPicture:
        whole = features.extract(seen.pixels)
        if extractor is None:
            return SeenPicture(seen.image, whole, [], np.zeros((0, 1), dtype=np.float32), None)
        if isinstance(extractor, GrounderEncoder):
            vectors = extractor.regions(seen).vectors if seen.image.id in with_windows else None
            return SeenPicture(seen.image, whole, [], np.zeros((0, 1), dtype=np.float32), vectors)
        pairs = list(phrase_regions(seen.image))
        scale = np.array([*seen.scale, *seen.scale])
        at = (np.array([pair.corners for pair in pairs]).reshape(-1, 4) * scale).astype(np.float32)
        windows = window_corners(seen) if seen.image.id in with_windows else np.zeros((0, 4), dtype=np.float32)
        # One call: a model runs once for all regions of a picture.
        rows = extractor.extract(seen.pixels, np.concatenate([at, windows]))
        return SeenPicture(seen.image, whole, [pair.phrase for pair in pairs], rows[: len(at)], rows[len(at) :])

    return look


def _whole_space(learning: Sequence[SeenPicture], embedder: TextEmbedder, ridge: float) -> NormalisedCCA:
    captions = [[caption.text for caption in picture.image.captions] for picture in learning]
    return fit_whole_image_cca(np.stack([picture.whole for picture in learning]), captions, embedder, ridge=ridge)
