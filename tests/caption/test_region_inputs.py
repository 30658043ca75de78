"""What a captioner sees of an image."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from limner.caption.captioner_files import RegionsRecord
from limner.caption.region_inputs import PICTURE, RARE, BoxInputs, Labels, RegionSettings, StoreInputs
from limner.caption.region_streams import stream_regions
from limner.corpus import Box, Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.vision.features import open_features, write_store
from limner.vision.features.region_source import RegionSource
from refusals import refusal

DOG = Box("a", 10, 20, 60, 70, "dog", 0.9)
CAT = Box("b", 0, 0, 100, 50, "cat", 0.5)
IMAGE = Image("1", 100, 200, (CAT, DOG))
LABELS = Labels(["dog"])
SETTINGS = RegionSettings(boxes=12, grid=2)


def test_boxes_come_after_the_picture_the_surest_first() -> None:
    seen = BoxInputs(LABELS, SETTINGS).read(IMAGE)
    assert seen.box_ids == (None, "a", "b")
    assert seen.labels.tolist() == [PICTURE, 2, RARE]
    assert seen.rows[0].tolist() == [0, 0, 1, 1, 1, 1, 1, 1]
    np.testing.assert_allclose(seen.rows[1], [0.1, 0.1, 0.6, 0.35, 0.5, 0.25, 0.125, 0.9], rtol=1e-6)


def test_only_so_many_boxes_are_looked_at() -> None:
    assert BoxInputs(LABELS, RegionSettings(boxes=1)).read(IMAGE).box_ids == (None, "a")


def test_an_image_without_boxes_is_a_picture() -> None:
    assert BoxInputs(LABELS, SETTINGS).read(Image("2")).box_ids == (None,)


def test_boxes_in_an_image_without_a_size_are_an_error() -> None:
    with refusal(LimnerError):
        BoxInputs(LABELS, SETTINGS).read(Image("2", boxes=(DOG,)))


def test_labels_need_some_boxes() -> None:
    images = [Image(str(n), 100, 100, (Box("x", 0, 0, 1, 1, "cow"),)) for n in range(5)]
    assert Labels.count([*images, IMAGE]).names == ("cow",)


def make_store(folder: Path, boxes: tuple[Box, ...] = (DOG,), source: str = "corpus") -> Path:
    with write_store(folder, "features:test", 3, dtype="float32", boxes=source) as writer:
        writer.append(Image("1", 100, 200, boxes), np.ones((len(boxes), 3), dtype=np.float32))
    return folder


def test_a_store_gives_features_with_geometry(tmp_path: Path) -> None:
    inputs = StoreInputs(open_features(make_store(tmp_path / "s")), LABELS)
    seen = inputs.read(IMAGE)
    assert inputs.n_dims == 11
    assert seen.box_ids == ("a",)
    np.testing.assert_allclose(seen.rows[0, :4], [1, 1, 1, 0.1], rtol=1e-6)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("corpus", (None, "a", "b")),
        (RegionSource("mixed", 2, 2, 9).signature, (None, "a", "b")),
        (RegionSource("grid", 1, 3).signature, (None, None, "b")),
        ("file", (None, None, "b")),
    ],
)
def test_regions_that_the_image_has_no_box_for_are_none(
    tmp_path: Path, source: str, expected: tuple[str | None, ...]
) -> None:
    regions = (Box("0-0", 0, 0, 50, 50), Box("a", 70, 90, 100, 200), Box("b", 0, 0, 100, 50))
    inputs = StoreInputs(open_features(make_store(tmp_path / "s", regions, source)), LABELS)
    assert inputs.read(IMAGE).box_ids == expected


def test_features_that_are_not_finite_are_told_with_the_image(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s")
    shard = store / "shard-00000.npy"
    shard.write_bytes(shard.read_bytes()[:-4] + np.float32(np.nan).tobytes())
    inputs = StoreInputs(open_features(store), LABELS)
    with refusal(BadInput):
        inputs.read(IMAGE)


def test_an_image_without_regions_is_an_error(tmp_path: Path) -> None:
    with refusal(BadInput):
        StoreInputs(open_features(make_store(tmp_path / "s", boxes=())), LABELS).read(IMAGE)


def test_images_without_features_are_an_error_or_left_out(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s")
    inputs = StoreInputs(open_features(store), LABELS)
    record = RegionsRecord("store", SETTINGS, inputs.signature, inputs.n_dims, str(store))
    with refusal(BadInput):
        list(stream_regions([IMAGE, Image("2")], record, LABELS))
    reading = Reading(lenient=True)
    assert [image.id for image, _ in stream_regions([Image("2"), IMAGE], record, LABELS, reading=reading)] == ["1"]
    assert reading.skipped == {"image without features": 1}


def test_a_store_of_other_features_is_refused(tmp_path: Path) -> None:
    record = RegionsRecord("store", SETTINGS, "other", 11, str(make_store(tmp_path / "s")))
    with refusal(BadInput):
        list(stream_regions([IMAGE], record, LABELS))
