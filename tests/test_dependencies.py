"""What Limner needs is declared, pinned for its own development, argued for and free to use."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import metadata

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


@pytest.mark.parametrize("name", sorted(RUNTIME))
def test_nothing_that_ships_with_limner_is_under_the_gpl(name: str) -> None:
    about = metadata(name)
    licences = [about.get("License-Expression") or about.get("License") or "", *(about.get_all("Classifier") or [])]
    assert not [text for text in licences if re.search(r"\bA?L?GPL|GNU", text[:200])]
