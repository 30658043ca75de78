"""Examples of the novel-object experiment: some test images of each domain with the captions of all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from limner.bench.class_domains import DOMAINS, IN
from limner.corpus.caption import Caption
from limner.corpus.classes.named_classes import NamedClasses
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.corpus.reading import Reading
from limner.experiments.novel_object_captions import ASKED, N_MET, SEPARATOR
from limner.experiments.novel_object_images import DOMAIN
from limner.experiments.novel_object_rows import HUMAN
from limner.experiments.novel_object_tables import NovelObjectRun
from limner.report.pages import novel_objects_page as page
from limner.report.pages.page_pictures import Pictures

# The page's file.
EXAMPLES = "examples.html"

# Images of a section; the others are counted.
MOST = 10

ABOUT = {
    "in-domain": "Every class of its boxes is one that training images have",
    "near-domain": "Classes that training images have no boxes of, beside others",
    "out-domain": "Only classes that training images have no boxes of",
    "": "No class of its boxes counts, or it has none",
}

# The marks of mentions by how they got their boxes.
MARK_BY_ORIGIN = {"constraint": page.ASKED, "slot": page.SLOT, "attention": page.LOOKED, "linked": page.LOOKED}


def examples_page(run: NovelObjectRun, pictures: Path | None, seed: int) -> str:
    """The page of examples, as HTML; images are drawn by their ids and the seed."""
    made = _Examples(
        run, None if pictures is None else Pictures(pictures, Path(EXAMPLES), longest_side=page.PICTURE_SIDE)
    )
    sections = []
    for domain in (*DOMAINS, ""):
        images = [image for image in run.images.tests if str(image.attributes.get(DOMAIN, "")) == domain]
        drawn = sorted(images, key=lambda image: (random_stream("examples", seed, image.id).random(), image.id))
        if images:
            title = domain.capitalize() or "In no domain"
            examples = [made.example(image) for image in drawn[:MOST]]
            sections.append(page.NovelSection(title, ABOUT[domain], len(images), examples))
    boxes_from = "gold" if run.images.has_gold else run.images.boxes_from
    return page.NovelObjectsPage(sections, run.images.novel, boxes_from).html()


@dataclass
class _Examples:
    """Makes examples of images: their boxes, and captions in pieces."""

    run: NovelObjectRun
    pictures: Pictures | None
    _results: Mapping[str, Mapping[str, Image]] = field(init=False, repr=False)
    _novel: NamedClasses = field(init=False, repr=False)
    _known: NamedClasses = field(init=False, repr=False)
    _demanded: NamedClasses = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._results = {name: {image.id: image for image in images} for name, images in self.run.results.items()}
        self._novel = NamedClasses(self.run.images.novel)
        known = [name for name, domain in self.run.images.domain_by_class.items() if domain == IN]
        self._known = NamedClasses(sorted(known))
        asked = (str(image.attributes.get(ASKED, "")) for images in self.run.results.values() for image in images)
        self._demanded = NamedClasses(sorted({name for names in asked for name in names.split(SEPARATOR) if name}))

    def example(self, image: Image) -> page.NovelExample:
        boxes = [
            page.LayoutBox(box.corners, box.label, bool(self._novel.shown(Image("box", boxes=(box,)))))
            for box in image.boxes
        ]
        picture = None if self.pictures is None else self.pictures.show(image, Reading(lenient=True))
        captions = [self._caption(name, results[image.id]) for name, results in self._results.items()]
        gold = [caption for caption in image.captions if caption.source == "gold"]
        people = [page.RowCaption(HUMAN, self._pieces(caption, ())) for caption in gold[:1]]
        return page.NovelExample(image, picture, boxes, [*captions, *people])

    def _caption(self, name: str, result: Image) -> page.RowCaption:
        caption = result.captions[0]
        marks = [
            (mention.start, mention.end, MARK_BY_ORIGIN[mention.origin])
            for mention in caption.mentions
            if mention.origin in MARK_BY_ORIGIN
        ]
        asked, n_met = str(result.attributes.get(ASKED, "")), int(result.attributes.get(N_MET, 0))
        if asked:
            # Gold boxes that a captioner does not see are no boxes of its mentions: the words tell what was asked for.
            wanted = set(asked.split(SEPARATOR))
            spans = self._demanded.spans(caption.text)
            marks += [(start, end, page.ASKED) for start, end, names in spans if wanted.intersection(names)]
        return page.RowCaption(name, self._pieces(caption, marks), asked, n_met)

    def _pieces(self, caption: Caption, marks: Sequence[tuple[int, int, str]]) -> list[page.MarkedWords]:
        """The caption cut where a mark begins or ends."""
        text = caption.text
        spans = list(marks)
        spans += [(start, end, page.NOVEL) for start, end, _ in self._novel.spans(text)]
        spans += [(start, end, page.KNOWN) for start, end, _ in self._known.spans(text)]
        cuts = sorted({0, len(text), *(cut for start, end, _ in spans for cut in (start, end))})
        pieces = []
        for start, end in pairwise(cuts):
            of_piece = dict.fromkeys(mark for first, last, mark in spans if first <= start and end <= last)
            if page.NOVEL in of_piece:
                of_piece.pop(page.KNOWN, None)
            if page.ASKED in of_piece:
                of_piece.pop(page.LOOKED, None)
            pieces.append(page.MarkedWords(text[start:end], tuple(of_piece)))
        return pieces
