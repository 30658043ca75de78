"""The command line as the victim of an attack: what became of it, in a process of its own."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import limner.cli
from limner.lazy import load, load_object

# No try may take the machine's memory, whatever it finds: more than this is refused by the system.
ADDRESS_SPACE = 6 << 30

# Processor seconds after which a command is taken to hang, however busy the machine is.
PATIENCE = 40

# Seconds after which it is taken to wait for something that never comes.
LONGEST_WAIT = 150.0

# A bug: neither done, nor refused, nor wrong usage, nor stopped by a signal that a command answers.
BUG = 70


class Outcome(NamedTuple):
    """How a command ended; a negative exit code is a signal, `seconds` are of the processor."""

    arguments: Sequence[str]
    code: int
    messages: str
    seconds: float
    megabytes: float
    has_hung: bool
    leftovers: Sequence[str]

    @property
    def is_traceback(self) -> bool:
        """Whether anything but an answer or a refusal came of it."""
        return not self.has_hung and (self.code not in (0, 1, 2) or "Traceback" in self.messages)

    @property
    def is_wordy(self) -> bool:
        """Whether a refusal is more than its line: besides it, only other lines of ours may stand."""
        lines = self.messages.splitlines()
        return self.code == 1 and not (lines and all(line.startswith("limner: ") for line in lines))


# What commands load only when they need it, and many tries do.
LOADED_LATE = (
    *(
        f"ground.{name}"
        for name in ("grounder", "grounder_training", "localising", "region_cache", "retriever_training")
    ),
    *(f"caption.models.{name}" for name in ("caption_reasons", "captioner_writer", "corpus_captioners")),
    *(f"caption.training.{name}" for name in ("captioner_training", "training_images")),
    "report.training_plots",
)


def load_commands() -> None:
    """Import what commands need, so that a try costs a fork and not a start."""
    for name in LOADED_LATE:
        load(f"limner.{name}")
    entries = list(limner.cli.COMMANDS.values())
    while entries:
        target = entries.pop().target
        if isinstance(target, str):
            load_object(target)
        else:
            entries += target.values()


def attack(arguments: Sequence[str], folder: Path) -> Outcome:
    """Run the command line in the folder; what takes too long is taken to hang, and ended."""
    messages = folder.with_suffix(".stderr")
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        _be_the_victim(arguments, folder, messages)
    has_hung = False
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            break
        if not has_hung and time.monotonic() - started > LONGEST_WAIT:
            has_hung = True
            os.kill(child, signal.SIGKILL)
        time.sleep(0.002)
    code = os.waitstatus_to_exitcode(status)
    return Outcome(
        list(arguments),
        code,
        messages.read_text(errors="replace"),
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
        has_hung or code == -signal.SIGXCPU,
        sorted(str(path.relative_to(folder)) for path in folder.rglob(".*") if path.suffix in (".limner", ".aside")),
    )


def _be_the_victim(arguments: Sequence[str], folder: Path, messages: Path) -> None:
    """What the forked process does, which never returns."""
    code = BUG
    try:
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE + 5))
        for number, path, flags in (
            (0, os.devnull, os.O_RDONLY),
            (1, os.devnull, os.O_WRONLY),
            (2, str(messages), os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        ):
            os.dup2(os.open(path, flags, 0o600), number)
        sys.stdin, sys.stdout, sys.stderr = map(os.fdopen, range(3), "rww")
        limner.cli.main(arguments)
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
