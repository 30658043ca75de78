"""Noun phrases against gold: whether they were found, with which types, and whether they are visual.

Images are joined by their ids, captions by their text, in which spaces do not
count: a caption may be compared with its tokenised text. A phrase is found if
its span is exactly that of a gold phrase. Types are judged on gold phrases
that were found. Pronouns and what else `text.mention_rules` says is no mention
are left out on both sides, unless all are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from limner import __version__
from limner.arrays import Floats
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.errors import BadInput, shown
from limner.score.data_fingerprint import data_fingerprint, image_numbers
from limner.score.letter_spans import letter_spans, numbered_captions
from limner.score.metric import SHARE, Statistics
from limner.score.pairing import Missing
from limner.score.resampling import SAMPLES, bounds
from limner.score.selection_scores import signed
from limner.text.mention_rules import can_be_mention
from limner.text.sentence_tokens import sentence_tokens

# Raised whenever equal phrases would score otherwise than before.
VERSION = 1

NOT_VISUAL = "notvisual"

# The values, in the order of the columns.
VALUES = ("P", "R", "F", "type_accuracy", "visual_accuracy", "not_visual_P", "not_visual_R")

# Types of phrases by their spans, counted without spaces.
Spans = dict[tuple[int, int], tuple[str, ...]]


class Counts(NamedTuple):
    """What was counted in an image; sums of it make the values.

    `typed` of the `visual` gold phrases that were found have exactly gold's
    types. Of all that were found, `judged_alike` are taken for visual, or not,
    as gold has them; `not_visual` are not visual by gold, `called_not_visual`
    by the system, and `rightly_not_visual` by both.
    """

    found: int = 0
    gold: int = 0
    exact: int = 0
    visual: int = 0
    typed: int = 0
    judged_alike: int = 0
    not_visual: int = 0
    called_not_visual: int = 0
    rightly_not_visual: int = 0


@dataclass
class PhraseEvaluation:
    """The counts of each image by its id, and what was confused with what."""

    missing: Missing = "error"
    every: bool = False
    counts: dict[str, Counts] = field(default_factory=dict)
    confusions: Counter[tuple[str, str]] = field(default_factory=Counter)
    gold_by_type: Counter[str] = field(default_factory=Counter)
    exact_by_type: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    n_captions: int = 0
    numbers: list[int] = field(default_factory=list)

    def statistics(self) -> Statistics:
        """Rows of counts, and how sums of them become the values."""
        rows = np.array(list(self.counts.values()), dtype=np.float64).reshape(len(self.counts), len(Counts._fields))
        return Statistics(rows, _values, _values(rows), ranges=[SHARE] * len(VALUES))

    def to_json(self, *, samples: int = SAMPLES, seed: int = 0) -> dict[str, Any]:
        """Everything as the command line prints it in JSON; values are None where there is nothing to divide by."""
        statistics = self.statistics()
        values = [None if np.isnan(value) else float(value) for value in statistics.value()]
        return {
            "n_images": len(self.counts),
            "n_captions": self.n_captions,
            **dict(zip(VALUES, values, strict=True)),
            "counts": dict(zip(Counts._fields, map(int, statistics.rows.sum(axis=0)), strict=True)),
            "by_type": {
                name: {
                    "gold": n,
                    "found": self.exact_by_type[name],
                    "typed": self.confusions[name, name],
                }
                for name, n in self.gold_by_type.most_common()
            },
            "confusions": [
                {"gold": gold, "found": called, "n": n}
                for (gold, called), n in sorted(self.confusions.items(), key=lambda item: (-item[1], item[0]))
                if gold != called
            ],
            "intervals": self._intervals(statistics, samples, seed) if samples else None,
            "left_out": dict(self.left_out),
            "signature": self.signature(),
        }

    def signature(self) -> str:
        """Every choice that could change a value: two numbers with one signature compare."""
        return signed(
            metric="phrases",
            version=VERSION,
            match="exact span without spaces",
            phrases="all" if self.every else "no pronouns, background, foreground, air, distance",
            types="equal sets, on visual gold phrases that were found",
            captions=self.n_captions,
            images=len(self.counts),
            missing=self.missing,
            data=data_fingerprint(np.array(self.numbers, dtype=np.int64)),
            limner=__version__,
        )

    def _intervals(self, statistics: Statistics, samples: int, seed: int) -> dict[str, Any]:
        (of_columns,) = bounds([statistics], samples=samples, seed=seed)
        return {
            name: None if np.isnan(interval.low) else [interval.low, interval.high]
            for name, interval in zip(VALUES, of_columns, strict=True)
        }

    def add(self, image: Image, results: Image | None, place: str) -> None:
        """Count the gold captions of an image; None are the results of one that is missing."""
        captions = {} if results is None else dict(numbered_captions(results.captions))
        total = np.zeros(len(Counts._fields), dtype=np.int64)
        texts = []
        for key, caption in numbered_captions([caption for caption in image.captions if caption.source == "gold"]):
            gold = self._spans(caption)
            if not gold:
                self.left_out["gold captions without a phrase"] += 1
                continue
            if key not in captions and self.missing == "error":
                problem = f"image {shown(image.id)}: caption {shown(caption.text)} of gold is missing"
                raise BadInput(place, problem, "give phrases of every gold caption", code="missing-captions")
            if key not in captions and self.missing == "skip":
                self.left_out["gold captions that are missing"] += 1
                continue
            total += self._compared(gold, self._spans(captions[key]) if key in captions else {})
            self.n_captions += 1
            texts.append(f"{caption.text} {sorted(gold.items())}")
        if texts:
            self.counts[image.id] = Counts(*total.tolist())
            self.numbers += image_numbers([image.id], [texts]).tolist()

    def _spans(self, caption: Caption) -> Spans:
        """The types of a caption's phrases, by their spans counted without spaces."""
        return {
            (start, end): mention.types
            for start, end, mention in letter_spans(caption)
            if self.every or can_be_mention([token.word for token in sentence_tokens(caption.phrase(mention))])
        }

    def _compared(self, gold: Spans, found: Spans) -> Counts:
        exact = gold.keys() & found.keys()
        pairs = [(gold[span], found[span]) for span in exact]
        for types in gold.values():
            self.gold_by_type[_label(types)] += 1
        for types, called in pairs:
            self.exact_by_type[_label(types)] += 1
            self.confusions[_label(types), _label(called)] += 1
        visual = [(types, called) for types, called in pairs if NOT_VISUAL not in types]
        is_not = [(NOT_VISUAL in types, NOT_VISUAL in called) for types, called in pairs]
        return Counts(
            found=len(found),
            gold=len(gold),
            exact=len(exact),
            visual=len(visual),
            typed=sum(set(types) == set(called) for types, called in visual),
            judged_alike=sum(by_gold == by_system for by_gold, by_system in is_not),
            not_visual=sum(by_gold for by_gold, _ in is_not),
            called_not_visual=sum(by_system for _, by_system in is_not),
            rightly_not_visual=sum(by_gold and by_system for by_gold, by_system in is_not),
        )


def evaluate_phrases(
    results: Iterable[Image],
    gold: Iterable[Image],
    *,
    missing: Missing = "error",
    every: bool = False,
    place: str = "results",
) -> PhraseEvaluation:
    """The phrases of results against those of gold.

    A gold caption that the results lack is an error, or with `missing` has no
    phrase (`zero`) or is left out (`skip`). Gold captions without any phrase
    are left out. With `every`, pronouns and the like count as well. Results
    are held in memory, gold is read once.
    """
    image_by_id: dict[str, Image] = {}
    for image in results:
        if image.id in image_by_id:
            raise BadInput(place, f"image {shown(image.id)} appears twice", "give each its own id")
        image_by_id[image.id] = image
    evaluation = PhraseEvaluation(missing, every)
    for image in gold:
        evaluation.add(image, image_by_id.get(image.id), place)
    return evaluation


def _label(types: Iterable[str]) -> str:
    return "/".join(sorted(types)) or "none"


def _values(rows: Floats) -> Floats:
    """The values of sums of counts, NaN where there is nothing to divide by."""
    counts = Counts(*np.moveaxis(rows, -1, 0))
    parts = (
        (counts.exact, counts.found),
        (counts.exact, counts.gold),
        (2 * counts.exact, counts.found + counts.gold),
        (counts.typed, counts.visual),
        (counts.judged_alike, counts.exact),
        (counts.rightly_not_visual, counts.called_not_visual),
        (counts.rightly_not_visual, counts.not_visual),
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.stack([np.asarray(part, dtype=np.float64) / whole for part, whole in parts], axis=-1)
