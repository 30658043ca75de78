"""What systems say of the images of a corpus, joined by image id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from limner.corpus.box import Box
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown

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
        self._said: dict[str, list[tuple[str, Image, Mapping[str, str]]]] = {}
        found: list[dict[str, str]] = []
        for name, images in files:
            called: dict[str, str] = {}
            for image in images:
                called.update((caption.source, caption.source) for caption in image.captions)
                self._said.setdefault(image.id, []).append((name, image, called))
            found.append(called)
        self._name_sources([name for name, _ in files], found)
        self.sources = [source for called in found for source in dict.fromkeys(called.values())]

    def take(self, gold: Image) -> Iterator[Said]:
        """What the systems say of an image, in the order of their files."""
        for name, image, called in self._said.pop(gold.id, ()):
            own = self._own_boxes(name, gold, image)
            there = {box.id for box in gold.boxes} | own.keys()
            for caption in image.captions:
                if caption.source in called:
                    sound = self._sound(name, gold, caption, there)
                    yield Said(called[caption.source], sound, own)
                elif all(caption.text != other.text for other in gold.captions):
                    self._reading.warn("gold caption of a result passed over, which the corpus does not have", name)

    @property
    def pending(self) -> bool:
        """Whether there are images that no gold one has asked for."""
        return bool(self._said)

    def refuse_rest(self) -> None:
        """Results for images that the corpus does not have are a fault."""
        for id, said in self._said.items():
            for name, _, _ in said:
                problem = f"there is no image {shown(id)} in the corpus"
                remedy = "name the corpus that was described, or be lenient to leave the result out"
                error = BadInput(name, problem, remedy, code="unknown-image")
                self._reading.skip("result for an unknown image", error)

    def _name_sources(self, files: Sequence[str], found: Sequence[dict[str, str]]) -> None:
        """Give every source of every file the name it goes by."""
        stems = [_stem(name) for name in files]
        for stem, called in zip(stems, found, strict=True):
            if list(called) == ["gold"]:
                called["gold"] = f"system:{stem}"
            else:
                called.pop("gold", None)
        shared = Counter(source for called in found for source in called.values())
        for number, (stem, called) in enumerate(zip(stems, found, strict=True), 1):
            for source, name in called.items():
                if shared[name] > 1:
                    called[source] = f"{name} ({stem if stems.count(stem) == 1 else number})"

    def _own_boxes(self, name: str, gold: Image, image: Image) -> dict[str, Box]:
        """The boxes of a result that are not the gold ones of the same id."""
        known = gold.box_by_id()
        own = {box.id: box for box in image.boxes if box.id not in known or box.corners != known[box.id].corners}
        other_size = (gold.width, gold.height) != (image.width, image.height)
        if own and other_size and gold.width is not None and image.width is not None:
            problem = (
                f"image {shown(gold.id)} measures {image.width} by {image.height} here "
                f"and {gold.width} by {gold.height} in the corpus"
            )
            remedy = "give boxes on the corpus' pictures"
            self._reading.skip("result with boxes on a picture of another size", BadInput(name, problem, remedy))
            return {}
        return own

    def _sound(self, name: str, gold: Image, caption: Caption, there: set[str]) -> Caption:
        """The caption, when lenient without references to boxes that are not there."""
        missing = [box for mention in caption.mentions for box in mention.boxes if box not in there]
        for box in missing:
            problem = f"caption {shown(caption.id)} of image {shown(gold.id)} mentions box {shown(box)}"
            remedy = "neither the corpus nor the results have it: name the corpus that was described"
            self._reading.skip("reference to a box that is not there", BadInput(name, problem, remedy))
        if not missing:
            return caption
        mentions = (replace(m, boxes=tuple(box for box in m.boxes if box in there)) for m in caption.mentions)
        return replace(caption, mentions=tuple(mentions))


def _stem(name: str) -> str:
    """What a system without a name is called: the name of its file."""
    path = Path(name)
    while path.suffix in SUFFIXES:
        path = path.with_suffix("")
    return path.name if path.name not in ("", "-") else "results"
