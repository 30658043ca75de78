"""The figures of benchmarks: what is in their images, how evenly classes occur, how often captions mention them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from limner.corpus.statistics.corpus_figures import Distribution
from limner.errors import one_line
from limner.look import plots
from limner.look.palette import INK, PALETTE
from limner.look.tables import cut_left

# In-domain and out-of-domain, as in the paper.
ORANGE, BLUE = PALETTE[5], PALETTE[0]

# Characters of a corpus's name in a key.
MAX_NAME = 32

# Classes in a row of bars: more, and their names would overlap.
ROW = 175


class MentionCount(NamedTuple):
    """How often captions mention a class, and whether it is in-domain."""

    name: str
    mentions: int
    is_in: bool


def composition_figure(corpora: Mapping[str, tuple[Distribution, Distribution]]) -> Figure:
    """Figure 2 of the nocaps paper: shares of images by their number of classes, and of instances, by corpus."""
    with plots.figure(9.6, 3.4 + 0.2 * len(corpora), columns=2) as (made, panels):
        for i, (panel, label) in enumerate(zip(panels, ("classes per image", "instances per image"), strict=True)):
            series = {cut_left(name, MAX_NAME): both[i].histogram for name, both in corpora.items()}
            plots.histograms(panel, series, label, "images")
            # Bars may be high anywhere, and means lie across: the key stands above.
            panel.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
    return made


def evenness_figure(counts: Mapping[str, Iterable[int]]) -> Figure:
    """How many images have each class, the most frequent class first, for several selections."""
    with plots.figure(6, 3.4) as (made, (axes,)):
        for i, (name, numbers) in enumerate(counts.items()):
            ranked = sorted(numbers, reverse=True)
            axes.step(range(1, len(ranked) + 1), ranked, where="mid", color=PALETTE[i], linewidth=1.6, label=name)
        axes.set_yscale("log")
        axes.set_xlim(1, None)
        _number(axes)
        axes.set_xlabel("classes, the most frequent first")
        axes.set_ylabel("images that have it")
        axes.legend()
    return made


def mentions_figure(classes: Sequence[MentionCount], more_than: int) -> Figure:
    """Figure 9 of the nocaps paper: mentions of every class that is mentioned at all, by name, on a log scale."""
    ranked = sorted((count for count in classes if count.mentions), key=lambda count: (-count.mentions, count.name))
    rows = [ranked[i : i + ROW] for i in range(0, len(ranked), ROW)] or [[]]
    n_unmentioned = sum(not count.mentions for count in classes)
    with plots.figure(20, 3.2 * len(rows) + 0.4, rows=len(rows)) as (made, panels):
        for panel, row in zip(panels, rows, strict=True):
            _bars(panel, row)
            # Below 1, so that a single mention has a bar on the log scale.
            panel.set_ylim(0.5, max((count.mentions for count in ranked), default=1) * 1.6)
            # Only the row in which the threshold is crossed.
            if row and row[0].mentions > more_than >= row[-1].mentions:
                panel.axhline(more_than, color=INK, linewidth=0.9, linestyle="--", zorder=1)
        n_in = sum(count.is_in for count in classes)
        panels[0].set_title(
            f"Mentions of {len(classes):,} classes, {n_in:,} in-domain; dashed: {more_than:,} mentions; "
            f"not mentioned at all: {n_unmentioned:,}"
        )
        panels[0].legend(handles=_key(), loc="upper right")
    return made


def mention_histogram_figure(classes: Sequence[MentionCount], more_than: int) -> Figure:
    """A histogram of classes by mentions, in bins that double, with in-domain classes on top of the others."""
    last = max((count.mentions for count in classes), default=0).bit_length()
    below, above = ([0] * (last + 1) for _ in range(2))
    for count in classes:
        (above if count.is_in else below)[count.mentions.bit_length()] += 1
    bins = range(last + 1)
    with plots.figure(6, 3.4) as (made, (axes,)):
        axes.bar(bins, below, width=0.92, color=BLUE)
        axes.bar(bins, above, width=0.92, bottom=below, color=ORANGE)
        axes.axvline(_position(more_than), color=INK, linewidth=1, linestyle="--")
        axes.set_xticks(bins, [_bin(i) for i in bins])
        axes.tick_params(axis="x", length=0)
        if last > 8:
            for name in axes.get_xticklabels():
                name.set(rotation=45, ha="right", rotation_mode="anchor")
        axes.set_xlabel(f"mentions in captions (dashed: {more_than:,})")
        axes.set_ylabel("classes")
        axes.yaxis.grid(True)
        axes.legend(handles=_key(), loc="upper right")
    return made


def _bars(panel: Axes, row: Sequence[MentionCount]) -> None:
    colours = [ORANGE if count.is_in else BLUE for count in row]
    panel.bar(range(len(row)), [count.mentions for count in row], width=0.8, color=colours)
    panel.set_yscale("log")
    _number(panel)
    panel.set_xlim(-0.6, ROW - 0.4)
    panel.set_xticks(range(len(row)), [one_line(count.name, 30) for count in row], fontsize=6, rotation=90)
    panel.tick_params(axis="x", length=0, pad=1)


def _number(axes: Axes) -> None:
    """Label the axis with whole numbers, with lines at the powers of ten."""
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.yaxis.grid(True)


def _key() -> list[Patch]:
    return [Patch(color=ORANGE, label="in-domain"), Patch(color=BLUE, label="out-of-domain")]


def _bin(i: int) -> str:
    """0, 1, 2–3, 4–7 …"""
    if i < 2:
        return str(i)
    return f"{_short(1 << (i - 1))}–{_short((1 << i) - 1)}"


def _short(number: int) -> str:
    return str(number) if number < 10_000 else f"{number / 1000:,.0f}k"


def _position(number: int) -> float:
    """The position of a number on the axis of bins: larger numbers are to its right."""
    if number < 1:
        return number + 0.5
    i = number.bit_length()
    return i - 0.5 + (number + 1) / (1 << (i - 1)) - 1
