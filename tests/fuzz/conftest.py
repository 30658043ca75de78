"""No broken file may take a gigabyte."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory import memory_below


@pytest.fixture(autouse=True)
def memory_is_bounded() -> Iterator[None]:
    with memory_below(1 << 30):
        yield
