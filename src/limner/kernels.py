"""Compiled kernels: the module if it was built, None if Python code does the same."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def kernel(name: str) -> ModuleType | None:
    """The compiled module of this dotted name, None if it was not built.

    Also None if `LIMNER_PURE_PYTHON` is set to anything but 0, which disables
    compiled code. A module that was built but does not load raises an
    ImportError: otherwise nobody would notice more than slowness.
    """
    if os.environ.get("LIMNER_PURE_PYTHON", "") not in ("", "0"):
        return None
    return import_module(name) if find_spec(name) else None
