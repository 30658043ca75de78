"""Small captioners, trained by the command line in this process: starting Python and PyTorch anew takes seconds."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import Mock

import torch

from limner import cli

CONFIG = """
[model]
hidden = 16
attention = 8
region = 16
label = 8
dropout = 0.1

[words]
size = 16
min_count = 2

[decoding]
beam = 2
max_len = 12

[training]
epochs = 2
batch = 16
learning_rate = 0.02
best_by = "CIDEr"
checkpoint_steps = 4
"""

SELF_CRITICAL = """
[self_critical]
candidates = 2

[self_critical.training]
epochs = 1
batch = 16
learning_rate = 0.001
best_by = "CIDEr"
checkpoint_steps = 1
"""


# The command line, ended with the process right behind the checkpoint of a number.
KILLED = """
import os, signal, sys
from limner.learn.torch import training_stage
write, last = training_stage.write_checkpoint, int(sys.argv.pop(1))
numbers = iter(range(1, 10_000))
def write_and_die(*arguments):
    write(*arguments)
    if next(numbers) == last:
        os.kill(os.getpid(), signal.SIGKILL)
training_stage.write_checkpoint = write_and_die
from limner.cli import main
main(sys.argv[1:])
"""


class Done(NamedTuple):
    """What a command ended with, and what it said."""

    code: int
    out: str
    err: str


def limner(*arguments: object) -> Done:
    """Run a command with one thread, and tell its errors as the command line does."""
    torch.set_num_threads(1)
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = cli._run([str(argument) for argument in arguments], Mock())
    return Done(code, out.getvalue(), err.getvalue())


def train_captioner(folder: Path, out: str, *options: object, corpus: str = "world.jsonl") -> Done:
    """Train a captioner on a corpus of the folder, by the config `tiny.toml` there if no other is given."""
    config = () if "--config" in options else ("--config", folder / "tiny.toml")
    return limner("train", "captioner", folder / corpus, *config, "--out", folder / out, *("--threads", 1), *options)
