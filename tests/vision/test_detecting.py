"""Detecting over corpora and folders: order, what is kept, sizes, and pictures that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image as Picture

from limner.corpus import Box, Caption, Chain, Image, Mention
from limner.corpus.provenance import ProvenanceTally
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.vision import DetectionTally, Pixels, detect_corpus, find_pictures, read_ahead
from refusals import refusal


class Halves:
    """A detector that sees a thing in the left half of every picture, by the colour of its first pixel."""

    signature = "halves|score:0"
    class_names = ("dark", "light")

    def detect(self, pictures: Sequence[Pixels]) -> list[tuple[Box, ...]]:
        return [
            (Box("d0", 0, 0, pixels.shape[1] / 2, pixels.shape[0], self.class_names[int(pixels[0, 0, 0] > 99)], 0.5),)
            for pixels in pictures
        ]


def draw(folder: Path, **shades: int) -> None:
    for name, shade in shades.items():
        Picture.fromarray(np.full((30, 40, 3), shade, dtype=np.uint8)).save(folder / f"{name}.png")


GOLD = Image(
    "a",
    40,
    30,
    boxes=(Box("7", 0, 0, 9, 9, "dog"),),
    captions=(Caption("0", "A dog.", (Mention(0, 5, ("7",), chain="c"),)), Caption("1", "Light.")),
    chains=(Chain("c", ("7",)),),
    attributes={"split": "val"},
    provenance={"labels": "captions", "labels_from": 1, "labels_seed": 0, "mentions": "linked", "note": "x"},
)


def test_detections_take_the_place_of_boxes_and_of_what_names_them(tmp_path: Path) -> None:
    draw(tmp_path, a=200)
    tally = DetectionTally()
    (image,) = detect_corpus([GOLD], tmp_path, Halves(), tally=tally)
    assert image.boxes == (Box("d0", 0, 0, 20, 30, "light", 0.5),)
    assert image.captions == (Caption("0", "A dog."), Caption("1", "Light."))
    assert image.chains == ()
    assert image.attributes == {"split": "val"}
    assert image.provenance == {"note": "x", "labels": "detected", "detector": "halves|score:0"}
    assert tally.replaced == {"boxes": 1, "mentions": 1, "chains": 1}
    assert (tally.n_images, tally.n_without, tally.classes) == (1, 0, {"light": 1})


def test_scores_can_say_who_detected() -> None:
    tally = ProvenanceTally.of([{"labels": "detected", "detector": "halves|score:0"}] * 2)
    assert tally.to_json() == {"labels": "detected by halves score:0"}


def test_boxes_are_in_the_units_of_the_corpus(tmp_path: Path) -> None:
    draw(tmp_path, a=0)
    (image,) = detect_corpus([Image("a", 400, 300)], tmp_path, Halves())
    assert (image.width, image.height) == (400, 300)
    assert image.boxes[0].corners == (0, 0, 200, 300)


def test_a_box_that_covers_nothing_in_the_units_of_the_corpus_is_dropped(tmp_path: Path) -> None:
    Picture.fromarray(np.zeros((300, 400, 3), dtype=np.uint8)).save(tmp_path / "a.png")
    halves = Halves()
    sliver = Box("d1", 399.97, 0, 400, 300, "dark", 0.4)
    with_sliver = SimpleNamespace(
        signature="x", class_names=("dark",), detect=lambda pictures: [(*halves.detect(pictures)[0], sliver)]
    )
    (image,) = detect_corpus([Image("a", 40, 30)], tmp_path, with_sliver)
    assert [box.id for box in image.boxes] == ["d0"]


def test_an_image_that_is_there_twice_is_an_error(tmp_path: Path) -> None:
    draw(tmp_path, a=0)
    with refusal(BadInput):
        list(detect_corpus([Image("a"), Image("a")], tmp_path, Halves()))


def test_gold_boxes_outside_a_picture_of_unknown_size_do_not_matter(tmp_path: Path) -> None:
    draw(tmp_path, a=0)
    (image,) = detect_corpus([Image("a", boxes=(Box("0", 0, 0, 900, 900),))], tmp_path, Halves())
    assert (image.width, len(image.boxes)) == (40, 1)


def test_images_come_in_their_order_however_many(tmp_path: Path) -> None:
    ids = [f"{i:02}" for i in range(40)]
    draw(tmp_path, **{id: int(id) * 5 for id in ids})
    made = list(detect_corpus(map(Image, ids), tmp_path, Halves()))
    assert [image.id for image in made] == ids
    assert [image.boxes[0].label == "light" for image in made] == [int(id) * 5 > 99 for id in ids]


def test_a_picture_that_cannot_be_used_is_an_error_or_counted(tmp_path: Path) -> None:
    draw(tmp_path, a=0, b=0, c=0, d=0)
    whole = (tmp_path / "b.png").read_bytes()
    (tmp_path / "b.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "d.png").write_text("no picture")
    images = [Image("a"), Image("b"), Image("c", 30, 40), Image("d"), Image("e"), Image("f", 80, 60, file="a.png")]
    for bad in images[1:5]:
        with pytest.raises(BadInput):
            list(detect_corpus([bad], tmp_path, Halves()))
    reading, tally = Reading(lenient=True), DetectionTally()
    made = detect_corpus(images, tmp_path, Halves(), reading=reading, tally=tally)
    assert [(image.id, image.width) for image in made] == [("a", 40), ("f", 80)]
    assert reading.skipped == {"picture that cannot be used": 4}
    assert tally.n_images == 2


def test_leaving_early_closes_what_was_opened(tmp_path: Path) -> None:
    draw(tmp_path, **{f"{i}": i for i in range(12)})
    stream = read_ahead((Image(str(i)) for i in range(12)), tmp_path)
    assert next(stream).image.id == "0"
    # An open file would be a ResourceWarning, which is an error in tests.
    stream.close()  # type: ignore[attr-defined]


def test_a_folder_a_picture_and_a_corpus_are_told_apart(tmp_path: Path) -> None:
    draw(tmp_path, a=0, b=9)
    found = find_pictures(tmp_path, Reading())
    assert found is not None
    assert [(image.id, image.file) for image in found.images] == [("a", "a.png"), ("b", "b.png")]
    alone = find_pictures(tmp_path / "a.png", Reading())
    assert alone is not None
    assert (alone.folder, alone.images) == (tmp_path, [Image("a", file="a.png")])
    (tmp_path / "corpus.jsonl").write_text('{"limner":2,"id":"a"}\n')
    assert find_pictures(tmp_path / "corpus.jsonl", Reading()) is None
    assert find_pictures(Path("-"), Reading()) is None
    assert find_pictures(tmp_path / "gone", Reading()) is None


def test_what_is_wrong_with_any_picture_of_a_folder_is_told_before_work_begins(tmp_path: Path) -> None:
    draw(tmp_path, a=0)
    (tmp_path / "z.heic").write_bytes(b"\0\0\0\x18ftypheic" + bytes(40))
    with refusal(BadInput):
        find_pictures(tmp_path, Reading())
    reading = Reading(lenient=True)
    found = find_pictures(tmp_path, reading)
    assert found is not None
    assert [image.id for image in found.images] == ["a"]
    assert reading.skipped == {"picture that cannot be used": 1}
