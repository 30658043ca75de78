"""`limner experiment content-selection`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import Source, labels_from_option, lenient_option, overlap_option, tell_reading, write_alone_in
from limner.cli.terminal import say, tell, terminal_progress
from limner.experiments.content_selection import content_selection_experiment
from limner.experiments.content_selection_report import k_line, left_out, summary_rows, write_report
from limner.lazy import load
from limner.look.tables import aligned


@click.command("content-selection")
@click.argument("train", metavar="TRAIN", type=Source())
@click.argument("test", metavar="TEST", type=Source())
@click.option("--out", metavar="DIR", required=True, type=PATH, help="Folder for the results.")
@click.option("--model", metavar="MODEL", type=PATH, help="A selector trained before.")
@click.option("--seed", type=int, default=0, show_default=True, help="For what is random.")
@labels_from_option
@overlap_option
@click.option("--all-captions", is_flag=True, help="Count gold captions that refer to no box in precision too.")
@lenient_option
def content_selection(
    train: str,
    test: str,
    out: Path,
    model: Path | None,
    seed: int,
    labels_from: int | None,
    allow_overlap: bool,
    all_captions: bool,
    lenient: bool,
) -> None:
    """Choose which boxes to mention: every system against people, for k = 1 to 15.

    Writes table.csv and tests.csv, both also at class level (table-class.csv, tests-class.csv),
    table.md, examples.md and Figures 3, 4 and 6 of Wang & Gaizauskas (2015) to DIR.
    """
    # Without matplotlib there will be no figures: better now than after an hour.
    load("limner.look.plots")
    write_alone_in(out)
    experiment = content_selection_experiment(
        train,
        test,
        model=model,
        labels_from=labels_from,
        allow_overlap=allow_overlap,
        all_captions=all_captions,
        seed=seed,
        lenient=lenient,
        progress=terminal_progress,
    )
    terminal_progress.clear()
    written = write_report(experiment, experiment.test, out, seed=seed)
    tell_reading(*experiment.readings)
    if experiment.hidden_share is not None:
        share = f"{experiment.hidden_share:.1%} of gold's mentions refer to boxes that no system saw"
        tell(f"labels from {labels_from} of each image's captions, seed {seed}; {share}")
    for warning in (*experiment.warnings, *filter(None, [experiment.provenance.warning()])):
        tell(f"warning: {warning}")
    for line in left_out(experiment):
        tell(line)
    tell(k_line(experiment))
    for name, by_class in (("box level", False), ("class level", True)):
        say(f"\n{name}" if by_class else name)
        for line in aligned(summary_rows(experiment, by_class=by_class), "<>>>>>"):
            say(line)
        say(experiment.signatures["class" if by_class else "box"])
    tell(f"{len(written)} files written to {out}")
