"""The page of an experiment: a figure, a table, what was found, and the signatures of every number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import NamedTuple

from limner.look.document import plain_page

# Columns of a table that fit a page's usual width.
MANY = 9


class TableRow(NamedTuple):
    """A row of the table: what it is of, a remark on that, and for each column a value with what is said below it."""

    head: str
    about: str
    cells: Sequence[tuple[str, Sequence[str]]]


class PageTable(NamedTuple):
    """A table beside the main one: its title, the heads of its columns, and its rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[TableRow]


@dataclass(frozen=True, slots=True)
class ExperimentPage:
    """What the page says; `figure` is SVG, `columns` are the heads of the table, `findings` sentences.

    `signatures` are those of the numbers, by what the numbers are of. `figures` are more of them, each after what
    it shows; `links` are addresses by what is there. `tables` are shown after the findings.
    """

    title: str
    about: str
    notes: Sequence[str]
    warnings: Sequence[str]
    figure: str
    columns: Sequence[str]
    rows: Sequence[TableRow]
    findings: Sequence[str]
    signatures: Mapping[str, Sequence[str]]
    findings_title: str = "What was found"
    findings_about: str = ""
    figures: Sequence[tuple[str, str]] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    tables: Sequence[PageTable] = ()

    def html(self) -> str:
        """The page as one file."""
        warnings = "".join(f'<p class="warning"><b>Warning:</b> {_text(text)}.</p>' for text in self.warnings)
        more = (_drawn(svg, caption) for caption, svg in self.figures)
        scores = _table(PageTable("Scores", self.columns, self.rows))
        tables = map(_table, self.tables)
        cards = (_drawn(self.figure), scores, self._findings(), *tables, *more, self._notes(), self._signatures())
        width = "many" if len(self.columns) > MANY else "few"
        body = (
            f'<header class="top"><div><h1>{_text(self.title)}</h1><p class="about">{_text(self.about)}</p>'
            f"{self._links()}{warnings}"
            f'</div></header>\n<main class="{width}">\n{"".join(cards)}</main>'
        )
        return plain_page(self.title, body, files(__package__).joinpath("experiment.css").read_text(encoding="utf-8"))

    def _links(self) -> str:
        items = (f'<a href="{escape(address)}">{_text(name)}</a>' for name, address in self.links.items())
        return f'<p class="links">{" · ".join(items)}</p>' if self.links else ""

    def _findings(self) -> str:
        about = f"<p>{_text(self.findings_about)}</p>" if self.findings_about else ""
        items = "".join(f"<li>{_text(line)}</li>" for line in self.findings)
        return f'<section class="card"><h2>{_text(self.findings_title)}</h2>{about}<ul>{items}</ul></section>\n'

    def _notes(self) -> str:
        items = "".join(f"<li>{_text(note)}</li>" for note in self.notes)
        return f'<section class="card"><h2>How it was measured</h2><ul>{items}</ul></section>\n'

    def _signatures(self) -> str:
        terms = "".join(
            f"<dt>{_text(name)}</dt>" + "".join(f"<dd><code>{_text(signature)}</code></dd>" for signature in signatures)
            for name, signatures in self.signatures.items()
        )
        about = "Numbers can be compared if their signatures differ in the system alone."
        return f'<section class="card signatures"><h2>Signatures</h2><p>{about}</p><dl>{terms}</dl></section>\n'


def _table(table: PageTable) -> str:
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in table.columns)
    rows = "".join(
        f'<tr><th scope="row">{_text(row.head)}{_remarks([row.about] if row.about else [])}</th>'
        f"{''.join(_cell(*cell) for cell in row.cells)}</tr>\n"
        for row in table.rows
    )
    drawn = f"<table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
    return f'<section class="card"><h2>{_text(table.title)}</h2><div class="wide">{drawn}</div></section>\n'


def _drawn(svg: str, caption: str = "") -> str:
    head = f"<h2>{_text(caption)}</h2>" if caption else ""
    return f'<section class="card">{head}<div class="drawn">{svg[svg.index("<svg") :]}</div></section>\n'


def _cell(value: str, remarks: Sequence[str]) -> str:
    return f"<td>{_text(value)}{_remarks(remarks)}</td>"


def _remarks(remarks: Sequence[str]) -> str:
    return "".join(f"<small>{_text(remark)}</small>" for remark in remarks)


def _text(words: str) -> str:
    """Words as the text of an element, where quotation marks mean nothing."""
    return escape(words, quote=False)
