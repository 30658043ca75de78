from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import json_stream
from limner.corpus.json_stream import stream_items
from limner.errors import BadInput
from refusals import refusal

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
documents = st.dictionaries(st.text(max_size=5), values, max_size=4) | st.lists(values, max_size=5)


@given(document=documents, chunk=st.integers(1, 40), indent=st.sampled_from([None, 1]), ascii=st.booleans())
def test_items_are_those_of_the_whole_document_wherever_the_window_cuts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, document: Any, chunk: int, indent: int | None, ascii: bool
) -> None:
    monkeypatch.setattr(json_stream, "CHUNK", chunk)
    path = tmp_path / "document.json"
    path.write_text(json.dumps(document, indent=indent, ensure_ascii=ascii), encoding="utf-8", errors="surrogatepass")
    found = list(stream_items(path))
    top = document.items() if isinstance(document, dict) else [("", document)]
    assert found == [
        (key, i, item)
        for key, value in top
        for i, item in (enumerate(value) if isinstance(value, list) else [(-1, value)])
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "7",
        '{"a": [1, 2',
        '{"a": [1, 2}',
        '{"a": [1, nope]}',
        '{"a": "unfinished',
        '{"a": NaN}',
        '{"a": 1} x',
        "{7: 1}",
        '{"a": [1], "b": 2, "a": [3]}',
        '[{"id": 1, "caption": "x", "caption": "y"}]',
        pytest.param('{"a": ' + "[" * 100_000, id="deep"),
        pytest.param('{"a": ' + "9" * 5_000 + "}", id="a long number"),
    ],
)
def test_a_broken_document_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text)
    with refusal(BadInput) as caught:
        list(stream_items(path))
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < 1000


def test_a_document_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes('{"a": ["é"]}'.encode("latin-1"))
    with refusal(BadInput):
        list(stream_items(path))


def test_one_endless_value_is_given_up_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "CHUNK", 100)
    monkeypatch.setattr(json_stream, "MAX_ITEM", 1000)
    path = tmp_path / "endless.json"
    path.write_text('{"a": ["' + "x" * 100_000)
    with refusal(BadInput):
        list(stream_items(path))
