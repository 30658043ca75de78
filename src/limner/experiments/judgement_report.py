"""The files of the judgement experiment: the table of correlations, tests between metrics, agreement, a figure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from limner.experiments.judgement import Experiment, SetResult
from limner.files import write_texts
from limner.lazy import lazy
from limner.look.tables import csv_text
from limner.score.judgement.correlation import Correlation, Kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limner.look import plots
    from limner.report import experiment_plots
else:
    plots, experiment_plots = lazy("limner.look.plots"), lazy("limner.report.experiment_plots")

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
        "table.csv": csv_text(TABLE, (row for result in sets for row in _table(result))),
        "table.md": markdown(experiment),
        "correlations.csv": csv_text(CORRELATIONS, (row for result in sets for row in _correlations(result))),
        "tests.csv": csv_text(
            TESTS, ([result.judged.name, *map(_cell, test)] for result in sets for test in result.versus)
        ),
        "agreement.csv": csv_text(AGREEMENT, (row for result in sets for row in _agreement(result))),
    }
    if experiment.thresholds:
        texts["crowd-against-expert.csv"] = csv_text(THRESHOLDS, (map(_cell, at) for at in experiment.thresholds))
    return sorted([*plots.save(figures(experiment), folder), *write_texts(texts, folder)])


def figures(experiment: Experiment) -> dict[str, Figure]:
    """One figure: the correlation of each set that tables give, times 100."""
    panels = {
        f"{result.judged.name}: {NAMES[result.judged.kind]} × 100": [
            experiment_plots.Mark(
                row.metric, 100.0 * value, 100.0 * low, 100.0 * high, _hundred(result.published(row.metric))
            )
            for row in result.main()
            if (bounded := _bounded(row.correlation)) is not None
            for value, low, high in [bounded]
        ]
        for result in experiment.sets
    }
    return {"correlations": experiment_plots.correlations_figure(panels)}


def markdown(experiment: Experiment) -> str:
    """The table with a row for each metric and a column for each set, times 100, published figures in brackets."""
    sets = experiment.sets
    heads = [f"{result.judged.name} {NAMES[result.judged.kind]}" for result in sets]
    lines = [f"| metric | {' | '.join(heads)} |", "|---" * (len(sets) + 1) + "|"]
    for metric in dict.fromkeys(row.metric for result in sets for row in result.main()):
        cells = [
            next((_shown(result, row.correlation, metric) for row in result.main() if row.metric == metric), "")
            for result in sets
        ]
        lines.append(f"| {metric} | {' | '.join(cells)} |")
    lines += ["", "× 100, with 95% intervals from samples of the images; published figures in brackets."]
    for result in sets:
        left = "".join(f"; left out: {n:,} ({why})" for why, n in result.judged.left_out.items() if n)
        pairs, ratings = len(result.judged.captions), result.judged.judgements.n_ratings
        lines += ["", f"{result.judged.name}: {pairs:,} pairs, {ratings:,} ratings{left}.", *_signatures(result)]
    return "\n".join(lines) + "\n"


def _signatures(result: SetResult) -> Iterator[str]:
    for metric, choices in result.choices.items():
        yield f"- {metric}: {', '.join(f'{name} {value}' for name, value in choices.items())}"


def _shown(result: SetResult, correlation: Correlation, metric: str) -> str:
    bounded = _bounded(correlation)
    if bounded is None:
        return f"— ({correlation.reason})"
    value, low, high = (100.0 * number for number in bounded)
    published = result.published(metric)
    return f"{value:.1f} [{low:.1f}, {high:.1f}]" + ("" if published is None else f" ({100.0 * published:.1f})")


def _table(result: SetResult) -> Iterator[list[str]]:
    for metric, correlation in result.main():
        numbers = (correlation.value, correlation.low, correlation.high, correlation.n, result.published(metric))
        yield [result.judged.name, metric, *map(_cell, numbers)]


def _correlations(result: SetResult) -> Iterator[list[str]]:
    for metric, correlation in result.rows:
        numbers = (
            correlation.value,
            correlation.low,
            correlation.high,
            correlation.n,
            correlation.n_clusters,
            correlation.reason,
        )
        yield [result.judged.name, metric, correlation.kind, *map(_cell, numbers)]


def _agreement(result: SetResult) -> Iterator[list[str]]:
    sizes = len(result.judged.captions), result.judged.judgements.n_ratings
    for measure, value, low, high, reason in result.agreement:
        yield [result.judged.name, measure, *map(_cell, (value, low, high, *sizes, reason))]


def _bounded(correlation: Correlation) -> tuple[float, float, float] | None:
    if correlation.value is None or correlation.low is None or correlation.high is None:
        return None
    return correlation.value, correlation.low, correlation.high


def _hundred(number: float | None) -> float | None:
    return None if number is None else 100.0 * number


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
