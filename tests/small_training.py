"""A small LSTM that learns to count, trained in this process or in one of its own, which may be killed.

    python tests/small_training.py CHECKPOINT WEIGHTS [--kill-at STEP] …

trains it and writes its weights; with `--kill-at`, the process kills itself
just before that step of those that it makes.

    python tests/small_training.py CHECKPOINT WEIGHTS --kills 10

kills so many processes at moments by the clock, each of which goes on where
the one before ended, and compares the weights with those of a run that was
not killed.
"""

from __future__ import annotations

import argparse
import atexit
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
from torch import distributed, nn

from limner.learn.length_batches import LengthBatches
from limner.learn.stage_settings import StageSettings
from limner.learn.torch.processes import processes_of_environment
from limner.learn.torch.safe_tensors import write_tensors
from limner.learn.torch.training_stage import BatchLoss, StageResult, train_stage

N_WORDS = 7
N_SENTENCES = 30

SETTINGS: dict[str, Any] = {
    "epochs": 3,
    "batch": 4,
    "learning_rate": 0.02,
    "schedule": "cosine",
    "warm_up": 3,
    "clip": 1.0,
    "best_by": "accuracy",
    "average": 0.9,
    "checkpoint_steps": 2,
}


class CountingModel(nn.Module):
    """Words of a sentence, to scores of the next word."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.words = nn.Embedding(N_WORDS, 6)
        # The means of a share of a batch are not those of the batch: without dropout, processes can be compared.
        self.norm = nn.BatchNorm1d(6) if dropout else nn.Identity()
        self.reader = nn.LSTM(6, 8, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.scores = nn.Linear(8, N_WORDS)
        # Never used: its gradient is 0 at every step.
        self.idle = nn.Parameter(torch.ones(2))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        vectors = self.norm(self.words(tokens).transpose(1, 2)).transpose(1, 2)
        hidden, _ = self.reader(self.dropout(vectors))
        scores: torch.Tensor = self.scores(self.dropout(hidden))
        return scores


class CountingTask:
    """Sentences such as 3 4 5 6 0, of 3 to 7 words; the next word is to be told."""

    def __init__(self, dropout: float = 0.3, kill_at: int | None = None) -> None:
        self.model: nn.Module = CountingModel(dropout)
        self.kill_at = kill_at
        self.n_steps = 0
        self.n_validations = 0
        self.lengths = [3 + number % 5 for number in range(N_SENTENCES)]
        self.length_batches = LengthBatches(self.lengths, SETTINGS["batch"], seed=1)

    def batches(self, epoch: int) -> Sequence[list[int]]:
        return [batch.tolist() for batch in self.length_batches.epoch(epoch)]

    def loss(self, batch: list[int], rank: int, n_ranks: int) -> BatchLoss:
        if self.n_steps == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.n_steps += 1
        losses = [self.sentence_loss(item) for item in batch[rank::n_ranks]]
        total = torch.stack(losses).sum() if losses else torch.zeros(())
        return BatchLoss(total, sum(self.lengths[item] - 1 for item in batch))

    def sentence_loss(self, item: int) -> torch.Tensor:
        words = self.sentence(item)
        return nn.functional.cross_entropy(self.model(words[None, :-1])[0], words[1:], reduction="sum")

    def validate(self) -> dict[str, float]:
        self.n_validations += 1
        sentences = [self.sentence(item) for item in range(N_SENTENCES)]
        right = [(self.model(words[None, :-1])[0].argmax(1) == words[1:]).float().mean() for words in sentences]
        # Somebody's validation may draw numbers too.
        return {"accuracy": float(torch.stack(right).mean()), "noise": float(torch.rand(()))}

    def sentence(self, item: int) -> torch.Tensor:
        return torch.tensor([(item + k) % N_WORDS for k in range(self.lengths[item])])


def train(task: CountingTask, checkpoint: Path, **changes: Any) -> StageResult:
    """Train the model of the task, or go on; changes are of the settings or of how they are trained."""
    settings = {name: changes.pop(name, value) for name, value in SETTINGS.items()}
    settings |= {name: changes.pop(name) for name in StageSettings.__struct_fields__ if name in changes}
    options = {"seed": 5, "name": "counting", "resume": True, "threads": 1, **changes}
    return train_stage(task, StageSettings(**settings), checkpoint, **options)


def kill_often(asked: argparse.Namespace) -> int:
    """The number of processes that were killed before one came to its end; at random moments, by the clock."""
    command = [sys.executable, __file__, str(asked.checkpoint), str(asked.weights), f"--epochs={asked.epochs}"]
    began = time.monotonic()
    subprocess.run([*command, f"--dropout={asked.dropout}"], check=True)
    seconds = time.monotonic() - began
    asked.checkpoint.unlink()
    expected = asked.weights.read_bytes()
    asked.weights.unlink()
    draw = random.Random(asked.seed)
    n_killed = 0
    while not asked.weights.exists():
        running = subprocess.Popen([*command, f"--dropout={asked.dropout}"])
        if n_killed < asked.kills:
            time.sleep(draw.uniform(0.2, 0.9) * seconds)
            running.kill()
        n_killed += running.wait() == -signal.SIGKILL
    if asked.weights.read_bytes() != expected:
        sys.exit(f"{n_killed} kills: the weights differ")
    print(f"{n_killed} kills: the weights are the same, byte for byte")
    return n_killed


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--kill-at", type=int)
    parser.add_argument("--kills", type=int)
    parser.add_argument("--leave", action="store_true", help="end the group of processes, and wait for its threads")
    parser.add_argument("--seed", type=int, default=0, help="of the moments of kills")
    parser.add_argument("--dropout", type=float, default=0.3)
    parser.add_argument("--epochs", type=int, default=SETTINGS["epochs"])
    asked = parser.parse_args()
    if asked.kills:
        kill_often(asked)
        return
    task = CountingTask(asked.dropout, asked.kill_at)
    train(task, asked.checkpoint, epochs=asked.epochs)
    if processes_of_environment().is_first:
        write_tensors(asked.weights, task.model.state_dict())
    if asked.leave:
        leave_group()


def leave_group() -> None:
    """End the group of processes, as the end of Python would; threads that outlive it would abort the process."""
    atexit.unregister(distributed.destroy_process_group)
    distributed.destroy_process_group()
    # The system lists a thread for a moment after it has been joined.
    deadline = time.monotonic() + 60
    while left := group_threads():
        if time.monotonic() > deadline:
            sys.exit(f"threads of the group are left: {', '.join(left)}")
        time.sleep(0.01)


def group_threads() -> list[str]:
    """The names of this process's threads that belong to a group of processes."""
    names = []
    for thread in Path("/proc/self/task").iterdir():
        # A thread may end while it is looked at.
        with suppress(FileNotFoundError, ProcessLookupError):
            names.append((thread / "comm").read_text().strip())
    return [name for name in names if "gloo" in name]


if __name__ == "__main__":
    main()
