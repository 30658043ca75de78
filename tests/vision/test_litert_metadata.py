"""What a TensorFlow Lite file says of itself, and what becomes of files that are broken."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import REPOSITORY
from limner.errors import BadInput
from limner.vision.runtimes.litert_metadata import read_notes
from refusals import refusal


@pytest.fixture(scope="module")
def detector() -> bytes:
    path = REPOSITORY.parent / "shared" / "models" / "efficientdet_lite2.tflite"
    if not path.is_file():
        pytest.skip("real models are not at hand (shared/models beside the repository)")
    return path.read_bytes()


def test_a_model_tells_its_classes_its_scaling_and_its_outputs(detector: bytes) -> None:
    notes = read_notes(detector, Path("m.tflite"))
    assert notes.class_names is not None
    assert (len(notes.class_names), notes.class_names[0], notes.class_names[11]) == (90, "person", "???")
    assert (notes.mean, notes.std) == ((127.5,), (127.5,))
    assert notes.output_names == ("location", "category", "score", "number of detections")


def test_a_broken_file_is_refused_or_read_and_nothing_else(detector: bytes) -> None:
    rng = random.Random(0)
    # Only the beginning and the end hold what is read; between them are weights.
    short = detector[:20_000] + detector[-60_000:]
    refused = 0
    for _ in range(150):
        broken = bytearray(short[: rng.randrange(8, len(short))] if rng.random() < 0.3 else short)
        for _ in range(rng.randrange(1, 20)):
            broken[rng.randrange(min(len(broken), 400))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
        try:
            read_notes(bytes(broken), Path("m.tflite"))
        except BadInput:
            refused += 1
    assert refused > 50


# --- files that are made to be large in memory


def build_table(buffer: bytearray, n_fields: int, *present: int) -> list[int]:
    """Append a table of a FlatBuffer, and return where it is and where its fields are."""
    buffer += bytes(-len(buffer) % 4)
    fields = len(buffer)
    buffer += struct.pack("<HH", 4 + 2 * n_fields, 4 + 4 * len(present))
    for number in range(n_fields):
        buffer += struct.pack("<H", 4 + 4 * present.index(number) if number in present else 0)
    buffer += bytes(-len(buffer) % 4)
    at = len(buffer)
    buffer += struct.pack("<i", at - fields) + bytes(4 * len(present))
    return [at, *range(at + 4, at + 4 + 4 * len(present), 4)]


def lead(buffer: bytearray, at: int, target: int) -> None:
    struct.pack_into("<I", buffer, at, target - at)


def append_list(buffer: bytearray, at: int, n: int) -> Sequence[int]:
    """Append a list of offsets that a field leads to, and return where they are."""
    start = len(buffer)
    buffer += struct.pack("<I", n) + bytes(4 * n)
    lead(buffer, at, start)
    return range(start + 4, start + 4 + 4 * n, 4)


def append_bytes(buffer: bytearray, at: int, content: bytes) -> None:
    lead(buffer, at, len(buffer))
    buffer += struct.pack("<I", len(content)) + content + bytes(4 - len(content) % 4)


def metadata(n_outputs: int, name: bytes) -> bytes:
    """Metadata all of whose outputs are one table with one name."""
    buffer = bytearray(8)
    root, subgraphs = build_table(buffer, 4, 3)
    lead(buffer, 0, root)
    (item,) = append_list(buffer, subgraphs, 1)
    subgraph, outputs = build_table(buffer, 4, 3)
    lead(buffer, item, subgraph)
    items = append_list(buffer, outputs, n_outputs)
    output, named = build_table(buffer, 1, 0)
    append_bytes(buffer, named, name)
    for item in items:
        lead(buffer, item, output)
    return bytes(buffer)


def model(notes: bytes) -> bytes:
    """A model file that is nothing but its metadata."""
    buffer = bytearray(b"\0\0\0\0TFL3")
    root, buffers, entries = build_table(buffer, 7, 4, 6)
    lead(buffer, 0, root)
    (item,) = append_list(buffer, buffers, 1)
    table, content = build_table(buffer, 1, 0)
    lead(buffer, item, table)
    append_bytes(buffer, content, notes)
    (item,) = append_list(buffer, entries, 1)
    entry, name, _ = build_table(buffer, 2, 0, 1)
    lead(buffer, item, entry)
    # The number of the buffer is the 0 that stands there already.
    append_bytes(buffer, name, b"TFLITE_METADATA")
    return bytes(buffer)


def test_a_few_outputs_are_read() -> None:
    assert read_notes(model(metadata(4, b"boxes")), Path("m.tflite")).output_names == ("boxes",) * 4


@pytest.mark.parametrize(("n_outputs", "n_letters"), [(2000, 3), (2, 200_000)])
def test_outputs_that_are_one_table_are_not_multiplied(n_outputs: int, n_letters: int) -> None:
    with refusal(BadInput):
        read_notes(model(metadata(n_outputs, b"a" * n_letters)), Path("m.tflite"))


def test_broken_metadata_are_refused_or_read_and_nothing_else() -> None:
    rng = random.Random(1)
    sound = model(metadata(4, b"boxes"))
    start = sound.index(metadata(4, b"boxes")[:12])
    refused = 0
    for _ in range(500):
        broken = bytearray(sound)
        for _ in range(rng.randrange(1, 6)):
            broken[rng.randrange(start, len(broken))] = rng.choice((0, 1, 4, 8, 0x7F, 0x80, 0xFF))
        try:
            names = read_notes(bytes(broken), Path("m.tflite")).output_names or ()
        except BadInput:
            refused += 1
        else:
            assert sum(map(len, names)) <= 64 * 1024
    assert 50 < refused < 450


def test_class_names_that_are_unpacked_at_once_are_refused() -> None:
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
            archive.writestr("labels.txt", "dog\n" * 1000)
        raw = model(metadata(1, b"boxes")) + file.getvalue()
    with refusal(BadInput):
        read_notes(raw, Path("m.tflite"))
