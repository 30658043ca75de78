"""Models that an index can be made with, opened by their path: retrievers, and folders such as CLIP's."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from limner.corpus.seen_images import SeenImages
from limner.errors import BadInput
from limner.files import ZIP_FAULTS
from limner.ground.dual_encoders import DualEncoder, Mixture, RegionEncoder, TextEncoder
from limner.ground.grounder_encoder import MIXTURE, GrounderTexts, open_grounder_encoders
from limner.ground.grounder_file import GROUNDER
from limner.ground.index_files import ModelSource
from limner.ground.retriever import RETRIEVER_KIND, Retriever, RetrieverTexts
from limner.lazy import lazy
from limner.learn.array_files import MAX_RECORD, RECORD_NAME
from limner.learn.model_files import file_fingerprint
from limner.zip_files import open_zip, read_member

if TYPE_CHECKING:
    from limner.ground import clip_encoder
else:
    clip_encoder = lazy("limner.ground.clip_encoder")


@dataclass(frozen=True)
class Encoder:
    """What encodes pictures and sentences, and regions and phrases if it can, and how both are mixed."""

    whole: DualEncoder
    regions: RegionEncoder | None
    mixture: Mixture
    source: ModelSource
    path: Path
    fingerprint: str
    # A second file that the model needs, which an index copies too.
    grounder: Path | None = None
    # What it was trained on; None where its files do not tell.
    training_images: tuple[SeenImages | None, ...] = (None,)

    @property
    def signature(self) -> str:
        regions = "" if self.regions is None else f"|regions:[{self.regions.signature}]"
        return f"whole:[{self.whole.signature}]{regions}"


def open_encoders(
    path: str | Path,
    n: int = 1,
    *,
    features: str | None = None,
    vectors: str | None = None,
    grounder: Path | None = None,
    cache: Path | None = None,
) -> list[Encoder]:
    """The model at a path, n times, for so many threads.

    `features`, `vectors` and `grounder` are the paths of what a retriever needs and has
    moved since training. `cache` is a folder that keeps what a grounder sees.
    """
    path = Path(path)
    if path.is_dir():
        clip = clip_encoder.ClipEncoder(path)
        return [Encoder(clip, None, Mixture(1.0), "folder", path, clip.fingerprint)] * n
    kind = model_kind(path)
    if kind == RETRIEVER_KIND.name:
        fingerprint = file_fingerprint(path)
        return [
            Encoder(r.whole, r.regions, r.mixture, "retriever", path, fingerprint, r.grounder, r.training_images)
            for r in Retriever.load_several(path, model=features, vectors=vectors, grounder=grounder, n=n, cache=cache)
        ]
    if kind == GROUNDER.name:
        fingerprint = file_fingerprint(path)
        return [
            Encoder(encoder, encoder, MIXTURE, "grounder", path, fingerprint, None, (encoder.grounder.training_images,))
            for encoder in open_grounder_encoders(path, n, cache)
        ]
    raise BadInput(str(path), f"is a model of kind {kind!r}", WANTED, code="no-encoder")


def open_texts(
    source: ModelSource, path: Path, grounder: Path | None = None, vectors: str | None = None
) -> TextEncoder:
    """What encodes sentences for an index that was made with a model of this kind."""
    if source == "folder":
        return clip_encoder.ClipEncoder(path)
    return GrounderTexts.load(path) if source == "grounder" else RetrieverTexts(path, grounder, vectors)


WANTED = "give a retriever, a grounder, or the folder of a model such as CLIP"


class _Kind(msgspec.Struct):
    limner_model: str


def model_kind(path: Path) -> str:
    """What kind of model a file of arrays says it is."""
    if not path.exists():
        raise BadInput(str(path), "there is no such model", WANTED, code="no-encoder")
    try:
        with open_zip(path) as archive:
            first = next(iter(archive.infolist()), None)
            if first is None or first.filename != RECORD_NAME or first.file_size > MAX_RECORD:
                raise zipfile.BadZipFile(f"its first member is no {RECORD_NAME}")
            raw = read_member(archive, first, f"{path}: {RECORD_NAME}")
        return msgspec.json.decode(raw, type=_Kind).limner_model
    except (*ZIP_FAULTS, msgspec.DecodeError, RecursionError) as error:
        raise BadInput(str(path), "is not a model that encodes pictures", WANTED, code="no-encoder") from error
