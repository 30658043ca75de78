"""Commands that write, ended at a step of their work on files: each output is the old or the new one."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest

from kill_points import n_steps, stop_at
from kill_runs import PACKAGE, WRITING, arguments, faults, is_before_limner, make_inputs, snapshot, strays
from limner.cli import main

# Those that take least time, at one step each; `make attack` ends all of them, at many.
QUICK = ("jsonl.gz", "parquet", "tsv", "coco", "flickr30k-entities zip", "link", "describe", "constraints")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    make_inputs(folder, n_images=5)
    return folder


@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", QUICK)
def test_a_command_that_is_ended_leaves_the_old_output_or_the_new_one(
    tmp_path: Path, inputs: Path, name: str, how: signal.Signals
) -> None:
    writing = WRITING[name]
    for path in inputs.iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / "out").mkdir()

    def run(version: str) -> None:
        main(arguments(writing, version))

    assert n_steps(lambda: run("1"), tmp_path) > 0
    new = snapshot(tmp_path, writing)
    n_steps(lambda: run("0"), tmp_path)
    old = snapshot(tmp_path, writing)
    assert old != new
    last = n_steps(lambda: run("1"), tmp_path)
    n_steps(lambda: run("0"), tmp_path)
    step = random.Random(f"{name} {how}").randint(1, last)
    stop_at(step, how, lambda: run("1"), tmp_path)
    assert faults(old, snapshot(tmp_path, writing), new) == []
    n_steps(lambda: run("1"), tmp_path)
    assert faults(old, snapshot(tmp_path, writing), new, ended=False) == []
    assert strays(tmp_path, writing) == []


FROZEN = 'Traceback (most recent call last):\n  File "<frozen runpy>", line 148, in _get_module_details\n'
FIRST = f'  File "{PACKAGE}/__init__.py", line 9, in <module>\n    from limner import startup\n'
LATER = f'  File "{PACKAGE}/__init__.py", line 14, in <module>\n    from limner.lazy import lazy_exports\n'
ENDS = '  File "<frozen importlib._bootstrap>", line 1176, in _find_and_load\nKeyboardInterrupt\n'


@pytest.mark.parametrize(
    ("code", "message", "expected"),
    [
        (-2, "", True),
        (-2, FROZEN + ENDS, True),
        (-2, FROZEN + FIRST + ENDS, True),
        (1, FROZEN + ENDS, True),
        (-2, FROZEN + LATER + ENDS, False),
        (-2, FROZEN + FIRST + LATER + ENDS, False),
        (-2, FROZEN + ENDS + "limner: stopped\n", False),
        (-2, FROZEN + ENDS.replace("KeyboardInterrupt", "ImportError"), False),
        (130, "limner: stopped; nothing was written\n", False),
        (130, "", False),
    ],
)
def test_only_an_interrupt_without_a_line_of_limner_is_before_it(code: int, message: str, expected: bool) -> None:
    assert is_before_limner(code, message) == expected
