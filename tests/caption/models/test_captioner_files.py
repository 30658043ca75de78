"""The folder of a captioner."""

from __future__ import annotations

from importlib import import_module

from limner.caption.captioner_files import KIND


def test_an_error_names_what_makes_captioners() -> None:
    module, _, name = KIND.trained_by.rpartition(".")
    assert hasattr(import_module(module), name)
