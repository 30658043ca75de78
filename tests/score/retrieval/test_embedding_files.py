"""Files of vectors, as dual encoders' users save them, and files that are none."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from limner.errors import BadInput
from limner.score.retrieval.embedding_files import open_embeddings
from refusals import refusal

RANDOM = np.random.default_rng(0)
IMAGES = RANDOM.standard_normal((3, 4)).astype(np.float32)
TEXTS = RANDOM.standard_normal((6, 4)).astype(np.float32)


def test_npz_files_are_read_with_ids_of_text_or_numbers(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    np.savez(path, image_ids=[7, 8, 9], image_embeds=IMAGES, text_image_ids=[9, 9, 8, 8, 7, 7], text_embeds=TEXTS)
    found = open_embeddings(path)
    assert list(found.image_ids) == ["7", "8", "9"]
    assert found.text_images.tolist() == [2, 2, 1, 1, 0, 0]
    assert list(found.text_ids)[:3] == ["9#0", "9#1", "8#0"]
    expected = (IMAGES / np.linalg.norm(IMAGES, axis=1, keepdims=True)) @ (
        TEXTS / np.linalg.norm(TEXTS, axis=1, keepdims=True)
    ).T
    assert np.allclose(found.scores.block(slice(None), slice(None)), expected, atol=1e-6)


def test_so_many_captions_each_may_be_said(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    np.savez(path, images=IMAGES, texts=TEXTS)
    assert open_embeddings(path, captions_each=2).text_images.tolist() == [0, 0, 1, 1, 2, 2]
    with refusal(BadInput):
        open_embeddings(path, captions_each=5)
    with refusal(BadInput):
        open_embeddings(path)


@pytest.mark.parametrize("half", [False, True])
def test_safetensors_files_are_those_that_the_library_writes(tmp_path: Path, half: bool) -> None:
    torch, library = pytest.importorskip("torch"), pytest.importorskip("safetensors.torch")
    kind = torch.bfloat16 if half else torch.float32
    tensors = {"image_vectors": torch.tensor(IMAGES).to(kind), "text_vectors": torch.tensor(TEXTS).to(kind)}
    ids = {"image_ids": json.dumps(["a", "b", "c"]), "text_image_ids": json.dumps(["a", "a", "b", "b", "c", "c"])}
    library.save_file(tensors, tmp_path / "mine.safetensors", metadata=ids)
    found = open_embeddings(tmp_path / "mine.safetensors")
    assert found.text_images.tolist() == [0, 0, 1, 1, 2, 2]
    exact = tensors["image_vectors"].float().numpy() @ tensors["text_vectors"].float().numpy().T
    lengths = np.linalg.norm(tensors["image_vectors"].float().numpy(), axis=1)[:, None] * np.linalg.norm(
        tensors["text_vectors"].float().numpy(), axis=1
    )
    assert np.allclose(found.scores.block(slice(None), slice(None)), exact / lengths, atol=1e-6)


GOOD = {"image_ids": ["a", "b", "c"], "image_vectors": IMAGES, "text_image_ids": list("aabbcc"), "text_vectors": TEXTS}
FAULTS = {
    "there are no text vectors": {"text_vectors": None},
    "not finite": {"image_vectors": np.full((3, 4), np.nan, np.float32)},
    "vectors of images have 5 numbers": {"image_vectors": np.ones((3, 5), np.float32)},
    "give a row of floats for each": {"image_vectors": np.ones((3, 4), np.int64)},
    "give one for each of the 3 vectors": {"image_ids": ["a", "b"]},
    "is there twice": {"image_ids": ["a", "b", "b"]},
    "no text is of any of the images": {"text_image_ids": list("xxxxxx")},
    "objects": {"image_ids": np.array(["a", None, "b"], dtype=object)},
}


@pytest.mark.parametrize("problem", FAULTS)
def test_faulty_arrays_are_refused(tmp_path: Path, problem: str) -> None:
    arrays = {name: value for name, value in {**GOOD, **FAULTS[problem]}.items() if value is not None}
    np.savez(tmp_path / "bad.npz", **arrays, allow_pickle=True)
    with refusal(BadInput):
        open_embeddings(tmp_path / "bad.npz")


def safetensors(head: object, data: bytes = b"") -> bytes:
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    return len(text).to_bytes(8, "little") + text + data


ENTRY = {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}
HOSTILE = {
    "empty": b"",
    "a head that is longer than the file": (1 << 60).to_bytes(8, "little") + b"{}",
    "a head that is no JSON": safetensors(b"nonsense"),
    "a head of lists": safetensors([1, 2]),
    "deep nesting": safetensors(b"[" * 100_000),
    "another type": safetensors({"image_vectors": {**ENTRY, "dtype": "X9"}}, bytes(8)),
    "a shape that is too large": safetensors({"image_vectors": {**ENTRY, "shape": [1 << 40, 1 << 40]}}, bytes(8)),
    "a negative shape": safetensors({"image_vectors": {**ENTRY, "shape": [-1, -2]}}, bytes(8)),
    "offsets outside": safetensors({"image_vectors": {**ENTRY, "data_offsets": [1 << 50, (1 << 50) + 8]}}, bytes(8)),
    "a name twice": safetensors(b'{"image_vectors": {}, "image_vectors": {}}'),
    "bytes of two arrays": safetensors({"image_vectors": ENTRY, "text_vectors": ENTRY}, bytes(8)),
    "ids in two places": safetensors({"__metadata__": {"image_vectors": "[1]"}, "image_vectors": ENTRY}, bytes(8)),
    "ids that are truths": safetensors({"__metadata__": {"image_ids": "[true]"}}),
    "ids that are none": safetensors({"__metadata__": {"image_ids": '{"a": 1}'}}),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_safetensors_are_refused(tmp_path: Path, kind: str) -> None:
    (tmp_path / "bad.safetensors").write_bytes(HOSTILE[kind])
    with refusal(BadInput):
        open_embeddings(tmp_path / "bad.safetensors")


def test_one_long_id_does_not_make_all_of_them_long(tmp_path: Path) -> None:
    ids = ["a" * 100_000, *map(str, range(2000))]
    head = {
        "__metadata__": {"image_ids": json.dumps(ids)},
        "image_vectors": {"dtype": "F32", "shape": [2001, 1], "data_offsets": [0, 8004]},
        "text_vectors": {"dtype": "F32", "shape": [2001, 1], "data_offsets": [8004, 16008]},
    }
    (tmp_path / "long.safetensors").write_bytes(safetensors(head, np.ones(4002, np.float32).tobytes()))
    tracemalloc.start()
    try:
        assert list(open_embeddings(tmp_path / "long.safetensors", captions_each=1).image_ids) == ids
        # As an array of texts of one length, the ids alone would take 800 MB.
        assert tracemalloc.get_traced_memory()[1] < 50 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_nothing_is_chosen_among_arrays_of_one_name(tmp_path: Path) -> None:
    path = tmp_path / "twice.npz"
    np.savez(path, image_ids=[7, 8, 9], images=IMAGES, text_image_ids=[9, 9, 8, 8, 7, 7], texts=TEXTS)
    raw = zipfile.ZipFile(path).read("images.npy")
    for name in ("image_embeds.npy", "images.npy"):
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr(name, raw)
        with refusal(BadInput):
            open_embeddings(path)


def test_an_npz_of_zeros_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "zeros.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("image_vectors.npy", bytes(257 << 20))
    with refusal(BadInput):
        open_embeddings(path)


@pytest.mark.parametrize("name", ["absent.npz", "absent.safetensors", "vectors.csv"])
def test_what_is_not_there_or_not_of_a_kind_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput):
        open_embeddings(tmp_path / name)


def test_what_is_no_npz_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.npz").write_text("nothing")
    with refusal(BadInput):
        open_embeddings(tmp_path / "bad.npz")


def test_other_vectors_have_another_signature(tmp_path: Path) -> None:
    signatures = []
    for name, texts in (("a", TEXTS), ("b", TEXTS), ("c", TEXTS + 1)):
        np.savez(tmp_path / f"{name}.npz", images=IMAGES, texts=texts)
        signatures.append(open_embeddings(tmp_path / f"{name}.npz", captions_each=2).signature)
    assert signatures[0] == signatures[1] != signatures[2]


def test_ids_in_the_file_are_not_overridden(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    np.savez(path, image_ids=[7, 8, 9], images=IMAGES, text_image_ids=[9, 9, 8, 8, 7, 7], texts=TEXTS)
    with refusal(BadInput):
        open_embeddings(path, captions_each=2)
