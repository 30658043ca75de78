"""The files that every small experiment writes: table.csv, table.md, and its name as JSON, page and figure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from limner.corpus.reading import Reading
from limner.files import write_texts
from limner.lazy import lazy
from limner.look.tables import NOTHING, aligned, csv_text
from limner.report.pages.experiment_page import ExperimentPage, PageTable, TableRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limner.look import plots
else:
    plots = lazy("limner.look.plots")


class Estimate(NamedTuple):
    """A value with the interval of its 95 %, None where there is none."""

    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def within(cls, value: float, bounds: Sequence[float] | None) -> Estimate:
        """The value with bounds in which NaN stands for none."""
        low, high = (None, None) if bounds is None or any(map(isnan, bounds)) else bounds
        return cls(value, low, high)


Cell = str | int | float | Estimate | None


class Table(NamedTuple):
    """A table beside the main one: the name of its file, its columns and rows; with a title, the page shows it too."""

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    title: str = ""


class FigureToDraw(NamedTuple):
    """A figure beside the main one: what it shows, and what draws it."""

    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class ExperimentReport:
    """What an experiment measured, and what to say of it.

    `name` is that of the JSON file, the page and the figure. A column of
    estimates is three in table.csv: NAME, NAME_low and NAME_high. `draw` makes
    the figure. `findings` are sentences about the numbers, `notes` about how
    they came about; `signatures` are by what the numbers are of. `others` are
    tables of their own, with CSV files, `figures` by the names of their files.
    `links` are files beside the page that it refers to, by what they are;
    `pages` are more files of HTML to write, by their names. A terminal has no
    room for the intervals of many columns: `prints_intervals` can leave them out.
    Nor has a page room for all columns of a wide table: terminal and page show
    those of `shown_columns`, if there are any. `absent` are the names of tables
    and figures that other runs have: those of an earlier run are removed.
    """

    name: str
    title: str
    question: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    findings: Sequence[str]
    notes: Sequence[str]
    signatures: Mapping[str, str]
    draw: Callable[[], Figure]
    warnings: Sequence[str] = ()
    readings: Sequence[Reading] = ()
    others: Sequence[Table] = ()
    figures: Mapping[str, FigureToDraw] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    prints_intervals: bool = True
    shown_columns: Sequence[str] = ()
    absent: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """The report as JSON holds it."""
        return {
            "experiment": self.name,
            "rows": _json_rows(self.columns, self.rows),
            **{table.name: _json_rows(table.columns, table.rows) for table in self.others},
            "findings": list(self.findings),
            "notes": list(self.notes),
            "warnings": list(self.warnings),
            "signatures": dict(self.signatures),
        }

    def lines(self) -> list[str]:
        """The table and the findings for a terminal."""
        columns, rows = self.shown()
        sides = "".join("<" if isinstance(cell, str) else ">" for cell in rows[0]) if rows else ""
        rows = rows if self.prints_intervals else [[_plain(cell) for cell in row] for row in rows]
        return [*aligned(_text_rows(columns, rows), sides or "<" * len(columns)), "", *self.findings]

    def shown(self) -> tuple[Sequence[str], Sequence[Sequence[Cell]]]:
        """The columns and rows that terminal and page show."""
        if not self.shown_columns:
            return self.columns, self.rows
        places = [list(self.columns).index(name) for name in self.shown_columns]
        return self.shown_columns, [[row[place] for place in places] for row in self.rows]


def write_experiment(report: ExperimentReport, folder: Path) -> list[Path]:
    """Write table.csv, table.md, NAME.json, NAME.html, and the figures as SVG and PNG; their paths."""
    figures = {report.name: report.draw(), **{name: figure.draw() for name, figure in report.figures.items()}}
    drawn = plots.save(figures, folder)
    svg_by_name = {path.stem: path.read_text(encoding="utf8") for path in drawn if path.suffix == ".svg"}
    texts = {
        "table.csv": _csv(report.columns, report.rows),
        **{f"{table.name}.csv": _csv(table.columns, table.rows) for table in report.others},
        "table.md": _markdown(report),
        f"{report.name}.json": json.dumps(report.to_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n",
        f"{report.name}.html": _page(report, svg_by_name).html(),
        **report.pages,
    }
    written = sorted([*drawn, *write_texts(texts, folder)])
    of_others = (folder / f"{name}{suffix}" for name in report.absent for suffix in (".csv", ".svg", ".png"))
    for path in set(of_others).difference(written):
        path.unlink(missing_ok=True)
    return written


def _csv(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    is_estimate = [any(isinstance(row[i], Estimate) for row in rows) for i in range(len(columns))]
    heads = [
        name
        for column, several in zip(columns, is_estimate, strict=True)
        for name in ([column, f"{column}_low", f"{column}_high"] if several else [column])
    ]
    lines = (
        [
            text
            for cell, several in zip(row, is_estimate, strict=True)
            for text in (_csv_estimate(cell) if several else [_csv_cell(cell)])
        ]
        for row in rows
    )
    return csv_text(heads, lines)


def _csv_estimate(cell: Cell) -> list[str]:
    return [
        _csv_cell(number) for number in (cell if isinstance(cell, Estimate) else Estimate.within(float("nan"), None))
    ]


def _csv_cell(cell: Cell) -> str:
    if isinstance(cell, float):
        return "" if isnan(cell) else f"{cell:.6f}"
    return "" if cell is None else str(cell)


def _json_rows(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, map(_json_cell, row), strict=True)) for row in rows]


def _json_cell(cell: Cell) -> Any:
    if isinstance(cell, Estimate):
        return {name: _json_cell(number) for name, number in cell._asdict().items()}
    return None if isinstance(cell, float) and isnan(cell) else cell


def _heads(columns: Sequence[str]) -> list[str]:
    """The names of columns as people read them."""
    return [column.replace("_", " ") for column in columns]


def _text_rows(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    """A table as people read it, with its header."""
    return [_heads(columns), *([_shown(cell) for cell in row] for row in rows)]


def _shown(cell: Cell) -> str:
    if isinstance(cell, Estimate):
        value, remarks = _value_and_interval(cell)
        return " ".join([value, *(f"({remark})" for remark in remarks)])
    if isinstance(cell, float):
        return NOTHING if isnan(cell) else f"{cell:.3f}"
    if isinstance(cell, int):
        return f"{cell:,}"
    return NOTHING if cell is None else cell


def _plain(cell: Cell) -> Cell:
    """A cell without its interval."""
    return cell.value if isinstance(cell, Estimate) else cell


def _value_and_interval(cell: Cell) -> tuple[str, list[str]]:
    """What a cell of the page says, and below it the interval if there is one."""
    if not isinstance(cell, Estimate):
        return _shown(cell), []
    interval = [] if cell.low is None or cell.high is None else [f"{cell.low:.3f} to {cell.high:.3f}"]
    return _shown(cell.value), interval


def _markdown(report: ExperimentReport) -> str:
    lines = [f"# {report.title}", "", report.question]
    lines += _markdown_table(report.columns, report.rows)
    lines += ["", *(f"- {line}" for line in report.findings)]
    for table in report.others:
        lines += _markdown_table(table.columns, table.rows)
    lines += ["", *(f"- {line}" for line in (*_warned(report), *report.notes))]
    lines += ["", *(f"- {name}: `{signature}`" for name, signature in report.signatures.items())]
    return "\n".join(lines) + "\n"


def _markdown_table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[str]:
    header, *texts = _text_rows(columns, rows)
    return ["", _markdown_row(header), "|" + "---|" * len(header), *map(_markdown_row, texts)]


def _markdown_row(cells: Sequence[str]) -> str:
    # A bar in a label would end its cell.
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _warned(report: ExperimentReport) -> Iterator[str]:
    return (f"warning: {warning}" for warning in report.warnings)


def _page(report: ExperimentReport, svg_by_name: Mapping[str, str]) -> ExperimentPage:
    columns, rows = report.shown()
    return ExperimentPage(
        report.title,
        report.question,
        report.notes,
        report.warnings,
        svg_by_name[report.name],
        _heads(columns),
        _page_rows(rows),
        report.findings,
        {name: [signature] for name, signature in report.signatures.items()},
        figures=[(figure.caption, svg_by_name[name]) for name, figure in report.figures.items()],
        links=report.links,
        tables=[
            PageTable(table.title, _heads(table.columns), _page_rows(table.rows))
            for table in report.others
            if table.title
        ],
    )


def _page_rows(rows: Sequence[Sequence[Cell]]) -> list[TableRow]:
    return [TableRow(_shown(row[0]), "", [_value_and_interval(cell) for cell in row[1:]]) for row in rows]
