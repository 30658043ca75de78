"""The file that every model's outputs come in: JSON Lines, an output a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from limner.corpus.box import Box
from limner.corpus.caption import Caption, Mention
from limner.corpus.formats.format import Format
from limner.corpus.formats.grounded_text.grounding import Grounding
from limner.corpus.formats.grounded_text.pictures import picture_size
from limner.corpus.formats.grounded_text.syntax import syntax_of
from limner.corpus.formats.records import Record
from limner.corpus.image import Image
from limner.corpus.json_stream import parse as parse_json
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown
from limner.files import read_lines

MAX_TEXT = 1_000_000
"""Characters an output may have before it is taken for no model's."""

FIELDS = ("image_id", "width", "height", "text", "file_name", "source")


@dataclass(frozen=True)
class Output:
    """A line of the file: what a system wrote about an image."""

    place: str
    image_id: str
    size: tuple[int, int]
    text: str
    file: str
    source: str
    record: Record


Parse = Callable[[Output, Grounding], None]
"""Takes an output's text apart, telling the grounding what it finds."""


def grounded_format(name: str, title: str, parse: Parse, *, more: tuple[str, ...] = ()) -> Format:
    """The format of a model, from how its text is parsed and what more its lines may say."""
    container = _Container(name, parse, frozenset(FIELDS + more))
    return Format(
        name=name,
        title=title,
        recognise=lambda head: syntax_of(head) == name,
        read=container.read,
        read_together=container.read_together,
    )


class _Container:
    """The reader of a model's files; `known` are the fields that a line may have."""

    def __init__(self, name: str, parse: Parse, known: frozenset[str]) -> None:
        self._name = name
        self._parse = parse
        self._known = known

    def read(self, path: Path, reading: Reading) -> Iterator[Image]:
        """The images of one file, streaming: the lines of an image must stand together."""
        done: set[str] = set()
        for id, outputs in groupby(self._outputs(path, reading), key=lambda output: output.image_id):
            together = list(outputs)
            if id in done:
                problem = f"image {shown(id)} had its lines before"
                remedy = "put the lines of an image together: sort them by image_id"
                reading.skip("lines of an image that was there before", BadInput(together[0].place, problem, remedy))
                continue
            done.add(id)
            yield from self._image(together, reading)

    def read_together(self, paths: Sequence[Path], reading: Reading) -> Iterator[Image]:
        """The images of several files, whose outputs are held in memory: those of one image become one."""
        by_image: dict[str, list[Output]] = {}
        for path in paths:
            for output in self._outputs(path, reading):
                by_image.setdefault(output.image_id, []).append(output)
        for outputs in by_image.values():
            yield from self._image(outputs, reading)

    def _outputs(self, path: Path, reading: Reading) -> Iterator[Output]:
        number = 0
        for number, line in read_lines(path):
            if not line.strip():
                continue
            place = f"{path}:{number}"
            try:
                value = parse_json(line, place)
                output = self._output(Record(value, place), path)
            except BadInput as error:
                reading.skip("line that is no output", error)
                continue
            for name in [name for name in value if name not in self._known]:
                reading.warn("field that is not read", f"{place}: {shown(name)}")
            if reading.wants(output.image_id):
                yield output
        if number == 0:
            raise BadInput(str(path), "the file is empty", "it has an output a line")

    def _output(self, record: Record, path: Path) -> Output:
        text = record.text("text")
        if len(text) > MAX_TEXT:
            raise BadInput(record.place, f"the text has {len(text)} characters", "is this one output?")
        id, file = record.id("image_id"), record.text("file_name", "")
        size = record.size() or picture_size(path, file, record.place)
        system = record.text("source", self._name).removeprefix("system:") or self._name
        return Output(record.place, id, size, text, file, f"system:{system}", record)

    def _image(self, outputs: Sequence[Output], reading: Reading) -> Iterator[Image]:
        first = outputs[0]
        boxes: list[Box] = []
        captions: list[Caption | None] = []
        for output in outputs:
            try:
                captions.append(self._caption(output, first, str(len(captions)), boxes, reading))
            except BadInput as error:
                reading.skip("output that cannot be read", error)
        image = reading.image(
            first.place,
            first.image_id,
            first.size,
            boxes=boxes,
            captions=captions,
            file=next((output.file for output in outputs if output.file), ""),
            provenance={"boxes": self._name} if boxes else None,
        )
        if image is not None:
            yield image

    def _caption(self, output: Output, first: Output, id: str, boxes: list[Box], reading: Reading) -> Caption | None:
        """The output as a caption; its boxes join those of the image, numbered on."""
        if output.size != first.size:
            problem = f"the image measures {_by(output.size)} here and {_by(first.size)} at {first.place}"
            raise BadInput(output.place, problem, "give each picture its own image_id")
        grounding = Grounding(*output.size)
        self._parse(output, grounding)
        for what, piece in grounding.oddities:
            reading.warn(what, f"{output.place}: {shown(piece)}")
        numbered = len(boxes)
        for position, (corners, label) in enumerate(grounding.boxes):
            box = reading.box(output.place, str(numbered + position), corners, output.size, label=label)
            if box is not None:
                boxes.append(box)
        mentions = [
            Mention(start, end, tuple(str(numbered + position) for position in positions))
            for start, end, positions in grounding.spans
        ]
        return reading.caption(output.place, id, grounding.text, mentions, output.source)


def _by(size: tuple[int, int]) -> str:
    return f"{size[0]} by {size[1]}"
