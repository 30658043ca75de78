"""The snapshot of what errors say: a test that says something else fails."""

from __future__ import annotations

import pytest

import refusals
from limner.errors import BadInput
from refusals import refusal


@pytest.fixture(autouse=True)
def _expected(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setattr(refusals, "raised", refusals.defaultdict(list))
    monkeypatch.setattr(refusals.wording, "is_new", False)
    monkeypatch.setitem(refusals.wording.expected, request.node.nodeid, ["BadInput (code): a: is wrong; mend it"])


def test_the_same_error_passes() -> None:
    with refusal(BadInput) as caught:
        raise BadInput("a", "is wrong", "mend it", code="code")
    assert caught.value.place == "a"


@pytest.mark.parametrize("change", [{"place": "b"}, {"problem": "is bad"}, {"code": "other"}])
def test_another_place_code_or_wording_fails(change: dict[str, str]) -> None:
    facts = {"place": "a", "problem": "is wrong", "remedy": "mend it", "code": "code", **change}
    with pytest.raises(AssertionError, match="pytest --reword"), refusal(BadInput):
        raise BadInput(**facts)


def test_an_error_that_the_file_does_not_have_fails() -> None:
    with refusal(BadInput):
        raise BadInput("a", "is wrong", "mend it", code="code")
    with pytest.raises(AssertionError, match="pytest --reword"), refusal(BadInput):
        raise BadInput("a", "is wrong", "mend it", code="code")


def test_words_of_another_python_are_left_out() -> None:
    message = "BadInput (bad-model): a: is no model (Expecting value: line 1 (char 0)); train it anew"
    assert refusals.own_words(message, is_alike=False) == "BadInput (bad-model): a: is no model (…); train it anew"
    assert refusals.own_words(message, is_alike=True) == message
