"""What Limner needs is declared, pinned for its own development, argued for and free to use."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from importlib.metadata import metadata
from itertools import chain
from pathlib import Path

import pytest

from conftest import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]


def names(requirements: list[str]) -> set[str]:
    found = {re.split(r"[\[<>=!~; ]", requirement)[0].lower() for requirement in requirements}
    return found - {"limner"}


RUNTIME = names(PROJECT["dependencies"]) | set().union(
    *(names(needs) for extra, needs in PROJECT["optional-dependencies"].items() if extra != "dev")
)
DECLARED = RUNTIME | names(PROJECT["optional-dependencies"]["dev"])


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_every_dependency_is_argued_for(name: str) -> None:
    page = (REPOSITORY / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    assert f"### {name}\n" in page


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_every_dependency_is_pinned_for_development(name: str) -> None:
    pins = (REPOSITORY / "constraints.txt").read_text().lower().replace("_", "-")
    assert re.search(rf"^{re.escape(name)}==", pins, re.MULTILINE)


def test_published_extras_pin_nothing_exactly() -> None:
    requirements = [*PROJECT["dependencies"], *chain.from_iterable(PROJECT["optional-dependencies"].values())]
    assert not [requirement for requirement in requirements if "==" in requirement]


@pytest.mark.parametrize("name", sorted(RUNTIME))
def test_nothing_that_ships_with_limner_is_under_the_gpl(name: str) -> None:
    about = metadata(name)
    licences = [about.get("License-Expression") or about.get("License") or "", *(about.get_all("Classifier") or [])]
    assert not [text for text in licences if re.search(r"\bA?L?GPL|GNU", text[:200])]


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
@pytest.mark.parametrize(("status", "printed"), [(0, "x  could not be audited"), (1, "x 1.0 CVE-2026-0001")])
def test_the_audit_fails_where_something_is_known_to_be_unsafe(tmp_path: Path, status: int, printed: str) -> None:
    audit = tmp_path / "bin" / "pip-audit"
    audit.parent.mkdir()
    audit.write_text(f"#!/bin/sh\necho '{printed}'\nexit {status}\n")
    audit.chmod(0o755)
    (tmp_path / ".venv").mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "-f", REPOSITORY / "Makefile", "-o", ".venv/.dev", "audit", f"BIN={audit.parent}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert bool(done.returncode) == bool(status), done.stderr
    assert ("1 packages could not be audited" in done.stdout) == (status == 0)
    assert (printed in done.stdout) == (status == 1)
