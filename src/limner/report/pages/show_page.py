"""The page of a corpus and of what systems say of it.

The page draws an image, and everything said of it, from a small JSON object:

    {"i": id, "w": width, "h": height, "p": 1 or the picture's address,
     "f": {fact: value}, "b": [box …], "c": [caption …], "human": [P, R, F], "oracle": [P, R, F]}

A box is [left, top, right, bottom, label, colour, types, notes, source]: label
and types by number in the tables; the colour is that of the thing, or -1 where
nobody mentions it; trailing fields are left out where there is nothing to say;
a source is there for boxes that came with a system's captions. A caption is
[source, pieces, [P, R, F]]; its pieces are plain text or, for mentions,
[text, box, box …] with boxes by number; the name of a class whose domain is
known ends in {"d": domain}. Spans become pieces here, so that the page need
not count characters as Python does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from limner.corpus.box import Box
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, shown
from limner.files import ScratchFile
from limner.look.document import Document, object_with_images, to_json
from limner.report.pages.domain_words import DomainWords
from limner.report.pages.page_data import BoxRows, Json, Pieces, Table, colours_of, frame_of, pieces_of
from limner.report.pages.page_pictures import Pictures, Shown
from limner.score.content import PRF, gold_sets, human, mentioned, oracle, score_selection

SHOW = Document(__package__, "show.html", ("show.css",), ("show_choosing.js", "show_card.js", "show.js"))


class Written(NamedTuple):
    """How many images the page shows, with a picture, with the name of one, and with captions of boxes they lack."""

    n_images: int
    n_pictures: int
    n_named: int = 0
    n_without_boxes: int = 0


def write_page(
    images: Iterable[Image],
    results: Sequence[tuple[str, Iterable[Image]]],
    path: Path,
    *,
    pictures: Pictures | None = None,
    title: str = "Limner",
    limit: int | None = None,
    domains: DomainWords | None = None,
    reading: Reading | None = None,
) -> Written:
    """Write the page of a corpus and of what systems, each a name and its images, say of it.

    The corpus is read one image at a time, and its pictures go through a
    temporary file; results and words are held in memory. With `domains` the
    names of classes are coloured by their domain. `reading` notes what
    was odd and, if it is lenient, what was left out.
    """
    noted = Reading() if reading is None else reading
    joined = Results(results, noted)
    entries = Entries(joined.sources, domains)
    made: list[bytes] = []
    n_pictures = n_named = n_without_boxes = 0
    with ScratchFile() as embedded:
        for image in images:
            joined.refuse_swapped(image)
            said = list(joined.take(image))
            if limit is not None and len(made) == limit:
                if not joined.pending:
                    break
                continue
            picture = pictures.embed(image, len(made), noted, embedded) if pictures else None
            n_pictures += picture is not None
            n_named += bool(image.file)
            n_without_boxes += not image.boxes and any(map(mentioned, image.captions))
            made.append(to_json(entries.make(image, said, picture)))
        joined.refuse_rest()
        if not made:
            raise LimnerError("there is no image to show; pass a corpus with images")
        SHOW.write(path, title, object_with_images({"title": title, **entries.tables()}, made), embedded)
    return Written(len(made), n_pictures, n_named, n_without_boxes)


class Entries:
    """Makes the images' objects and keeps the tables that they share."""

    def __init__(self, sources: Iterable[str], domains: DomainWords | None = None) -> None:
        self._domains = domains
        self.sources = Table(["gold", *sources])
        self.boxes = BoxRows()
        self._grounded: set[str] = set()

    def make(self, image: Image, results: Iterable[Said], picture: Shown | None) -> Json:
        """The object of one image, its own captions first."""
        # A corpus that was already joined with results has the same captions.
        already_said = {(c.source, c.text, c.mentions) for c in image.captions}
        more = [s for s in results if (s.source, s.caption.text, s.caption.mentions) not in already_said]
        everything = [*(Said(caption.source, caption, {}) for caption in image.captions), *more]
        image = _without_unnamed_proposals(image)
        numbers, boxes, owners = _numbered(image, everything)
        pieces = [pieces_of(s.caption, _numbers_of(s, numbers)) for s in everything]
        colours = colours_of(len(boxes), pieces)
        # Answers of a localiser are no people's choice that others could be held against.
        gold = [] if is_localised(image) else gold_sets(image)
        entry: Json = {"i": image.id, **frame_of(image, picture, boxes)}
        if facts := {**image.attributes, **image.provenance}:
            entry["f"] = {name: str(value) for name, value in facts.items()}
        entry["b"] = [
            self.boxes.row(box, colour, None if owner is None else self.sources.number(owner))
            for box, colour, owner in zip(boxes, colours, owners, strict=True)
        ]
        entry["c"] = [self._caption(s, p, gold) for s, p in zip(everything, pieces, strict=True)]
        if gold:
            people = human(gold)
            entry |= {"human": _rounded(people)} if people else {}
            entry["oracle"] = _rounded(score_selection(oracle(gold), gold))
        return entry

    def tables(self) -> Json:
        """What the numbers in the objects stand for."""
        return {
            "sources": [
                {"name": name, "scored": name in self._grounded and name != "gold"} for name in self.sources.numbers
            ],
            **self.boxes.tables(),
            **({} if self._domains is None else {"domains": self._domains.names}),
        }

    def _caption(self, said: Said, pieces: Pieces, gold: Sequence[frozenset[str]]) -> list[Any]:
        marked = pieces if self._domains is None else self._domains.mark(said.caption.text, pieces)
        row: list[Any] = [self.sources.number(said.source), marked]
        chosen = mentioned(said.caption)
        if chosen:
            self._grounded.add(said.source)
        # Boxes that a system detected itself cannot be compared with the boxes it had to choose from.
        if gold and said.source != "gold" and not chosen & said.boxes.keys():
            row.append(_rounded(score_selection(chosen, gold)))
        return row


def is_localised(image: Image) -> bool:
    """Whether the image's boxes are proposals that a localiser ranked."""
    return image.provenance.get("candidates") == "proposals"


def _without_unnamed_proposals(image: Image) -> Image:
    """The image with those of a localiser's proposals that captions speak of: 200 boxes would hide the picture."""
    if not is_localised(image):
        return image
    named = {id for caption in image.captions for id in mentioned(caption)}
    mentions = tuple(
        replace(caption, mentions=tuple(replace(mention, candidates=()) for mention in caption.mentions))
        for caption in image.captions
    )
    return replace(image, boxes=tuple(box for box in image.boxes if box.id in named), captions=mentions)


def _numbered(
    image: Image, said: Sequence[Said]
) -> tuple[dict[tuple[str | None, str], int], list[Box], list[str | None]]:
    """Number the image's boxes, then those that systems brought along and speak of; whose each is."""
    boxes = list(image.boxes)
    owners: list[str | None] = [None] * len(boxes)
    numbers: dict[tuple[str | None, str], int] = {(None, box.id): i for i, box in enumerate(boxes)}
    for source, caption, own_boxes in said:
        for id in sorted(mentioned(caption) & own_boxes.keys()):
            if (source, id) not in numbers:
                numbers[source, id] = len(boxes)
                boxes.append(own_boxes[id])
                owners.append(source)
    return numbers, boxes, owners


def _numbers_of(said: Said, numbers: dict[tuple[str | None, str], int]) -> dict[str, int]:
    """The numbers of the boxes that a caption mentions, by the ids it has for them."""
    return {
        id: numbers[(said.source, id) if id in said.boxes else (None, id)]
        for id in mentioned(said.caption)
        if id in said.boxes or (None, id) in numbers
    }


def _rounded(score: PRF) -> list[float]:
    """Six decimals, so that means of them are right in the fourth."""
    return [round(value, 6) for value in score]


SUFFIXES = {".gz", ".zst", ".json", ".jsonl", ".csv", ".tsv", ".txt", ".parquet"}


class Said(NamedTuple):
    """A caption, whose it is, and the boxes that came with it where they are not the corpus' own."""

    source: str
    caption: Caption
    boxes: Mapping[str, Box]


class Results:
    """Captions of systems by image, held in memory; each image's are taken once.

    The captions of a file that marks all of them as gold are those of a
    system with the file's name; in any other file gold captions are copies of
    the corpus' own and passed over. A system that is in two files is two
    systems.
    """

    def __init__(self, files: Sequence[tuple[str, Iterable[Image]]], reading: Reading) -> None:
        self._reading = reading
        self._first: str | None = None
        self._matched: set[str] = set()
        self._gold_like: str | None = None
        self._said: dict[str, list[tuple[str, Image, Mapping[str, str]]]] = {}
        names_by_source: list[dict[str, str]] = []
        for name, images in files:
            called: dict[str, str] = {}
            for image in images:
                called.update((caption.source, caption.source) for caption in image.captions)
                self._said.setdefault(image.id, []).append((name, image, called))
                if self._gold_like is None and _is_gold_like(image):
                    self._gold_like = name
            names_by_source.append(called)
        self._name_sources([name for name, _ in files], names_by_source)
        self.sources = [source for called in names_by_source for source in dict.fromkeys(called.values())]

    def take(self, gold: Image) -> Iterator[Said]:
        """What the systems say of an image, in the order of their files."""
        for name, image, called in self._said.pop(gold.id, ()):
            self._matched.add(name)
            own_boxes = self._own_boxes(name, gold, image)
            known_ids = {box.id for box in gold.boxes} | own_boxes.keys()
            for caption in image.captions:
                if caption.source in called:
                    sound = self._sound(name, gold, caption, known_ids)
                    yield Said(called[caption.source], sound, own_boxes)
                elif all(caption.text != gold_caption.text for gold_caption in gold.captions):
                    self._reading.warn("gold caption of a result passed over, which the corpus does not have", name)

    @property
    def pending(self) -> bool:
        """Whether there are images that no gold one has asked for."""
        return bool(self._said)

    def refuse_swapped(self, gold: Image) -> None:
        """Refuse a corpus whose first image looks like a result, beside results that look like a corpus."""
        if self._first is not None:
            return
        self._first = gold.id
        is_result = gold.captions and not gold.boxes and all(c.source.startswith("system:") for c in gold.captions)
        if is_result and self._gold_like is not None:
            problem = "it looks like a corpus, and the corpus like results"
            raise BadInput(self._gold_like, problem, "give the corpus first, then results")

    def refuse_rest(self) -> None:
        """Results for images that the corpus does not have are a fault."""
        for id, said in self._said.items():
            for name, _, _ in said:
                problem = f"there is no image {shown(id)} in the corpus"
                if name not in self._matched and self._first is not None:
                    problem += f", which has {shown(self._first)}, nor any other of these results"
                remedy = "name the corpus that was described, or be lenient to leave the result out"
                error = BadInput(name, problem, remedy, code="unknown-image")
                self._reading.skip("result for an unknown image", error)

    def _name_sources(self, files: Sequence[str], names_by_source: Sequence[dict[str, str]]) -> None:
        """Give every source of every file the name it goes by."""
        stems = [_stem(name) for name in files]
        for stem, called in zip(stems, names_by_source, strict=True):
            if list(called) == ["gold"]:
                called["gold"] = f"system:{stem}"
            else:
                called.pop("gold", None)
        shared = Counter(source for called in names_by_source for source in called.values())
        for number, (stem, called) in enumerate(zip(stems, names_by_source, strict=True), 1):
            for source, name in called.items():
                if shared[name] > 1:
                    called[source] = f"{name} ({stem if stems.count(stem) == 1 else number})"

    def _own_boxes(self, name: str, gold: Image, image: Image) -> dict[str, Box]:
        """The boxes of a result that are not the gold ones of the same id."""
        known = gold.box_by_id()
        own_boxes = {box.id: box for box in image.boxes if box.id not in known or box.corners != known[box.id].corners}
        other_size = (gold.width, gold.height) != (image.width, image.height)
        if own_boxes and other_size and gold.width is not None and image.width is not None:
            problem = (
                f"image {shown(gold.id)} measures {image.width} by {image.height} here "
                f"and {gold.width} by {gold.height} in the corpus"
            )
            remedy = "give boxes on the corpus' pictures"
            self._reading.skip("result with boxes on a picture of another size", BadInput(name, problem, remedy))
            return {}
        return own_boxes

    def _sound(self, name: str, gold: Image, caption: Caption, known_ids: set[str]) -> Caption:
        """The caption, when lenient without references to boxes that are not there."""
        missing = [box for mention in caption.mentions for box in mention.boxes if box not in known_ids]
        for box in missing:
            problem = f"caption {shown(caption.id)} of image {shown(gold.id)} mentions box {shown(box)}"
            remedy = "neither the corpus nor the results have it: name the corpus that was described"
            self._reading.skip("reference to a box that is not there", BadInput(name, problem, remedy))
        if not missing:
            return caption
        mentions = (replace(m, boxes=tuple(box for box in m.boxes if box in known_ids)) for m in caption.mentions)
        return replace(caption, mentions=tuple(mentions))


def _is_gold_like(image: Image) -> bool:
    """Whether an image has what systems do not write: gold captions, or boxes without a word."""
    return any(caption.source == "gold" for caption in image.captions) or bool(image.boxes and not image.captions)


def _stem(name: str) -> str:
    """What a system without a name is called: the name of its file."""
    path = Path(name)
    while path.suffix in SUFFIXES:
        path = path.with_suffix("")
    return path.name if path.name not in ("", "-") else "results"
