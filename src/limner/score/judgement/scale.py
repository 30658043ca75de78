"""What a rater could answer, and the numbers that answers are."""

from __future__ import annotations

import re
from dataclasses import dataclass

from limner.errors import shown

RANGE = re.compile(r"(-?[0-9]{1,15}(?:\.[0-9]{1,15})?)-(-?[0-9]{1,15}(?:\.[0-9]{1,15})?)")

Answer = int | float | str


@dataclass(frozen=True, slots=True)
class Scale:
    """The answers there are, by the scale's name.

    `1-4` are the whole numbers from 1 to 4; `0.0-1.0`, with a decimal point,
    every number between; `yes/no` are words, the best first, which count down
    to 0: yes is 1 and no is 0.
    """

    name: str
    low: float
    high: float
    is_whole: bool
    words: tuple[str, ...] = ()

    @classmethod
    def named(cls, name: str) -> Scale:
        """The scale of this name; ValueError where it is none."""
        if "/" in name:
            words = tuple(name.split("/"))
            if "" in words or len(set(words)) < len(words):
                raise ValueError(f"{shown(name)} is no scale: each of its words must be there, once")
            return cls(name, 0, len(words) - 1, True, words)
        match = RANGE.fullmatch(name)
        if match is None or not float(match[1]) < float(match[2]):
            raise ValueError(f"{shown(name)} is no scale: write it like '1-4', '0.0-1.0' or 'yes/no'")
        return cls(name, float(match[1]), float(match[2]), "." not in name)

    def value(self, answer: Answer) -> float:
        """The number that an answer is; ValueError where it is none of this scale."""
        if self.words:
            if answer not in self.words:
                raise ValueError(f"{shown(answer)} is no answer on the scale {shown(self.name)}")
            return float(len(self.words) - 1 - self.words.index(str(answer)))
        if isinstance(answer, str) or not self.low <= answer <= self.high:
            raise ValueError(f"{shown(answer)} is no answer on the scale {shown(self.name)}")
        if self.is_whole and answer != int(answer):
            raise ValueError(f"{shown(answer)} is not whole, as answers on the scale {shown(self.name)} are")
        return float(answer)

    def answer(self, value: float) -> Answer:
        """The answer that the number is: what is written to files."""
        if self.words:
            return self.words[len(self.words) - 1 - int(value)]
        return int(value) if self.is_whole else value


EXPERT = Scale.named("1-4")
"""How well a caption describes its image (Hodosh et al. 2013): 1 not at all, 4 without error."""

CROWD = Scale.named("yes/no")
"""Whether a caption describes its image, minor errors forgiven."""

SHARE = Scale.named("0.0-1.0")
"""The share of the raters who said yes, where their number is not known."""
