"""`limner schema`."""

from __future__ import annotations

import inspect
import json

import click
import msgspec

from limner.corpus.image import Image


@click.command()
def command() -> None:
    """Print the JSON Schema of a line of Limner's own format."""
    schema = msgspec.json.schema(Image)
    for part in schema["$defs"].values():
        # Descriptions are docstrings, with the indentation of the source.
        part["description"] = inspect.cleandoc(part["description"])
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A line of a Limner corpus"}
    click.echo(json.dumps({**draft, **schema}, indent=2))
