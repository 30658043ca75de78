"""Files of features that others made, as their own tools write them; and what is wrong with some."""

from __future__ import annotations

import csv
import io
import zipfile
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limner.corpus import Box, Corpus, Image
from limner.errors import BadInput
from limner.vision.features import import_features, npz_features, open_features
from limner.vision.features.bottom_up_tsv import COLUMNS, LXMERT
from limner.vision.features.foreign_features import is_feature_file, read_features
from memory import memory_below
from refusals import refusal

GENERATOR = np.random.default_rng(4)
IDS = ["42", "137", "9001"]
COUNTS = [3, 1, 2]
BOXES = [np.sort(GENERATOR.uniform(0, 99, (n, 2, 2)), axis=1).reshape(n, 4).astype(np.float32) for n in COUNTS]
ROWS = [GENERATOR.normal(size=(n, 8)).astype(np.float32) for n in COUNTS]


def write_tsv(path: Path, columns: tuple[str, ...] = COLUMNS, *, with_header: bool = False) -> None:
    """As the script of bottom-up attention writes it."""
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, delimiter="\t", fieldnames=columns)
        if with_header:
            writer.writeheader()
        for id, n, boxes, rows in zip(IDS, COUNTS, BOXES, ROWS, strict=True):
            objects = b64encode(np.arange(n)).decode()
            record = {"image_id": id, "image_w": 100, "image_h": 100, "img_id": id, "img_w": 100, "img_h": 100}
            record |= dict.fromkeys(LXMERT[3:7], objects)
            record |= {"num_boxes": n, "boxes": b64encode(boxes).decode(), "features": b64encode(rows).decode()}
            writer.writerow({name: record[name] for name in columns})


def check(path: Path, tmp_path: Path, *, is_inclusive: bool = False, has_size: bool = True, **options: Any) -> None:
    """The file, as a store, has what was written."""
    assert is_feature_file(path)
    run = import_features(path, tmp_path / "store", dtype="float32", **options)
    assert (run.n_images, run.n_rows) == (3, 6)
    store = open_features(tmp_path / "store")
    assert sorted(store.image_ids) == sorted(IDS)
    for id, boxes, rows in zip(IDS, BOXES, ROWS, strict=True):
        assert (store.features(id) == rows).all()
        assert (store.features(id, ["0"]) == rows[:1]).all()
        expected = np.minimum(boxes + np.array([0, 0, 1, 1]), 100) if is_inclusive else boxes
        assert np.allclose([box.corners for box in store.boxes(id)], expected)
    assert [(image.width, image.height) for image in store.corpus()] == [(100, 100) if has_size else (None, None)] * 3


@pytest.mark.parametrize("columns", [COLUMNS, LXMERT, COLUMNS[::-1]], ids=["bottom-up", "lxmert", "header"])
def test_tsv_files_of_bottom_up_attention_are_read(tmp_path: Path, columns: tuple[str, ...]) -> None:
    write_tsv(tmp_path / "features.tsv", columns, with_header=columns[0] == "features")
    check(tmp_path / "features.tsv", tmp_path, is_inclusive=True)


def test_npz_files_with_a_file_for_each_image_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "npz"
    folder.mkdir()
    for name, boxes, rows in zip(("42.npz", "137.jpg.npz", "9001.npz"), BOXES, ROWS, strict=True):
        np.savez_compressed(folder / name, x=rows, bbox=boxes, num_bbox=len(rows), image_w=100, image_h=100)
    check(folder, tmp_path)


@pytest.mark.parametrize("id_type", [np.int64, np.str_, np.bytes_])
def test_an_npz_file_of_all_images_is_read(tmp_path: Path, id_type: type) -> None:
    sizes = np.full(3, 100)
    np.savez(
        tmp_path / "all.npz",
        image_id=np.array(IDS).astype(id_type),
        num_boxes=np.array(COUNTS),
        features=np.concatenate(ROWS),
        boxes=np.asfortranarray(np.concatenate(BOXES)),
        image_w=sizes,
        image_h=sizes,
    )
    check(tmp_path / "all.npz", tmp_path)


def test_hdf5_files_of_all_layouts_are_read(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    sizes = np.full(3, 100)
    flat = h5py.vlen_dtype(np.float32)
    with h5py.File(tmp_path / "flat.h5", "w") as file:
        file["image_id"], file["num_boxes"], file["width"], file["height"] = (
            np.array([42, 137, 9001]),
            COUNTS,
            sizes,
            sizes,
        )
        for name, values in (("features", ROWS), ("boxes", BOXES)):
            dataset = file.create_dataset(name, (3,), dtype=flat)
            for number, of_image in enumerate(values):
                dataset[number] = of_image.reshape(-1)
    ends = np.cumsum(COUNTS)
    with h5py.File(tmp_path / "joined.hdf5", "w") as file:
        file["image_ids"] = [id.encode() for id in IDS]
        file["pos_boxes"] = np.stack([ends - COUNTS, ends], axis=1)
        file["image_features"], file["image_bb"] = np.concatenate(ROWS), np.concatenate(BOXES)
        file["image_w"], file["image_h"] = sizes, sizes
    with h5py.File(tmp_path / "padded.h5", "w") as file:
        file["ids"], file["num_boxes"], file["width"], file["height"] = np.array([42, 137, 9001]), COUNTS, sizes, sizes
        file["features"] = np.stack([np.resize(rows, (4, 8)) for rows in ROWS])
        file["boxes"] = np.stack([np.resize(boxes, (4, 4)) for boxes in BOXES])
    with h5py.File(tmp_path / "groups.h5", "w") as file:
        for id, boxes, rows in zip(IDS, BOXES, ROWS, strict=True):
            group = file.create_group(id)
            group["features"], group["bbox"], group["width"], group["height"] = rows, boxes, 100, 100
    for name in ("flat.h5", "joined.hdf5", "padded.h5", "groups.h5"):
        (tmp_path / name).rename(tmp_path / f"{name}.moved")
        folder = tmp_path / f"of-{name}"
        folder.mkdir()
        (tmp_path / f"{name}.moved").rename(folder / name)
        check(folder / name, folder)


def test_a_file_without_boxes_takes_those_of_a_corpus(tmp_path: Path) -> None:
    folder = tmp_path / "npz"
    folder.mkdir()
    for id, rows in zip(IDS, ROWS, strict=True):
        np.savez(folder / f"{id}.npz", features=rows)
    with refusal(BadInput) as caught:
        import_features(folder, tmp_path / "without")
    assert caught.value.code == "no-foreign-boxes"
    images = [
        Image(id, boxes=tuple(Box(str(k), *row) for k, row in enumerate(boxes.tolist())))
        for id, boxes in zip(IDS, BOXES, strict=True)
    ]
    with refusal(BadInput):
        import_features(folder, tmp_path / "other", corpus=Corpus.of([Image("137"), *images[:1]]))
    check(folder, tmp_path, corpus=Corpus.of(images), has_size=False)


def test_reading_that_was_stopped_goes_on(tmp_path: Path) -> None:
    write_tsv(tmp_path / "features.tsv")

    def stop(what: str, done: int, total: int | None, /) -> None:
        if done == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        import_features(tmp_path / "features.tsv", tmp_path / "store", progress=stop)
    run = import_features(tmp_path / "features.tsv", tmp_path / "store", resume=True)
    assert (run.n_before, run.n_images) == (2, 3)
    import_features(tmp_path / "features.tsv", tmp_path / "whole")
    for path in (tmp_path / "whole").iterdir():
        assert path.read_bytes() == (tmp_path / "store" / path.name).read_bytes()


def test_reading_goes_on_with_the_same_corpus_only(tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", image_id=["a", "b"], num_boxes=[1, 1], features=np.ones((2, 3)))
    box = Box("0", 0, 0, 5, 5)
    first = Image("a", 50, 50, (box,))
    with refusal(BadInput):
        import_features(tmp_path / "f.npz", tmp_path / "s", corpus=Corpus.of([first, Image("b")]))
    for changed in (Image("a", 50, 50, (Box("z", 0, 0, 5, 5),)), Image("a", 60, 50, (box,))):
        other = Corpus.of([changed, Image("b", boxes=(box,))])
        with refusal(BadInput):
            import_features(tmp_path / "f.npz", tmp_path / "s", corpus=other, resume=True)
    corpus = Corpus.of([first, Image("b", boxes=(box,))])
    assert import_features(tmp_path / "f.npz", tmp_path / "s", corpus=corpus, resume=True).n_before == 1


def test_a_folder_in_which_some_files_have_boxes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "npz").mkdir()
    np.savez(tmp_path / "npz" / "a.npz", features=np.ones((1, 3)), boxes=[[0, 0, 1, 1]])
    np.savez(tmp_path / "npz" / "b.npz", features=np.ones((1, 3)))
    with refusal(BadInput):
        import_features(tmp_path / "npz", tmp_path / "s")


def line(**changed: object) -> str:
    rows, boxes = ROWS[0], BOXES[0]
    cells = {
        "image_id": "42", "image_w": 100, "image_h": 100, "num_boxes": 3,
        "boxes": b64encode(boxes).decode(), "features": b64encode(rows).decode(),
    }  # fmt: skip
    return "\t".join(str(value) for value in {**cells, **changed}.values())


WRONG_TSV = {
    "two columns": "a\tb\n",
    "two columns after six": line() + "\n1\t2\n",
    "a width in words": line(image_w="wide"),
    "no width": line(image_w=0),
    "more boxes than bytes": line(num_boxes=5),
    "more boxes than corners": line(num_boxes=4),
    "very many boxes": line(num_boxes=999999999),
    "boxes that are no base64": line(boxes="***"),
    "features of three bytes": line(features=b64encode(b"abc").decode()),
    "no id": line(image_id=""),
    "features that are no numbers": line(features=b64encode(np.full((3, 8), np.nan, np.float32)).decode()),
    "boxes outside": line(boxes=b64encode(np.full((3, 4), 400, np.float32)).decode()),
    "boxes that are no numbers": line(boxes=b64encode(np.full((3, 4), np.nan, np.float32)).decode()),
    "twice": line() + "\n" + line(),
    "fewer numbers": line() + "\n" + line(image_id=7, features=b64encode(np.zeros((3, 2), np.float32)).decode()),
    "nothing": "",
}


@pytest.mark.parametrize("name", WRONG_TSV)
def test_a_tsv_file_that_is_wrong_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "features.tsv").write_text(WRONG_TSV[name])
    with refusal(BadInput):
        import_features(tmp_path / "features.tsv", tmp_path / "store")


def archive(name: str, content: bytes) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    return raw.getvalue()


def header(text: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


HUGE = header("{'descr': '<f4', 'fortran_order': False, 'shape': (999999999, 999999), }\n")
OBJECTS = header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n") + b"\x80\x04N."


WRONG_NPZ = {
    "no zip": b"not a zip",
    "huge": archive("features.npy", HUGE),
    "objects": archive("features.npy", OBJECTS),
    "nonsense": archive("features.npy", b"nonsense"),
    "deep": archive("features.npy", header("{'descr': " + "(" * 5000 + "\n")),
    "no features": archive("other.npy", header("{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }\n")),
    "texts": archive("features.npy", header("{'descr': '<U3', 'fortran_order': False, 'shape': (0, 2), }\n")),
}


@pytest.mark.parametrize("name", WRONG_NPZ)
def test_an_npz_file_that_is_wrong_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.npz").write_bytes(WRONG_NPZ[name])
    with refusal(BadInput), memory_below(200 << 20):
        list(read_features(tmp_path / "a.npz"))


def all_images(**changed: Any) -> dict[str, np.ndarray]:
    """The arrays of two images with two boxes each; None takes one away."""
    boxes = np.array([[0, 0, 1, 1], [0, 0, 2, 2]] * 2, dtype=np.float32)
    arrays = {"image_id": ["a", "b"], "num_boxes": [2, 2], "features": np.ones((4, 3), np.float32), "boxes": boxes}
    return {name: np.asarray(value) for name, value in {**arrays, **changed}.items() if value is not None}


PADDED = {"features": np.ones((2, 2, 3)), "boxes": np.resize([[0, 0, 1, 1.0]], (2, 2, 4))}


def written(path: Path, arrays: dict[str, np.ndarray]) -> Path:
    """A file of arrays, npz or HDF5."""
    if path.suffix == ".npz":
        np.savez(path, **arrays)
        return path
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(path, "w") as file:
        for name, values in arrays.items():
            file[name] = values.astype(np.bytes_) if values.dtype.kind == "U" else values
    return path


@pytest.mark.parametrize("name", ["a.npz", "a.h5"])
@pytest.mark.parametrize(
    ("changed", "counts"),
    [
        ({}, [2, 2]),
        ({"num_boxes": np.array([1, 3], np.uint64)}, [1, 3]),
        ({"num_boxes": np.array([0, 4], np.uint8)}, [0, 4]),
        ({**PADDED, "num_boxes": [1, 2]}, [1, 2]),
        ({**PADDED, "num_boxes": None}, [2, 2]),
    ],
)
def test_both_kinds_of_files_are_read_alike(
    tmp_path: Path, name: str, changed: dict[str, Any], counts: list[int]
) -> None:
    sizes = {"img_w": [9, 8], "img_h": np.array([7.0, 6.0])}
    images = list(read_features(written(tmp_path / name, all_images(**changed, **sizes))))
    assert [(i.image.id, len(i.rows), len(i.image.boxes)) for i in images] == [
        (id, n, n) for id, n in zip("ab", counts, strict=True)
    ]
    assert [(i.image.width, i.image.height) for i in images] == [(9, 7), (8, 6)]


@pytest.mark.parametrize("name", ["a.npz", "a.h5"])
@pytest.mark.parametrize(
    "changed",
    [
        {"num_boxes": 4},
        {"num_boxes": [2.5, 1.5]},
        {"num_boxes": [-1, 5]},
        {"num_boxes": np.array([2, (1 << 64) - 1], np.uint64)},
        {"num_boxes": [2, 3]},
        {"num_boxes": ["2", "2"]},
        {"num_boxes": None},
        {"image_id": [0.5, 1.5]},
        {"image_w": [5], "image_h": [5, 5]},
        {"image_w": [5, 5], "image_h": [5, np.nan]},
        {"features": 1.0},
        {"features": np.ones(2)},
        {"features": np.ones((4, 3), np.complex64)},
        {"features": np.ones((2, 1, 2, 3)), "boxes": None},
        {**PADDED, "num_boxes": [1, 3]},
        {**PADDED, "boxes": np.zeros((1, 2, 4))},
        {"boxes": 1.0},
        {"boxes": np.zeros((3, 4))},
        {"boxes": np.array([["x"] * 4] * 4)},
        {"boxes": np.zeros((4, 4), "V3")},
        {"image_id": None, "num_boxes": None, "boxes": np.zeros((4, 4), "V3")},
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, name: str, changed: dict[str, Any]) -> None:
    path = written(tmp_path / name, all_images(**changed))
    with refusal(BadInput):
        list(read_features(path))


def test_rows_that_fill_up_the_file_of_an_image_are_left_out(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.ones((4, 3)), bbox=np.resize([0, 0, 1, 1], (4, 4)), num_bbox=2)
    assert [image.rows.shape for image in read_features(tmp_path / "a.npz")] == [(2, 3)]


def test_only_the_named_arrays_of_an_npz_file_are_read(tmp_path: Path) -> None:
    zeros = io.BytesIO()
    np.save(zeros, np.zeros(100_000_000, np.uint8))
    row = io.BytesIO()
    np.save(row, np.ones((1, 3), np.float32))
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr("features.npy", row.getvalue())
        file.writestr("junk.npy", zeros.getvalue())
    with memory_below(50 << 20):
        assert [image.rows.shape for image in read_features(tmp_path / "a.npz")] == [(1, 3)]


def test_the_arrays_of_an_npz_file_are_bounded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npz_features, "MAX_BYTES", 300)
    np.savez(tmp_path / "a.npz", features=np.ones((1, 3)), boxes=np.ones((1, 4)))
    with refusal(BadInput):
        list(read_features(tmp_path / "a.npz"))


def test_an_hdf5_file_that_leads_to_others_is_refused(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["features"] = np.zeros((1, 2))
    with h5py.File(tmp_path / "link.h5", "w") as file:
        file["42"] = h5py.ExternalLink("secret.h5", "features")
    with h5py.File(tmp_path / "virtual.h5", "w") as file:
        layout = h5py.VirtualLayout((1, 2), dtype="f8")
        layout[:] = h5py.VirtualSource("secret.h5", "features", shape=(1, 2))
        file.create_virtual_dataset("42", layout)
    (tmp_path / "raw").write_bytes(b"0" * 16)
    with h5py.File(tmp_path / "outside.h5", "w") as file:
        file.create_dataset("42", (1, 2), "f8", external=[(str(tmp_path / "raw"), 0, 16)])
    with h5py.File(tmp_path / "soft.h5", "w") as file:
        file["a"] = h5py.SoftLink("/b")
        file["b"] = h5py.ExternalLink("secret.h5", "/")
    with h5py.File(tmp_path / "number.h5", "w") as file:
        file["features"], file["z"] = h5py.SoftLink("/z/features"), h5py.ExternalLink("secret.h5", "/")
        file["image_id"], file["num_boxes"] = [1], [1]
    for name in ("link", "virtual", "outside", "soft", "number"):
        with refusal(BadInput):
            list(read_features(tmp_path / f"{name}.h5"))


def test_an_hdf5_file_that_is_wrong_is_refused(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    (tmp_path / "text.h5").write_text("no HDF5")
    with h5py.File(tmp_path / "huge.h5", "w") as file:
        file.create_dataset("42", (1 << 20, 1 << 20), "f4", chunks=(1 << 10, 1 << 10), compression="gzip")
    with h5py.File(tmp_path / "counts.h5", "w") as file:
        file["image_id"], file["num_boxes"], file["features"] = [1, 2], [1, 5], np.zeros((3, 2))
    with h5py.File(tmp_path / "wide.h5", "w") as file:
        file.create_dataset("image_id", (2000,), "S1000000", chunks=(1,))
        file["features"] = np.ones((2000, 1, 2))
    with h5py.File(tmp_path / "array.h5", "w") as file:
        file.create_dataset("a", (600,), np.dtype(("f4", (1000000,))), chunks=(1,))
    with h5py.File(tmp_path / "compound.h5", "w") as file:
        file["a"] = np.zeros((2, 3), [("x", "f4"), ("y", "f4")])
    with h5py.File(tmp_path / "empty.h5", "w") as file:
        file["a"] = h5py.Empty("f4")
    with h5py.File(tmp_path / "type.h5", "w") as file:
        file["a"] = np.dtype("f4")
    for name in ("text", "huge", "counts", "wide", "array", "compound", "empty", "type"):
        with refusal(BadInput), memory_below(200 << 20):
            list(read_features(tmp_path / f"{name}.h5"))
