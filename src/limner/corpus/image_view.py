"""How images and corpora show themselves in a notebook.

A picture with its boxes is inline SVG, below it are the captions, whose
mentions have the colours of their boxes. Everything that comes from a file is
escaped, and nothing is fetched.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path

from limner.corpus import picture_files
from limner.corpus.caption import Caption, Mention
from limner.corpus.image import Image, ImageLabel
from limner.errors import BadInput, LimnerError, one_line
from limner.look.notebook import FRAME_SIDE, Piece, Rectangle, html_block, html_table, html_text, svg_frame
from limner.look.palette import numbered_colour

# What a notebook shows of a corpus and of an image: a glance, not a browser.
MAX_IMAGES = 10
MAX_BOXES = 60
MAX_CAPTIONS = 20
MAX_CANDIDATES = 5
MAX_CHARACTERS = 80
MAX_PATH = 300

# Screens have up to two pixels for each CSS pixel.
PICTURE_SIDE = 2 * FRAME_SIDE


def image_html(image: Image, folder: str | Path | None = None) -> str:
    """The picture with its boxes, and the captions with their mentions in the boxes' colours.

    A mention of several boxes has a line of as many colours, and the pointer over
    it shows its origin, probability and candidates.

    The picture is looked for in `folder` (default: the working directory) and
    only there; without it the boxes are drawn in an empty frame. A link that
    leads out of the folder is not followed, and a line below the frame says so.
    """
    colours = {box.id: numbered_colour(position) for position, box in enumerate(image.boxes)}
    parts = _frame(image, colours, Path(folder or ""))
    parts += [html_text(_pieces(caption, colours)) for caption in image.captions[:MAX_CAPTIONS]]
    if len(image.captions) > MAX_CAPTIONS:
        parts.append(f"and {len(image.captions) - MAX_CAPTIONS:,} more captions")
    if image.labels:
        parts.append(html_text([Piece(", ".join(map(_label, image.labels[:MAX_BOXES])))]))
    return html_block(f"image {image.id}", *filter(None, parts))


def corpus_html(name: str, images: Iterable[Image]) -> str:
    """A table of a corpus' first images; what is wrong with one that cannot be read is said below."""
    rows: list[tuple[object, ...]] = []
    fault = ""
    try:
        for image in islice(images, MAX_IMAGES):
            size = "" if image.width is None else f"{image.width}×{image.height}"
            text = image.captions[0].text if image.captions else ""
            rows.append((image.id, size, len(image.boxes), len(image.captions), _cut(text)))
    except LimnerError as error:
        fault = str(error)
    title = f"{name}, first {len(rows)} images" if len(rows) == MAX_IMAGES else name
    table = html_table(["image", "size", "boxes", "captions", "first caption"], rows, align="<>>><", caption=title)
    return html_block("", table, html_text([Piece(fault)])) if fault else table


def _frame(image: Image, colours: dict[str, str], folder: Path) -> list[str]:
    """The picture with its boxes and, if it is a link out of the folder, why it is not shown; [] without a size."""
    boxes = image.boxes[:MAX_BOXES]
    width = image.width or max((box.x1 for box in boxes), default=0)
    height = image.height or max((box.y1 for box in boxes), default=0)
    if width <= 0 or height <= 0:
        return []
    rectangles = [Rectangle(*box.corners, _cut(box.label), colours[box.id]) for box in boxes]
    path, link = picture_files.find_picture(folder, image)
    frame = svg_frame(width, height, rectangles, picture="" if path is None else _picture(path))
    if link is None:
        return [frame]
    note = f"{one_line(str(link), MAX_PATH)}: the picture is not shown; {picture_files.COPY_FILES}"
    return [frame, html_text([Piece(note)])]


def _picture(path: Path) -> str:
    """The picture as a small data URI, "" where it cannot be read."""
    buffer = BytesIO()
    try:
        with picture_files.open_picture(path) as picture:
            picture_files.check_scans(picture)
            picture.thumbnail((PICTURE_SIDE, PICTURE_SIDE))
            picture.convert("RGB").save(buffer, "JPEG")
    except (BadInput, *picture_files.FAULTS):
        return ""
    return "data:image/jpeg;base64," + b64encode(buffer.getvalue()).decode("ascii")


def _pieces(caption: Caption, colours: dict[str, str]) -> Iterator[Piece]:
    """The text in pieces, a mention with the colours of its boxes."""
    reached = 0
    for mention in caption.mentions:
        yield Piece(caption.text[reached : mention.start])
        mentioned = tuple(colours[box] for box in mention.boxes if box in colours)
        yield Piece(caption.phrase(mention), mentioned, _known_of(mention))
        reached = mention.end
    yield Piece(caption.text[reached:])


def _known_of(mention: Mention) -> str:
    """Where a mention's boxes come from, as in "localised 0.81; candidates: 0 (0.81), 1 (0.07)"."""
    facts = []
    if mention.origin is not None:
        sure = "" if mention.probability is None else f" {mention.probability:.2f}"
        facts.append(mention.origin + sure)
    if mention.candidates:
        ranked = [f"{candidate.box} ({candidate.score:.2f})" for candidate in mention.candidates[:MAX_CANDIDATES]]
        more = len(mention.candidates) - MAX_CANDIDATES
        facts.append("candidates: " + ", ".join(ranked) + (f" and {more:,} more" if more > 0 else ""))
    return "; ".join(facts)


def _label(label: ImageLabel) -> str:
    if label.confidence == 0:
        return f"no {label.label}"
    return label.label if label.confidence == 1 else f"{label.label} {label.confidence:.2f}"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"
