"""Scoring caption files from beginning to end: what a command, a server or a notebook asks for.

A `CaptionJob` says which files to score and how; `run` reads them, joins them,
measures them here or with ray, and compares the systems.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from limner.corpus import open_corpus
from limner.corpus.formats import UnknownFormat
from limner.corpus.formats.format import Head
from limner.corpus.plain_text import is_plain_text, read_plain_captions, read_plain_references
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.lazy import lazy
from limner.progress import Progress, silent, track
from limner.score.box_matching import MATCH_IOU
from limner.score.caption_evaluation import Evaluation, compare_systems, evaluate_run, evaluate_systems
from limner.score.document_frequencies import DocumentFrequencies, document_frequencies
from limner.score.given_captions import Captions, References, distinct_names, read_captions, read_references
from limner.score.leave_one_out import LeaveOneOut
from limner.score.metric import Metric, Scorer, Settings
from limner.score.metrics import USUAL, check_names, make_metrics, metric_list
from limner.score.paired import Comparison
from limner.score.pairing import Policy, checked_policy
from limner.score.resampling import SAMPLES

if TYPE_CHECKING:
    from limner.corpus.classes import class_words
    from limner.score import clip, external
    from limner.score.sharded import ray_engine
else:
    # What only some jobs ask for; ray and PyTorch take seconds to import.
    class_words = lazy("limner.corpus.classes.class_words")
    clip = lazy("limner.score.clip")
    external = lazy("limner.score.external")
    ray_engine = lazy("limner.score.sharded.ray_engine")

# Called with what was noticed in reading a corpus, as soon as it has been read.
Noticed = Callable[[Reading], None]


@dataclass(frozen=True)
class CaptionJob:
    """Which captions to score against which references, and how.

    `results` are a corpus or plain text for each system, `references` are
    joined by image id. `df` is `run`, `corpus` or the path of a file of
    document frequencies; `metric_files` have scores computed elsewhere;
    `synonyms` is a word list that comes with Limner (`published`, `limner`)
    or a file, `training` a corpus; `clip_model` is the folder of a model that
    looks at `pictures`. With the engine `ray`, all of them may be in shards;
    `address` is a cluster's and `partitions` their number.
    Boxes that results bring match gold's from an IoU of `match_iou` on.
    `keep_images` keeps the gold images for a page, `with_frequencies` the
    document frequencies of the references. `human` asks for what people
    score: each reference against the others, or so many held-out ones, chosen
    by the `seed`, against the rest.
    """

    results: Sequence[str]
    references: Sequence[str]
    metrics: str | Sequence[str] = USUAL
    by: Sequence[str] = ()
    df: str = "run"
    metric_files: Sequence[Path] = ()
    synonyms: str | Path | None = None
    training: str | None = None
    clip_model: Path | None = None
    pictures: Path | None = None
    meteor_tables: Path | None = None
    source: str | None = None
    match_iou: float = MATCH_IOU
    policy: Policy = field(default_factory=Policy)
    samples: int = SAMPLES
    engine: Literal["local", "ray"] = "local"
    address: str | None = None
    partitions: int | None = None
    lenient: bool = False
    keep_images: bool = False
    with_frequencies: bool = False
    human: int | Literal["leave-one-out"] | None = None
    seed: int = 0

    def run(self, progress: Progress = silent, noticed: Noticed = lambda _: None) -> CaptionScores:
        """Score the captions; `noticed` hears what was odd about each corpus."""
        checked_policy(self.policy)
        self._check_engine()
        named = metric_list(self.metrics)
        check_names(metric for metric in named if isinstance(metric, str))
        settings = self._settings(progress)
        metrics: list[str | Scorer] = [
            *named,
            *(external.scores_file(path) for path in self.metric_files),
            *self._clip(progress),
        ]
        score = self._score_with_ray if self.engine == "ray" else self._score_here
        systems, frequencies = score(metrics, settings, progress, noticed)
        # Without samples there are neither intervals nor tests.
        tested = bool(systems[1:] and self.samples)
        compared = compare_systems(systems, with_subsets=True) if tested else []
        human = self._human(systems, progress)
        return CaptionScores(systems, compared, frequencies, human[:1], human[1:])

    def _check_engine(self) -> None:
        """Raise an error for what needs the captions' words, which stay with ray's workers."""
        for asked, what in ((self.human is not None, "people's score"), (self.keep_images, "a page")):
            if asked and self.engine == "ray":
                raise LimnerError(f"{what} needs the captions themselves, which stay with ray", code="no-words")

    def _check_people(self, references: References) -> None:
        """Raise an error if no image has a reference beside those that are held out."""
        most = max(map(len, references.texts.values()), default=0)
        if self.human is not None and most <= (1 if self.human == "leave-one-out" else self.human):
            held_out = (
                "each reference is held out in turn" if self.human == "leave-one-out" else f"{self.human} are held out"
            )
            problem = f"no image has more than {most} reference{'' if most == 1 else 's'}, and {held_out}"
            remedy = "hold out fewer, or give more references" if most > 1 else "give more references"
            raise BadInput(references.place, problem, remedy)

    def _human(self, systems: Sequence[Evaluation], progress: Progress) -> list[Evaluation]:
        """People's scores by the metrics that look at captions, then each system's against as many references."""
        if self.human is None:
            return []
        held_out = None if self.human == "leave-one-out" else self.human
        elsewhere = {metric.name for path in self.metric_files for metric in [external.scores_file(path)]}
        metrics = [metric for metric in systems[0].metrics if metric.name not in elsewhere]
        scored = []
        for system in (None, *systems):
            progress("scoring people" if system is None else f"scoring {system.name} as people", 0, None)
            rounds = [LeaveOneOut(metric, system is None, held_out, self.seed, is_namesake=True) for metric in metrics]
            name = "human" if system is None else f"{system.name}, matched"
            run = (system or systems[0]).run
            scored.append(evaluate_run(name, run, rounds, by=self.by, policy=self.policy, samples=self.samples))
        return scored

    def _settings(self, progress: Progress) -> Settings:
        counted = None if self.df in ("run", "corpus") else DocumentFrequencies.load(Path(self.df))
        return Settings(
            counted or ("corpus" if self.df == "corpus" else "run"),
            self.meteor_tables,
            None if self.synonyms is None else class_words.word_list(self.synonyms),
            None if self.training is None else _gold_texts(self.training, self.lenient, progress),
            progress,
        )

    def _clip(self, progress: Progress) -> list[Metric]:
        if self.clip_model is None:
            return []
        if self.pictures is None:
            raise LimnerError("clip_score looks at pictures; give their folder", code="no-pictures")
        return [clip.ClipScore(self.clip_model, self.pictures, progress=progress)]

    def _score_here(
        self, metrics: Sequence[str | Scorer], settings: Settings, progress: Progress, noticed: Noticed
    ) -> Scored:
        # Made before anything is read: what cannot be measured is refused at once.
        made = make_metrics(metrics, settings)
        needs_images = any(key != "length" for key in self.by) or any(metric.needs_images for metric in made)
        references = self._read_references(self.keep_images or needs_images, progress, noticed)
        self._check_alike()
        self._check_people(references)
        captions = [self._read_captions(results, references, progress, noticed) for results in self.results]
        names = distinct_names([system.name for system in captions], [system.place for system in captions])
        systems = evaluate_systems(
            [replace(system, name=name) for system, name in zip(captions, names, strict=True)],
            references,
            metrics=made,
            by=self.by,
            policy=self.policy,
            match_iou=self.match_iou,
            samples=self.samples,
            progress=progress,
        )
        return systems, document_frequencies(systems[0].run) if self.with_frequencies else None

    def _score_with_ray(
        self, metrics: Sequence[str | Scorer], settings: Settings, progress: Progress, noticed: Noticed
    ) -> Scored:
        scored = ray_engine.evaluate_with_ray(
            self.results,
            list(self.references),
            address=self.address,
            metrics=metrics,
            by=self.by,
            settings=settings,
            policy=self.policy,
            match_iou=self.match_iou,
            source=self.source,
            samples=self.samples,
            lenient=self.lenient,
            partitions=self.partitions,
            with_frequencies=self.with_frequencies,
            progress=progress,
        )
        for reading in scored.readings:
            noticed(reading)
        return scored.systems, scored.frequencies

    def _read_references(self, keep_images: bool, progress: Progress, noticed: Noticed) -> References:
        plain = [source for source in self.references if is_plain_text(source)]
        if len(plain) == len(self.references):
            return read_references(read_plain_references(self.references), place=", ".join(self.references))
        if plain:
            raise BadInput(plain[0], "plain text among references that are not", "give all references alike")
        corpus = open_corpus(list(self.references), lenient=self.lenient)
        images = track(corpus, "images", progress)
        references = read_references(images, keep_images=keep_images, place=corpus.name)
        noticed(corpus.reading)
        return references

    def _check_alike(self) -> None:
        """Raise an error if lines would have to be joined to image ids: their numbers may be the ids of others."""
        is_text = is_plain_text(self.references[0])
        for results in self.results:
            if is_plain_text(results) != is_text:
                kinds = ("plain text", "a corpus, joined by image id")
                problem = f"it is {kinds[is_text]}, but the references are {kinds[not is_text]}"
                raise BadInput(results, problem, "give both as plain text, or both with image ids")

    def _read_captions(self, results: str, references: References, progress: Progress, noticed: Noticed) -> Captions:
        known = references.texts
        if is_plain_text(results):
            most = len(known) if self.policy.extra == "error" else None
            return read_captions(read_plain_captions(results, most=most), place=results)
        try:
            corpus = open_corpus(results, lenient=self.lenient)
        except UnknownFormat as error:
            remedy = (
                'give [{"image_id": 1, "caption": "…"}, …], lines of text (.txt), or a corpus; or name it as '
                "format:path"
            )
            # An empty list tells no format, and is not a wrong one.
            is_empty = "".join(Head(Path(error.place)).text.split()) == "[]"
            problem = "there are no captions" if is_empty else "unrecognised results format"
            raise BadInput(error.place, problem, remedy) from error
        captions = read_captions(
            track(corpus, "captions", progress),
            source=self.source,
            duplicate=self.policy.duplicate,
            place=corpus.name,
            known=known,
        )
        noticed(corpus.reading)
        return captions


Scored = tuple[list[Evaluation], DocumentFrequencies | None]


@dataclass(frozen=True)
class CaptionScores:
    """The evaluation of each system, how every two of them compare, and document frequencies if asked for.

    `compared` has comparisons on all images, then on each subset. `human` is
    what people score, if asked for, and `matched` each system against the
    references that people meet.
    """

    systems: Sequence[Evaluation]
    compared: Sequence[Comparison]
    frequencies: DocumentFrequencies | None = None
    human: Sequence[Evaluation] = ()
    matched: Sequence[Evaluation] = ()

    def to_json(self) -> dict[str, Any]:
        """The scores as the command line prints them in JSON: the first system's, then the others'."""
        first, *others = self.systems
        report = first.to_json()
        if others:
            report["system"] = first.name
            report["compared"] = {system.name: system.to_json() for system in others}
            report["differences"] = [comparison.to_json() for comparison in self.compared if not comparison.by]
            of_subsets = [comparison.to_json() for comparison in self.compared if comparison.by]
            if of_subsets:
                report["subset_differences"] = of_subsets
        for evaluation in self.human:
            report["human"] = evaluation.to_json()
            systems = zip(self.systems, self.matched, strict=True)
            report["matched"] = {system.name: as_people.to_json() for system, as_people in systems}
        return report


def _gold_texts(source: str, lenient: bool, progress: Progress) -> list[str]:
    images = track(open_corpus(source, lenient=lenient), "training images", progress)
    return [caption.text for image in images for caption in image.captions if caption.source == "gold"]
