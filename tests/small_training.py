"""A small LSTM that learns to count on, with dropout; run as a program, it is trained in a process of its own.

    python tests/small_training.py CHECKPOINT WEIGHTS [--kill-at STEP] [--dropout P] …

trains it and writes its weights. With `--kill-at`, the process kills itself
just before that step of those that it makes itself.
"""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

from limner.learn.length_batches import LengthBatches
from limner.learn.stage_settings import StageSettings
from limner.learn.torch.processes import processes_of_environment
from limner.learn.torch.safe_tensors import write_tensors
from limner.learn.torch.training_stage import BatchLoss, train_stage

N_WORDS = 7
SETTINGS = StageSettings(
    epochs=3, batch=4, learning_rate=0.02, clip=1.0, best_by="accuracy", average=0.9, checkpoint_steps=2
)


class CountingModel(nn.Module):
    """Words of a sentence, to scores of the next word."""

    def __init__(self, dropout: float, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.words = nn.Embedding(N_WORDS, 6)
        self.norm = nn.BatchNorm1d(6)
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

    def __init__(self, dropout: float = 0.3, kill_at: int | None = None, size: int = 4) -> None:
        self.model = CountingModel(dropout)
        if not dropout:
            # The means of a share of a batch are not those of the batch.
            self.model.norm.eval()
            self.model.norm.train = lambda mode=True: self.model.norm  # type: ignore[method-assign, assignment]
        self.kill_at = kill_at
        self.n_steps = 0
        self.lengths = [3 + number % 5 for number in range(30)]
        self.length_batches = LengthBatches(self.lengths, size, seed=1)

    def batches(self, epoch: int) -> Sequence[list[int]]:
        return [batch.tolist() for batch in self.length_batches.epoch(epoch)]

    def loss(self, batch: list[int], rank: int, n_ranks: int) -> BatchLoss:
        if self.n_steps == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.n_steps += 1
        total = torch.zeros(())
        for item in batch[rank::n_ranks]:
            words = self.sentence(item)
            total = total + nn.functional.cross_entropy(self.model(words[None, :-1])[0], words[1:], reduction="sum")
        return BatchLoss(total, sum(self.lengths[item] - 1 for item in batch))

    def validate(self) -> dict[str, float]:
        right = [(self.model(words[None, :-1])[0].argmax(1) == words[1:]).float().mean() for words in self.sentences()]
        # As much randomness as somebody's validation may use.
        return {"accuracy": float(torch.stack(right).mean()), "noise": float(torch.rand(()))}

    def sentence(self, item: int) -> torch.Tensor:
        return torch.tensor([(item + k) % N_WORDS for k in range(self.lengths[item])])

    def sentences(self) -> list[torch.Tensor]:
        return [self.sentence(item) for item in range(len(self.lengths))]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--kill-at", type=int)
    parser.add_argument("--dropout", type=float, default=0.3)
    parser.add_argument("--optimiser", default="adam")
    parser.add_argument("--epochs", type=int, default=SETTINGS.epochs)
    asked = parser.parse_args()
    task = CountingTask(asked.dropout, asked.kill_at)
    settings = StageSettings(
        epochs=asked.epochs,
        learning_rate=0.02,
        optimiser=asked.optimiser,
        schedule="cosine",
        warm_up=3,
        clip=1.0,
        best_by="accuracy",
        average=0.9,
        checkpoint_steps=2,
    )
    train_stage(task, settings, asked.checkpoint, seed=5, name="counting", resume=True, threads=1)
    if processes_of_environment().is_first:
        write_tensors(asked.weights, task.model.state_dict())


if __name__ == "__main__":
    main()
