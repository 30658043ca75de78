"""What a TensorFlow Lite file says of itself, and what becomes of files that are broken."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from conftest import REPOSITORY
from limner.errors import BadInput
from limner.vision.runtimes.litert_metadata import read_notes


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
