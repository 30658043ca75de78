"""Compiled kernels: there, not built, switched off, or broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from limner.kernels import kernel


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
