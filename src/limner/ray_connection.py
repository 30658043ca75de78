"""Ray, ready for work: on a cluster, or started on this machine for one run."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ray

from limner.errors import LimnerError, one_line

# How often a function is run again whose process died: machines of a cluster come and go.
RETRIES = 3

# Characters of a folder's path that leave room for the names of sockets in it, which may have 107 in all.
LONGEST = 40

# Seconds that a cluster has to answer.
PATIENCE = 20.0


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """Ray within the block.

    With an address it is the cluster there (`auto` for the one that this
    machine belongs to), without one it is started here and ends with the block.
    A program that called `ray.init` itself has it where that says.
    """
    if ray.is_initialized():
        yield ray
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with _here(ray) if address is None else there(ray, address):
        try:
            yield ray
        finally:
            ray.shutdown()


@contextmanager
def _here(ray: Any) -> Iterator[None]:
    """Ray, started on this machine; nothing of it is left behind."""
    # Where there is none, ray writes a password into the home folder; this one is known to its processes alone.
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    with tempfile.TemporaryDirectory(prefix="limner-ray-", ignore_cleanup_errors=True) as folder:
        ray.init(
            address="local",
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
            _temp_dir=folder if len(folder) <= LONGEST else None,
        )
        yield


@contextmanager
def there(ray: Any, address: str) -> Iterator[None]:
    """Ray, connected to a cluster."""
    try:
        _knock(address)
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, RuntimeError, ValueError) as error:
        said = one_line(str(error).strip().partition("\n")[0], 200)
        raise LimnerError(f"{address}: ray cannot be reached there ({said}); check the address") from error
    yield


def _knock(address: str) -> None:
    """An OSError where nobody answers: ray itself would wait for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
