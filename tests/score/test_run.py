from __future__ import annotations

import pytest

from limner.errors import LimnerError
from limner.score.run import Run, tokenised_run
from refusals import refusal

RUN = Run(["x", "y", "z"], ["a dog", "two cats", ""], [["dog", "a dog runs"], ["cats"], ["bird"]])


def test_the_caption_of_an_image_stands_before_its_references() -> None:
    starts = RUN.groups
    found = [[" ".join(RUN.tokens.sentence(s)) for s in range(starts[i], starts[i + 1])] for i in range(len(RUN))]
    assert found == [["a dog", "dog", "a dog runs"], ["two cats", "cats"], ["", "bird"]]


def test_a_subset_is_the_run_of_those_images_alone() -> None:
    part = RUN.subset([2, 0])
    assert (part.ids, part.candidates, part.references) == (
        ["z", "x"],
        ["", "a dog"],
        [["bird"], ["dog", "a dog runs"]],
    )
    assert [part.tokens.sentence(s) for s in range(5)] == [[], ["bird"], ["a", "dog"], ["dog"], ["a", "dog", "runs"]]


def test_tokens_are_made_by_the_run_s_tokeniser() -> None:
    run = Run(["x"], ["A Dog"], [["Dog"]], tokeniser=lambda sentences: [one.lower() for one in sentences])
    assert run.tokens.words == ["a", "dog"]


@pytest.mark.parametrize(
    ("places", "told"),
    [
        (None, "captions in 3 of 4 images"),
        ([0, 1], "captions"),
        ([2, 3], "captions in 1 of 2 images"),
        ([0, 0, 3], "captions in 2 of 3 images"),
        ([], None),
    ],
)
def test_images_are_counted_by_what_the_system_was_told_whether_they_share_it_or_are_told_the_same(
    places: list[int] | None, told: str | None
) -> None:
    shared = {"labels": "captions", "mentions": "linked"}
    run = Run(list("abcd"), [""] * 4, [["x"]] * 4, provenance=[shared, shared, dict(shared), {"training": "yes"}])
    assert run.caveats(places=places).to_json().get("labels") == told
    assert "labels" not in run.caveats(of_people=True, places=places).to_json()
    assert Run(["a"], [""], [["x"]]).caveats(places=[0]).to_json() == {}


@pytest.mark.parametrize(
    ("references", "candidates"),
    [
        ({"x": ["a"]}, {"y": ["a"]}),
        ({"x": ["a"]}, {"x": ["a", "b"]}),
        ({"x": []}, {"x": ["a"]}),
    ],
)
def test_what_cannot_be_scored_is_refused(references: dict[str, list[str]], candidates: dict[str, list[str]]) -> None:
    with refusal(LimnerError):
        tokenised_run(references, candidates)
