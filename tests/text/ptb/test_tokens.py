"""Ours against the reference: what was recorded of it, rule by rule, and the jar itself where it is at hand."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from limner.text.lexicon import word_set
from limner.text.ptb import DROPPED, ptb_tokens, tokenise

Reference = Callable[[Sequence[str]], list[str]]
Recorded = dict[str, dict[str, str]]

ASCII = [chr(code) for code in range(32, 127)] + [" "] * 10
PIECES = (
    [" "] * 25
    + [*"\t\xa0\xad"]
    + sorted(
        word_set(
            """
        a A b x I dog Cat MAN can n't 's 'll ' ’ ‘ ` " “ ” '' `` n t s d D l O o y Y ol J e 1 2 12 90 100 2001 555 1234
        . .. ... , : ; ! ? - -- --- – — _ / \\ & &amp; @ # $ % * + = ~ ^ | < > ( ) [ ] { } £ € ½ Mr Dr co etc Jr No no
        U.S a.m p.m The the In Inc St com www http :// .com html jpg é ñ 日 № ° • … © cannot gonna 'em 'til 'n' rock
        o'clock ma'am 1st pm :) :D ;) :-( <3 <b> </b> &lt; &quot; &nbsp; US C c ++ '90s 1/2 3/4 B. U.S. etc. Mr. However
        non-U.S. 7946 0958 +44 😀 ́ ٣ „ « ´ ² ₂ 、
        """
        )
    )
)


def differing(lines: Sequence[str], answers: Sequence[str]) -> list[tuple[str, str, str]]:
    ours = [" ".join(ptb_tokens(line)) for line in lines]
    return [each for each in zip(lines, answers, ours, strict=True) if each[1] != each[2]]


def test_tokens_are_those_recorded_of_the_reference(recorded: Recorded) -> None:
    assert sum(map(len, recorded.values())) > 500
    found = {head: differing(list(rows), list(rows.values())) for head, rows in recorded.items()}
    assert {head: rows for head, rows in found.items() if rows} == {}


def test_captions_are_the_recorded_tokens_without_punctuation(recorded: Recorded) -> None:
    rows = {text: tokens for of_a_kind in recorded.values() for text, tokens in of_a_kind.items()}
    kept = [" ".join(token for token in tokens.split(" ") if token not in DROPPED) for tokens in rows.values()]
    assert tokenise(list(rows)) == kept


def test_what_was_recorded_is_what_the_reference_says(recorded: Recorded, reference: Reference) -> None:
    rows = {text: tokens for of_a_kind in recorded.values() for text, tokens in of_a_kind.items()}
    assert reference(list(rows)) == list(rows.values())


@pytest.mark.parametrize(("pieces", "most"), [(ASCII, 30), (PIECES, 7)], ids=["any ASCII", "pieces of text"])
def test_odd_text_has_the_tokens_of_the_reference(reference: Reference, pieces: list[str], most: int) -> None:
    chance = random.Random(0)
    lines = ["".join(chance.choices(pieces, k=chance.randint(1, most))).strip() for _ in range(6000)]
    assert differing(lines, reference(lines)) == []


def test_real_captions_have_the_tokens_of_the_reference(reference: Reference, shared_data: Path) -> None:
    known = json.loads((shared_data / "coco" / "captions_val2017.json").read_text(encoding="utf-8"))
    captions = [each["caption"].replace("\n", " ") for each in known["annotations"]]
    chosen = captions[::25] + [each for each in captions if not each.replace(" ", "").rstrip(".").isalpha()][::5]
    assert differing(chosen, reference(chosen)) == []
