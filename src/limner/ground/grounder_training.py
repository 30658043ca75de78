"""Training a grounder: cues from most pictures, then their weights from pictures that the cues have not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from limner.arrays import Singles
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.corpus.reading import Reading
from limner.corpus.seen_images import SeenImages
from limner.errors import BadInput
from limner.ground.colour_cue import ColourCue
from limner.ground.cue_weights import fit_weights
from limner.ground.grounder import Grounder
from limner.ground.grounder_file import GrounderParts, TrainedGrounder, default_embedder
from limner.ground.joint_grounding import RelationModel
from limner.ground.phrase_model import TYPES
from limner.ground.phrase_queries import PhraseEncoder, PhraseQuery
from limner.ground.picture_regions import RegionRecipe
from limner.ground.position_cue import N_BINS, PositionCue, position_bins
from limner.ground.region_cache import keep_regions
from limner.ground.relation_training import learn_relations, learn_strengths
from limner.ground.systems import CUES, FITTED, JOINT
from limner.ground.training_pictures import TrainingPicture, read_training_pictures, right_shares
from limner.learn.cca import NormalisedCCA
from limner.learn.ranking_network import RankedItems, RankingNetwork, RankingSettings, train_ranking
from limner.progress import Progress, silent

# The share of the training images on which weights are tuned, unless others are given for that.
TUNING_SHARE = 0.1

# Words and nouns that were met less often than this are known by their vectors alone.
FEWEST_MENTIONS = 4

# Regions of one and the same phrase that CCA learns from (Plummer et al. 2016, §4.1.1).
MOST_REGIONS = 10

# Pictures that a grounder needs: some to learn from, one to tune on.
FEWEST_PICTURES = 2

CCA_RIDGE = 1e-3


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
) -> Grounder:
    """A grounder learnt from images whose captions' phrases have boxes, and from their pictures.

    `valid` are images that weights are tuned on; by default a random tenth of the training images,
    of which nothing else is learnt. `cache` is a folder that keeps what was seen in pictures for
    the next time, `place` what errors call the images.
    Equal seeds and data give equal grounders on one machine.
    """
    recipe = recipe or RegionRecipe()
    usable = [image for image in images if _has_phrases(image)]
    tuning = [image for image in valid or () if _has_phrases(image)]
    if valid is None:
        usable, tuning = _split(usable, seed)
    if not usable or not tuning:
        problem = f"{len(usable) + len(tuning)} images have phrases with boxes, too few to learn from"
        raise BadInput(place, problem, "give more images whose captions refer to boxes", code="no-grounded-phrases")
    seen = SeenImages()
    for image in (*usable, *tuning):
        seen.add(image)
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
    encoder = _learn_encoder(read)
    network = _learn_network(read, encoder, seed, progress, settings)
    grounder = Grounder(
        GrounderParts(
            _resolved(recipe),
            readers[0].signature,
            readers[0].class_names,
            encoder,
            axes,
            _learn_cca(read, encoder, seed),
            network,
            _learn_colours(read, seed).classifier,
            _learn_positions(read).odds,
            RelationModel(learn_relations(read, progress), {}),
            {name: np.zeros((len(TYPES), len(CUES))) for name in (*FITTED, JOINT)},
            TrainedGrounder(
                len(read),
                sum(1 for picture in read for _ in picture.phrases()),
                len(tuned),
                seed,
                valid_name or f"{TUNING_SHARE:.0%} of the training images",
            ),
            seen if seen.to_json() is not None else None,
        )
    )
    return _tuned(grounder, tuned, progress)


def _tuned(grounder: Grounder, pictures: Sequence[TrainingPicture], progress: Progress) -> Grounder:
    """The grounder with weights of cues and strengths of relations that suit these pictures."""
    fitted = Grounder(replace(grounder.parts, weights=fit_weights(grounder, pictures, progress)))
    return Grounder(replace(fitted.parts, relations=learn_strengths(fitted, pictures, progress)))


def _has_phrases(image: Image) -> bool:
    return any(mention.boxes for _, mention in image.mentions())


def _split(images: Sequence[Image], seed: int) -> tuple[list[Image], list[Image]]:
    """The images to learn from and those to tune on; if chance leaves either empty, the last one is for tuning."""
    tuning = [image for image in images if random_stream("tuning", seed, image.id).random() < TUNING_SHARE]
    if len(images) >= FEWEST_PICTURES and not 0 < len(tuning) < len(images):
        tuning = [images[-1]]
    chosen = {image.id for image in tuning}
    return [image for image in images if image.id not in chosen], tuning


def _resolved(recipe: RegionRecipe) -> RegionRecipe:
    """The recipe with whole paths, so that a grounder can be used from any folder."""
    paths = (None if path is None else str(Path(path).resolve()) for path in (recipe.features, recipe.detector))
    return RegionRecipe(*paths)


def _learn_encoder(pictures: Sequence[TrainingPicture]) -> PhraseEncoder:
    words: Counter[str] = Counter()
    nouns: Counter[str] = Counter()
    for picture in pictures:
        for query, _ in picture.phrases():
            words.update(set(query.words))
            nouns[query.noun] += 1
    return PhraseEncoder(_frequent(words), _frequent(nouns), default_embedder())


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


def _learn_cca(pictures: Sequence[TrainingPicture], encoder: PhraseEncoder, seed: int) -> NormalisedCCA:
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
    cca.fit(np.stack([row for _, row in chosen]), encoder.encode([query for query, _ in chosen]))
    return cca


def _learn_colours(pictures: Sequence[TrainingPicture], seed: int) -> ColourCue:
    pairs = [(picture.gold.colours[row].astype(np.float32), q) for picture in pictures for q, row in picture.phrases()]
    return ColourCue.learn([row for row, _ in pairs], [query for _, query in pairs], seed)


def _learn_positions(pictures: Sequence[TrainingPicture]) -> PositionCue:
    proposed = np.zeros(N_BINS)
    said = []
    for picture in pictures:
        proposed += np.bincount(position_bins(picture.proposals.position), minlength=N_BINS)
        bins = position_bins(picture.gold.position)
        said += [(query, int(bins[row])) for query, row in picture.phrases()]
    return PositionCue.learn(said, proposed)
