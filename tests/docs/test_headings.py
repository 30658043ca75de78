"""Everything a user can name has its heading in the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from conftest import REPOSITORY
from limner.cli import COMMANDS, limner
from limner.corpus.formats import FORMATS
from limner.score.metrics import METRICS

DOCS = REPOSITORY / "docs"
ROOMS = sorted(
    path.name
    for path in (REPOSITORY / "src" / "limner").iterdir()
    if path.is_dir() and path.name not in ("__pycache__", "cli")
)


def headings(page: Path) -> list[str]:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [match.strip("`# ").replace("`", "") for match in re.findall(r"^#+ .*$", text, re.MULTILINE)]


def commands(name: str) -> dict[str, click.Command]:
    """The command of a name, and where it is a group those in it, each by its full name."""
    context = click.Context(limner)
    command = limner.get_command(context, name)
    assert command is not None
    by_name = {f"limner {name}": command}
    if isinstance(command, click.Group):
        for inner_name in command.list_commands(context):
            inner = command.get_command(context, inner_name)
            assert inner is not None
            by_name[f"limner {name} {inner_name}"] = inner
    return by_name


def options(command: click.Command) -> list[str]:
    return [
        option
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
        if option.startswith("--")
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_each_of_its_options_has_a_heading(name: str) -> None:
    said = headings(DOCS / "commands" / f"{name}.md")
    assert said[0] == f"limner {name}"
    words = {word.strip(",") for heading in said for word in heading.split()}
    for full, command in commands(name).items():
        assert full in said
        assert [option for option in options(command) if option not in words] == []


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_its_page(name: str) -> None:
    assert headings(DOCS / "formats" / f"{name}.md")[0] == name


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_its_page(room: str) -> None:
    assert headings(DOCS / f"{room}.md")[0] == room


@pytest.mark.parametrize("folder", ["commands", "formats"])
def test_no_page_speaks_of_what_is_not_there(folder: str) -> None:
    known = COMMANDS if folder == "commands" else FORMATS
    assert {page.stem for page in (DOCS / folder).glob("*.md")} <= {*known}


def test_every_page_is_reached_from_the_index() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} - {"index.md"}
    assert {page for page in pages if f"({page})" not in index} == set()


@pytest.mark.parametrize("page", [*sorted(REPOSITORY.glob("*.md")), *sorted(DOCS.rglob("*.md"))], ids=lambda p: p.stem)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_metric_is_in_the_table_of_metrics() -> None:
    page = (DOCS / "commands" / "score.md").read_text(encoding="utf-8")
    named = {
        name for row in re.findall(r"^\| (`[^|]+) \|", page, re.MULTILINE) for name in re.findall(r"`([^`]+)`", row)
    }
    assert set(METRICS) <= named
