"""Late imports: a heavy module is loaded at its first use, and a missing library says which extra brings it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from conftest import REPOSITORY
from limner import lazy as lazy_imports
from limner.errors import MissingLibrary
from limner.lazy import extra_of, kernel, lazy, load, load_object
from refusals import refusal


def test_a_lazy_module_is_imported_at_its_first_use() -> None:
    program = (
        "import sys; from limner.lazy import lazy; colorsys = lazy('colorsys');"
        "print('colorsys' in sys.modules); colorsys.rgb_to_hsv(0, 0, 0); print('colorsys' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_a_lazy_module_gives_what_the_module_defines() -> None:
    assert lazy("math").pi == load_object("math:pi")


def test_a_missing_library_names_the_extra_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_imports, "HEAVY", {"a_library_that_nobody_has": "plots"})
    with refusal(MissingLibrary) as caught:
        load("a_library_that_nobody_has.inside")
    assert caught.value.extra == "plots"


def test_a_light_module_that_is_missing_is_a_plain_import_error() -> None:
    with pytest.raises(ModuleNotFoundError):
        load("a_library_that_nobody_has")


def test_a_missing_module_of_limner_itself_is_never_called_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_imports, "HEAVY", {"limner.nowhere": "plots"})
    with pytest.raises(ModuleNotFoundError):
        load("limner.nowhere")


def test_what_is_inside_a_heavy_package_is_heavy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_imports, "HEAVY", {"a.b": "neural"})
    assert [extra_of(name) for name in ("a", "a.b", "a.b.c", "a.bc")] == [None, "neural", "neural", None]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "a_package.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "from limner.lazy import lazy_exports\n"
        "if TYPE_CHECKING:\n"
        "    from math import pi, tau\n"
        "    from string import digits as numerals\n"
        "__getattr__, __dir__, __all__ = lazy_exports(__name__)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "a_package", raising=False)
    return import_module("a_package")


def test_a_package_exports_what_its_modules_define(package: ModuleType) -> None:
    assert package.pi == load_object("math:pi")
    assert package.numerals == load_object("string:digits")
    assert package.__all__ == ["numerals", "pi", "tau"]
    assert {"numerals", "pi", "tau"} <= set(dir(package))


def test_a_name_that_is_not_there_is_an_attribute_error(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match="'a_package' has no attribute 'e'"):
        _ = package.e


def test_packages_export_their_names_from_a_zip_too(tmp_path: Path) -> None:
    archive = tmp_path / "limner.zip"
    with zipfile.ZipFile(archive, "w") as members:
        for path in sorted((REPOSITORY / "src" / "limner").rglob("*.py")):
            members.write(path, path.relative_to(REPOSITORY / "src"))
    program = "import limner; print(limner.__file__, limner.Box.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(archive)},
    )
    assert str(archive) in done.stdout
    assert done.stdout.split()[-1] == "Box"


def test_a_kernel_that_was_not_built_is_none() -> None:
    assert kernel("limner.text._never_built") is None


@pytest.mark.parametrize(("setting", "is_there"), [("", True), ("0", True), ("1", False), ("yes", False)])
def test_the_environment_switches_kernels_off(monkeypatch: pytest.MonkeyPatch, setting: str, is_there: bool) -> None:
    monkeypatch.setenv("LIMNER_PURE_PYTHON", setting)
    assert (kernel("limner.text.words") is not None) == is_there


def test_a_kernel_that_is_there_is_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIMNER_PURE_PYTHON", raising=False)
    module = kernel("limner.text.words")
    assert module is not None
    assert module.__name__ == "limner.text.words"


def test_a_kernel_that_does_not_load_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LIMNER_PURE_PYTHON", raising=False)
    (tmp_path / "_broken_kernel.py").write_text("import a_library_that_is_nowhere")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match="a_library_that_is_nowhere"):
        kernel("_broken_kernel")
