"""A stage of training: epochs of steps, validation, the best weights, and checkpoints from which it goes on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from limner.errors import BadInput, LimnerError, unknown
from limner.learn.stage_settings import EpochFigures, StageSettings, best_epoch, is_finished, learning_rate_at
from limner.learn.torch.checkpoints import (
    VERSION,
    CheckpointRecord,
    EpochPosition,
    RunIdentity,
    frozen_digest,
    model_tensors,
    read_checkpoint,
    write_checkpoint,
)
from limner.learn.torch.optimisers import (
    FlatGradients,
    MovingAverage,
    copy_weights,
    make_optimiser,
    moments,
    restore_moments,
    trained_parameters,
)
from limner.learn.torch.processes import Processes, join_processes
from limner.learn.torch.thread_choice import MAX_ROUNDS, ThreadChoice, choose_threads, thread_count
from limner.progress import Progress, silent


class BatchLoss(NamedTuple):
    """The loss of a process's share of a batch, summed over items, and the number of items of the whole batch."""

    total: Tensor
    n_items: int


class TrainingTask(Protocol):
    """What is to be learnt: a model, batches, the loss of a batch, and figures on data that is held out.

    Randomness must come from torch's generator, which is seeded anew before
    each step and each validation, or from the batch.
    """

    @property
    def model(self) -> nn.Module: ...

    def batches(self, epoch: int) -> Sequence[Any]:
        """The batches of an epoch, counted from 1: the same, whenever and in whatever process asked."""

    def loss(self, batch: Any, rank: int, n_ranks: int) -> BatchLoss:
        """The loss of the share of a batch that falls to process `rank` of `n_ranks`."""

    def validate(self) -> dict[str, float]:
        """Figures of the model as it is; called in the first process alone, without gradients, in evaluation mode."""


class StageResult(NamedTuple):
    """What came of a stage: figures of each epoch, the number of the best, and the threads it took, with the reason."""

    history: list[EpochFigures]
    best_epoch: int
    n_threads: int
    threads_reason: str


def train_stage(
    task: TrainingTask,
    settings: StageSettings,
    checkpoint: Path,
    *,
    seed: int,
    name: str,
    data: str = "",
    resume: bool = False,
    threads: int | None = None,
    items: str = "items",
    progress: Progress = silent,
    report: Callable[[EpochFigures], None] | None = None,
    notice: Callable[[str], None] | None = None,
) -> StageResult:
    """Train the model of a task, which then has the weights of the best epoch.

    The file `checkpoint` is written as training goes on. With `resume`, a run
    that was ended at any moment goes on from it, and ends with the same weights,
    bit for bit, as if it had not been ended; one that has come to its end returns
    at once. Where there is no such file yet, training begins. `data` is a text
    that is another for other data: a checkpoint of other data is refused.

    `threads` is measured if it is not given, and a run that is resumed takes as
    many as before. `items` is what progress calls the items of a batch, `report`
    hears of each epoch, `notice` of what was chosen.

    Under `torchrun`, each process takes its share of every batch; the first
    one alone validates, writes and reports. All end with the same weights.
    """
    processes = join_processes()
    run = RunIdentity(name, settings, seed, data, frozen_digest(task.model), processes.n)
    stage = _Stage(task, run, checkpoint, processes)
    try:
        return _train(stage, resume, threads, _Listeners(items, progress, report, notice))
    finally:
        stage.gradients.release()


class _Listeners(NamedTuple):
    items: str
    progress: Progress
    report: Callable[[EpochFigures], None] | None
    notice: Callable[[str], None] | None


def _train(stage: _Stage, resume: bool, threads: int | None, listeners: _Listeners) -> StageResult:
    remembered = stage.begin(resume)
    device = next(iter(stage.parameters.values())).device
    with torch.random.fork_rng([device] if device.type != "cpu" else [], device_type=_generator_type(device)):
        choice = stage.choose_threads(threads, remembered, device)
        if listeners.notice and stage.processes.is_first:
            listeners.notice(choice.reason)
        with thread_count(choice.n_threads):
            stage.n_threads = choice.n_threads
            while not is_finished(stage.history, stage.settings):
                stage.run_epoch(listeners)
    copy_weights(stage.best, model_tensors(stage.model))
    stage.model.eval()
    return StageResult(stage.history, best_epoch(stage.history, stage.settings), *choice)


class _Stage:
    """A stage under way: its model, what the optimiser remembers, the best weights, and how far it has come."""

    def __init__(self, task: TrainingTask, run: RunIdentity, checkpoint: Path, processes: Processes) -> None:
        self.task, self.run, self.checkpoint, self.processes = task, run, checkpoint, processes
        self.settings = run.settings
        self.model = task.model
        self.parameters = trained_parameters(self.model)
        if not self.parameters:
            raise ValueError("the model has no parameters to train")
        self.gradients = FlatGradients(self.parameters)
        self.optimiser = make_optimiser(self.parameters, self.settings)
        self.average: MovingAverage | None = None
        self.best: Mapping[str, Tensor] = {}
        self.history: list[EpochFigures] = []
        self.position = EpochPosition()
        self.n_steps = 0
        self.n_threads = 0
        # Schedules count the steps of all epochs, of which the first stands for all.
        self.n_steps_planned = self.settings.epochs * len(task.batches(1))
        if not self.n_steps_planned:
            raise LimnerError(f"there is nothing to train {run.stage} on: the first epoch has no batch")

    def begin(self, resume: bool) -> int | None:
        """Begin, or go on from the checkpoint; the number of threads that the run had before."""
        is_there = self.checkpoint.exists()
        if is_there and not resume:
            problem = "there is the checkpoint of a run already"
            raise BadInput(str(self.checkpoint), problem, "resume it, or remove the file", code="has-checkpoint")
        remembered = self._restore() if is_there else None
        self.processes.copy_from_first(model_tensors(self.model).values())
        if self.settings.average and self.average is None:
            self.average = MovingAverage(self.parameters, self.settings.average)
        return remembered

    def choose_threads(self, threads: int | None, remembered: int | None, device: torch.device) -> ThreadChoice:
        """The number of threads: as before, as asked for, or as measured in the first process."""
        if remembered and threads not in (None, remembered):
            problem = f"is of another run: it took {remembered} threads, now {threads}"
            raise BadInput(str(self.checkpoint), problem, "leave the number of threads out", code="other-threads")
        if remembered:
            return ThreadChoice(remembered, f"{remembered} of the processor's threads, as before")
        if threads:
            return ThreadChoice(threads, f"{threads} of the processor's threads, as asked for")
        if device.type != "cpu":
            return ThreadChoice(torch.get_num_threads(), f"trained on {device}")
        measured = self._measure_threads()
        n = int(self.processes.figures_of_first({"threads": measured.n_threads})["threads"])
        return ThreadChoice(n, measured.reason)

    def run_epoch(self, listeners: _Listeners) -> None:
        """Train what is left of the epoch, validate, and take note of both."""
        batches = self.task.batches(self.position.epoch)
        if self.position.step > len(batches):
            problem = f"epoch {self.position.epoch} had more than {len(batches)} batches"
            raise BadInput(str(self.checkpoint), f"is of another run: {problem}", "begin anew", code="other-run")
        self.model.train()
        began = time.perf_counter() - self.position.seconds
        for batch in batches[self.position.step :]:
            self._step(batch)
            self.position.seconds = time.perf_counter() - began
            if self.processes.is_first:
                listeners.progress(self._words(listeners.items), self.n_steps, self.n_steps_planned)
            every = self.settings.checkpoint_steps
            if self.position.step == len(batches) or (every and self.n_steps % every == 0):
                self._write()
        figures = self._validated()
        self.history.append(figures)
        if best_epoch(self.history, self.settings) == figures.epoch:
            self.best = self._weights()
        self.position = EpochPosition(figures.epoch + 1)
        self._write()
        if listeners.report and self.processes.is_first:
            listeners.report(figures)

    def _step(self, batch: Any) -> None:
        self._seed(f"step {self.position.step}", self.processes.rank)
        n_items = self._add_gradients(batch)
        self.processes.sum_in_place(self.gradients.buffer)
        norm = self.gradients.clip(self.settings.clip)
        loss = self.gradients.loss
        if not math.isfinite(norm) or not math.isfinite(loss):
            problem = f"the loss is no longer a number at step {self.position.step + 1} of epoch {self.position.epoch}"
            raise LimnerError(f"{self.run.stage}: {problem}; train with a smaller learning rate, or clip gradients")
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate_at(self.settings, self.n_steps, self.n_steps_planned)
        self.optimiser.step()
        if self.average:
            self.average.update(self.n_steps)
        self.n_steps += 1
        self.position.step += 1
        self.position.loss += loss * n_items
        self.position.n_items += n_items

    def _add_gradients(self, batch: Any) -> int:
        """Compute the gradients of the mean loss of a batch, as far as this process's share goes; its items."""
        self.gradients.clear()
        total, n_items = self.task.loss(batch, self.processes.rank, self.processes.n)
        mean = total / max(n_items, 1)
        # A share may be empty.
        if mean.requires_grad:
            torch.autograd.backward(mean)
        self.gradients.add_loss(mean)
        return n_items

    def _validated(self) -> EpochFigures:
        """The figures of the epoch, with those of validation, which all processes get from the first."""
        self._seed("validation", 0)
        began = time.perf_counter()
        figures: dict[str, float] = {}
        if self.processes.is_first:
            self.model.eval()
            with torch.no_grad(), self.average.applied() if self.average else nullcontext():
                figures = {figure: float(value) for figure, value in self.task.validate().items()}
            self.model.train()
            self._check_figures(figures)
        figures = self.processes.figures_of_first(figures)
        position, seconds = self.position, time.perf_counter() - began
        loss = position.loss / max(position.n_items, 1)
        return EpochFigures(position.epoch, loss, position.n_items, position.seconds, seconds, figures)

    def _check_figures(self, figures: dict[str, float]) -> None:
        if self.settings.best_by and self.settings.best_by not in figures:
            raise unknown("figure of validation", self.settings.best_by, figures)
        for figure, value in figures.items():
            if not math.isfinite(value):
                raise ValueError(f"validation gave {value} for {figure!r}")

    def _weights(self) -> dict[str, Tensor]:
        """A copy of the weights that are the result if training ends now."""
        weights = {name: tensor.clone() for name, tensor in model_tensors(self.model).items()}
        averages = self.average.weights if self.average else {}
        return {**weights, **{name: tensor.clone() for name, tensor in averages.items()}}

    def _measure_threads(self) -> ThreadChoice:
        """The number of threads with which steps are the fastest; the model is afterwards as it was."""
        batches = self.task.batches(1)
        before = {name: tensor.clone() for name, tensor in model_tensors(self.model).items()}
        self.model.train()
        self._seed("threads", self.processes.rank)
        chosen = [batches[len(batches) * i // MAX_ROUNDS] for i in range(MAX_ROUNDS)]
        choice = choose_threads([partial(self._add_gradients, batch) for batch in chosen], self.processes.n_local)
        # Some buffers change whenever a batch passes, such as the means of a normalisation.
        copy_weights(before, model_tensors(self.model))
        return choice

    def _seed(self, purpose: str, rank: int) -> None:
        """Seed torch's generator for a purpose: what follows depends on nothing that was drawn before."""
        text = f"{self.run.stage}:{self.run.seed}:{self.position.epoch}:{purpose}:{rank}"
        torch.manual_seed(int.from_bytes(blake2b(text.encode(), digest_size=7).digest()))

    def _words(self, items: str) -> str:
        loss = self.position.loss / max(self.position.n_items, 1)
        speed = self.position.n_items / self.position.seconds if self.position.seconds else 0
        epoch = f"epoch {self.position.epoch} of {self.settings.epochs}"
        return f"steps of {self.run.stage} ({epoch}, loss {loss:.3g}, {speed:,.0f} {items}/s)"

    def _write(self) -> None:
        if not self.processes.is_first:
            return
        record = CheckpointRecord(VERSION, self.run, self.n_threads, self.n_steps, self.position, self.history)
        remembered = moments(self.optimiser, self.parameters, self.settings)
        average = self.average.weights if self.average else {}
        groups = {"model": model_tensors(self.model), "best": self.best, "average": average, "optimiser": remembered}
        write_checkpoint(self.checkpoint, record, groups)

    def _restore(self) -> int:
        """Go on where the checkpoint ends; the number of threads of its run."""
        record, groups = read_checkpoint(self.checkpoint, self.run, self.model)
        copy_weights(groups["model"], model_tensors(self.model))
        device = next(iter(self.parameters.values())).device
        self.best = {name: tensor.to(device) for name, tensor in groups.get("best", {}).items()}
        if self.settings.average:
            self.average = MovingAverage(self.parameters, self.settings.average)
            copy_weights(groups["average"], self.average.weights)
        restore_moments(self.optimiser, self.parameters, groups.get("optimiser", {}), record.n_steps)
        self.history, self.position, self.n_steps = record.history, record.position, record.n_steps
        return record.n_threads


def _generator_type(device: torch.device) -> str:
    return "cuda" if device.type == "cpu" else device.type
