"""The figures of the novel-object experiment, one for each of its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from limner.experiments.experiment_files import Cell, Estimate, FigureToDraw
from limner.experiments.image_distances import N_DECILES
from limner.experiments.novel_object_rows import RowSpec
from limner.experiments.novel_object_scores import COLUMNS, ORDER, OVERALL, Figure, RowFigures, TableFigures
from limner.experiments.novel_object_tables import MENTION_VALUES, PANEL_COLUMNS, NovelObjectRun, decile_name
from limner.lazy import lazy
from limner.score.novel_mentions import MEAN, TRUTHS, mention_column

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from limner.report import estimate_plots
else:
    estimate_plots = lazy("limner.report.estimate_plots")


def domain_figure(run: NovelObjectRun, columns: Sequence[str]) -> Drawing:
    column = "cider" if "cider" in columns else columns[0]
    panels = {subset: {COLUMNS[column]: dots} for subset in ORDER if (dots := _dots(run.figures.rows, subset, column))}
    return estimate_plots.dots_figure(panels, COLUMNS[column])


def more_figures(
    run: NovelObjectRun, columns: Sequence[str], panel: Sequence[Sequence[Cell]]
) -> dict[str, FigureToDraw]:
    rows = run.figures.rows
    of_truth = "gold boxes" if run.images.has_gold else "references"
    drawn = {
        "metrics": FigureToDraw("All metrics, all test images", lambda: _metric_figure(rows, columns)),
        "mentions": FigureToDraw("Naming novel classes: means over the classes", lambda: _mention_figure(rows)),
        "classes": FigureToDraw(f"F1 of each novel class, by {of_truth}", lambda: _class_figure(run)),
    }
    if panel:
        caption = "CIDEr that constraints cost, or gain, on images without novel objects"
        drawn["captioned"] = FigureToDraw(caption, lambda: _panel_figure(panel))
    if run.filters is not None:
        filters = run.filters
        drawn["filters"] = FigureToDraw(
            "CIDEr by the filters of constraints (Table 6)", lambda: _filter_figure(*filters)
        )
    if run.deciles is not None:
        groups, figures = run.deciles
        caption = f"CIDEr by distance from the training images (Table 4): {groups.compared}"
        drawn["deciles"] = FigureToDraw(caption, lambda: _decile_figure(figures))
    return drawn


def _value(figure: Figure | None) -> estimate_plots.Value:
    assert figure is not None
    assert figure.value is not None
    return figure.value, figure.low, figure.high


def _dots(rows: Sequence[RowFigures], subset: str, column: str) -> dict[str, estimate_plots.Value]:
    return {row.name: _value(figure) for row in rows if (figure := row.figure(subset, column)) is not None}


def _metric_figure(rows: Sequence[RowFigures], columns: Sequence[str]) -> Drawing:
    shown = [column for column in columns if column not in ("cider", "bleu1", "chair_s")]
    panels = {COLUMNS[column]: {"overall": _dots(rows, OVERALL, column)} for column in shown}
    return estimate_plots.dots_figure(panels or {"CIDEr": {"overall": _dots(rows, OVERALL, "cider")}}, "value")


def _mention_figure(rows: Sequence[RowFigures]) -> Drawing:
    # F1 comes first, which every row has: rows are drawn in the order in which they are met.
    panels = {
        f"by {truth}": {
            value: _dots(rows, OVERALL, mention_column(truth, MEAN, value)) for value in MENTION_VALUES[::-1]
        }
        for truth in TRUTHS
    }
    return estimate_plots.dots_figure(panels, "share")


def _class_figure(run: NovelObjectRun) -> Drawing:
    names = [row.name for row in run.rows if row.captioner is not None and row.asked in ("nothing", "detected")]
    series = {
        name: {
            label: _value(figure)
            for label in run.images.novel
            if (figure := run.figures.row(name).figure(OVERALL, mention_column(run.images.truth, label, "f1")))
            is not None
        }
        for name in names
    }
    return estimate_plots.dots_figure({"all test images": series}, "F1")


def _panel_figure(panel: Sequence[Sequence[Cell]]) -> Drawing:
    named = [dict(zip(PANEL_COLUMNS, row, strict=True)) for row in panel]
    dots = {f"{row['row']}": row["difference"] for row in named if isinstance(row["difference"], Estimate)}
    return estimate_plots.dots_figure({"images without novel objects": {"difference": dots}}, "CIDEr, difference")


def _filter_figure(rows: Sequence[tuple[str, RowSpec]], figures: TableFigures) -> Drawing:
    names = list(dict.fromkeys(name for name, _ in rows))
    panels = {
        subset: {
            name: {
                row.filters.described: _value(figure)
                for owner, row in rows
                if owner == name and (figure := figures.row(row.name).figure(subset, "cider")) is not None
            }
            for name in names
        }
        for subset in ORDER
        if any(figures.row(row.name).figure(subset, "cider") for _, row in rows)
    }
    return estimate_plots.dots_figure(panels, "CIDEr")


def _decile_figure(figures: TableFigures) -> Drawing:
    lines = {
        row.name: {
            number: _value(figure)
            for number in range(1, N_DECILES + 1)
            if (figure := row.figure(decile_name(number), "cider")) is not None
        }
        for row in figures.rows
    }
    return estimate_plots.lines_figure({"test images": lines}, "decile, from the nearest", "CIDEr")
