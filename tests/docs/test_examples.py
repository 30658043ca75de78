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

from command_line import Done, limner
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


# What a shell makes of a line: lists, patterns, variables, comments, further lines.
SHELL = re.compile(r"[&;<>()$`\\*?#~{}\[\]\n]")

REDIRECTION = re.compile(r" (2?)> ([\w./-]+)")


def run(command: str, folder: Path) -> list[str]:
    """What a command says on standard output, then on standard error.

    Limner's commands, also those within pipelines, are called in this process; a shell does everything else.
    """
    parts = split_pipeline(command)
    if not any(is_plain(part) for part in parts):
        parts = [command]
    said, errors = "", ""
    for part in parts:
        done = called(part, folder, said) if is_plain(part) else in_shell(part, folder, said)
        said, errors = done.stdout, errors + done.stderr
    return (said + errors).splitlines()


def split_pipeline(command: str) -> list[str]:
    """The commands of a pipeline; everything that is quoted or more than a pipeline stays whole."""
    is_pipeline = " | " in command and not re.search(r"[\n;&()`]|<<", command)
    parts = command.split(" | ") if is_pipeline else [command]
    return parts if all(part.count("'") % 2 == part.count('"') % 2 == 0 for part in parts) else [command]


def is_plain(command: str) -> bool:
    """Whether a command is Limner's, with nothing that a shell would change but redirections."""
    return command.startswith("limner ") and not SHELL.search(REDIRECTION.sub("", command)) and "|" not in command


def called(command: str, folder: Path, given: str) -> Done:
    """A command in this process, with its redirections."""
    done = limner(*shlex.split(REDIRECTION.sub("", command))[1:], given=given, cwd=folder)
    streams = {"": done.stdout, "2": done.stderr}
    for number, name in REDIRECTION.findall(command):
        (folder / name).write_text(streams[number], encoding="utf8")
        streams[number] = ""
    return Done(done.returncode, streams[""], streams["2"])


def in_shell(command: str, folder: Path, given: str) -> Done:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        input=given,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


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
