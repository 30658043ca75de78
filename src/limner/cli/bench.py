"""`limner bench`."""

from __future__ import annotations

import click

from limner.cli.bench_build import build
from limner.cli.bench_domains import domains


@click.group()
def command() -> None:
    """Make a benchmark of novel objects from a corpus with boxes."""


command.add_command(build)
command.add_command(domains)
