"""What a written page consists of, as a browser would read it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any


class Parts(HTMLParser):
    """Every element with its attributes, and what stands in scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._within = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")
        self._within = True

    def handle_endtag(self, tag: str) -> None:
        self._within = False

    def handle_data(self, data: str) -> None:
        if self._within:
            self.texts[-1] += data

    def of(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(found[1], text) for found, text in zip(self.elements, self.texts, strict=True) if found[0] == tag]


def data_of(page: Path, id: str = "data") -> Any:
    """The JSON that the page keeps under an id."""
    (text,) = [text for found, text in Parts(page.read_text()).of("script") if found.get("id") == id]
    return json.loads(text)
