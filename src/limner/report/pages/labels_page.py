"""The page of an experiment on labels: a figure, a table, what differs, and the signatures of every number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files

from limner.look.document import plain_page


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
        warnings = "".join(f'<p class="warning"><b>Warning:</b> {_text(text)}.</p>' for text in self.warnings)
        cards = (self._figure(), self._table(), self._differences(), self._notes(), self._signatures())
        body = (
            f'<header class="top"><div><h1>{_text(self.title)}</h1><p class="about">{_text(self.about)}</p>{warnings}'
            f"</div></header>\n<main>\n{''.join(cards)}</main>"
        )
        return plain_page(self.title, body, files(__package__).joinpath("labels.css").read_text(encoding="utf-8"))

    def _figure(self) -> str:
        drawn = self.figure[self.figure.index("<svg") :]
        return f'<section class="card"><div class="drawn">{drawn}</div></section>\n'

    def _table(self) -> str:
        head = "".join(f'<th scope="col">{_text(name)}</th>' for name in ("protocol", *self.columns))
        rows = "".join(
            f'<tr><th scope="row">{_text(row.name)}<small>{_text(row.about)}</small></th>'
            f"{''.join(_cell(*cell) for cell in row.cells)}</tr>\n"
            for row in self.rows
        )
        table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
        return f'<section class="card"><h2>Scores</h2><div class="wide">{table}</div></section>\n'

    def _differences(self) -> str:
        items = "".join(f"<li>{_text(line)}</li>" for line in self.differences)
        return (
            f'<section class="card"><h2>What the labels change</h2><p>{_text(self.comparison)}</p><ul>{items}</ul>'
            "</section>\n"
        )

    def _notes(self) -> str:
        items = "".join(f"<li>{_text(note)}</li>" for note in self.notes)
        return f'<section class="card"><h2>How it was measured</h2><ul>{items}</ul></section>\n'

    def _signatures(self) -> str:
        terms = "".join(
            f"<dt>{_text(row.name)}</dt>"
            + "".join(f"<dd><code>{_text(signature)}</code></dd>" for signature in row.signatures.values())
            for row in self.rows
        )
        about = "Two numbers compare if their signatures are equal."
        return f'<section class="card signatures"><h2>Signatures</h2><p>{about}</p><dl>{terms}</dl></section>\n'


def _cell(value: str, remarks: Sequence[str]) -> str:
    return f"<td>{_text(value)}{''.join(f'<small>{_text(remark)}</small>' for remark in remarks)}</td>"


def _text(words: str) -> str:
    """Words as the text of an element, where quotation marks mean nothing."""
    return escape(words, quote=False)
