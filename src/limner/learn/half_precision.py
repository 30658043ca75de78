"""Layers in bfloat16 on processors that claim an instruction set which they cannot run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

from limner.files import open_kept

CPU_INFO = Path("/proc/cpuinfo")

# The largest instruction set of oneDNN without AMX. oneDNN reads the variable when it is first used.
VARIABLE, WITHOUT_AMX = "ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16"

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
    Call this before the first layer in bfloat16 is computed.
    """
    if VARIABLE in os.environ or not _advertises_amx():
        return
    if _probe_exit_code() == -signal.SIGILL:
        os.environ[VARIABLE] = WITHOUT_AMX


def _advertises_amx() -> bool:
    file = open_kept(CPU_INFO)
    if file is None:
        return False
    with file:
        return b"amx_bf16" in file.read().split()


def _probe_exit_code() -> int:
    return subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, check=False).returncode
