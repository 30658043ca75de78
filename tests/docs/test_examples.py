"""Every example in the README and the documentation is run, and says what it is said to say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import limner
from conftest import REPOSITORY

PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(REPOSITORY)))
def test_the_examples_of_a_page_run_as_printed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
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


# What a shell makes of a line: pipes, redirections, variables, patterns, comments, further lines.
SHELL = re.compile(r"[|&;<>()$`\\*?#~{}\[\]\n]")

REDIRECTION = re.compile(r" (2?)> ([\w.-]+)")


def run(command: str, folder: Path) -> list[str]:
    """What a command says on standard output, then on standard error."""
    plain = REDIRECTION.sub("", command)
    if plain.startswith("limner ") and not SHELL.search(plain):
        done = limner(*shlex.split(plain)[1:], cwd=folder)
        said = {"": done.stdout, "2": done.stderr}
        for number, name in REDIRECTION.findall(command):
            (folder / name).write_text(said.pop(number), encoding="utf8")
        return "".join(said.values()).splitlines()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    shell = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return (shell.stdout + shell.stderr).splitlines()


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
