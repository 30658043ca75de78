"""Compiled kernels: the module where it was built, and none where the same is to be done in Python."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def kernel(name: str) -> ModuleType | None:
    """The compiled module of this dotted name, None where it was not built.

    None too where `LIMNER_PURE_PYTHON` is set (to anything but 0), which
    leaves compiled code aside. A module that was built and does not load is
    an ImportError: it would otherwise only be noticed as slowness.
    """
    if os.environ.get("LIMNER_PURE_PYTHON", "") not in ("", "0"):
        return None
    return import_module(name) if find_spec(name) else None
