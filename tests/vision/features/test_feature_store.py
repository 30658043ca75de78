"""A store of features: what was written is read, whatever happened to the run that wrote it."""

from __future__ import annotations

import os
import shutil
from contextlib import nullcontext, suppress
from pathlib import Path

import numpy as np
import pytest

from limner.corpus import Box, Image
from limner.errors import BadInput, LimnerError
from limner.vision.features import open_features, write_store
from limner.vision.features.store_writer import StoreWriter
from memory import memory_below
from refusals import refusal

N_DIMS = 6

# A shard ends with its fifth row, or later.
SHARD = 5 * N_DIMS * 2


def images(n: int = 10) -> list[Image]:
    """Images with 0 to 4 boxes."""
    return [
        Image(f"im/{i} ü", 100, 50, tuple(Box(f"b{k}", k, k, k + 10.5, k + 5) for k in range(i % 5)), file=f"{i}.jpg")
        for i in range(n)
    ]


def rows_of(image: Image) -> np.ndarray:
    seed = int(image.id.split("/")[1].split()[0])
    return np.random.default_rng(seed).normal(size=(len(image.boxes), N_DIMS)).astype(np.float32)


def write(folder: Path, n: int = 10, *, start: int = 0, resume: bool = False, finish: bool = True) -> None:
    """Write images to a store; without an end, as a killed run leaves it."""
    with (
        nullcontext() if finish else suppress(InterruptedError),
        write_store(folder, "test", N_DIMS, resume=resume, shard_bytes=SHARD) as writer,
    ):
        for image in images(n)[start:]:
            writer.append(image, rows_of(image))
        if not finish:
            raise InterruptedError


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_features_are_read_by_image_and_box(tmp_path: Path, dtype: str) -> None:
    with write_store(tmp_path / "s", "test|a:1", N_DIMS, dtype=dtype, shard_bytes=SHARD) as writer:  # type: ignore[arg-type]
        for image in images():
            writer.append(image, rows_of(image))
    store = open_features(tmp_path / "s")
    assert store.signature == "test|a:1"
    assert len(store) == 10
    assert store.header.n_shards > 2
    assert store.image_ids == [image.id for image in images()]
    for image in images():
        kept = rows_of(image).astype(dtype).astype(np.float32)
        assert (store.features(image.id) == kept).all()
        assert store.features(image.id).dtype == np.float32
        assert store.boxes(image.id) == image.boxes
        assert image.id in store
    assert (store.features("im/4 ü", ["b2", "b0", "b2"]) == store.features("im/4 ü")[[2, 0, 2]]).all()
    assert store.features("im/4 ü", []).shape == (0, N_DIMS)
    assert list(store.corpus()) == images()
    store.verify()


def test_shards_are_arrays_that_numpy_opens(tmp_path: Path) -> None:
    write(tmp_path / "s")
    first = np.load(tmp_path / "s" / "shard-00000.npy", mmap_mode="r", allow_pickle=False)
    expected = np.concatenate([rows_of(image) for image in images()])[: len(first)].astype(np.float16)
    assert first.dtype == np.float16
    assert len(first) >= 5
    assert (first == expected).all()


@pytest.mark.parametrize(("image_id", "box_ids"), [("im/99 ü", None), ("im/3 ü", ["b7"])])
def test_what_is_not_there_is_named(tmp_path: Path, image_id: str, box_ids: list[str] | None) -> None:
    write(tmp_path / "s")
    with refusal(LimnerError):
        open_features(tmp_path / "s").features(image_id, box_ids)


def test_a_text_is_not_a_list_of_box_ids(tmp_path: Path) -> None:
    write(tmp_path / "s")
    with refusal(ValueError):
        open_features(tmp_path / "s").features("im/3 ü", "b1")


@pytest.mark.parametrize("stopped_after", range(1, 11))
def test_a_resumed_store_is_the_same_bytes(tmp_path: Path, stopped_after: int) -> None:
    write(tmp_path / "whole")
    write(tmp_path / "s", stopped_after, finish=False)
    with refusal(BadInput):
        open_features(tmp_path / "s")
    write(tmp_path / "s", start=stopped_after, resume=True)
    assert contents(tmp_path / "s") == contents(tmp_path / "whole")


@pytest.mark.parametrize("kind", ["npy", "jsonl", "index"])
def test_a_file_that_lost_its_end_is_cut_back_to_whole_images(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a loss of power leaves it, at lengths all over the file."""
    # Nothing here depends on the disk, which is slow to answer.
    monkeypatch.setattr(os, "fsync", lambda _: None)
    write(tmp_path / "whole")
    write(tmp_path / "stopped", 3, finish=False)
    path = Path("shard-00000").with_suffix(f".{kind}")
    for length in range(0, (tmp_path / "stopped" / path).stat().st_size, 11):
        shutil.copytree(tmp_path / "stopped", tmp_path / "s")
        os.truncate(tmp_path / "s" / path, length)
        with write_store(tmp_path / "s", "test", N_DIMS, resume=True, shard_bytes=SHARD) as writer:
            done = [entry.id for entry, _ in writer.written()]
            assert done == [image.id for image in images(len(done))]
            assert len(done) < 3
            for image in images()[len(done) :]:
                writer.append(image, rows_of(image))
        assert contents(tmp_path / "s") == contents(tmp_path / "whole")
        shutil.rmtree(tmp_path / "s")


def test_a_finished_store_can_get_more_images(tmp_path: Path) -> None:
    write(tmp_path / "s", 4)
    write(tmp_path / "s", 10, start=4, resume=True)
    store = open_features(tmp_path / "s")
    assert store.image_ids == [image.id for image in images()]
    assert (store.features("im/9 ü") == rows_of(images()[9]).astype(np.float16)).all()


def test_a_finished_store_stays_so_until_it_gets_an_image(tmp_path: Path) -> None:
    write(tmp_path / "s", 4)
    before = contents(tmp_path / "s")
    for resumed in (LimnerError, InterruptedError):
        with pytest.raises(resumed), write_store(tmp_path / "s", "test", N_DIMS, resume=True):
            raise resumed
    assert contents(tmp_path / "s") == before
    assert len(open_features(tmp_path / "s")) == 4


@pytest.mark.parametrize("finish", [True, False])
@pytest.mark.parametrize(
    "text",
    [None, b"", b"{}\n", b'{"type":"end","n_images":1,"n_rows":1}\n'],
    ids=["missing", "empty", "nonsense", "other counts"],
)
def test_a_shard_that_is_damaged_is_not_cut_when_a_run_is_resumed(
    tmp_path: Path, text: bytes | None, finish: bool
) -> None:
    """A shard with another behind it was complete once; of a finished store all were."""
    write(tmp_path / "s", 10, finish=finish)
    last = max(tmp_path.glob("s/*.index"))
    for path in [tmp_path / "s" / "shard-00000.index", *([last] if finish else [])]:
        sound = path.read_bytes()
        if text is None:
            path.unlink()
        else:
            path.write_bytes(sound.split(b"\n")[0] + b"\n" + text)
        before = contents(tmp_path / "s")
        with refusal(BadInput):
            write(tmp_path / "s", resume=True)
        assert contents(tmp_path / "s") == before
        path.write_bytes(sound)


def test_an_image_is_in_a_store_once(tmp_path: Path) -> None:
    write(tmp_path / "s", 6, finish=False)
    with refusal(BadInput):
        write(tmp_path / "s", start=1, resume=True)
    with (
        refusal(BadInput),
        write_store(tmp_path / "s", "test", N_DIMS, resume=True, shard_bytes=SHARD) as writer,
    ):
        writer.leave_out("im/2 ü", "again")


def test_how_boxes_lie_on_the_picture_is_kept(tmp_path: Path) -> None:
    image = Image("a", 10, 10, attributes={"orientation": "upright", "split": "test"})
    with write_store(tmp_path / "s", "test", N_DIMS) as writer:
        writer.append(image, np.zeros((0, N_DIMS)))
    assert [dict(image.attributes) for image in open_features(tmp_path / "s").corpus()] == [{"orientation": "upright"}]


def test_images_that_were_left_out_are_told_with_the_reason(tmp_path: Path) -> None:
    with write_store(tmp_path / "s", "test", N_DIMS) as writer:
        writer.append(images()[1], rows_of(images()[1]))
        writer.leave_out("gone", "there is no picture of it")
    store = open_features(tmp_path / "s")
    assert store.left_out == {"gone": "there is no picture of it"}
    assert len(store) == 1
    with refusal(LimnerError):
        store.features("gone")


def test_a_store_is_not_written_over(tmp_path: Path) -> None:
    write(tmp_path / "s")
    before = contents(tmp_path / "s")
    with refusal(BadInput) as caught:
        write(tmp_path / "s")
    assert caught.value.code == "store-exists"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    with refusal(BadInput):
        write(tmp_path / "other", resume=True)
    (tmp_path / "file").write_text("dear")
    with refusal(LimnerError):
        write(tmp_path / "file")
    assert contents(tmp_path / "s") == before


@pytest.mark.parametrize(
    "options",
    [
        {"signature": "other", "n_dims": N_DIMS},
        {"signature": "test", "n_dims": 7},
        {"signature": "test", "n_dims": N_DIMS, "dtype": "float32"},
        {"signature": "test", "n_dims": N_DIMS, "boxes": "whole"},
    ],
)
def test_a_run_with_other_settings_cannot_be_resumed(tmp_path: Path, options: dict[str, object]) -> None:
    write(tmp_path / "s", 3, finish=False)
    with refusal(BadInput), write_store(tmp_path / "s", resume=True, **options):  # type: ignore[arg-type]
        pass


def test_two_runs_do_not_write_one_store(tmp_path: Path) -> None:
    with (
        write_store(tmp_path / "s", "test", N_DIMS),
        pytest.raises(BadInput) as caught,
        write_store(tmp_path / "s", "other", N_DIMS, resume=True),
    ):
        pass
    assert (caught.value.place, caught.value.code) == (str(tmp_path / "s"), "folder-in-use")


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        (np.zeros((2, N_DIMS)), ValueError),
        (np.zeros((3, N_DIMS + 1)), ValueError),
        (np.full((3, N_DIMS), 1e6), BadInput),
        (np.full((3, N_DIMS), np.nan), BadInput),
    ],
)
def test_rows_that_do_not_fit_are_refused(tmp_path: Path, rows: np.ndarray, kind: type[Exception]) -> None:
    with refusal(kind), write_store(tmp_path / "s", "test", N_DIMS) as writer:
        writer.append(images()[3], rows)


def test_damage_is_seen(tmp_path: Path) -> None:
    write(tmp_path / "s")
    path = tmp_path / "s" / "shard-00001.npy"
    raw = bytearray(path.read_bytes())
    raw[140] ^= 1
    path.write_bytes(raw)
    store = open_features(tmp_path / "s")
    with refusal(BadInput):
        store.verify()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("store.json", b"{}"),
        ("store.json", b'{"limner_features": 1'),
        ("store.json", b"[" * 100_000),
        ("store.json", b" " * (2 << 20)),
        ("shard-00000.index", b""),
        (
            "shard-00000.index",
            b'{"type":"image","id":"a","n_rows":999999999999999}\n{"type":"end","n_images":1,"n_rows":1}\n',
        ),
        ("shard-00000.index", b'{"type":"image","id":"a","n_rows":-1}\n'),
        ("shard-00000.jsonl", b"{}\n"),
        ("shard-00000.npy", b"\x93NUMPY"),
    ],
)
def test_a_store_of_nonsense_is_refused(tmp_path: Path, name: str, text: bytes) -> None:
    write(tmp_path / "s")
    (tmp_path / "s" / name).write_bytes(text)
    with refusal(BadInput), memory_below(100 << 20):
        open_features(tmp_path / "s")


def test_what_is_no_store_is_named(tmp_path: Path) -> None:
    with refusal(BadInput):
        open_features(tmp_path / "nowhere")
    with refusal(BadInput):
        open_features(tmp_path)


def test_memory_does_not_grow_with_the_store(tmp_path: Path) -> None:
    n_dims, boxes = 1280, tuple(Box(str(k), 0, 0, 10, 10) for k in range(100))
    rows = np.random.default_rng(0).normal(size=(100, n_dims)).astype(np.float32)
    with memory_below(24 << 20), write_store(tmp_path / "s", "test", n_dims, shard_bytes=16 << 20) as writer:
        for number in range(300):
            writer.append(Image(str(number), boxes=boxes), rows)
    assert open_features(tmp_path / "s").header.n_rows == 30_000


def test_a_writer_can_be_asked_what_is_there(tmp_path: Path) -> None:
    write(tmp_path / "s", 5, finish=False)
    with write_store(tmp_path / "s", "test", N_DIMS, resume=True, shard_bytes=SHARD) as writer:
        assert isinstance(writer, StoreWriter)
        assert writer.n_images == 5
        assert [entry.n_rows for entry, _ in writer.written()] == [0, 1, 2, 3, 4]
