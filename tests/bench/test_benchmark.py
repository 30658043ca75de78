"""What is told of a benchmark, and what its images carry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from limner.bench.benchmark import Composition, build, write_benchmark
from limner.bench.candidate_images import Candidates, gather_candidates
from limner.bench.counted_classes import CountedClasses
from limner.corpus import Box, Image, open_corpus
from limner.errors import LimnerError
from refusals import refusal


def image(id: str, *labels: str) -> Image:
    boxes = tuple(Box(str(i), 0, 0, 1, 1, label) for i, label in enumerate(labels))
    return Image(id, boxes=boxes, attributes={"rotation": 0, "split": "val"})


SMALL = [
    image("a", "dog", "cat", "dog"),
    image("b", "dog", "owl"),
    image("c", "a", "b", "c", "d", "e", "f", "g", "g"),
    image("d", "dog"),
]


def candidates_of(images: list[Image]) -> Candidates:
    return gather_candidates(images, CountedClasses())


def test_the_composition_of_images_told_by_hand() -> None:
    found = Composition.of(candidates_of(SMALL), [0, 1])
    assert found.images_by_class == {"cat": 1, "dog": 2, "owl": 1}
    assert found.entropy == found.joint_entropy == pytest.approx(1.5)
    assert found.classes_per_image.mean == 2
    assert found.boxes_per_image.mean == 2.5


def test_joint_entropy_tells_classes_of_simple_images_from_those_of_complex_ones() -> None:
    images = [image("a", "dog", "cat"), image("b", "dog", "cat", "owl")]
    found = Composition.of(candidates_of(images), [0, 1])
    assert found.entropy == pytest.approx(1.5219280948873621)  # of 2, 2, 1
    assert found.joint_entropy == pytest.approx(2.321928094887362)  # of 1, 1, 1, 1, 1


def test_chosen_images_come_in_the_corpus_order_and_tell_their_classes_and_pool() -> None:
    benchmark = build(candidates_of(SMALL), 2, seed=3)
    chosen = list(benchmark.images(SMALL[::-1]))
    assert [one.id for one in chosen] == [id for id in "dcba" if id in benchmark.n_classes]
    many = next(one for one in chosen if one.id == "c")
    assert many.attributes == {"rotation": 0, "split": "val", "n_classes": 7, "pool": "7+"}
    assert many.boxes == SMALL[2].boxes
    assert SMALL[2].attributes == {"rotation": 0, "split": "val"}


def test_pools_tell_what_there_was_and_what_was_taken() -> None:
    benchmark = build(candidates_of(SMALL), 2)
    assert benchmark.pools == {"2": (2, 1), "3": (0, 0), "4": (0, 0), "5": (0, 0), "6": (0, 0), "7+": (1, 1)}
    assert not benchmark.overflows
    assert benchmark.dropped["one class only"] == 1
    assert benchmark.candidates.classes_per_image.n == 3
    json.dumps(benchmark.to_json())


def test_it_is_told_when_images_with_many_classes_are_more_than_asked_for() -> None:
    labels = "abcdefgh"
    assert build(candidates_of([image(str(i), *labels) for i in range(3)]), 2).overflows


def test_classes_occur_more_evenly_than_at_random() -> None:
    rng = Random(0)
    names = [f"class {i}" for i in range(60)]
    weights = [1 / (i + 1) for i in range(60)]
    images = [image(f"{i:04}", *rng.choices(names, weights, k=rng.randint(2, 6))) for i in range(2000)]
    benchmark = build(candidates_of(images), 200)
    assert benchmark.chosen.entropy > benchmark.random.entropy + 0.3
    assert benchmark.chosen.joint_entropy > benchmark.random.joint_entropy + 0.3
    assert benchmark.random.classes_per_image.n == benchmark.chosen.classes_per_image.n == 200


def test_one_call_chooses_writes_and_says_how_far_it_has_come(tmp_path: Path) -> None:
    steps: list[tuple[str, int]] = []
    path = tmp_path / "out.jsonl"
    benchmark, n_written = write_benchmark(
        SMALL, path, 2, seed=3, progress=lambda what, done, _: steps.append((what, done))
    )
    assert n_written == 2
    assert list(open_corpus(path)) == list(benchmark.images(SMALL))
    assert list(dict(steps).items()) == [("images looked at", 4), ("images read again", 4)]
    assert repr(benchmark) == "<Benchmark of 2 out of 3 images>"


def test_a_target_that_cannot_be_written_is_an_error_before_the_corpus_is_read(tmp_path: Path) -> None:
    def images() -> Iterator[Image]:
        raise AssertionError("the corpus is read")
        yield

    with pytest.raises(LimnerError):
        write_benchmark(images(), tmp_path / "missing" / "out.jsonl", 2)
    with refusal(LimnerError):
        write_benchmark(images(), tmp_path / "out.odd", 2)


def test_a_corpus_that_can_be_read_only_once_is_refused(tmp_path: Path) -> None:
    with refusal(ValueError):
        write_benchmark(iter(SMALL), tmp_path / "out.jsonl", 2)
    assert list(tmp_path.iterdir()) == []
