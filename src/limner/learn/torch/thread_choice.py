"""How many threads training takes: measured on the machine as it is at this moment.

Operations of a small model are so short that threads mostly wait for each
other, the more so where another job has one of the cores: two threads on two
busy cores ran a small LSTM ten times slower than one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import NamedTuple

import torch

# Measurements of each number of threads, and the seconds after which no more are begun.
MAX_ROUNDS = 5
MAX_SECONDS = 20.0

# How much faster more threads must be to be taken: as soon as another job takes a core, they are much slower.
LEAST_GAIN = 1.25


class ThreadChoice(NamedTuple):
    """A number of threads, and why it was chosen, as a sentence."""

    n_threads: int
    reason: str


def choose_threads(
    steps: Sequence[Callable[[], object]], n_processes: int = 1, clock: Callable[[], float] = time.perf_counter
) -> ThreadChoice:
    """The number of threads with which these steps of training are the fastest.

    Each step is run with every number in turn, so that what other jobs do
    meanwhile falls on all of them alike. The first step is run once more before,
    because the first run of anything is slow. Steps must have no effect that lasts.
    """
    candidates = thread_candidates(usable_cores() // n_processes)
    if len(candidates) == 1 or not steps:
        return ThreadChoice(candidates[0], f"{_threads(candidates[0])}: there is no other choice")
    seconds: dict[int, list[float]] = {n: [] for n in candidates}
    with thread_count(torch.get_num_threads()):
        began = clock()
        for number in (None, *range(MAX_ROUNDS)):
            if number and clock() - began > MAX_SECONDS:
                break
            step = steps[(number or 0) % len(steps)]
            for n in candidates:
                torch.set_num_threads(n)
                start = clock()
                step()
                if number is not None:
                    seconds[n].append(clock() - start)
    return fastest({n: median(values) for n, values in seconds.items()})


def fastest(seconds: dict[int, float]) -> ThreadChoice:
    """The choice by the seconds that a step takes with each number of threads."""
    # The fewest threads are left only for a gain.
    best = min(seconds)
    for n in sorted(seconds):
        if seconds[n] * LEAST_GAIN <= seconds[best]:
            best = n
    rest = ", ".join(f"{1000 * seconds[n]:,.0f} ms with {n}" for n in sorted(seconds) if n != best)
    return ThreadChoice(best, f"{_threads(best)}: a step takes {1000 * seconds[best]:,.0f} ms, {rest}")


def thread_candidates(n_cores: int) -> list[int]:
    """The numbers of threads that are tried: one, half of the cores, all of them."""
    return sorted({1, max(n_cores // 2, 1), max(n_cores, 1)})


def usable_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def thread_count(n: int) -> Iterator[None]:
    """Within the block, torch takes so many threads; afterwards as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(n)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _threads(n: int) -> str:
    return f"{n:,} thread" if n == 1 else f"{n:,} threads"
