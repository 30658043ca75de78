"""Kinds of click commands (groups that import a command when it is called, help in sections) and of their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from limner.cli.terminal import tell
from limner.errors import unknown
from limner.lazy import load_object

OTHER_OPTIONS = "Other options"

Callback = TypeVar("Callback", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)


def choice_option(name: str, *choices: str, usual: str | None = None, help: str) -> Callable[[Callback], Callback]:
    """An option with one of these values, by default the usual one or else the first."""
    usual = choices[0] if usual is None else usual
    return click.option(name, type=click.Choice(choices), default=usual, show_default=True, help=help)


class NumberRange(click.FloatRange):
    """A number within bounds. Unlike its base class it refuses NaN, which no bound excludes."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


# With fewer samples the ends of a 95% interval are the few most extreme ones.
FEW_SAMPLES = 100


def warn_of_few(_: click.Context, __: click.Parameter, samples: int) -> int:
    """Warn of samples that are too few for the ends of an interval."""
    if 0 < samples < FEW_SAMPLES:
        tell(f"warning: {samples} samples are few for a 95% interval; take 1,000, or 0 for none")
    return samples


def samples_option(usual: int) -> Callable[[Callback], Callback]:
    """How many samples of the images give the intervals."""
    return click.option(
        "--samples",
        metavar="N",
        type=click.IntRange(min=0),
        default=usual,
        show_default=True,
        callback=warn_of_few,
        help="Samples of the images; 0 for no intervals.",
    )


def listed(text: str) -> list[str]:
    """The names in a text with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


class Entry(NamedTuple):
    """A command of a group: where it is defined, as `module:name`, and its line in the group's help.

    A group within the group has a table of its own instead.
    """

    target: str | Mapping[str, Entry]
    help: str


class LazyGroup(click.Group):
    """A group whose help imports none of its commands."""

    def __init__(self, *arguments: Any, entries: Mapping[str, Entry], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        if isinstance(entry.target, str):
            command: click.Command = load_object(entry.target)
            return command
        return LazyGroup(cmd_name, entries=entry.target, help=entry.help)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.entries and not args[0].startswith("-"):
            raise click.UsageError(str(unknown("command", args[0], self.entries)), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.entries.items()])


class SectionedCommand(click.Command):
    """A command whose help lists its options under the titles of `sections`, by their names without dashes."""

    def __init__(self, *arguments: Any, sections: Mapping[str, Sequence[str]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and isinstance(option, click.Option):
                records[option.opts[-1].lstrip("-")] = record
        placed = {name for names in self.sections.values() for name in names}
        unplaced = [name for name in records if name not in placed]
        for title, names in [*self.sections.items(), (OTHER_OPTIONS, unplaced)]:
            section = [records[name] for name in names if name in records]
            if section:
                with formatter.section(title):
                    formatter.write_dl(section, col_max=28)
