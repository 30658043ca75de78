"""How many characters a regular expression looks at: time without a clock.

A pattern is matched by backtracking over its parsed form, as `re` does, and
every look at a character is counted. What it matches is compared with what
`re` matches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

# Goes on at a position: where the whole match ends, None if it fails.
Continuation = Callable[[int], int | None]
Matcher = Callable[["Counter", str, int, Continuation], int | None]
IsMatched = Callable[[str], bool]


@dataclass(slots=True)
class Counter:
    """How many characters were looked at."""

    n_steps: int = 0


@dataclass(frozen=True, slots=True)
class CountingPattern:
    """A pattern that counts the characters it looks at, and answers as `re` does."""

    pattern: re.Pattern[str]
    counter: Counter
    _matcher: Matcher = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_matcher", matcher_of(self.pattern.pattern))

    def match(self, text: str, start: int) -> re.Match[str] | None:
        end = self._matcher(self.counter, text, start, lambda position: position)
        match = self.pattern.match(text, start)
        assert end == (match.end() if match else None), f"{self.pattern.pattern} at {start} of {text!r}"
        return match


@cache
def matcher_of(pattern: str) -> Matcher:
    return _sequence(_parsed(pattern), is_any_case=False)


def longest_match(pattern: str) -> int:
    """How many characters a pattern matches at most."""
    return int(_parsed(pattern).getwidth()[1])


def _parsed(pattern: str) -> Any:
    # The parser of `re` has no public name.
    return import_module("re._parser").parse(pattern)


def _sequence(items: Iterable[Any], *, is_any_case: bool) -> Matcher:
    matchers = [_item(str(code), argument, is_any_case) for code, argument in items]

    def match(counter: Counter, text: str, start: int, go_on: Continuation) -> int | None:
        def match_from(k: int, position: int) -> int | None:
            if k == len(matchers):
                return go_on(position)
            return matchers[k](counter, text, position, lambda end: match_from(k + 1, end))

        return match_from(0, start)

    return match


def _item(code: str, argument: Any, is_any_case: bool) -> Matcher:
    if code in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
        return _one(_character(code, argument, is_any_case))
    if code == "SUBPATTERN":
        _, added, _, items = argument
        return _sequence(items, is_any_case=is_any_case or bool(added & re.IGNORECASE))
    if code == "BRANCH":
        return _branch([_sequence(items, is_any_case=is_any_case) for items in argument[1]])
    if code in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _repeat(code, argument, is_any_case)
    if code in ("ASSERT", "ASSERT_NOT"):
        direction, items = argument
        return _look(_sequence(items, is_any_case=is_any_case), direction, code == "ASSERT")
    raise NotImplementedError(code)


def _character(code: str, argument: Any, is_any_case: bool) -> IsMatched:
    if code == "ANY":
        return lambda _: True
    if code == "IN":
        is_negated = str(argument[0][0]) == "NEGATE"
        spans = [_span(str(kind), value) for kind, value in argument if str(kind) != "NEGATE"]
    else:
        is_negated, spans = code == "NOT_LITERAL", [(argument, argument)]

    @cache
    def is_matched(character: str) -> bool:
        cases = {character, character.lower(), character.upper()} if is_any_case else {character}
        return is_negated != any(low <= ord(one) <= high for one in cases if len(one) == 1 for low, high in spans)

    return is_matched


def _span(kind: str, value: Any) -> tuple[int, int]:
    return value if kind == "RANGE" else (value, value)


def _one(is_matched: IsMatched) -> Matcher:
    def match(counter: Counter, text: str, start: int, go_on: Continuation) -> int | None:
        counter.n_steps += 1
        return go_on(start + 1) if start < len(text) and is_matched(text[start]) else None

    return match


def _branch(branches: list[Matcher]) -> Matcher:
    def match(counter: Counter, text: str, start: int, go_on: Continuation) -> int | None:
        ends = (branch(counter, text, start, go_on) for branch in branches)
        return next((end for end in ends if end is not None), None)

    return match


def _repeat(code: str, argument: Any, is_any_case: bool) -> Matcher:
    least, most, items = argument
    if code == "MAX_REPEAT" and len(items) == 1 and str(items[0][0]) in ("LITERAL", "NOT_LITERAL", "IN"):
        return _greedy_characters(least, int(most), _character(str(items[0][0]), items[0][1], is_any_case))
    matcher = _sequence(items, is_any_case=is_any_case)
    if code == "POSSESSIVE_REPEAT":
        return _possessive(least, int(most), matcher)

    def match(counter: Counter, text: str, start: int, go_on: Continuation) -> int | None:
        def match_again(n: int, position: int) -> int | None:
            def again() -> int | None:
                if n == int(most):
                    return None
                return matcher(counter, text, position, lambda end: match_again(n + 1, end) if end > position else None)

            def leave() -> int | None:
                return go_on(position) if n >= least else None

            first, second = (again, leave) if code == "MAX_REPEAT" else (leave, again)
            end = first()
            return second() if end is None else end

        return match_again(0, start)

    return match


def _greedy_characters(least: int, most: int, is_matched: IsMatched) -> Matcher:
    def match(counter: Counter, text: str, start: int, go_on: Continuation) -> int | None:
        position = start
        while position < len(text) and position - start < most and is_matched(text[position]):
            position += 1
        counter.n_steps += position - start + 1
        for back in range(position, start + least - 1, -1):
            counter.n_steps += 1
            if (end := go_on(back)) is not None:
                return end
        return None

    return match


def _possessive(least: int, most: int, matcher: Matcher) -> Matcher:
    def match(counter: Counter, text: str, start: int, go_on: Continuation) -> int | None:
        n, position = 0, start
        while n < most and (end := matcher(counter, text, position, lambda end: end)) is not None and end > position:
            n, position = n + 1, end
        return go_on(position) if n >= least else None

    return match


def _look(matcher: Matcher, direction: int, is_wanted: bool) -> Matcher:
    def match(counter: Counter, text: str, start: int, go_on: Continuation) -> int | None:
        # Behind, only single characters are looked for here.
        at = start if direction > 0 else start - 1
        is_there = at >= 0 and matcher(counter, text, at, lambda end: end) is not None
        return go_on(start) if is_there == is_wanted else None

    return match
