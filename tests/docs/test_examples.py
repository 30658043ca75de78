"""Every example in the README and the documentation is run, and says what it is said to say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import REPOSITORY

PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(REPOSITORY)))
def test_the_examples_of_a_page_run_as_printed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "example"}
    for kind, body in FENCE.findall(page.read_text(encoding="utf-8")):
        if kind == "python":
            exec(compile(body, str(page), "exec"), namespace)
        elif kind == "console":
            for command, expected in commands(body):
                assert_alike(run(command, tmp_path), expected, command)


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """Each `$ command` of a console block, with the lines printed under it.

    Targets of the Makefile set up whole environments and are not run here.
    """
    command: list[str] = []
    expected: list[str] = []
    for line in [*block.splitlines(), "$ "]:
        if line.startswith("$ "):
            if command and not command[0].startswith(("make", "git clone")):
                yield "\n".join(command), expected
            command, expected = [line[2:]], []
        elif line.startswith("> ") and not expected:
            command.append(line[2:])
        else:
            expected.append(line)


def run(command: str, folder: Path) -> list[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "100", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return (done.stdout + done.stderr).splitlines()


def assert_alike(said: list[str], expected: list[str], command: str) -> None:
    """Line for line equal, where `...` alone stands for any lines."""
    parts = [r"(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()) + r"\n" for line in expected]
    text = "".join(line.rstrip() + "\n" for line in said)
    assert re.fullmatch("".join(parts), text), f"$ {command}\nsaid:\n{text}"


def test_alike_is_not_everything() -> None:
    assert_alike(["a", "b", "c"], ["a", "...", "c"], "")
    with pytest.raises(AssertionError):
        assert_alike(["a", "b"], ["a"], "")
    with pytest.raises(AssertionError):
        assert_alike(["a"], ["a", "b"], "")
