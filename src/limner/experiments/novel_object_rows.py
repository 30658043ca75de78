"""The rows of the novel-object experiment: which captioner or baseline, whose boxes, what captions have to mention.

A row names everything that could change its captions but the images. To put a
new captioner beside the others, add its rows to `ROWS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from limner.caption.captioner_config import CaptionerKind as Model
from limner.caption.captioner_config import WordKind

# What makes the captions of a row.
System = Literal["captioner", "realiser", "retrieval", "people"]

# Whose boxes a captioner looks at, and what its captions have to mention.
Regions = Literal["detected", "gold"]
Asked = Literal["nothing", "detected", "gold", "random", "novel"]

# Words of a captioner: learnt, or those of the config, which are GloVe's unless it names others.
Words = Literal["learnt", "embeddings", "glove", "glove+dependency"]


class CaptionerKind(NamedTuple):
    """A captioner that rows share: its model, and what words are to it."""

    name: str
    model: Model
    words: Words


class Filters(NamedTuple):
    """Which boxes give constraints: all but those of excluded classes, and of two in one place the more special."""

    classes: bool = True
    overlap: bool = True

    @property
    def described(self) -> str:
        """What the paper's Table 6 calls them."""
        if self.classes and self.overlap:
            return "both filters"
        if not self.classes and not self.overlap:
            return "w/o both"
        return "w/o overlap" if self.classes else "w/o class"


class RowSpec(NamedTuple):
    """A row: its name, what makes its captions, whose boxes are looked at, what is asked for, by which filters.

    `free` is the row that differs from it only in that nothing is asked for.
    """

    name: str
    system: System = "captioner"
    captioner: CaptionerKind | None = None
    regions: Regions = "detected"
    asked: Asked = "nothing"
    filters: Filters = Filters()
    free: str = ""

    @property
    def slug(self) -> str:
        """The name as files and sources have it."""
        letters = (letter.lower() if letter.isalnum() else "-" for letter in self.name)
        return "-".join(filter(None, "".join(letters).split("-")))

    @property
    def boxes_used(self) -> str:
        """Whose boxes captions are made of, as the table says it."""
        if self.system == "people":
            return "pictures"
        if self.asked in ("nothing", "detected", "novel"):
            return self.regions
        if self.asked == "random":
            return f"{self.regions}; constraints at random"
        return self.regions if self.regions == "gold" else f"{self.regions}; constraints gold"


UP_DOWN = CaptionerKind("up-down", "up-down", "learnt")
WORDED = CaptionerKind("up-down-embeddings", "up-down", "embeddings")
GRAMMAR = CaptionerKind("up-down-gd", "up-down", "glove+dependency")
NBT = CaptionerKind("nbt", "nbt", "glove")

BASE = "Up-Down"
EMBEDDED = "Up-Down + embeddings"
HUMAN = "Human"

ROWS: tuple[RowSpec, ...] = (
    RowSpec(BASE, captioner=UP_DOWN),
    RowSpec("Up-Down + CBS", captioner=UP_DOWN, asked="detected", free=BASE),
    RowSpec(EMBEDDED, captioner=WORDED),
    RowSpec("Up-Down + embeddings + CBS", captioner=WORDED, asked="detected", free=EMBEDDED),
    RowSpec("Up-Down + embeddings + CBS, novel classes only", captioner=WORDED, asked="novel", free=EMBEDDED),
    RowSpec("Up-Down + embeddings + CBS + GT", captioner=WORDED, asked="gold", free=EMBEDDED),
    RowSpec("Up-Down + embeddings + random constraints", captioner=WORDED, asked="random", free=EMBEDDED),
    RowSpec("NBT", captioner=NBT),
    RowSpec("NBT + CBS", captioner=NBT, asked="detected", free="NBT"),
    RowSpec("NBT + GT", captioner=NBT, regions="gold"),
    RowSpec("NBT + CBS + GT", captioner=NBT, regions="gold", asked="gold", free="NBT + GT"),
    RowSpec("Realiser", "realiser"),
    RowSpec("Consensus retrieval", "retrieval"),
    RowSpec(HUMAN, "people"),
)

# The three captioners of the paper's Table 6, here by their words.
FILTERED: tuple[tuple[str, CaptionerKind], ...] = (
    ("Up-Down + CBS", UP_DOWN),
    ("Up-Down + embeddings + CBS", WORDED),
    ("Up-Down + GloVe and grammar + CBS", GRAMMAR),
)
FILTERS = (Filters(False, False), Filters(False, True), Filters(True, False), Filters())


def table_rows(*, has_gold: bool, has_gold_regions: bool = True) -> list[RowSpec]:
    """The rows of the main table: those that need no gold boxes, or no regions that are gold, where there are none."""
    return [
        row
        for row in ROWS
        if (has_gold or row.asked != "gold") and ((has_gold and has_gold_regions) or row.regions != "gold")
    ]


def filter_rows() -> Iterator[tuple[str, RowSpec]]:
    """The rows of Table 6, each after what it is called without its filters."""
    for name, captioner in FILTERED:
        for filters in FILTERS:
            is_usual = filters == Filters()
            full = name if is_usual else f"{name} {filters.described}"
            yield name, RowSpec(full, captioner=captioner, asked="detected", filters=filters)


def embedding_kind(kind: WordKind | None) -> WordKind:
    """What the words of the rows with embeddings are: those of the config, or GloVe's if it names none but learnt."""
    return "glove" if kind is None or kind == "learnt" else kind
