"""Threads: the number with which steps are the fastest, by a clock that the tests own."""

from __future__ import annotations

import pytest
import torch

from limner.learn.torch import thread_choice
from limner.learn.torch.thread_choice import choose_threads, fastest, thread_candidates, thread_count, usable_cores


class Machine:
    """A clock, and a step that takes so many seconds with each number of threads, in turn."""

    def __init__(self, seconds: dict[int, list[float]]) -> None:
        self.now = 0.0
        self.seconds = seconds
        self.threads: list[int] = []

    def clock(self) -> float:
        return self.now

    def step(self) -> None:
        n = torch.get_num_threads()
        series = self.seconds[n]
        self.now += series[min(self.threads.count(n), len(series) - 1)]
        self.threads.append(n)


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_choice, "usable_cores", lambda: 2)


def test_the_faster_is_chosen_and_the_reason_told() -> None:
    before = torch.get_num_threads()
    busy = Machine({1: [9, 0.1], 2: [9, 1.0]})
    assert choose_threads([busy.step], clock=busy.clock) == (1, "1 thread: a step takes 100 ms, 1,000 ms with 2")
    quiet = Machine({1: [0.1], 2: [0.06]})
    assert choose_threads([quiet.step], clock=quiet.clock) == (2, "2 threads: a step takes 60 ms, 100 ms with 1")
    assert torch.get_num_threads() == before


def test_numbers_of_threads_take_turns_and_outliers_do_not_count() -> None:
    machine = Machine({1: [1, 1, 5, 1], 2: [0.7, 0.7, 0.7, 4, 0.7]})
    assert choose_threads([machine.step], clock=machine.clock).n_threads == 2
    assert machine.threads == [1, 2] * 6


def test_slow_steps_are_measured_less_often() -> None:
    machine = Machine({1: [15], 2: [10]})
    assert choose_threads([machine.step], clock=machine.clock).n_threads == 2
    assert machine.threads == [1, 2] * 2


def test_a_small_gain_is_not_worth_a_thread() -> None:
    assert fastest({1: 1.0, 2: 0.85}).n_threads == 1
    assert fastest({1: 1.0, 2: 0.75}).n_threads == 2
    assert fastest({1: 1.0, 4: 0.5, 8: 0.49}).n_threads == 4


def test_where_there_is_no_choice_nothing_is_measured() -> None:
    machine = Machine({1: [1]})
    assert choose_threads([machine.step], n_processes=2, clock=machine.clock).n_threads == 1
    assert machine.threads == []


def test_candidates_are_one_half_and_all_cores() -> None:
    assert [thread_candidates(n) for n in (0, 1, 2, 3, 8)] == [[1], [1], [1, 2], [1, 3], [1, 4, 8]]


def test_threads_are_as_before_after_a_failure() -> None:
    before = torch.get_num_threads()

    def fail() -> None:
        with thread_count(before + 1):
            raise RuntimeError(torch.get_num_threads())

    with pytest.raises(RuntimeError, match=str(before + 1)):
        fail()
    assert torch.get_num_threads() == before


def test_there_is_at_least_one_core() -> None:
    assert usable_cores() >= 1
