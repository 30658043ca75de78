"""The files of the content selection experiment: tables, figures, examples, tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from limner.corpus.image import Image
from limner.describe.realise.realisers import PaperRealiser
from limner.describe.selectors import seen
from limner.experiments.content_selection import RANKED, WHOLE, Experiment, Run
from limner.files import write_texts
from limner.lazy import lazy
from limner.look.tables import csv_text
from limner.score.content import Content, gold_sets, score_selection
from limner.score.metric import SHARE
from limner.score.paired import compare

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limner.look import plots
    from limner.report import experiment_plots
else:
    plots, experiment_plots = lazy("limner.look.plots"), lazy("limner.report.experiment_plots")

COLUMNS = ("system", "k", "P", "R", "F", "P_sd", "R_sd", "F_sd")
TESTED = ("system", "k", "other", "other_k", "difference", "low", "high", "p", "p_adjusted")

# The levels of k in the paper's Table 1.
SHOWN_K = range(1, 11)

EXAMPLE_K = 3


def write_report(experiment: Experiment, test: Sequence[Image], folder: Path, *, seed: int = 0) -> list[Path]:
    """Write table.csv, table-class.csv, table.md, tests.csv, examples.md and the figures; their paths."""
    texts = {
        "table.csv": csv_text(COLUMNS, map(_row, experiment.runs)),
        "table-class.csv": csv_text(COLUMNS, map(_row, experiment.class_runs)),
        "table.md": _markdown(experiment),
        "tests.csv": csv_text(TESTED, _tests(experiment, seed)),
        "examples.md": _examples(experiment, test, seed),
    }
    return sorted([*plots.save(figures(experiment), folder), *write_texts(texts, folder)])


def figures(experiment: Experiment) -> dict[str, Figure]:
    """Figures 3, 4 and 6 of the paper; 6 once with position and once with size as the visual cue."""

    def curve(system: str, value: str) -> list[float]:
        return [getattr(run.scores, value) for run in experiment.runs if run.system == system]

    def both(*systems: str) -> dict[str, tuple[list[float], list[float]]]:
        return {system: (curve(system, "P"), curve(system, "R")) for system in systems}

    made = {
        "figure3": experiment_plots.f_figure(
            {system: curve(system, "F") for system in RANKED},
            {system: experiment.find(system).F for system in experiment.systems if system in WHOLE},
        ),
        "figure4": experiment_plots.precision_recall_figure(
            {"textual priors": both("unigram", "bigram"), "visual cues": both("position", "size")}
        ),
    }
    for cue in ("position", "size"):
        systems = ["unigram", "bigram", cue, f"unigram+{cue}", f"bigram+{cue}"]
        bars = {system: [experiment.find(system, k).F for k in (3, 4)] for system in systems}
        made[f"figure6-{cue}"] = experiment_plots.bars_figure(["k = 3", "k = 4"], bars, f"combined with {cue}")
    return made


def _row(run: Run) -> list[str]:
    numbers = (run.scores.P, run.scores.R, run.scores.F, run.scores.P_sd, run.scores.R_sd, run.scores.F_sd)
    return [run.system, "" if run.k is None else str(run.k), *(f"{number:.6f}" for number in numbers)]


def _markdown(experiment: Experiment) -> str:
    lines = _table(experiment.runs)
    n = experiment.find("oracle").n_images
    lines += ["", f"{n:,} images; mean ± standard deviation over images. {left_out(experiment).capitalize()}."]
    if experiment.k_by_system:
        n_training = f"{experiment.n_training_images:,} training images"
        lines.append(f"`tests.csv` compares systems at the k that is best on {n_training}.")
    else:
        lines.append("`tests.csv` compares systems at the k that is best on these same images, which favours them.")
    lines += [f"{name.capitalize()}: {value}." for name, value in experiment.provenance.to_json().items()]
    if experiment.hidden_share is not None:
        lines.append(f"{experiment.hidden_share:.1%} of gold's mentions refer to boxes that no system saw.")
    lines += ["", f"Signature: `{experiment.signatures.get('box', '')}`", "", "## Class level", ""]
    lines += ["Classes in place of boxes: a mention of any box of a class counts the class.", *_advice(experiment), ""]
    lines += [*_table(experiment.class_runs), "", f"Signature: `{experiment.signatures.get('class', '')}`"]
    return "\n".join(lines) + "\n"


def left_out(experiment: Experiment) -> str:
    """What was left out, in words."""
    became = "counted in precision" if experiment.all_captions else "left out"
    return (
        f"left out: {experiment.n_left_out:,} images without a gold caption that refers to a box; "
        f"gold captions that refer to no box: {experiment.n_without_box:,}, {became}"
    )


def _advice(experiment: Experiment) -> list[str]:
    if not experiment.provenance.has_linked_mentions:
        return []
    return ["Mentions were linked by the names of classes, so trust this table rather than the one of boxes."]


def _table(runs: Sequence[Run]) -> list[str]:
    lines = ["| system | k | P | R | F |", "|---|---|---|---|---|"]
    for run in runs:
        if run.k is None or run.k in SHOWN_K:
            cells = [_cell(run.scores, value) for value in "PRF"]
            lines.append(f"| {run.system} | {run.k or ''} | {' | '.join(cells)} |")
    return lines


def _cell(scores: Content, value: str) -> str:
    return f"{getattr(scores, value):.2f} ± {getattr(scores, value + '_sd'):.2f}"


def _tests(experiment: Experiment, seed: int) -> Iterator[list[str]]:
    """Two-sided paired tests on the images' F between all systems that choose boxes, each at the k it is tested at."""
    best = [experiment.tested(system) for system in experiment.systems if system not in ("human", "oracle")]
    scores = {run.system: {id: score.F for id, score in run.scores.per_image.items()} for run in best}
    k_by_system = {run.system: "" if run.k is None else str(run.k) for run in best}
    for comparison in compare(scores, seed=seed, value_range=SHARE):
        numbers = (comparison.difference, comparison.low, comparison.high, comparison.p, comparison.p_adjusted)
        sides = [comparison.first, k_by_system[comparison.first], comparison.second, k_by_system[comparison.second]]
        yield [*sides, *("" if isnan(number) else f"{number:.6f}" for number in numbers)]


def _examples(experiment: Experiment, test: Sequence[Image], seed: int, n: int = 5) -> str:
    """Sentences of the paper's realiser for the first images that have gold, as in its Figure 5."""
    realiser = PaperRealiser(seed=seed)
    lines = []
    for image in [image for image in test if gold_sets(image)][:n]:
        lines += [f"## {image.id}", ""]
        for system in (*RANKED, *(["learned"] if "learned" in experiment.chosen else [])):
            chosen = experiment.chosen[system][image.id]
            chosen = chosen if system == "learned" else chosen[:EXAMPLE_K]
            score = score_selection(chosen, gold_sets(image, all_captions=experiment.all_captions))
            lines.append(f"- {system}: [F={score.F:.2f}] {realiser.realise(seen(image), chosen).text}")
        lines += ["", *(f"> {caption.text}" for caption in image.captions if caption.source == "gold"), ""]
    return "\n".join(lines)
