"""The names of classes in captions, by the classes' domain: Figures 4, 7 and 8 of the nocaps paper.

Which class is in which domain is found by `limner.bench`, and read here from
its table of classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from limner.corpus.classes.class_mentions import ClassMentions
from limner.corpus.classes.class_words import name_terms
from limner.corpus.formats.csv_rows import Table
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown, unknown
from limner.report.pages.page_data import Pieces

DOMAINS = ("in-domain", "near-domain", "out-domain")
# Classes that count for no domain, in the same file.
IGNORED = "ignored"


class DomainWords:
    """Finds the names of classes in captions; of a name that several classes share, the first domain counts."""

    def __init__(self, domain_by_class: Mapping[str, str]) -> None:
        for domain in domain_by_class.values():
            if domain not in DOMAINS:
                raise unknown("domain", domain, DOMAINS)
        self._number = {name: DOMAINS.index(domain) for name, domain in domain_by_class.items()}
        self._mentions = ClassMentions(name_terms(domain_by_class))
        # By number, None for those that no class is in.
        self.names = [domain if domain in domain_by_class.values() else None for domain in DOMAINS]

    def mark(self, text: str, pieces: Pieces) -> list[Any]:
        """The pieces of a caption, cut so that the names of classes are pieces too: [name, box …, {"d": domain}]."""
        marks = [
            (found.start, found.end, min(self._number[name] for name in found.term.classes))
            for found in self._mentions.occurrences(text)
        ]
        marked: list[Any] = []
        reached = 0
        for piece in pieces:
            words, *boxes = [piece] if isinstance(piece, str) else piece
            end = reached + len(str(words))
            is_mention = not isinstance(piece, str)
            for start, stop, domain in _cut(marks, reached, end):
                part: list[Any] = [text[start:stop], *boxes]
                marked.append([*part, {"d": domain}] if domain is not None else part if is_mention else part[0])
            reached = end
        return marked


def read_class_domains(path: Path, reading: Reading) -> DomainWords:
    """The classes of a CSV file with the columns class and domain; those that are ignored are left out."""
    table = Table(path, ("class", "domain"), reading)
    domain_by_class: dict[str, str] = {}
    for location, row in table:
        name, domain = row[table.columns["class"]], row[table.columns["domain"]]
        if domain == IGNORED:
            continue
        if not name or domain not in DOMAINS:
            problem = f"class {shown(name)} is of domain {shown(domain)}"
            fault = BadInput(location, problem, f"name a class and its domain: {', '.join(DOMAINS)} or {IGNORED}")
            reading.skip("class without a domain", fault)
            continue
        domain_by_class[name] = domain
    if not domain_by_class:
        raise BadInput(str(path), "no class has a domain", "write the file with `bench domains`")
    return DomainWords(domain_by_class)


def _cut(marks: list[tuple[int, int, int]], start: int, end: int) -> list[tuple[int, int, int | None]]:
    """The span from start to end in parts: those that are marked, with their domain, and what is between them."""
    parts: list[tuple[int, int, int | None]] = []
    for first, last, domain in marks:
        first, last = max(first, start), min(last, end)
        if first >= last:
            continue
        if first > start:
            parts.append((start, first, None))
        parts.append((first, last, domain))
        start = last
    if start < end:
        parts.append((start, end, None))
    return parts
