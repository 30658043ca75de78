"""A small world whose describers have habits that can be learnt."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from limner.corpus import Box, Caption, Image, Mention
from limner.describe.learned import LearnedSelector, train_selector

World = Callable[[int, int], list[Image]]


@pytest.fixture(scope="session")
def world() -> World:
    """Makes n images by a seed: men and their hats, flocks of sheep, trees that hardly anybody mentions."""
    return lambda n, seed=0: [_image(f"{seed}-{i}", random.Random(f"{seed}:{i}")) for i in range(n)]


@pytest.fixture(scope="session")
def selector(world: World) -> LearnedSelector:
    """A selector trained on 150 images of the world."""
    return train_selector(world(150, 1))


def _image(name: str, chance: random.Random) -> Image:
    boxes: list[Box] = []
    often: list[float] = []

    def put(label: str, corners: tuple[int, int, int, int], mentioned: float) -> None:
        boxes.append(Box(str(len(boxes)), *corners, label=label))
        often.append(mentioned)

    for _ in range(chance.randint(1, 2)):
        x, y, height = chance.randint(0, 400), chance.randint(50, 200), chance.randint(60, 270)
        put("man", (x, y, x + 80, y + height), 0.9 if height > 120 else 0.4)
        if chance.random() < 0.6:
            put("hat", (x + 10, y, x + 50, y + 25), 0.25)
    n_sheep = chance.choice([0, 0, 1, 3, 5])
    for i in range(n_sheep):
        x, y, size = chance.randint(0, 500), chance.randint(200, 380), 30 + 15 * i
        put("sheep", (x, y, x + size, y + size), 0.8)
    for _ in range(chance.randint(0, 4)):
        x, y = chance.randint(0, 580), chance.randint(0, 60)
        put("tree", (x, y, x + 60, y + 120), 0.05)
    captions = []
    for c in range(5):
        said = [box.id for box, p in zip(boxes, often, strict=True) if chance.random() < p] or ["0"]
        captions.append(Caption(str(c), "x", (Mention(0, 1, tuple(said)),)))
    return Image(name, 640, 480, tuple(boxes), tuple(captions))
