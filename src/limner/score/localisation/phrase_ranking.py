"""What results say of the phrases of an image: boxes, best first, bound by image, caption and span.

Equal words in one caption are different phrases: only the span tells which is
meant. Captions are joined by their text, in which spaces do not count; of
several with the same text the one with the same id is meant, else that at the
same place. The answer (`boxes` of a mention) stands before the other
candidates. Under the protocol `merged`, an answer of several boxes is the
smallest box around them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from limner.arrays import Floats, Integers
from limner.corpus.caption import Caption, Mention
from limner.corpus.geometry import corners
from limner.corpus.image import Image
from limner.errors import BadInput, shown
from limner.score.box_matching import scaled_boxes
from limner.score.letter_spans import letter_spans
from limner.score.localisation.gold_phrases import GoldImage

# What results have for a phrase: nothing, since the image, its caption or the phrase itself is missing; or a mention.
NO_IMAGE, NO_CAPTION, NO_PHRASE, PRESENT = range(4)

# Pairs of boxes that are compared in one image, each box of a phrase counted: 130 MB.
MAX_PAIRS = 1 << 24


@dataclass(frozen=True, eq=False)
class PhraseRanking:
    """The boxes of one image and how they were ranked for each of its gold phrases.

    `corners` are the image's `n_boxes` boxes, then the unions of answers.
    `rows` is `[phrases, longest]`: rows of `corners`, best first, -1 after the
    last. The first `n_answer` of a phrase are its answer. `status` is what
    the results have for it. `n_extra` mentions are of no gold phrase.
    """

    corners: Floats
    n_boxes: int
    rows: Integers
    n_answer: Integers
    status: Integers
    n_extra: int = 0

    @classmethod
    def absent(cls, n_phrases: int) -> PhraseRanking:
        """That of an image which results lack."""
        nothing = np.zeros(n_phrases, dtype=np.int64)
        empty = np.zeros((n_phrases, 0), dtype=np.int64)
        return cls(np.zeros((0, 4)), 0, empty, nothing, np.full(n_phrases, NO_IMAGE, dtype=np.int64))


def rank_phrases(result: Image, gold: GoldImage, place: str, *, merge_answers: bool) -> PhraseRanking:
    """The ranking of each gold phrase by a result image; boxes of another scale are brought to gold's.

    `place` names the results in errors.
    """
    n_drawn, n_gold = len(result.boxes or gold.image.boxes), len(gold.corners)
    if n_gold * max(n_gold, n_drawn) > MAX_PAIRS:
        problem = f"{n_drawn:,} boxes for phrases of {n_gold:,} gold boxes are too many to compare"
        raise BadInput(f"{place}: image {shown(result.id)}", problem, "leave some out", code="too-many-boxes")
    drawn = scaled_boxes(result, gold.image, place) if result.boxes else gold.image.boxes
    table = _BoxTable([box.id for box in drawn], corners(drawn), merge_answers)
    status = np.full(len(gold), NO_CAPTION, dtype=np.int64)
    rows: list[list[int]] = [[] for _ in gold.phrases]
    n_answer = np.zeros(len(gold), dtype=np.int64)
    n_extra = 0
    of_caption = np.array([phrase.caption for phrase in gold.phrases])
    for number, caption in _joined_captions(result.captions, gold, place):
        status[of_caption == number] = NO_PHRASE
        for start, end, mention in letter_spans(caption):
            phrase = gold.phrase_by_span.get((number, start, end))
            if phrase is None:
                n_extra += (number, start, end) not in gold.spans_left_out
                continue
            status[phrase] = PRESENT
            try:
                rows[phrase], n_answer[phrase] = table.ranking(mention)
            except KeyError as error:
                words = shown(caption.phrase(mention))
                problem = (
                    f"image {shown(result.id)}: {words} names the box {shown(error.args[0])}, which does not exist"
                )
                raise BadInput(place, problem, "give the boxes in the results, or name gold's") from None
    longest = max(map(len, rows), default=0)
    table_rows = np.full((len(gold), longest), -1, dtype=np.int64)
    for phrase, ranked in enumerate(rows):
        table_rows[phrase, : len(ranked)] = ranked
    return PhraseRanking(table.corners(), len(table), table_rows, n_answer, status, n_extra)


class _BoxTable:
    """The boxes that mentions name, by their row, and the unions that answers make."""

    def __init__(self, ids: Sequence[str], drawn: Floats, merge_answers: bool) -> None:
        self._row_by_id = {id: row for row, id in enumerate(ids)}
        self._drawn = drawn
        self._merge_answers = merge_answers
        self._unions: list[Floats] = []

    def __len__(self) -> int:
        return len(self._drawn)

    def corners(self) -> Floats:
        return np.concatenate([self._drawn, np.array(self._unions).reshape(-1, 4)])

    def ranking(self, mention: Mention) -> tuple[list[int], int]:
        """The rows of a mention's boxes, the answer first, and how many of them are the answer."""
        row_by_id = self._row_by_id
        ranked = [row_by_id[candidate.box] for candidate in mention.candidates]
        answer = [row_by_id[id] for id in dict.fromkeys(mention.boxes)]
        if not answer:
            return ranked, min(1, len(ranked))
        if len(answer) == 1 and ranked[:1] == answer:
            return ranked, 1
        if len(answer) > 1 and self._merge_answers:
            together = self._drawn[answer]
            self._unions.append(np.concatenate([together[:, :2].min(axis=0), together[:, 2:].max(axis=0)]))
            return [len(self._drawn) + len(self._unions) - 1, *(ranked or answer)], 1
        # The boxes of an answer stand as they were ranked; those that were not, as they are named.
        place = {row: i for i, row in enumerate(ranked)}
        answer.sort(key=lambda row: place.get(row, len(ranked)))
        chosen = set(answer)
        return [*answer, *(row for row in ranked if row not in chosen)], len(answer)


def _joined_captions(captions: Iterable[Caption], gold: GoldImage, place: str) -> list[tuple[int, Caption]]:
    """Each caption of a result with the position of the gold caption of the same text."""
    positions: dict[str, list[int]] = {}
    for number, caption in enumerate(gold.captions):
        positions.setdefault(_letters(caption), []).append(number)
    joined: dict[int, Caption] = {}
    # Captions with gold's own id come first, so that equal sentences do not take each other's place.
    ids = [caption.id for caption in gold.captions]
    not_gold = {_letters(caption) for caption in gold.image.captions if caption.source != "gold"}
    for caption in sorted(captions, key=lambda caption: caption.id not in ids):
        letters = _letters(caption)
        numbers = positions.get(letters)
        if numbers is None:
            if letters in not_gold:
                continue
            raise _other_text(caption, gold, place)
        free = [number for number in numbers if number not in joined]
        if not free:
            problem = f"image {shown(gold.image.id)} has the caption {shown(caption.text)} more often than gold"
            raise BadInput(place, problem, "give each caption once")
        named = [number for number in free if ids[number] == caption.id]
        joined[(named or free)[0]] = caption
    return list(joined.items())


def _other_text(caption: Caption, gold: GoldImage, place: str) -> BadInput:
    problem = f"image {shown(gold.image.id)}: gold has no caption {shown(caption.text)}"
    same_id = next((other for other in gold.captions if other.id == caption.id), None)
    if same_id is not None:
        problem += f"; its caption {shown(caption.id)} is {shown(same_id.text)}"
    return BadInput(place, problem, "give results for gold's captions, letter for letter")


def _letters(caption: Caption) -> str:
    return "".join(caption.text.split())
