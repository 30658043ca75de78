"""Which classes and images are in, near and out of a captioned corpus' domain."""

from __future__ import annotations

from pathlib import Path

import pytest

from limner.bench.class_domains import (
    CaptionedClass,
    Domains,
    class_domains,
    coco_classes,
    find_domains,
    find_shared_classes,
    read_captioned_classes,
    texts_of_people,
    write_domains,
)
from limner.bench.counted_classes import CountedClasses
from limner.corpus import Box, Caption, Image, open_corpus
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.open_images_classes import read_class_tree
from limner.errors import BadInput
from refusals import refusal

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


def found(captioned_classes: list[CaptionedClass] | None = None) -> Domains:
    return find_domains(
        {"Dog", "Owl", "Plate", "Paw"},
        CAPTIONED,
        CountedClasses(TREE),
        captioned_classes=captioned_classes,
        more_than=2,
    )


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
    domains = found(captioned_classes=[CaptionedClass("hooter", ("Owl",)), CaptionedClass("unicorn")])
    assert domains.classes["Owl"].domain == "in-domain"
    assert domains.classes["Dog"].domain == "out-domain"
    assert domains.shared.missing == ("unicorn",)
    assert domains.n_classes == {"in-domain": 2, "out-domain": 1, "ignored": 2}


def test_without_a_hierarchy_the_labels_are_the_classes() -> None:
    domains = find_domains({"Owl", "Paw"}, iter(CAPTIONED), CountedClasses(), more_than=0)
    assert {one.name: one.domain for one in domains.classes.values()} == {"Owl": "in-domain", "Paw": "out-domain"}
    assert (domains.n_captions, domains.shared.missing) == (3, ("dog",))


def test_the_paper_s_numbers_of_classes_nearly_from_a_share_of_coco(shared_data: Path) -> None:
    """The paper has 80 + 39 in-domain and 394 out-domain classes, from COCO's 118,287 training images."""
    folder = shared_data / "open_images"
    tree = read_class_tree(folder / "bbox_labels_600_hierarchy.json", folder / "class-descriptions-boxable.csv")
    captioned = open_corpus(shared_data / "coco" / "captions_val2017.json")
    threshold = round(1000 * 5000 / 118_287)
    domains = find_domains(
        set(), captioned, CountedClasses(tree), captioned_classes=coco_classes(), more_than=threshold
    )
    assert domains.n_classes == {"in-domain": 124, "out-domain": 394, "ignored": 83}
    in_domain = {one.name for one in domains.classes.values() if one.domain == "in-domain"}
    assert {"Table", "Plate", "Tree"} <= in_domain
    assert domains.n_captions == 25_014


def test_what_systems_say_is_not_what_people_say() -> None:
    captions = (Caption("0", "gold"), Caption("1", "mine", source="person:w1"), Caption("2", "its", source="system:x"))
    assert list(texts_of_people(Image("a", captions=captions))) == ["gold", "mine"]


def owns(*names: str) -> list[CaptionedClass]:
    return [CaptionedClass(name) for name in names]


@pytest.mark.parametrize(
    ("own", "classes", "found", "missing"),
    [
        (["dog"], ["Dog", "Hot dog"], {"Dog"}, ()),
        (["dogs", "fire_hydrant"], ["Dog", "Fire hydrant"], {"Dog", "Fire hydrant"}, ()),
        (["tv", "skis"], ["Television", "Ski"], {"Television", "Ski"}, ()),
        (["mouse"], ["Mouse", "Computer mouse"], {"Computer mouse"}, ()),
        (["mouse"], ["mouse"], {"mouse"}, ()),
        (["car", "unicorn"], ["Carrot", "Car"], {"Car"}, ("unicorn",)),
        ([], ["Dog"], set(), ()),
    ],
)
def test_names_find_each_other(own: list[str], classes: list[str], found: set[str], missing: tuple[str, ...]) -> None:
    assert find_shared_classes(owns(*own), classes) == (found, missing)


def test_a_file_tells_what_is_called_otherwise(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("# mine\nmoggy, Cat\n\nDog\nfolk, Man, Woman\n")
    own = read_captioned_classes(tmp_path / "own.txt")
    assert find_shared_classes(own, ["Cat", "Dog", "Man", "Woman", "Owl"]) == ({"Cat", "Dog", "Man", "Woman"}, ())


def test_a_class_that_a_file_tells_and_is_not_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("dog\nmoggy, Cta\n")
    with refusal(BadInput):
        find_shared_classes(read_captioned_classes(tmp_path / "own.txt"), ["Cat", "Dog"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "own.txt: it names no class"),
        ("# nothing\n", "own.txt: it names no class"),
        ("dog\n, Cat\n", "own.txt:2: ', Cat' has an empty name"),
        ("dog,\n", "own.txt:1: 'dog,' has an empty name"),
    ],
)
def test_files_that_tell_nothing(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "own.txt").write_text(text)
    with pytest.raises(BadInput) as error:
        read_captioned_classes(tmp_path / "own.txt")
    assert message in str(error.value)


def test_each_of_coco_s_eighty_is_a_class_of_open_images(shared_data: Path) -> None:
    folder = shared_data / "open_images"
    tree = read_class_tree(folder / "bbox_labels_600_hierarchy.json", folder / "class-descriptions-boxable.csv")
    found = find_shared_classes(coco_classes(), tree)
    assert found.missing == ()
    assert len(found.classes) == 80
    assert {"Computer mouse", "Cattle", "Flying disc", "Coffee cup", "Houseplant"} <= found.classes


def test_one_call_marks_images_and_says_how_far_it_has_come(tmp_path: Path) -> None:
    steps: list[tuple[str, int]] = []
    images = [image("a", "Dog"), image("b", "Dog", "Owl"), image("c", "Paw")]
    domains, n_written = write_domains(
        images,
        CAPTIONED,
        tmp_path / "out.jsonl",
        CountedClasses(TREE),
        more_than=2,
        progress=lambda what, done, _: steps.append((what, done)),
    )
    assert n_written == 3
    marked = [read.attributes.get("domain") for read in open_corpus(tmp_path / "out.jsonl")]
    assert marked == ["in-domain", "near-domain", None]
    assert list(dict(steps).items()) == [("images looked at", 3), ("captioned images", 2), ("images read again", 3)]
    assert repr(domains) == "<Domains of 5 classes: 2 in-domain, 1 out-domain, 2 ignored>"
