"""`limner schema`."""

from __future__ import annotations

import json

import click

from limner.corpus.schema import SCHEMA


@click.command()
def command() -> None:
    """Print the JSON Schema of a line of Limner's own format."""
    click.echo(json.dumps(SCHEMA, indent=2))
