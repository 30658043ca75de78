"""The settings of a captioner and of its training, as a TOML file has them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import msgspec
from msgspec import structs

from limner.caption.caption_vocabulary import COCO
from limner.caption.region_inputs import RegionSettings
from limner.caption.slot_proposals import SlotSettings
from limner.errors import BadInput, LimnerError
from limner.learn.stage_settings import StageSettings
from limner.learn.typed_configs import read_config

# The configs that come with Limner, by name.
CONFIGS = Path(__file__).parent / "configs"

# The figure of images held out by which the best epoch is chosen.
FIGURE = "CIDEr"

WordKind = Literal["learnt", "glove", "glove+dependency", "language-model"]

# The models: Up-Down (Anderson et al. 2018) and Neural Baby Talk (Lu et al. 2018).
CaptionerKind = Literal["up-down", "nbt"]
CAPTIONER_KINDS: tuple[CaptionerKind, ...] = get_args(CaptionerKind)

# What words are to each model if the config does not say.
USUAL_WORDS: dict[CaptionerKind, WordKind] = {"up-down": "learnt", "nbt": "glove"}


class UpDownSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sizes of a captioner, of either model.

    `region` is what region features are projected to, 0 for none. `label` is
    the length of the vectors of labels that Up-Down learns, 0 if it does not look at labels.
    `dropout` is of inputs and outputs, `word_dropout` the share of words that
    are replaced by "unknown" as they are read.
    """

    hidden: int = 512
    attention: int = 256
    region: int = 512
    label: int = 64
    dropout: float = 0.5
    word_dropout: float = 0.0

    def __post_init__(self) -> None:
        if min(self.hidden, self.attention) < 1 or min(self.region, self.label) < 0:
            raise ValueError("hidden and attention must be at least 1, region and label at least 0")
        if max(self.hidden, self.attention, self.region, self.label) > 1 << 16:
            raise ValueError(f"hidden, attention, region and label must be at most {1 << 16:,}")
        if not (0 <= self.dropout < 1 and 0 <= self.word_dropout < 1):
            raise ValueError("dropout and word_dropout must be at least 0 and below 1")


class WordSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What words are to a captioner.

    `kind` is None where the model chooses: `learnt` for Up-Down, `glove` for
    Neural Baby Talk. `learnt` vectors have `size` numbers. `glove` are the word vectors of a
    file, `vectors` (default: those of the installed package), which stay as
    they are; `glove+dependency` has vectors beside them that are learnt from
    the parsed training captions; `language-model` is a model in the folder
    `language_model`. Words of captions need `min_count` occurrences. The names
    of object `classes` are words too: those of COCO ("coco"), or of a file of
    Open Images' (see `vocabulary_classes`).
    """

    kind: WordKind | None = None
    size: int = 300
    vectors: str = ""
    language_model: str = ""
    min_count: int = 5
    classes: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.size <= 1 << 16 or self.min_count < 1:
            raise ValueError(f"size must be 1 to {1 << 16:,}, and min_count at least 1")
        if (self.kind == "language-model") != bool(self.language_model):
            raise ValueError("language_model names the folder of a model if kind is language-model, and only then")

    def with_whole_paths(self) -> WordSettings:
        """The settings with paths that mean the same in every folder."""
        return structs.replace(
            self,
            vectors=_whole_path(self.vectors),
            language_model=_whole_path(self.language_model),
            classes=self.classes if self.classes == COCO else _whole_path(self.classes),
        )

    def with_source(self, path: Path, model: CaptionerKind = "up-down") -> WordSettings:
        """The settings with word vectors or a language model that are elsewhere now."""
        if self.kind in (None, "learnt") and model == "up-down":
            raise LimnerError("the captioner's words are its own, not those of a file", code="takes-no-words")
        return structs.replace(self, **{"language_model" if self.kind == "language-model" else "vectors": str(path)})


class DecodingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How captions are searched for unless somebody asks otherwise: beam, most words, and the penalty on length."""

    beam: int = 5
    max_len: int = 20
    length_penalty: float = 0.7

    def __post_init__(self) -> None:
        if self.beam < 1 or not 1 <= self.max_len <= 1000 or not 0 <= self.length_penalty <= 10:
            raise ValueError("beam and max_len must be at least 1, length_penalty 0 to 10")


class SelfCriticalSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The second stage: the best `candidates` captions of each image, compared; `training` is its stage."""

    training: StageSettings
    candidates: int = 5

    def __post_init__(self) -> None:
        if not 2 <= self.candidates <= 20:
            raise ValueError(f"candidates must be 2 to 20, not {self.candidates}: a caption is compared with others")


class CaptionerConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything about a captioner that is chosen before its training.

    `smoothing` is the share of probability that is spread over all words that
    can be said in the first stage. `slots` are for Neural Baby Talk.
    """

    training: StageSettings
    model: UpDownSettings = UpDownSettings()
    words: WordSettings = WordSettings()
    regions: RegionSettings = RegionSettings()
    decoding: DecodingSettings = DecodingSettings()
    self_critical: SelfCriticalSettings | None = None
    smoothing: float = 0.0
    slots: SlotSettings = SlotSettings()

    def __post_init__(self) -> None:
        stages = [self.training, *([self.self_critical.training] if self.self_critical else [])]
        for stage in stages:
            if stage.best_by not in ("", FIGURE):
                raise ValueError(f"best_by is {stage.best_by!r}; it can be {FIGURE!r}, or be left out")
        if not 0 <= self.smoothing < 1:
            raise ValueError(f"smoothing must be at least 0 and below 1, not {self.smoothing}")

    def for_model(self, model: CaptionerKind) -> CaptionerConfig:
        """The config with the words that a model has if it does not say; words that it cannot have are an error."""
        words = structs.replace(self.words, kind=self.words.kind or USUAL_WORDS[model])
        if model == "nbt" and words.kind == "language-model":
            problem = "Neural Baby Talk knows what slots say by word vectors, which a language model does not give"
            raise BadInput("words.kind", problem, 'set it to "glove", "glove+dependency" or "learnt"')
        return structs.replace(self, words=words)

    def with_whole_paths(self) -> CaptionerConfig:
        """The config with paths that mean the same in every folder."""
        return structs.replace(self, words=self.words.with_whole_paths())


def _whole_path(path: str) -> str:
    return str(Path(path).resolve()) if path else ""


def read_captioner_config(source: str | Path) -> CaptionerConfig:
    """The config in a file, or one that comes with Limner by its name: `laptop` or `paper`."""
    return read_config(source, CaptionerConfig, named=CONFIGS)
