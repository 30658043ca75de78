"""The captions of each row of the novel-object experiment; captioners and captions are made once, and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from limner.caption.captioned import Captioned
from limner.caption.captioner_files import read_captioner_record
from limner.caption.captioning import CaptionSettings, CorpusCaptioner, caption_corpus
from limner.corpus.image import Image
from limner.corpus.linking import link
from limner.describe import describe, learned
from limner.describe.realise.baselines import RetrievalRealiser
from limner.describe.realise.caption_index import CaptionIndex
from limner.describe.realise.fluent_realiser import FluentRealiser
from limner.describe.realise.phrasebook_learning import learn_phrasebook
from limner.experiments.captioner_cache import CaptionerCache
from limner.experiments.experiment_cache import ExperimentCache, images_signature, signature_of
from limner.experiments.novel_object_constraints import Choices, RowConstraints
from limner.experiments.novel_object_images import NovelObjectImages
from limner.experiments.novel_object_rows import Regions, RowSpec
from limner.lazy import lazy
from limner.progress import Progress, silent, track

if TYPE_CHECKING:
    from limner.caption.constraints.worded_constraints import Worded
    from limner.caption.models import corpus_captioners
    from limner.learn.torch import thread_choice
else:
    corpus_captioners = lazy("limner.caption.models.corpus_captioners")
    thread_choice = lazy("limner.learn.torch.thread_choice")

# Raised whenever the same row and images would be captioned otherwise.
CODE = 2

# Attributes of results: what was asked for, the first phrase of each, how many of these the caption says, and what
# else would have been asked for if the captioner had words for it.
ASKED, N_MET, N_UNSAYABLE = "asked", "n_met", "n_unsayable"
SEPARATOR = "; "


@dataclass
class RowCaptions:
    """Makes the captions of rows, or reads those of an earlier run."""

    images: NovelObjectImages
    captioners: CaptionerCache
    constraints: RowConstraints
    cache: ExperimentCache
    seed: int = 0
    threads: int = 1
    progress: Progress = silent
    _training: str = field(init=False, repr=False)
    _views: dict[str, str] = field(init=False, repr=False)
    _choices: dict[RowSpec, Choices] = field(init=False, default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._training = images_signature(self.images.training)
        views = {"detected": self.images.detected, "gold": self.images.tests}
        self._views = {name: images_signature(images) for name, images in views.items()}

    def with_listeners(self, progress: Progress, notice: Callable[[str], None]) -> RowCaptions:
        """The same with others who hear of its progress."""
        cache = replace(self.cache, notice=notice)
        captioners = replace(self.captioners, cache=cache, progress=progress)
        return replace(self, captioners=captioners, cache=cache, progress=progress)

    def prepare(self, rows: Sequence[RowSpec]) -> None:
        """Make what rows share before several processes want it: features of the images."""
        if any(row.captioner is not None for row in rows):
            self.captioners.features_of(self.images.training)
        for regions in {row.regions for row in rows if row.captioner is not None}:
            self.captioners.features_of(self._regions(regions))

    def of(self, row: RowSpec) -> list[Image]:
        """The results of a row: a caption for each test image, in their order, by a source of its own."""
        name, results = self._planned(row)
        return self.cache.images(name, lambda: _by_row(row, results()), f"{row.name}: captioning")

    def signature(self, row: RowSpec) -> str:
        """A few letters that are others for captions that were made in another way, or of other images."""
        return self._planned(row)[0].rpartition("-")[2]

    def are_made(self, row: RowSpec) -> bool:
        """Whether the captions of a row are there already."""
        if row.captioner is not None and not self.captioners.is_trained(row.captioner):
            return False
        return self.cache.has_images(self._planned(row)[0])

    def _planned(self, row: RowSpec) -> tuple[str, Callable[[], Iterable[Image]]]:
        """The name of a row's file, and what makes its results; its captioner is trained."""
        plans: dict[str, Callable[[RowSpec], tuple[str, Callable[[], Iterable[Image]]]]] = {
            "captioner": self._captioned,
            "realiser": self._realised,
            "retrieval": self._retrieved,
        }
        key, results = plans[row.system](row)
        return f"captions/{row.slug}-{key}", results

    def _captioned(self, row: RowSpec) -> tuple[str, Callable[[], Iterable[Image]]]:
        assert row.captioner is not None
        folder = self.captioners.folder(row.captioner)
        record = read_captioner_record(folder)
        if row not in self._choices:
            self._choices[row] = self.constraints.of(row)
        choices = self._choices[row]
        views = self._regions(row.regions)
        features = self.captioners.features_of(views)
        key = signature_of(
            CODE,
            # The folder is named by all that the captioner is made of, its search and its features too.
            folder.name,
            record.weights,
            record.regions.signature,
            record.words.signature,
            self._views[row.regions],
            {id: [[c.phrases, c.boxes] for c in chosen] for id, chosen in choices.items()},
            self.threads,
        )
        return key, lambda: self._caption(row, folder, views, choices, features)

    def _regions(self, regions: Regions) -> Sequence[Image]:
        """The test images with the boxes that captioners look at."""
        return self.images.tests if regions == "gold" else self.images.detected

    def _caption(
        self, row: RowSpec, folder: Path, views: Sequence[Image], choices: Choices, features: str | None
    ) -> Iterator[Image]:
        words = self.captioners.words if row.captioner is not None and row.captioner.words != "learnt" else None
        captioner = corpus_captioners.open_captioner(folder, features=features, words=words)
        asked: dict[str, Sequence[Worded]] = {}

        def ask(image: Image) -> Sequence[Worded]:
            asked[image.id] = _sayable(captioner, choices.get(image.id, ()))
            return asked[image.id]

        met: dict[str, int] = {}

        def explain(image: Image, captioned: Captioned) -> None:
            met[image.id] = sum(captioned.satisfied)

        bare = (structs.replace(view, captions=(), chains=()) for view in views)
        tracked = track(bare, f"images by {row.name}", self.progress, len(views))
        with thread_choice.thread_count(self.threads):
            for result in caption_corpus(tracked, captioner, CaptionSettings(), ask=ask, explain=explain):
                phrases = SEPARATOR.join(constraint.phrases[0] for constraint in asked[result.id])
                facts = {}
                if row.asked != "nothing":
                    n_unsayable = len(choices.get(result.id, ())) - len(asked[result.id])
                    facts = {ASKED: phrases, N_MET: met[result.id], N_UNSAYABLE: n_unsayable}
                yield structs.replace(result, attributes=facts)

    def _realised(self, row: RowSpec) -> tuple[str, Callable[[], Iterable[Image]]]:
        key = signature_of(CODE, self._training, self._views["detected"], self.seed)

        def results() -> Iterable[Image]:
            training = [link(image) for image in self.images.training]
            selector = learned.train_selector(training, seed=self.seed, progress=self.progress)
            realiser = FluentRealiser(learn_phrasebook(training, self.progress), seed=self.seed)
            tracked = track(self.images.detected, f"images by {row.name}", self.progress, len(self.images.detected))
            return describe(tracked, selector, realiser)

        return key, results

    def _retrieved(self, row: RowSpec) -> tuple[str, Callable[[], Iterable[Image]]]:
        key = signature_of(CODE, self._training, self._views["detected"])

        def results() -> Iterable[Image]:
            realiser = RetrievalRealiser(CaptionIndex.build(self.images.training))
            for view in track(self.images.detected, f"images by {row.name}", self.progress, len(self.images.detected)):
                yield Image(view.id, captions=(realiser.realise(view),), provenance=view.provenance)

        return key, results


def _by_row(row: RowSpec, results: Iterable[Image]) -> Iterator[Image]:
    """The results with the row for their source, so that rows can be scored side by side."""
    for result in results:
        captions = tuple(structs.replace(caption, source=f"system:{row.slug}") for caption in result.captions)
        yield structs.replace(result, captions=captions)


def unsayable_warning(name: str, results: Sequence[Image]) -> str:
    """A warning of constraints that a row's captioner has no words for; "" if there are none."""
    n_unsayable = sum(int(result.attributes.get(N_UNSAYABLE, 0)) for result in results)
    if not n_unsayable:
        return ""
    asked = (str(result.attributes.get(ASKED, "")) for result in results)
    n_asked = sum(len(phrases.split(SEPARATOR)) for phrases in asked if phrases)
    return f"{name}: {n_unsayable:,} of {n_asked + n_unsayable:,} constraints left out; the captioner lacks their words"


def _sayable(captioner: CorpusCaptioner, constraints: Sequence[Worded]) -> list[Worded]:
    """The constraints that a captioner has words for."""
    return [constraint for constraint in constraints if captioner.can_say(constraint.phrases)]
