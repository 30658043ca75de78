"""Files of judgements: Limner's own, and those of Flickr8k, recognised by their contents.

Limner's own are JSON Lines, a judgement a line, or CSV or TSV with a header;
`docs/judgements.md` has the fields. Flickr8k's have tabs: `ExpertAnnotations.txt` an image, a caption's id
and ratings from 1 to 4; `CrowdFlowerAnnotations.txt` an image, a caption's id,
the share of yes, and the numbers of yes and no. The share alone is enough if
the numbers are not known.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from itertools import chain, islice
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from limner.corpus.reading import Reading, is_encodable
from limner.errors import BadInput, LimnerError, one_line, shown
from limner.files import read_lines, write_bytes
from limner.score.judgement.judgements import CROWD, EXPERT, MAX_COUNT, SHARE, Gathering, Judgement, Judgements, Scale

Kind = Literal["jsonl", "csv", "tsv", "expert", "crowd", "share"]

SORTED = (
    "the ratings of each line are sorted: its columns are not raters, and what is asked of single raters has no answer"
)


def read_judgements(path: Path, reading: Reading | None = None, *, scale: str | None = None) -> Judgements:
    """The judgements of a file; `-` is standard input.

    If the file holds judgements on several scales, `scale` names the wanted
    one. A faulty line raises an error; if `reading` is lenient, it is left out
    and counted there.
    """
    reading = reading or Reading()
    lines = read_lines(path)
    head = list(islice(lines, HEAD))
    kind = _recognised([line for _, line in head])
    if kind is None:
        problem = "unrecognised format of judgements" if head else "the file is empty"
        raise BadInput(str(path), problem, "give JSON Lines, CSV, or Flickr8k's expert or crowd judgements")
    source = _Source(path, chain(head, lines), reading)
    if kind == "jsonl":
        return source.records(_DECODER.decode, scale)
    if kind in DELIMITERS:
        return source.table(DELIMITERS[kind], scale)
    form = FORMS[kind]
    if scale not in (None, form.scale.name):
        raise BadInput(str(path), f"there is no judgement on the scale {shown(scale)}", f"it is {form.scale.name}")
    return source.flickr8k(form)


def write_judgements(judgements: Judgements, path: Path) -> int:
    """Write judgements in Limner's own format, a line each, and return their number; an existing file is replaced."""
    encode = msgspec.json.Encoder().encode
    scale = judgements.scale
    with write_bytes(path) as handle:
        for judgement in judgements:
            names = judgement.image, judgement.caption, judgement.rater or "", judgement.system or ""
            if not all(map(is_encodable, names)):
                raise LimnerError(f"image {shown(judgement.image)}: half a surrogate pair; repair its text")
            line = _Line(
                judgement.image,
                judgement.caption,
                scale.name,
                scale.answer(judgement.value),
                judgement.rater,
                judgement.count,
                judgement.system,
            )
            handle.write(encode(line) + b"\n")
    return len(judgements)


# The first valid line among so many decides the format.
HEAD = 100


def _recognised(lines: Iterable[str]) -> Kind | None:
    """The kind of the first line that is of any kind. No line can be of two."""
    is_header = True
    for line in lines:
        if line.lstrip().startswith("{"):
            return "jsonl"
        for kind, delimiter in DELIMITERS.items():
            # A header comes first, or it is none.
            if is_header and set(_cells(line, delimiter)) >= HEADER:
                return kind
        is_header = is_header and not line.strip()
        for kind, form in FORMS.items():
            try:
                form.parse(line.split("\t"))
            except ValueError:
                continue
            return kind
    return None


class _Line(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A line of Limner's own format."""

    image: str
    caption: str
    scale: str
    value: int | float | str | None
    rater: str | None = None
    count: int = 1
    system: str | None = None


# What separates the columns of a file with a header, and the columns by which it is recognised.
DELIMITERS: dict[Kind, str] = {"csv": ",", "tsv": "\t"}
HEADER = {"image", "caption", "value"}


class _Form(NamedTuple):
    """One of Flickr8k's kinds of lines: `parse` returns the judgements of its cells, or raises ValueError."""

    scale: Scale
    parse: Callable[[list[str]], list[Judgement]]


class _Source(NamedTuple):
    """A file's numbered lines, and the reading that decides about faulty ones."""

    path: Path
    lines: Iterable[tuple[int, str]]
    reading: Reading

    def table(self, delimiter: str, wanted: str | None) -> Judgements:
        """The judgements of a file with a header, whose columns are the fields of Limner's own format."""
        lines = self._filled()
        number, line = next(lines)
        header = _cells(line, delimiter)
        fields = _Line.__struct_fields__
        for column in ("scale", *header):
            n = header.count(column)
            if column not in fields or n != 1:
                problem = f"{n} columns {shown(column)}" if column in fields else f"unknown column {shown(column)}"
                raise BadInput(f"{self.path}:{number}", problem, f"the columns are {', '.join(fields)}, each once")
        return self._replace(lines=lines).records(lambda line: _row(header, _cells(line, delimiter)), wanted)

    def records(self, decode: Callable[[str], _Line], wanted: str | None) -> Judgements:
        """The judgements of Limner's own format, on the wanted scale (default: the only one)."""
        gathering = Gathering()
        scales: dict[str, Scale] = {}
        met: str | None = wanted
        for number, line in self._filled():
            location = f"{self.path}:{number}"
            try:
                record = decode(line)
                scale = scales.get(record.scale) or Scale.named(record.scale)
                scales[scale.name] = scale
                if record.value is None:
                    self.reading.warn("judgement without a value", location)
                    continue
                value = scale.value(record.value)
                judgement = Judgement(
                    record.image, record.caption, value, record.rater, record.count, record.system or None
                )
                # The first scale of the file is taken if none is named; any other is then an error below.
                if scale.name == (met := met or scale.name):
                    gathering.add(judgement, number)
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                self.reading.skip("invalid judgement", _explained(error, location))
                continue
            if wanted is None and scale.name != met:
                problem = f"a judgement is on the scale {shown(scale.name)}, those before on {shown(met)}"
                raise BadInput(location, problem, "name the scale that is wanted", code="several-scales")
        if met is None or met not in scales:
            hint = f"choose from: {', '.join(scales)}" if scales else "is it the right file?"
            raise BadInput(str(self.path), f"there is no judgement{f' on {shown(met)}' if met else ''}", hint)
        return gathering.judgements(scales[met], str(self.path), self.reading)

    def flickr8k(self, form: _Form) -> Judgements:
        """The judgements of one of Flickr8k's files."""
        gathering = Gathering()
        is_sorted = form.scale is EXPERT
        for number, line in self._filled():
            try:
                judgements = form.parse(line.split("\t"))
                for judgement in judgements:
                    gathering.add(judgement, number)
            except ValueError as error:
                fault = BadInput(f"{self.path}:{number}", str(error), "correct it, or leave faulty lines out (lenient)")
                self.reading.skip("invalid judgement", fault)
                continue
            values = [judgement.value for judgement in judgements]
            is_sorted = is_sorted and values == sorted(values)
        return gathering.judgements(form.scale, str(self.path), self.reading, (SORTED,) if is_sorted else ())

    def _filled(self) -> Iterator[tuple[int, str]]:
        return ((number, line) for number, line in self.lines if line.strip())


_DECODER = msgspec.json.Decoder(_Line)


def _cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line. One line is one judgement: a cell cannot hold a line break."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _row(header: list[str], cells: list[str]) -> _Line:
    """The record of a row; raises ValueError if it is not one. An empty cell is the field's default."""
    if len(cells) != len(header):
        raise ValueError(f"the row has {len(cells)} values for {len(header)} columns; check its quotes")
    fields = dict(zip(header, cells, strict=True))
    scale, value = fields["scale"], fields["value"]
    if not fields["image"] or not fields["caption"]:
        raise ValueError("the image or the caption is empty")
    return _Line(
        fields["image"],
        fields["caption"],
        scale,
        (value if "/" in scale else _number(value)) if value else None,
        fields.get("rater") or None,
        _count(fields.get("count") or "1"),
        fields.get("system") or None,
    )


def _number(cell: str) -> float:
    try:
        # Python would read 1_000, which no other program does.
        return float("nan" if "_" in cell else cell)
    except ValueError:
        raise ValueError(f"invalid value {shown(cell)} (expected a number)") from None


def _expert(cells: list[str]) -> list[Judgement]:
    """Ratings in two columns or more; an empty cell is a missing rating."""
    image, caption = _pair(cells, "two ratings or more", len(cells) >= 4)
    for cell in cells[2:]:
        if cell not in ("", "1", "2", "3", "4"):
            raise ValueError(f"invalid rating {shown(cell)} (expected 1 to 4)")
    return [Judgement(image, caption, float(cell)) for cell in cells[2:] if cell]


def _crowd(cells: list[str]) -> list[Judgement]:
    image, caption = _pair(cells, "the share of yes and the numbers of yes and no", len(cells) == 5)
    yes, no = (_count(cell) for cell in cells[3:])
    share = _share(cells[2])
    # Shares are printed with few digits.
    if yes + no == 0 or abs(share - yes / (yes + no)) > 0.005:
        raise ValueError(f"the share {shown(cells[2])} is not that of {yes} yes and {no} no")
    return [Judgement(image, caption, value, None, count) for value, count in ((1.0, yes), (0.0, no)) if count]


def _shared(cells: list[str]) -> list[Judgement]:
    image, caption = _pair(cells, "the share of yes", len(cells) == 3)
    return [Judgement(image, caption, _share(cells[2]))]


FORMS: dict[Kind, _Form] = {
    "expert": _Form(EXPERT, _expert),
    "crowd": _Form(CROWD, _crowd),
    "share": _Form(SHARE, _shared),
}


def _pair(cells: list[str], what: str, is_sound: bool) -> tuple[str, str]:
    if not is_sound or not cells[0] or not cells[1]:
        raise ValueError(
            f"{len(cells)} columns where there should be an image, a caption's id, {what}, with tabs between"
        )
    return cells[0], cells[1]


def _share(cell: str) -> float:
    try:
        return SHARE.value(float(cell))
    except ValueError:
        raise ValueError(f"invalid share {shown(cell)} (expected 0 to 1)") from None


def _count(cell: str) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) < 10 and int(cell) <= MAX_COUNT):
        raise ValueError(f"invalid number {shown(cell)} (expected 0 to {MAX_COUNT:,})")
    return int(cell)


def _explained(error: Exception, location: str) -> BadInput:
    if isinstance(error, RecursionError):
        return BadInput(location, "the JSON is nested too deeply", "write plain records")
    message = str(error)
    close = get_close_matches(message.split("`")[1], _Line.__struct_fields__, n=1) if "unknown field" in message else []
    hint = f"did you mean {close[0]!r}?" if close else "a judgement is like " + EXAMPLE
    return BadInput(location, one_line(message, 200), hint)


EXAMPLE = '{"image":"1.jpg","caption":"A dog .","scale":"1-4","value":3,"rater":"anna"}'
