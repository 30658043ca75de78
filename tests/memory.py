"""Memory that some lines of a test take for themselves, whatever ran in the process before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STATUS, MARKS = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@contextmanager
def memory_below(n_bytes: int) -> Iterator[None]:
    """Fails where the block takes so much more than the process had; nothing is measured where no peaks are told."""
    if not STATUS.exists() or not MARKS.exists():
        yield
        return
    MARKS.write_text("5")  # the peak is what there is now
    before = _kilobytes("VmRSS")
    yield
    assert (_kilobytes("VmHWM") - before) * 1024 < n_bytes


def _kilobytes(name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB", STATUS.read_text(), re.MULTILINE)
    assert found is not None
    return int(found.group(1))
