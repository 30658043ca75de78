"""Memory that a test of broken files takes for itself, whatever ran in the process before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

MAX_MEMORY = 1 << 30


@pytest.fixture(autouse=True)
def memory_is_bounded() -> Iterator[None]:
    """Fails a test that takes 1 GB more than the process had; where the system tells no peaks, nothing is measured."""
    status, marks = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not status.exists() or not marks.exists():
        yield
        return
    marks.write_text("5")  # the peak is what there is now
    before = _kilobytes(status, "VmRSS")
    yield
    assert (_kilobytes(status, "VmHWM") - before) * 1024 < MAX_MEMORY


def _kilobytes(status: Path, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB", status.read_text(), re.MULTILINE)
    assert found is not None
    return int(found.group(1))
