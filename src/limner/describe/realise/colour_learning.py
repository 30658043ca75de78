"""Learning which colours boxes have, from captions' colours and features of the boxes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from limner.arrays import Floats
from limner.corpus.caption import LABEL_SOURCE
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.describe.realise.picture_colours import COLOURS, BoxFeatures, ColourModel, rows_of_boxes, usual_colours
from limner.describe.realise.thing_names import name_of
from limner.learn.dense_logistic import fit_dense_logistic
from limner.text.phrases import qualities

# A colour must be said of so many boxes, and a noun have so many, in this share of its mentions, to be learnt.
MIN_BOXES = 20
MIN_OF_NOUN = 5
MIN_SHARE = 0.1

# A threshold is the lowest at which captions confirm this share of colours, of images held out for that.
PRECISE = 0.8
HELD_OUT = 0.25
THRESHOLDS = tuple(round(0.6 + 0.05 * i, 2) for i in range(8))

# How strongly weights are drawn to 0.
SHRINKAGE = 20.0


class _Row(NamedTuple):
    """A box that captions give a colour."""

    is_held_out: bool
    noun: str
    colours: frozenset[str]
    features: Floats


class ColourLearner:
    """Collects boxes with their features and the colours that captions give them."""

    def __init__(self, features: BoxFeatures, seed: int = 0) -> None:
        self._features = features
        self._seed = seed
        self._rows: list[_Row] = []
        self._mentions: Counter[str] = Counter()
        self._coloured: Counter[str] = Counter()

    def add(self, image: Image) -> None:
        """Take in an image and all that people said of it: who sees a picture learns from whatever is known of it."""
        if image.id not in self._features:
            return
        boxes = image.box_by_id()
        colours: defaultdict[str, set[str]] = defaultdict(set)
        for caption in image.captions:
            for mention in caption.mentions if caption.source in ("gold", LABEL_SOURCE) else ():
                if len(mention.boxes) != 1 or mention.boxes[0] not in boxes:
                    continue
                (id,) = mention.boxes
                name = name_of(boxes[id].label, boxes[id].types)
                if name.kind != "people":
                    said = colours_of(caption.phrase(mention))
                    colours[id] |= said
                    self._mentions[name.noun] += 1
                    self._coloured[name.noun] += bool(said)
        ids = [id for id, said in colours.items() if said]
        if not ids:
            return
        is_held_out = random_stream("colours", self._seed, image.id).random() < HELD_OUT
        rows = rows_of_boxes(self._features, image, [boxes[id] for id in ids])
        for id, row in zip(ids, rows, strict=True):
            noun = name_of(boxes[id].label, boxes[id].types).noun
            self._rows.append(_Row(is_held_out, noun, frozenset(colours[id]), row))

    def model(self) -> ColourModel | None:
        """What was learnt; None if no colour was said often enough."""
        fitted = self._fitted([row for row in self._rows if not row.is_held_out])
        if fitted is None:
            return None
        threshold, precision = _threshold(fitted, [row for row in self._rows if row.is_held_out])
        model = self._fitted(self._rows)
        return None if model is None else replace(model, threshold=threshold, precision=round(precision, 3))

    def _fitted(self, rows: Sequence[_Row]) -> ColourModel | None:
        counts = Counter(colour for row in rows for colour in row.colours)
        colours = sorted(colour for colour, n in counts.items() if n >= MIN_BOXES)
        if not colours:
            return None
        nouns = _by_noun(rows)
        features = np.array([row.features for row in rows])
        means, scales = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-3)
        scaled = (features - means) / scales
        usual = np.array([usual_colours(nouns, row.noun, colours) for row in rows])
        weights: dict[str, list[float]] = {}
        for column, colour in enumerate(colours):
            targets = np.array([float(colour in row.colours) for row in rows])
            # The noun counts as much as it helps: it is one of the features.
            both = np.hstack([usual[:, column : column + 1], scaled])
            intercept, learnt = fit_dense_logistic(both, targets, shrinkage=SHRINKAGE)
            weights[colour] = [round(float(weight), 4) for weight in (intercept, *learnt)]
        return ColourModel(
            signature=self._features.signature,
            means=means.round(6).tolist(),
            scales=scales.round(6).tolist(),
            weights=weights,
            nouns=nouns,
            said=self._said(),
            threshold=1.0,
            precision=0.0,
        )

    def _said(self) -> dict[str, float]:
        """The share of captions that give things of a noun a colour, of nouns of which they do so often enough."""
        shares = {noun: n / self._mentions[noun] for noun, n in sorted(self._coloured.items()) if n >= MIN_OF_NOUN}
        return {noun: round(share, 3) for noun, share in shares.items() if share >= MIN_SHARE}


def colours_of(phrase: str) -> set[str]:
    """The colours that a phrase gives to what it is about."""
    return {"gray" if word == "grey" else word for word in qualities(phrase)} & COLOURS


def _by_noun(rows: Sequence[_Row]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {"": Counter()}
    for row in rows:
        counts[""].update(row.colours)
        counts.setdefault(row.noun, Counter()).update(row.colours)
    return {
        noun: dict(sorted(of_noun.items()))
        for noun, of_noun in sorted(counts.items())
        if not noun or of_noun.total() >= MIN_OF_NOUN
    }


def _threshold(model: ColourModel, rows: Sequence[_Row]) -> tuple[float, float]:
    """The lowest threshold from which on enough colours are right, and their share; 1 if there is none."""
    names = list(model.weights)
    best: list[tuple[float, bool]] = []
    for row in rows:
        p = model.probabilities(row.noun, row.features[None])[0]
        best.append((float(p.max()), names[int(p.argmax())] in row.colours))
    for threshold in THRESHOLDS:
        right = [is_right for p, is_right in best if p >= threshold]
        if len(right) >= MIN_BOXES and sum(right) >= PRECISE * len(right):
            return threshold, sum(right) / len(right)
    return 1.0, 0.0
