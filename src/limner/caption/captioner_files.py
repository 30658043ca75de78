"""The folder of a captioner: `captioner.json` says what it is, `weights.safetensors` has its numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from limner.caption.captioner_config import CaptionerConfig, CaptionerKind
from limner.caption.region_inputs import RegionSettings
from limner.errors import BadInput
from limner.files import open_file
from limner.learn.model_files import ModelKind, decode_record, file_fingerprint, write_record
from limner.learn.stage_settings import EpochFigures
from limner.learn.vocabulary import PhraseVocabulary, Vocabulary

RECORD = "captioner.json"
WEIGHTS = "weights.safetensors"

KIND = ModelKind("captioner", 1, "limner.caption.training.captioner_training.CaptionerTraining")

# Bytes of the record: vocabularies have some ten thousand words, and a hash is kept of each training image.
MAX_RECORD = 24 << 20

# Numbers of a vector.
MAX_LENGTH = 1 << 20

RegionKind = Literal["boxes", "store", "model"]


class RegionsRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a captioner was shown of images: boxes alone, rows of a store, or what a model of features makes of regions.

    `features` is the path of the store or model, `n_dims` the length of a row
    with its geometry. Others with this `signature` may be used instead.
    """

    kind: RegionKind
    settings: RegionSettings
    signature: str
    n_dims: int
    features: str = ""

    def __post_init__(self) -> None:
        _check_length(self.n_dims)


class WordsRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a captioner's words are: the length of a vector, and where frozen ones are from, "" if they are learnt.

    `n_fixed` is the length of fixed vectors beside learnt ones, 0 without.
    """

    n_dims: int
    signature: str = ""
    n_fixed: int = 0

    def __post_init__(self) -> None:
        _check_length(self.n_dims)
        if self.n_fixed:
            _check_length(self.n_fixed)


class TrainedCaptioner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a captioner was trained on, and how training went, stage by stage.

    `without` are classes whose images and captions were left out, `tuned_on`
    tells which images chose the best epoch, `images` is a hash of both groups.
    """

    n_images: int
    n_captions: int
    n_held_out: int
    tuned_on: str
    seed: int
    without: tuple[str, ...] = ()
    history: dict[str, list[EpochFigures]] = msgspec.field(default_factory=dict)
    images: str = ""


class CaptionerRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything about a captioner but its numbers.

    `seen` are hashes of training images, None if there are too many to keep.
    `slots` are words and phrases that slots alone say, numbered after the vocabulary.
    """

    limner_model: str
    version: int
    model: CaptionerKind
    config: CaptionerConfig
    vocabulary: tuple[str, ...]
    labels: tuple[str, ...]
    regions: RegionsRecord
    trained: TrainedCaptioner
    words: WordsRecord
    weights: str = ""
    seen: list[str] | None = None
    slots: tuple[str, ...] = ()


def write_captioner_record(folder: Path, record: CaptionerRecord) -> None:
    """Write the record; the weights must have been written before it."""
    write_record(record, folder / RECORD)


def read_captioner_record(folder: Path) -> CaptionerRecord:
    """The record in a captioner's folder, checked, and that the weights beside it are those it was written with."""
    path = folder / RECORD
    if not folder.is_dir():
        raise BadInput(str(folder), "there is no such captioner", "name the folder of a captioner", code="no-captioner")
    if not path.exists():
        problem = f"there is no {RECORD}: it is not a captioner, or its training has not ended"
        raise BadInput(
            str(folder), problem, "name the folder of a captioner, or resume its training", code="no-captioner"
        )
    with open_file(path) as handle:
        raw = handle.read(MAX_RECORD + 1)
    if len(raw) > MAX_RECORD:
        raise KIND.error(path, f"is larger than {MAX_RECORD >> 20} MB, too large for a captioner")
    record = decode_record(raw, path, KIND, CaptionerRecord)
    try:
        Vocabulary(record.vocabulary)
        PhraseVocabulary([*record.vocabulary, *record.slots])
    except ValueError as error:
        raise KIND.error(path, f"is not a captioner ({error})") from error
    weights = folder / WEIGHTS
    if not weights.exists():
        raise KIND.error(folder, f"there is no {WEIGHTS}")
    if file_fingerprint(weights) != record.weights:
        raise KIND.error(weights, f"is not the file that {RECORD} was written with")
    return record


def _check_length(n_dims: int) -> None:
    if not 1 <= n_dims <= MAX_LENGTH:
        raise ValueError(f"n_dims is {n_dims}; it must be 1 to {MAX_LENGTH:,}")


def is_captioner(folder: Path) -> bool:
    """Whether a folder has the record of a captioner of Limner's, sound or not."""
    return (folder / RECORD).exists()
