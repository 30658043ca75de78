"""A figure of a simulated detector beside the real one: calibration, what is found by size, AP by class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from limner.look import plots
from limner.look.palette import FAINT, numbered_colour

# By the name of a series: mean scores and the shares that are right, bin by bin.
Reliability = Mapping[str, Sequence[tuple[float, float]]]

# By the name of a series, a value for each of some names.
Bars = Mapping[str, Mapping[str, float]]


def detector_figure(reliability: Reliability, sizes: Bars, classes: Bars) -> Figure:
    """Three panels: how often detections of a score are right, the share of boxes found by size, AP50 by class."""
    with plots.figure(11.0, 3.4, 1, 3) as (made, axes):
        axes[0].plot([0, 1], [0, 1], color=FAINT, linewidth=1.2, zorder=1)
        for i, (name, points) in enumerate(reliability.items()):
            scores, shares = zip(*points, strict=True) if points else ((), ())
            axes[0].plot(scores, shares, "o-", markersize=4, label=name, color=numbered_colour(i), zorder=3)
        axes[0].set_xlim(0, 1)
        axes[0].set_ylim(0, 1.02)
        axes[0].set_xlabel("mean score")
        axes[0].set_ylabel("share that is right")
        axes[0].set_title("calibration")
        axes[0].legend()
        for panel, title, bars, label in (
            (axes[1], "found, by size", sizes, "share of gold boxes"),
            (axes[2], "AP50, by class", classes, "AP50"),
        ):
            names = list(next(iter(bars.values())))
            plots.grouped_bars(panel, names, {name: list(values.values()) for name, values in bars.items()}, label)
            panel.set_title(title)
            panel.set_ylim(0, 1.02)
            if (legend := panel.get_legend()) is not None:
                legend.remove()
            # Names end at their bars: centred, long ones would run into each other.
            panel.set_xticks(range(len(names)), names, rotation=35, ha="right", rotation_mode="anchor")
    return made
