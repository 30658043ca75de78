"""How likely it is that something is said of an image, and that it is true, by the boxes that are there.

Both are predicted by logistic regression over clues: which nouns the boxes
have, how many of each, how large. The weights are in the file by name, so that
every prediction can be taken apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec
import numpy as np

from limner.arrays import Floats, Integers, Singles
from limner.corpus.box import Box
from limner.corpus.image import Image
from limner.describe.realise.thing_layout import Frame, layout
from limner.describe.realise.thing_names import name_of

# Shares of the picture from which on a thing is large, and below which it is small.
LARGE, SMALL = 0.25, 0.05

# Numbers of boxes, and of boxes of one noun, that make a difference.
SEVERAL = (1, 3, 8, 15)
SEVERAL_ALIKE = (1, 4)


# People, and nouns of other things, that are compared with each other.
MOST_PEOPLE, MOST_NOUNS = 4, 12


def clues(image: Image) -> list[str]:
    """What there is to go by: nouns, their numbers and sizes, what people meet, kinds, and the number of boxes."""
    numbers: Counter[str] = Counter()
    kinds: dict[str, str] = {}
    largest: dict[str, Box] = {}
    people: list[Box] = []
    picture = _area(image)
    for box in image.boxes:
        name = name_of(box.label, box.types)
        numbers[name.noun] += 1
        kinds[name.noun] = name.kind
        if name.kind == "people":
            people.append(box)
        if name.noun not in largest or box.area > largest[name.noun].area:
            largest[name.noun] = box
    names = [f"kind {kind}" for kind in dict.fromkeys(kinds.values())]
    for noun, n in numbers.items():
        names.append(noun)
        names += [f"{noun} > {least}" for least in SEVERAL_ALIKE if n > least]
        share = largest[noun].area / picture
        names += [f"large {noun}"] if share >= LARGE else [f"small {noun}"] if share < SMALL else []
    people = sorted(people, key=lambda box: -box.area)[:MOST_PEOPLE]
    met = [noun for noun, kind in kinds.items() if kind != "people"][:MOST_NOUNS] if people else []
    for noun in met:
        names += [f"{noun} {how}"] if (how := _meeting(people, largest[noun])) else []
    return names + [f"boxes > {least}" for least in SEVERAL if len(image.boxes) > least]


def _meeting(people: Sequence[Box], thing: Box) -> str:
    """How somebody meets a thing: "under people" if they are on it, by their boxes, otherwise "beside people"."""
    how = ""
    for person in people:
        lies = layout(Frame(*person.corners), Frame(*thing.corners))
        if lies.touching:
            if lies.up > 0 and lies.bottom > 0 and lies.x_overlap:
                return "under people"
            how = "beside people"
    return how


def _area(image: Image) -> float:
    """The area of the picture; of one whose size is not known, that of its boxes."""
    if image.width and image.height:
        return float(image.width * image.height)
    x0, y0 = (min((getattr(box, side) for box in image.boxes), default=0.0) for side in ("x0", "y0"))
    x1, y1 = (max((getattr(box, side) for box in image.boxes), default=0.0) for side in ("x1", "y1"))
    return max(1.0, (x1 - x0) * (y1 - y0))


class Evidence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """What clues say for and against each outcome: by outcome, the weight of each clue. The clue "" always holds."""

    weights: dict[str, dict[str, float]]

    @classmethod
    def of(cls, outcomes: Sequence[str], names: Sequence[str], intercepts: Floats, weights: Floats) -> Evidence:
        """From matrices: weights are `[clues, outcomes]`. Those that matter little are dropped."""
        rounded = np.round(weights, 2)
        return cls(
            weights={
                outcome: {
                    "": round(float(intercepts[column]), 3),
                    **{names[row]: float(rounded[row, column]) for row in np.flatnonzero(rounded[:, column]).tolist()},
                }
                for column, outcome in enumerate(outcomes)
            }
        )

    def probabilities(self, names: Sequence[str]) -> Floats:
        """The probability of every outcome, in the order of `outcomes`, given the clues that hold."""
        table = self._table
        rows = [0, *(row for name in names if (row := table.row_by_clue.get(name)) is not None)]
        return np.asarray(1.0 / (1.0 + np.exp(-table.matrix[rows].sum(axis=0))), dtype=np.float64)

    @property
    def outcomes(self) -> list[str]:
        return list(self.weights)

    def reasons(self, outcome: str, names: Sequence[str], most: int = 3) -> list[tuple[str, float]]:
        """The clues that speak most for an outcome, with their weights."""
        of_outcome = self.weights[outcome]
        held = [(name, of_outcome[name]) for name in names if of_outcome.get(name, 0.0) > 0.0]
        return sorted(held, key=lambda item: (-item[1], item[0]))[:most]

    @cached_property
    def _table(self) -> _Table:
        names = {"": 0}
        for of_outcome in self.weights.values():
            for name in of_outcome:
                names.setdefault(name, len(names))
        matrix = np.zeros((len(names), len(self.weights)))
        for column, of_outcome in enumerate(self.weights.values()):
            for name, weight in of_outcome.items():
                matrix[names[name], column] = weight
        return _Table(names, matrix)


class _Table(msgspec.Struct, frozen=True):
    row_by_clue: Mapping[str, int]
    matrix: Floats


class ClueRows:
    """The clues of many images as numbers, for learning: clues that few images have are left out."""

    def __init__(self, clues_of_images: Sequence[Sequence[str]], least: int, most: int) -> None:
        counts = Counter(name for names in clues_of_images for name in names)
        frequent = sorted((name for name, n in counts.items() if n >= least), key=lambda name: (-counts[name], name))[
            :most
        ]
        self.names = frequent
        number = {name: i for i, name in enumerate(frequent)}
        self.rows: list[Integers] = [
            np.array(sorted(number[name] for name in names if name in number), dtype=np.int64)
            for names in clues_of_images
        ]

    def matrix(self) -> Singles:
        """The clues as a matrix `[images, clues + 1]` of zeros and ones; the last column is always one."""
        matrix = np.zeros((len(self.rows), len(self.names) + 1), dtype=np.float32)
        for number, row in enumerate(self.rows):
            matrix[number, row] = 1.0
        matrix[:, -1] = 1.0
        return matrix
