"""The file that every model's outputs come in: JSON Lines, an output a line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from limner.corpus.box import Box
from limner.corpus.caption import Mention
from limner.corpus.formats import asked_captions
from limner.corpus.formats.asked_captions import AskedCaption, CaptionsSoFar
from limner.corpus.formats.format import Codec, Head
from limner.corpus.formats.grounded_text.grounding import Grounding
from limner.corpus.formats.records import Record
from limner.corpus.image import Image
from limner.corpus.json_stream import json_lines
from limner.corpus.json_stream import parse as parse_json
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown
from limner.lazy import lazy, load_object

if TYPE_CHECKING:
    from limner.corpus import picture_files
else:
    picture_files = lazy("limner.corpus.picture_files")

# Characters an output may have before it is taken for no model's.
MAX_TEXT = 1_000_000

FIELDS = ("image_id", "width", "height", "text", "file_name", "source", *asked_captions.FIELDS)


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


# Parses an output's text and adds what it says to the grounding.
Parse = Callable[[Output, Grounding], None]


class _Model:
    """The files of one model's outputs.

    `marks` tell its syntax; `path` is the function that parses it, imported
    when it is needed; `fields` are what a line may have beside `FIELDS`.
    """

    def __init__(self, name: str, marks: str, path: str, fields: tuple[str, ...] = ()) -> None:
        self.marks = re.compile(marks)
        self._name = name
        self._path = path
        self._known = frozenset(FIELDS + fields)

    def codec(self) -> Codec:
        return Codec(
            lambda head: syntax_of(head) == self._name, self.read, read_together=self.read_together, streams=True
        )

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
        for location, line in json_lines(path, "it has an output a line", waits=True):
            try:
                value = parse_json(line, location)
                output = self._output(Record(value, location), path)
            except BadInput as error:
                reading.skip("invalid line", error)
                continue
            for name in [name for name in value if name not in self._known]:
                reading.warn("field that is not read", f"{location}: {shown(name)}")
            if reading.wants(output.image_id):
                yield output

    def _output(self, record: Record, path: Path) -> Output:
        text = record.text("text")
        if len(text) > MAX_TEXT:
            raise BadInput(record.place, f"the text has {len(text)} characters", "is this one output?")
        id, file = record.id("image_id"), record.text("file_name", "")
        size = record.size() or _picture_size(path, file, record.place)
        system = record.text("source", self._name).removeprefix("system:") or self._name
        return Output(record.place, id, size, text, file, f"system:{system}", record)

    def _image(self, outputs: Sequence[Output], reading: Reading) -> Iterator[Image]:
        first = outputs[0]
        boxes: list[Box] = []
        captions = CaptionsSoFar(reading)
        for output in outputs:
            try:
                self._add_caption(output, first, captions, boxes, reading)
            except BadInput as error:
                reading.skip("output that cannot be read", error)
        image = reading.image(
            first.place,
            first.image_id,
            first.size,
            boxes=boxes,
            captions=captions.finish(),
            file=next((output.file for output in outputs if output.file), ""),
            provenance={"boxes": self._name} if boxes else None,
        )
        if image is not None:
            yield image

    def _add_caption(
        self, output: Output, first: Output, captions: CaptionsSoFar, boxes: list[Box], reading: Reading
    ) -> None:
        """Add the output as a caption, or to the one that it is of; its boxes join those of the image, numbered on."""
        if output.size != first.size:
            problem = f"the image measures {_by(output.size)} here and {_by(first.size)} at {first.place}"
            raise BadInput(output.place, problem, "give each picture its own image_id")
        asked = AskedCaption.of(output.record)
        grounding = Grounding(*output.size)
        # One model's parser is needed in a run, and the first line loads it.
        parse: Parse = load_object(self._path)
        parse(output, grounding)
        for what, piece in grounding.oddities:
            reading.warn(what, f"{output.place}: {shown(piece)}")
        numbered = len(boxes)
        for position, (corners, label) in enumerate(grounding.boxes):
            box = reading.box(output.place, str(numbered + position), corners, output.size, label=label)
            if box is not None:
                boxes.append(box)

        def ids(positions: Iterable[int]) -> tuple[str, ...]:
            return tuple(str(numbered + position) for position in positions)

        if asked is None:
            mentions = [Mention(start, end, ids(positions)) for start, end, positions in grounding.spans]
            captions.add(output.place, grounding.text, mentions, output.source)
        elif asked.span is not None:
            # Whatever words the model wrote, the boxes are of the phrase that was asked for.
            captions.add_answer(
                output.place, asked, [Mention(*asked.span, ids(range(len(grounding.boxes))))], output.source
            )
        else:
            phrases = [grounding.text[span.start : span.end] for span in grounding.spans]
            spans = zip(asked.locate(phrases, output.place, reading), grounding.spans, strict=True)
            mentions = [Mention(*at, ids(span.boxes)) for at, span in spans if at is not None]
            captions.add_answer(output.place, asked, mentions, output.source)


def _by(size: tuple[int, int]) -> str:
    return f"{size[0]} by {size[1]}"


def _picture_size(outputs: Path, file_name: str, location: str) -> tuple[int, int]:
    """Width and height of the picture that a line names, which lies beside the file of outputs or below it."""
    remedy = 'give "width" and "height", or a "file_name" that is beside the file of outputs'
    if not file_name:
        raise BadInput(location, "the image's size is not given", remedy)
    if not picture_files.is_inside(file_name):
        raise BadInput(location, f"the picture {shown(file_name)} is outside the folder of the outputs", remedy)
    path = outputs.parent / file_name
    if picture_files.is_link_out(path, outputs.parent):
        problem = f"the picture {shown(file_name)} is a link out of the folder of the outputs"
        raise BadInput(location, problem, f"{remedy}; {picture_files.COPY_FILES}")
    if not picture_files.is_file_within(path, outputs.parent):
        raise BadInput(location, f"the image's size is not given and there is no picture {shown(file_name)}", remedy)
    try:
        width, height = picture_files.picture_size(path)
    except BadInput as error:
        raise BadInput(location, f"the picture {shown(file_name)} cannot be read", remedy) from error
    if width < 1 or height < 1:
        raise BadInput(location, f"the picture {shown(file_name)} measures {width} by {height}", remedy)
    return width, height


def syntax_of(head: Head) -> str | None:
    """The format whose marks come first in the file's outputs, or None where there are none.

    An output without marks is plain text and tells nothing, so the lines after
    it are asked, as far as the first look reaches.
    """
    if head.is_folder or not head.text.lstrip().startswith("{"):
        return None
    for line in head.text.split("\n"):
        marks = [(match.start(), name) for name, model in _MODELS.items() if (match := model.marks.search(_text(line)))]
        if marks:
            return min(marks)[1]
    return None


def _text(line: str) -> str:
    """The output on a line, "" if the line is not one."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(record, dict) or "image_id" not in record or "limner" in record:
        return ""
    text = record.get("text")
    return text if isinstance(text, str) else ""


_HOME = "limner.corpus.formats.grounded_text"
# The marks of one model may be found in another's prose; whichever comes first in the output decides.
_MODELS = {
    "kosmos-2": _Model("kosmos-2", r"<grounding>|<phrase>|<patch_index_[0-9]{4}>", f"{_HOME}.kosmos_2:parse"),
    "florence-2": _Model("florence-2", r"<loc_[0-9]+>", f"{_HOME}.florence_2:parse", ("task",)),
    "paligemma": _Model("paligemma", r"<loc[0-9]{4}>", f"{_HOME}.paligemma:parse"),
    "qwen-vl": _Model(
        "qwen-vl",
        r'<ref>|<box>|<\|object_ref_start\|>|<\|box_start\|>|"bbox_2d"',
        f"{_HOME}.qwen_vl:parse",
        ("resized_width", "resized_height", "coordinates"),
    ),
    "box-2d": _Model("box-2d", r'"box_2d"', f"{_HOME}.json_boxes:parse_box_2d"),
}
KOSMOS_2, FLORENCE_2, PALIGEMMA, QWEN_VL, BOX_2D = (model.codec() for model in _MODELS.values())
