"""Training a retriever: one pass over pictures, then CCA, with ridge, alpha and gamma chosen on images held out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from limner.arrays import Integers, Singles
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.corpus.reading import Reading
from limner.corpus.seen_images import SeenImages
from limner.errors import BadInput, shown
from limner.ground.caption_phrases import PhraseCollection
from limner.ground.dual_encoders import Mixture
from limner.ground.fisher_vectors import train_fisher_vectors
from limner.ground.grounder_encoder import GrounderEncoder, GrounderTexts, open_grounder_encoders
from limner.ground.held_out_images import held_out_warnings
from limner.ground.mixture_tuning import Tuned, recall_sum, tune_mixture
from limner.ground.phrase_distances import PhraseTable, RegionTable
from limner.ground.phrase_model import built_in_phrases
from limner.ground.region_phrase_cca import WINDOWS, RegionPhraseCCA, fit_region_phrase_cca, open_region_extractors
from limner.ground.retriever import NO_VECTORS, PACKAGED, Embedders, FisherCodebook, Retriever, TrainedOn
from limner.ground.training_views import PictureLooks, PictureView
from limner.ground.whole_image_cca import RIDGES, WholeImageCCA, fit_whole_image_cca, projected_texts
from limner.ground.whole_pictures import BUILT_IN, Crops, open_picture_features
from limner.learn.cca import NormalisedCCA
from limner.progress import Progress, silent
from limner.score.data_fingerprint import data_fingerprint, gold_numbers
from limner.text.text_embedders import TextEmbedder
from limner.text.word_bags import WordBag
from limner.text.word_choice import CONTENT
from limner.text.word_vectors import PACKAGE, open_word_vectors

# Images that are held out for the settings.
HELD_OUT = 0.1

# Images with captions, at least, to learn from, and to choose settings on.
FEWEST_IMAGES = 10

# Phrases with boxes, at least, to learn regions and phrases from.
FEWEST_PHRASES = 10


class TrainingPictures(NamedTuple):
    """Views of pictures: those to tune with, those that settings are chosen on, and those to learn from at last."""

    learning: Sequence[PictureView]
    held: Sequence[PictureView]
    final: Sequence[PictureView]


class TrainedRetriever(NamedTuple):
    """A retriever, and how every alpha and gamma did on the images that were held out."""

    retriever: Retriever
    tuned: Tuned


TextFeatures = Literal["mean", "fisher"]


@dataclass
class RetrieverTraining:
    """How a retriever is trained.

    `model` is a path, or `colour+shape`; `crops` are 1 or 10; `vectors` a file
    of word vectors (default: those of the installed package, if there are
    any). `text` is `mean`, means of word vectors beside a bag of words, or
    `fisher`, HGLMM Fisher vectors, whose codebook is learnt from the captions.
    With `regions`, regions and phrases are learnt too, where captions refer to
    boxes; those of a `grounder` count instead, if its file is given,
    and `cache` is a folder that keeps what it sees.
    Train it on the same images with the same seed: settings are then chosen on
    images that it has not learnt from either. `warnings` say what is wrong with
    the images that were looked at.
    """

    model: str = BUILT_IN
    crops: Crops = 1
    vectors: str | None = None
    regions: bool = True
    grounder: Path | None = None
    seed: int = 0
    workers: int | None = None
    cache: Path | None = None
    reading: Reading = field(default_factory=Reading)
    progress: Progress = silent
    warnings: list[str] = field(default_factory=list)
    text: TextFeatures = "mean"

    def train(
        self, images: Iterable[Image], pictures: Path, valid: Iterable[Image] | None = None, *, place: str = "corpus"
    ) -> Retriever:
        """A retriever of the images' captions; settings are chosen on `valid`, otherwise on a random tenth of them."""
        with_windows = self.regions and self.grounder is None
        looks = PictureLooks(self.model, (self.crops,), with_windows, self.grounder, self.cache, self.workers)
        return self.learn(self.look(looks, images, pictures, valid, place=place)).retriever

    def look(
        self,
        looks: PictureLooks,
        images: Iterable[Image],
        pictures: Path,
        valid: Iterable[Image] | None = None,
        *,
        place: str = "corpus",
    ) -> TrainingPictures:
        """Look at all pictures once, for one retriever or for several that `looks` are enough for."""
        given = [image for image in images if image.captions]
        if len(given) < FEWEST_IMAGES:
            problem = f"{len(given):,} images have captions, too few to learn from"
            raise BadInput(place, problem, f"give {FEWEST_IMAGES} or more", code="few-captions")
        others = [] if valid is None else [image for image in valid if image.captions]
        if shared := {image.id for image in given} & {image.id for image in others}:
            problem = f"{len(shared):,} images are held out too, such as {shown(min(shared))}"
            raise BadInput(place, problem, "choose settings on other images")
        # Errors of a file of vectors must come before hours of pictures.
        if self.vectors not in (None, NO_VECTORS, PACKAGED):
            open_word_vectors(self.vectors)
        if self.text == "fisher" and self._vectors() == NO_VECTORS:
            raise BadInput("Fisher vectors", "there are no word vectors", "install or give some", code="no-vectors")
        held_ids = {image.id for image in others} if valid is not None else _held_out(given, self.seed)
        views = looks.views([*given, *others], held_ids, pictures, self.reading, self.progress)
        learning = [view for view in views if view.image.id not in held_ids]
        held = [view for view in views if view.image.id in held_ids]
        if len(learning) < 2 or not held:
            raise BadInput(place, "too few images have pictures to learn from", "give more", code="few-captions")
        self._warn(looks, learning, held)
        # What was held out is learnt from at last, unless it is another corpus.
        return TrainingPictures(learning, held, views if valid is None else learning)

    def _warn(self, looks: PictureLooks, learning: Sequence[PictureView], held: Sequence[PictureView]) -> None:
        self.warnings += held_out_warnings([view.image for view in held], looks.grounder)
        n_phrases = sum(len(view.phrases) for view in learning)
        if looks.regions and 0 < n_phrases < FEWEST_PHRASES:
            self.warnings.append(
                f"of windows and phrases nothing is learnt: captions refer to boxes {n_phrases} times, "
                f"fewer than {FEWEST_PHRASES}"
            )

    def learn(self, pictures: TrainingPictures) -> TrainedRetriever:
        """The retriever, learnt from pictures that were looked at."""
        tuned, ridges = self._tune(pictures.learning, pictures.held)
        return TrainedRetriever(self._retriever(pictures, tuned, ridges), tuned)

    def _tune(self, learning: Sequence[PictureView], held: Sequence[PictureView]) -> tuple[Tuned, tuple[float, float]]:
        """The mixture, and the ridges of whole pictures and of regions, that do best on the held-out pictures."""
        embedder = self._embedders(learning).open()
        gold = np.repeat(np.arange(len(held)), [len(picture.image.captions) for picture in held])
        whole = np.stack([picture.whole[self.crops] for picture in held])
        texts = [caption.text for picture in held for caption in picture.image.captions]
        spaces = {ridge: self._whole_space(learning, embedder, ridge) for ridge in RIDGES}
        vectors = {r: (cca.transform(whole), projected_texts(cca, embedder, texts)) for r, cca in spaces.items()}
        rsums = {ridge: recall_sum(images @ of_texts.T, gold) for ridge, (images, of_texts) in vectors.items()}
        ridge = max(rsums, key=lambda r: rsums[r])
        none = Tuned(Mixture(1.0), {"whole": rsums[ridge]}, {})
        n_phrases = sum(len(picture.phrases) for picture in learning)
        if self.grounder is None and (not self.regions or n_phrases < FEWEST_PHRASES):
            return none, (ridge, 0.0)
        phrases = PhraseCollection(built_in_phrases()).add_all(c for p in held for c in p.image.captions)
        windows, starts = _regions_of([p.of_windows if self.grounder is None else p.of_proposals for p in held])
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

    def _retriever(self, pictures: TrainingPictures, tuned: Tuned, ridges: tuple[float, float]) -> Retriever:
        learning = pictures.final
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
            sum(len(picture.phrases) for picture in learning) if ridges[1] else 0,
            data_fingerprint(gold_numbers([picture.image for picture in learning])),
            self.seed,
            len(pictures.held),
            tuned.rsum,
        )
        whole = WholeImageCCA(features, embedder, self._whole_space(learning, embedder, ridges[0]))
        seen = SeenImages()
        for view in (*pictures.learning, *pictures.held):
            seen.add(view.image)
        images = None if seen.to_json() is None else seen
        return Retriever(
            whole, regions, tuned.mixture, self.model, self.crops, embedders, trained_on, self.grounder, images
        )

    def _whole_space(self, learning: Sequence[PictureView], embedder: TextEmbedder, ridge: float) -> NormalisedCCA:
        captions = [[caption.text for caption in picture.image.captions] for picture in learning]
        vectors = np.stack([picture.whole[self.crops] for picture in learning])
        return fit_whole_image_cca(vectors, captions, embedder, ridge=ridge)

    def _region_space(self, learning: Sequence[PictureView], embedder: TextEmbedder, ridge: float) -> NormalisedCCA:
        phrases = [phrase for picture in learning for phrase in picture.phrases]
        features = np.concatenate([picture.of_phrases for picture in learning if picture.of_phrases is not None])
        return fit_region_phrase_cca(phrases, features, embedder, ridge=ridge, seed=self.seed)

    def _embedders(self, learning: Sequence[PictureView]) -> Embedders:
        texts = [caption.text for picture in learning for caption in picture.image.captions]
        bag, source = WordBag.learn(texts), self._vectors()
        if self.text == "mean":
            return Embedders(bag, source)
        vectors = open_word_vectors(None if source == PACKAGED else source)
        fisher = train_fisher_vectors(texts, vectors, seed=self.seed, progress=self.progress)
        return Embedders(bag, source, FisherCodebook(fisher.to_arrays(), CONTENT.name))

    def _vectors(self) -> str:
        """The file of word vectors, or which others there are."""
        usual = PACKAGED if find_spec(PACKAGE) and find_spec("pyarrow") else NO_VECTORS
        return usual if self.vectors is None else self.vectors


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
    text: TextFeatures = "mean",
) -> Retriever:
    """A retriever learnt from images with captions, whose pictures are in a folder; see `RetrieverTraining`."""
    training = RetrieverTraining(model, crops, vectors, regions, grounder, seed, progress=progress, text=text)
    return training.train(images, pictures, valid)


def _held_out(images: Sequence[Image], seed: int) -> set[str]:
    """The ids of the images held out: a tenth, by chance. A grounder of the same seed tunes its weights on the same."""
    ids = {image.id for image in images}
    held = {id for id in ids if random_stream("tuning", seed, id).random() < HELD_OUT}
    return held if 0 < len(held) < len(ids) else {images[-1].id}


def _regions_of(held: Sequence[Singles | None]) -> tuple[Singles, Integers]:
    """The rows of pictures' regions one after the other, and where each picture begins."""
    starts = np.concatenate([[0], np.cumsum([0 if rows is None else len(rows) for rows in held])])
    return np.concatenate([rows for rows in held if rows is not None]), starts
