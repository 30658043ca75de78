"""Why a localiser chose its boxes, cue by cue, as a file tells it.

JSON Lines, an answer a line:

    {"image": "7", "caption": "0", "start": 0, "end": 5, "cues": {"cca": 0.41, "size": 0.2}}

`caption` is its id; a cue that is null abstained.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from limner.corpus.formats.records import Record
from limner.corpus.json_stream import json_lines, parse
from limner.corpus.reading import Reading
from limner.errors import BadInput

# A phrase by the ids of its image and caption and its span.
PhraseKey = tuple[str, str, int, int]

Explanations = Mapping[PhraseKey, Mapping[str, float]]

# More cues than any localiser has.
MAX_CUES = 50


def read_explanations(path: Path, reading: Reading) -> Explanations:
    """What each cue said for an answer, by its phrase."""
    by_phrase: dict[PhraseKey, Mapping[str, float]] = {}
    for location, line in json_lines(path, "it has an answer a line"):
        try:
            record = Record(parse(line, location), location)
            key = record.id("image"), record.id("caption"), _whole(record, "start"), _whole(record, "end")
            by_phrase[key] = _cues(record)
        except BadInput as error:
            reading.skip("faulty explanation", error)
    return by_phrase


def _cues(record: Record) -> dict[str, float]:
    cues: Any = record.fields.get("cues")
    if not isinstance(cues, dict) or len(cues) > MAX_CUES:
        raise record.fault("cues", f"an object of at most {MAX_CUES} numbers")
    numbers = Record(cues, f"{record.place}: cues")
    return {name: numbers.number(name) for name in cues if name in numbers}


def _whole(record: Record, name: str) -> int:
    value = record.fields.get(name)
    if type(value) is not int:
        raise record.fault(name, "a whole number of characters")
    return value
