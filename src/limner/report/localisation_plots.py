"""Figures of localisation: recall by type, sources of error, confusions between types, frequent phrases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from limner.errors import one_line
from limner.look import plots
from limner.look.palette import INK, numbered_colour
from limner.score.localisation.localisation_evaluation import SystemScores
from limner.score.localisation.phrase_errors import SOURCES

# Colours of the sources of error: what is right is green, what is nowhere blue, as on the page.
COLOURS = ("#009E73", "#8CCF9F", "#9A9A9A", "#D55E00", "#CC79A7", "#E69F00", "#0072B2")

PEOPLE = "people"

# Letters of a phrase or a name that fit beside its bar.
LETTERS = 26


def draw(systems: Sequence[SystemScores], folder: Path) -> list[Path]:
    """Write the figures of systems to a folder: `types`, `errors`, `confusions` and `phrases` as SVG and PNG."""
    figures = {"types": types_figure(systems), "errors": errors_figure(systems)}
    if systems[0].outcomes.confusions(systems[0].table, systems[0].is_scored):
        figures["confusions"] = confusions_figure(systems[0])
    figures["phrases"] = phrases_figure(systems[0])
    return plots.save(figures, folder)


def types_figure(systems: Sequence[SystemScores]) -> Figure:
    """R@1 of every system by type, with its interval, and the bound as a line above the bars (Table 6)."""
    names = list(systems[0].by("type"))
    with plots.figure(max(6.0, 1.0 * len(names)), 3.6) as (made, (panel,)):
        values = {one_line(system.name, LETTERS): [system.by("type")[n]["R@1"] for n in names] for system in systems}
        plots.grouped_bars(panel, names, values, "R@1")
        width = 0.8 / len(systems)
        for s, system in enumerate(systems):
            middles = np.arange(len(names), dtype=np.float64) - 0.4 + width * (s + 0.5)
            bounds = [system.by("type")[name]["bound"] for name in names]
            panel.hlines(bounds, middles - width / 2, middles + width / 2, color=INK, linewidth=1.2)
            _whiskers(panel, system, names, middles.tolist())
        panel.set_ylim(0, 1.02)
        panel.set_title("recall at rank 1 by type; lines are the bound of the boxes")
        # Within the panel it would cover bars or bounds.
        if (legend := panel.get_legend()) is not None:
            legend.remove()
        if len(systems) > 1:
            made.legend(loc="outside lower center", ncols=3)
    return made


def _whiskers(panel: Axes, system: SystemScores, names: Sequence[str], middles: Sequence[float]) -> None:
    for name, middle in zip(names, middles, strict=True):
        low, high = system.by("type")[name].get("intervals", {}).get("R@1", (None, None))
        if low is not None:
            panel.vlines(middle, low, high, color=INK, linewidth=0.9)


def errors_figure(systems: Sequence[SystemScores]) -> Figure:
    """What the best box is on, a bar of shares for each system (Figure 9a)."""
    with plots.figure(7.2, 1.5 + 0.5 * len(systems)) as (made, (panel,)):
        reached = np.zeros(len(systems))
        for e, source in enumerate(SOURCES):
            shares = np.array([system.errors[source] / max(1, int(system.is_scored.sum())) for system in systems])
            if not shares.any():
                continue
            panel.barh(range(len(systems)), shares, left=reached, color=COLOURS[e], label=source, height=0.62)
            for row, (start, share) in enumerate(zip(reached.tolist(), shares.tolist(), strict=True)):
                if share >= 0.05:
                    ink = "white" if source in ("background", "no answer") else INK
                    middle = start + share / 2
                    panel.text(middle, row, f"{100 * share:.0f}%", ha="center", va="center", fontsize=8, color=ink)
            reached += shares
        panel.set_yticks(range(len(systems)), [one_line(system.name, LETTERS) for system in systems])
        panel.invert_yaxis()
        panel.set_xlim(0, 1)
        panel.set_xlabel("share of phrases")
        panel.set_title("what the best box is on")
        made.legend(loc="outside lower center", ncols=4)
    return made


def confusions_figure(system: SystemScores) -> Figure:
    """Of phrases that got another phrase's box, the shares by the type of that phrase (Figure 9b)."""
    confusions = system.outcomes.confusions(system.table, system.is_scored)
    columns = [name for name in system.table.subsets["type"] if any(name in row for row in confusions.values())]
    counts = np.array([[row.get(name, 0) for name in columns] for row in confusions.values()], dtype=np.float64)
    shares = counts / counts.sum(axis=1, keepdims=True)
    with plots.figure(1.6 + 0.62 * len(columns), 1.5 + 0.4 * len(shares)) as (made, (panel,)):
        panel.imshow(shares, cmap="Oranges", vmin=0, vmax=1, aspect="auto")
        for (row, column), share in np.ndenumerate(shares):
            if share:
                colour = "white" if share > 0.6 else INK
                panel.text(column, row, f"{100 * share:.0f}", ha="center", va="center", color=colour, fontsize=8)
        panel.set_xticks(range(len(columns)), columns, rotation=40, ha="right", rotation_mode="anchor")
        panel.set_yticks(range(len(shares)), list(confusions))
        panel.set_xlabel("type of the phrase whose box it is")
        panel.set_title("confusions, % of a row")
    return made


def phrases_figure(system: SystemScores) -> Figure:
    """R@1 of the most frequent phrases; people's in the lighter colour (Figure 10)."""
    phrases = system.outcomes.frequent(system.table, system.is_scored)
    with plots.figure(6.4, 0.9 + 0.21 * len(phrases)) as (made, (panel,)):
        names = [f"{one_line(phrase['phrase'], LETTERS)} ({phrase['n']})" for phrase in phrases]
        colours = [numbered_colour(4) if PEOPLE in phrase["types"] else numbered_colour(0) for phrase in phrases]
        panel.barh(range(len(phrases)), [phrase["R@1"] for phrase in phrases], color=colours, height=0.72)
        panel.set_yticks(range(len(phrases)), names)
        panel.set_ylim(len(phrases) - 0.4, -0.6)
        panel.set_xlim(0, 1)
        panel.set_xlabel("R@1")
        panel.set_title("frequent phrases; light: people")
    return made
