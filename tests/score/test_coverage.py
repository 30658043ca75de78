"""Which share of what is there captions speak of."""

from __future__ import annotations

import numpy as np
import pytest

from limner.corpus import Box, Image
from limner.corpus.classes.class_words import Synonyms
from limner.score.coverage import Coverage
from limner.score.run import Run

COVERAGE = Coverage(Synonyms({"person": ["man"], "dog": [], "cat": [], "car": ["vehicle"], "bus": ["vehicle"]}))


@pytest.mark.parametrize(
    ("caption", "references", "labels", "expected"),
    [
        ("a man", ["a man and a dog", "a cat"], "person dog person", (1 / 2, 1 / 3)),
        ("a man, a man and a dog", ["a man"], "man dog", (1, 1)),
        ("a man", ["hm"], "dog", (0, np.nan)),
        ("a man", ["a dog"], "", (np.nan, 0)),
        # What may be meant is covered, but what may mean several things asks for none of them.
        ("a vehicle", ["a car"], "bus", (1, 1)),
        ("a man", ["a vehicle with a man"], "vehicle person", (1, 1)),
    ],
)
def test_coverage_is_the_share_of_classes_that_are_spoken_of(
    caption: str, references: list[str], labels: str, expected: tuple[float, float]
) -> None:
    boxes = tuple(Box(str(i), 0, 0, 1, 1, label) for i, label in enumerate(labels.split()))
    found = COVERAGE.measure(Run(["x"], [caption], [references], images=[Image("x", boxes=boxes)]))
    assert found.per_image[0] == pytest.approx(expected, nan_ok=True)


def test_the_value_is_the_mean_over_images_that_have_something_to_cover() -> None:
    run = Run(["x", "y", "z"], ["a dog", "a dog", "hm"], [["a dog"], ["a dog and a cat"], ["hm"]])
    assert COVERAGE.measure(run).value() == pytest.approx([np.nan, 0.75], nan_ok=True)
