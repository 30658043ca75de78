"""Captioners of whole corpora: Limner's own from regions, and Hugging Face's from pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from limner.caption.captioned import Captioned
from limner.caption.captioner_files import is_captioner
from limner.caption.captioning import Ask, CaptionSettings, CorpusCaptioner
from limner.caption.constraints.worded_constraints import Worded, Words
from limner.caption.models.captioner import Captioner, CaptionRequest
from limner.caption.region_streams import stream_regions
from limner.caption.search.search_settings import SearchOptions
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.corpus.seen_images import SeenImages
from limner.errors import BadInput, LimnerError, shown
from limner.lazy import lazy
from limner.vision.picture_stream import read_ahead

if TYPE_CHECKING:
    from limner.caption.models import hugging_face_captioner
else:
    # It imports transformers, which takes longer than all the rest.
    hugging_face_captioner = lazy("limner.caption.models.hugging_face_captioner")

# What is counted where constraints may be left out.
UNSAYABLE = "constraint that the captioner has no words for"

Item = TypeVar("Item")


@dataclass
class RegionCaptioner:
    """A captioner of Limner's own, on the regions that it was trained to look at.

    The requests of the last batch are kept, so that captions can be explained.
    """

    captioner: Captioner
    pictures: Path | None = None
    features: str | None = None
    workers: int = 1
    reading: Reading = field(default_factory=Reading)
    requests: dict[str, CaptionRequest] = field(default_factory=dict)

    @property
    def training_images(self) -> SeenImages | None:
        return self.captioner.training_images

    def can_say(self, phrases: Sequence[str]) -> bool:
        return bool(self.captioner.sayable(phrases))

    def caption_images(
        self, images: Iterable[Image], ask: Ask, settings: CaptionSettings
    ) -> Iterator[tuple[Image, Captioned]]:
        streamed = stream_regions(
            images,
            self.captioner.record.regions,
            self.captioner.labels,
            pictures=self.pictures,
            features=self.features,
            workers=self.workers,
            reading=self.reading,
        )
        while batch := _next(streamed, settings.batch):
            requests = [CaptionRequest(image, regions, self._asked(image, ask(image))) for image, regions in batch]
            self.requests = {request.image.id: request for request in requests}
            captioned = self.captioner.caption(requests, at_least=settings.at_least, **search_options(settings))
            yield from zip([image for image, _ in batch], captioned, strict=True)

    def _asked(self, image: Image, constraints: Sequence[Worded]) -> list[Worded]:
        """The constraints that the captioner has words for; others are an error, or left out by a lenient reading."""
        asked = []
        for constraint in constraints:
            if self.can_say(constraint.phrases):
                asked.append(constraint)
            else:
                error = self.captioner.unsayable(image, constraint)
                self.reading.skip(UNSAYABLE, error)
        return asked


@dataclass
class PictureCaptioner:
    """An image-to-text model of Hugging Face's, which looks at pictures as a whole; what it has seen nobody knows."""

    captioner: hugging_face_captioner.HuggingFaceCaptioner
    pictures: Path
    reading: Reading = field(default_factory=Reading)

    training_images = None

    def can_say(self, phrases: Sequence[str]) -> bool:
        return bool(self.captioner.sayable(phrases))

    def caption_images(
        self, images: Iterable[Image], ask: Ask, settings: CaptionSettings
    ) -> Iterator[tuple[Image, Captioned]]:
        streamed = read_ahead(images, self.pictures, self.reading)
        while batch := _next(streamed, settings.batch):
            constraints = [self._asked(seen.image, ask(seen.image)) for seen in batch]
            captioned = self.captioner.caption(
                [seen.pixels for seen in batch],
                constraints,
                at_least=settings.at_least,
                ids=["0"] * len(batch),
                source="system:hugging-face",
                **search_options(settings),
            )
            yield from zip([seen.image for seen in batch], captioned, strict=True)

    def _asked(self, image: Image, constraints: Sequence[Worded]) -> list[Worded]:
        """The constraints by phrases that the tokenizer has pieces for."""
        asked: list[Worded] = []
        for constraint in constraints:
            if phrases := self.captioner.sayable(constraint.phrases):
                asked.append(Words(tuple(phrases), tuple(constraint.boxes)))
            else:
                problem = f"the tokenizer has no pieces for {' or '.join(map(shown, constraint.phrases))}"
                error = BadInput(f"image {shown(image.id)}", problem, "ask for other words", code="no-word")
                self.reading.skip(UNSAYABLE, error)
        return asked


def open_captioner(
    folder: Path,
    *,
    pictures: Path | None = None,
    features: str | None = None,
    prompt: str | None = None,
    words: Path | None = None,
    workers: int = 1,
    reading: Reading | None = None,
) -> CorpusCaptioner:
    """The captioner in a folder: Limner's own, or one of Hugging Face's, which a prompt is for.

    `features` and `words` say where a captioner of Limner's finds its features
    and its word vectors or language model, if they are elsewhere than in training.
    """
    reading = reading or Reading()
    if not folder.is_dir():
        raise BadInput(str(folder), "there is no such captioner", "name the folder of a captioner", code="no-captioner")
    if is_captioner(folder) or not (folder / "config.json").exists():
        if prompt is not None:
            raise LimnerError("a prompt is for models of Hugging Face's; this captioner takes none", code="no-prompt")
        return RegionCaptioner(Captioner.load(folder, words), pictures, features, workers, reading)
    if pictures is None:
        raise LimnerError("this captioner looks at pictures, and nobody said where they are", code="no-pictures")
    if features is not None:
        raise LimnerError("models of Hugging Face's look at whole pictures, without features", code="takes-no-features")
    if words is not None:
        raise LimnerError("models of Hugging Face's have words of their own", code="takes-no-words")
    return PictureCaptioner(hugging_face_captioner.HuggingFaceCaptioner.load(folder, prompt), pictures, reading)


def search_options(settings: CaptionSettings) -> SearchOptions:
    """The options of a search that were asked for."""
    options: SearchOptions = {"n_best": settings.n_best, "mode": settings.search}
    return options if settings.beam is None else {**options, "beam": settings.beam}


def _next(items: Iterator[Item], n: int) -> list[Item]:
    return list(islice(items, n))
