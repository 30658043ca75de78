"""Who may import whom: the rooms of the package, and the libraries that stay out of the way."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import REPOSITORY

PACKAGE = REPOSITORY / "src" / "limner"

ROOMS = {
    "text": {"text"},
    "corpus": {"text", "corpus"},
    "score": {"text", "corpus", "score"},
    **{
        room: {"text", "corpus", "score", room}
        for room in ("describe", "caption", "ground", "collect", "bench", "report")
    },
}
EVERY_ROOM = {*ROOMS, "experiments"}
ROOMS["experiments"] = EVERY_ROOM
ROOMS["cli"] = {*EVERY_ROOM, "cli"}

# Imported inside the functions that need them, never with the package.
HEAVY = {"torch", "spacy", "ray", "cv2", "pyarrow", "matplotlib", "starlette", "sqlalchemy", "transformers"}
LIGHT_START = {*HEAVY, "numpy", "PIL", "zstandard"}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_room_imports_only_what_it_may(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room not in ROOMS:
        return
    names = [name.split(".") for name in imported(ast.parse(path.read_text()))]
    rooms = {parts[1] for parts in names if parts[0] == "limner" and len(parts) > 1} & ROOMS.keys()
    assert rooms <= ROOMS[room], f"{room} may not import {sorted(rooms - ROOMS[room])}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_heavy_libraries_are_imported_where_they_are_used(path: Path) -> None:
    body = ast.Module([n for n in ast.parse(path.read_text()).body if isinstance(n, ast.Import | ast.ImportFrom)], [])
    assert not {name.split(".")[0] for name in imported(body)} & HEAVY


def test_every_room_of_the_package_is_known() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms <= ROOMS.keys()


@pytest.mark.parametrize("statement", ["import limner.corpus", "import limner.cli"])
def test_starting_imports_nothing_heavy(statement: str) -> None:
    program = f"import sys; {statement}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not LIGHT_START & set(loaded)
