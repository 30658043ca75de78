"""The files of the judgement experiment: the table of correlations, tests between metrics, agreement, a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from limner.experiments.judgement import Experiment, SetResult
from limner.files import write_texts
from limner.lazy import lazy
from limner.look.tables import NOTHING, csv_text, decimal
from limner.score.judgement.correlation import Correlation, Kind
from limner.score.judgement.correlation_levels import Level
from limner.score.judgement.judgement_table import Row
from limner.score.judgement.threshold_kappa import ThresholdKappa

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
    "p_images",
    "p_images_adjusted",
)
AGREEMENT = ("set", "measure", "value", "low", "high", "pairs", "ratings", "reason")
LEVELS = ("set", "metric", "level", "unit", "kind", "value", "low", "high", "n", "images", "tied_images", "reason")
KAPPA = (
    *("set", "metric", "good_above", "folds", "seed", "pairs", "images", "good", "yes"),
    *("threshold", "threshold_low", "threshold_high", "agreement", "kappa", "low", "high", "P", "R", "F", "reason"),
)
SETS = (
    *("set", "images", "pairs", "ratings", "raters", "systems"),
    *("references_dropped", "references_equal", "pairs_left_out", "reason"),
)
THRESHOLDS = ("threshold", "pairs", "good", "yes", "agreement", "kappa", "P", "R", "F", "low", "high")

NAMES: dict[Kind, str] = {"tau_b": "τ-b", "tau_c": "τ-c", "spearman": "ρ", "pearson": "r"}


def write_report(experiment: Experiment, folder: Path) -> list[Path]:
    """Write the tables, table.md and the figure to a folder; their paths."""
    sets = experiment.sets
    texts = {
        "table.csv": csv_text(TABLE, (row for result in sets for row in _table(result))),
        "table.md": markdown(experiment),
        "correlations.csv": csv_text(CORRELATIONS, (row for result in sets for row in _correlations(result))),
        "tests.csv": csv_text(
            TESTS, ([result.judged.name, *map(_cell, test)] for result in sets for test in result.versus)
        ),
        "agreement.csv": csv_text(AGREEMENT, (row for result in sets for row in _agreement(result))),
        "levels.csv": csv_text(LEVELS, (row for result in sets for row in _levels(result))),
        "kappa.csv": csv_text(
            KAPPA, ([result.judged.name, *map(_cell, kappa)] for result in sets for kappa in result.kappas)
        ),
        "sets.csv": csv_text(SETS, map(_set, sets)),
    }
    if experiment.thresholds:
        texts["crowd-against-expert.csv"] = csv_text(THRESHOLDS, (map(_cell, at) for at in experiment.thresholds))
    return sorted([*plots.save(figures(experiment), folder), *write_texts(texts, folder)])


def figures(experiment: Experiment) -> dict[str, Figure]:
    """One figure: the correlation of each set that tables give, times 100."""
    panels = {
        f"{result.judged.name}: {NAMES[result.judged.kind]} × 100": [
            experiment_plots.Mark(
                metric,
                100.0 * correlation.value,
                _hundred(correlation.low),
                _hundred(correlation.high),
                _hundred(result.published(metric)),
            )
            for metric, correlation in result.main()
            if correlation.value is not None
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
            next((_beside_published(result, row) for row in result.main() if row.metric == metric), "")
            for result in sets
        ]
        lines.append(f"| {metric} | {' | '.join(cells)} |")
    lines += ["", f"× 100, {_intervals(sets)}; published figures in brackets."]
    for result in sets:
        left = "".join(f"; left out: {n:,} ({why})" for why, n in result.judged.left_out.items() if n)
        pairs, ratings = len(result.judged.captions), result.judged.judgements.n_ratings
        lines += ["", f"{result.judged.name}: {pairs:,} pairs, {ratings:,} ratings{left}."]
        lines += [f"{sentence}." for sentence in (*reference_counts(result), *result.notes())]
        lines += _signatures(result)
    return "\n".join([*lines, "", *_levels_table(sets), "", *_kappa_table(sets)]) + "\n"


def reference_counts(result: SetResult) -> list[str]:
    """What happened to references that were judged themselves, or that read like a judged caption."""
    judged = result.judged
    sentences = {
        "references left out, judged with their image": judged.n_dropped,
        "references kept that read like a caption judged with their image": judged.n_equal,
    }
    return [f"{what}: {n:,}" for what, n in sentences.items() if n]


LEVEL_NAMES: dict[Level, str] = {"pooled": "pooled", "within_image": "within images", "system": "systems"}


def at_levels(result: SetResult, metric: str) -> dict[Level, Correlation]:
    """A metric's correlations at every level, of the kind that the set's table gives."""
    rows = (row for row in result.levels if row.metric == metric and row.correlation.kind == result.judged.kind)
    return {row.level: row.correlation for row in rows}


def of_systems(result: SetResult, correlation: Correlation) -> str:
    """How many systems a correlation is of, and on how many of the set's images; nothing if it has no value."""
    if correlation.value is None:
        return ""
    n_images = len(result.judged.judgements.images)
    return f"{correlation.n:,} systems, {correlation.n_clusters:,} of {n_images:,} images"


def _levels_table(sets: Sequence[SetResult]) -> Iterator[str]:
    yield f"| set | metric | | {' | '.join(LEVEL_NAMES.values())} |"
    yield "|---" * 6 + "|"
    for result in sets:
        for metric in result.scores:
            by_level = at_levels(result, metric)
            cells = [_shown(by_level[level]) if level in by_level else "" for level in LEVEL_NAMES]
            if "system" in by_level and (n := of_systems(result, by_level["system"])):
                cells[-1] += f" ({n})"
            yield f"| {result.judged.name} | {metric} | {NAMES[result.judged.kind]} | {' | '.join(cells)} |"
    yield ""
    yield "× 100. Within images: the mean of the images' correlations. Systems: their values against mean judgements."


def _kappa_table(sets: Sequence[SetResult]) -> Iterator[str]:
    yield "| set | metric | κ | threshold | agreement | P | R |"
    yield "|---" * 7 + "|"
    for result in sets:
        for kappa in result.kappas:
            value = _shown(kappa)
            # A threshold may be tiny, as a smoothed BLEU is.
            threshold = NOTHING if kappa.threshold is None else f"{kappa.threshold:.3g}"
            numbers = (decimal(number, 3) for number in (kappa.agreement, kappa.P, kappa.R))
            yield f"| {result.judged.name} | {kappa.metric} | {value} | {threshold} | {' | '.join(numbers)} |"
    for name, kappa in ((result.judged.name, result.kappas[0]) for result in sets if result.kappas):
        yield ""
        yield (
            f"{name}: a caption is good if its mean judgement is above {kappa.good_above:g}; each threshold was chosen "
            f"on other images ({kappa.n_folds} folds, seed {kappa.seed}). κ × 100."
        )


def _intervals(sets: Sequence[SetResult]) -> str:
    n, seed = (sets[0].samples, sets[0].seed) if sets else (0, 0)
    return f"with 95% intervals from {n:,} samples of the images, seed {seed}" if n else "without intervals"


def _signatures(result: SetResult) -> Iterator[str]:
    for metric, choices in result.choices.items():
        yield f"- {metric}: {', '.join(f'{name} {value}' for name, value in choices.items())}"


def _shown(result: Correlation | ThresholdKappa) -> str:
    """A value × 100 with its interval, or why there is none."""
    value = result.kappa if isinstance(result, ThresholdKappa) else result.value
    if value is None:
        return f"— ({result.reason})"
    if result.low is None or result.high is None:
        return f"{100.0 * value:.1f}" + (f" ({result.reason})" if result.reason else "")
    return f"{100.0 * value:.1f} [{100.0 * result.low:.1f}, {100.0 * result.high:.1f}]"


def _beside_published(result: SetResult, row: Row) -> str:
    published = result.published(row.metric)
    return _shown(row.correlation) + ("" if published is None else f" ({100.0 * published:.1f})")


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


def _levels(result: SetResult) -> Iterator[list[str]]:
    pooled = "ratings" if result.judged.by_rating else "captions"
    unit: dict[Level, str] = {"pooled": pooled, "within_image": "captions", "system": "systems"}
    for metric, level, correlation, n_tied in result.levels:
        numbers = *correlation[1:6], n_tied, correlation.reason
        yield [result.judged.name, metric, level, unit[level], correlation.kind, *map(_cell, numbers)]


def _set(result: SetResult) -> list[str]:
    judged = result.judged
    people = judged.judgements
    left_out = {why: n for why, n in judged.left_out.items() if n}
    sizes = len(people.images), len(people.pairs), people.n_ratings, len(people.raters), len(people.system_names)
    counts = *sizes, judged.n_dropped, judged.n_equal, sum(left_out.values())
    return [judged.name, *map(str, counts), "; ".join(left_out)]


def _agreement(result: SetResult) -> Iterator[list[str]]:
    sizes = len(result.judged.captions), result.judged.judgements.n_ratings
    for measure, value, low, high, reason in result.agreement:
        yield [result.judged.name, measure, *map(_cell, (value, low, high, *sizes, reason))]


def _hundred(number: float | None) -> float | None:
    return None if number is None else 100.0 * number


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
