"""Ends a program at a chosen step of its work on files, without any clock: every step can be tried."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

# Counts what the program asks of the file system, beside reading, and sends itself a signal before the chosen step.
_HOOK = """
import os, signal, sys
chosen, number, steps = int(sys.argv[1]), int(sys.argv[2]), 0
CHANGES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "fcntl.flock")
def hook(event, arguments):
    global steps
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if event in CHANGES or writes:
        steps += 1
        if steps == chosen:
            signal.raise_signal(number)
"""
_END = "\nsys.stderr.write(f'steps {steps}')"


def events(script: str, folder: Path) -> int:
    """How many steps a script takes that runs to its end in the folder."""
    return int(_run(0, signal.SIGKILL, script, folder).stderr.rpartition("steps ")[2])


def stopped_at(step: int, how: signal.Signals, script: str, folder: Path) -> None:
    """Run a script in the folder, which sends itself the signal just before this step."""
    done = _run(step, how, script, folder)
    if how == signal.SIGKILL:
        assert done.returncode == -signal.SIGKILL
    else:
        assert "KeyboardInterrupt" in done.stderr


def _run(step: int, how: signal.Signals, script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    # What is imported is no step of the script's.
    imports, _, rest = script.partition("\nif ")
    code = f"{imports}\n{_HOOK}\nsys.addaudithook(hook)\nif {rest}{_END}"
    command = [sys.executable, "-B", "-c", code, str(step), str(int(how))]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
