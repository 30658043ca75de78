"""Stages of training: they learn, stop, give the best weights, and go on bit for bit after a kill."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from conftest import REPOSITORY
from limner.errors import BadInput, LimnerError
from limner.learn.stage_settings import EpochFigures, StageSettings
from limner.learn.torch.safe_tensors import read_tensors, tensor_bytes
from limner.learn.torch.training_stage import BatchLoss, train_stage
from limner.written import NamedFile
from refusals import refusal
from small_training import CountingTask, train

PROGRAM = REPOSITORY / "tests" / "small_training.py"


def weights(model: nn.Module) -> dict[str, bytes]:
    return {name: bytes(tensor_bytes(tensor)) for name, tensor in model.state_dict().items()}


def file_weights(path: Path) -> dict[str, bytes]:
    return {name: bytes(tensor_bytes(tensor)) for name, tensor in read_tensors(path).items()}


class LineTask:
    """A number that is to become 3: the loss is half the squared distance, on two items a batch."""

    def __init__(self, start: float = 0.0, figures: list[float] | None = None) -> None:
        self.model = nn.Linear(1, 1, bias=False).double()
        nn.init.constant_(self.model.weight, start)
        self.figures = iter(figures or [])
        self.seen: list[float] = []

    def batches(self, epoch: int) -> list[int]:
        return [2, 2]

    def loss(self, batch: int, rank: int, n_ranks: int) -> BatchLoss:
        return BatchLoss(batch * 0.5 * (self.model.weight.sum() - 3) ** 2, batch)

    def validate(self) -> dict[str, float]:
        self.seen.append(self.value)
        return {"figure": next(self.figures, 0.0)}

    @property
    def value(self) -> float:
        return float(self.model.weight.detach())


def line(tmp_path: Path, task: LineTask, **settings: Any) -> list[EpochFigures]:
    made = StageSettings(**{"epochs": 1, "learning_rate": 0.5, "optimiser": "sgd", "momentum": 0.0, **settings})
    return train_stage(task, made, tmp_path / "line", seed=0, name="line", threads=1).history


def test_steps_are_those_of_gradient_descent_worked_by_hand(tmp_path: Path) -> None:
    task = LineTask()
    # The gradient is w - 3, so that a step halves the distance: 0, 1.5, 2.25, 2.625, 2.8125.
    history = line(tmp_path, task, epochs=2)
    assert task.seen == [2.25, 2.8125]
    assert task.value == 2.8125
    assert [figures.loss for figures in history] == [(9 + 2.25) / 4, (0.75**2 + 0.375**2) / 4]
    assert [figures.n_items for figures in history] == [4, 4]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        # Velocities -3, then .5 * -3 + (1.5 - 3).
        ({"momentum": 0.5}, 1.5 + 0.5 * 3.0),
        # Gradients -3 and -2.5, each made 1 long.
        ({"clip": 1.0}, 0.5 + 0.5),
        # Gradients -3, made 2 long, and -2, which is short enough.
        ({"clip": 2.0}, 1.0 + 1.0),
        # Gradient -3, then 1.5 - 3 + .1 * 1.5.
        ({"weight_decay": 0.1}, 1.5 + 0.5 * 1.35),
        # Rates .25 and .5: 0, .75, .75 + .5 * 2.25.
        ({"warm_up": 2}, 1.875),
        # Rates .5 and .25: 0, 1.5, 1.5 + .25 * 1.5.
        ({"schedule": "linear"}, 1.875),
    ],
)
def test_settings_do_what_they_say(tmp_path: Path, settings: dict[str, Any], expected: float) -> None:
    task = LineTask()
    line(tmp_path, task, **settings)
    assert task.value == pytest.approx(expected)


@pytest.mark.parametrize("optimiser", ["adam", "adamw"])
def test_adam_is_that_of_torch(tmp_path: Path, optimiser: str) -> None:
    task, theirs = LineTask(1.0), LineTask(1.0)
    line(tmp_path, task, optimiser=optimiser, epochs=3, weight_decay=0.1, learning_rate=0.1)
    kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[optimiser]
    plain = kind(theirs.model.parameters(), lr=0.1, weight_decay=0.1, foreach=False, fused=False)
    for _ in range(6):
        plain.zero_grad()
        (theirs.loss(2, 0, 1).total / 2).backward()
        plain.step()
    assert task.value == pytest.approx(theirs.value, rel=1e-12)


def test_the_average_of_weights_is_validated_and_is_the_result(tmp_path: Path) -> None:
    task = LineTask()
    line(tmp_path, task, average=0.25)
    # After steps 0 and 1 the weights are 1.5 and 2.25; the decays are 1/10 and 2/11.
    first = 0.9 * 1.5
    assert task.value == pytest.approx(2 / 11 * first + 9 / 11 * 2.25)
    assert task.seen == [task.value]


def test_the_weights_of_the_best_epoch_are_the_result_and_patience_ends(tmp_path: Path) -> None:
    task = LineTask(figures=[0.1, 0.4, 0.4, 0.2, 0.9])
    history = line(tmp_path, task, epochs=9, best_by="figure", patience=2)
    assert [figures.validation["figure"] for figures in history] == [0.1, 0.4, 0.4, 0.2]
    assert task.value == task.seen[1]


def test_a_small_model_learns_and_tells_how_it_goes(tmp_path: Path) -> None:
    said: list[str] = []
    counts: list[tuple[str, int, int | None]] = []
    reported: list[EpochFigures] = []
    task = CountingTask(dropout=0.0)
    result = train(
        task,
        tmp_path / "c",
        epochs=12,
        items="words",
        progress=lambda *call: counts.append(call),
        report=reported.append,
        notice=said.append,
    )
    assert reported == result.history
    assert result.history[-1].loss < 0.3 < result.history[0].loss
    assert task.validate()["accuracy"] == result.history[result.best_epoch - 1].validation["accuracy"] > 0.95
    assert result.n_threads == 1
    assert said == ["1 of the processor's threads, as asked for"]
    assert [done for _, done, _ in counts] == list(range(1, 12 * 8 + 1))
    assert {total for _, _, total in counts} == {12 * 8}
    assert counts[8][0].startswith("steps of counting (epoch 2 of 12, loss ")
    assert counts[8][0].endswith(" words/s)")


def test_training_leaves_the_generator_threads_and_gradients_as_they_were(tmp_path: Path) -> None:
    task = CountingTask()
    torch.manual_seed(3)
    before, n_threads = torch.get_rng_state(), torch.get_num_threads()
    train(task, tmp_path / "c", epochs=1, threads=None)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == n_threads
    assert all(parameter.grad is None for parameter in task.model.parameters())
    assert not task.model.training


def test_measuring_threads_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, measured = CountingTask(), CountingTask()
    train(plain, tmp_path / "a")
    # Whatever is measured, one is taken: with two, sums may be rounded in another way.
    monkeypatch.setattr("limner.learn.torch.thread_choice.usable_cores", lambda: 2)
    monkeypatch.setattr("limner.learn.torch.thread_choice.LEAST_GAIN", 1e9)
    result = train(measured, tmp_path / "b", threads=None)
    assert result.n_threads == 1
    assert "ms with 2" in result.threads_reason
    assert measured.n_steps > plain.n_steps
    assert weights(measured.model) == weights(plain.model)


# --- resuming


def run(folder: Path, *options: str) -> int:
    command = [sys.executable, str(PROGRAM), str(folder / "checkpoint"), str(folder / "weights"), *options]
    return subprocess.run(command, check=False).returncode


@pytest.mark.parametrize("n_kills", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_a_run_that_is_killed_goes_on_bit_for_bit(tmp_path: Path, n_kills: int) -> None:
    whole = CountingTask()
    train(whole, tmp_path / "whole")
    draw = random.Random(8)
    for _ in range(n_kills):
        assert run(tmp_path, f"--kill-at={draw.randint(2, 7)}") == -signal.SIGKILL
    assert run(tmp_path) == 0
    assert file_weights(tmp_path / "weights") == weights(whole.model)
    # All else that the two have learnt is the same too, such as moments and averages.
    assert file_weights(tmp_path / "checkpoint") == file_weights(tmp_path / "whole")


class Stop(Exception):
    pass


class StoppingTask(CountingTask):
    """A task that fails at a step or within its n-th validation."""

    def __init__(self, step: int | None = None, validation: int | None = None) -> None:
        super().__init__()
        self.step, self.validation = step, validation

    def loss(self, batch: list[int], rank: int, n_ranks: int) -> BatchLoss:
        if self.n_steps == self.step:
            raise Stop
        return super().loss(batch, rank, n_ranks)

    def validate(self) -> dict[str, float]:
        figures = super().validate()
        if self.n_validations == self.validation:
            raise Stop
        return figures


@pytest.mark.parametrize(
    "settings", [{}, {"average": 0.0, "best_by": ""}, {"optimiser": "sgd", "momentum": 0.0}, {"checkpoint_steps": 0}]
)
@pytest.mark.parametrize("stop", [{"step": 1}, {"step": 9}, {"step": 16}, {"validation": 1}, {"validation": 2}])
def test_a_run_that_ends_anywhere_goes_on_bit_for_bit(
    tmp_path: Path, settings: dict[str, Any], stop: dict[str, int]
) -> None:
    whole = CountingTask()
    expected = train(whole, tmp_path / "whole", **settings)
    with pytest.raises(Stop):
        train(StoppingTask(**stop), tmp_path / "c", **settings)
    resumed = CountingTask()
    # What the generator was, and the model, are of no account.
    torch.manual_seed(99)
    nn.init.ones_(resumed.model.get_parameter("scores.weight")) if (tmp_path / "c").exists() else None
    result = train(resumed, tmp_path / "c", **settings)
    assert weights(resumed.model) == weights(whole.model)
    assert [(f.loss, f.n_items, f.validation) for f in result.history] == [
        (f.loss, f.n_items, f.validation) for f in expected.history
    ]


def test_a_run_that_has_ended_returns_at_once(tmp_path: Path) -> None:
    whole, again = CountingTask(), CountingTask()
    first = train(whole, tmp_path / "c")
    written = (tmp_path / "c").read_bytes()
    second = train(again, tmp_path / "c")
    assert again.n_steps == again.n_validations == 0
    assert second.history == first.history
    assert second.best_epoch == first.best_epoch
    assert weights(again.model) == weights(whole.model)
    assert (tmp_path / "c").read_bytes() == written


def test_a_run_that_is_there_is_not_written_over_unasked(tmp_path: Path) -> None:
    train(CountingTask(), tmp_path / "c", epochs=1)
    with refusal(BadInput) as caught:
        train(CountingTask(), tmp_path / "c", epochs=1, resume=False)
    assert caught.value.code == "has-checkpoint"


def test_a_run_takes_as_many_threads_as_before(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        train(StoppingTask(step=3), tmp_path / "c", threads=2, epochs=1)
    with refusal(BadInput):
        train(CountingTask(), tmp_path / "c", threads=1, epochs=1)
    assert train(CountingTask(), tmp_path / "c", threads=None, epochs=1).n_threads == 2


# --- what goes wrong


def test_a_full_disk_loses_no_earlier_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = CountingTask()
    train(whole, tmp_path / "whole")
    n_files = 0

    def write(self: NamedFile, data: Any, /) -> int:
        nonlocal n_files
        n_files += self.n_written == 0
        if n_files > 3 and self.n_written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._name)
        n = super(NamedFile, self).write(bytes(data)[:2000])
        self.n_written += n
        return n

    with monkeypatch.context() as patched:
        patched.setattr(NamedFile, "write", write)
        with refusal(BadInput):
            train(CountingTask(), tmp_path / "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "whole"]
    resumed = CountingTask()
    train(resumed, tmp_path / "c")
    # The third checkpoint, of step 6, was whole: 18 of 24 steps were left.
    assert resumed.n_steps == 18
    assert weights(resumed.model) == weights(whole.model)


def test_a_file_that_may_not_grow_is_a_clear_error(tmp_path: Path) -> None:
    program = (
        "import resource, sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path\n"
        "from small_training import CountingTask, train\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))\n"
        "train(CountingTask(), Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", program, str(PROGRAM.parent), str(tmp_path / "c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert f"BadInput: {tmp_path / 'c'}: cannot write (file too large)" in done.stderr
    assert list(tmp_path.iterdir()) == []


class BrokenTask(LineTask):
    def loss(self, batch: int, rank: int, n_ranks: int) -> BatchLoss:
        return BatchLoss(super().loss(batch, rank, n_ranks).total * float("nan"), batch)


def test_a_loss_that_is_no_number_ends_training(tmp_path: Path) -> None:
    with refusal(LimnerError):
        line(tmp_path, BrokenTask())
    assert not (tmp_path / "line").exists()


def test_a_figure_that_validation_does_not_give_is_told(tmp_path: Path) -> None:
    with refusal(LimnerError):
        line(tmp_path, LineTask(), best_by="figur")


def test_what_cannot_be_trained_is_told(tmp_path: Path) -> None:
    frozen = LineTask()
    frozen.model.requires_grad_(False)
    with refusal(ValueError):
        line(tmp_path, frozen)
    with refusal(LimnerError):
        line(tmp_path, type("Empty", (LineTask,), {"batches": lambda self, epoch: []})())
