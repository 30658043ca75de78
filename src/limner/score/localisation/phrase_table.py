"""Every gold phrase with its subsets, and what one system makes of each, as arrays over all images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from limner.arrays import Booleans, Floats, Integers
from limner.score.box_subsets import SIZE_NAMES, SIZES, UNSIZED, UNTYPED
from limner.score.localisation.gold_phrases import GoldImage, GoldPhrase
from limner.score.localisation.phrase_errors import OTHER, SOURCES, error_sources
from limner.score.localisation.phrase_ranking import PRESENT, PhraseRanking
from limner.score.localisation.phrase_recall import RECALLS, PhraseRecall, RecallSettings, recall_of

# Numbers of boxes that are told apart; the last is of so many or more.
MOST_BOXES = 5

# Frequent phrases that are reported: as many as Figure 10 shows.
FREQUENT = 25

VALUES = (*(f"R@{k}" for k in RECALLS), "bound")


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """The phrases of gold images, in order, and which subsets they are in."""

    images: Sequence[GoldImage]

    @cached_property
    def phrases(self) -> list[GoldPhrase]:
        return [phrase for image in self.images for phrase in image.phrases]

    @cached_property
    def image(self) -> Integers:
        """The position of each phrase's image."""
        return np.repeat(np.arange(len(self.images)), [len(image) for image in self.images])

    @cached_property
    def starts(self) -> Integers:
        """Where the phrases of each image begin."""
        return np.cumsum([0, *(len(image) for image in self.images)], dtype=np.int64)

    @cached_property
    def subsets(self) -> dict[str, dict[str, Booleans]]:
        """By key and name, which phrases are in a subset; a phrase of several types is in each."""
        types = [phrase.mention.types or (UNTYPED,) for phrase in self.phrases]
        counts = Counter(name for names in types for name in names)
        by_type = {
            name: np.array([name in names for names in types], dtype=np.bool_) for name, _ in counts.most_common()
        }
        return {"type": by_type, "size": self._by_size(), "boxes": self._by_boxes()}

    def _by_size(self) -> dict[str, Booleans]:
        shares = np.concatenate([image.shares() for image in self.images])
        band = np.searchsorted(SIZES, shares, side="right")
        subsets = {name: (band == i) & ~np.isnan(shares) for i, name in enumerate(SIZE_NAMES)}
        subsets[UNSIZED] = np.isnan(shares)
        return {name: members for name, members in subsets.items() if members.any()}

    def _by_boxes(self) -> dict[str, Booleans]:
        n_boxes = np.minimum(np.concatenate([image.n_boxes for image in self.images]), MOST_BOXES)
        names = {n: str(n) if n < MOST_BOXES else f"{n}+" for n in range(1, MOST_BOXES + 1)}
        subsets = {name: n_boxes == n for n, name in names.items()}
        return {name: members for name, members in subsets.items() if members.any()}

    @cached_property
    def words(self) -> list[str]:
        """The phrases in lower case, as they are counted."""
        return [" ".join(phrase.text.lower().split()) for phrase in self.phrases]


@dataclass(frozen=True, eq=False)
class ImageOutcome:
    """What a system makes of the phrases of one image."""

    status: Integers
    recall: PhraseRecall
    source: Integers
    confused: Integers
    answers: Floats
    more_answers: dict[int, Floats]
    n_extra: int

    @classmethod
    def of(cls, ranking: PhraseRanking, gold: GoldImage, settings: RecallSettings) -> ImageOutcome:
        recall = recall_of(ranking, gold, settings)
        source, confused = error_sources(ranking, recall, gold, settings)
        answers = np.full((len(gold), 4), np.nan)
        has_answer = recall.kept[:, 0] >= 0
        answers[has_answer] = ranking.corners[recall.kept[has_answer, 0]]
        more = {}
        if settings.protocol == "as-many":
            for phrase in np.flatnonzero(gold.n_boxes > 1).tolist():
                rows = recall.kept[phrase, 1 : gold.n_boxes[phrase]]
                more[phrase] = ranking.corners[rows[rows >= 0]]
        return cls(ranking.status, recall, source, confused, answers, more, ranking.n_extra)


@dataclass(frozen=True, eq=False)
class PhraseOutcomes:
    """What a system makes of every phrase of a table.

    `values` is `[phrases, 4]`: the recalls and the bound. `confused` are
    positions in the table, or -1. `answers` are the corners of the first box,
    NaN for none; `more_answers` those of the others that a phrase of several
    boxes asks for under `as-many`.
    """

    values: Floats
    rank: Integers
    answer_iou: Floats
    source: Integers
    confused: Integers
    answers: Floats
    more_answers: dict[int, Floats]
    status: Integers

    @classmethod
    def join(cls, outcomes: Sequence[ImageOutcome], table: PhraseTable) -> PhraseOutcomes:
        """The outcomes of all images of a table, in its order."""
        starts = table.starts[:-1].tolist()
        confused = [
            np.where(image.confused >= 0, image.confused + start, -1)
            for image, start in zip(outcomes, starts, strict=True)
        ]
        return cls(
            np.concatenate([np.column_stack([image.recall.recalls, image.recall.bound]) for image in outcomes]),
            np.concatenate([image.recall.rank for image in outcomes]),
            np.concatenate([image.recall.answer_iou for image in outcomes]),
            np.concatenate([image.source for image in outcomes]),
            np.concatenate(confused),
            np.concatenate([image.answers for image in outcomes]),
            {
                start + phrase: corners
                for image, start in zip(outcomes, starts, strict=True)
                for phrase, corners in image.more_answers.items()
            },
            np.concatenate([image.status for image in outcomes]),
        )

    @property
    def is_present(self) -> Booleans:
        return np.asarray(self.status == PRESENT, dtype=np.bool_)

    def sources(self, is_scored: Booleans) -> dict[str, int]:
        """How many phrases have each source of error, `right` among them; those that never occur are 0."""
        counts = np.bincount(self.source[is_scored], minlength=len(SOURCES))
        return dict(zip(SOURCES, counts.tolist(), strict=True))

    def confusions(self, table: PhraseTable, is_scored: Booleans) -> dict[str, dict[str, int]]:
        """By the type of a phrase and that of the phrase whose box it got, how often (Figure 9b)."""
        counts: dict[str, Counter[str]] = {}
        for at in np.flatnonzero(is_scored & (self.source == OTHER)).tolist():
            others = table.phrases[int(self.confused[at])].mention.types or (UNTYPED,)
            for name in table.phrases[at].mention.types or (UNTYPED,):
                counts.setdefault(name, Counter()).update(others)
        order = list(table.subsets["type"])
        return {
            name: {other: counts[name][other] for other in order if counts[name][other]}
            for name in order
            if name in counts
        }

    def frequent(self, table: PhraseTable, is_scored: Booleans) -> list[dict[str, Any]]:
        """The most frequent phrases with their recalls (Figure 10); of equally frequent ones, by the alphabet."""
        rows = np.flatnonzero(is_scored)
        counts = Counter(table.words[row] for row in rows.tolist())
        chosen = sorted(counts, key=lambda words: (-counts[words], words))[:FREQUENT]
        members: dict[str, list[int]] = {words: [] for words in chosen}
        for row in rows.tolist():
            if table.words[row] in members:
                members[table.words[row]].append(row)
        return [self._of_phrase(words, places, table) for words, places in members.items()]

    def _of_phrase(self, words: str, places: list[int], table: PhraseTable) -> dict[str, Any]:
        types = Counter(name for row in places for name in table.phrases[row].mention.types)
        values = dict(zip(VALUES, self.values[places].mean(axis=0).tolist(), strict=True))
        return {"phrase": words, "n": len(places), **values, "types": [name for name, _ in types.most_common()]}
