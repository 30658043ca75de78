"""Training of a language model on captions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from math import exp
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from limner.caption.caption_vocabulary import caption_vocabulary
from limner.caption.models.lstm_language_model import MAX_DIMS, LstmLanguageModel, SeenSplit
from limner.caption.training.caption_pairs import sentence_batch
from limner.caption.training.ngram_baselines import Bigrams, Unigrams, perplexity
from limner.caption.training.training_images import TrainingImages, seen_images
from limner.errors import BadInput
from limner.learn.length_batches import LengthBatches
from limner.learn.stage_settings import EpochFigures, StageSettings
from limner.learn.torch.processes import training_device
from limner.learn.torch.training_stage import BatchLoss, StageResult, train_stage
from limner.learn.typed_configs import read_config
from limner.learn.vocabulary import UNKNOWN
from limner.progress import Progress, silent

# The folder of the settings that have a name.
CONFIGS = Path(__file__).parent.parent / "language_model_configs"


class LanguageModelSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of a language model: length of its vectors, share of dropped numbers, and least count of a word."""

    training: StageSettings
    n_dims: int = 192
    dropout: float = 0.4
    min_count: int = 3

    def __post_init__(self) -> None:
        if not 1 <= self.n_dims <= MAX_DIMS:
            raise ValueError(f"n_dims must be from 1 to {MAX_DIMS:,}, not {self.n_dims}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be at least 0 and below 1, not {self.dropout}")
        if self.min_count < 1:
            raise ValueError(f"min_count must be at least 1, not {self.min_count}")


class CaptionSplit(NamedTuple):
    """Captions as words, to learn from and to judge by, of different images."""

    training: list[list[str]]
    held_out: list[list[str]]


class LanguageModelFigures(NamedTuple):
    """Perplexity of the captions held out, of the model and of counts of words and of pairs of words.

    All have the same words and one number for unknown ones; `n_words` counts ends too.
    """

    perplexity: float
    unigram: float
    bigram: float
    n_words: int
    n_unknown: int


class TrainedLanguageModel(NamedTuple):
    model: LstmLanguageModel
    figures: LanguageModelFigures
    stage: StageResult


def read_settings(source: str | Path) -> LanguageModelSettings:
    """The settings of a name, such as `laptop`, or of a TOML file."""
    return read_config(source, LanguageModelSettings, named=CONFIGS)


def split_captions(images: TrainingImages) -> CaptionSplit:
    """The captions of images as `training_images` splits them for a captioner.

    With the same seed the same images are held out, so a captioner that uses the
    language model is not judged by captions that the language model has read.
    """
    groups = (images.learnt, images.held_out)
    return CaptionSplit(*([words for pair in group for words in pair.captions] for group in groups))


def split_images(images: TrainingImages) -> SeenSplit:
    """The hashes of the same images, for the model to remember."""
    return SeenSplit(seen_images(images.learnt), seen_images(images.held_out))


def train_language_model(
    captions: CaptionSplit,
    settings: LanguageModelSettings,
    checkpoint: Path,
    *,
    seen: SeenSplit | None = None,
    seed: int = 0,
    source: str = "captions",
    resume: bool = False,
    threads: int | None = None,
    progress: Progress = silent,
    report: Callable[[EpochFigures], None] | None = None,
    notice: Callable[[str], None] | None = None,
) -> TrainedLanguageModel:
    """A language model of captions, with the weights of its best epoch.

    `seen` are the images of the captions, None if they are unknown. `source`
    names the captions in errors. The other arguments are those of `train_stage`.
    """
    for part, sentences in (("to learn from", captions.training), ("held out", captions.held_out)):
        if not sentences:
            raise BadInput(source, f"there are no captions {part}", "give more images with captions")
    vocabulary = caption_vocabulary(captions.training, classes=(), min_count=settings.min_count).vocabulary
    digest = _digest(captions)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        trained_on = f"{len(captions.training):,} captions, {digest}"
        model = LstmLanguageModel(vocabulary.words, settings.n_dims, settings.dropout, trained_on, seen)
    task = LanguageModelTask(model.to(training_device()), captions, settings.training.batch, seed)
    stage = train_stage(
        task,
        settings.training,
        checkpoint,
        seed=seed,
        name="language model",
        data=digest,
        resume=resume,
        threads=threads,
        items="words",
        progress=progress,
        report=report,
        notice=notice,
    )
    return TrainedLanguageModel(model, task.figures(), stage)


class LanguageModelTask:
    """Each word of captions from the words before it, for `train_stage`.

    Batches are of captions of like length; the loss is the sum of the negative
    log-likelihoods of words and ends.
    """

    def __init__(self, model: LstmLanguageModel, captions: CaptionSplit, batch: int, seed: int) -> None:
        self.model: nn.Module = model
        self._vocabulary = model.vocabulary
        self._training = [self._vocabulary.numbers(words) for words in captions.training]
        self._held_out = sorted((self._vocabulary.numbers(words) for words in captions.held_out), key=len)
        self._batch = batch
        self._batches = LengthBatches([len(sentence) for sentence in self._training], batch, seed)

    def batches(self, epoch: int) -> Sequence[NDArray[np.int64]]:
        return self._batches.epoch(epoch)

    def loss(self, batch: NDArray[np.int64], rank: int, n_ranks: int) -> BatchLoss:
        n_items = sum(len(self._training[i]) + 1 for i in batch)
        return BatchLoss(self._sum([self._training[i] for i in batch[rank::n_ranks]]), n_items)

    def validate(self) -> dict[str, float]:
        n_words = sum(len(sentence) + 1 for sentence in self._held_out)
        starts = range(0, len(self._held_out), self._batch)
        with torch.no_grad():
            total = sum(float(self._sum(self._held_out[start : start + self._batch])) for start in starts)
        return {"log_likelihood": -total / n_words, "perplexity": exp(min(total / n_words, 700))}

    def figures(self) -> LanguageModelFigures:
        """The perplexities of the model as it is, and of counts."""
        n_vocab = len(self._vocabulary)
        unknown = [number for sentence in self._held_out for number in sentence].count(UNKNOWN)
        return LanguageModelFigures(
            perplexity=self.validate()["perplexity"],
            unigram=perplexity(Unigrams(self._training, n_vocab), self._held_out),
            bigram=perplexity(Bigrams(self._training, n_vocab), self._held_out),
            n_words=sum(len(sentence) + 1 for sentence in self._held_out),
            n_unknown=unknown,
        )

    def _sum(self, sentences: Sequence[Sequence[int]]) -> Tensor:
        """The negative log-likelihood of sentences, summed."""
        device = next(self.model.parameters()).device
        if not sentences:
            return torch.zeros((), device=device)
        batch = sentence_batch(sentences)
        is_word = batch.mask.to(device) > 0
        scores = self.model(batch.tokens.to(device))
        return nn.functional.cross_entropy(scores[is_word], batch.targets.to(device)[is_word], reduction="sum")


def _digest(captions: CaptionSplit) -> str:
    """A few letters that are others for other captions."""
    digest = blake2b(digest_size=6)
    for sentences in captions:
        digest.update("\n".join(" ".join(words) for words in sentences).encode(errors="surrogatepass") + b"\n\n")
    return digest.hexdigest()
