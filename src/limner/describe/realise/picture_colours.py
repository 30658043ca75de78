"""Colours that boxes have in their pictures: predicted from features of the boxes, and left unsaid where unsure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, NamedTuple, Protocol

import msgspec
import numpy as np
from msgspec.structs import replace

from limner.arrays import Floats, Singles
from limner.corpus.box import Box
from limner.corpus.image import Image
from limner.describe.realise.thing_names import name_of
from limner.errors import BadInput, shown
from limner.text.lexicon import COMMON_COLOURS, SHADES, word_set

# The colours that are learnt and said.
COLOURS = word_set("black white gray red orange yellow green blue purple pink brown tan")

# So many captions of any noun weigh as much as those of one.
PRIOR = 10.0

# Pixels that a corner may have moved since features were computed: formats round.
MAX_SHIFT = 1.0

Number = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]


class BoxFeatures(Protocol):
    """Features of the boxes of images, as a store has them: `[boxes, n_dims]` for an image's boxes, by their ids."""

    @property
    def folder(self) -> Path: ...

    @property
    def signature(self) -> str: ...

    @property
    def n_dims(self) -> int: ...

    def __contains__(self, image_id: object) -> bool: ...

    def boxes(self, image_id: str) -> Sequence[Box]: ...

    def features(self, image_id: str, box_ids: Sequence[str] | None = None) -> Singles: ...


def rows_of_boxes(features: BoxFeatures, image: Image, boxes: Sequence[Box]) -> Floats:
    """The features of some of an image's boxes; an error if they were computed for boxes that lie elsewhere.

    Ids alone do not tell: detectors number their boxes in every run anew.
    """
    corners_by_id = {box.id: box.corners for box in features.boxes(image.id)}
    for box in boxes:
        corners = corners_by_id.get(box.id, box.corners)
        if max(abs(a - b) for a, b in zip(box.corners, corners, strict=True)) > MAX_SHIFT:
            problem = f"box {shown(box.id)} of image {shown(image.id)} lies elsewhere than the one with features"
            raise BadInput(str(features.folder), problem, "compute features of these boxes", code="other-boxes")
    return features.features(image.id, [box.id for box in boxes]).astype(np.float64)


class PictureColour(NamedTuple):
    """A colour that a box has in its picture, and how likely it is that people would call it so."""

    colour: str
    probability: float


class ColourModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """Which colour a box has, by logistic regression over its features and the colours that things of its noun have.

    `signature` is that of the features. `weights` are by colour: the intercept,
    the weight of how often things of the noun have the colour (a logarithm), and
    one for each feature, after `means` are subtracted and divided by `scales`.
    `nouns` counts by noun and colour, and `said` the share of captions that
    give a thing of the noun a colour. Less than `threshold` is not said;
    `precision` is the share of colours above it that captions confirmed, on
    images that nothing was fitted to.
    """

    signature: str
    means: list[Number]
    scales: list[Number]
    weights: dict[str, list[Number]]
    nouns: dict[str, dict[str, Count]]
    said: dict[str, Annotated[float, msgspec.Meta(ge=0, le=1)]]
    threshold: Annotated[float, msgspec.Meta(ge=0, le=1)]
    precision: Annotated[float, msgspec.Meta(ge=0, le=1)]

    def check(self, features: BoxFeatures) -> None:
        """Raise an error for features of another kind than the weights are for."""
        if features.signature != self.signature or features.n_dims != len(self.means):
            problem = f"has features {shown(features.signature)}, but colours were learnt from {shown(self.signature)}"
            raise BadInput(str(features.folder), problem, "compute features in the same way", code="other-features")

    def probabilities(self, noun: str, features: Floats) -> Floats:
        """How likely each colour is for boxes of a noun, `[boxes, colours]`, in the order of `weights`."""
        scaled = (features - self._table.means) / self._table.scales
        scores = self._table.intercepts + self._table.of_nouns * self._usual(noun) + scaled @ self._table.of_features
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(scores, -30.0, 30.0))), dtype=np.float64)

    def colour(self, noun: str, features: Floats) -> PictureColour | None:
        """The colour to say of a box of a noun; None where unsure, or where people hardly give such things a colour."""
        if noun not in self.said:
            return None
        p = self.probabilities(noun, features[None])[0]
        best = int(p.argmax())
        if p[best] < self.threshold:
            return None
        return PictureColour(list(self.weights)[best], round(float(p[best]), 3))

    def _usual(self, noun: str) -> Floats:
        return usual_colours(self.nouns, noun, list(self.weights))

    @cached_property
    def _table(self) -> _Table:
        rows = np.array(list(self.weights.values()), dtype=np.float64)
        return _Table(np.array(self.means), np.array(self.scales), rows[:, 0], rows[:, 1], rows[:, 2:].T)


class _Table(msgspec.Struct, frozen=True):
    means: Floats
    scales: Floats
    intercepts: Floats
    of_nouns: Floats
    of_features: Floats


def usual_colours(nouns: dict[str, dict[str, int]], noun: str, colours: Sequence[str]) -> Floats:
    """The logarithm of the share of each colour among those of things of a noun, smoothed by those of all ("")."""
    every, of_noun = nouns.get("", {}), nouns.get(noun, {})
    n = sum(every.values()) + len(colours)
    shares = np.array([(every.get(colour, 0) + 1.0) / n for colour in colours])
    counts = np.array([float(of_noun.get(colour, 0)) for colour in colours])
    return np.asarray(np.log((counts + PRIOR * shares) / (counts.sum() + PRIOR)), dtype=np.float64)


def with_colours(
    image: Image, selected: Sequence[str], model: ColourModel, features: BoxFeatures
) -> tuple[Image, dict[str, PictureColour]]:
    """The image whose selected boxes have the colours of their pictures, and these by box.

    Boxes with a colour of their own keep it, and people have none.
    """
    if image.id not in features:
        return image, {}
    colours: dict[str, PictureColour] = {}
    chosen = set(selected)
    boxes = [box for box in image.boxes if box.id in chosen and _may_have_colour(box)]
    if not boxes:
        return image, {}
    rows = rows_of_boxes(features, image, boxes)
    for box, row in zip(boxes, rows, strict=True):
        if (colour := model.colour(name_of(box.label, box.types).noun, row)) is not None:
            colours[box.id] = colour
    if not colours:
        return image, {}
    coloured = (
        replace(box, attributes=(*box.attributes, colours[box.id].colour)) if box.id in colours else box
        for box in image.boxes
    )
    return replace(image, boxes=tuple(coloured)), colours


def _may_have_colour(box: Box) -> bool:
    if name_of(box.label, box.types).kind == "people":
        return False
    return not any(attribute.lower() in _NAMED for attribute in box.attributes)


_NAMED = COMMON_COLOURS | SHADES


def colour_faults(model: ColourModel) -> Iterator[str]:
    """What no learning would have written, in words."""
    if len(model.means) != len(model.scales) or any(scale <= 0.0 for scale in model.scales):
        yield "colours: means and scales are not of the same features"
    if not model.weights:
        yield "colours: there are none"
    for colour, weights in model.weights.items():
        if colour not in COLOURS:
            yield f"colours: {shown(colour)} is not a colour"
        if len(weights) != len(model.means) + 2:
            yield f"colours: {shown(colour)} has not a weight for each feature"
