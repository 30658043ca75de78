"""F1_all and F1_loc: are the right things named, and found where they are?

Zhou et al. (2019), "Grounded Video Description", section 5, as their tool
works it out for captions of images. Words are nouns of mentions; a word of a
gold caption is groundable if its mention refers to boxes. A caption is held
against each gold caption of its image in turn:

- Precision asks of each word of the caption: has the gold caption that word,
  and do boxes of the two mentions overlap by more than half (IoU > .5)? A word
  that the gold caption has without a box is not judged.
- Recall asks of each groundable word of the gold caption: has the caption it,
  with boxes that overlap so?

Where a word comes twice on the other side, its first mention there counts. A
mention that refers to several boxes is found if any of them is. Precision and
recall are taken for each word by itself, over the whole run, and averaged over
all groundable words; F1_all is their harmonic mean. F1_loc is the same over
correctly predicted words alone: those that both sides have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from limner.arrays import Floats
from limner.corpus.box import Box
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.errors import LimnerError, shown
from limner.score.metric import SHARE, Metric, Scope, Statistics
from limner.score.run import Run
from limner.score.wording import noun_of
from limner.text.noun_forms import singular
from limner.text.words import words

# How many groundable words count if none are named: as many as in the published figures on Flickr30k.
N_WORDS = 480


class Word(NamedTuple):
    """A noun of a caption, and the boxes that its mention refers to."""

    noun: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, eq=False)
class GroundedWords(Metric):
    """F1_all and F1_loc over some nouns: those given, or the most frequent groundable ones of the run.

    Where the run's results bring boxes, those are held against gold's, and
    overlap if their IoU is above the run's `match_iou`. `boxes` are the
    system's by image id, for captions of a run without them.
    """

    nouns: Collection[str] | None = None
    n_words: int = N_WORDS
    boxes: Mapping[str, Sequence[Box]] | None = None
    name: ClassVar[str] = "grounded_words"
    columns: ClassVar[tuple[str, ...]] = ("f1_all", "f1_loc")
    needs_images: ClassVar[bool] = True
    needs_mentions: ClassVar[bool] = True
    scope: ClassVar[Scope] = "run"

    def measure(self, run: Run) -> Statistics:
        """For every image and noun how often it was asked for and found, see `COUNTS`."""
        pairs = run.grounded_pairs(self.name)
        images = run.images or ()
        gold = [_gold_words(image, captions) for image, (captions, _) in zip(images, pairs, strict=True)]
        nouns = sorted(self.nouns) if self.nouns is not None else _frequent(gold, self.n_words)
        number = {noun: i for i, noun in enumerate(nouns)}
        rows = np.zeros((len(pairs), len(nouns), len(COUNTS)))
        result_boxes = run.result_boxes or [{}] * len(pairs)
        for row, image, (_, caption), drawn, people in zip(rows, images, pairs, result_boxes, gold, strict=True):
            said = list(self._said(image, caption, drawn))
            for theirs, all_words in people:
                _judge(row, number, said, theirs, all_words, run.match_iou)
        flat = rows.reshape(len(pairs), -1)
        choices = {
            "words": f"{len(nouns)} nouns" if self.nouns is None else f"{len(nouns)} given nouns",
            "iou": f">{run.match_iou:g}",
            "boxes": "gold" if self.boxes is None and run.result_boxes is None else "own",
            "several": "any box, first mention",
        }
        # Few images have few words, and each of them weighs more: a smaller run has a lower value.
        columns = range(len(self.columns))
        depends_on_run = self.nouns is None
        return Statistics(
            flat,
            _scores,
            _scores(flat),
            choices,
            depends_on_run,
            without_interval=columns,
            ranges=[SHARE] * len(columns),
        )

    def _said(self, image: Image, caption: Caption, drawn: Mapping[str, Box]) -> Iterator[Word]:
        boxes = image.boxes if self.boxes is None else self.boxes.get(image.id, ())
        return _words(caption, {**{box.id: box for box in boxes}, **drawn}, image.id)


# What is counted of a noun: for precision how often it was right, judged, and judged where gold has it too; for recall
# how often it was found, sought, and sought where the caption has it too.
COUNTS = ("right", "asked", "asked_loc", "found", "sought", "sought_loc")

# Of each gold caption the groundable words, and every word it has in the singular.
_Gold = list[tuple[list[Word], frozenset[str]]]


def _gold_words(image: Image, captions: Iterable[Caption]) -> _Gold:
    boxes = image.box_by_id()
    gold = []
    for caption in captions:
        groundable = [word for word in _words(caption, boxes, image.id) if word.boxes]
        gold.append((groundable, frozenset(map(singular, words(caption.text)))))
    return gold


def _words(caption: Caption, boxes: Mapping[str, Box], image: str) -> Iterator[Word]:
    for mention in caption.mentions:
        noun = noun_of(caption.phrase(mention))
        if noun is None:
            continue
        for id in mention.boxes:
            if id not in boxes:
                raise LimnerError(
                    f"image {shown(image)}: caption {shown(caption.id)} mentions box {shown(id)}, which is not there; "
                    "give the boxes that the captions name"
                )
        yield Word(noun, tuple(boxes[id] for id in mention.boxes))


def _frequent(gold: Iterable[_Gold], n: int) -> list[str]:
    """The n most frequent groundable nouns, in alphabetical order."""
    counted = Counter(word.noun for people in gold for theirs, _ in people for word in theirs)
    return sorted(sorted(counted, key=lambda noun: (-counted[noun], noun))[:n])


def _judge(
    row: Floats,
    number: Mapping[str, int],
    said: Sequence[Word],
    gold: Sequence[Word],
    gold_text: Collection[str],
    min_iou: float,
) -> None:
    """Add to an image's row `[nouns, counts]` what one gold caption says of its caption."""
    first_gold, first_said = _firsts(gold), _firsts(said)
    for word in said:
        if word.noun not in number:
            continue
        counts = row[number[word.noun]]
        if word.noun in first_gold:
            counts[:3] += (_overlap(word, first_gold[word.noun], min_iou), 1, 1)
        elif word.noun not in gold_text:
            counts[:3] += (0, 1, 0)
    for word in gold:
        if word.noun not in number:
            continue
        counts = row[number[word.noun]]
        if word.noun in first_said:
            counts[3:] += (_overlap(word, first_said[word.noun], min_iou), 1, 1)
        else:
            counts[3:] += (0, 1, 0)


def _firsts(said: Iterable[Word]) -> dict[str, Word]:
    first: dict[str, Word] = {}
    for word in said:
        first.setdefault(word.noun, word)
    return first


def _overlap(first: Word, second: Word, min_iou: float) -> bool:
    # More than the threshold, not as much, as in the paper's tool.
    return any(a.iou(b) > min_iou for a in first.boxes for b in second.boxes)


def _scores(sums: Floats) -> Floats:
    """F1_all, NaN where nothing is groundable, and F1_loc, NaN where no word was predicted correctly."""
    counts = sums.reshape(*sums.shape[:-1], -1, len(COUNTS))
    right, asked, asked_loc, hits, sought, sought_loc = np.moveaxis(counts, -1, 0)
    n = (sought > 0).sum(axis=-1)
    f1_all = _harmonic(_macro(right, asked, n), _macro(hits, sought, n))
    f1_loc = _harmonic(_macro(right, asked_loc, n), _macro(hits, sought_loc, n))
    has_any = sought_loc.sum(axis=-1) > 0
    return np.stack([np.where(n > 0, f1_all, np.nan), np.where(has_any, f1_loc, np.nan)], axis=-1)


def _macro(hits: Floats, n_asked: Floats, n_words: Floats) -> Floats:
    """The sum over nouns of their share of hits, over the number of groundable nouns."""
    shares = np.divide(hits, n_asked, out=np.zeros_like(hits), where=n_asked > 0).sum(axis=-1)
    return np.asarray(shares / np.maximum(n_words, 1), dtype=np.float64)


def _harmonic(a: Floats, b: Floats) -> Floats:
    total = a + b
    return np.divide(2.0 * a * b, total, out=np.zeros_like(total), where=total > 0)
