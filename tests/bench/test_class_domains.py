"""Which classes and images are in, near and out of a captioned corpus' domain."""

from __future__ import annotations

from pathlib import Path

import pytest

from limner.bench.class_domains import Domains, class_domains, find_domains
from limner.bench.counted_classes import CountedClasses
from limner.bench.own import OwnClass, coco_classes
from limner.corpus import Box, Caption, Image, open_corpus
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.open_images_classes import read_class_tree

TREE = ClassHierarchy(
    "Entity",
    {"Animal": ("Entity",), "Dog": ("Animal",), "Owl": ("Animal",), "Plate": ("Entity",), "Paw": ("Entity",)},
    {"Paw": ("Animal",)},
)


def image(id: str, *labels: str, captions: tuple[str, ...] = (), **attributes: str) -> Image:
    boxes = tuple(Box(str(i), 0, 0, 1, 1, label) for i, label in enumerate(labels))
    said = tuple(Caption(str(i), text) for i, text in enumerate(captions))
    return Image(id, boxes=boxes, captions=said, attributes=attributes)


CAPTIONED = [
    image("1", "dog", captions=("A dog and a plate.", "Plates, an owl and an animal.")),
    image("2", captions=("Two plates of an animal.",)),
]


def found(own: list[OwnClass] | None = None) -> Domains:
    return find_domains({"Dog", "Owl", "Plate", "Paw"}, CAPTIONED, CountedClasses(TREE), own=own, more_than=2)


def test_every_class_has_a_domain_and_a_reason_the_most_mentioned_first() -> None:
    assert [tuple(one) for one in found().classes.values()] == [
        ("Plate", 3, "in-domain", "mentioned more than 2 times"),
        ("Animal", 2, "ignored", "super-category"),
        ("Dog", 1, "in-domain", "class of the captioned corpus"),
        ("Owl", 1, "out-domain", "mentioned 1 time"),
        ("Paw", 0, "ignored", "part"),
    ]


@pytest.mark.parametrize(("mentions", "domain"), [(1000, "out-domain"), (1001, "in-domain")])
def test_exactly_as_many_mentions_are_not_more(mentions: int, domain: str) -> None:
    assert class_domains({"Owl": mentions}, (), CountedClasses())["Owl"].domain == domain


@pytest.mark.parametrize(
    ("labels", "domain"),
    [
        (["Dog"], "in-domain"),
        (["Dog", "Plate", "Dog"], "in-domain"),
        (["Dog", "Owl"], "near-domain"),
        (["owl", "owls"], "out-domain"),
        (["Owl", "Animal", "Paw"], "out-domain"),
        (["Dog", "Paw"], "in-domain"),
        (["Paw"], None),
        ([], None),
    ],
)
def test_the_classes_of_an_image_tell_its_domain(labels: list[str], domain: str | None) -> None:
    assert found().of(labels) == domain


def test_images_are_marked_and_counted() -> None:
    domains = found()
    corpus = [
        image("a", "Dog", "Owl", split="val"),
        image("b", "Owl"),
        image("c", domain="in-domain"),
        image("d", "Dog"),
    ]
    marked = list(domains.marked(corpus))
    assert [dict(one.attributes) for one in marked] == [
        {"split": "val", "domain": "near-domain"},
        {"domain": "out-domain"},
        {"domain": "in-domain"},  # it has no boxes: what was told of it before stays
        {"domain": "in-domain"},
    ]
    assert domains.n_images == {"in-domain": 1, "near-domain": 1, "out-domain": 1}
    assert domains.n_without == 1
    assert domains.to_json()["images"] == {"in-domain": 1, "near-domain": 1, "out-domain": 1, "none": 1}


def test_own_classes_that_are_given_come_instead_of_the_labels() -> None:
    domains = found(own=[OwnClass("hooter", ("Owl",)), OwnClass("unicorn")])
    assert domains.classes["Owl"].domain == "in-domain"
    assert domains.classes["Dog"].domain == "out-domain"
    assert domains.owned.missing == ("unicorn",)
    assert domains.n_classes == {"in-domain": 2, "out-domain": 1, "ignored": 2}


def test_without_a_hierarchy_the_labels_are_the_classes() -> None:
    domains = find_domains({"Owl", "Paw"}, iter(CAPTIONED), CountedClasses(), more_than=0)
    assert {one.name: one.domain for one in domains.classes.values()} == {"Owl": "in-domain", "Paw": "out-domain"}
    assert (domains.n_captions, domains.owned.missing) == (3, ("dog",))


def test_the_paper_s_numbers_of_classes_nearly_from_a_share_of_coco(shared_data: Path) -> None:
    """The paper has 80 + 39 in-domain and 394 out-domain classes, from COCO's 118,287 training images."""
    folder = shared_data / "open_images"
    tree = read_class_tree(folder / "bbox_labels_600_hierarchy.json", folder / "class-descriptions-boxable.csv")
    captioned = open_corpus(shared_data / "coco" / "captions_val2017.json")
    threshold = round(1000 * 5000 / 118_287)
    domains = find_domains(set(), captioned, CountedClasses(tree), own=coco_classes(), more_than=threshold)
    assert domains.n_classes == {"in-domain": 124, "out-domain": 394, "ignored": 83}
    in_domain = {one.name for one in domains.classes.values() if one.domain == "in-domain"}
    assert {"Table", "Plate", "Tree"} <= in_domain
    assert domains.n_captions == 25_014
