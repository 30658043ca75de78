"""The files of the judgement experiment: the table of correlations, tests between metrics, agreement, a figure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from limner.experiments.judgement import Experiment, OnSet
from limner.files import write_texts
from limner.lazy import lazy
from limner.look.tables import csv_text
from limner.score.judgement.correlation import Correlation, Kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limner.look import plots
    from limner.report import judgement_plots
else:
    plots, judgement_plots = lazy("limner.look.plots"), lazy("limner.report.judgement_plots")

TABLE = ("set", "metric", "tau", "low", "high", "n", "published")
CORRELATIONS = ("set", "metric", "kind", "value", "low", "high", "n", "images", "reason")
TESTS = (
    "set",
    "metric",
    "other",
    "pairs",
    "difference",
    "low",
    "high",
    "r",
    "r_other",
    "r_between",
    "t",
    "p",
    "p_adjusted",
)
AGREEMENT = ("set", "measure", "value", "low", "high", "pairs", "ratings", "reason")
THRESHOLDS = ("threshold", "pairs", "good", "yes", "agreement", "kappa", "P", "R", "F")

NAMES: dict[Kind, str] = {"tau_b": "τ-b", "tau_c": "τ-c", "spearman": "ρ", "pearson": "r"}


def write_report(experiment: Experiment, folder: Path) -> list[Path]:
    """Write table.csv, table.md, correlations.csv, tests.csv, agreement.csv and the figure; their paths."""
    sets = experiment.sets
    texts = {
        "table.csv": csv_text(TABLE, (row for one in sets for row in _table(one))),
        "table.md": markdown(experiment),
        "correlations.csv": csv_text(CORRELATIONS, (row for one in sets for row in _correlations(one))),
        "tests.csv": csv_text(TESTS, ([one.judged.name, *map(_cell, test)] for one in sets for test in one.versus)),
        "agreement.csv": csv_text(AGREEMENT, (row for one in sets for row in _agreement(one))),
    }
    if experiment.thresholds:
        texts["crowd-against-expert.csv"] = csv_text(THRESHOLDS, (map(_cell, at) for at in experiment.thresholds))
    return sorted([*plots.save(figures(experiment), folder), *write_texts(texts, folder)])


def figures(experiment: Experiment) -> dict[str, Figure]:
    """One figure: the correlation of each set that tables give, times 100."""
    panels = {
        f"{one.judged.name}: {NAMES[one.judged.kind]} × 100": [
            judgement_plots.Mark(
                row.metric, 100.0 * value, 100.0 * low, 100.0 * high, _hundred(one.published(row.metric))
            )
            for row in one.main()
            if (bounded := _bounded(row.correlation)) is not None
            for value, low, high in [bounded]
        ]
        for one in experiment.sets
    }
    return {"correlations": judgement_plots.correlations_figure(panels)}


def markdown(experiment: Experiment) -> str:
    """The table with a row for each metric and a column for each set, times 100, published figures in brackets."""
    sets = experiment.sets
    heads = [f"{one.judged.name} {NAMES[one.judged.kind]}" for one in sets]
    lines = [f"| metric | {' | '.join(heads)} |", "|---" * (len(sets) + 1) + "|"]
    for metric in dict.fromkeys(row.metric for one in sets for row in one.main()):
        cells = [
            next((_shown(one, row.correlation, metric) for row in one.main() if row.metric == metric), "")
            for one in sets
        ]
        lines.append(f"| {metric} | {' | '.join(cells)} |")
    lines += ["", "× 100, with 95% intervals from samples of the images; published figures in brackets."]
    for one in sets:
        left = "".join(f"; left out: {n:,} ({why})" for why, n in one.judged.left_out.items() if n)
        pairs, ratings = len(one.judged.captions), one.judged.judgements.n_ratings
        lines += ["", f"{one.judged.name}: {pairs:,} pairs, {ratings:,} ratings{left}.", *_signatures(one)]
    return "\n".join(lines) + "\n"


def _signatures(one: OnSet) -> Iterator[str]:
    for metric, choices in one.choices.items():
        yield f"- {metric}: {', '.join(f'{name} {value}' for name, value in choices.items())}"


def _shown(one: OnSet, found: Correlation, metric: str) -> str:
    bounded = _bounded(found)
    if bounded is None:
        return f"— ({found.reason})"
    value, low, high = (100.0 * number for number in bounded)
    published = one.published(metric)
    return f"{value:.1f} [{low:.1f}, {high:.1f}]" + ("" if published is None else f" ({100.0 * published:.1f})")


def _table(one: OnSet) -> Iterator[list[str]]:
    for metric, found in one.main():
        numbers = (found.value, found.low, found.high, found.n, one.published(metric))
        yield [one.judged.name, metric, *map(_cell, numbers)]


def _correlations(one: OnSet) -> Iterator[list[str]]:
    for metric, found in one.rows:
        numbers = (found.value, found.low, found.high, found.n, found.n_clusters, found.reason)
        yield [one.judged.name, metric, found.kind, *map(_cell, numbers)]


def _agreement(one: OnSet) -> Iterator[list[str]]:
    sizes = len(one.judged.captions), one.judged.judgements.n_ratings
    for measure, value, low, high, reason in one.agreement:
        yield [one.judged.name, measure, *map(_cell, (value, low, high, *sizes, reason))]


def _bounded(found: Correlation) -> tuple[float, float, float] | None:
    if found.value is None or found.low is None or found.high is None:
        return None
    return found.value, found.low, found.high


def _hundred(number: float | None) -> float | None:
    return None if number is None else 100.0 * number


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
