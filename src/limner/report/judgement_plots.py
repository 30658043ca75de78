"""The figure of correlations with human judgement: a panel for each set, a line for each metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from limner.look import plots


class Mark(NamedTuple):
    """A metric's correlation with its bounds, and the published one where there is one."""

    metric: str
    value: float
    low: float
    high: float
    published: float | None = None


def correlations_figure(panels: Mapping[str, Sequence[Mark]]) -> Figure:
    """Correlations as dots with the bounds as bars, the best on top, published figures as rings."""
    tallest = max(map(len, panels.values()))
    with plots.figure(4.6 * len(panels), 1.2 + 0.32 * tallest, 1, len(panels)) as (made, axes):
        for panel, (title, marks) in zip(axes, panels.items(), strict=True):
            _panel(panel, sorted(marks, key=lambda mark: mark.value))
            panel.set_title(title)
        handles, labels = axes[0].get_legend_handles_labels()
        made.legend(handles, labels, loc="outside lower center", ncols=2)
    return made


def _panel(axes: Axes, marks: Sequence[Mark]) -> None:
    rows = list(range(len(marks)))
    values = [mark.value for mark in marks]
    below = [max(0.0, mark.value - mark.low) for mark in marks]
    above = [max(0.0, mark.high - mark.value) for mark in marks]
    axes.errorbar(
        values,
        rows,
        xerr=[below, above],
        fmt="o",
        color=plots.PALETTE[0],
        markersize=5,
        capsize=2,
        label="limner, 95%",
    )
    known = [(mark.published, row) for row, mark in enumerate(marks) if mark.published is not None]
    axes.scatter(
        [value for value, _ in known],
        [row for _, row in known],
        s=70,
        facecolors="none",
        edgecolors=plots.PALETTE[1],
        label="published",
        zorder=3,
    )
    axes.set_yticks(rows, [mark.metric for mark in marks])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(marks) - 0.4)
    axes.xaxis.grid(True)
