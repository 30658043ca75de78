"""The images that a captioner learns from."""

from __future__ import annotations

import pytest

from limner.caption.training.training_images import training_images
from limner.corpus import Box, Image
from limner.corpus.caption import Caption
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from refusals import refusal


def image(id: str, *texts: str, label: str = "", source: str = "gold") -> Image:
    boxes = (Box("0", 0, 0, 10, 10, label),) if label else ()
    captions = tuple(Caption(str(n), text, source=source) for n, text in enumerate(texts))
    return Image(id, 20, 20, boxes, captions)


MANY = [image(str(n), f"A dog number {n} runs .") for n in range(200)]


def test_a_tenth_is_held_out_by_chance_and_always_the_same() -> None:
    split = training_images(MANY)
    again = training_images(reversed(MANY))
    held_out = {pair.image.id for pair in split.held_out}
    assert 10 <= len(held_out) <= 32
    assert held_out == {pair.image.id for pair in again.held_out}
    assert len(split.learnt) + len(held_out) == 200
    assert {pair.image.id for pair in training_images(MANY, seed=1).held_out} != held_out


def test_words_are_those_that_scores_count() -> None:
    split = training_images([image("x", "A dog's bone, on the grass."), *MANY])
    (pair,) = [pair for pair in (*split.learnt, *split.held_out) if pair.image.id == "x"]
    assert pair.captions == [["a", "dog", "'s", "bone", "on", "the", "grass"]]


def test_systems_captions_are_not_learnt_from() -> None:
    split = training_images([image("x", "a system says", source="system:x"), *MANY])
    assert "x" not in {pair.image.id for pair in (*split.learnt, *split.held_out)}


@pytest.mark.parametrize(
    "unwanted",
    [image("x", "a thing", label="Zebra"), image("x", "Two zebras graze."), image("x", "a dog", "a zebra")],
)
def test_classes_are_left_out_by_boxes_and_by_words(unwanted: Image) -> None:
    split = training_images([unwanted, *MANY], without=["zebra"])
    assert split.n_without == 1
    assert "x" not in {pair.image.id for pair in (*split.learnt, *split.held_out)}


@pytest.mark.parametrize(
    ("text", "without", "n_left_out"),
    [
        ("a catalog", "cat", 0),
        ("eating a hot dog", "hot dog", 1),
        ("eating a hot dog", "cat", 0),
        ("on the sofa", "couch", 1),
        ("a puppy", "dog", 1),
    ],
)
def test_classes_are_known_by_all_their_words_and_no_others(text: str, without: str, n_left_out: int) -> None:
    others = [image(str(n), f"A thing number {n} .") for n in range(30)]
    assert training_images([image("x", text), *others], without=[without]).n_without == n_left_out


def test_a_hot_dog_is_no_dog() -> None:
    others = [image(str(n), f"A thing number {n} .") for n in range(30)]
    assert training_images([image("x", "a hot dog"), *others], without=["dog"]).n_without == 0


def test_images_to_choose_by_have_no_such_class_either() -> None:
    valid = [image("v", "a cat"), image("w", "a zebra"), image("y", "a cow")]
    split = training_images(MANY, valid=valid, without=["zebra"])
    assert [pair.image.id for pair in split.held_out] == ["v", "y"]


def test_with_images_to_choose_by_all_are_learnt_from() -> None:
    split = training_images(MANY, valid=[image("v", "a cat"), image("w", "a cow")])
    assert (len(split.learnt), len(split.held_out)) == (200, 2)


def test_images_to_choose_by_must_be_others() -> None:
    with refusal(LimnerError):
        training_images(MANY, valid=MANY[:3], valid_name="valid.jsonl")


def test_a_caption_without_a_word_is_an_error_or_left_out() -> None:
    images = [image("x", " . ", "a dog"), *MANY]
    with refusal(BadInput):
        training_images(images, place="c.jsonl")
    reading = Reading(lenient=True)
    training_images(images, reading=reading)
    assert reading.skipped == {"caption without a word": 1}


def test_too_few_images_are_an_error() -> None:
    with refusal(BadInput):
        training_images([image("x", "a dog")])
