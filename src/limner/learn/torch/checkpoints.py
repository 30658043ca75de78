"""Checkpoints of training: one safetensors file with all that a run needs to go on bit for bit.

Its tensors are `model/NAME` (weights and buffers), `best/NAME` (those of the
best epoch, once there is one), `average/NAME` and `optimiser/MOMENT/NAME`. Its
metadata is one text in JSON, a `CheckpointRecord`. Parameters that are not
trained are not in it; a digest tells whether they are the same.

There is no state of a random generator: every step seeds it anew from the
seed, the epoch and the step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec
from torch import Tensor, nn

from limner.errors import BadInput, shown
from limner.learn.stage_settings import EpochFigures, StageSettings, best_epoch
from limner.learn.torch.optimisers import SQUARES, moment_names, trained_parameters
from limner.learn.torch.safe_tensors import TensorFile, TensorKind, not_sound, open_tensors, tensor_bytes, write_tensors

VERSION = 1
RECORD = "limner_checkpoint"

# Characters of the record.
MAX_RECORD = 4 << 20

# The largest whole number that all floats below it can tell from the next.
MAX_COUNT = 1 << 53


class RunIdentity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that two runs must share for one to go on where the other ended."""

    stage: str
    settings: StageSettings
    seed: int
    data: str
    frozen: str
    n_processes: int


class EpochPosition(msgspec.Struct, forbid_unknown_fields=True):
    """How far the epoch has come that is being trained: steps done, and what the figures of the epoch need."""

    epoch: int = 1
    step: int = 0
    loss: float = 0.0
    n_items: int = 0
    seconds: float = 0.0


class CheckpointRecord(msgspec.Struct, forbid_unknown_fields=True):
    """What a checkpoint knows besides tensors; `n_steps` counts the steps of all epochs."""

    version: int
    run: RunIdentity
    n_threads: int
    n_steps: int
    position: EpochPosition
    history: list[EpochFigures]


class Checkpoint(NamedTuple):
    """A checkpoint that was read and fits the run; its tensors are by group (`model`, `best`) and name."""

    record: CheckpointRecord
    groups: dict[str, dict[str, Tensor]]


def model_tensors(model: nn.Module) -> dict[str, Tensor]:
    """The tensors of a model that training may change: trained parameters, and buffers that are saved with a model."""
    saved = model.state_dict(keep_vars=True)
    buffers = {
        name: value.detach()
        for name, value in saved.items()
        if isinstance(value, Tensor) and not isinstance(value, nn.Parameter)
    }
    return {**{name: parameter.detach() for name, parameter in trained_parameters(model).items()}, **buffers}


def frozen_digest(model: nn.Module) -> str:
    """A few letters that are others for other parameters among those that are not trained; empty without any."""
    frozen = {name: parameter for name, parameter in model.named_parameters() if not parameter.requires_grad}
    digest = blake2b(digest_size=8)
    for name, parameter in sorted(frozen.items()):
        digest.update(f"{name} {TensorKind.of(parameter)}\n".encode())
        digest.update(tensor_bytes(parameter))
    return digest.hexdigest() if frozen else ""


def write_checkpoint(path: Path, record: CheckpointRecord, groups: Mapping[str, Mapping[str, Tensor]]) -> None:
    """Write a checkpoint in place of the earlier one, which stays as it was if that fails."""
    tensors = {f"{group}/{name}": tensor for group, values in groups.items() for name, tensor in values.items()}
    write_tensors(path, tensors, {RECORD: msgspec.json.encode(record).decode()})


def read_checkpoint(path: Path, run: RunIdentity, model: nn.Module) -> Checkpoint:
    """The checkpoint of a run of this model; that of another run is an error that says what differs."""
    with open_tensors(path) as file:
        record = _record(file)
        for problem in _differences(record.run, run):
            raise BadInput(str(path), f"is of another run: {problem}", _REMEDY, code="other-run")
        for problem in _faults(record):
            raise not_sound(path, problem)
        groups: dict[str, dict[str, Tensor]] = {}
        for key, tensor in file.read(_expected(record, model)).items():
            group, _, name = key.partition("/")
            groups.setdefault(group, {})[name] = tensor
    for key, tensor in groups.get("optimiser", {}).items():
        if key.partition("/")[0] in SQUARES and bool((tensor < 0).any()):
            raise not_sound(path, f"{shown(key)} has negative numbers")
    return Checkpoint(record, groups)


_REMEDY = "resume with the same settings, data and model, or begin anew in another folder"


def _record(file: TensorFile) -> CheckpointRecord:
    text = file.metadata.get(RECORD)
    if text is None or len(text) > MAX_RECORD:
        raise BadInput(str(file.path), "is not a checkpoint of a training run", "name another file, or begin anew")
    try:
        version = msgspec.json.decode(text, type=_Version).version
        if version != VERSION:
            problem = f"is a checkpoint of version {version}; only version {VERSION} can be read"
            raise BadInput(str(file.path), problem, "begin anew")
        return msgspec.json.decode(text, type=CheckpointRecord)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise not_sound(file.path, str(error)) from error


class _Version(msgspec.Struct):
    version: int


def _differences(theirs: RunIdentity, ours: RunIdentity) -> Iterator[str]:
    """What differs between the run of a checkpoint and this one, in words."""
    for name in StageSettings.__struct_fields__:
        # How often checkpoints are written has no effect on what is learnt.
        if name != "checkpoint_steps" and getattr(theirs.settings, name) != getattr(ours.settings, name):
            yield f"{name} was {shown(getattr(theirs.settings, name))}, now {shown(getattr(ours.settings, name))}"
    words = {"stage": "the stage", "seed": "the seed", "n_processes": "the number of processes"}
    for name, what in words.items():
        if getattr(theirs, name) != getattr(ours, name):
            yield f"{what} was {shown(getattr(theirs, name))}, now {shown(getattr(ours, name))}"
    if theirs.data != ours.data:
        yield f"it had other data ({shown(theirs.data)}, now {shown(ours.data)})"
    if theirs.frozen != ours.frozen:
        yield "the weights of the model that are not trained are others"


def _faults(record: CheckpointRecord) -> Iterator[str]:
    """What no run would have written, in words."""
    position, settings = record.position, record.run.settings
    epochs = [*(figures.epoch for figures in record.history), position.epoch]
    if epochs != list(range(1, len(epochs) + 1)):
        yield "its history is not that of its epochs"
    if position.epoch > settings.epochs + 1 or not 1 <= record.n_threads <= 4096:
        yield "it has more epochs or threads than there can be"
    items = [position.n_items, *(figures.n_items for figures in record.history)]
    counts = (position.step, position.seconds, record.n_steps - max(position.step, 1), *items)
    if min(counts) < 0 or max(record.n_steps, *items) > MAX_COUNT:
        yield "its counts of steps and items are not such as a run has"
    for figures in record.history:
        if settings.best_by and settings.best_by not in figures.validation:
            yield f"epoch {figures.epoch} has no {shown(settings.best_by)}"


def _expected(record: CheckpointRecord, model: nn.Module) -> dict[str, TensorKind]:
    """The tensors that the checkpoint of this model must have, with their kinds."""
    settings = record.run.settings
    kinds = {name: TensorKind.of(tensor) for name, tensor in model_tensors(model).items()}
    trained = {name: kinds[name] for name in trained_parameters(model)}
    groups = {
        "model": kinds,
        "best": kinds if best_epoch(record.history, settings) else {},
        "average": trained if settings.average else {},
        **{f"optimiser/{moment}": trained for moment in moment_names(settings)},
    }
    return {f"{group}/{name}": kind for group, values in groups.items() for name, kind in values.items()}
