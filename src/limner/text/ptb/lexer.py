"""From a sentence to its tokens, by the longest match."""

from __future__ import annotations

import re
from functools import cache

from limner.text.ptb.abbreviations import PARTED, STOPPED
from limner.text.ptb.characters import DIGIT, LINE_BREAKS, shape
from limner.text.ptb.token_rules import BLANKS, Rule, rules


def lex(sentence: str, following: str) -> list[str]:
    """The tokens of a sentence in lower case. `following` is the next line, which may decide about a last full stop."""
    text = sentence.translate(LINE_BREAKS)
    looks = shape(f"{text}\n{following}\n")
    tokens: list[str] = []
    failing: dict[Rule, int] = {}
    start, end = 0, len(text)
    while start < end:
        if (plain := _PLAIN.match(looks, start)) and plain[1].lower() not in ODD:
            tokens.extend(filter(None, plain.group(2, 3, 4)))
            start = plain.end()
            continue
        rule, token_end = _longest(looks, start, failing)
        if rule is None:
            start += 1
            continue
        token = text[start:token_end]
        tokens.extend(rule.making(token) if rule.making else (token,))
        start = token_end
    return [token.lower() for token in tokens]


def _longest(looks: str, start: int, failing: dict[Rule, int]) -> tuple[Rule | None, int]:
    """The rule with the longest match at `start`, and where its token ends.

    `failing` says up to where a rule is known to fail: without it a long run
    of letters and dots would be read anew from each of its tokens.
    """
    best, longest, token_end = None, start, start
    for rule in _rules_by_first(looks[start]):
        if rule.reach and start < failing.get(rule, 0):
            continue
        match = rule.pattern.match(looks, start)
        if match and match.end() > longest:
            best, longest, token_end = rule, match.end(), match.end(match.lastindex or 0)
        elif rule.reach and not match and (reached := rule.reach.match(looks, start)):
            failing[rule] = reached.end()
    return best, token_end


@cache
def _rules_by_first(character: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules() if rule.first.match(character))


# Most of any text needs no rules: words and numbers that may hold hyphens, with "'s" or a mark after them, and blanks.
# A number before a space and a digit may go on, "2 1/2", and a full stop may be the first of three: ". . .".
_PLAIN = re.compile(
    rf"(([A-Za-z0-9]++(?:-[A-Za-z0-9]++)*+)('[sS])?+([.,!?])?+)(?=[ \n])(?:(?<![0-9.])|(?! [0-9.{DIGIT}]))"
    rf"(?:{BLANKS})?+"
)
# Rules still decide about these: words that are two tokens, and full stops that may belong to a word or a letter.
ODD = frozenset(
    {f"{word}{mark}" for word in PARTED for mark in ("", *".,!?")}
    | {f"{word}." for word in (*STOPPED, *"abcdefghijklmnopqrstuvwxyz")}
)
