"""People's judgements of captions: who gave which caption of which image what, on which scale."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from limner.arrays import Booleans, Floats, Integers
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, shown

# Raters that one judgement may stand for; more is a mistake.
MAX_COUNT = 1_000_000

# The rater of a judgement of which only the value is known.
UNNAMED = -1


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one rater, or `count` unnamed raters, said of a caption as a description of an image.

    `caption` is its id or its text, `value` a number of the scale, `rater`
    None if the raters are not named, `system` the caption's author, None if
    it is not known.
    """

    image: str
    caption: str
    value: float
    rater: str | None = None
    count: int = 1
    system: str | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Judgements:
    """Judgements on one scale, in columns.

    A pair is an image and a caption of one system; `pairs` are in the order of
    their first judgements, and pair p is by `systems[p]`, None if nobody says.
    One caption of two systems makes two pairs. Judgement i is of
    `pairs[pair[i]]`, by `raters[rater[i]]` (or by somebody UNNAMED), has
    `value[i]`, and stands for `count[i]` raters. Raters may have judged some
    of the pairs only. `notes` say what a reader of the figures must know.
    """

    scale: Scale
    pairs: list[tuple[str, str]]
    raters: list[str]
    pair: Integers
    rater: Integers
    value: Floats
    count: Integers
    notes: tuple[str, ...] = ()
    systems: Sequence[str | None] = ()

    def __post_init__(self) -> None:
        if not self.systems:
            object.__setattr__(self, "systems", [None] * len(self.pairs))
        if len(self.systems) != len(self.pairs):
            raise ValueError(f"{len(self.systems):,} systems of {len(self.pairs):,} pairs")

    @classmethod
    def of(cls, scale: Scale, judgements: Iterable[Judgement], notes: tuple[str, ...] = ()) -> Judgements:
        """The judgements in columns; a rater may judge a caption of a system once."""
        gathering = Gathering()
        for number, judgement in enumerate(judgements):
            gathering.add(judgement, number)
        return gathering.judgements(scale, "judgements", Reading(), notes)

    def __len__(self) -> int:
        return len(self.pair)

    def __iter__(self) -> Iterator[Judgement]:
        for pair, rater, value, count in zip(
            self.pair.tolist(), self.rater.tolist(), self.value.tolist(), self.count.tolist(), strict=True
        ):
            image, caption = self.pairs[pair]
            name = None if rater == UNNAMED else self.raters[rater]
            yield Judgement(image, caption, value, name, count, self.systems[pair])

    @property
    def n_ratings(self) -> int:
        """The number of ratings: a judgement counts once for each rater that it stands for."""
        return int(self.count.sum())

    @property
    def images(self) -> list[str]:
        """The images, in the order of their first judgements."""
        return list(dict.fromkeys(image for image, _ in self.pairs))

    @property
    def system_names(self) -> list[str]:
        """The systems that are named, in the order of their first judgements."""
        return [system for system in dict.fromkeys(self.systems) if system is not None]

    def image_of_pair(self) -> Integers:
        """For each pair the number of its image in `images`."""
        number = {image: i for i, image in enumerate(self.images)}
        return np.array([number[image] for image, _ in self.pairs], dtype=np.int64)

    def means(self) -> Floats:
        """The mean judgement of each pair; on a scale of yes and no, the share of yes."""
        n = np.bincount(self.pair, self.count, len(self.pairs))
        return np.asarray(np.bincount(self.pair, self.count * self.value, len(self.pairs)) / n, dtype=np.float64)

    def without_own(self) -> Judgements:
        """The judgements of captions that are not their image's own, which have ids like `IMAGE#2`."""
        is_own = (caption.rpartition("#")[0] == image for image, caption in self.pairs)
        return self.select(~np.fromiter(is_own, dtype=np.bool_, count=len(self.pairs)))

    def select(self, wanted: Booleans) -> Judgements:
        """The judgements of some of the pairs: those that are true in `wanted`."""
        number = np.cumsum(wanted) - 1
        is_kept = wanted[self.pair]
        return Judgements(
            self.scale,
            [pair for pair, is_wanted in zip(self.pairs, wanted.tolist(), strict=True) if is_wanted],
            self.raters,
            np.asarray(number[self.pair[is_kept]], dtype=np.int64),
            self.rater[is_kept],
            self.value[is_kept],
            self.count[is_kept],
            self.notes,
            [system for system, is_wanted in zip(self.systems, wanted.tolist(), strict=True) if is_wanted],
        )


@dataclass(slots=True)
class Gathering:
    """Judgements as they are read, each with the number of its line."""

    _pairs: dict[tuple[str, str, str | None], int] = field(default_factory=dict)
    _raters: dict[str, int] = field(default_factory=dict)
    _pair: array[int] = field(default_factory=lambda: array("q"))
    _rater: array[int] = field(default_factory=lambda: array("q"))
    _value: array[float] = field(default_factory=lambda: array("d"))
    _count: array[int] = field(default_factory=lambda: array("q"))
    _line: array[int] = field(default_factory=lambda: array("q"))

    def add(self, judgement: Judgement, line: int) -> None:
        rater, count = judgement.rater, judgement.count
        if not 1 <= count <= MAX_COUNT or (rater is not None and count != 1):
            what = f"from 1 to {MAX_COUNT:,}" if rater is None else "1 where the rater is named"
            raise ValueError(f"a judgement stands for {shown(count)} raters; give {what}")
        key = judgement.image, judgement.caption, judgement.system
        self._pair.append(self._pairs.setdefault(key, len(self._pairs)))
        self._rater.append(UNNAMED if rater is None else self._raters.setdefault(rater, len(self._raters)))
        self._value.append(judgement.value)
        self._count.append(count)
        self._line.append(line)

    def judgements(self, scale: Scale, source: str, reading: Reading, notes: tuple[str, ...] = ()) -> Judgements:
        """All of them. What a rater said of a pair a second time raises an error, or is left out and counted."""
        if not self._pair:
            raise LimnerError(f"{source}: there is no judgement in it; is it the right file?")
        pair, rater, count, line = (
            np.array(column, dtype=np.int64) for column in (self._pair, self._rater, self._count, self._line)
        )
        value = np.array(self._value, dtype=np.float64)
        is_kept = ~_again(pair, rater, len(self._raters))
        keys, raters = list(self._pairs), list(self._raters)
        for i in np.flatnonzero(~is_kept).tolist():
            image, caption, system = keys[pair[i]]
            author = "" if system is None else f" by {shown(system)}"
            problem = (
                f"{shown(raters[rater[i]])} judged caption {shown(caption)}{author} of image {shown(image)} before"
            )
            # The same text of two systems is two captions, if the file says so.
            remedy = "keep one of the two" if system else "keep one of the two, or name the system of each"
            reading.skip("repeated judgement", BadInput(f"{source}:{line[i]}", problem, remedy))
        columns = pair[is_kept], rater[is_kept], value[is_kept], count[is_kept]
        systems = [system for _, _, system in keys]
        return Judgements(scale, [key[:2] for key in keys], raters, *columns, notes, systems)


def _again(pair: Integers, rater: Integers, n_raters: int) -> Booleans:
    """Which judgements repeat an earlier one of the same pair by the same rater."""
    repeated = np.zeros(len(pair), dtype=np.bool_)
    named = np.flatnonzero(rater != UNNAMED)
    # Unnamed raters may be different people each time: they cannot repeat themselves.
    key = pair[named] * max(n_raters, 1) + rater[named]
    _, first = np.unique(key, return_index=True)
    repeated[named] = True
    repeated[named[first]] = False
    return repeated


# At most 15 digits: a float holds whole numbers of that size exactly.
RANGE = re.compile(r"(-?[0-9]{1,15}(?:\.[0-9]{1,15})?)-(-?[0-9]{1,15}(?:\.[0-9]{1,15})?)")

Answer = int | float | str


@dataclass(frozen=True, slots=True)
class Scale:
    """The possible answers, described by the scale's name.

    `1-4` means the whole numbers from 1 to 4; `0.0-1.0`, with a decimal point,
    all numbers in between; `yes/no` means these words, the best first, which
    count down to 0: yes is 1 and no is 0.
    """

    name: str
    low: float
    high: float
    is_whole: bool
    words: tuple[str, ...] = ()

    @classmethod
    def named(cls, name: str) -> Scale:
        """The scale of this name; raises ValueError if it is not one."""
        if "/" in name:
            words = tuple(name.split("/"))
            if "" in words or len(set(words)) < len(words):
                raise ValueError(f"{shown(name)} is not a scale: its words must be filled and distinct")
            return cls(name, 0, len(words) - 1, True, words)
        match = RANGE.fullmatch(name)
        if match is None or not float(match[1]) < float(match[2]):
            raise ValueError(f"{shown(name)} is not a scale: write it like '1-4', '0.0-1.0' or 'yes/no'")
        return cls(name, float(match[1]), float(match[2]), "." not in name)

    def value(self, answer: Answer) -> float:
        """The number of an answer; raises ValueError if the scale does not have it."""
        if self.words:
            if answer not in self.words:
                raise ValueError(f"{shown(answer)} is not an answer on the scale {shown(self.name)}")
            return float(len(self.words) - 1 - self.words.index(str(answer)))
        if isinstance(answer, str) or not self.low <= answer <= self.high:
            raise ValueError(f"{shown(answer)} is not an answer on the scale {shown(self.name)}")
        if self.is_whole and answer != int(answer):
            raise ValueError(f"{shown(answer)} is not a whole number, as answers on the scale {shown(self.name)} are")
        return float(answer)

    def answer(self, value: float) -> Answer:
        """The answer of a number, as it is written to files."""
        if self.words:
            return self.words[len(self.words) - 1 - int(value)]
        return int(value) if self.is_whole else value


# How well a caption describes its image (Hodosh et al. 2013): 1 not at all, 4 without error.
EXPERT = Scale.named("1-4")

# Whether a caption describes its image, minor errors forgiven.
CROWD = Scale.named("yes/no")

# The share of the raters who said yes, where their number is not known.
SHARE = Scale.named("0.0-1.0")
