"""Files of scores that were computed elsewhere: a head that says how, then a score for each image.

JSON Lines: the first object is the head, every other has an image and a score.
CSV: lines that begin with # are the head, then a header and rows.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from limner.errors import BadInput, one_line, shown
from limner.files import STDIO, read_lines
from limner.score.metric import Choices

Lines = Iterator[tuple[int, str]]

# Characters of a choice that a signature spells out: a longer one, such as a prompt, has a fingerprint instead.
MAX_TEXT = 60

# A signature must stay legible, and a head cannot be made to fill it.
MAX_CHOICES = 50
EXAMPLE = '{"metric": "my_score", "model": "…", "prompt": "…"}'


class Head(NamedTuple):
    """How the scores came about: the metric's name, its choices for the signature, and which way is better."""

    metric: str
    choices: Choices
    higher_is_better: bool = True


class Row(NamedTuple):
    """The score of an image's caption; `caption` is None where the file does not say of which."""

    place: str
    image: str
    score: float
    caption: str | None


def read_head(path: Path) -> Head:
    """What a file of scores says of itself."""
    if path == STDIO:
        raise BadInput("-", "scores cannot come from a pipe", "write them to a file")
    place, fields = (_csv_head if _is_csv(path) else _json_head)(path)
    return _head(place, fields)


def read_scores(path: Path) -> Iterator[Row]:
    """The scores of a file, in its order."""
    return (_csv_rows if _is_csv(path) else _json_rows)(path)


def _is_csv(path: Path) -> bool:
    suffixes = [suffix for suffix in path.suffixes if suffix not in (".gz", ".zst")]
    kind = suffixes[-1] if suffixes else ""
    if kind not in (".csv", ".jsonl"):
        raise BadInput(str(path), "scores are in .csv or .jsonl files", "rename it to what it is")
    return kind == ".csv"


def _head(place: str, fields: Mapping[str, Any]) -> Head:
    metric = fields.get("metric")
    if metric is None:
        raise BadInput(place, "the head does not name the metric", f"begin the file as in {EXAMPLE}")
    if not isinstance(metric, str) or not _NAME.fullmatch(metric):
        raise BadInput(place, f"{shown(metric)} cannot name a metric", "take letters, digits, _ - . and *")
    higher = fields.get("higher_is_better", True)
    if not isinstance(higher, bool):
        raise BadInput(place, f"higher_is_better is {shown(higher)}", "write true or false")
    rest = {name: value for name, value in fields.items() if name not in ("metric", "higher_is_better")}
    if len(rest) > MAX_CHOICES:
        raise BadInput(place, f"the head has {len(rest):,} fields", f"at most {MAX_CHOICES} tell how scores came about")
    return Head(metric, {name: _choice(place, name, value) for name, value in rest.items()}, higher)


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.*-]{0,39}")


def _choice(place: str, name: str, value: object) -> str | int | float:
    """A field of the head as a signature has it: on one line, and never mistaken for another."""
    if not _NAME.fullmatch(name):
        raise BadInput(place, f"{shown(name)} cannot name a field", "take letters, digits, _ - . and *")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float) and abs(value) < 1e300:
        return value
    if not isinstance(value, str):
        raise BadInput(place, f"{name} is {shown(value)}", "give text or a number")
    if len(value) <= MAX_TEXT and value.isprintable() and "|" not in value:
        return value
    return f"sha256={sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _json_head(path: Path) -> tuple[str, dict[str, Any]]:
    for place, record in _records(path):
        return place, record
    raise BadInput(str(path), "the file is empty", f"begin it as in {EXAMPLE}")


def _json_rows(path: Path) -> Iterator[Row]:
    records = _records(path)
    next(records, None)
    for place, record in records:
        for name in ("image", "score"):
            if name not in record:
                raise BadInput(place, f"there is no {name}", 'a line is {"image": "…", "score": …}')
        image, score, caption = record["image"], record["score"], record.get("caption")
        if isinstance(image, int) and not isinstance(image, bool):
            image = str(image)
        if not isinstance(image, str) or not image:
            raise BadInput(place, f"the image is {shown(image)}", "give its id")
        if caption is not None and not isinstance(caption, str):
            raise BadInput(place, f"the caption is {shown(caption)}", "give its text")
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise BadInput(place, f"the score is {shown(score)}", "give a finite number")
        yield Row(place, image, _finite(place, score), caption)


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The object of each line that is not blank."""
    for number, line in read_lines(path):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            record = _decoder.decode(line)
        except json.JSONDecodeError as error:
            raise BadInput(place, f"not JSON: {error.msg} at character {error.pos}", "is the file complete?") from error
        except (ValueError, RecursionError) as error:
            raise BadInput(place, f"not usable JSON: {one_line(str(error), 100)}", "write plain JSON") from error
        if not isinstance(record, dict):
            raise BadInput(place, f"{shown(record)} is no object", 'a line is {"image": "…", "score": …}')
        yield place, record


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs; JSON would let the last of equal names win."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        counted = Counter(name for name, _ in pairs)
        raise ValueError(f"{shown(counted.most_common(1)[0][0])} is there twice")
    return fields


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


_decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)


def _csv_head(path: Path) -> tuple[str, dict[str, Any]]:
    fields: dict[str, Any] = {}
    place = str(path)
    for number, line in read_lines(path):
        place = f"{path}:{number}"
        if not line.startswith("#"):
            break
        name, colon, value = (part.strip() for part in line.lstrip("#").partition(":"))
        if not colon:
            raise BadInput(place, f"{shown(line)} is no field of the head", "write # name: value")
        if name in fields:
            raise BadInput(place, f"{shown(name)} is there twice", "keep one of them")
        fields[name] = {"true": True, "false": False}.get(value, value) if name == "higher_is_better" else value
    if not fields:
        raise BadInput(place, "the head does not name the metric", "begin the file with # metric: my_score")
    return place, fields


def _csv_rows(path: Path) -> Iterator[Row]:
    body = _Body(path)
    header = next(body, [])
    for name in ("image", "score"):
        if header.count(name) != 1:
            raise BadInput(body.place, f"there is no column {name}", "after the head comes image,score")
    image, score = header.index("image"), header.index("score")
    caption = header.index("caption") if "caption" in header else None
    for row in body:
        if len(row) != len(header):
            raise BadInput(body.place, f"the row has {len(row)} values for {len(header)} columns", "check its commas")
        if not row[image]:
            raise BadInput(body.place, "there is no image", "give its id")
        number = _finite(body.place, row[score])
        yield Row(body.place, row[image], number, None if caption is None else row[caption])


class _Body:
    """The rows of a CSV file after its head; `place` is where the last one ends."""

    def __init__(self, path: Path) -> None:
        self.place = str(path)
        self._path = path
        self._before = 0
        self._reader = csv.reader(self._lines(), strict=True)

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        while True:
            try:
                row = next(self._reader)
            except csv.Error as error:
                place = f"{self._path}:{self._before + self._reader.line_num}"
                raise BadInput(place, f"not CSV: {error}", "check its quotes") from error
            self.place = f"{self._path}:{self._before + self._reader.line_num}"
            if row:
                return row

    def _lines(self) -> Iterator[str]:
        in_head = True
        for _, line in read_lines(self._path):
            in_head = in_head and line.startswith("#")
            if in_head:
                self._before += 1
            else:
                yield line + "\n"


def _finite(place: str, value: str | float) -> float:
    try:
        # Python would read 1_000, which no other program does.
        number = float("nan") if isinstance(value, str) and "_" in value else float(value)
    except (ValueError, OverflowError):
        number = float("nan")
    if not isfinite(number):
        raise BadInput(place, f"the score is {shown(value)}", "give a finite number")
    return number
