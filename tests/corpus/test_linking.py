"""Captions tied to boxes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from msgspec import structs

from limner.corpus import Box, Caption, Chain, Image, Mention, open_corpus
from limner.corpus.classes.class_words import Synonyms
from limner.corpus.linking import link, link_corpus
from limner.errors import BadInput, LimnerError
from refusals import refusal
from strategies import images


def scene(*texts: str, source: str = "gold", **labels: str) -> Image:
    """An image whose boxes have these labels by id, each smaller than the one before, and these captions."""
    boxes = tuple(
        Box(id, n, 0, 100 - n, 100 - n, label.replace("_", " ")) for n, (id, label) in enumerate(labels.items())
    )
    captions = tuple(Caption(str(n), text, (), source) for n, text in enumerate(texts))
    return Image("i", 200, 200, boxes, captions)


def told(image: Image, n: int = 0) -> list[tuple[str, str]]:
    """What a caption's mentions say, and the ids of their boxes."""
    caption = image.captions[n]
    return [(caption.phrase(mention), "".join(mention.boxes)) for mention in caption.mentions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A dog .", [("A dog", "d")]),
        ("A dog chases a dog .", [("A dog", "d"), ("a dog", "e")]),
        ("A dog , a dog , a dog and a dog .", [("A dog", "d"), ("a dog", "e"), ("a dog", "f")]),
        ("Two dogs .", [("Two dogs", "def")]),
        ("The dogs and a puppy .", [("The dogs", "def"), ("a puppy", "d")]),
        ("A man and a woman .", [("A man", "p"), ("a woman", "q")]),
        ("A couple .", [("A couple", "pq")]),
        ("A hot dog .", [("A hot dog", "h")]),
        ("A cat .", []),
        ("Animals .", [("Animals", "def")]),
        ("", []),
    ],
)
def test_singular_takes_the_largest_box_left_and_plural_all(text: str, expected: list[tuple[str, str]]) -> None:
    labels = {"h": "hot_dog", "p": "person", "d": "dog", "q": "person", "e": "dog", "f": "dog"}
    assert told(link(scene(text, **labels))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A dog .", [("A dog", "def")]),
        ("A man and a woman .", [("A man", "pq"), ("a woman", "pq")]),
        ("Two dogs and a hot dog .", [("Two dogs", "def"), ("a hot dog", "h")]),
    ],
)
def test_the_linker_all_takes_every_box_of_the_class(text: str, expected: list[tuple[str, str]]) -> None:
    labels = {"h": "hot_dog", "p": "person", "d": "dog", "q": "person", "e": "dog", "f": "dog"}
    linked = link(scene(text, **labels), linker="all")
    assert told(linked) == expected
    assert linked.provenance == {"mentions": "linked, all"}


def test_the_linker_random_takes_any_box_but_one_for_all_captions() -> None:
    image = scene("A dog .", "A dog chases a dog .", "Dogs .", d="dog", e="dog", f="dog", p="person")
    chosen = []
    for n in range(300):
        linked = link(structs.replace(image, id=str(n)), linker="random", seed=7)
        assert linked.provenance == {"mentions": "linked, random, seed 7"}
        assert linked == link(structs.replace(image, id=str(n)), linker="random", seed=7)
        (_, first), (_, again), (_, other), (_, every) = told(linked) + told(linked, 1) + told(linked, 2)
        assert first == again != other
        assert every == "def"
        chosen.append(first)
    # Each of the three in 100 of 300 images, give or take four standard deviations.
    assert all(67 < chosen.count(box) < 133 for box in "def")
    assert chosen != [told(link(structs.replace(image, id=str(n)), linker="random", seed=8))[0][1] for n in range(300)]


def test_an_unknown_linker_is_an_error() -> None:
    with refusal(LimnerError):
        link(scene("A dog .", d="dog"), linker="smallest")  # type: ignore[arg-type]


def test_boxes_keep_the_images_order_and_a_tie_goes_to_the_first() -> None:
    boxes = tuple(Box(id, 0, 0, side, side, "dog") for id, side in [("a", 5), ("b", 9), ("c", 9)])
    linked = link(Image("i", 10, 10, boxes, (Caption("0", "A dog and dogs"), Caption("1", "a dog a dog a dog"))))
    assert told(linked) == [("A dog", "b"), ("dogs", "abc")]
    assert told(linked, 1) == [("a dog", "b"), ("a dog", "c"), ("a dog", "a")]


def test_a_box_of_a_crowd_is_nobody_in_particular() -> None:
    boxes = (Box("crowd", 0, 0, 9, 9, "person", flags=("crowd",)), Box("p", 0, 0, 5, 5, "person"))
    linked = link(Image("i", 10, 10, boxes, (Caption("0", "A man , people , a man and a man"),)))
    assert told(linked) == [("A man", "p"), ("people", "crowdp"), ("a man", "crowd")]


def test_the_same_boxes_are_one_chain_in_every_caption() -> None:
    linked = link(scene("A man and people .", "People .", "One person .", "A dog .", p="person", q="person", d="dog"))
    assert linked.chains == (Chain("p", ("p",)), Chain("all person", ("p", "q")), Chain("d", ("d",)))
    chains = [[mention.chain for mention in caption.mentions] for caption in linked.captions]
    assert chains == [["p", "all person"], ["all person"], ["p"], ["d"]]


def test_chains_carry_the_types_of_their_boxes_and_names_that_do_not_clash() -> None:
    boxes = (
        Box("all dog + cat", 0, 0, 9, 9, "dog", types=("animals",)),
        Box("c", 0, 0, 5, 5, "cat", types=("animals", "pets")),
    )
    linked = link(Image("i", 10, 10, boxes, (Caption("0", "A dog and pets"),)))
    assert [(chain.id, chain.types) for chain in linked.chains] == [
        ("all dog + cat", ("animals",)),
        ("all dog + cat'", ("animals", "pets")),
    ]
    assert linked.captions[0].mentions[1].types == ("animals", "pets")


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("Two lamp posts and a lamp .", {"a": "Lamp post"}, [("Two lamp posts", "a")]),
        ("A male child and children .", {"a": "male_child.n.01"}, [("A male child", "a")]),
        ("A man and people .", {"a": "Woman", "b": "Man"}, [("A man", "b"), ("people", "ab")]),
        ("A guy .", {"a": "Woman", "b": "person"}, [("A guy", "b")]),
        ("A guy .", {"a": "Woman"}, []),
        ("A train station .", {"a": "train", "b": "train station"}, [("A train station", "b")]),
        ("A train station .", {"a": "train"}, []),
        ("A teddy bear and a bear .", {"a": "bear", "b": "teddy bear"}, [("A teddy bear", "b"), ("a bear", "a")]),
        ("A bear .", {"b": "teddy bear"}, [("A bear", "b")]),
        ("A bike .", {"a": "motorcycle", "b": "bicycle"}, [("A bike", "a")]),
        ("A nothing .", {"a": "?!"}, []),
    ],
)
def test_labels_of_any_corpus_are_named(text: str, labels: dict[str, str], expected: list[tuple[str, str]]) -> None:
    assert told(link(scene(text, **labels))) == expected


def test_other_words_can_be_given() -> None:
    synonyms = Synonyms({"dog": ["good boy"]})
    linked = link(scene("A good boy and a puppy .", d="dog"), synonyms)
    assert told(linked) == [("A good boy", "d")]


def test_the_image_says_that_it_was_linked_and_keeps_everything_else() -> None:
    image = Image("i", 9, 9, (Box("0", 0, 0, 5, 5, "dog"),), (Caption("c", "A dog", (), "system:x"),), (), "i.jpg")
    linked = link(Image(image.id, 9, 9, image.boxes, image.captions, (), image.file, {"split": "val"}, {"boxes": "x"}))
    assert linked.provenance == {"boxes": "x", "mentions": "linked"}
    assert (linked.attributes, linked.file, linked.boxes) == ({"split": "val"}, "i.jpg", image.boxes)
    assert linked.captions == (Caption("c", "A dog", (Mention(0, 5, ("0",), "0", origin="linked"),), "system:x"),)


@pytest.mark.parametrize("image", [scene("A dog"), scene(d="dog"), scene()])
def test_an_image_without_boxes_or_captions_stays_as_it_is(image: Image) -> None:
    assert list(link_corpus([image])) == [image]


def test_mentions_that_are_there_are_only_replaced_when_that_is_wanted() -> None:
    linked = link(scene("A dog", d="dog"))
    assert list(link_corpus([scene("A dog", d="dog")])) == [linked]
    with refusal(BadInput):
        list(link_corpus([linked], place="a.jsonl"))
    assert list(link_corpus([linked], replace=True)) == [linked]


@given(images())
def test_any_image_can_be_linked_and_texts_never_change(image: Image) -> None:
    linked = link(image)
    assert [(c.id, c.text, c.source) for c in linked.captions] == [(c.id, c.text, c.source) for c in image.captions]
    assert link(linked) == linked


def test_most_captions_of_coco_refer_to_a_box(shared_data: Path) -> None:
    """The shares that the command's page states, on COCO val2017."""
    sources = [shared_data / "coco" / name for name in ("captions_val2017.json", "instances_val2017_boxes.json")]
    captions = linked_captions = mentions = boxes = linked_boxes = 0
    for image in link_corpus(open_corpus(sources)):
        captions += len(image.captions)
        linked_captions += sum(bool(caption.mentions) for caption in image.captions)
        mentions += sum(len(caption.mentions) for caption in image.captions)
        boxes += len(image.boxes)
        linked_boxes += len({id for _, mention in image.mentions() for id in mention.boxes})
    assert captions == 25_014
    assert round(linked_captions / captions, 2) == 0.92
    assert round(mentions / captions, 2) == 1.44
    assert round(linked_boxes / boxes, 2) == 0.63
