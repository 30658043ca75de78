from __future__ import annotations

import re

from hypothesis import given

from limner.corpus import Box, Image
from limner.describe.realise import PaperRealiser
from limner.describe.realise.realisers import FUNCTION_WORDS
from refusals import refusal
from strategies import images


def hallway(image_id: str = "f5") -> Image:
    labels = ("hallway.n.01", "dog.n.01", "dog.n.01", "male child.n.01")
    return Image(image_id, 100, 100, tuple(Box(str(i), 0, 0, 10 + i, 10, label) for i, label in enumerate(labels)))


def test_sentences_are_those_of_the_papers_figure() -> None:
    caption = PaperRealiser().realise(hallway(), ["0", "1", "2"])
    words = "|".join(FUNCTION_WORDS)
    assert re.fullmatch(rf"Hallway (?:{words})(?: the)? dog (?:{words})(?: the)? dog \.", caption.text)
    assert [caption.phrase(mention) for mention in caption.mentions] == ["Hallway", "dog", "dog"]
    assert [mention.boxes for mention in caption.mentions] == [("0",), ("1",), ("2",)]
    assert caption.source == "system:paper"


def test_one_box_is_one_word() -> None:
    assert PaperRealiser().realise(hallway(), ["3"]).text == "Male child ."


def test_nothing_chosen_is_a_picture_without_mentions() -> None:
    caption = PaperRealiser().realise(hallway(), [])
    assert (caption.text, caption.mentions) == ("A picture .", ())


def test_a_box_chosen_twice_is_mentioned_once() -> None:
    assert len(PaperRealiser().realise(hallway(), ["1", "0", "1"]).mentions) == 2


def test_a_box_that_is_not_there_is_refused() -> None:
    with refusal(ValueError):
        PaperRealiser().realise(hallway(), ["x"])


def test_words_depend_on_the_seed_and_the_image_alone() -> None:
    chosen = ["0", "1", "2", "3"]
    first = PaperRealiser(seed=1)
    first.realise(hallway("another"), chosen)
    assert first.realise(hallway(), chosen) == PaperRealiser(seed=1).realise(hallway(), chosen)
    texts = {PaperRealiser(seed=seed).realise(hallway(str(seed)), chosen).text for seed in range(20)}
    assert len(texts) > 15
    assert any(" the " in text for text in texts)


@given(images())
def test_any_boxes_are_mentioned_in_their_order(image: Image) -> None:
    chosen = [box.id for box in image.boxes]
    caption = PaperRealiser().realise(image, chosen)
    assert [mention.boxes for mention in caption.mentions] == [(id,) for id in chosen]
