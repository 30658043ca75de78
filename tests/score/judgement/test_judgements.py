from __future__ import annotations

import pytest

from limner.score.judgement.judgements import Scale
from refusals import refusal


@pytest.mark.parametrize(
    ("name", "answer", "value"),
    [
        ("1-4", 3, 3.0),
        ("1-4", 3.0, 3.0),
        ("0.0-1.0", 0.25, 0.25),
        ("0.0-1.0", 1, 1.0),
        ("-2-2", -2, -2.0),
        ("-2--1", -1, -1.0),
        ("yes/no", "yes", 1.0),
        ("yes/no", "no", 0.0),
        ("describes/almost/barely/not-at-all", "describes", 3.0),
        ("describes/almost/barely/not-at-all", "not-at-all", 0.0),
    ],
)
def test_an_answer_is_a_number_and_the_number_is_the_answer(name: str, answer: object, value: float) -> None:
    scale = Scale.named(name)
    assert scale.value(answer) == value  # type: ignore[arg-type]
    assert scale.answer(value) == answer


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("1-4", 0),
        ("1-4", 5),
        ("1-4", 2.5),
        ("1-4", "3"),
        ("1-4", float("nan")),
        ("1-4", float("inf")),
        ("1-4", 10**400),
        ("0.0-1.0", 1.01),
        ("yes/no", "maybe"),
        ("yes/no", 1),
        ("yes/no", ""),
    ],
)
def test_what_is_no_answer_is_refused(name: str, answer: object) -> None:
    with refusal(ValueError):
        Scale.named(name).value(answer)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "4", "4-1", "1-1", "1–4", "a-b", "yes/", "/", "yes/yes", "1e9-2e9", "1-4-7"])
def test_what_is_no_scale_is_refused(name: str) -> None:
    with refusal(ValueError):
        Scale.named(name)
