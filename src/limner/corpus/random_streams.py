"""Random numbers for an image: a stream of their own for each purpose."""

from __future__ import annotations

from random import Random
from typing import Literal

# What is chosen at random: the order in which nouns take boxes, boxes to describe, an order of equals, captions that
# give labels, captions that stand for people, words, other words, images to choose k on, references to score against,
# the errors of a simulated detector, images on which a threshold of colours is chosen,
# images on which weights are tuned, images that test, constraints of other images, images to look at.
Purpose = Literal[
    "linking",
    "selection",
    "ties",
    "labels",
    "people",
    "wording",
    "rewording",
    "sample",
    "references",
    "detection",
    "colours",
    "tuning",
    "split",
    "constraints",
    "examples",
]


def random_stream(purpose: Purpose, seed: int, image_id: str) -> Random:
    """Random numbers that depend on the purpose, the seed and the image's id alone.

    One seed often serves several steps: captions are linked with it, boxes
    selected, labels held out. If these steps drew the same numbers, their
    choices would agree more often than chance has it, and so would the scores
    that compare them.
    """
    return Random(f"{purpose}:{seed}:{image_id}")
