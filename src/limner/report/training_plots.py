"""The figure of a captioner's training: the loss of each stage, and CIDEr on images that were held out, by epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from limner.learn.stage_settings import EpochFigures
from limner.look import plots
from limner.look.palette import FAINT, numbered_colour

# The file without its suffix.
NAME = "training"

CIDER = "CIDEr"


class StagePanel(NamedTuple):
    """How a stage is called, what its panel shows, and what a loss is multiplied by there."""

    name: str
    title: str
    label: str
    factor: float = 1.0


# The loss of the second stage is the expected CIDEr of its candidates, below 0.
STAGES = {
    "words": StagePanel("people's captions", "people's captions: loss", "loss of a word"),
    "cider": StagePanel("self-critical", "self-critical: the model's own captions", "expected CIDEr", -1.0),
}

History = Mapping[str, Sequence[EpochFigures]]


def write_training_plot(history: History, folder: Path, best: Mapping[str, int] | None = None) -> Path:
    """Draw `training.svg` in a captioner's folder and return its path; the arguments are those of the figure."""
    plots.save({NAME: training_figure(history, best)}, folder, kinds=["svg"])
    return folder / f"{NAME}.svg"


def training_figure(history: History, best: Mapping[str, int] | None = None) -> Figure:
    """A panel with the loss of each stage, and one with CIDEr, where stages follow each other.

    `best` is the number of the epoch that each stage chose; by default the
    first with the highest CIDEr. Losses of different stages are not of one
    kind, and so have a panel each.
    """
    stages = {stage: epochs for stage, epochs in history.items() if epochs}
    chosen = {stage: (best or {}).get(stage) or _highest(epochs) for stage, epochs in stages.items()}
    n_panels = max(len(stages), 1) + 1
    with plots.figure(3.9 * n_panels, 3.2, 1, n_panels) as (made, axes):
        n_before = 0
        for number, (stage, epochs) in enumerate(stages.items()):
            panel = STAGES.get(stage, StagePanel(stage, f"{stage}: loss", "loss"))
            colour = numbered_colour(number)
            axes[number].set_title(panel.title)
            axes[number].set_ylabel(panel.label)
            losses = [panel.factor * figures.loss for figures in epochs]
            _curve(axes[number], epochs, losses, chosen[stage], colour, "")
            values = [figures.validation.get(CIDER, float("nan")) for figures in epochs]
            _curve(axes[-1], epochs, values, chosen[stage], colour, panel.name, n_before)
            if n_before:
                axes[-1].axvline(n_before + 0.5, color=FAINT, linewidth=1.2, zorder=1)
            n_before += epochs[-1].epoch
        axes[-1].set_title("images held out: CIDEr")
        axes[-1].set_ylabel(CIDER)
        if len(stages) > 1:
            # CIDEr rises: there is room below its end.
            axes[-1].legend(loc="lower right")
    return made


def _curve(
    axes: Axes,
    epochs: Sequence[EpochFigures],
    values: Sequence[float],
    chosen: int,
    colour: str,
    name: str,
    n_before: int = 0,
) -> None:
    """A line through the epochs, with a ring and a number at the chosen one."""
    numbers = [n_before + figures.epoch for figures in epochs]
    axes.plot(numbers, values, "o-", markersize=3.5, linewidth=1.6, color=colour, label=name, zorder=3)
    at = next((at for at, figures in enumerate(epochs) if figures.epoch == chosen), len(epochs) - 1)
    axes.plot([numbers[at]], [values[at]], "o", markersize=9, fillstyle="none", color=colour, zorder=4)
    axes.annotate(
        f"{values[at]:.3g}", (numbers[at], values[at]), xytext=(0, 9), textcoords="offset points", ha="center"
    )
    axes.set_xlabel("epoch; ring: chosen")
    axes.set_xlim(0.5, n_before + epochs[-1].epoch + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.yaxis.grid(True)
    axes.margins(y=0.18)


def _highest(epochs: Sequence[EpochFigures]) -> int:
    return max(epochs, key=lambda figures: figures.validation.get(CIDER, 0.0)).epoch
