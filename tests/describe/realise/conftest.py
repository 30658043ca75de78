"""Images told in few words, and a small phrasebook of what people say about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from limner.corpus import Box, Caption, Image, Mention
from limner.describe.realise import Phrasebook, learn_phrasebook

Spot = tuple[float, float, float, float]

ON_TOP: dict[str, Spot] = {"person": (100, 50, 200, 250), "thing": (90, 180, 260, 300)}

SAID = {
    "horse": ["{a} riding {b} .", "{a} is riding {b} .", "{a} rides {b} .", "{a} on {b} ."],
    "couch": ["{a} sitting on {b} .", "{a} lying on {b} .", "{a} laying on {b} .", "{a} sits on {b} ."],
    "cell phone": ["{a} talking on {b} .", "{a} is talking on {b} ."],
    "dining table": ["{a} sitting at {b} .", "{a} sits at {b} ."],
    "umbrella": ["{a} holding {b} .", "{a} holds {b} ."],
    "dog": ["{a} and {b} .", "{a} , {b} ."],
}
"""What people say of a person and a thing that is below and overlaps."""

CALLED = {
    "person": ["A man", "A woman", "A person", "A boy"],
    "dining table": ["a table"],
    "cell phone": ["a cell phone"],
}


def people_say(times: int = 6) -> list[Image]:
    """Images of a person and a thing, with all captions of the table."""
    made = []
    for label, sentences in SAID.items():
        for n in range(times):
            boxes = (Box("a", *ON_TOP["person"], label="person"), Box("b", *ON_TOP["thing"], label=label))
            captions = []
            for number, sentence in enumerate(sentences):
                first = CALLED["person"][(n + number) % 4]
                second = CALLED.get(label, [f"a {label}"])[0]
                before, between = sentence.split("{b}")[0].split("{a}")
                text = f"{before}{first}{between}{second} ."
                start = len(before) + len(first) + len(between)
                mentions = (
                    Mention(len(before), len(before) + len(first), ("a",)),
                    Mention(start, start + len(second), ("b",)),
                )
                captions.append(Caption(str(number), text, mentions))
            made.append(Image(f"{label}{n}", 400, 400, boxes, tuple(captions)))
    return made


@pytest.fixture(scope="session")
def book() -> Phrasebook:
    """What people say of people and things; not which sentence is most like theirs."""
    return replace(learn_phrasebook(people_say()), ngrams=None)


@pytest.fixture(scope="session")
def make_book() -> Callable[..., Phrasebook]:
    """A phrasebook with what is given, and nothing else."""
    names = ("nouns", "determiners", "before", "kinds_before", "by_nouns", "by_object", "by_kinds")
    empty: dict[str, Any] = {name: {} for name in names}
    return lambda **given: Phrasebook(n_images=1, n_captions=1, **{**empty, **given})


@pytest.fixture(scope="session")
def said_images() -> Callable[[], list[Image]]:
    return people_say


def photo(number: int, text: str, *labels: str) -> Image:
    """An image of a man and of things apart from him; two captions say what is given, and mention him first."""
    things = (Box(f"b{i}", 210 + 60 * i, 300, 260 + 60 * i, 350, label) for i, label in enumerate(labels))
    mentions = (Mention(0, len("A man"), ("a",)),)
    captions = (Caption(str(i), text, mentions) for i in range(2))
    return Image(f"photo {number}", 640, 480, (Box("a", 100, 50, 200, 250, "man"), *things), tuple(captions))


@pytest.fixture(scope="session")
def photos() -> list[Image]:
    """Kitchens with ovens, and beaches with surfboards on which men stand; one of ten the other way round."""
    kitchens = [photo(n, "A man in a kitchen .", "oven" if n % 10 else "surfboard") for n in range(40)]
    beaches = [photo(n, "A man standing on the beach .", "surfboard" if n % 10 else "oven") for n in range(40, 80)]
    return kitchens + beaches


@pytest.fixture(scope="session")
def photo_book(photos: list[Image]) -> Phrasebook:
    return learn_phrasebook(photos)
