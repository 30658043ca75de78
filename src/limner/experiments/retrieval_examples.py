"""Test pictures where regions and phrases changed the first sentence, or did not: Figures 12 and 13 of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np

from limner.arrays import Integers, Singles
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.ground.caption_phrases import phrase_spans
from limner.ground.phrase_distances import By
from limner.ground.phrase_model import built_in_phrases
from limner.ground.retrieval_index import ASPECTS, PhraseRegion, RetrievalIndex
from limner.report.pages.marked_pictures import MarkedRegion
from limner.report.pages.page_pictures import Pictures
from limner.report.pages.retrieval_examples_page import Example, ExampleSection, Piece, ShownSentence
from limner.score.retrieval.retrieval_evaluation import DIRECTIONS, SystemRetrieval

# Pictures of a section; the others are counted.
MOST = 8

BY_WHOLE = "first by whole pictures"
BY_MIXTURE = "first by the mixture"


def choose_examples(
    index: RetrievalIndex,
    images: Iterable[Image],
    whole: SystemRetrieval,
    mixture: SystemRetrieval,
    pictures: Pictures,
    reading: Reading,
) -> list[ExampleSection]:
    """Sections of examples: the mixture helped, it did harm, and neither has a right sentence first.

    `whole` and `mixture` are scores of the index. Of pictures where it helped
    or did harm, those come first whose right sentence moved most; of the
    others, those where the mixture came nearest. Equals are in the index's order.
    """
    by_whole, by_mixture = (system.directions[DIRECTIONS[0]].ranks for system in (whole, mixture))
    asked = (by_whole > 0) & (by_mixture > 0)
    helped = np.flatnonzero(asked & (by_whole > 1) & (by_mixture == 1))
    harmed = np.flatnonzero(asked & (by_whole == 1) & (by_mixture > 1))
    neither = np.flatnonzero(asked & (by_whole > 1) & (by_mixture > 1))
    n_both = int((asked & (by_whole == 1) & (by_mixture == 1)).sum())
    drawn = _Drawing(index, images, by_whole, by_mixture, pictures, reading)
    return [
        ExampleSection(
            "Regions and phrases helped",
            "Whole pictures put a wrong sentence first, the mixture a right one (Figure 12 of the paper)",
            len(helped),
            [
                drawn.example(row, (drawn.first(row, "whole"), BY_WHOLE), (drawn.first(row, "mixture"), BY_MIXTURE))
                for row in islice(sorted(helped.tolist(), key=lambda row: -by_whole[row]), MOST)
            ],
        ),
        ExampleSection(
            "Regions and phrases did harm",
            "Whole pictures put a right sentence first, the mixture a wrong one (Figure 13)",
            len(harmed),
            [
                drawn.example(row, (drawn.first(row, "mixture"), BY_MIXTURE), (drawn.first(row, "whole"), BY_WHOLE))
                for row in islice(sorted(harmed.tolist(), key=lambda row: -by_mixture[row]), MOST)
            ],
        ),
        ExampleSection(
            "They were not enough",
            f"Both put a wrong sentence first (Figure 13); for {n_both:,} other pictures, both put a right one first",
            len(neither),
            [
                drawn.example(row, (drawn.first(row, "mixture"), BY_MIXTURE), drawn.right(row))
                for row in islice(sorted(neither.tolist(), key=lambda row: by_mixture[row]), MOST)
            ],
        ),
    ]


class _Drawing:
    """Makes examples of an index: its captions with their phrases, regions and distances."""

    def __init__(
        self,
        index: RetrievalIndex,
        images: Iterable[Image],
        by_whole: Integers,
        by_mixture: Integers,
        pictures: Pictures,
        reading: Reading,
    ) -> None:
        self._index, self._pictures, self._reading = index, pictures, reading
        self._ranks = {"whole": by_whole, "mixture": by_mixture}
        self._systems = {by: index.system(by) for by in ASPECTS}
        by_id = {image.id: image for image in images}
        self._images = [by_id[id] for id in self._systems["whole"].image_ids]
        # The index has captions without mentions, and none without a letter.
        self._captions = [caption for image in self._images for caption in image.captions if caption.text.strip()]

    def first(self, row: int, by: By) -> int:
        """The number of the caption that fits a picture best; of equal ones a wrong one, as ranks have it."""
        scores = self._scores(row, by)
        if self._ranks[by][row] > 1:
            # Some wrong caption is within the ranks' tolerance of the best.
            scores = np.where(self._index.text_images == row, -np.inf, scores)
        return int(scores.argmax())

    def right(self, row: int) -> tuple[int, str]:
        """The picture's own caption that fits it best by the mixture, and what is said of it."""
        captions = np.flatnonzero(self._index.text_images == row)
        best = int(captions[self._scores(row, "mixture")[captions].argmax()])
        return best, f"a right sentence, at rank {int(self._ranks['mixture'][row]):,} by the mixture"

    def example(self, row: int, *sentences: tuple[int, str]) -> Example:
        image = self._images[row]
        ranks = {name: int(ranks[row]) for name, ranks in self._ranks.items()}
        about = f"first right sentence: rank {ranks['whole']:,} by whole pictures, {ranks['mixture']:,} by the mixture"
        shown = [self._sentence(row, text, role) for text, role in sentences]
        return Example(image, self._pictures.show(image, self._reading), about, shown)

    def _scores(self, row: int, by: By) -> Singles:
        scores = self._systems[by].scores.block(slice(row, row + 1), slice(0, len(self._captions)))
        return np.asarray(scores[0], dtype=np.float32)

    def _sentence(self, row: int, text: int, role: str) -> ShownSentence:
        caption = self._captions[text]
        regions = self._nearest(row, text, caption)
        place = np.array([row]), np.array([text])
        return ShownSentence(
            role,
            bool(self._index.text_images[text] == row),
            _pieces(caption.text, regions),
            [
                MarkedRegion(
                    region.corners, number, f"{caption.text[region.start : region.end]}: {1 - region.cosine:.2f}"
                )
                for number, region in enumerate(regions)
            ],
            {by: 1 - float(system.scores.pairs(*place)[0]) for by, system in self._systems.items()},
        )

    def _nearest(self, row: int, text: int, caption: Caption) -> list[PhraseRegion]:
        """The nearest region of each phrase, from left to right."""
        table = self._index.phrases
        numbers = table.phrases[slice(*table.starts[text : text + 2])]
        vectors = np.asarray(table.vectors[numbers], dtype=np.float32)
        spans = phrase_spans(caption, built_in_phrases())
        return sorted(self._index.nearest_regions(row, spans, vectors))


def _pieces(text: str, regions: Sequence[PhraseRegion]) -> list[Piece]:
    """The text with its phrases; one that begins within another has its region alone."""
    pieces, reached = [], 0
    for number, region in enumerate(regions):
        if region.start < reached:
            continue
        pieces += [
            Piece(text[reached : region.start]),
            Piece(text[region.start : region.end], number, 1 - region.cosine),
        ]
        reached = region.end
    return [piece for piece in [*pieces, Piece(text[reached:])] if piece.text]
