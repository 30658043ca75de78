"""Layers in bfloat16 on processors that claim an instruction set which they cannot run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

from limner.files import read_kept

CPU_INFO = Path("/proc/cpuinfo")

# The largest instruction set of oneDNN without AMX. oneDNN reads the variable when it is first used.
VARIABLE, WITHOUT_AMX = "ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16"

# Seconds for the probe, which takes about two on a quiet machine.
TIMEOUT = 120

_PROBE = """
import torch
layer = torch.nn.Linear(64, 64, dtype=torch.bfloat16)
with torch.no_grad():
    layer(torch.ones(64, 64, dtype=torch.bfloat16))
"""


@cache
def cap_instructions_if_broken() -> None:
    """Keep oneDNN from using AMX where the processor advertises it but kills the process (SIGILL).

    Some virtual machines do so. A layer is tried in a process of its own, and only where AMX
    is advertised: elsewhere nothing is capped, because it would cost speed.
    Call this before oneDNN is first used, whatever for.
    """
    if VARIABLE in os.environ or not _advertises_amx():
        return
    if _probe_exit_code() == -signal.SIGILL:
        os.environ[VARIABLE] = WITHOUT_AMX


def _advertises_amx() -> bool:
    return b"amx_bf16" in (read_kept(CPU_INFO) or b"").split()


def _probe_exit_code() -> int:
    """How the probe ended; 0 if it could not be run, or hangs: then nothing is known."""
    try:
        return subprocess.run(
            [sys.executable, "-c", _PROBE], capture_output=True, check=False, timeout=TIMEOUT
        ).returncode
    except (OSError, subprocess.TimeoutExpired):
        return 0
