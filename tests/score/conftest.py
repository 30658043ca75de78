"""Captions as the tests of scores write them."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from limner.corpus import Box, Caption, Image, Mention, open_corpus

MARKED = re.compile(r"\[(?P<phrase>[^\]]*)\](?P<boxes>[\w,]*)")


def parse(text: str, id: str = "0", source: str = "gold") -> Caption:
    """A caption from a text whose mentions are in brackets, each followed by the ids of its boxes."""
    plain, mentions, reached = "", [], 0
    for match in MARKED.finditer(text):
        plain += text[reached : match.start()]
        start = len(plain)
        plain += match["phrase"]
        mentions.append(Mention(start, len(plain), tuple(b for b in match["boxes"].split(",") if b)))
        reached = match.end()
    return Caption(id, plain + text[reached:], tuple(mentions), source)


def picture(*texts: str, id: str = "i", boxes: str = "") -> Image:
    """An image with these gold captions, and a box of 10 by 10 pixels for each word of `boxes` that they mention."""
    captions = tuple(parse(text, str(n)) for n, text in enumerate(texts))
    named = boxes.split() or sorted({b for c in captions for m in c.mentions for b in m.boxes})
    return Image(id, 100, 100, tuple(Box(b, 0, 0, 10, 10, f"label {b}") for b in named), captions)


@pytest.fixture(scope="session")
def caption() -> Callable[..., Caption]:
    return parse


@pytest.fixture(scope="session")
def image() -> Callable[..., Image]:
    return picture


@pytest.fixture(scope="session")
def figure_2() -> Image:
    """The descriptions of Figure 2 of Wang & Gaizauskas (2015): 2 is the woman, 3 the car, 5 the boots, 0 the dress."""
    return picture(
        "A [woman]2 in a white [dress]0 and gold [boots]5 leaning on a [car]3.",
        "A [woman]2 poses along a [car]3.",
        "[woman]2 dressed in white with gold [boots]5 poses next to a police [car]3.",
        "A [woman]2 dressed in white leans against a white [car]3.",
        "A [woman]2 is leaning against a [car]3.",
        "A [woman]2 with gold [boots]5 leans against an Indy pace [car]3.",
        "A blonde [woman]2 wearing gold shiny [boots]5, a white [top]0 and short white skirt is leaning on a [car]3.",
        boxes="0 1 2 3 4 5 6",
    )


@pytest.fixture(scope="session")
def val(shared_data: Path) -> list[Image]:
    """The validation images of Flickr30k Entities."""
    folder = shared_data / "flickr30k_entities"
    return list(open_corpus(folder / "annotations.zip", ids=(folder / "val.txt").read_text().split()))


@pytest.fixture
def ticks_within() -> Iterator[Callable[..., int]]:
    """Calls a function, and counts how often a signal of the clock was answered before it had returned."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        pytest.skip("no signals can be sent here")
    n_ticks = 0

    def tick(number: int, frame: object) -> None:
        nonlocal n_ticks
        n_ticks += 1

    def count(function: Callable[..., object], *arguments: object) -> int:
        nonlocal n_ticks
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        n_ticks = 0
        function(*arguments)
        answer = n_ticks
        signal.setitimer(signal.ITIMER_REAL, 0)
        return answer

    before = signal.signal(signal.SIGALRM, tick)
    yield count
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
