"""Training images that come back as test images."""

from __future__ import annotations

import pytest
from hypothesis import given
from msgspec.structs import replace

from limner.corpus import Box, Caption, Image
from limner.corpus.held_out_labels import HeldOutLabels
from limner.corpus.seen_images import Overlap, SeenImages, fingerprint, is_hash
from limner.errors import BadInput
from limner.playground import playground
from refusals import refusal
from strategies import images

IMAGE = Image("i", 10, 10, (Box("b", 0, 0, 5, 5, "dog"),), (Caption("0", "A dog ."), Caption("1", "Dogs .")))


def seen(*images: Image) -> SeenImages:
    remembered = SeenImages()
    assert list(remembered.watch(images)) == list(images)
    return remembered


@pytest.mark.parametrize(
    ("image", "sighting"),
    [
        (IMAGE, "seen"),
        (replace(IMAGE, captions=()), "seen"),
        (replace(IMAGE, boxes=(), chains=()), "seen"),
        (replace(IMAGE, captions=IMAGE.captions[::-1], width=11), "seen"),
        (replace(IMAGE, boxes=(Box("x", 0, 0, 5, 5, "puppy"),), captions=()), "seen"),
        (replace(IMAGE, captions=(*IMAGE.captions, Caption("s", "A hound .", source="system:x"))), "seen"),
        (replace(IMAGE, id="j"), "alike"),
        (replace(IMAGE, id="j", boxes=(), captions=IMAGE.captions[::-1]), "alike"),
        (replace(IMAGE, id="j", captions=IMAGE.captions[:1]), "new"),
        (replace(IMAGE, id="j", captions=()), "new"),
        (Image("i", 10, 10, (Box("b", 0, 0, 5, 6, "dog"),), (Caption("0", "A cat ."),)), "id"),
        (Image("i"), "id"),
        (Image("j"), "new"),
    ],
)
def test_an_image_was_seen_if_its_id_and_its_captions_or_boxes_were_and_is_alike_under_another_id(
    image: Image, sighting: str
) -> None:
    assert seen(IMAGE).find(image) == sighting


def test_the_content_of_one_training_image_under_the_id_of_another_is_alike() -> None:
    assert seen(IMAGE, Image("j")).find(replace(IMAGE, id="j")) == "alike"


def test_a_single_caption_or_box_tells_no_image_from_others_but_both_together_do() -> None:
    plain = replace(IMAGE, captions=IMAGE.captions[:1])
    assert seen(plain).find(replace(plain, id="j")) == "alike"
    assert seen(plain).find(replace(plain, id="j", captions=())) == "new"
    assert seen(plain).find(replace(plain, id="j", boxes=())) == "new"
    two = replace(IMAGE, captions=(), boxes=(*IMAGE.boxes, Box("c", 1, 1, 2, 2, "cat")))
    assert seen(two).find(replace(two, id="j")) == "alike"


# What an older file had of IMAGE: its id, and the same with its captions and with its boxes, hashed together.
OLDER = "0PX-W6x6DqCUSf_uRbspmiHP"


def test_hashes_of_older_files_tell_what_they_told() -> None:
    remembered = SeenImages([OLDER])
    assert is_hash(OLDER)
    assert remembered.to_json() == [OLDER]
    assert remembered.find(IMAGE) == "seen"
    assert remembered.find(replace(IMAGE, captions=())) == "seen"
    assert remembered.find(Image("i")) == "id"
    assert remembered.find(replace(IMAGE, id="j")) == "new"


def test_labels_from_held_out_captions_do_not_hide_that_an_image_was_seen() -> None:
    corpus = list(playground(10))
    held_out = list(HeldOutLabels(corpus, 2))
    assert {seen(*corpus).find(image) for image in held_out} == {"seen"}
    assert {seen(*held_out).find(image) for image in corpus} == {"seen"}
    assert {seen(*corpus).find(image) for image in playground(10, seed=9)} == {"new"}


@given(images())
def test_hashes_survive_a_file_and_are_told_from_other_text(image: Image) -> None:
    remembered = seen(image)
    hashes = remembered.to_json()
    assert hashes is not None
    assert all(map(is_hash, hashes))
    assert SeenImages(hashes) == remembered
    assert SeenImages(hashes).find(image) == remembered.find(image)
    assert fingerprint(image) == fingerprint(replace(image, attributes={"x": 1}))


def test_nothing_else_is_a_hash() -> None:
    assert not any(map(is_hash, ["", "abc", "é" * 24, "a b" * 8, "3" + "a" * 24, "2" + "a" * 25]))


def test_overlap_is_counted_told_and_refused() -> None:
    overlap = Overlap.of(seen(IMAGE), seen(replace(IMAGE, id="k")))
    for image in (IMAGE, Image("i"), Image("new"), replace(IMAGE, id="k"), replace(IMAGE, id="renamed")):
        overlap.add(image)
    assert (overlap.n_images, overlap.n_seen, overlap.n_alike, overlap.n_same_id) == (5, 2, 1, 1)
    assert [warning.split(",")[0] for warning in overlap.warnings()] == [
        "2 of 5 images are training images",
        "1 of 5 images have the captions or boxes of a training image",
        "1 of 5 images have the id of a training image",
    ]
    with refusal(BadInput):
        overlap.refuse_seen("test.jsonl")
    assert list(Overlap.of(None).warnings()) == [
        "training images: unknown (the model's file does not list them), so these images may be among them"
    ]
    Overlap.of(seen(IMAGE)).refuse_seen("empty")
