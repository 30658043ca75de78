"""Training a grounder: cues from most pictures, then their weights from pictures that the cues have not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from limner.arrays import Singles
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap, SeenImages
from limner.errors import BadInput, LimnerError
from limner.ground.colour_classifiers import learn_colours
from limner.ground.cue_weights import fit_weights
from limner.ground.grounder import Grounder
from limner.ground.grounder_file import DRAWN_FOR_TUNING, TUNING_SHARE, GrounderParts, TrainedGrounder, open_embedder
from limner.ground.joint_grounding import RelationModel
from limner.ground.phrase_model import TYPES
from limner.ground.phrase_queries import PhraseEncoder, PhraseQuery
from limner.ground.picture_regions import PictureRegions, RegionReader, RegionRecipe
from limner.ground.position_cue import N_BINS, PositionCue, position_bins
from limner.ground.region_cache import keep_regions
from limner.ground.relation_strengths import fit_strengths, tied_sentences
from limner.ground.relation_training import learn_relations
from limner.ground.systems import CUES, FITTED, JOINT
from limner.ground.training_pictures import TrainingPicture, read_training_pictures, right_shares
from limner.lazy import lazy
from limner.learn.cca import NormalisedCCA
from limner.learn.principal_axes import PrincipalAxes
from limner.learn.ranking_network import RankedItems, RankingNetwork, RankingSettings, train_ranking
from limner.progress import Progress, silent
from limner.text.text_embedders import TextEmbedder

if TYPE_CHECKING:
    from limner.learn import blas_threads
else:
    blas_threads = lazy("limner.learn.blas_threads")

# Words and nouns that were met less often than this are known by their vectors alone.
FEWEST_MENTIONS = 4

# Regions of one and the same phrase that CCA learns from (Plummer et al. 2016, §4.1.1).
MOST_REGIONS = 10

# Pictures that a grounder needs: some to learn from, one to tune on.
FEWEST_PICTURES = 2

CCA_RIDGE = 1e-3

# Parts of the training pictures, each of which is scored by cues of the others. More would be nearer to the cues of
# all pictures, and take longer.
CROSS_FITS = 3


def train_grounder(
    images: Iterable[Image],
    pictures: Path,
    recipe: RegionRecipe | None = None,
    *,
    valid: Iterable[Image] | None = None,
    valid_name: str = "",
    seed: int = 0,
    workers: int = 2,
    cache: Path | None = None,
    place: str = "the training corpus",
    reading: Reading | None = None,
    progress: Progress = silent,
    settings: RankingSettings | None = None,
    vectors: str | Path | None = None,
) -> Grounder:
    """A grounder learnt from images whose captions' phrases have boxes, and from their pictures.

    `valid` are images that weights are tuned on, none of which may be a training image; by default
    a random tenth of the training images, of which no cue learns. `cache` is a folder that keeps
    what was seen in pictures for the next time, `place` what errors call the images. `vectors` is
    a file of word vectors (default: those of the installed package, if there are any).
    Equal seeds and data give equal grounders on one machine.
    """
    usable, tuning = _chosen_images(images, valid, seed, place)
    _check_unseen(tuning, usable, valid_name or "the images to tune on")
    recipe = recipe or RegionRecipe()
    embedder = open_embedder(vectors)
    readers = recipe.open(workers)
    keep_regions(readers, cache)
    read, axes = read_training_pictures(
        usable, pictures, readers, reading=reading, progress=progress, total=len(usable)
    )
    tuned, _ = read_training_pictures(
        tuning, pictures, readers, axes, reading=reading, progress=progress, total=len(tuning)
    )
    if not read or not tuned:
        raise BadInput(place, "no picture could be used", "name the folder of the pictures", code="no-picture")
    facts = TrainedGrounder(
        len(read),
        sum(1 for picture in read for _ in picture.phrases()),
        len(tuned),
        seed,
        DRAWN_FOR_TUNING if valid is None else valid_name or "given images",
    )
    source = _WordSource("" if vectors is None else str(Path(vectors).resolve()), embedder)
    seen = _seen(usable, tuning)
    lessons = _Lessons(recipe.resolved(), source, readers[0], axes, facts, seen, place, settings, progress)
    with blas_threads.one_blas_thread():
        return _related(lessons.tuned(read, tuned), lessons, read, tuned)


class _WordSource(NamedTuple):
    """The file of word vectors, "" for those of the installed package, and what embeds phrases with them."""

    path: str
    embedder: TextEmbedder | None


@dataclass(frozen=True)
class _Lessons:
    """Teaches grounders of one corpus, whatever pictures of it they learn from."""

    recipe: RegionRecipe
    vectors: _WordSource
    reader: RegionReader
    axes: PrincipalAxes
    facts: TrainedGrounder
    seen: SeenImages | None
    place: str
    settings: RankingSettings | None
    progress: Progress

    def tuned(
        self, pictures: Sequence[TrainingPicture], tuning: Sequence[TrainingPicture], fitted: Sequence[str] = FITTED
    ) -> Grounder:
        """A grounder that knows no relations: cues of some pictures, and of others their weights for some systems."""
        seed = self.facts.seed
        encoder = _learn_encoder(pictures, self.vectors.embedder)
        colours = learn_colours([_said(picture) for picture in pictures], seed)
        parts = GrounderParts(
            self.recipe,
            self.reader.signature,
            self.reader.class_names,
            encoder,
            self.axes,
            _learn_cca(pictures, encoder, seed, self.place),
            _learn_network(pictures, encoder, seed, self.progress, self.settings),
            colours.tuned([_said(picture) for picture in tuning]),
            _learn_positions(pictures).odds,
            RelationModel({}, {}),
            {name: np.zeros((len(TYPES), len(CUES))) for name in (*FITTED, JOINT)},
            self.facts,
            self.seen,
            self.vectors.path,
        )
        weights = fit_weights(Grounder(parts), tuning, self.progress, fitted)
        return Grounder(replace(parts, weights={**parts.weights, **weights}))


def _related(
    grounder: Grounder, lessons: _Lessons, pictures: Sequence[TrainingPicture], tuning: Sequence[TrainingPicture]
) -> Grounder:
    """The grounder with relations, and how much they count.

    Cues and relations are too sure of pictures that they learnt from. What they say of each third of
    the pictures is asked of cues and relations that learnt from the other two.
    """
    model = RelationModel(learn_relations(pictures, lessons.progress), {})
    sentences = [*tied_sentences(grounder, tuning, model)]
    n_pictures = len(tuning)
    for part in range(CROSS_FITS):
        held_out = pictures[part::CROSS_FITS]
        others = [picture for number, picture in enumerate(pictures) if number % CROSS_FITS != part]
        if held_out and others:
            cues = lessons.tuned(others, tuning, ("full",))
            relations = RelationModel(learn_relations(others, lessons.progress), {})
            sentences += tied_sentences(cues, held_out, relations, n_pictures)
            n_pictures += len(held_out)
    strong = fit_strengths(model, sentences, n_pictures, lessons.progress)
    return Grounder(replace(grounder.parts, relations=strong))


def _said(picture: TrainingPicture) -> tuple[PictureRegions, list[PhraseQuery]]:
    """The regions that phrases mean, a row for each phrase, and the phrases."""
    phrases = list(picture.phrases())
    return picture.gold.rows([row for _, row in phrases]), [query for query, _ in phrases]


def _chosen_images(
    images: Iterable[Image], valid: Iterable[Image] | None, seed: int, place: str
) -> tuple[list[Image], list[Image]]:
    """The images with phrases to learn from, and those to tune on."""
    usable = [image for image in images if _has_phrases(image)]
    tuning = [image for image in valid or () if _has_phrases(image)]
    if valid is None:
        usable, tuning = _split(usable, seed)
    if not usable or not tuning:
        problem = f"{len(usable) + len(tuning)} images have phrases with boxes, too few to learn from"
        raise BadInput(place, problem, "give more images whose captions refer to boxes", code="no-grounded-phrases")
    return usable, tuning


def _check_unseen(tuning: Iterable[Image], usable: Iterable[Image], place: str) -> None:
    """An error if images to tune on are training images: cues are too sure of what they learnt from."""
    seen = SeenImages()
    for image in usable:
        seen.add(image)
    overlap = Overlap.of(seen)
    for image in tuning:
        overlap.add(image)
    overlap.refuse_seen(place, can_be_allowed=False)


def _seen(*groups: Iterable[Image]) -> SeenImages | None:
    """Hashes of images; None if there are too many to keep."""
    seen = SeenImages()
    for image in chain(*groups):
        seen.add(image)
    return seen if seen.to_json() is not None else None


def _has_phrases(image: Image) -> bool:
    return any(mention.boxes for _, mention in image.mentions())


def _split(images: Sequence[Image], seed: int) -> tuple[list[Image], list[Image]]:
    """The images to learn from and those to tune on; if chance leaves either empty, the last one is for tuning."""
    tuning = [image for image in images if random_stream("tuning", seed, image.id).random() < TUNING_SHARE]
    if len(images) >= FEWEST_PICTURES and not 0 < len(tuning) < len(images):
        tuning = [images[-1]]
    chosen = {image.id for image in tuning}
    return [image for image in images if image.id not in chosen], tuning


def _learn_encoder(pictures: Sequence[TrainingPicture], embedder: TextEmbedder | None) -> PhraseEncoder:
    words: Counter[str] = Counter()
    nouns: Counter[str] = Counter()
    for picture in pictures:
        for query, _ in picture.phrases():
            words.update(set(query.words))
            nouns[query.noun] += 1
    return PhraseEncoder(_frequent(words), _frequent(nouns), embedder)


def _frequent(counts: Counter[str]) -> list[str]:
    return [name for name in sorted(counts) if counts[name] >= FEWEST_MENTIONS]


def _learn_network(
    pictures: Sequence[TrainingPicture],
    encoder: PhraseEncoder,
    seed: int,
    progress: Progress,
    settings: RankingSettings | None,
) -> RankingNetwork:
    groups = []
    for picture in pictures:
        phrases = list(picture.phrases())
        if phrases:
            shares = right_shares(picture.overlaps())[[row for _, row in phrases]]
            queries = encoder.encode([query for query, _ in phrases])
            groups.append(RankedItems(picture.proposals.descriptors().astype(np.float16), queries, shares))
    if not any(group.shares.any() for group in groups):
        # Nothing was ever proposed where a phrase is: what is learnt must still be usable.
        groups = [group._replace(shares=np.full_like(group.shares, 1.0 / group.shares.shape[1])) for group in groups]
    return train_ranking(groups, settings, seed=seed, progress=progress)


def _learn_cca(pictures: Sequence[TrainingPicture], encoder: PhraseEncoder, seed: int, place: str) -> NormalisedCCA:
    """CCA of phrases and the regions that they mean, at most `MOST_REGIONS` of one phrase, drawn at random."""
    said: dict[str, list[tuple[PhraseQuery, Singles]]] = {}
    for picture in pictures:
        rows = picture.gold.descriptors()
        for query, row in picture.phrases():
            said.setdefault(query.text.lower(), []).append((query, rows[row]))
    rng = np.random.default_rng(seed)
    chosen = []
    for text in sorted(said):
        pairs = said[text]
        order = rng.permutation(len(pairs))[:MOST_REGIONS]
        chosen += [pairs[i] for i in sorted(order)]
    cca = NormalisedCCA(ridge=CCA_RIDGE)
    rows = np.array([row for _, row in chosen], dtype=np.float32).reshape(len(chosen), -1)
    try:
        cca.fit(rows, encoder.encode([query for query, _ in chosen]))
        # Directions are computed when they are first asked for.
        len(cca.correlations_)
    except LimnerError as error:
        problem = f"{len(chosen)} phrases with boxes are too few to learn from, or too much alike ({error})"
        raise BadInput(
            place, problem, "give more images whose captions refer to boxes", code="no-grounded-phrases"
        ) from error
    return cca


def _learn_positions(pictures: Sequence[TrainingPicture]) -> PositionCue:
    proposed = np.zeros(N_BINS)
    said = []
    for picture in pictures:
        proposed += np.bincount(position_bins(picture.proposals.position), minlength=N_BINS)
        bins = position_bins(picture.gold.position)
        said += [(query, int(bins[row])) for query, row in picture.phrases()]
    return PositionCue.learn(said, proposed)
