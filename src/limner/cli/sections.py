"""Commands with so many options that their help is told in sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

OTHERS = "Other options"


class Sectioned(click.Command):
    """A command whose help lists its options under the titles of `sections`, by their names without dashes."""

    def __init__(self, *arguments: Any, sections: Mapping[str, Sequence[str]], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        told = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and isinstance(option, click.Option):
                told[option.opts[-1].lstrip("-")] = record
        placed = {name for names in self.sections.values() for name in names}
        rest = [name for name in told if name not in placed]
        for title, names in [*self.sections.items(), (OTHERS, rest)]:
            records = [told[name] for name in names if name in told]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records, col_max=28)
