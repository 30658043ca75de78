"""The folder for what is kept between runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Where Limner keeps what can be made again: `LIMNER_CACHE`, otherwise where the system has such things."""
    if named := os.environ.get("LIMNER_CACHE"):
        return Path(named)
    if named := os.environ.get("XDG_CACHE_HOME"):
        return Path(named) / "limner"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "limner"
    if sys.platform == "win32" and (named := os.environ.get("LOCALAPPDATA")):
        return Path(named) / "limner" / "cache"
    return Path.home() / ".cache" / "limner"
