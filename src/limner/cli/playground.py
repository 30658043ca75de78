"""`limner playground`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from limner.cli.click_classes import PATH, listed
from limner.cli.corpora import FormatName, Source, is_stdio
from limner.cli.terminal import tell, terminal_progress
from limner.errors import LimnerError
from limner.playground.novel_classes import DOMAINS, random_novel
from limner.playground.world import World
from limner.playground.world_files import write_world


class Span(click.ParamType[tuple[int, int]]):
    """A number, or two with a dash between them: 5, or 5-11."""

    name = "number or range"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        least, dash, most = str(value).partition("-")
        try:
            return int(least), int(most if dash else least)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor a range like 5-11", param, ctx)


class Size(click.ParamType[tuple[int, int]]):
    """A picture's width and height: 640x480."""

    name = "WIDTHxHEIGHT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        width, _, height = str(value).lower().partition("x")
        try:
            return int(width), int(height)
        except ValueError:
            self.fail(f"{value!r} is not a size like 640x480", param, ctx)


@click.command()
@click.argument("n", metavar="N", type=click.IntRange(min=1))
@click.argument("target", metavar="OUT", type=Source())
@click.option("--pictures", is_flag=True, help="Draw the pictures too, as PNG files in a folder beside OUT.")
@click.option("--sheet", type=PATH, help="Draw the first 30 pictures on one sheet, a PNG file.")
@click.option("--boxes", is_flag=True, help="On the sheet, show a caption and the boxes it speaks of.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another world for each number.")
@click.option("--captions", type=Span(), default="5", show_default=True, help="Captions an image has: 5, or 5-11.")
@click.option("--size", type=Size(), default="640x480", show_default=True, help="Pixels of a picture.")
@click.option("--novel", default="", help="Classes to hold out, with commas between, or how many to pick.")
@click.option("--domains", default="", help=f"Make only images of these domains: {', '.join(DOMAINS)}.")
@click.option("--to", type=FormatName(), help="Format to write (default: by the suffix of OUT).")
@click.option("--force", is_flag=True, help="Replace a folder that is there and not empty.")
def command(
    n: int,
    target: str,
    pictures: bool,
    sheet: Path | None,
    boxes: bool,
    seed: int,
    captions: tuple[int, int],
    size: tuple[int, int],
    novel: str,
    domains: str,
    to: str | None,
    force: bool,
) -> None:
    """Make N images of a clip-art world, with boxes, captions, mentions and chains.

    The same N, seed and options make the same corpus anywhere, and the first
    100 images of 1,000 are the 100 of 100.
    """
    if boxes and sheet is None:
        raise click.UsageError("--boxes is for a sheet; pass --sheet FILE.png too")
    if pictures and is_stdio(target):
        raise click.UsageError("pictures need a folder beside OUT; name a file instead of -")
    world = _world(seed, captions, size, novel, domains)
    written = write_world(
        world,
        n,
        target,
        to=to,
        pictures=pictures,
        sheet=sheet,
        boxes=boxes,
        replace=force,
        progress=terminal_progress,
    )
    terminal_progress.clear()
    if world.novel:
        tell(f"novel classes: {', '.join(world.novel)}")
    tell(f"{written.n_images:,} images written to {target}")
    if written.pictures is not None:
        tell(f"their pictures are in {written.pictures}")
    if sheet is not None:
        tell(f"contact sheet written to {sheet}")


def _world(seed: int, captions: tuple[int, int], size: tuple[int, int], novel: str, domains: str) -> World:
    """The world that the options ask for; what it cannot be is wrong usage."""
    try:
        classes = random_novel(int(novel), seed) if novel.strip().isdecimal() else tuple(listed(novel))
        return World(seed, captions, size, classes, tuple(listed(domains)))
    except (LimnerError, ValueError) as error:
        raise click.UsageError(str(error)) from error
