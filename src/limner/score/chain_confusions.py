"""Which mentions were chained wrongly: links between every two of them, by gold's types and by nouns.

Only mentions that both sides have are compared. A link is *split* if gold has
it and the prediction does not, and *merged* if it is the other way round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeVar

from limner.text.noun_forms import singular
from limner.text.phrases import thing_noun

Key = TypeVar("Key", bound=Hashable)

# The pairs of nouns that are reported, most frequent first.
MOST_NOUNS = 20

# The type of a mention that has none.
UNTYPED = "untyped"


@dataclass
class ChainConfusions:
    """Links that are right, split and merged, counted by the two types and by the two nouns that they join."""

    right: Counter[tuple[str, str]] = field(default_factory=Counter)
    split: Counter[tuple[str, str]] = field(default_factory=Counter)
    merged: Counter[tuple[str, str]] = field(default_factory=Counter)
    split_nouns: Counter[tuple[str, str]] = field(default_factory=Counter)
    merged_nouns: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(
        self,
        gold: Mapping[Key, str | None],
        predicted: Mapping[Key, str | None],
        types: Mapping[Key, str],
        phrases: Mapping[Key, str],
    ) -> None:
        """Count the links of an image: each mention's chain, None for one of its own, and gold's types and words."""
        shared = [key for key in gold if key in predicted]
        for first, second in _linked(shared, gold):
            pair = _sorted_pair(types[first] or UNTYPED, types[second] or UNTYPED)
            if predicted[first] is not None and predicted[first] == predicted[second]:
                self.right[pair] += 1
            else:
                self.split[pair] += 1
                self.split_nouns[_nouns(phrases[first], phrases[second])] += 1
        for first, second in _linked(shared, predicted):
            if gold[first] is None or gold[first] != gold[second]:
                self.merged[_sorted_pair(types[first] or UNTYPED, types[second] or UNTYPED)] += 1
                self.merged_nouns[_nouns(phrases[first], phrases[second])] += 1

    def to_json(self) -> dict[str, Any]:
        return {
            "links": {
                "right": self.right.total(),
                "split": self.split.total(),
                "merged": self.merged.total(),
            },
            "types": [
                {
                    "types": list(pair),
                    "right": self.right[pair],
                    "split": self.split[pair],
                    "merged": self.merged[pair],
                }
                for pair in self._pairs()
            ],
            "split_nouns": _most(self.split_nouns),
            "merged_nouns": _most(self.merged_nouns),
        }

    def _pairs(self) -> list[tuple[str, str]]:
        """Every two types that a link joins, those with the most errors first."""
        wrong = self.split + self.merged
        return sorted({*self.right, *wrong}, key=lambda pair: (-wrong[pair], -self.right[pair], pair))


def _linked(keys: list[Key], chains: Mapping[Key, str | None]) -> Iterator[tuple[Key, Key]]:
    """Every two mentions of one chain."""
    by_chain: dict[str, list[Key]] = {}
    for key in keys:
        if (chain := chains[key]) is not None:
            by_chain.setdefault(chain, []).append(key)
    for mentions in by_chain.values():
        yield from combinations(mentions, 2)


def _sorted_pair(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)


def _nouns(first: str, second: str) -> tuple[str, str]:
    return _sorted_pair(singular(thing_noun(first)), singular(thing_noun(second)))


def _most(nouns: Counter[tuple[str, str]]) -> list[dict[str, Any]]:
    frequent = sorted(nouns.items(), key=lambda entry: (-entry[1], entry[0]))[:MOST_NOUNS]
    return [{"nouns": list(pair), "n": n} for pair, n in frequent]
