"""Rows of an experiment in several processes: each trains a captioner and makes the captions of its rows.

What is made is left in the cache, where the experiment finds it. Nothing
depends on how many processes there are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from limner.errors import LimnerError
from limner.experiments.experiment_cache import unheard
from limner.experiments.novel_object_captions import RowCaptions
from limner.experiments.novel_object_rows import RowSpec
from limner.progress import silent


class ParentGone(Exception):
    """Whoever wanted the rows is not there any more."""


def make_rows(captions: RowCaptions, rows: Sequence[RowSpec], n_workers: int, notice: Callable[[str], None]) -> None:
    """Make the captions of rows in so many processes; those that share a captioner are made by one of them.

    An error of any process ends the others, and is raised here.
    """
    waiting = _groups([row for row in rows if row.system != "people" and not captions.are_made(row)])
    if n_workers < 2 or len(waiting) < 2:
        return
    captions.prepare([row for group in waiting for row in group])
    context = get_context("spawn")
    # Listeners stay here: they cannot be sent to another process.
    bare = captions.with_listeners(silent, unheard)
    running: dict[Connection, BaseProcess] = {}
    try:
        while waiting or running:
            while waiting and len(running) < n_workers:
                receiving, sending = context.Pipe(duplex=False)
                process = context.Process(target=_work, args=(bare, waiting.pop(0), sending, os.getpid()), daemon=True)
                process.start()
                sending.close()
                running[receiving] = process
            for connection in wait(list(running)):
                assert isinstance(connection, Connection)
                if not _heard(connection, running[connection], notice):
                    running.pop(connection).join()
    finally:
        for worker in running.values():
            worker.terminate()
            worker.join()


def _heard(connection: Connection, process: BaseProcess, notice: Callable[[str], None]) -> bool:
    """Pass on what a process sends; False once it has ended. Its error is raised."""
    try:
        message, error = connection.recv()
    except EOFError:
        process.join()
        if process.exitcode:
            raise LimnerError(f"a process that made captions ended with {process.exitcode}; run it again") from None
        return False
    if error is not None:
        raise error
    notice(message)
    return True


def _groups(rows: Sequence[RowSpec]) -> list[list[RowSpec]]:
    """The rows of each captioner or baseline, those of most rows first."""
    by_maker: dict[object, list[RowSpec]] = {}
    for row in rows:
        by_maker.setdefault(row.captioner or row.system, []).append(row)
    return sorted(by_maker.values(), key=lambda group: -len(group))


def _work(captions: RowCaptions, rows: Sequence[RowSpec], sending: Connection, parent: int) -> None:
    """Make the captions of some rows in a process of their own."""

    def progress(what: str, done: int, total: int | None, /) -> None:
        # Somebody may have killed the parent, and started another run that writes to the same folder.
        if os.getppid() != parent:
            raise ParentGone

    def notice(message: str) -> None:
        sending.send((message, None))

    try:
        heard = captions.with_listeners(progress, notice)
        for row in rows:
            heard.of(row)
    except LimnerError as error:
        sending.send(("", error))
    except (ParentGone, KeyboardInterrupt, BrokenPipeError):
        pass
    finally:
        sending.close()
