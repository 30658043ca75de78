"""`limner train language-model`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import Source, check_sources, check_target, from_option, lenient_option, tell_reading
from limner.cli.terminal import progress, say, tell, terminal_progress
from limner.corpus import open_corpus
from limner.corpus.reading import Reading
from limner.disk import errors_of
from limner.lazy import lazy
from limner.learn.stage_settings import EpochFigures
from limner.outputs import write_folder

if TYPE_CHECKING:
    from limner.caption.models import lstm_language_model
    from limner.caption.training import language_model_training, training_images
    from limner.learn.torch import processes
else:
    lstm_language_model = lazy("limner.caption.models.lstm_language_model")
    language_model_training = lazy("limner.caption.training.language_model_training")
    processes = lazy("limner.learn.torch.processes")
    training_images = lazy("limner.caption.training.training_images")


@click.command("language-model")
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("--out", metavar="DIR", required=True, type=PATH, help="The model's folder.")
@click.option("--config", default="laptop", show_default=True, metavar="laptop|FILE", help="Settings, or their file.")
@click.option("--valid", metavar="CORPUS", type=Source(), help="Stop early by these images, not by a tenth.")
@click.option("--resume", is_flag=True, help="Go on with a run that was ended.")
@click.option("--threads", type=click.IntRange(1, 1024), metavar="N", help="Threads; default: as many as pay.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of everything random.")
@click.option("--force", is_flag=True, help="Replace a model that is there.")
@from_option
@lenient_option
def language_model(
    corpus: str,
    out: Path,
    config: str,
    valid: str | None,
    resume: bool,
    threads: int | None,
    seed: int,
    force: bool,
    from_: str | None,
    lenient: bool,
) -> None:
    """Learn what captions sound like: a language model that a captioner can read and score words by."""
    sources = [corpus, *([valid] if valid else [])]
    check_sources(sources)
    check_target(str(out), sources)
    settings = language_model_training.read_settings(config)
    checkpoint = _checkpoint(out)
    is_first = processes.processes_of_environment().is_first
    # Opened before training, so that no other run trains a model for the same folder meanwhile.
    with write_folder(out, names=lstm_language_model.FILES, replace=force) if is_first else nullcontext() as folder:
        opened = open_corpus(corpus, from_, lenient=lenient)
        others = None if valid is None else open_corpus(valid, from_, lenient=lenient)
        reading = Reading(lenient=lenient)
        images = training_images.training_images(
            progress(opened, "images"),
            valid=None if others is None else progress(others, "validation images"),
            seed=seed,
            place=opened.name,
            valid_name="" if others is None else others.name,
            reading=reading,
        )
        captions = language_model_training.split_captions(images)
        tell_reading(opened, *([others] if others else []), reading)
        try:
            trained = language_model_training.train_language_model(
                captions,
                settings,
                checkpoint,
                seen=language_model_training.split_images(images),
                seed=seed,
                source=opened.name,
                resume=resume,
                threads=threads,
                progress=terminal_progress,
                report=_tell_epoch,
                notice=tell,
            )
        finally:
            terminal_progress.clear()
        if folder is None:
            return
        trained.model.write_files(folder)
    checkpoint.unlink(missing_ok=True)
    figures = trained.figures
    unknown = f"{figures.n_unknown:,} of {figures.n_words:,} words unknown"
    counted = f"of a bigram model {figures.bigram:.1f}, of a unigram model {figures.unigram:.1f}"
    say(f"perplexity {figures.perplexity:.1f}, {counted}")
    if figures.perplexity > figures.bigram:
        tell("warning: counts of pairs of words do better than the model; give more captions, or train it longer")
    tell(f"on {len(captions.held_out):,} captions held out, {unknown}; epoch {trained.stage.best_epoch} was the best")
    words = f"{len(trained.model.words):,} words"
    tell(f"a language model of {words} from {len(captions.training):,} captions written to {out}")


def _checkpoint(out: Path) -> Path:
    """The file beside the model's folder that a run is resumed from; the folders above are made."""
    folder = out.resolve()
    with errors_of(out):
        folder.parent.mkdir(parents=True, exist_ok=True)
    return folder.parent / f"{folder.name}.checkpoint"


def _tell_epoch(figures: EpochFigures) -> None:
    terminal_progress.clear()
    speed = f"{figures.items_per_second:,.0f} words/s"
    tell(f"epoch {figures.epoch}: loss {figures.loss:.3f}, perplexity {figures.validation['perplexity']:.1f}, {speed}")
