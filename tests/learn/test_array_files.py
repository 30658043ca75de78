"""Model files of arrays: what was written is read, and nothing else."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limner.errors import LimnerError
from limner.learn.array_files import read_arrays, write_arrays
from limner.learn.model_files import ModelKind
from refusals import refusal

KIND = ModelKind("example", 1, trained_by="nobody")


class ExampleRecord(msgspec.Struct):
    limner_model: str
    version: int
    note: str = ""


ARRAYS = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b/c": np.array([True, False]),
    "empty": np.empty((0, 4), np.int64),
    "number": np.array(2.5),
    "columns": np.asfortranarray(np.arange(6.0).reshape(3, 2)),
}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_arrays(tmp_path / "m", ExampleRecord("example", 1, "hello"), ARRAYS)
    record, arrays = read_arrays(tmp_path / "m", KIND, ExampleRecord)
    assert record.note == "hello"
    assert arrays.keys() == ARRAYS.keys()
    for name, values in ARRAYS.items():
        assert arrays[name].dtype == values.dtype
        assert np.array_equal(arrays[name], values)
        assert not arrays[name].flags.writeable
    # Anybody else can read the arrays too.
    with np.load(tmp_path / "m", allow_pickle=False) as theirs:
        assert np.array_equal(theirs["a"], ARRAYS["a"])


def test_equal_models_are_equal_bytes_and_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    for name in ("m", "n"):
        write_arrays(tmp_path / name, ExampleRecord("example", 1), ARRAYS)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()
    with refusal(ValueError):
        write_arrays(tmp_path / "o", ExampleRecord("example", 1), {"z": np.array([1j])})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "n"]


def npy(values: np.ndarray) -> bytes:
    handle = io.BytesIO()
    np.save(handle, values)
    return handle.getvalue()


class Bomb:
    def __reduce__(self) -> tuple[object, ...]:
        return (exec, ("raise SystemExit",))


RECORD = b'{"limner_model": "example", "version": 1}'
SOUND = npy(np.ones(3, np.float32))
# The header tells of a thousand numbers where there are three.
LYING = SOUND.replace(b"(3,), ", b"(1000,)")
NESTED = b"\x93NUMPY\x01\x00" + (9000).to_bytes(2, "little") + b"-" * 8999 + b"1"
HOSTILE = {
    "objects": [("model.json", RECORD), ("a.npy", npy(np.array([Bomb()], dtype=object)))],
    "pickle": [("model.json", RECORD), ("a.npy", pickle.dumps(Bomb()))],
    "lies about its size": [("model.json", RECORD), ("a.npy", LYING)],
    "a length to be guessed": [("model.json", RECORD), ("a.npy", SOUND.replace(b"(3,)", b"(-1,)"))],
    "no type": [("model.json", RECORD), ("a.npy", SOUND.replace(b"'<f4'", b"()"))],
    "a nested head": [("model.json", RECORD), ("a.npy", NESTED)],
    "text": [("model.json", RECORD), ("a.npy", npy(np.array(["a"])))],
    "infinite": [("model.json", RECORD), ("a.npy", npy(np.array([np.inf])))],
    "no record": [("a.npy", SOUND)],
    "no zip member": [],
    "another kind": [("model.json", RECORD.replace(b"example", b"selector"))],
    "another version": [("model.json", RECORD.replace(b"1", b"2"))],
    "no JSON": [("model.json", b"[[[")],
    "another file": [("model.json", RECORD), ("run.py", b"")],
    "twice": [("model.json", RECORD), ("a.npy", SOUND), ("a.npy", SOUND)],
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "m", "w") as archive:
        for member, raw in HOSTILE[name]:
            archive.writestr(member, raw)
    with refusal(LimnerError):
        read_arrays(tmp_path / "m", KIND, ExampleRecord)


def test_a_file_that_unpacks_to_more_than_it_is_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("model.json"), RECORD)
        archive.writestr("a.npy", npy(np.zeros(1_000_000)))
    with refusal(LimnerError):
        read_arrays(tmp_path / "m", KIND, ExampleRecord)


def test_what_is_not_there_or_no_file_is_told(tmp_path: Path) -> None:
    with refusal(LimnerError):
        read_arrays(tmp_path / "nothing", KIND, ExampleRecord)
    with refusal(LimnerError):
        read_arrays(tmp_path, KIND, ExampleRecord)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_bytes_that_changed_are_noticed_or_make_no_difference(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("models") / "m"
    write_arrays(path, ExampleRecord("example", 1), {"a": ARRAYS["a"]})
    raw = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, len(raw) - 1))
    if data.draw(st.booleans()):
        raw[position] ^= data.draw(st.integers(1, 255))
    else:
        del raw[position:]
    path.write_bytes(raw)
    try:
        _, arrays = read_arrays(path, KIND, ExampleRecord)
    except LimnerError:
        return
    assert all(np.array_equal(values, ARRAYS["a"]) for values in arrays.values())
