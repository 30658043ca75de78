"""The page of an experiment on labels: protocols are the rows of its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from limner.report.pages.experiment_page import ExperimentPage, TableRow


@dataclass(frozen=True, slots=True)
class ProtocolRow:
    """A row of the table: a protocol, what it is, and for each column a value with what is said below it."""

    name: str
    about: str
    cells: Sequence[tuple[str, Sequence[str]]]
    signatures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelsPage:
    """What the page says; `figure` is SVG, `columns` are the heads of the table, `differences` sentences."""

    title: str
    about: str
    notes: Sequence[str]
    warnings: Sequence[str]
    figure: str
    columns: Sequence[str]
    rows: Sequence[ProtocolRow]
    comparison: str
    differences: Sequence[str]

    def html(self) -> str:
        """The page as one file."""
        return ExperimentPage(
            self.title,
            self.about,
            self.notes,
            self.warnings,
            self.figure,
            ["protocol", *self.columns],
            [TableRow(row.name, row.about, row.cells) for row in self.rows],
            self.differences,
            {row.name: list(row.signatures.values()) for row in self.rows},
            "What the labels change",
            self.comparison,
        ).html()
