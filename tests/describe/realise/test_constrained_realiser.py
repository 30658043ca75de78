"""Sentences that a captioner writes under constraints, as grounded captions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from msgspec.structs import replace
from torch.nn.functional import nll_loss

from limner.caption import compile_constraints, constrained_search
from limner.corpus import Box, Image
from limner.describe import ConstrainedRealiser, ThingWords, describe, find_selector
from limner.errors import LimnerError
from refusals import refusal
from small_captioner import SmallCaptioner


class Fixed:
    """Writes one sentence, and remembers what it was asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.things: list[ThingWords] = []

    def write(self, image: Image, things: Sequence[ThingWords]) -> str:
        self.things = list(things)
        return self.text


def image_of(*labels: str) -> Image:
    return Image("i", 100, 100, tuple(Box(str(n), 9 * n, 0, 9 * n + 9, 9, label) for n, label in enumerate(labels)))


def realised(text: str, *labels: str, select: Sequence[int] | None = None) -> list[tuple[str, tuple[str, ...]]]:
    """What the text's mentions say, and of which boxes."""
    selected = [str(n) for n in (range(len(labels)) if select is None else select)]
    caption = ConstrainedRealiser(Fixed(text)).realise(image_of(*labels), selected)
    assert caption.text == text
    assert all(mention.origin == "constraint" for mention in caption.mentions)
    return [(caption.phrase(mention), mention.boxes) for mention in caption.mentions]


@pytest.mark.parametrize(
    ("labels", "phrases"),
    [
        (["dog"], [("dog",)]),
        (["dog", "dog"], [("dogs",)]),
        (["tv"], [("tv", "television")]),
        (["wine glass", "dog", "wine glass"], [("wine glasses", "glasses of wine"), ("dog",)]),
        (["sheep", "sheep"], [("sheep",)]),
        (["people"], [("people",)]),
        (["crowd"], [("crowd",)]),
        (["male_child.n.01"], [("male child",)]),
    ],
)
def test_a_thing_is_asked_for_in_its_number(labels: list[str], phrases: list[tuple[str, ...]]) -> None:
    writer = Fixed("a picture")
    realiser = ConstrainedRealiser(writer, report=lambda image, things: None)
    realiser.realise(image_of(*labels), [str(n) for n in range(len(labels))])
    assert [thing.phrases for thing in writer.things] == phrases


def test_a_box_flagged_as_a_crowd_is_people() -> None:
    writer = Fixed("people")
    image = Image("i", 9, 9, (Box("0", 0, 0, 9, 9, "person", flags=("crowd",)),))
    assert ConstrainedRealiser(writer).realise(image, ["0"]).mentions[0].boxes == ("0",)


def test_what_the_text_says_of_a_thing_is_its_mention() -> None:
    said = realised("Two dogs and a red fire truck.", "truck", "dog", "dog", select=(1, 2))
    assert said == [("Two dogs", ("1", "2"))]
    assert realised("a bike beside a bicycle", "bike", "bicycle") == [("a bike", ("0",)), ("a bicycle", ("1",))]


def test_a_thing_gives_way_to_another_that_has_no_other_words() -> None:
    kitchen = "Kitchen & dining room table"
    said = realised("a table beside a kitchen table", kitchen, "dining table")
    assert said == [("a table", ("1",)), ("a kitchen table", ("0",))]


@pytest.mark.parametrize("text", ["a hot dog", "no dog", "dogs", "a dogged man", ""])
def test_a_thing_that_is_not_said_is_an_error(text: str) -> None:
    with refusal(LimnerError):
        realised(text, "dog")


def test_a_thing_that_is_not_said_is_reported_instead() -> None:
    reports: list[tuple[str, list[ThingWords]]] = []
    realiser = ConstrainedRealiser(Fixed("A dog."), report=lambda image, things: reports.append((image.id, [*things])))
    caption = realiser.realise(image_of("cat", "dog"), ["0", "1"])
    assert [mention.boxes for mention in caption.mentions] == [("1",)]
    assert reports == [("i", [ThingWords(("cat",), ("0",))])]


def test_nothing_selected_asks_for_nothing() -> None:
    assert realised("A dog.", "dog", select=()) == []


def test_a_label_without_words_is_an_error() -> None:
    with refusal(LimnerError):
        realised("A dog.", "/m/01g317")


def test_a_box_that_is_not_there_is_refused() -> None:
    with refusal(ValueError):
        ConstrainedRealiser(Fixed("A dog.")).realise(image_of("dog"), ["x"])


CAPTIONS = (
    "a dog next to a fire hydrant",
    "a cat on a couch next to a dog",
    "two dogs on a couch",
    "a fire hydrant next to a truck",
    "a truck next to a couch",
    "two cats next to a truck",
)
BOS, EOS = 0, 1
WORDS = ["<s>", "</s>", *sorted({word for caption in CAPTIONS for word in caption.split()})]
NUMBER = {word: number for number, word in enumerate(WORDS)}


@pytest.fixture(scope="module")
def captioner() -> SmallCaptioner:
    """A captioner that has learnt the captions, whatever the image's features."""
    model = SmallCaptioner(len(WORDS), size=16)
    adam = torch.optim.Adam(model.parameters(), lr=0.03)
    sentences = [[BOS, *(NUMBER[word] for word in caption.split()), EOS] for caption in CAPTIONS]
    length = max(map(len, sentences))
    tokens = torch.tensor([sentence + [EOS] * (length - len(sentence)) for sentence in sentences])
    for _ in range(60):
        state, loss = model.start(torch.zeros(len(tokens), 16)), torch.zeros(())
        for at in range(length - 1):
            log_probs, state = model.step(tokens[:, at], state)
            loss = loss + nll_loss(log_probs, tokens[:, at + 1])
        adam.zero_grad()
        loss.backward()
        adam.step()
    return model


def known(phrases: Sequence[str]) -> list[list[int]]:
    """The tokens of those phrases that the captioner has words for."""
    return [[NUMBER[word] for word in phrase.split()] for phrase in phrases if NUMBER.keys() >= set(phrase.split())]


class SearchWriter:
    """The small captioner with the constrained search of the caption room."""

    def __init__(self, model: SmallCaptioner, max_len: int) -> None:
        self._model = model
        self._max_len = max_len

    def write(self, image: Image, things: Sequence[ThingWords]) -> str:
        automaton = compile_constraints([known(thing.phrases) for thing in things], n_vocab=len(WORDS))
        state = self._model.start(torch.zeros(1, 16))
        (result,) = constrained_search(
            self._model.step, state, automata=[automaton], bos=BOS, eos=EOS, max_len=self._max_len
        )
        return " ".join(WORDS[token] for token in result.tokens if token != EOS)


@pytest.mark.parametrize(
    "labels",
    [["dog", "truck"], ["couch", "fire hydrant"], ["dog", "dog", "fire hydrant"], ["cat", "dog", "couch"]],
    ids=", ".join,
)
def test_a_captioner_says_what_was_selected(captioner: SmallCaptioner, labels: list[str]) -> None:
    (result,) = describe(
        [image_of(*labels)], find_selector("all"), ConstrainedRealiser(SearchWriter(captioner, 15), name="small")
    )
    (caption,) = result.captions
    assert caption.source == "system:small"
    assert sorted(box for mention in caption.mentions for box in mention.boxes) == [str(n) for n in range(len(labels))]
    for mention in caption.mentions:
        label = labels[int(mention.boxes[0])]
        assert caption.phrase(mention).endswith(label + "s" * (len(mention.boxes) > 1))


def test_a_sentence_too_short_for_all_is_reported(captioner: SmallCaptioner) -> None:
    image, writer = image_of("dog", "truck", "couch"), SearchWriter(captioner, 2)
    with refusal(LimnerError):
        ConstrainedRealiser(writer).realise(image, ["0", "1", "2"])
    unsaid: list[ThingWords] = []
    realiser = ConstrainedRealiser(writer, report=lambda image, things: unsaid.extend(things))
    caption = realiser.realise(image, ["0", "1", "2"])
    assert len(unsaid) + len(caption.mentions) == 3
    assert unsaid


class Streaming(Fixed):
    """A writer that takes many images, and leaves some out."""

    def write_each(self, asked):  # type: ignore[no-untyped-def]
        # All are read before the first is answered, as in a batch.
        for image, things in list(asked):
            if image.id != "left out":
                yield image, f"a picture of {' and '.join(thing.phrases[0] for thing in things)}"


def test_a_writer_of_many_images_gets_them_one_after_the_other() -> None:
    images = [image_of("dog"), image_of("cat", "hat"), image_of("cow")]
    named = [replace(image, id=id) for image, id in zip(images, ("a", "left out", "b"), strict=True)]
    realiser = ConstrainedRealiser(Streaming("nothing"))
    described = describe(named, find_selector("size"), realiser)
    assert [(result.id, result.captions[0].text) for result in described] == [
        ("a", "a picture of dog"),
        ("b", "a picture of cow"),
    ]
    one_by_one = describe(named, find_selector("size"), ConstrainedRealiser(Fixed("a dog, a cat with a hat, a cow")))
    assert [len(result.captions[0].mentions) for result in one_by_one] == [1, 2, 1]
