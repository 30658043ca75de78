"""The command line: thin, it parses, calls and prints."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from types import FrameType

import click

from limner import __version__
from limner.errors import LimnerError, unknown

# Each command's module and the line `limner --help` shows, so that help imports none of them.
COMMANDS: dict[str, str] = {
    "demo": "Show what Limner does, from nothing.",
    "convert": "Read corpora in one format and write them in another.",
    "link": "Tie captions to boxes by the names of the boxes' classes.",
    "info": "Print the statistics of a corpus, or of two side by side.",
    "playground": "Make a clip-art world: scenes with boxes, captions and, if asked, pictures.",
    "train": "Learn from a corpus with captions.",
    "describe": "Describe images from their labelled boxes.",
    "constraints": "Choose from boxes what captions have to mention, and say why.",
    "score": "Score a system's results against gold.",
    "experiment": "Run a paper's experiment on corpora of your own.",
    "show": "Make a page of images with their boxes and captions, for a browser.",
    "bench": "Make a benchmark of novel objects from a corpus with boxes.",
    "schema": "Print the JSON Schema of Limner's own format.",
}


class ReaderGone(Exception):
    """Whoever read our output has seen enough."""


class Commands(click.Group):
    """A group whose commands are modules of this package, imported when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"limner.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(str(unknown("command", args[0], COMMANDS)), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # Click would make this an exit with 1, as if something had gone wrong.
            raise ReaderGone from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="limner %(version)s")
def limner() -> None:
    """Grounded image description: sentences about pictures whose words are tied to regions.

    Wherever a corpus is wanted, give a path, format:path, or - for standard
    input. Results go to standard output, messages to standard error.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line: 0 done, 1 an expected failure, 2 wrong usage, 130 stopped by Ctrl-C."""
    signal.signal(signal.SIGTERM, _stop)
    # Corpora make millions of objects and hardly ever a cycle: looking for one so often costs a fifth of the time.
    gc.set_threshold(100_000, 20, 20)
    try:
        limner.main(args=list(arguments) if arguments is not None else None, standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("limner: stopped; nothing was written", err=True)
        sys.exit(130)
    except (ReaderGone, BrokenPipeError):
        # What is still buffered must not be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except LimnerError as error:
        click.echo(f"limner: {error}", err=True)
        sys.exit(1)


def _stop(signum: int, frame: FrameType | None) -> None:
    sys.exit(128 + signum)
