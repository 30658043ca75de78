"""Boxes and labels from some captions, gold from the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Box, Caption, Image, Mention, open_corpus, write_corpus
from limner.corpus.caption import LABEL_SOURCE
from limner.corpus.held_out_labels import HIDDEN, HeldOutLabels, hold_out, thing_name, visible
from limner.corpus.provenance import ProvenanceTally
from limner.describe.describing import describe_corpus
from limner.describe.learned import train_selector
from limner.describe.realise.phrasebook_learning import learn_phrasebook
from limner.describe.selectors import Concepts, seen
from limner.errors import BadInput, LimnerError
from limner.playground import playground
from refusals import refusal
from strategies import images


def caption(id: str, **boxes_by_phrase: str) -> Caption:
    """A caption whose phrases refer to boxes, each named by a letter: `a_dog="d"`."""
    text, mentions = "", []
    for phrase, boxes in boxes_by_phrase.items():
        words = phrase.replace("_", " ")
        mentions.append(Mention(len(text), len(text) + len(words), tuple(boxes)))
        text += f"{words} "
    return Caption(id, text, tuple(mentions))


BOXES = tuple(Box(id, 0, 0, 9, 9, "thing", types=("before",)) for id in "abc")


def test_the_chosen_captions_give_boxes_and_labels_and_are_no_longer_gold() -> None:
    said = [caption(str(i), a_young_man="a", dogs="bc") for i in range(3)]
    image = hold_out(Image("i", 10, 10, BOXES, tuple(said)), 2)
    assert image is not None
    assert sorted(caption.source for caption in image.captions) == ["gold", LABEL_SOURCE, LABEL_SOURCE]
    assert [caption.text for caption in image.captions] == [caption.text for caption in said]
    assert [box.label for box in image.boxes] == ["man", "dog", "dog"]
    assert {(box.types, box.flags) for box in image.boxes} == {(("before",), ())}
    assert image.provenance == {"labels": "captions", "labels_from": 2, "labels_seed": 0}


def test_a_box_that_only_gold_mentions_is_hidden_from_all_but_the_scores() -> None:
    said = caption("0", a_man="a"), caption("1", a_dog="b", a_man="a")
    for seed in range(30):
        image = hold_out(Image("i", 10, 10, BOXES, said), 1, seed)
        assert image is not None
        hidden = {box.id for box in image.boxes if HIDDEN in box.flags}
        gold = next(caption for caption in image.captions if caption.source == "gold")
        assert hidden == ({"b", "c"} if gold.id == "1" else {"c"})
        assert [box.id for box in seen(image).boxes] == [id for id in "abc" if id not in hidden]
        assert {box for _, mention in visible(image).mentions() for box in mention.boxes}.isdisjoint(hidden)
        # Gold still refers to what is hidden: recall must count it.
        assert {box for mention in gold.mentions for box in mention.boxes} == ({"a", "b"} if gold.id == "1" else {"a"})


def test_the_most_specific_name_wins_then_the_most_used_then_the_first_in_the_alphabet() -> None:
    chosen = (
        caption("0", a_couple="ab", a_woman="a", a_cat="c"),
        caption("1", a_lady="a", a_cat="c"),
        caption("2", a_lady="a", an_animal="c", two_people="ab"),
    )
    for seed in range(200):
        image = hold_out(Image("i", 10, 10, BOXES, (*chosen, Caption("3", "-"))), 3, seed)
        assert image is not None
        if image.captions[3].source == "gold":
            assert [box.label for box in image.boxes] == ["lady", "couple", "cat"]
            return
    pytest.fail("no seed chose the first three")


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("the other", "object"),
        ("another one", "object"),
        ("something", "object"),
        ("spiky things", "object"),
        ("three", "object"),
        ("both of whom", "object"),
        ("one of the men", "man"),
        ("some kind of uniform", "uniform"),
        ("a few of his belongings", "belongings"),
        ("A body of blue water", "water"),
        ("the body of a man", "body"),
        ("everybody", "person"),
        ("the other man", "man"),
        ("a group of people", "person"),
        ("the number 37", "number"),
        ("a blue", "object"),
        ("the other white", "object"),
        ("Red", "in a colour"),
        ("all black", "in a colour"),
        ("navy blue", "in a colour"),
        ("bright orange", "in a colour"),
        ("an orange", "orange"),
        ("oranges", "orange"),
        ("ice cream", "cream"),
        ("a blonde", "blonde"),
        ("red shirts", "shirt"),
    ],
)
def test_a_phrase_that_names_nothing_makes_an_object(phrase: str, name: str) -> None:
    assert thing_name(phrase) == name


def test_which_captions_are_chosen_depends_on_the_seed_and_the_images_id_alone() -> None:
    corpus = list(playground(40))
    forth = {image.id: image for image in HeldOutLabels(corpus, 2, 5)}
    back = {image.id: image for image in HeldOutLabels(corpus[::-1], 2, 5)}
    assert forth == back
    assert forth != {image.id: image for image in HeldOutLabels(corpus, 2, 6)}
    chosen = [i for image in forth.values() for i, said in enumerate(image.captions) if said.source == LABEL_SOURCE]
    assert set(chosen) == set(range(5))


@given(images(), st.integers(1, 3), st.integers(0, 5))
def test_what_is_held_out_can_be_written_and_no_word_changes(image: Image, n: int, seed: int) -> None:
    labelled = hold_out(image, n, seed)
    gold = [caption for caption in image.captions if caption.source == "gold"]
    assert (labelled is None) == (len(gold) <= n)
    if labelled is not None:
        assert [said.text for said in labelled.captions] == [said.text for said in image.captions]
        assert [box.corners for box in labelled.boxes] == [box.corners for box in image.boxes]
        assert sum(said.source == "gold" for said in labelled.captions) == len(gold) - n
        assert not [box for box in visible(labelled).boxes if HIDDEN in box.flags]


def test_the_share_of_mentions_of_hidden_boxes_is_counted_by_hand() -> None:
    corpus = list(playground(60))
    held_out = HeldOutLabels(corpus, 1, 3)
    n_mentions = n_hidden = 0
    for image in held_out:
        shown = {b for said in image.captions if said.source == LABEL_SOURCE for m in said.mentions for b in m.boxes}
        for said in image.captions:
            for mention in said.mentions if said.source == "gold" else ():
                n_mentions += bool(mention.boxes)
                n_hidden += bool(mention.boxes) and not shown & set(mention.boxes)
    assert (held_out.n_mentions, held_out.n_hidden) == (n_mentions, n_hidden)
    assert 0 < held_out.hidden_share < 1


def test_nothing_is_learnt_from_hidden_boxes() -> None:
    corpus = list(HeldOutLabels(playground(80), 1, 3))
    bare = [visible(image) for image in corpus]
    assert Concepts.count(corpus) == Concepts.count(bare)
    books = [replace(learn_phrasebook(images), hashes=None) for images in (corpus, bare)]
    assert books[0] == books[1]
    views = [seen(image) for image in bare]
    assert train_selector(corpus).select_many(views) == train_selector(bare).select_many(views)


@pytest.mark.parametrize(
    ("corpus", "n"),
    [
        (list(playground(3)), 9),
        ([Image("i", captions=(Caption("0", "a"), Caption("1", "b")))], 1),
        (list(HeldOutLabels(playground(3), 1)), 1),
    ],
)
def test_what_cannot_be_labelled_so_is_refused(corpus: list[Image], n: int) -> None:
    with refusal(BadInput):
        list(HeldOutLabels(corpus, n))


def test_labels_from_no_caption_are_refused() -> None:
    with refusal(ValueError):
        HeldOutLabels([], 0)


def test_the_file_keeps_it_all(tmp_path: Path) -> None:
    held_out = list(HeldOutLabels(playground(20), 2))
    write_corpus(held_out, tmp_path / "w.jsonl")
    assert list(open_corpus(tmp_path / "w.jsonl")) == held_out


@pytest.mark.parametrize("format", ["coco", "flickr30k-entities", "tsv", "karpathy"])
def test_a_format_that_would_make_held_out_captions_gold_again_is_refused(format: str, tmp_path: Path) -> None:
    with refusal(LimnerError):
        write_corpus(HeldOutLabels(playground(3), 2), tmp_path / "out", format)
    assert not list(tmp_path.iterdir())


def test_provenance_tells_labels_and_mentions_and_what_to_beware_of() -> None:
    tally = ProvenanceTally()
    for facts in ({"labels": "captions"}, {"labels": "captions"}, {}):
        tally.add(facts)
    assert tally.to_json() == {"labels": "captions in 2 of 3 images"}
    assert "too high" in str(tally.warning())
    tally = ProvenanceTally()
    tally.add({"labels": "captions", "labels_from": 2, "labels_seed": 1, "mentions": "linked"})
    assert tally.to_json() == {"labels": "2 held-out captions, seed 1", "mentions": "linked"}
    assert tally.warning() == "mentions were linked by the names of classes, not by people"
    assert ProvenanceTally().to_json() == {}
    assert ProvenanceTally().warning() is None


def test_a_corpus_whose_boxes_are_all_hidden_is_refused_and_training_on_hidden_boxes_is_remembered(
    tmp_path: Path,
) -> None:
    held_out = list(HeldOutLabels(playground(40), 1))
    hidden = [replace(i, boxes=tuple(replace(box, flags=(HIDDEN,)) for box in i.boxes)) for i in held_out]
    with refusal(BadInput):
        describe_corpus(hidden, tmp_path / "out.jsonl")
    boxes_only = [replace(image, captions=(), chains=()) for image in held_out]
    for seen_images in (train_selector(held_out).model.trained.seen, learn_phrasebook(held_out).seen):
        assert seen_images is not None
        assert {seen_images.find(image) for image in boxes_only} == {"seen"}


@pytest.mark.parametrize("n_captions", [1, 2])
def test_advice_fits_the_number_of_captions(n_captions: int) -> None:
    captions = tuple(Caption(str(i), "A dog .") for i in range(n_captions))
    with refusal(BadInput):
        list(HeldOutLabels([Image("1", captions=captions)], 2))


def test_boxes_keep_their_attributes_where_captions_give_none() -> None:
    said = Caption("0", "A small dog", (Mention(0, 11, ("0",)),))
    image = Image("1", 9, 9, (Box("0", 0, 0, 5, 5, "animal", attributes=("brown",)),), (said, Caption("1", "A dog")))
    found = {
        with_attributes: hold_out(image, 1, seed, with_attributes=with_attributes)
        for seed in range(20)
        for with_attributes in (True, False)
        if (held := hold_out(image, 1, seed)) is not None and held.captions[0].source == LABEL_SOURCE
    }
    assert {key: held and held.boxes[0].attributes for key, held in found.items()} == {
        True: ("brown", "small"),
        False: ("brown",),
    }


def attributes_of(image: Image, n: int, seed: int = 0) -> dict[str, tuple[str, ...]]:
    labelled = hold_out(image, n, seed)
    assert labelled is not None
    return {box.id: box.attributes for box in labelled.boxes}


@pytest.mark.parametrize(
    ("phrase", "attributes"),
    [
        ("A young man", ("young",)),
        ("a large group of young people", ("young",)),
        ("a large group", ("large",)),
        ("two small brown dogs", ("small", "brown")),
        ("a black and white dog", ("black", "white")),
        ("a light-blue shirt", ("light-blue",)),
        ("a tennis ball", ("tennis",)),
        ("the man", ()),
        ("men", ()),
    ],
)
def test_the_words_before_the_noun_are_attributes(phrase: str, attributes: tuple[str, ...]) -> None:
    said = Caption("0", f"{phrase} .", (Mention(0, len(phrase), ("a",)),))
    image = Image("i", 10, 10, BOXES[:1], (said, Caption("1", said.text, said.mentions)))
    assert attributes_of(image, 1) == {"a": attributes}


def test_all_that_the_label_captions_say_of_a_box_counts_once_and_its_own_attributes_come_first() -> None:
    boxes = (Box("a", 0, 0, 9, 9, "thing", attributes=("wet", "small")), Box("b", 0, 0, 9, 9, "thing"))
    said = tuple(caption(str(i), a_small_brown_dog="a", two_big_dogs="ab") for i in range(3))
    assert attributes_of(Image("i", 10, 10, boxes, said), 2) == {"a": ("wet", "small", "brown", "big"), "b": ("big",)}


def test_a_hidden_box_keeps_the_attributes_it_had() -> None:
    boxes = (Box("a", 0, 0, 9, 9, "thing"), Box("b", 0, 0, 9, 9, "thing", attributes=("wet",)))
    said = caption("0", a_man="a"), caption("1", a_man="a")
    assert attributes_of(Image("i", 10, 10, boxes, said), 1) == {"a": (), "b": ("wet",)}


@given(st.integers(0, 50), st.integers(1, 3))
def test_no_word_of_the_captions_that_stay_gold_becomes_an_attribute(seed: int, n: int) -> None:
    adjectives = ("red", "tall", "young", "wooden")
    said = tuple(caption(str(i), **{f"a_{adjective}_dog": "a"}) for i, adjective in enumerate(adjectives))
    image = hold_out(Image("i", 10, 10, BOXES[:1], said), n, seed)
    assert image is not None
    labels = [adjectives[int(c.id)] for c in image.captions if c.source == LABEL_SOURCE]
    assert sorted(image.boxes[0].attributes) == sorted(labels)
    assert len(labels) == n
