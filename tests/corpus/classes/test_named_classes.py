"""Classes as boxes show them and captions name them."""

from __future__ import annotations

from limner.corpus import Box, Image
from limner.corpus.classes.named_classes import NamedClasses

NAMED = NamedClasses(["couch", "Zebra", "dog", "guitar"])


def test_a_class_is_named_by_every_word_known_for_it_in_both_numbers() -> None:
    assert NAMED.named("Two sofas and a ZEBRA.") == {"couch", "Zebra"}
    assert NAMED.named("Guitars on a wall") == {"guitar"}
    assert NAMED.named("A cat") == set()


def test_the_longest_word_counts_so_that_a_hot_dog_is_no_dog() -> None:
    assert NAMED.named("a hot dog") == set()
    assert NAMED.named("a hot dog for a dog") == {"dog"}


def test_a_box_shows_a_class_by_its_name_or_a_word_for_it() -> None:
    labels = ("sofa", "zebra", "cat")
    image = Image("1", boxes=tuple(Box(label, 0, 0, 9, 9, label) for label in labels))
    assert NAMED.shown(image) == {"couch", "Zebra"}


def test_the_name_of_a_kind_names_no_class_unless_whatever_it_may_mean_is_looked_for() -> None:
    classes = ["zebra", "bus", "bicycle", "suitcase"]
    texts = ("animals in a field", "a vehicle", "a bag", "a bike")
    assert [NamedClasses(classes).named(text) for text in texts] == [set(), set(), set(), {"bicycle"}]
    widely = NamedClasses(classes, widely=True)
    assert [widely.named(text) for text in texts] == [{"zebra"}, {"bus"}, {"suitcase"}, {"bicycle"}]


def test_a_label_means_one_class() -> None:
    image = Image("1", boxes=(Box("0", 0, 0, 9, 9, "bear"), Box("1", 0, 0, 9, 9, "Animal")))
    assert NamedClasses(["teddy bear", "zebra"]).shown(image) == set()
    assert NamedClasses(["bear"]).shown(image) == {"bear"}
    assert NamedClasses(["teddy bear", "zebra"], widely=True).shown(image) == {"teddy bear", "zebra"}


def test_spans_are_where_the_words_stand() -> None:
    text = "A zebra on a couch"
    assert [(text[start:end], classes) for start, end, classes in NAMED.spans(text)] == [
        ("zebra", ("Zebra",)),
        ("couch", ("couch",)),
    ]
    assert NAMED.named_by_any(["a zebra", "a dog"]) == {"Zebra", "dog"}
