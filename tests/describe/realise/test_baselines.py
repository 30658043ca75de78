"""The realisers to compare with: the template, and captions retrieved from training images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log, sqrt
from random import Random

import pytest
from hypothesis import given

from limner.corpus import Box, Caption, Image
from limner.describe import CaptionIndex, RetrievalRealiser, TemplateRealiser, find_realiser
from limner.errors import LimnerError
from limner.text.ptb import tokenise
from refusals import refusal
from strategies import images


def image_of(*labels: str, id: str = "i", said: Sequence[str] = (), source: str = "gold") -> Image:
    """An image with a box for each label, each smaller than the one before."""
    boxes = tuple(Box(str(n), 0, 0, 100 / (n + 1), 100, label) for n, label in enumerate(labels))
    captions = tuple(Caption(str(n), text, source=source) for n, text in enumerate(said))
    return Image(id, 100, 100, boxes, captions)


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (["dog"], "A dog."),
        (["dog", "ball"], "A dog and a ball."),
        (["dog", "ball", "umbrella"], "A dog, a ball and an umbrella."),
        (["dog", "ball", "dog"], "Two dogs and a ball."),
        (["dog"] * 4, "Four dogs."),
        (["dog"] * 5, "Many dogs."),
        (["scissors", "sheep", "sheep"], "A pair of scissors and two sheep."),
        (["male_child.n.01", "tv"], "A male child and a TV."),
        (["grass", "people"], "Grass and people."),
        ([], "A picture."),
    ],
)
def test_a_template_lists_what_was_selected(labels: list[str], text: str) -> None:
    image = Image(
        "i", 640, 100, tuple(Box(str(n), 60 * n, 0, 60 * n + 50, 50, label) for n, label in enumerate(labels))
    )
    assert TemplateRealiser().realise(image, [box.id for box in image.boxes]).text == text


def test_a_template_keeps_to_the_order_of_selection() -> None:
    caption = TemplateRealiser().realise(image_of("dog", "ball", "dog"), ["1", "2"])
    assert caption.text == "A ball and a dog."
    assert [(caption.phrase(mention), mention.boxes) for mention in caption.mentions] == [
        ("A ball", ("1",)),
        ("a dog", ("2",)),
    ]
    assert caption.source == "system:template"


@given(images())
def test_a_template_mentions_every_box_once(image: Image) -> None:
    caption = TemplateRealiser().realise(image, [box.id for box in image.boxes])
    mentioned = [box for mention in caption.mentions for box in mention.boxes]
    assert sorted(mentioned) == sorted(box.id for box in image.boxes)


TRAINING = [
    image_of("dog", "frisbee", id="a", said=["A dog catches a frisbee.", "A dog with a frisbee in its mouth"]),
    image_of("dog", "frisbee", id="b", said=["A dog with a frisbee .", "The dog leaps."]),
    image_of("cat", "couch", id="c", said=["A cat sleeps on a couch.", "A cat on a couch"]),
]


def retrieved(image: Image, training: Sequence[Image] = TRAINING) -> Caption:
    return RetrievalRealiser(CaptionIndex.build(training)).realise(image, [])


def test_a_caption_is_retrieved_word_for_word() -> None:
    caption = retrieved(image_of("frisbee", "dog"))
    assert caption.text == "A dog with a frisbee ."
    assert caption.source == "system:retrieval"
    assert retrieved(image_of("sofa", "cat")).text in {"A cat sleeps on a couch.", "A cat on a couch"}
    odd = image_of("dog", said=["  A dog ,\twith odd spaces .\n"])
    assert retrieved(image_of("dog"), [odd]).text == odd.captions[0].text


def test_mentions_are_linked_by_noun_and_otherwise_ungrounded() -> None:
    caption = retrieved(image_of("dog", "dog"))
    assert [(caption.phrase(m), m.boxes, m.origin) for m in caption.mentions] == [
        ("A dog", ("0",), "linked"),
        ("a frisbee", (), "ungrounded"),
    ]
    assert all(mention.chain is None for mention in caption.mentions)


def test_classes_that_no_list_has_are_linked_by_their_name() -> None:
    caption = retrieved(image_of("lighthouse"), [image_of("lighthouse", said=["A lighthouse and a dog"])])
    assert [(caption.phrase(m), m.boxes) for m in caption.mentions] == [("A lighthouse", ("0",)), ("a dog", ())]


def test_of_equal_captions_the_first_of_the_nearest_image_is_taken() -> None:
    same = [image_of("dog", id=str(n), said=[f"Dog {n} runs", f"Cat {n} sits"]) for n in range(70)]
    assert retrieved(image_of("dog"), same).text == "Dog 0 runs"
    assert retrieved(image_of("dog"), same[::-1]).text == "Dog 69 runs"
    nearer = image_of("dog", "ball", id="n", said=["Something else entirely"])
    assert (
        retrieved(image_of("dog", "ball"), [image_of("dog", said=["A dog"]), nearer]).text == "Something else entirely"
    )


def test_an_image_without_boxes_or_with_other_labels_gets_what_is_most_like_all() -> None:
    for image in (image_of(), image_of("zebra"), Image("without a size")):
        caption = retrieved(image)
        assert caption.text == "A dog with a frisbee ."
        assert {mention.origin for mention in caption.mentions} == {"ungrounded"}


def test_only_gold_captions_of_images_with_boxes_are_retrieved() -> None:
    others = [
        image_of("dog", said=["A system's dog"], source="system:x"),
        image_of("dog", said=["A dog for labels"], source="person:labels"),
        image_of(said=["A dog without a box"]),
        image_of("dog"),
    ]
    assert retrieved(image_of("dog"), [*others, image_of("cat", said=["A cat"])]).text == "A cat"
    for training in ([], others):
        with refusal(LimnerError) as raised:
            CaptionIndex.build(training)
        assert raised.value.code == "no-training-captions"


def test_captions_without_words_are_not_retrieved() -> None:
    training = [image_of("dog", id=str(n), said=["", "...", "A dog"]) for n in range(3)]
    assert retrieved(image_of("dog"), training).text == "A dog"
    with refusal(LimnerError):
        CaptionIndex.build([image_of("dog", said=["", " ! "])])


def test_boxes_without_area_and_pictures_without_size_are_no_trouble() -> None:
    point = Image("p", None, None, (Box("0", 0, 0, 0, 0, "dog"),), (Caption("0", "A dog"),))
    assert retrieved(point, [point]).text == "A dog"


def test_no_neighbours_cannot_be_asked_for() -> None:
    with refusal(ValueError):
        CaptionIndex.build(TRAINING).find(image_of("dog"), 0)


def test_retrieval_needs_training_captions() -> None:
    with refusal(LimnerError) as raised:
        find_realiser("retrieval")
    assert raised.value.code == "no-training-captions"
    index = CaptionIndex.build(TRAINING)
    assert isinstance(find_realiser("retrieval", captions=index, detail="low"), RetrievalRealiser)
    assert isinstance(find_realiser("template", detail="low"), TemplateRealiser)
    assert repr(RetrievalRealiser(index)) == "RetrievalRealiser(CaptionIndex(6 captions, 3 images))"


def vector(image: Image, training: Sequence[Image]) -> dict[str, float]:
    weights = {}
    for label in {box.label for box in image.boxes}:
        areas = [box.area for box in image.boxes if box.label == label]
        df = sum(any(box.label == label for box in other.boxes) for other in training)
        if df:
            share = max(areas) / (image.width * image.height)  # type: ignore[operator]
            weights[label] = sqrt(min(len(areas), 9)) * (0.3 + sqrt(share)) * (log(len(training) / df) + 0.5)
    return weights


def cosine(a: dict[str, float], b: dict[str, float]) -> float:
    norms = sqrt(sum(x * x for x in a.values()) * sum(x * x for x in b.values()))
    return sum(x * b.get(key, 0.0) for key, x in a.items()) / norms if norms else 0.0


def ngram_vectors(text: str, training: Sequence[Sequence[str]]) -> list[dict[str, float]]:
    """The tf-idf of the 1-grams, up to the 4-grams."""
    vectors = []
    for n in range(1, 5):
        counts = Counter(" ".join(text.split()[at : at + n]) for at in range(len(text.split()) - n + 1))
        df = {gram: sum(any(f" {gram} " in f" {text} " for text in texts) for texts in training) for gram in counts}
        vectors.append({gram: times * (log(len(training)) - log(df[gram])) for gram, times in counts.items()})
    return vectors


class BruteForce:
    """Retrieval by comparing everything with everything."""

    def __init__(self, training: Sequence[Image]) -> None:
        self.training = training
        self.labels = [vector(image, training) for image in training]
        tokens = [tokenise([caption.text for caption in image.captions]) for image in training]
        ngrams = {
            (at, n): ngram_vectors(text, tokens) for at, texts in enumerate(tokens) for n, text in enumerate(texts)
        }
        self.similarity = {(a, b): sum(map(cosine, ngrams[a], ngrams[b])) for a in ngrams for b in ngrams if a != b}

    def find(self, image: Image, k: int) -> str:
        wanted = vector(image, self.training)
        similarities = [round(cosine(wanted, labels), 6) for labels in self.labels]
        nearest = sorted((-value, at) for at, value in enumerate(similarities) if value > 0)[:k]
        pool = [(at, n) for _, at in nearest for n in range(len(self.training[at].captions))]
        totals = [round(sum(self.similarity[a, b] for b in pool if a != b), 5) for a in pool]
        at, n = pool[totals.index(max(totals))]
        return self.training[at].captions[n].text


@pytest.mark.parametrize("seed", range(6))
def test_retrieval_agrees_with_brute_force(seed: int) -> None:
    random = Random(seed)

    def made(id: str) -> Image:
        boxes = tuple(
            Box(str(n), 0, 0, random.randint(1, 100), random.randint(1, 100), random.choice(["dog", "cat", "bus"]))
            for n in range(random.randint(1, 12))
        )
        words = ["a", "the", "dog", "cat", "bus", "on", "runs", "by", "red"]
        texts = [" ".join(random.choices(words, k=random.randint(2, 9))) for _ in range(random.randint(1, 4))]
        return Image(id, 100, 100, boxes, tuple(Caption(str(n), text) for n, text in enumerate(texts)))

    training = [made(str(n)) for n in range(25)]
    index, brute_force = CaptionIndex.build(training), BruteForce(training)
    for image in (made("new") for _ in range(8)):
        for k in (1, 4, 60):
            assert index.find(image, k) == brute_force.find(image, k)
