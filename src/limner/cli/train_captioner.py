"""`limner train captioner`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from limner.caption.captioner_config import CAPTIONER_KINDS, CaptionerKind, read_captioner_config
from limner.caption.captioner_files import CaptionerRecord
from limner.cli.click_classes import PATH, choice_option, listed
from limner.cli.corpora import (
    Source,
    check_sources,
    counted_images,
    from_option,
    lenient_option,
    source_path,
    tell_reading,
)
from limner.cli.terminal import tell, terminal_progress
from limner.corpus import open_corpus
from limner.corpus.reading import Reading
from limner.errors import BadInput, MissingLibrary
from limner.files import is_regular_file
from limner.lazy import lazy, load
from limner.learn.stage_settings import EpochFigures, best_epoch

if TYPE_CHECKING:
    from limner.caption.constraints import constraint_files
    from limner.caption.training import captioner_training, training_images
    from limner.report import training_plots
else:
    constraint_files = lazy("limner.caption.constraints.constraint_files")
    captioner_training = lazy("limner.caption.training.captioner_training")
    training_images = lazy("limner.caption.training.training_images")
    training_plots = lazy("limner.report.training_plots")

STAGES = {"words": "words", "cider": "CIDEr"}


@click.command("captioner")
@click.argument("corpus", metavar="CORPUS", type=Source())
@choice_option("--model", *CAPTIONER_KINDS, help="The kind of captioner.")
@click.option("--config", metavar="C", default="laptop", show_default=True, help="laptop, paper, small, or a file.")
@click.option("--out", metavar="DIR", required=True, type=PATH, help="The captioner's folder.")
@click.option(
    "--features",
    metavar="F",
    default="boxes",
    show_default=True,
    help="What it sees: boxes, a store of features, or a model of features.",
)
@click.option(
    "--pictures",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Where the pictures are, for a model of features.",
)
@click.option("--without", metavar="CLASSES", help="Leave images of these classes out: a,b,c, or a file.")
@click.option("--valid", metavar="CORPUS", type=Source(), help="Images to choose the epoch by; default: a tenth.")
@click.option("--resume", is_flag=True, help="Go on where a run in DIR was stopped.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of everything random.")
@click.option("--threads", metavar="N", type=click.IntRange(1, 256), help="Threads; default: what is faster here.")
@from_option
@lenient_option
def captioner(
    corpus: str,
    model: CaptionerKind,
    config: str,
    out: Path,
    features: str,
    pictures: Path | None,
    without: str | None,
    valid: str | None,
    resume: bool,
    seed: int,
    threads: int | None,
    from_: str | None,
    lenient: bool,
) -> None:
    """Learn to caption images, from their regions and the captions that people wrote.

    A run that is stopped goes on with --resume, and ends with the same
    captioner. With `torchrun -m limner train captioner ...`, several processes
    train together.
    """
    sources = [corpus, *([valid] if valid else [])]
    check_sources(sources)
    settings = read_captioner_config(config)
    opened = open_corpus(corpus, from_, lenient=lenient)
    tuning = None if valid is None else open_corpus(valid, from_, lenient=lenient)
    reading = Reading(lenient=lenient)
    classes = _classes(without)
    images = training_images.training_images(
        opened,
        valid=tuning,
        without=classes,
        seed=seed,
        place=opened.name,
        valid_name="" if tuning is None else tuning.name,
        reading=reading,
    )
    lacking = Reading(lenient=lenient)
    training = captioner_training.CaptionerTraining(
        settings,
        out,
        features,
        pictures,
        without=classes,
        tuned_on=captioner_training.DRAWN if valid is None else source_path(valid).name,
        seed=seed,
        resume=resume,
        threads=threads,
        reading=lacking,
        listeners=captioner_training.TrainingListeners(terminal_progress, _report, _notice),
        model=model,
    )
    if training.is_first:
        tell_reading(opened, *([tuning] if tuning else []), reading)
        _tell_images(images, classes)
    is_drawn = training.is_first and _can_draw()
    with _told_how_to_go_on(training):
        captioner = training.train(images)
    terminal_progress.clear()
    if training.is_first:
        tell_reading(lacking)
        _tell_trained(captioner.record, out, is_drawn)


def _tell_images(images: training_images.TrainingImages, classes: Sequence[str]) -> None:
    """What is odd about the training images, and how many were left out for their classes."""
    for warning in images.warnings:
        tell(f"warning: {warning}")
    if classes:
        n_without = images.n_without
        verbs = "shows or mentions" if n_without == 1 else "show or mention"
        tell(f"left out: {counted_images(n_without)} that {verbs} {', '.join(classes)}")


@contextmanager
def _told_how_to_go_on(training: captioner_training.CaptionerTraining) -> Iterator[None]:
    """Whoever interrupts training is told how it goes on."""
    try:
        yield
    except KeyboardInterrupt:
        if training.is_first and training.has_run():
            terminal_progress.clear()
            tell(f"the run in {training.out} goes on with --resume")
        raise


def _tell_trained(record: CaptionerRecord, out: Path, is_drawn: bool) -> None:
    """What was trained, and how the epoch was chosen; draws training if it can be."""
    facts = record.trained
    captions = "1 caption" if facts.n_captions == 1 else f"{facts.n_captions:,} captions"
    tell(f"a captioner of {captions} of {counted_images(facts.n_images)} written to {out}")
    drawn = f"; see {_draw(record, out)}" if is_drawn else ""
    if all(figures.validation.get("CIDEr") == 0 for epochs in facts.history.values() for figures in epochs):
        tell("warning: its captions have nothing in common with people's: train longer, or with a lower learning_rate")
    best_by = record.config.training.best_by
    chosen = "the best epoch was chosen" if best_by else "the last epoch is kept; CIDEr is"
    tell(f"{chosen} on {counted_images(facts.n_held_out)}: {facts.tuned_on}{drawn}")


def _can_draw() -> bool:
    """Whether plots can be drawn; what is missing is told before training, which does without."""
    try:
        load("limner.look.plots")
    except MissingLibrary as error:
        tell(f"training will not be drawn: {error}")
        return False
    return True


def _draw(record: CaptionerRecord, out: Path) -> Path:
    config, history = record.config, record.trained.history
    settings = {"words": config.training, "cider": config.self_critical and config.self_critical.training}
    best = {stage: best_epoch(epochs, settings[stage] or config.training) for stage, epochs in history.items()}
    return training_plots.write_training_plot(history, out, best)


def _classes(without: str | None) -> list[str]:
    if without is None:
        return []
    if is_regular_file(without):
        return constraint_files.read_excluded_classes(Path(without))
    if Path(without).suffix or "/" in without:
        raise BadInput(without, "there is no such file of classes", "check the path")
    return listed(without)


def _report(stage: str, figures: EpochFigures) -> None:
    """A line for each epoch."""
    terminal_progress.clear()
    validation = "  ".join(f"{name} {value:.3f}" for name, value in figures.validation.items())
    time = f"{figures.seconds:.0f} s ({figures.items_per_second:,.0f}/s)"
    # The loss of the second stage is the expected CIDEr of its candidates, below 0.
    learnt = f"loss {figures.loss:.4f}" if stage == "words" else f"reward {-figures.loss:.4f}"
    tell(f"{STAGES[stage]} epoch {figures.epoch}: {learnt}  {validation}  {time}")


def _notice(message: str) -> None:
    terminal_progress.clear()
    tell(message)
