"""Programs that `torchrun` starts in two processes, which speak to each other within this machine alone."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

LOOPBACK = {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
HAS_LOOPBACK = sys.platform.startswith("linux")  # it has another name elsewhere


def torchrun(*program: object) -> subprocess.CompletedProcess[str]:
    """Run a program, or a module behind `-m`, in two processes."""
    launch = ["-m", "torch.distributed.run", "--nproc-per-node=2", "--master-addr=127.0.0.1"]
    command = [sys.executable, *launch, f"--master-port={_free_port()}", *map(str, program)]
    environment = {**os.environ, **LOOPBACK}
    # It takes seconds; a process that waits for another in vain must not hold up all tests.
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])
