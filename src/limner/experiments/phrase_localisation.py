"""Phrase localisation by every system: Tables 5 and 6, Figures 7 to 11 of Plummer et al. (2016), for any corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from limner.corpus import open_corpus
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap, SeenImages
from limner.ground.chunking import chunk_image
from limner.ground.colour_confusion import ColourConfusions, colour_confusions
from limner.ground.grounder import Grounder
from limner.ground.grounder_training import train_grounder
from limner.ground.localising import (
    CandidatePicture,
    Candidates,
    LocaliseSettings,
    look_for_candidates,
    point,
    with_few_candidates,
    without_boxes,
)
from limner.ground.phrase_queries import read_queries
from limner.ground.picture_regions import RegionRecipe
from limner.ground.picture_workers import work_on_pictures
from limner.ground.region_cache import keep_regions
from limner.ground.systems import EITHER, JOINT, LARGEST, STEPS, SYSTEMS
from limner.progress import Progress, silent, track
from limner.score.localisation.cue_explanations import PhraseKey
from limner.score.localisation.gold_phrases import GoldPhrases, read_gold
from limner.score.localisation.localisation_evaluation import LocalisationScores, SystemScores, evaluate_localisation
from limner.score.resampling import SAMPLES

# The row of the joint system whose phrases are found in the captions instead of given (the paper's footnote 3).
CHUNKED = f"{JOINT}, found phrases"

# Proposals of a picture that are compared.
SWEEP = (50, 100, 200, 300, 400, 500)

# Systems that say nothing more than others where there is no detector.
OF_DETECTOR = ("detector", EITHER, "detector-and-colour")


def systems_of(grounder: Grounder) -> list[str]:
    """The systems that a grounder's models allow."""
    return [name for name in SYSTEMS if grounder.parts.class_names or name not in OF_DETECTOR]


def tested_pairs(systems: Sequence[str]) -> list[tuple[str, str]]:
    """Which systems are tested: each against the one that it adds to, and the last against the largest region."""
    pairs = [(second, first) for first, second in pairwise(name for name in STEPS if name in systems)]
    more = (("detector", EITHER), ("detector-and-colour", "detector"), (JOINT, LARGEST))
    return [*pairs, *(pair for pair in more if set(pair) <= set(systems))]


@dataclass(frozen=True)
class ExperimentSetting:
    """Where pictures are, what looks at them, and how the experiment is run.

    `recipe` names the models of a grounder that is trained, or where those of a
    `model` are now. `cache` keeps what is seen in pictures.
    """

    pictures: Path
    recipe: RegionRecipe = field(default_factory=RegionRecipe)
    model: Path | None = None
    cache: Path | None = None
    workers: int = 2
    seed: int = 0
    samples: int = SAMPLES
    sweep: Sequence[int] = SWEEP
    allow_overlap: bool = False
    lenient: bool = False


@dataclass(frozen=True)
class LocalisationExperiment:
    """What every system scores on the test pictures.

    `proposals` has all systems that there are, `gold` the same among the
    boxes of the corpus, `chunked` is the joint system with phrases that were
    found in the captions, `sweep` the joint system with other numbers of
    proposals, `colours` which colours are taken for which. `n_met` counts the
    nouns of the training phrases, `explanations` are of the joint system.
    """

    grounder: Grounder
    proposals: LocalisationScores
    gold: LocalisationScores
    chunked: SystemScores
    sweep: dict[int, SystemScores]
    colours: ColourConfusions
    explanations: Mapping[PhraseKey, Mapping[str, float]]
    n_met: Mapping[str, int] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    readings: Sequence[Reading] = ()

    def system(self, name: str, candidates: Candidates = "proposals") -> SystemScores:
        scores = self.proposals if candidates == "proposals" else self.gold
        return next(system for system in scores.systems if system.name == name)


def localisation_experiment(
    train: str,
    test: str,
    setting: ExperimentSetting,
    *,
    valid: str | None = None,
    progress: Progress = silent,
) -> LocalisationExperiment:
    """Train a grounder on one corpus, unless a model is given, and score every system on another.

    `valid` are images to tune weights on (default: a tenth of the training
    images). Test images that were trained on are an error unless overlap is allowed.
    Memory holds the regions of all test pictures, about 1 MB for each.
    """
    known, unseen = (open_corpus(source, lenient=setting.lenient) for source in (train, test))
    tuning = None if valid is None else open_corpus(valid, lenient=setting.lenient)
    reading, nouns, seen = Reading(lenient=setting.lenient), _Nouns(), SeenImages()
    images = list(track(unseen, "test images", progress))
    training = list(seen.watch(nouns.watch(track(known, "training images", progress))))
    tuned_on = None if tuning is None else list(seen.watch(track(tuning, "images to tune on", progress)))
    # What would be refused after an hour of training is refused now.
    overlap = _check_overlap(images, unseen.name, setting.allow_overlap, seen)
    if setting.model is None:
        grounder = train_grounder(
            training,
            setting.pictures,
            setting.recipe,
            valid=tuned_on,
            valid_name="" if valid is None else Path(valid).name,
            seed=setting.seed,
            workers=setting.workers,
            cache=setting.cache,
            place=known.name,
            reading=reading,
            progress=progress,
        )
    else:
        grounder = Grounder.load(setting.model)
        overlap = _check_overlap(images, unseen.name, setting.allow_overlap, seen, grounder.training_images)
    setting = replace(setting, recipe=grounder.parts.recipe.elsewhere(setting.recipe))
    scored = score_systems(grounder, images, setting, place=unseen.name, reading=reading, progress=progress)
    return replace(
        scored,
        n_met=nouns.counts,
        warnings=[*scored.warnings, *overlap.warnings()],
        readings=[known.reading, unseen.reading, *([tuning.reading] if tuning else []), reading],
    )


def score_systems(
    grounder: Grounder,
    images: Iterable[Image],
    setting: ExperimentSetting,
    *,
    place: str = "test images",
    reading: Reading | None = None,
    progress: Progress = silent,
) -> LocalisationExperiment:
    """Score every system of a grounder on images with gold boxes; `place` names them in errors."""
    given = [truth.image for truth in read_gold(images, place=place).images.values()]
    lookout = _Lookout(grounder, setting, reading, progress)
    proposed = lookout.look(given, "proposals")
    # A picture that could not be used was counted, where that is allowed; it is not scored either.
    usable = {picture.image.id for picture in proposed}
    shown = [image for image in given if image.id in usable]
    judge = _Judge(grounder, read_gold(shown, place=place), setting, progress)
    proposals = judge.score_all(proposed, "proposals")
    chunked = judge.score(
        {CHUNKED: LocaliseSettings()}, [_with_found_phrases(picture, grounder) for picture in proposed]
    )
    gold = judge.score_all(lookout.look(shown, "gold"), "gold")
    return LocalisationExperiment(
        grounder,
        proposals,
        gold,
        chunked.systems[0],
        _sweep(judge, lookout.look(shown, "proposals", max(setting.sweep)), setting.sweep) if setting.sweep else {},
        colours=lookout.confuse_colours(shown),
        explanations=judge.explain(proposed),
        warnings=[warning for system in (*proposals.systems, *chunked.systems) for warning in system.warnings],
    )


@dataclass(frozen=True)
class _Lookout:
    """Looks at the pictures of images."""

    grounder: Grounder
    setting: ExperimentSetting
    reading: Reading | None
    progress: Progress

    def look(
        self, images: Sequence[Image], candidates: Candidates, n_proposals: int | None = None
    ) -> list[CandidatePicture]:
        """The candidates of each picture, and what cues say of them."""
        setting = self.setting
        readers = self.grounder.open_readers(setting.workers, setting.recipe, n_proposals=n_proposals)
        keep_regions(readers, setting.cache)
        workers = [
            partial(look_for_candidates, reader=reader, grounder=self.grounder, candidates=candidates)
            for reader in readers
        ]
        visible = with_few_candidates(images, self.reading) if candidates == "gold" else map(without_boxes, images)
        pictures = work_on_pictures(visible, setting.pictures, workers, self.reading)
        name = f"pictures, {n_proposals or candidates}"
        return list(track(pictures, name, self.progress, len(images)))

    def confuse_colours(self, images: Sequence[Image]) -> ColourConfusions:
        """Which colours of gold regions the grounder's classifiers take for which."""
        setting = self.setting
        readers = self.grounder.open_readers(setting.workers, setting.recipe)
        keep_regions(readers, setting.cache)
        watched = track(images, "pictures, colours", self.progress, len(images))
        return colour_confusions(self.grounder, watched, setting.pictures, readers=readers, reading=self.reading)


@dataclass(frozen=True)
class _Judge:
    """Scores systems of a grounder against gold."""

    grounder: Grounder
    gold: GoldPhrases
    setting: ExperimentSetting
    progress: Progress

    def score_all(self, pictures: Sequence[CandidatePicture], candidates: Candidates) -> LocalisationScores:
        """The scores of all systems among these candidates."""
        names = systems_of(self.grounder)
        return self.score({name: LocaliseSettings(candidates, name) for name in names}, pictures, tested_pairs(names))

    def score(
        self,
        systems: Mapping[str, LocaliseSettings],
        pictures: Sequence[CandidatePicture],
        compared: Collection[tuple[str, str]] = (),
    ) -> LocalisationScores:
        """The scores of systems, by their names, on the same pictures."""
        results = {name: self._answer(pictures, settings) for name, settings in systems.items()}
        return evaluate_localisation(
            results, self.gold, samples=self.setting.samples, compared=compared, progress=self.progress
        )

    def _answer(self, pictures: Iterable[CandidatePicture], settings: LocaliseSettings) -> Iterator[Image]:
        for picture in pictures:
            yield point(picture, self.grounder, settings).image

    def explain(self, pictures: Iterable[CandidatePicture]) -> dict[PhraseKey, dict[str, float]]:
        """What each cue said for the answers of the joint system."""
        points: dict[PhraseKey, dict[str, float]] = {}
        for picture in pictures:
            answers = point(picture, self.grounder, LocaliseSettings()).answers
            for caption, said in zip(picture.image.captions, answers, strict=True):
                for answer in said:
                    key = picture.image.id, caption.id, answer.query.start, answer.query.end
                    points[key] = answer.points
        return points


def _sweep(judge: _Judge, pictures: Sequence[CandidatePicture], numbers: Sequence[int]) -> dict[int, SystemScores]:
    """The joint system among the first n proposals of each picture, for these n."""
    scores = {}
    for n in numbers:
        fewer = [_first(picture, n, judge.grounder) for picture in pictures]
        (scores[n],) = judge.score({f"{n} proposals": LocaliseSettings(n_proposals=n)}, fewer).systems
    return scores


def _first(picture: CandidatePicture, n: int, grounder: Grounder) -> CandidatePicture:
    regions = picture.regions.rows(slice(0, n))
    table = grounder.cue_table_of(picture.image.captions, regions)
    return CandidatePicture(picture.image, picture.boxes[:n], regions, table)


def _with_found_phrases(picture: CandidatePicture, grounder: Grounder) -> CandidatePicture:
    """The picture with the phrases that are found in its captions in place of gold's."""
    image = chunk_image(picture.image, again=True)
    return replace(picture, image=image, table=grounder.cue_table_of(image.captions, picture.regions))


def _check_overlap(images: Iterable[Image], place: str, allowed: bool, *seen: SeenImages | None) -> Overlap:
    """How many images were trained on, which is an error unless it is allowed."""
    overlap = Overlap.of(*seen)
    for image in images:
        overlap.add(image)
    if not allowed:
        overlap.refuse_seen(place)
    return overlap


class _Nouns:
    """The nouns of the phrases that pass, counted."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def watch(self, images: Iterable[Image]) -> Iterator[Image]:
        for image in images:
            for caption in image.captions:
                self.counts.update(query.noun for query in read_queries(caption) if query.is_visual)
            yield image
