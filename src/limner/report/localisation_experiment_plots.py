"""Figures of the localisation experiment: shares of groups as bars, and confusions of colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from limner.arrays import Integers
from limner.look import plots
from limner.look.palette import INK

# Shares of a row from which on a number is white on its dark cell.
DARK = 0.6


def shares_figure(groups: Sequence[str], series: Mapping[str, Sequence[float]], title: str) -> Figure:
    """R@1 of groups of phrases: a bar of each series for each group."""
    with plots.figure(max(6.4, 0.7 * len(groups) + 1.2), 3.2) as (made, (panel,)):
        plots.grouped_bars(panel, groups, series, "R@1")
        panel.set_ylim(0, 1.02)
        panel.set_title(title)
        # Within the panel it would cover bars.
        if (legend := panel.get_legend()) is not None:
            legend.remove()
        made.legend(loc="outside lower center", ncols=4)
    return made


def colours_figure(names: Sequence[str], confusions: Mapping[str, Integers]) -> Figure:
    """For each classifier, of the regions of a colour, the shares by the colour that it takes them for, in per cent."""
    with plots.figure(5.4 * len(confusions), 4.6, 1, len(confusions)) as (made, axes):
        for panel, (title, counts) in zip(axes, confusions.items(), strict=True):
            shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
            panel.imshow(shares, cmap="Blues", vmin=0, vmax=1)
            for (row, column), share in np.ndenumerate(shares):
                if share >= 0.005:
                    colour = "white" if share > DARK else INK
                    panel.text(column, row, f"{100 * share:.0f}", ha="center", va="center", color=colour, fontsize=7)
            panel.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor")
            panel.set_yticks(range(len(names)), [f"{n} ({k})" for n, k in zip(names, counts.sum(axis=1), strict=True)])
            panel.set_xlabel("taken for")
            right = np.trace(counts) / max(1, counts.sum())
            panel.set_title(f"{title}: {100 * right:.1f} % right")
    return made
