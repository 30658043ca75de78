"""What images may be chosen, and why others may not."""

from __future__ import annotations

import pytest

from limner.bench.candidate_images import Candidates, gather_candidates, per_image
from limner.bench.counted_classes import CountedClasses
from limner.corpus import Box, Image
from limner.errors import LimnerError
from refusals import refusal

ALL = CountedClasses()


def image(id: str, *labels: str, rotation: object = 0) -> Image:
    boxes = tuple(Box(str(i), 0, 0, 1, 1, label) for i, label in enumerate(labels))
    return Image(id, boxes=boxes, attributes={} if rotation is None else {"rotation": rotation})


def classes(candidates: Candidates) -> dict[str, list[str]]:
    return {id: [candidates.classes[k] for k in candidates.of(i)] for i, id in enumerate(candidates.ids)}


def test_an_image_has_each_of_its_classes_once_and_all_its_boxes() -> None:
    candidates = gather_candidates([image("a", "dog", "cat", "dog"), image("b", "cat", "cat", "owl", "ant")], ALL)
    assert classes(candidates) == {"a": ["cat", "dog"], "b": ["ant", "cat", "owl"]}
    assert candidates.n_boxes.tolist() == [3, 4]
    assert candidates.n_classes.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (image("a", "dog", "cat", rotation=90), "rotated"),
        (image("a", "dog", "cat", rotation="180"), "rotated"),
        (image("a", "dog", "cat", rotation=None), "rotation not known"),
        (image("a", "dog", "dog"), "one class only"),
        (image("a", "dog", "paw"), "one class only"),
        (image("a", "paw"), "no counted box"),
        (image("a"), "no counted box"),
    ],
)
def test_what_is_dropped_is_counted_by_its_reason(one: Image, reason: str) -> None:
    candidates = gather_candidates([one, image("b", "dog", "cat", "paw")], CountedClasses(ignore=["paw"]))
    assert candidates.ids == ["b"]
    assert {why: n for why, n in candidates.dropped.items() if n} == {reason: 1}


@pytest.mark.parametrize("zero", [0, 0.0, "0", "0.0"])
def test_zero_is_upright_however_it_is_written(zero: object) -> None:
    assert gather_candidates([image("a", "dog", "cat", rotation=zero)], ALL).ids == ["a"]


def test_a_corpus_that_tells_no_rotation_is_not_dropped_whole_without_a_word() -> None:
    images = [image("a", "dog", "cat", rotation=None), image("b", "dog", rotation=None)]
    with refusal(LimnerError):
        gather_candidates(images, ALL)
    candidates = gather_candidates(images, ALL, rotation="any")
    assert candidates.ids == ["a"]
    assert gather_candidates([image("a", "dog", "cat", rotation=90)], ALL, rotation="any").ids == ["a"]


def test_the_order_of_the_corpus_does_not_matter() -> None:
    images = [image("b", "dog", "cat"), image("a", "owl", "ant", "cat"), image("c", "zebra", "owl", "owl")]
    one, other = gather_candidates(images, ALL), gather_candidates(images[::-1], ALL)
    assert one.ids == other.ids == ["a", "b", "c"]
    assert one.classes == other.classes == ["ant", "cat", "dog", "owl", "zebra"]
    assert classes(one) == classes(other)
    assert one.numbers.tolist() == other.numbers.tolist()
    assert one.n_boxes.tolist() == other.n_boxes.tolist() == [3, 2, 3]


def test_nothing_to_choose_from() -> None:
    candidates = gather_candidates([], ALL)
    assert (candidates.ids, candidates.classes, candidates.n_classes.tolist()) == ([], [], [])


def test_classes_and_boxes_of_all_images_that_have_some() -> None:
    found = per_image([image("a", "dog", "dog"), image("b", "dog", "cat", "cat"), image("c")], ALL)
    assert [one.histogram for one in found] == [((1, 1), (2, 1)), ((2, 1), (3, 1))]
