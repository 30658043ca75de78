"""From a sentence to its tokens, by the longest match."""

from __future__ import annotations

import re
from functools import cache

from limner.text.ptb.abbreviations import PARTED
from limner.text.ptb.characters import LINE_BREAKS, SPACE, shape
from limner.text.ptb.rules import Rule, rules


def lex(sentence: str, following: str) -> list[str]:
    """The tokens of a sentence in lower case, given the line after it, which may decide about a last full stop."""
    text = sentence.translate(LINE_BREAKS)
    looks = shape(f"{text}\n{following}\n")
    tokens: list[str] = []
    vain: dict[Rule, int] = {}
    place, end = 0, len(text)
    while place < end:
        if plain := _PLAIN.match(looks, place):
            if plain.lastgroup:
                tokens.append(plain[0])
            place = plain.end()
            continue
        rule, token_end = _longest(looks, place, vain)
        if rule is None:
            place += 1
            continue
        token = text[place:token_end]
        tokens.extend(rule.making(token) if rule.making else (token,))
        place = token_end
    return [token.lower() for token in tokens]


def _longest(looks: str, place: int, vain: dict[Rule, int]) -> tuple[Rule | None, int]:
    """The rule whose match is the longest at this place, and where its token ends.

    `vain` holds up to where a rule is known to fail: without it a long run of
    letters and dots would be read anew from each of its tokens.
    """
    best, longest, token_end = None, place, place
    for rule in _rules_by_first(looks[place]):
        if rule.reach and place < vain.get(rule, 0):
            continue
        match = rule.pattern.match(looks, place)
        if match and match.end() > longest:
            best, longest, token_end = rule, match.end(), match.end(match.lastindex or 0)
        elif rule.reach and not match and (reached := rule.reach.match(looks, place)):
            vain[rule] = reached.end()
    return best, token_end


@cache
def _rules_by_first(character: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules() if rule.first.match(character))


# Blanks, and words on which no rule but the plainest could have a say: most of any text.
_PLAIN = re.compile(rf"[ \t][ \t\xa0{SPACE}]*+|(?P<word>(?!(?i:{'|'.join(PARTED)})[ ,])[A-Za-z]{{2,}}+(?=,? ))")
