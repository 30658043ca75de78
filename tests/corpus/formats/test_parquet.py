from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from limner.corpus import Box, Caption, Chain, Image, Mention, open_corpus, write_corpus
from limner.corpus.formats import parquet_pages, parquet_tables, recognise
from limner.errors import BadInput, LimnerError
from memory import memory_below
from refusals import refusal
from strategies import corpora

WHOLE = Image(
    "a",
    10,
    10,
    (Box("0", 0, 0.5, 5, 5, "male child.n.01", 0.25, ("people",), ("red",), ("crowd",)), Box("1", 1, 1, 2, 2)),
    (Caption("0", "a boy", (Mention(0, 5, ("0", "1"), "c", ("people",)),)), Caption("1", "ü", source="system:z")),
    (Chain("c", ("0",), ("people",), ("scene",)),),
    "a.jpg",
    {"domain": "near", "n": 3, "true": True, "one": 1.0},
    {"labels": "captions"},
)


@pytest.mark.parametrize("name", ["corpus.parquet", "corpus"])
@settings(max_examples=40)
@given(images=corpora())
def test_what_is_written_is_read_back_equal(tmp_path: Path, name: str, images: list[Image]) -> None:
    path = tmp_path / name
    assert write_corpus(images, path, "parquet", replace=True) == len(images)
    assert recognise(path).name == "parquet"
    assert list(open_corpus(path)) == images


def test_the_types_of_facts_survive(tmp_path: Path) -> None:
    write_corpus([WHOLE], tmp_path / "c.parquet")
    (image,) = open_corpus(tmp_path / "c.parquet")
    assert image == WHOLE
    # 1 == True == 1.0 in Python: equality alone would not notice a lost type.
    assert {name: type(value) for name, value in image.attributes.items()} == {
        "domain": str,
        "n": int,
        "true": bool,
        "one": float,
    }


def test_a_folder_holds_shards_that_are_read_in_the_order_of_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_tables, "ROWS_A_SHARD", 4)
    monkeypatch.setattr(parquet_tables, "ROWS_A_GROUP", 3)
    images = [Image(str(i)) for i in range(10)]
    assert write_corpus(images, tmp_path / "c", "parquet") == 10
    assert sorted(p.name for p in (tmp_path / "c").iterdir()) == [f"part-0000{i}.parquet" for i in range(3)]
    assert pq.read_metadata(tmp_path / "c" / "part-00000.parquet").num_row_groups == 2
    assert list(open_corpus(tmp_path / "c")) == images


def test_the_table_says_its_version_and_every_default(tmp_path: Path) -> None:
    write_corpus([Image("a", 9, 9, (Box("0", 1, 2, 3, 4),))], tmp_path / "c.parquet")
    table = pq.read_table(tmp_path / "c.parquet")
    assert table.schema.metadata[b"limner"] == b"2"
    (row,) = table.to_pylist()
    assert row["limner"] == 2
    assert row["labels"] == []
    assert row["attributes"] == "{}"
    assert row["boxes"] == [
        {"id": "0", "x0": 1, "y0": 2, "x1": 3, "y1": 4, "label": "object", "score": 1}
        | {"types": [], "attributes": [], "flags": []}
    ]


def test_a_table_that_another_engine_wrote_with_wider_types_is_read(tmp_path: Path) -> None:
    table = pa.table(
        {
            "limner": pa.array([1], pa.int64()),
            "id": pa.array(["a"], pa.large_string()).dictionary_encode(),
            "file": pa.nulls(1),
            "boxes": pa.array(
                [[{"id": "0", "x0": 0, "y0": 0, "x1": 2, "y1": 2}]],
                pa.large_list(pa.struct([("id", pa.string()), *((e, pa.int64()) for e in ("x0", "y0", "x1", "y1"))])),
            ),
        }
    )
    pq.write_table(table, tmp_path / "c.parquet")
    assert list(open_corpus(tmp_path / "c.parquet")) == [Image("a", boxes=(Box("0", 0, 0, 2, 2),))]


BOX = {"id": "0", "x0": 0.0, "y0": 0.0, "x1": 5.0, "y1": 5.0}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"limner": 3}, "the schema version is not known"),
        ({"limner": None}, "no schema version"),
        ({"id": None}, "missing required field `id`"),
        ({"id": ""}, "needs an id"),
        ({"width": 5}, "cannot measure 5 by None"),
        ({"attributes": "{"}, "attributes: not JSON"),
        ({"attributes": "[1]"}, "attributes: expected an object, got a list"),
        ({"provenance": '{"a":NaN}'}, "NaN"),
        ({"boxes": [None]}, "boxes[0]: expected an object, got null"),
        ({"boxes": [BOX, BOX]}, "the box id '0' twice"),
        ({"boxes": [{**BOX, "x1": -1.0}]}, "inverted"),
        ({"boxes": [{**BOX, "x1": float("nan")}]}, "nan"),
        ({"boxes": [{**BOX, "x1": None}]}, "boxes[0]: Object missing required field `x1`"),
        ({"boxes": [BOX], "width": 3, "height": 3}, "out of the image"),
        ({"captions": [{"id": "0", "text": "ab", "mentions": [{"start": 0, "end": 3}]}]}, "character 3"),
        ({"captions": [{"id": "0", "text": None}]}, "captions[0]: Object missing required field `text`"),
    ],
)
def test_a_faulty_row_is_refused_with_its_place_and_left_out_when_lenient(
    tmp_path: Path, row: dict[str, Any], said: str
) -> None:
    path = tmp_path / "c.parquet"
    rows = [{"limner": 1, "id": "before"}, {"limner": 1, "id": "a", **row}]
    pq.write_table(pa.Table.from_pylist(rows, schema=parquet_tables._schema()), path)
    with pytest.raises(BadInput) as caught:
        list(open_corpus(path))
    assert str(caught.value).startswith(f"{path}: row 1")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    corpus = open_corpus(path, lenient=True)
    assert "before" in [image.id for image in corpus]
    assert sum(corpus.reading.skipped.values()) == 1


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"id": ["a"]}, "there is no column limner"),
        ({"limner": [1]}, "there is no column id"),
        ({"limner": [1], "id": ["a"], "boxs": [[]]}, "did you mean 'boxes'?"),
        ({"limner": [1], "id": [7]}, "column id: it is int64; it must be string"),
        ({"limner": [1], "id": ["a"], "boxes": [{"id": "0"}]}, "column boxes: it is struct"),
        ({"limner": [1], "id": ["a"], "boxes": [[{"colour": "0"}]]}, "column boxes: it is list"),
        ({"limner": ["1"], "id": ["a"]}, "column limner: it is string; it must be int32"),
        ({"limner": [1], "id": [b"\xff"]}, "column id: it is binary"),
    ],
)
def test_columns_that_are_not_a_corpus_are_refused_with_what_they_should_be(
    tmp_path: Path, columns: dict[str, Any], said: str
) -> None:
    pq.write_table(pa.table(columns), tmp_path / "c.parquet", store_schema=False)
    with pytest.raises(BadInput) as caught:
        list(open_corpus(tmp_path / "c.parquet"))
    assert said in str(caught.value)


def sound(path: Path) -> bytes:
    write_corpus([WHOLE, Image("b"), Image("c", 5, 5)], path)
    return path.read_bytes()


@pytest.mark.parametrize("harm", ["random", "cut", "cut short", "no footer", "long footer", "text"])
def test_a_file_that_is_no_whole_parquet_is_one_line(tmp_path: Path, harm: str) -> None:
    path = tmp_path / "c.parquet"
    good = sound(path)
    path.write_bytes(
        {
            "random": b"PAR1" + random.Random(0).randbytes(5000),
            "cut": good[: len(good) // 2],
            "cut short": good[:6],
            "no footer": good[:-8] + b"\0" * 8,
            "long footer": good[:-8] + b"\xff\xff\xff\x7fPAR1",
            "text": b"PAR1 is how such a file begins\n" * 9,
        }[harm]
    )
    with pytest.raises(BadInput) as caught:
        list(open_corpus(path))
    assert str(caught.value).startswith(f"{path}: cannot be read as Parquet (")
    assert "\n" not in str(caught.value)
    with pytest.raises(BadInput):
        list(open_corpus(path, lenient=True))


def test_a_small_file_that_unfolds_to_gigabytes_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    word = pa.array(["x" * (1 << 20)])
    labels = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int32()), word)
    boxes = pa.ListArray.from_arrays(pa.array([0, 2000], pa.int32()), pa.StructArray.from_arrays([labels], ["label"]))
    pq.write_table(pa.table({"limner": [1], "id": ["a"], "boxes": boxes}), path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 5000
    with memory_below(256 << 20), refusal(BadInput):
        list(open_corpus(path))


def test_row_groups_that_declare_too_much_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound(tmp_path / "c.parquet")
    for limit in ("MAX_GROUP_ROWS", "MAX_GROUP_BYTES"):
        with monkeypatch.context() as patch:
            patch.setattr(parquet_pages, limit, 0)
            with refusal(BadInput):
                list(open_corpus(tmp_path / "c.parquet"))


def test_a_folder_without_shards_and_a_pipe_are_refused(tmp_path: Path) -> None:
    with refusal(BadInput):
        list(open_corpus(tmp_path, "parquet"))
    with refusal(BadInput):
        list(open_corpus("-", "parquet"))
    with refusal(LimnerError):
        write_corpus([], "-", "parquet")


def test_what_parquet_cannot_hold_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    for bad in (Image("fact", attributes={"x": float("inf")}), Image("half \ud800")):
        with refusal(LimnerError):
            write_corpus([Image("a"), bad], tmp_path / "c", "parquet")
        with pytest.raises(LimnerError):
            write_corpus([Image("a"), bad], tmp_path / "c.parquet")
    assert list(tmp_path.iterdir()) == []


def test_without_pyarrow_the_error_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound(tmp_path / "c.parquet")
    monkeypatch.delitem(sys.modules, "limner.corpus.formats.parquet_tables")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with refusal(LimnerError):
        list(open_corpus(tmp_path / "c.parquet"))


def test_the_package_imports_without_pyarrow() -> None:
    program = "import sys, limner.corpus; assert 'pyarrow' not in sys.modules and 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_shard_without_rows_is_no_fault(tmp_path: Path) -> None:
    write_corpus([Image("1")], tmp_path / "one.parquet")
    table = pq.read_table(tmp_path / "one.parquet")
    pq.write_table(table.slice(0, 0), tmp_path / "none.parquet")
    assert list(open_corpus(tmp_path / "none.parquet")) == []


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_text_that_cannot_be_weighed_is_refused_in_bounded_memory(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "prefixes.parquet"
    table = pa.table({"limner": [1] * 500, "id": ["x" * (1 << 20)] * 500})
    pq.write_table(table, path, compression="zstd", use_dictionary=False, column_encoding={"id": encoding})
    with memory_below(256 << 20), refusal(BadInput):
        list(open_corpus(path))
