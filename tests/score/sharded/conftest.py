"""A way to run functions for tests: in this process, in any order, as if elsewhere."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest


class Later:
    """What a function will give."""

    def __init__(self, task: Task, place: int | None) -> None:
        self.task, self.place = task, place

    def value(self) -> Any:
        found = pickle.loads(self.task.done)
        return found if self.place is None else found[self.place]


class Task:
    def __init__(self, function: Callable[..., Any], arguments: Sequence[Any]) -> None:
        self.function, self.arguments = function, arguments
        self.done: Any = None

    def needs(self) -> list[Task]:
        return [one.task for one in self.arguments if isinstance(one, Later) and one.task.done is None]

    def run(self) -> None:
        given = [one.value() if isinstance(one, Later) else one for one in self.arguments]
        self.done = pickle.dumps(self.function(*pickle.loads(pickle.dumps(given))))


class InAnyOrder:
    """Runs functions when their results are asked for, in an order by chance, some of them twice; all that goes in or
    out of them is pickled."""

    n_workers = 3

    def __init__(self, seed: int = 0) -> None:
        self.draw = random.Random(seed)
        self.tasks: list[Task] = []
        self.told: list[int] = []

    def share(self, value: object) -> Any:
        return self.start(lambda: value)

    def start(self, function: Callable[..., Any], *arguments: Any, n: int = 1) -> Any:
        task = Task(function, arguments)
        self.tasks.append(task)
        return Later(task, None) if n == 1 else [Later(task, place) for place in range(n)]

    def results(self, handles: Sequence[Later], told: Callable[[int], None]) -> list[Any]:
        waiting = self.draw.sample(self.tasks, len(self.tasks))
        failed: dict[Task, Exception] = {}
        while ready := [task for task in waiting if not any(need in waiting for need in task.needs())]:
            for task in (*ready, *ready[:1]):
                try:
                    task.run()
                except Exception as error:
                    failed[task] = error
            waiting = [task for task in waiting if task not in ready]
        self.tasks = []
        for number, handle in enumerate(handles):
            if handle.task in failed:
                raise failed[handle.task]
            told(number + 1)
        return [handle.value() for handle in handles]


@pytest.fixture
def in_any_order() -> Callable[..., InAnyOrder]:
    return InAnyOrder
