"""Captions scored with ray: on a cluster, or on the cores of one machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

from limner.errors import LimnerError, one_line
from limner.ray_connection import RETRIES, connected
from limner.score.sharded.evaluation import Scored, Sources, evaluate_sharded


def evaluate_with_ray(
    systems: Sequence[Sources], references: Sources, *, address: str | None = None, **asked: Any
) -> Scored:
    """The scores of several systems against the same references, all of them in shards.

    What else can be asked for is told by `evaluate_sharded`. With an address
    the work is done by the cluster there (`auto` for the one that this machine
    belongs to), whose machines have the same files under the same names;
    without one by processes of this machine, which end with the run. A program
    that called `ray.init` itself has it done where that says.
    """
    with ExitStack() as stack:
        # Ray takes its time to start: what can be refused before is.
        engine = RayEngine(lambda: stack.enter_context(connected(address)))
        return evaluate_sharded(engine, systems, references, **asked)


class RayEngine:
    """Runs functions where ray has room for them; what they give is made again if it is lost.

    `connect` gives ray, ready for work, when there is some.
    """

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._folder = str(Path.cwd())

    @cached_property
    def _ray(self) -> Any:
        return self._connect()

    @cached_property
    def _call(self) -> Any:
        return self._ray.remote(max_retries=RETRIES)(_called)

    @property
    def n_workers(self) -> int:
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def share(self, value: object) -> Any:
        return self._ray.put(value)

    def start(self, function: Callable[..., Any], *arguments: Any, n: int = 1) -> Any:
        call = self._call.options(num_returns=n, name=function.__name__)
        return call.remote(self._folder, function, *arguments)

    def results(self, handles: Sequence[Any], counted: Callable[[int], None]) -> list[Any]:
        position = {handle: i for i, handle in enumerate(handles)}
        results: dict[int, Any] = {}
        failed: tuple[int, Exception] | None = None
        waiting = list(handles)
        while waiting:
            (ready,), waiting = self._ray.wait(waiting, num_returns=1)
            try:
                results[position[ready]] = self._ray.get(ready)
            except self._ray.exceptions.RayError as error:
                failed = position[ready], error
                # Only one before it may still be the first that failed.
                for handle in waiting[:]:
                    if position[handle] > position[ready]:
                        self._ray.cancel(handle)
                        waiting.remove(handle)
            counted(len(results))
        if failed is not None:
            raise self._explained(failed[1]) from None
        return [results[i] for i in range(len(handles))]

    def _explained(self, error: Exception) -> Exception:
        """What a function raised; or, where none did, what became of its process."""
        if not isinstance(error, self._ray.exceptions.RayTaskError):
            said = one_line(str(error).strip().partition("\n")[0], 200)
            return LimnerError(
                f"ray gave up after {RETRIES + 1} tries ({said}); if memory ran out, ask for more, smaller partitions"
            )
        cause = getattr(error, "cause", None)
        return cause if isinstance(cause, LimnerError) else error


def _called(folder: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function gives, where paths mean what they mean where the run was started."""
    if Path(folder).is_dir():
        os.chdir(folder)
    return function(*arguments)
