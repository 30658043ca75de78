"""A small language model: two LSTM layers over whole words, which Limner trains on captions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import torch
from torch import Tensor, nn

from limner.corpus.seen_images import MOST_KEPT, SeenImages, is_hash
from limner.learn.model_files import ModelKind, file_fingerprint, read_record, write_record
from limner.learn.torch.safe_tensors import TensorKind, read_tensors, write_tensors
from limner.learn.vocabulary import BOS, Vocabulary
from limner.outputs import write_folder

RECORD = "language_model.json"
WEIGHTS = "weights.safetensors"
FILES = (RECORD, WEIGHTS)
KIND = ModelKind("language-model", 1, trained_by="limner.caption.training.language_model_training.train_language_model")

MAX_DIMS = 4096
MAX_WORDS = 1_000_000

# No sentence goes on with its own beginning: a score whose probability is 0, and still a number to count with.
NEVER = -1e4


class SeenSplit(NamedTuple):
    """The images whose captions a model has learnt from, and those that chose its best epoch."""

    learnt: SeenImages
    held_out: SeenImages


class LstmLanguageModel(nn.Module):
    """Words become vectors, pass through LSTM layers, and score the next word by their own vectors.

    The last layer's output is turned by a tanh layer into a vector v, and the
    score of a word is its vector times v plus its bias: the vectors that are
    read are those that are scored (tied), as a captioner uses them too.
    It keeps what `FrozenLanguageModel` asks for. `seen` is None if its
    training images are unknown, or too many to keep.
    """

    N_LSTM = 2

    def __init__(
        self,
        words: Sequence[str],
        n_dims: int,
        dropout: float = 0.0,
        trained_on: str = "nothing",
        seen: SeenSplit | None = None,
    ) -> None:
        super().__init__()
        self.vocabulary = Vocabulary(words)
        self.words = self.vocabulary.words
        self.n_layers, self.n_dims = self.N_LSTM + 1, n_dims
        self.trained_on = trained_on
        self.seen = seen
        self.table = nn.Embedding(len(self.vocabulary), n_dims)
        self.lstms = nn.ModuleList(nn.LSTM(n_dims, n_dims, batch_first=True) for _ in range(self.N_LSTM))
        self.turn = nn.Linear(n_dims, n_dims)
        self.bias = nn.Parameter(torch.zeros(len(self.vocabulary)))
        self.dropout = nn.Dropout(dropout)
        self.signature = f"lstm-language-model:untrained|on:{trained_on}"
        nn.init.uniform_(self.table.weight, -0.1, 0.1)

    def forward(self, tokens: Tensor) -> Tensor:
        """The scores of the word after each `[sentences, words, numbers]`, with gradients, for training."""
        vectors = self.dropout(self.table(tokens))
        for lstm in self.lstms:
            vectors = self.dropout(lstm(vectors)[0])
        turned = self.dropout(torch.tanh(self.turn(vectors)))
        return nn.functional.linear(turned, self.table.weight, self._biases())

    @torch.no_grad()
    def layers(self, tokens: Tensor) -> Tensor:
        outputs = [self.table(tokens)]
        for lstm in self.lstms:
            outputs.append(lstm(outputs[-1])[0])
        return torch.stack(outputs)

    def start(self, n: int) -> dict[str, Tensor]:
        zeros = self.table.weight.new_zeros(n, self.N_LSTM, self.n_dims)
        return {"hidden": zeros, "cell": zeros.clone()}

    @torch.no_grad()
    def step(self, tokens: Tensor, state: Mapping[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
        outputs, cells = [self.table(tokens)], []
        for i, lstm in enumerate(self.lstms):
            before = (state["hidden"][:, i][None].contiguous(), state["cell"][:, i][None].contiguous())
            _, (hidden, cell) = lstm(outputs[-1][:, None], before)
            outputs.append(hidden[0])
            cells.append(cell[0])
        return torch.stack(outputs), {"hidden": torch.stack(outputs[1:], dim=1), "cell": torch.stack(cells, dim=1)}

    @property
    def output(self) -> tuple[Tensor, Tensor]:
        return self.table.weight.detach(), self._biases().detach()

    def _biases(self) -> Tensor:
        never = torch.zeros_like(self.bias)
        never[BOS] = NEVER
        return self.bias + never

    def save(self, folder: Path, *, replace: bool = False) -> None:
        """Write the model to a folder, whole or not at all."""
        with write_folder(folder, names=FILES, replace=replace) as unfinished:
            self.write_files(unfinished)

    def write_files(self, folder: Path) -> None:
        """Write the files of the model to a folder that is there."""
        seen, held_out = (None, None) if self.seen is None else (images.to_json() for images in self.seen)
        record = _Record(KIND.name, KIND.version, self.words, self.n_dims, self.trained_on, seen, held_out)
        write_record(record, folder / RECORD)
        write_tensors(folder / WEIGHTS, self.state_dict())

    @classmethod
    def load(cls, folder: Path) -> LstmLanguageModel:
        """The model of a folder, ready for use: without dropout and gradients."""
        record = read_record(folder / RECORD, KIND, _Record, _faults)
        # Sizes are compared before memory is taken for weights.
        with torch.device("meta"):
            expected = {
                name: TensorKind.of(tensor) for name, tensor in cls(record.words, record.n_dims).state_dict().items()
            }
        weights = read_tensors(folder / WEIGHTS, expected)
        model = cls(record.words, record.n_dims, trained_on=record.trained_on, seen=record.images)
        model.load_state_dict(weights)
        fingerprint = f"{file_fingerprint(folder / RECORD)}-{file_fingerprint(folder / WEIGHTS)}"
        model.signature = f"lstm-language-model:{fingerprint}|on:{record.trained_on}"
        return model.requires_grad_(False).eval()


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    """What `language_model.json` says; older files do not tell the hashes of training images."""

    limner_model: str
    version: int
    words: tuple[str, ...]
    n_dims: int
    trained_on: str
    seen: list[str] | None = None
    seen_held_out: list[str] | None = None

    @property
    def images(self) -> SeenSplit | None:
        if self.seen is None or self.seen_held_out is None:
            return None
        return SeenSplit(SeenImages(self.seen), SeenImages(self.seen_held_out))


def _faults(record: _Record) -> Iterator[str]:
    if not 1 <= record.n_dims <= MAX_DIMS:
        yield f"n_dims is {record.n_dims}; it must be from 1 to {MAX_DIMS:,}"
    if len(record.words) > MAX_WORDS:
        yield f"it has {len(record.words):,} words, more than {MAX_WORDS:,}"
    for hashes in (record.seen or [], record.seen_held_out or []):
        if len(hashes) > MOST_KEPT or not all(map(is_hash, hashes)):
            yield f"its training images are not at most {MOST_KEPT:,} hashes"
    try:
        Vocabulary(record.words)
    except ValueError as error:
        yield str(error)
