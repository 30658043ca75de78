"""The tokeniser as programs written for pycocoevalcap call it."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from limner.errors import LimnerError
from limner.score.pycocoevalcap import PTBTokenizer
from refusals import refusal

CAPTIONS: dict[Any, list[dict[str, Any]]] = {
    7: [{"caption": "A man can't ride, he said.\n", "id": 1}, {"caption": "It reads K.", "id": 2}],
    "9": [{"caption": "Two dogs (small)"}, {"caption": ""}, {"caption": "It reads K."}],
    8: [{"caption": 'The U.S. Capitol\nand 23 3/4 "men"'}, {"caption": "the end... or not?"}],
    6: [],
}


def test_captions_come_back_under_their_images() -> None:
    assert PTBTokenizer().tokenize(CAPTIONS) == {
        7: ["a man ca n't ride he said", "it reads k."],
        "9": ["two dogs -lrb- small -rrb-", "", "it reads k"],
        8: ["the u.s. capitol and 23\xa03/4 men", "the end or not"],
    }


def test_pycocoevalcap_says_the_same() -> None:
    theirs = pytest.importorskip("pycocoevalcap.tokenizer.ptbtokenizer", reason="pycocoevalcap is not installed")
    if shutil.which("java") is None:
        pytest.skip("there is no Java to run the reference tokeniser with")
    assert theirs.PTBTokenizer().tokenize(CAPTIONS) == PTBTokenizer().tokenize(CAPTIONS)


def test_a_caption_that_is_no_text_is_an_error_that_names_its_image() -> None:
    with refusal(LimnerError):
        PTBTokenizer().tokenize({7: [{"caption": None}]})
