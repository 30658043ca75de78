"""The files of the content selection experiment: tables, figures, examples, tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from limner.corpus.image import Image
from limner.describe.realise.realisers import PaperRealiser
from limner.describe.selectors import seen
from limner.experiments.content_selection import BOUNDS, RANKED, WHOLE, Experiment, Run
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
    """Write the tables, the tests, examples.md and the figures; their paths."""
    texts = {
        "table.csv": csv_text(COLUMNS, map(_row, experiment.runs)),
        "table-class.csv": csv_text(COLUMNS, map(_row, experiment.class_runs)),
        "table.md": _markdown(experiment),
        "tests.csv": csv_text(TESTED, _tests(experiment, seed)),
        "tests-class.csv": csv_text(TESTED, _tests(experiment, seed, by_class=True)),
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
            {
                system: experiment.find(system).F
                for system in experiment.systems
                if system in WHOLE and experiment.find(system).n_images
            },
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
    numbers = (_number(run.scores, value, "", 6) for value in ("P", "R", "F", "P_sd", "R_sd", "F_sd"))
    return [run.system, "" if run.k is None else str(run.k), *numbers]


def _number(scores: Content, value: str, absent: str, places: int = 4) -> str:
    """A score as text. Nobody has one without an image: with one gold caption each, people cannot be compared."""
    return f"{getattr(scores, value):.{places}f}" if scores.n_images else absent


def _markdown(experiment: Experiment) -> str:
    n = experiment.find("oracle").n_images
    lines = ["# Content selection", "", f"{n:,} test images; mean ± standard deviation over images."]
    lines += [f"{line[0].upper()}{line[1:]}." for line in left_out(experiment)]
    lines += [f"{name.capitalize()}: {value}." for name, value in experiment.provenance.to_json().items()]
    lines += [f"**Warning:** {warning}." for warning in experiment.warnings]
    if experiment.hidden_share is not None:
        lines.append(f"{experiment.hidden_share:.1%} of gold's mentions refer to boxes that no system saw.")
    lines += ["", f"{k_line(experiment)}."]
    return "\n".join([*lines, *_level(experiment), *_level(experiment, by_class=True)]) + "\n"


def _level(experiment: Experiment, *, by_class: bool = False) -> Iterator[str]:
    """Everything about one level: each system at its k, the tests, and every k."""
    yield from ("", "## Class level" if by_class else "## Box level", "")
    if by_class:
        yield "Classes in place of boxes: a mention of any box of a class counts the class."
        yield from (*_advice(experiment), "")
    header, *rows = summary_rows(experiment, by_class=by_class)
    yield from (f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows))
    yield from ("", f"`tests{'-class' if by_class else ''}.csv` compares the systems at these k. At every k:", "")
    yield from _table(experiment.class_runs if by_class else experiment.runs)
    yield from ("", f"Signature: `{experiment.signatures.get('class' if by_class else 'box', '')}`")


def summary_rows(experiment: Experiment, *, by_class: bool = False) -> list[list[str]]:
    """A header, and each system at the k that it is tested at, beside the best that any k gives on the test images."""
    rows = [["system", "k", "P", "R", "F", "best on test"]]
    for system in experiment.systems:
        run, best = (of(system, by_class=by_class) for of in (experiment.tested, experiment.best))
        numbers = (_number(run.scores, value, "—") for value in "PRF")
        of_best = "" if best.k is None else f"{best.scores.F:.4f} at k = {best.k}"
        rows.append([system, "" if run.k is None else str(run.k), *numbers, of_best])
    return rows


def k_line(experiment: Experiment) -> str:
    """How k was chosen, in words."""
    if not experiment.k_by_system:
        return "k is the one with the highest F on these same test images, which favours systems that have a k"
    n_training = f"{experiment.n_training_images:,} training images"
    return f"k is the one with the highest F on {n_training}; 'best on test' is no score to report, since it knows gold"


def left_out(experiment: Experiment) -> Iterator[str]:
    """What was left out, in words."""
    if experiment.too_few is not None:
        yield f"left out: {experiment.too_few} without a caption besides those that give labels"
    became = "counted in precision" if experiment.all_captions else "left out"
    yield (
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
    return f"{getattr(scores, value):.2f} ± {getattr(scores, value + '_sd'):.2f}" if scores.n_images else "—"


def _tests(experiment: Experiment, seed: int, *, by_class: bool = False) -> Iterator[list[str]]:
    """Two-sided paired tests on the images' F between all systems that choose boxes, each at the k it is tested at."""
    systems = [system for system in experiment.systems if system not in BOUNDS]
    runs = [experiment.tested(system, by_class=by_class) for system in systems]
    scores = {run.system: {id: score.F for id, score in run.scores.per_image.items()} for run in runs}
    k_by_system = {run.system: "" if run.k is None else str(run.k) for run in runs}
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
