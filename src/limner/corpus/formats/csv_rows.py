"""CSV that is not trusted, row by row."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from limner.corpus.reading import Reading
from limner.corpus.text_lines import text_lines
from limner.errors import BadInput, shown


def rows(path: Path, reading: Reading) -> Iterator[tuple[str, list[str]]]:
    """Each row with its place, `file:line`; empty lines are passed over.

    Where bytes are no text, the lenient keep the rows before them. A file
    that begins so is refused in any case.
    """
    # csv counts lines and joins quoted ones by their ends, which text_lines has taken off.
    reader = csv.reader(line + "\n" for _, line in text_lines(path))
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            location = f"{path}:{reader.line_num}"
            reading.skip("invalid line of CSV", BadInput(location, f"not CSV: {error}", "check its quotes"))
            continue
        except BadInput as error:
            # Nothing was read: the file as a whole is not text.
            if not reader.line_num:
                raise
            reading.skip("rest of a file that breaks off", error)
            return
        if row:
            yield f"{path}:{reader.line_num}", row


class Table:
    """The rows of a CSV file under a header, their columns by name."""

    def __init__(self, path: Path, required: Sequence[str], reading: Reading) -> None:
        self._rows = rows(path, reading)
        self._reading = reading
        location, header = next(self._rows, (str(path), []))
        if not header:
            raise BadInput(location, "the file is empty", "is the download complete?")
        self._n = len(header)
        self.columns = {name.strip(): i for i, name in enumerate(header)}
        for name in required:
            if name not in self.columns:
                raise BadInput(location, f"there is no column {name}; there is {shown(', '.join(header))}", "add it")

    def __iter__(self) -> Iterator[tuple[str, list[str]]]:
        """Each row that has a value for every column, with its place."""
        for location, row in self._rows:
            if len(row) >= self._n:
                yield location, row
            else:
                problem = f"the row has {len(row)} values for {self._n} columns"
                self._reading.skip("row that is too short", BadInput(location, problem, "is the file complete?"))
