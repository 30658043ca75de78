"""Small captioners, trained by the command line in this process: starting Python and PyTorch anew takes seconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from command_line import Done, limner

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


def train_captioner(folder: Path, out: str, *options: object, corpus: str = "world.jsonl") -> Done:
    """Train a captioner on a corpus of the folder, by the config `tiny.toml` there if no other is given."""
    config = () if "--config" in options else ("--config", folder / "tiny.toml")
    return limner("train", "captioner", folder / corpus, *config, "--out", folder / out, *("--threads", 1), *options)


def trained(folder: Path, name: str) -> dict[str, Any]:
    """What a captioner of the folder remembers of its training."""
    return dict(json.loads((folder / name / "captioner.json").read_text())["trained"])


def losses(folder: Path, name: str, stage: str) -> list[float]:
    """The losses of a stage's epochs."""
    return [figures["loss"] for figures in trained(folder, name)["history"][stage]]
