"""Figures of values with intervals: as lines over a number, and as dots beside names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from limner.look import plots
from limner.look.palette import PALETTE

# A value and the ends of its interval, None for none.
Value = tuple[float, float | None, float | None]

# By the name of a series, what it has for each number, or for each name.
Lines = Mapping[str, Mapping[int, Value]]
Dots = Mapping[str, Mapping[str, Value]]

MARKS = "os^Dv<>P"


def lines_figure(panels: Mapping[str, Lines], x_label: str, y_label: str) -> Figure:
    """A panel for each title: lines over whole numbers, intervals as bars."""
    # Four in a row would be too small to read on a page.
    n_columns = 2 if len(panels) == 4 else min(3, len(panels))
    n_rows = -(-len(panels) // n_columns)
    with plots.figure(max(6.4, 3.4 * n_columns + 1.2), 2.8 * n_rows + 0.6, n_rows, n_columns) as (made, axes):
        for unused in axes[len(panels) :]:
            unused.set_axis_off()
        for panel, (title, lines) in zip(axes, panels.items(), strict=False):
            for i, (name, values) in enumerate(lines.items()):
                # Side by side: the intervals of series at one number would cover each other.
                shift = 0.06 * (i - (len(lines) - 1) / 2)
                _errorbar(panel, [x + shift for x in values], list(values.values()), i, name, fmt="-")
            panel.set_xticks(sorted({x for values in lines.values() for x in values}))
            panel.set_xlabel(x_label)
            panel.set_title(title)
            panel.yaxis.grid(True)
        for panel in axes[: len(panels) : n_columns]:
            panel.set_ylabel(y_label)
        _legend(made, axes)
    return made


def dots_figure(panels: Mapping[str, Dots], x_label: str) -> Figure:
    """A panel for each title: names below each other, the first on top, a dot with its interval for each series."""
    names = list(dict.fromkeys(name for dots in panels.values() for values in dots.values() for name in values))
    n_series = max(map(len, panels.values()))
    height = 1.2 + len(names) * (0.2 + 0.12 * n_series)
    with plots.figure(max(7.2, 3.6 * len(panels) + 1.4), height, 1, len(panels)) as (made, axes):
        for number, (panel, (title, dots)) in enumerate(zip(axes, panels.items(), strict=True)):
            for i, (series, values) in enumerate(dots.items()):
                shift = 0.6 * ((i + 0.5) / len(dots) - 0.5)
                rows = [names.index(name) + shift for name in values]
                _errorbar(panel, rows, list(values.values()), i, series, fmt="", upright=False)
            panel.set_yticks(range(len(names)), names if number == 0 else [])
            panel.tick_params(axis="y", length=0)
            panel.set_ylim(len(names) - 0.4, -0.6)
            panel.set_xlabel(x_label)
            panel.set_title(title)
            panel.grid(True)
        _legend(made, axes)
    return made


def _errorbar(
    axes: Axes, places: Sequence[float], values: Sequence[Value], i: int, label: str, *, fmt: str, upright: bool = True
) -> None:
    centres = [value for value, _, _ in values]
    below = [0.0 if low is None else max(0.0, value - low) for value, low, _ in values]
    above = [0.0 if high is None else max(0.0, high - value) for value, _, high in values]
    spread = [below, above]
    axes.errorbar(
        places if upright else centres,
        centres if upright else places,
        yerr=spread if upright else None,
        xerr=None if upright else spread,
        fmt=f"{MARKS[i % len(MARKS)]}{fmt}",
        color=PALETTE[i % len(PALETTE)],
        markersize=4,
        linewidth=1.3,
        capsize=2,
        label=label,
    )


def _legend(made: Figure, axes: Sequence[Axes]) -> None:
    """One legend for all panels, if there is more than one series."""
    handles = {
        label: handle for panel in axes for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    if len(handles) > 1:
        made.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=min(4, len(handles)))
