"""What `import limner` offers, and what each room exports."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import limner
from conftest import REPOSITORY

PACKAGE = REPOSITORY / "src" / "limner"
ROOMS = sorted(
    path.parent.name for path in PACKAGE.glob("*/__init__.py") if path.parent.name not in ("cli", "experiments")
)


@pytest.mark.parametrize("name", limner.__all__)
def test_every_public_name_of_limner_can_be_used(name: str) -> None:
    assert getattr(limner, name) is not None
    assert name in dir(limner)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is_for_and_what_it_exports(room: str) -> None:
    module = import_module(f"limner.{room}")
    assert module.__doc__
    assert module.__all__
    assert [name for name in module.__all__ if getattr(module, name, None) is None] == []
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("room", ROOMS)
def test_the_page_of_a_room_names_everything_that_the_room_exports(room: str) -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in Path(REPOSITORY / "docs").rglob("*.md"))
    exported = import_module(f"limner.{room}").__all__
    assert [name for name in exported if name not in pages] == []


def test_type_checkers_see_what_every_package_exports() -> None:
    overrides = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["mypy"]["overrides"]
    listed = {name for override in overrides if override.get("implicit_reexport") for name in override["module"]}
    packages = [path.parent for path in PACKAGE.rglob("__init__.py") if "lazy_exports(" in path.read_text()]
    assert {".".join(("limner", *path.relative_to(PACKAGE).parts)) for path in packages} == listed


def test_a_wrong_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        limner.__getattr__("nothing")


def test_star_import_brings_the_nouns_and_verbs() -> None:
    program = "from limner import *; print(Box.__name__, evaluate.__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Box", "evaluate"]
