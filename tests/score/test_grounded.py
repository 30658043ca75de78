"""Content selection and the finer measures among the metrics of captions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace

from limner.corpus import Caption, Image
from limner.errors import LimnerError
from limner.score.content_evaluation import evaluate
from limner.score.grounded import CONTENT, FINER
from limner.score.run import Run
from refusals import refusal

METRICS = (CONTENT, *FINER)


def run_of(images: list[Image], captions: list[Caption]) -> Run:
    references = [[one.text for one in image.captions] or ["-"] for image in images]
    return Run([image.id for image in images], [one.text for one in captions], references, None, "", images, captions)


def test_their_names_and_columns() -> None:
    assert [metric.name for metric in METRICS] == [
        "content",
        "ordering",
        "lexicalisation",
        "attributes",
        "prepositions",
        "verbs",
    ]
    assert [metric.columns for metric in METRICS[:4]] == [
        ("content_p", "content_r", "content_f"),
        ("ordering",),
        ("lexicalisation",),
        ("attributes_p", "attributes_r", "attributes_f"),
    ]


def test_an_image_whose_people_mention_no_box_has_no_value(
    image: Callable[..., Image], caption: Callable[..., Caption]
) -> None:
    gold = [image("[A man]m on [a horse]h .", id="a"), image("Hm .", id="b", boxes="m")]
    run = run_of(gold, [caption("[A man]m .", source="system:s"), caption("[A man]m .", source="system:s")])
    found = CONTENT.measure(run)
    assert found.per_image == pytest.approx(np.array([[1, 0.5, 2 / 3], [np.nan] * 3]), nan_ok=True)
    assert found.value() == pytest.approx([1, 0.5, 2 / 3])
    assert np.isnan(FINER[0].measure(run).per_image).all()


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_without_boxes_they_say_what_is_missing(metric: object) -> None:
    with refusal(LimnerError):
        metric.measure(Run(["x"], ["a dog"], [["a dog"]]))  # type: ignore[attr-defined]


def test_figures_are_those_of_content_evaluation(val: list[Image]) -> None:
    """On Flickr30k Entities: each image's first caption against its others."""
    gold = [replace(image, captions=image.captions[1:]) for image in val[:200]]
    said = [replace(image.captions[0], source="system:first") for image in val[:200]]
    results = [replace(image, captions=(caption,)) for image, caption in zip(gold, said, strict=True)]
    expected = evaluate(results, gold).to_json()
    run = run_of(gold, said)
    assert CONTENT.measure(run).value() == pytest.approx([expected[name] for name in "PRF"])
    for metric in FINER:
        values = [expected[metric.name][column] for column in metric.value_names]
        assert metric.measure(run).value() == pytest.approx(values), metric.name
