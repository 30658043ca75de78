"""How the work of the tokeniser grows with the length of a sentence, in characters looked at."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest

from limner.text.lexicon import word_set
from limner.text.ptb import lexer, ptb_tokens
from limner.text.ptb.token_rules import Rule, rules
from regex_steps import Counter, CountingPattern, longest_match

Steps = Callable[[str], dict[str, int]]

HOSTILE = sorted(
    word_set(
        """
        a.b.c. (( a, 1.a. a.. %. %a a@. <a <!a <a·b=" <b· http://! www.1. 1-a/ o' U.S. co.x 1/ 555- &lt;a &eacute;
        A& #a (^ a.b- a,- a-a., 1.html a.com😀. a%b. <1@ a-b, =www. www.a www... 2· K.· .· x_
        """
    )
)
# What ends a sentence may let a rule match far ahead, or fail there.
ENDS = ["", ">", "@a", ".com/a ", "-a,", "'", ".html ", "/a b"]

# A rule that never matches more characters than this takes the same time in any sentence.
FEW = 100


@pytest.fixture(scope="module")
def steps() -> Iterator[Steps]:
    """Counts the characters that each rule looks at in a sentence."""
    counters: dict[str, Counter] = {}

    def counting(rule: Rule) -> Rule:
        if longest_match(rule.pattern.pattern) < FEW:
            return rule
        counter = counters.setdefault(rule.pattern.pattern, Counter())
        reach = CountingPattern(rule.reach, counter) if rule.reach else None
        return replace(rule, pattern=CountingPattern(rule.pattern, counter), reach=reach)  # type: ignore[arg-type]

    counting_rules = [counting(rule) for rule in rules()]

    @cache
    def rules_by_first(character: str) -> tuple[Rule, ...]:
        return tuple(rule for rule in counting_rules if rule.first.match(character))

    def count(sentence: str) -> dict[str, int]:
        for counter in counters.values():
            counter.n_steps = 0
        ptb_tokens(sentence)
        return {pattern: counter.n_steps for pattern, counter in counters.items()}

    depth = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexer, "_rules_by_first", rules_by_first)
        yield count
    sys.setrecursionlimit(depth)


def assert_linear(steps: Steps, piece: str, ends: list[str]) -> None:
    text = piece.replace("·", " ")
    text *= -(-40 // len(text))
    for end in ends:
        short, long = steps(text + end), steps(4 * text + end)
        # It would be sixteen times as much if a rule read on to the end at each token.
        assert [pattern for pattern in long if long[pattern] > 6 * short[pattern] + 300] == []


@pytest.mark.parametrize("number", range(len(HOSTILE)), ids=HOSTILE)
def test_work_grows_as_the_length_of_a_sentence(number: int, steps: Steps) -> None:
    # An end for each piece, so that each end is tried with several pieces.
    assert_linear(steps, HOSTILE[number], [ENDS[number % len(ENDS)]])


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_work_grows_as_the_length_of_a_sentence_with_any_end(piece: str, steps: Steps) -> None:
    assert_linear(steps, piece, ENDS)
