"""A sentence of tokens as a caption, the words asked for tied to the boxes they were asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from limner.caption.constraints.automaton import Automaton
from limner.caption.constraints.tokenizer_adapter import TokenizerAdapter
from limner.corpus.caption import Mention
from limner.text.phrases import is_plural_phrase


@runtime_checkable
class Worded(Protocol):
    """What a caption has to mention by one of its phrases, and the ids of the boxes that show it, the best first."""

    @property
    def phrases(self) -> Sequence[str]: ...

    @property
    def boxes(self) -> Sequence[str]: ...


class Words(NamedTuple):
    """Phrases of which one is asked for, and the boxes they speak of."""

    phrases: tuple[str, ...]
    boxes: tuple[str, ...] = ()


def find_mentions(
    tokens: Sequence[int], asked: Sequence[Worded], automaton: Automaton, adapter: TokenizerAdapter
) -> tuple[Mention, ...]:
    """The mentions in `adapter.text(tokens)` of the boxes that were asked for, at most one for each constraint.

    The automaton is that of the constraints. A word that is within another constraint's longer phrase is no mention:
    "hot dog" is not one of a dog. A phrase in the singular speaks of the first box alone.
    """
    text = adapter.text(tokens)
    boxes_by_span: dict[tuple[int, int], dict[str, None]] = {}
    for place, constraints in _chosen(automaton.places(tokens)).items():
        span = _span(text, tokens, place, adapter)
        if span is not None:
            found = boxes_by_span.setdefault(span, {})
            for constraint in constraints:
                found.update(dict.fromkeys(_boxes(asked[constraint], text[slice(*span)])))
    return tuple(Mention(*span, boxes=tuple(found)) for span, found in sorted(boxes_by_span.items()) if found)


def _chosen(places: Sequence[Sequence[tuple[int, int]]]) -> dict[tuple[int, int], list[int]]:
    """The constraints by the places of their tokens: the longest first, then what comes first, none that overlap."""
    found = [(place, constraint) for constraint, all_of_it in enumerate(places) for place in all_of_it]
    found.sort(key=lambda item: (item[0][0] - item[0][1], item[0][0], item[1]))
    chosen: dict[tuple[int, int], list[int]] = {}
    placed: set[int] = set()
    for (start, end), constraint in found:
        free = all((start, end) == taken or end <= taken[0] or taken[1] <= start for taken in chosen)
        if free and constraint not in placed:
            chosen.setdefault((start, end), []).append(constraint)
            placed.add(constraint)
    return chosen


def _span(
    text: str, tokens: Sequence[int], place: tuple[int, int], adapter: TokenizerAdapter
) -> tuple[int, int] | None:
    """The characters of a place in the text: as many of the same words stand before them there as among the tokens.

    Decoders put spaces in or take them out by what is around a token, so lengths do not add up.
    """
    words = re.compile(rf"(?<!\w){re.escape(adapter.text(tokens[slice(*place)]))}(?!\w)")
    n_before = len(words.findall(adapter.text(tokens[: place[0]])))
    spans = [match.span() for match in words.finditer(text)]
    return spans[n_before] if n_before < len(spans) else None


def _boxes(asked: Worded, said: str) -> Sequence[str]:
    return asked.boxes if is_plural_phrase(said) else asked.boxes[:1]
