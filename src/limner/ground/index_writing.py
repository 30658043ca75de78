"""Making an index: one pass over the pictures of a corpus, whose vectors go to files as they come."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from limner.arrays import Singles
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap
from limner.errors import BadInput, LimnerError, shown
from limner.ground.caption_phrases import PhraseCollection
from limner.ground.dual_encoders import EncodedRegions
from limner.ground.encoders import Encoder
from limner.ground.index_files import (
    GROUNDER,
    HEADER,
    IMAGES,
    MODEL,
    NAMES,
    VERSION,
    IndexHeader,
    RowWriter,
    open_array,
)
from limner.ground.phrase_model import built_in_phrases
from limner.ground.picture_workers import work_on_pictures
from limner.lazy import lazy
from limner.outputs import write_folder
from limner.progress import Progress, silent, track
from limner.vision.image_pixels import ImagePixels

if TYPE_CHECKING:
    from limner.learn import approximate_search
else:
    approximate_search = lazy("limner.learn.approximate_search")

# Captions that are encoded at a time.
BATCH = 2048

# Images from which an approximate search pays: exact search looks at every vector, a gigabyte of them at 512 numbers.
APPROXIMATE_FROM = 500_000


@dataclass
class IndexSettings:
    """What goes into an index besides the pictures' vectors.

    `captions`: those of the corpus, to be searched by pictures and scored.
    `regions`: vectors of regions and phrases, if the model has any and mixes
    them (None), always or never. `approximate`: lists for approximate search;
    by default past `APPROXIMATE_FROM` images, if faiss is installed.
    """

    captions: bool = True
    regions: bool | None = None
    approximate: bool | None = None
    force: bool = False


def write_index(
    images: Iterable[Image],
    pictures: Path,
    encoders: Sequence[Encoder],
    out: Path,
    settings: IndexSettings | None = None,
    *,
    reading: Reading | None = None,
    progress: Progress = silent,
    total: int | None = None,
) -> IndexHeader:
    """Write an index of images, whose pictures are in a folder, to the folder `out`; all of it or nothing.

    `encoders` are copies of one model, for as many threads. Memory holds a few
    pictures for each and the captions; vectors are written as they come.
    """
    settings = settings or IndexSettings()
    with_regions = encoders[0].regions is not None and (
        encoders[0].mixture.alpha < 1 if settings.regions is None else settings.regions
    )
    if settings.regions and not with_regions:
        raise BadInput(
            str(encoders[0].path), "the model has no regions and phrases", "leave them out", code="no-regions"
        )
    if settings.approximate:
        # An error of what is not installed must come before hours of pictures.
        _ = approximate_search.learn_lists
    workers = [_worker(encoder, with_regions) for encoder in encoders]
    results = work_on_pictures(images, pictures, workers, reading)
    with write_folder(out, names=NAMES, replace=settings.force, code="index-exists") as folder:
        writer = _IndexWriter(folder, encoders[0], settings, with_regions)
        with writer:
            for picture in track(results, "pictures", progress, total):
                writer.add(picture)
        if not writer.n_images:
            raise BadInput(str(pictures), "there is no picture to index", "give images whose pictures are there")
        return writer.finish(str(pictures.resolve()), progress)


class _EncodedPicture(NamedTuple):
    """An image, the scale of its picture, the vector of the whole and those of regions."""

    image: Image
    scale: tuple[float, float]
    vector: Singles
    regions: EncodedRegions | None


def _worker(encoder: Encoder, with_regions: bool) -> Callable[[ImagePixels], _EncodedPicture]:
    def encode(seen: ImagePixels) -> _EncodedPicture:
        regions = encoder.regions.regions(seen) if with_regions and encoder.regions is not None else None
        return _EncodedPicture(seen.image, seen.scale, encoder.whole.image_vectors([seen]), regions)

    return encode


class _IndexWriter:
    """The files of an index while they are written."""

    def __init__(self, folder: Path, encoder: Encoder, settings: IndexSettings, with_regions: bool) -> None:
        self._folder, self._encoder, self._settings, self._with_regions = folder, encoder, settings, with_regions
        self._lines: list[int] = [0]
        self._ids: set[str] = set()
        self._overlap = Overlap.of(*encoder.training_images)
        self._captions: list[Caption] = []
        self._text_images: list[int] = []
        self._region_starts = [0]
        self._stack = ExitStack()

    @property
    def n_images(self) -> int:
        return len(self._ids)

    def __enter__(self) -> None:
        encoder = self._encoder
        self._images = self._rows("images", encoder.whole.n_dims)
        self._json: IO[bytes] = self._stack.enter_context((self._folder / IMAGES).open("wb"))
        if self._with_regions and encoder.regions is not None:
            self._regions = self._rows("regions", encoder.regions.n_dims, "float16")
            self._corners = self._rows("region_corners", 4)

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _rows(self, name: str, n_dims: int, dtype: str = "float32") -> RowWriter:
        writer = RowWriter(self._folder / f"{name}.npy", n_dims, "float16" if dtype == "float16" else "float32")
        self._stack.callback(writer.close)
        return writer

    def add(self, picture: _EncodedPicture) -> None:
        image, regions = picture.image, picture.regions
        if image.id in self._ids:
            raise LimnerError(f"two images have the id {shown(image.id)}; give each its own id")
        captions = [caption for caption in image.captions if caption.text.strip()] if self._settings.captions else []
        plain = tuple(Caption(caption.id, caption.text, source=caption.source) for caption in captions)
        bare = Image(image.id, image.width, image.height, captions=plain, file=image.file, attributes=image.attributes)
        self._json.write(msgspec.json.encode(bare) + b"\n")
        self._lines.append(self._json.tell())
        self._text_images += [self.n_images] * len(captions)
        self._captions += captions
        self._ids.add(image.id)
        self._overlap.add(image)
        self._images.append(picture.vector)
        if regions is not None:
            self._regions.append(regions.vectors)
            # In units of the corpus, as boxes are.
            self._corners.append(regions.corners / np.array([*picture.scale, *picture.scale], dtype=np.float32))
            self._region_starts.append(self._regions.n_rows)

    def finish(self, pictures: str, progress: Progress) -> IndexHeader:
        """Encode the captions, and write what is known only now."""
        encoder = self._encoder
        self._write_captions(progress)
        self._save("lines", self._lines)
        self._save("text_images", self._text_images)
        header = IndexHeader(
            VERSION,
            encoder.signature,
            encoder.source,
            self.n_images,
            len(self._captions),
            encoder.whole.n_dims,
            *encoder.mixture,
            pictures=pictures,
            fingerprint=encoder.fingerprint,
            training=self._overlap.to_json().get("training", ""),
            # A folder of weights may have gigabytes; a file of Limner's is copied.
            model=str(encoder.path.resolve()) if encoder.source == "folder" else "",
        )
        if self._with_regions:
            header = self._with_phrases(header)
        approximate = self._settings.approximate
        if approximate is None:
            approximate = self.n_images >= APPROXIMATE_FROM and find_spec("faiss") is not None
        if approximate:
            header = replace(header, n_lists=self._write_lists())
        if encoder.source != "folder":
            shutil.copyfile(encoder.path, self._folder / MODEL)
        if encoder.grounder is not None:
            shutil.copyfile(encoder.grounder, self._folder / GROUNDER)
        (self._folder / HEADER).write_bytes(msgspec.json.format(msgspec.json.encode(header), indent=2) + b"\n")
        return header

    def _write_captions(self, progress: Progress) -> None:
        writer = RowWriter(self._folder / "texts.npy", self._encoder.whole.n_dims)
        texts = [caption.text for caption in self._captions]
        for start in range(0, len(texts), BATCH):
            writer.append(self._encoder.whole.text_vectors(texts[start : start + BATCH]))
            progress("captions", min(start + BATCH, len(texts)), len(texts))
        writer.close()

    def _with_phrases(self, header: IndexHeader) -> IndexHeader:
        assert self._encoder.regions is not None
        phrases = PhraseCollection(built_in_phrases()).add_all(self._captions)
        writer = RowWriter(self._folder / "phrases.npy", self._encoder.regions.n_dims)
        for start in range(0, len(phrases.texts), BATCH):
            writer.append(self._encoder.regions.phrase_vectors(phrases.texts[start : start + BATCH]))
        writer.close()
        self._save("phrase_numbers", phrases.numbers.tolist())
        self._save("phrase_starts", phrases.starts.tolist())
        self._save("region_starts", self._region_starts)
        return replace(
            header,
            n_regions=self._regions.n_rows,
            n_phrases=len(phrases.texts),
            n_region_dims=self._encoder.regions.n_dims,
            n_chunked=phrases.n_chunked,
        )

    def _write_lists(self) -> int:
        vectors = open_array(self._folder, "images", (self.n_images, self._encoder.whole.n_dims), "<f4")
        lists = approximate_search.learn_lists(vectors)
        np.save(self._folder / "centres.npy", lists.centres.astype("<f4"))
        self._save("lists", lists.of_vectors.tolist())
        return len(lists.centres)

    def _save(self, name: str, numbers: Sequence[int]) -> None:
        np.save(self._folder / f"{name}.npy", np.array(numbers, dtype="<i8"))
