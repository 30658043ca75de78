"""Who may import whom: the floors of the package, and the libraries that stay out of the way."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from conftest import REPOSITORY
from limner.lazy import HEAVY, extra_of

PACKAGE = REPOSITORY / "src" / "limner"

FLOORS = (
    (
        "startup",
        "errors",
        "arrays",
        "progress",
        "disk",
        "unfinished",
        "written",
        "outputs",
        "files",
        "zip_files",
        "lazy",
        "ray_connection",
    ),
    ("text", "look", "learn"),
    ("corpus",),
    ("vision", "score"),
    ("describe", "caption", "ground", "bench", "playground", "report"),
    ("experiments", "cli"),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

# Only modules declared heavy import these, and only they, at their top.
LARGE = {
    *("torch", "spacy", "ray", "cv2", "pyarrow", "matplotlib", "transformers", "lightgbm"),
    *("ai_edge_litert", "onnxruntime", "faiss"),
}
LIGHT_START = {*LARGE, "numpy", "PIL", "zstandard"}


@cache
def modules() -> dict[Path, ast.Module]:
    """Every module of the package, parsed."""
    return {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def nodes(tree: ast.AST) -> list[ast.AST]:
    return list(ast.walk(tree))


def dotted(path: Path) -> str:
    return ".".join(("limner", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


def imported(tree: ast.AST) -> Iterator[str]:
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def executed(tree: ast.Module) -> list[ast.stmt]:
    """The statements of a module that are run: of `if TYPE_CHECKING`, the `else` alone."""
    return [
        statement
        for node in tree.body
        for statement in (node.orelse if isinstance(node, ast.If) and is_type_checking(node) else [node])
    ]


def lazily_imported(tree: ast.AST) -> Iterator[str]:
    """The modules that `lazy`, `load` and `load_object` are asked for by a literal name."""
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("limner."):
            yield node.value.partition(":")[0]


def test_a_room_imports_only_from_lower_floors() -> None:
    for path, tree in modules().items():
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        names = set() if room in ("__init__", "__main__") else forbidden(room, tree)
        assert not names, f"{dotted(path)} may not import {sorted(names)}"


def forbidden(room: str, tree: ast.Module) -> set[str]:
    """The rooms that a module of a room imports and may not."""
    late = [] if room in FLOORS[0] else lazily_imported(tree)
    names = [name.split(".") for name in (*imported(tree), *late)]
    rooms = {parts[1] for parts in names if parts[0] == "limner" and len(parts) > 1} & FLOOR.keys()
    # The command line puts experiments on the screen; both are on the top floor.
    allowed = {other for other in rooms if FLOOR[other] < FLOOR[room]} | {room}
    allowed |= {"experiments"} if room == "cli" else set()
    allowed |= set(FLOORS[0]) if room in FLOORS[0] else set()
    return rooms - allowed


def test_only_heavy_modules_import_large_libraries() -> None:
    for name, names in light_imports():
        large = {other.split(".")[0] for other in names} & LARGE
        assert not large, f"declare {name} in limner.lazy.HEAVY, or load {large} lazily"


def test_light_modules_do_not_import_heavy_ones() -> None:
    for name, names in light_imports():
        heavy = [other for other in names if extra_of(other)]
        assert not heavy, f"{name}: load {heavy} lazily"


def light_imports() -> Iterator[tuple[str, list[str]]]:
    """Every module that is not declared heavy, and what it imports when it is imported."""
    for path, tree in modules().items():
        if not extra_of(dotted(path)):
            yield dotted(path), list(imported(ast.Module(executed(tree), [])))


def outermost_functions(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        else:
            yield from outermost_functions(node)


def test_nothing_is_imported_inside_a_function() -> None:
    for path, tree in modules().items():
        late = [name for function in outermost_functions(tree) for name in imported(function)]
        assert not late, f"{dotted(path)}: import {late} at the top, or through limner.lazy"


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")

# Java's own option, not ours.
FOREIGN_OPTIONS = {"--add-opens"}


def test_the_library_never_speaks_of_command_line_options() -> None:
    for path, tree in modules().items():
        if path.relative_to(PACKAGE).parts[0] != "cli":
            values = [node.value for node in nodes(tree) if isinstance(node, ast.Constant)]
            options = {option for text in values if isinstance(text, str) for option in OPTION.findall(text)}
            assert options <= FOREIGN_OPTIONS, dotted(path)


def test_heavy_modules_exist() -> None:
    names = {dotted(path) for path in modules()}
    assert HEAVY.keys() <= names


def test_every_room_of_the_package_has_a_floor() -> None:
    rooms = {path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.suffix in ("", ".py")}
    assert rooms - {"__pycache__", "__init__", "__main__"} <= FLOOR.keys()


@pytest.mark.parametrize("statement", ["import limner", "import limner.corpus", "import limner.cli"])
def test_starting_imports_nothing_heavy(statement: str) -> None:
    program = f"import sys; {statement}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not LIGHT_START & set(loaded)
