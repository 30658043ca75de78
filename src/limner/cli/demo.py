"""`limner demo`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH
from limner.cli.terminal import terminal_progress
from limner.experiments.demonstration import MADE, NAMES, PICTURES, make_demo
from limner.experiments.novel_demonstration import CAPTIONER, PAGE
from limner.experiments.novel_demonstration import MADE as NOVEL_MADE
from limner.outputs import write_folder


@click.command()
@click.argument("folder", metavar="[DIR]", default="demo", type=PATH)
@click.option("--images", type=click.IntRange(min=120), default=1000, show_default=True, help="Size of the world.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another world for each number.")
@click.option("--full", is_flag=True, help="Train a captioner too, and name what it never met. Needs PyTorch.")
def command(folder: Path, images: int, seed: int, full: bool) -> None:
    """Show what Limner does, from nothing: make a world, learn from it, describe it, score it, look at it.

    DIR is made anew each time, if there is nothing in it but an earlier demo.
    """
    replace = folder.is_dir() and {path.name for path in folder.iterdir()} <= MADE | NOVEL_MADE
    with write_folder(folder, names=NAMES, replace=replace, code="") as made:
        lines = make_demo(made, images, seed=seed, full=full, progress=terminal_progress)
    terminal_progress.clear()
    for line in lines:
        click.echo(line)
    click.echo(
        f"\n{images:,} scenes are in {folder}/corpus.jsonl, what `limner info` says of them in {folder}/info.txt."
    )
    click.echo(f"Open {folder}/report.html to see {PICTURES} of them with what was said, or {folder}/sheet.png.")
    if full:
        click.echo(f"Open {folder}/{PAGE} to see what the captioner, in {folder}/{CAPTIONER}, said of what is novel.")
