"""The tests of the search and of its models need PyTorch; without it they are left out."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["search/*", "models/*"]
