from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from limner.arrays import Singles
from limner.corpus import Box, Caption, Image, Mention
from limner.describe.realise import FluentRealiser, Phrasebook, learn_phrasebook, read_phrasebook, write_phrasebook
from limner.describe.realise.colour_learning import colours_of
from limner.errors import BadInput, LimnerError
from refusals import refusal

BOXES = (Box("a", 0, 0, 100, 200, "man"), Box("b", 120, 100, 300, 200, "car"))
PAINT = {"red": (0.9, 0.1), "blue": (0.1, 0.9)}


class Store:
    """Features by image and box: how red and how blue it is."""

    folder = Path("paint")
    signature = "paint"
    n_dims = 2

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], tuple[float, float]] = {}

    def __contains__(self, image_id: object) -> bool:
        return any(image_id == id for id, _ in self.rows)

    def boxes(self, image_id: str) -> tuple[Box, ...]:
        return BOXES

    def features(self, image_id: str, box_ids: Sequence[str] | None = None) -> Singles:
        assert box_ids is not None
        return np.array([self.rows[image_id, id] for id in box_ids], dtype=np.float32)


def painted(n: int, store: Store, colour: str, label: str = "car") -> Image:
    """An image of a man and a thing that a caption gives its colour, and what the store sees of it."""
    noise = np.random.default_rng(n).normal(0, 0.1, 2)
    store.rows[f"i{n}", "b"] = tuple(np.array(PAINT[colour]) + noise)
    boxes = (Box("a", 0, 0, 100, 200, "man"), Box("b", 120, 100, 300, 200, label))
    text = f"A man next to a {colour} {label} ."
    caption = Caption("0", text, (Mention(0, 5, ("a",)), Mention(14, len(text) - 2, ("b",))))
    return Image(f"i{n}", 640, 480, boxes, (caption,))


@pytest.fixture(scope="module")
def store() -> Store:
    return Store()


@pytest.fixture(scope="module")
def book(store: Store) -> Phrasebook:
    return learn_phrasebook([painted(n, store, ("red", "blue")[n % 2]) for n in range(200)], features=store)


def test_boxes_are_said_to_have_the_colours_of_their_pictures(book: Phrasebook, store: Store) -> None:
    for n, colour in ((1000, "red"), (1001, "blue")):
        image = painted(n, store, colour)
        assert f"a {colour} car" in FluentRealiser(book, features=store).realise(image, ["a", "b"]).text.lower()
        assert colour not in FluentRealiser(book).realise(image, ["a", "b"]).text


def test_reasons_tell_where_an_attribute_is_from(book: Phrasebook, store: Store) -> None:
    image = painted(1002, store, "red")
    realiser = FluentRealiser(book, features=store)
    reason = next(reason for reason in realiser.reasons(image, ["a", "b"]) if reason.kind == "attribute")
    assert (reason.words, reason.boxes, reason.origin) == ("red", ("b",), "picture")
    assert reason.probability is not None
    assert book.colours is not None
    assert book.colours.threshold <= reason.probability <= 1.0
    given = replace(image, boxes=(image.boxes[0], replace(image.boxes[1], attributes=("green",))))
    (reason,) = (reason for reason in realiser.reasons(given, ["a", "b"]) if reason.kind == "attribute")
    assert (reason.words, reason.origin, reason.probability) == ("green", "boxes", None)


def test_features_of_boxes_that_lie_elsewhere_are_refused(book: Phrasebook, store: Store) -> None:
    image = painted(1004, store, "red")
    man, car = image.boxes
    rounded = replace(image, boxes=(man, replace(car, x0=120.4)))
    assert "red car" in FluentRealiser(book, features=store).realise(rounded, ["a", "b"]).text
    moved = replace(image, boxes=(man, replace(car, x0=140.0)))
    with refusal(BadInput):
        FluentRealiser(book, features=store).realise(moved, ["a", "b"])
    with refusal(BadInput):
        learn_phrasebook([moved], features=store)


def test_what_looks_like_neither_has_no_colour(book: Phrasebook, store: Store) -> None:
    image = painted(1003, store, "red")
    store.rows["i1003", "b"] = (0.5, 0.5)
    said = FluentRealiser(book, features=store).realise(image, ["a", "b"]).text
    assert "red" not in said
    assert "blue" not in said


def test_captions_that_guess_teach_no_colour(store: Store) -> None:
    # The captions' colours are by chance, whatever the pictures show.
    chance = np.random.default_rng(0).integers(0, 2, 200)
    images = [painted(n, store, ("red", "blue")[n % 2]) for n in range(200)]
    guessed = [painted(n, Store(), ("red", "blue")[chance[n]]) for n in range(200)]
    seen = [replace(image, captions=other.captions) for image, other in zip(images, guessed, strict=True)]
    colours = learn_phrasebook(seen, features=store).colours
    assert colours is not None
    assert colours.threshold == 1.0


def test_a_file_keeps_colours(book: Phrasebook, tmp_path: Path) -> None:
    write_phrasebook(book, tmp_path / "book.json")
    assert read_phrasebook(tmp_path / "book.json").colours == book.colours


def test_features_of_another_kind_are_refused(book: Phrasebook, store: Store) -> None:
    other = Store()
    other.signature = "scent"
    with refusal(LimnerError):
        FluentRealiser(book, features=other)


def test_a_file_with_other_words_than_colours_is_refused(book: Phrasebook, tmp_path: Path) -> None:
    assert book.colours is not None
    weights = {"ugly": book.colours.weights["red"]}
    write_phrasebook(replace(book, colours=replace(book.colours, weights=weights)), tmp_path / "book.json")
    with refusal(LimnerError):
        read_phrasebook(tmp_path / "book.json")


@pytest.mark.parametrize(
    ("phrase", "colours"),
    [
        ("a small black and white dog", {"black", "white"}),
        ("a grey coat", {"gray"}),
        ("a man in a red hat", set()),
        ("a man 's blue car", {"blue"}),
    ],
)
def test_colours_are_of_what_a_phrase_is_about(phrase: str, colours: set[str]) -> None:
    assert colours_of(phrase) == colours
