"""The figure of the retrieval experiment: recalls of each row, and how alpha and gamma did on images held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from limner.look import plots
from limner.look.palette import numbered_colour

MARKS = "os^"


class Recall(NamedTuple):
    """A recall and the ends of its interval, NaN for none."""

    value: float
    low: float
    high: float


class AlphaCurves(NamedTuple):
    """The sums of recalls on images held out, for each gamma by alpha, and which of both were chosen."""

    alpha: float
    gamma: float
    rsums: Mapping[float, Mapping[float, float]]


def retrieval_figure(
    recalls: Mapping[str, Mapping[str, Sequence[Recall]]], figures: Sequence[str], curves: Mapping[str, AlphaCurves]
) -> Figure:
    """A panel for each direction with the recalls of every row, and one of the sums of recalls over alpha, if any."""
    n_rows = len(next(iter(recalls.values())))
    with plots.figure(12.0, max(3.4, 1.6 + 0.34 * n_rows), 1, len(recalls) + bool(curves)) as (made, axes):
        for number, (panel, (direction, rows)) in enumerate(zip(axes, recalls.items(), strict=False)):
            _recalls(panel, rows, figures)
            panel.set_title(direction.replace("_", " "))
            if number:
                panel.set_yticklabels([])
        # Below the panels: inside, legends would cover whiskers and curves.
        made.legend(*axes[0].get_legend_handles_labels(), loc="outside lower left", ncols=len(figures))
        if curves:
            _curves(axes[-1], curves)
            made.legend(*axes[-1].get_legend_handles_labels(), loc="outside lower right", ncols=2)
    return made


def _recalls(axes: Axes, rows: Mapping[str, Sequence[Recall]], figures: Sequence[str]) -> None:
    places = list(range(len(rows)))
    for i, name in enumerate(figures):
        of_rows = [values[i] for values in rows.values()]
        below = [0.0 if recall.low != recall.low else max(0.0, recall.value - recall.low) for recall in of_rows]
        above = [0.0 if recall.high != recall.high else max(0.0, recall.high - recall.value) for recall in of_rows]
        axes.errorbar(
            [recall.value for recall in of_rows],
            places,
            xerr=[below, above],
            fmt=MARKS[i % len(MARKS)],
            color=numbered_colour(i),
            markersize=5,
            capsize=2,
            label=name,
        )
    axes.set_yticks(places, list(rows))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.set_xlabel("recall")
    axes.xaxis.grid(True)


def _curves(axes: Axes, curves: Mapping[str, AlphaCurves]) -> None:
    """The curve at the chosen gamma, others faint, and a ring at the chosen alpha."""
    for i, (name, curve) in enumerate(curves.items()):
        colour = numbered_colour(i)
        for gamma, rsums in curve.rsums.items():
            if gamma != curve.gamma:
                axes.plot(list(rsums), list(rsums.values()), color=colour, linewidth=0.5, alpha=0.5)
        chosen = curve.rsums[curve.gamma]
        label = f"{name}: alpha {curve.alpha:g}, gamma {curve.gamma:g}"
        axes.plot(list(chosen), list(chosen.values()), color=colour, linewidth=1.6, label=label)
        axes.plot([curve.alpha], [chosen[curve.alpha]], "o", markersize=7, color=colour)
    axes.set_title("images held out: sum of recalls")
    axes.set_xlabel("alpha; thin lines: other gammas")
    axes.set_xlim(-0.03, 1.03)
    axes.yaxis.grid(True)
