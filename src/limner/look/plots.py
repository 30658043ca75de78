"""One look for every plot: palette, fonts, sizes, and saving as SVG and PNG.

A figure is made in a `with figure(...)` block, filled there with the bars and
histograms below or with matplotlib's own calls, and written with `save`.
matplotlib's own settings stay as they were.

This module imports matplotlib. Light code reaches it through `limner.lazy`;
`load("limner.look.plots")` checks, before any work is done, that plots can be
drawn.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from limner.errors import cannot
from limner.files import write_bytes
from limner.look.palette import FAINT, INK, numbered_colour

LOOK: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": False,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.framealpha": 1.0,
    "legend.edgecolor": "none",
    "legend.fontsize": 9,
    "text.color": INK,
    # Labels are words of a corpus: a dollar sign in them is a dollar sign, not mathematics.
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.fonttype": "path",
    # A fixed salt: equal figures give equal files.
    "svg.hashsalt": "limner",
}

DOTS_PER_INCH = 150

# Letters of a label that fit an inch of a figure's width, without its margins.
LETTERS_PER_INCH = 11


@contextmanager
def figure(width: float, height: float, rows: int = 1, columns: int = 1) -> Iterator[tuple[Figure, list[Axes]]]:
    """An empty figure, its size in inches, and its panels, row by row; what the block draws has the shared look."""
    with rc_context(LOOK):
        made = Figure(figsize=(width, height), layout="constrained")
        yield made, list(made.subplots(rows, columns, squeeze=False).flat)


def grouped_bars(axes: Axes, groups: Sequence[str], series: Mapping[str, Sequence[float]], label: str) -> None:
    """Vertical bars: one of each series for each group, in the palette's order."""
    width = 0.8 / len(series)
    for i, (name, values) in enumerate(series.items()):
        middles = [group - 0.4 + width * (i + 0.5) for group in range(len(groups))]
        axes.bar(middles, values, width=width * 0.92, label=name, color=numbered_colour(i))
    axes.set_xticks(range(len(groups)), list(groups))
    axes.tick_params(axis="x", length=0)
    owner = axes.get_figure(root=True)
    if owner is not None and max(map(len, groups)) * len(groups) > LETTERS_PER_INCH * owner.get_figwidth():
        axes.tick_params(axis="x", rotation=30)
    axes.set_ylabel(label)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.yaxis.grid(True)
    axes.legend()


def ranked_bars(axes: Axes, items: Sequence[str], series: Mapping[str, Sequence[float]], label: str) -> None:
    """Horizontal bars, the first item on top: one of each series for each item."""
    height = 0.8 / len(series)
    for i, (name, values) in enumerate(series.items()):
        middles = [item - 0.4 + height * (i + 0.5) for item in range(len(items))]
        axes.barh(middles, values, height=height * 0.92, label=name, color=numbered_colour(i))
    axes.set_yticks(range(len(items)), list(items))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(items) - 0.4, -0.6)
    axes.set_xlabel(label)
    axes.xaxis.grid(True)
    axes.legend(loc="lower right")


def histograms(axes: Axes, series: Mapping[str, Sequence[tuple[int, int]]], label: str, counted: str) -> None:
    """Histograms of whole numbers on top of each other, as shares, so that corpora of different sizes compare.

    Each series is pairs of value and count, sorted by value. An empty series is left out, and its colour stays unused.
    The few largest values share the last bin. Dashed lines are means.
    """
    drawn = [(numbered_colour(i), name, pairs) for i, (name, pairs) in enumerate(series.items()) if pairs]
    first = min(pairs[0][0] for _, _, pairs in drawn)
    last = max(_almost_all(pairs) for _, _, pairs in drawn)
    open_end = max(pairs[-1][0] for _, _, pairs in drawn) > last
    edges = [value - 0.5 for value in range(first, last + 2)]
    for colour, name, pairs in drawn:
        n = sum(count for _, count in pairs)
        mean = sum(value * count for value, count in pairs) / n
        shares = [0.0] * (last + 1 - first)
        for value, count in pairs:
            shares[min(value, last) - first] += count / n
        axes.stairs(shares, edges, fill=True, color=colour, alpha=0.3)
        # Outlines and means lie over the fill of every series.
        axes.stairs(shares, edges, color=colour, linewidth=1.4, label=f"{name}: mean {mean:.1f}", zorder=3)
        axes.axvline(mean, color=colour, linestyle="--", linewidth=1.2, zorder=3)
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(0, None)
    _number_bins(axes, range(first, last + 1), open_end=open_end)
    axes.set_xlabel(label)
    axes.set_ylabel(f"share of {counted}")
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.10g}%")
    axes.yaxis.grid(True)
    axes.legend()


def _almost_all(pairs: Sequence[tuple[int, int]]) -> int:
    """The first value that 99.5 % of a histogram do not exceed, but at most 100 bins."""
    n = sum(count for _, count in pairs)
    seen = 0
    for value, count in pairs:
        seen += count
        if seen >= 0.995 * n:
            return min(value, pairs[0][0] + 99)
    return pairs[-1][0]


def save(figures: Mapping[str, Figure], folder: Path, *, kinds: Sequence[str] = ("svg", "png")) -> list[Path]:
    """Write every figure as NAME.svg and NAME.png in the folder, which is created if necessary; returns their paths.

    `kinds` are the suffixes, if only one is wanted. All are drawn before the first is written: a figure that cannot
    be drawn leaves no files.
    """
    drawn = {folder / f"{name}.{kind}": _drawn(made, kind) for name, made in figures.items() for kind in kinds}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot("write", folder, error) from error
    for path, image in drawn.items():
        with write_bytes(path) as handle:
            handle.write(image)
    return list(drawn)


def _drawn(made: Figure, kind: str) -> bytes:
    image = io.BytesIO()
    # Without these the file would hold the time and the library's version.
    nameless = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
    with rc_context(LOOK), warnings.catch_warnings():
        # Letters that the font lacks are drawn as empty squares; the user can do nothing about it here.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        made.savefig(image, format=kind, dpi=DOTS_PER_INCH, metadata=nameless)
    return image.getvalue()


def _number_bins(axes: Axes, values: Sequence[int], *, open_end: bool) -> None:
    """Label the bins, a dozen at most; the last has a + where it holds everything above."""
    step = next(step for step in _steps() if len(values) / step <= 12)
    shown = [value for value in values if value % step == 0]
    if open_end:
        shown = [value for value in shown if value <= values[-1] - step / 2] + [values[-1]]
    names = [f"{value}+" if open_end and value == values[-1] else str(value) for value in shown]
    axes.set_xticks(shown, names)


def _steps() -> Iterator[int]:
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10
