"""Captioners of whole corpora: Limner's own from regions, and Hugging Face's from pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from limner.caption.captioned import Captioned, numbered
from limner.caption.captioner_files import is_captioner
from limner.caption.captioning import BEAM, PIECES, Ask, CaptionSettings, CorpusCaptioner
from limner.caption.constraints.worded_constraints import Worded, Words
from limner.caption.models.captioner import Captioner, CaptionRequest
from limner.caption.region_streams import stream_regions
from limner.caption.search.search_settings import SearchOptions
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.corpus.seen_images import SeenImages
from limner.errors import BadInput, LimnerError
from limner.lazy import lazy
from limner.vision.image_pixels import ImagePixels
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
            constraints = [sayable_constraints(image, ask(image), self.captioner, self.reading) for image, _ in batch]
            requests = [CaptionRequest(*seen, asked) for seen, asked in zip(batch, constraints, strict=True)]
            self.requests = {request.image.id: request for request in requests}
            captioned = self.captioner.caption(requests, at_least=settings.at_least, **search_options(settings))
            yield from zip([image for image, _ in batch], captioned, strict=True)

    def asked(self, image: Image) -> Sequence[Worded]:
        return self.requests[image.id].constraints


@dataclass
class PictureCaptioner:
    """An image-to-text model of Hugging Face's, which looks at pictures as a whole; what it has seen nobody knows.

    The constraints of the last batch are kept, so that captions can be explained.
    """

    captioner: hugging_face_captioner.HuggingFaceCaptioner
    pictures: Path
    reading: Reading = field(default_factory=Reading)
    constraints: dict[str, list[Worded]] = field(default_factory=dict)

    training_images = None

    def can_say(self, phrases: Sequence[str]) -> bool:
        return bool(self.captioner.sayable(phrases))

    def caption_images(
        self, images: Iterable[Image], ask: Ask, settings: CaptionSettings
    ) -> Iterator[tuple[Image, Captioned]]:
        streamed = read_ahead(images, self.pictures, self.reading)
        while batch := _next(streamed, settings.batch):
            self.constraints = {
                seen.image.id: sayable_constraints(seen.image, ask(seen.image), self.captioner, self.reading)
                for seen in batch
            }
            for seen, captioned in self._caption(batch, settings):
                yield seen.image, numbered(captioned)

    def asked(self, image: Image) -> Sequence[Worded]:
        return self.constraints[image.id]

    def _caption(self, batch: list[ImagePixels], settings: CaptionSettings) -> Iterator[tuple[ImagePixels, Captioned]]:
        """Each image with its caption; a picture that the model refuses is an error, or left out when lenient."""
        usual: SearchOptions = {"max_len": PIECES, "beam": max(BEAM, settings.n_best)}
        options: SearchOptions = {**usual, **search_options(settings)}
        while batch:
            try:
                captions = self.captioner.caption(
                    [seen.pixels for seen in batch],
                    [self.constraints[seen.image.id] for seen in batch],
                    at_least=settings.at_least,
                    ids=[seen.image.id for seen in batch],
                    source="system:hugging-face",
                    **options,
                )
            except BadInput as error:
                if error.code != "unusable-picture":
                    raise
                self.reading.skip("image without a usable picture", error)
                batch = [seen for seen in batch if seen.image.id != error.facts["picture"]]
                continue
            yield from zip(batch, captions, strict=True)
            return


class WordedCaptioner(Protocol):
    """Anything that knows which phrases it can say, and why it cannot say others."""

    def sayable(self, phrases: Iterable[str]) -> list[str]: ...

    def unsayable(self, image: Image, constraint: Worded) -> BadInput: ...


def sayable_constraints(
    image: Image, constraints: Sequence[Worded], captioner: WordedCaptioner, reading: Reading
) -> list[Worded]:
    """The constraints by phrases that a captioner can say, and boxes that the image has.

    A constraint without such a phrase is an error, or left out by a lenient reading.
    """
    box_ids = {box.id for box in image.boxes}
    asked: list[Worded] = []
    for constraint in constraints:
        if phrases := captioner.sayable(constraint.phrases):
            asked.append(Words(tuple(phrases), tuple(id for id in constraint.boxes if id in box_ids)))
        else:
            reading.skip(UNSAYABLE, captioner.unsayable(image, constraint))
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
        captioner = Captioner.load(folder, words)
        _refuse_unused(captioner, pictures, features)
        return RegionCaptioner(captioner, pictures, features, workers, reading)
    if pictures is None:
        raise LimnerError("this captioner looks at pictures, and nobody said where they are", code="no-pictures")
    if features is not None:
        raise LimnerError("models of Hugging Face's look at whole pictures, without features", code="takes-no-features")
    if words is not None:
        raise LimnerError("models of Hugging Face's have words of their own", code="takes-no-words")
    return PictureCaptioner(hugging_face_captioner.HuggingFaceCaptioner.load(folder, prompt), pictures, reading)


def _refuse_unused(captioner: Captioner, pictures: Path | None, features: str | None) -> None:
    """An error for features or pictures that a captioner does not look at."""
    kind = captioner.record.regions.kind
    if kind == "boxes" and features is not None:
        raise LimnerError("this captioner looks at boxes alone, without features", code="takes-no-features")
    if kind != "model" and pictures is not None:
        seen = "boxes" if kind == "boxes" else "a store of features"
        raise LimnerError(f"this captioner looks at {seen}, not at pictures", code="takes-no-pictures")


def search_options(settings: CaptionSettings) -> SearchOptions:
    """The options of a search that were asked for."""
    options: SearchOptions = {"n_best": settings.n_best, "mode": settings.search}
    if settings.beam is not None:
        options["beam"] = settings.beam
    if settings.max_len is not None:
        options["max_len"] = settings.max_len
    return options


def _next(items: Iterator[Item], n: int) -> list[Item]:
    return list(islice(items, n))
