"""The figures of experiments: content selection against the number of boxes, correlations with human judgement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from limner.look import plots
from limner.look.palette import INK, PALETTE

# A score at k = 1, 2, 3 …
Curve = Sequence[float]


def f_figure(curves: Mapping[str, Curve], levels: Mapping[str, float]) -> Figure:
    """Figure 3: F of every system against k; `levels` are systems without a k, drawn as horizontal lines."""
    with plots.figure(7.2, 4.6) as (made, (axes,)):
        for i, (name, curve) in enumerate(curves.items()):
            _curve(axes, curve, i, label=name)
        for i, (name, level) in enumerate(levels.items()):
            axes.axhline(level, color=INK, linewidth=1, linestyle=LINES[i % len(LINES)], label=f"{name} {level:.3f}")
        _finish(axes, max(map(len, curves.values())), "F")
        # Beside the axes: inside, the legend would cover the ends of the curves.
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return made


def precision_recall_figure(panels: Mapping[str, Mapping[str, tuple[Curve, Curve]]]) -> Figure:
    """Figure 4: precision (solid) and recall (dashed) against k, a panel for each group of systems."""
    with plots.figure(9.6, 4.2, 1, len(panels)) as (made, axes):
        colour = 0
        for panel, (title, systems) in zip(axes, panels.items(), strict=True):
            for name, (precision, recall) in systems.items():
                _curve(panel, precision, colour, label=f"{name} P")
                _curve(panel, recall, colour, label=f"{name} R", linestyle="--")
                colour += 1
            _finish(panel, max(len(p) for p, _ in systems.values()), "P and R")
            panel.set_title(title)
            panel.legend(ncols=len(systems), fontsize=8)
    return made


def bars_figure(groups: Sequence[str], series: Mapping[str, Sequence[float]], title: str) -> Figure:
    """Figure 6: F of single and combined systems, a group of bars for each k."""
    with plots.figure(6.4, 3.8) as (made, (axes,)):
        plots.grouped_bars(axes, groups, series, "F")
        axes.set_title(title)
        axes.set_ylim(0, None)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return made


LINES = (":", "--", "-.", "-")
MARKS = "os^Dv<>P"


def _curve(axes: Axes, curve: Curve, i: int, label: str, linestyle: str = "-") -> None:
    axes.plot(
        range(1, len(curve) + 1),
        curve,
        color=PALETTE[i % len(PALETTE)],
        marker=MARKS[i % len(MARKS)],
        markersize=3.5,
        linewidth=1.4,
        linestyle=linestyle,
        label=label,
    )


def _finish(axes: Axes, n: int, label: str) -> None:
    axes.set_xlabel("k, boxes that may be mentioned")
    axes.set_ylabel(label)
    axes.set_xticks(range(1, n + 1))
    axes.set_ylim(0, 1)
    axes.yaxis.grid(True)


class Mark(NamedTuple):
    """A metric's correlation with its bounds, None for no interval, and the published one where there is one."""

    metric: str
    value: float
    low: float | None
    high: float | None
    published: float | None = None


def correlations_figure(panels: Mapping[str, Sequence[Mark]]) -> Figure:
    """Correlations as dots with the bounds as bars, the best on top, published figures as rings."""
    tallest = max(map(len, panels.values()))
    with plots.figure(4.6 * len(panels), 1.2 + 0.32 * tallest, 1, len(panels)) as (made, axes):
        for panel, (title, marks) in zip(axes, panels.items(), strict=True):
            _panel(panel, sorted(marks, key=lambda mark: mark.value))
            panel.set_title(title)
        handles = {
            label: handle for panel in axes for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
        }
        made.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2)
    return made


def _panel(axes: Axes, marks: Sequence[Mark]) -> None:
    rows = list(range(len(marks)))
    values = [mark.value for mark in marks]
    below = [0.0 if mark.low is None else max(0.0, mark.value - mark.low) for mark in marks]
    above = [0.0 if mark.high is None else max(0.0, mark.high - mark.value) for mark in marks]
    axes.errorbar(
        values,
        rows,
        xerr=[below, above],
        fmt="o",
        color=PALETTE[0],
        markersize=5,
        capsize=2,
        label="limner, 95%" if any(mark.low is not None for mark in marks) else "limner",
    )
    known = [(mark.published, row) for row, mark in enumerate(marks) if mark.published is not None]
    if known:
        axes.scatter(
            [value for value, _ in known],
            [row for _, row in known],
            s=70,
            facecolors="none",
            edgecolors=PALETTE[1],
            label="published",
            zorder=3,
        )
    axes.set_yticks(rows, [mark.metric for mark in marks])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(marks) - 0.4)
    axes.xaxis.grid(True)


def protocols_figure(
    groups: Sequence[str], series: Mapping[str, Sequence[tuple[float, float | None, float | None, float | None]]]
) -> Figure:
    """Bars of several protocols for each metric: value, the ends of its interval, and a mark where people are."""
    width = 0.8 / len(series)
    with plots.figure(7.6, 4.0) as (made, (axes,)):
        for i, (name, scores) in enumerate(series.items()):
            centres = [group + (i - (len(series) - 1) / 2) * width for group in range(len(groups))]
            values = [value for value, *_ in scores]
            axes.bar(centres, values, width, color=PALETTE[i % len(PALETTE)], label=name)
            for centre, (_, low, high, human) in zip(centres, scores, strict=True):
                if low is not None and high is not None:
                    axes.plot([centre, centre], [low, high], color=INK, linewidth=1)
                if human is not None:
                    label = "people" if i == 0 and centre == centres[0] else None
                    ends = [centre - width / 2, centre + width / 2]
                    axes.plot(ends, [human, human], ":", color=INK, label=label)
        axes.set_xticks(range(len(groups)), groups)
        axes.set_ylim(0, None)
        axes.yaxis.grid(True)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return made
