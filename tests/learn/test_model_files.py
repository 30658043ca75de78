"""Files of trained models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from limner.errors import BadInput
from limner.learn.model_files import ModelKind, has_uneven_columns, read_record, write_record

COUNTER = ModelKind("counter", 3, "limner.count")


class Counter(msgspec.Struct, frozen=True):
    names: list[str]
    counts: list[int]
    limner_model: str = COUNTER.name
    version: int = COUNTER.version


def faults(counter: Counter) -> Iterator[str]:
    if len(counter.names) != len(counter.counts):
        yield "there is not a count for each name"


@pytest.mark.parametrize("name", ["c.json", "c.json.gz", "c.json.zst"])
def test_a_record_that_was_written_is_read_again(name: str, tmp_path: Path) -> None:
    counter = Counter(["dog"], [2])
    write_record(counter, tmp_path / name)
    assert read_record(tmp_path / name, COUNTER, Counter, faults) == counter


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"limner_model":"selector","version":3}', "is a model of kind 'selector', not 'counter'"),
        ('{"limner_model":"counter","version":4}', "is a counter of version 4; only version 3 can be read"),
        ('{"limner_model":"counter","version":3,"names":[],"counts":["x"]}', "is not a counter"),
        ('{"limner_model":"counter","version":3,"names":["a"],"counts":[]}', "there is not a count for each name"),
        ("[]", "is not a counter"),
    ],
)
def test_what_is_not_such_a_model_is_refused_with_the_way_to_make_one(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(BadInput) as refused:
        read_record(tmp_path / "c.json", COUNTER, Counter, faults)
    assert problem in refused.value.problem
    assert "limner.count" in refused.value.remedy
    assert (refused.value.code, refused.value.facts) == ("bad-model", {"kind": "counter"})


class Table(msgspec.Struct):
    first: list[int]
    second: list[int]


def test_columns_of_a_table_must_be_of_one_length() -> None:
    assert has_uneven_columns(Table([1, 2], [3]))
    assert not has_uneven_columns(Table([1, 2], [3, 4]))
