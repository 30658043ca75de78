"""Files of tensors: what was written is read, by others too, and nothing that lies is."""

from __future__ import annotations

import errno
import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from limner.errors import BadInput, LimnerError
from limner.learn.torch import safe_tensors
from limner.learn.torch.safe_tensors import (
    MAX_HEAD,
    TensorKind,
    is_finite,
    open_tensors,
    read_tensors,
    write_tensors,
)
from limner.written import NamedFile
from refusals import refusal

TENSORS = {
    "a.weight": torch.arange(6, dtype=torch.float32).reshape(2, 3),
    "b": torch.tensor([True, False, True]),
    "empty": torch.empty((0, 4), dtype=torch.int64),
    "number": torch.tensor(2.5, dtype=torch.float64),
    "half": torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
    "bytes": torch.arange(5, dtype=torch.uint8),
    "turned": torch.arange(6, dtype=torch.float16).reshape(3, 2).T,
}


def assert_equal(mine: dict[str, torch.Tensor], theirs: dict[str, torch.Tensor]) -> None:
    assert mine.keys() == theirs.keys()
    for name, tensor in mine.items():
        assert TensorKind.of(tensor) == TensorKind.of(theirs[name])
        assert torch.equal(tensor, theirs[name])


def test_what_was_written_is_read_here_and_by_the_library(tmp_path: Path) -> None:
    write_tensors(tmp_path / "t", TENSORS, {"note": "Grüße"})
    assert_equal(read_tensors(tmp_path / "t"), TENSORS)
    assert_equal(safetensors.torch.load_file(tmp_path / "t"), TENSORS)
    with safetensors.safe_open(tmp_path / "t", "pt") as theirs:
        assert theirs.metadata() == {"note": "Grüße"}
    with open_tensors(tmp_path / "t") as mine:
        assert mine.metadata == {"note": "Grüße"}
        assert mine.kinds["a.weight"] == ((2, 3), torch.float32)


def test_what_the_library_wrote_is_read(tmp_path: Path) -> None:
    whole = {name: tensor.contiguous() for name, tensor in TENSORS.items()}
    safetensors.torch.save_file(whole, tmp_path / "t", {"a": "1", "b": "2"})
    assert_equal(read_tensors(tmp_path / "t"), whole)


def test_equal_tensors_are_equal_bytes_and_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    write_tensors(tmp_path / "t", TENSORS, {"a": "1", "b": "2"})
    write_tensors(tmp_path / "u", dict(reversed(TENSORS.items())), {"a": "1", "b": "2"})
    assert (tmp_path / "t").read_bytes() == (tmp_path / "u").read_bytes()
    with refusal(ValueError):
        write_tensors(tmp_path / "v", {"z": torch.zeros(1, dtype=torch.complex64)})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t", "u"]


EXPECTED = {name: TensorKind.of(tensor) for name, tensor in TENSORS.items()}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"c": ((1,), torch.float32)}, "lacks the tensor 'c'"),
        ({"b": None}, "has a tensor 'b', which the model does not have"),
        ({"b": ((4,), torch.bool)}, "'b' is bool [3], that of the model bool [4]"),
        ({"number": ((), torch.float32)}, "'number' is float64 [], that of the model float32 []"),
    ],
)
def test_a_file_of_another_model_is_refused_with_what_differs(
    tmp_path: Path, change: dict[str, Any], problem: str
) -> None:
    write_tensors(tmp_path / "t", TENSORS)
    assert_equal(read_tensors(tmp_path / "t", EXPECTED), TENSORS)
    expected = {name: kind for name, kind in {**EXPECTED, **change}.items() if kind}
    with pytest.raises(BadInput) as caught:
        read_tensors(tmp_path / "t", expected)
    assert problem in str(caught.value)


def packed(head: object, data: bytes = b"") -> bytes:
    raw = head if isinstance(head, bytes) else json.dumps(head).encode()
    return struct.pack("<Q", len(raw)) + raw + data


def entry(dtype: object = "F32", shape: object = (2,), offsets: object = (0, 8)) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


EIGHT = struct.pack("<2f", 1, 2)
HOSTILE: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "head is cut short"),
    "a head longer than the file": (struct.pack("<Q", 100) + b"{}", "head is cut short"),
    "a head of exabytes": (struct.pack("<Q", 2**63) + b"{}", "head is cut short"),
    "a head that is too long": (packed(b"{}" + b" " * MAX_HEAD), "head is cut short"),
    "no JSON": (packed(b"{'a'"), "not a sound safetensors"),
    "no object": (packed([]), "not a sound safetensors"),
    "a head that is too deep": (packed(b'{"a":' + b"[" * 200_000), "recursion"),
    "bytes that are no text": (packed(b'{"\xff": 1}'), "not a sound safetensors"),
    "a number with too many digits": (packed(b'{"a": ' + b"9" * 5000 + b"}"), "not a sound safetensors"),
    "a name twice": (packed(b'{"a": {}, "a": {}}'), "a name is there twice"),
    "more is said of a tensor": (packed({"a": {**entry(), "run": "me"}}, EIGHT), "unknown field `run`"),
    "less is said of a tensor": (packed({"a": {"dtype": "F32"}}, EIGHT), "missing required field"),
    "metadata that is no text": (packed({"__metadata__": {"a": 1}}), "Expected `str`"),
    "an unknown type": (packed({"a": entry("F8_E4M3", (8,))}, EIGHT), "numbers of type 'F8_E4M3'"),
    "a type that is no name": (packed({"a": entry(["F32"])}, EIGHT), "Expected `str`"),
    "a length that is no number": (packed({"a": entry(shape=["2"])}, EIGHT), "Expected `int`"),
    "a length that is a fraction": (packed({"a": entry(shape=[2.5])}, EIGHT), "Expected `int`"),
    "a negative length": (packed({"a": entry(shape=[-2])}, EIGHT), "has the shape"),
    "two negative lengths": (packed({"a": entry(shape=[-2, -1])}, EIGHT), "has the shape"),
    "a huge shape": (packed({"a": entry(shape=[2**62, 2**62])}, EIGHT), "has the shape"),
    "a huge shape of nothing": (packed({"a": entry(shape=[0, 2**62, 2**62], offsets=(0, 0))}), "has the shape"),
    "too many lengths": (packed({"a": entry(shape=[1] * 100 + [2])}, EIGHT), "has the shape"),
    "a shape larger than its bytes": (packed({"a": entry(shape=[3])}, EIGHT), "not that of its numbers"),
    "offsets beyond the end": (packed({"a": entry(shape=[4], offsets=(0, 16))}, EIGHT), "do not fill it"),
    "offsets before the beginning": (packed({"a": entry(offsets=(-8, 0))}, EIGHT), "do not fill it"),
    "offsets that go backwards": (packed({"a": entry(offsets=(8, 0))}, EIGHT), "not that of its numbers"),
    "offsets that are no pair": (packed({"a": entry(offsets=(0, 4, 8))}, EIGHT), "not a sound safetensors"),
    "two tensors of the same bytes": (packed({"a": entry(), "b": entry()}, EIGHT), "share their bytes"),
    "tensors that overlap": (
        packed({"a": entry(), "b": entry(offsets=(4, 12))}, EIGHT + b"1234"),
        "share their bytes",
    ),
    "a gap": (packed({"a": entry(offsets=(4, 12))}, b"1234" + EIGHT), "do not fill it"),
    "bytes behind the last tensor": (packed({"a": entry()}, EIGHT + b"1"), "do not fill it"),
    "cut short": (packed({"a": entry()}, EIGHT[:-1]), "do not fill it"),
    "no number": (packed({"a": entry()}, struct.pack("<2f", 1, float("nan"))), "not finite"),
    "infinity": (packed({"a": entry("F16", (4,))}, struct.pack("<4e", 1, 2, 3, float("inf"))), "not finite"),
    "neither true nor false": (packed({"a": entry("BOOL", (8,))}, b"\0\1\2\0\0\0\0\0"), "neither true nor false"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused(tmp_path: Path, name: str) -> None:
    raw, problem = HOSTILE[name]
    (tmp_path / "t").write_bytes(raw)
    with pytest.raises(BadInput) as caught:
        read_tensors(tmp_path / "t")
    assert problem in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 't'}: ")


def test_a_file_of_terabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "t").open("wb") as handle:
        handle.write(packed({"a": entry("U8", [2**40], (0, 2**40))}))
        handle.truncate(2**40)
    with refusal(BadInput):
        read_tensors(tmp_path / "t")


def test_what_is_not_there_or_no_file_is_told(tmp_path: Path) -> None:
    with refusal(LimnerError):
        read_tensors(tmp_path / "nothing")
    with refusal(LimnerError):
        read_tensors(tmp_path)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_bytes_that_changed_give_other_numbers_at_most(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("tensors") / "t"
    write_tensors(path, TENSORS, {"note": "x"})
    raw = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, len(raw) - 1))
    if data.draw(st.booleans()):
        raw[position] ^= data.draw(st.integers(1, 255))
    else:
        del raw[position:]
    path.write_bytes(raw)
    try:
        tensors = read_tensors(path, EXPECTED)
    except LimnerError:
        return
    assert {name: TensorKind.of(tensor) for name, tensor in tensors.items()} == EXPECTED
    assert all(map(is_finite, tensors.values()))


def full_write(self: NamedFile, data: bytes, /) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._name)


def full_sync(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(("owner", "name", "fail"), [(NamedFile, "write", full_write), (os, "fsync", full_sync)])
def test_a_full_disk_leaves_the_earlier_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, fail: Callable[..., Any]
) -> None:
    write_tensors(tmp_path / "t", TENSORS)
    monkeypatch.setattr(owner, name, fail)
    with refusal(BadInput):
        write_tensors(tmp_path / "t", {"other": torch.zeros(100_000)})
    monkeypatch.undo()
    assert_equal(read_tensors(tmp_path / "t"), TENSORS)
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_numbers_are_looked_at_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_tensors, "_STEP", 4)
    for position in range(10):
        values = torch.zeros(10)
        assert is_finite(values)
        values[position] = float("inf")
        assert not is_finite(values)
