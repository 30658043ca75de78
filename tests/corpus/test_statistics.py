"""Statistics of a corpus: worked out by hand, for any corpus, and against the papers' own figures."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Box, Caption, Chain, Image, ImageLabel, Mention, open_corpus
from limner.corpus.statistics import Distribution, Statistics, Summary, compare, statistics
from strategies import corpora


def caption(
    id: str, text: str, *mentions: tuple[str, tuple[str, ...], str | None, str], source: str = "gold"
) -> Caption:
    """A caption whose mentions are given by their words."""
    return Caption(
        id,
        text,
        tuple(
            Mention(text.index(w), text.index(w) + len(w), boxes, chain, (kind,)) for w, boxes, chain, kind in mentions
        ),
        source,
    )


def small_corpus() -> list[Image]:
    street = Image(
        "street",
        100,
        100,
        boxes=(
            Box("0", 0, 0, 40, 100, "man"),
            Box("1", 10, 10, 30, 30, "hat", flags=("occluded",)),
            Box("2", 60, 0, 100, 100, "woman"),
            Box("3", 50, 50, 50, 60, "pole"),
        ),
        captions=(
            caption(
                "0", "A man in a red hat .", ("A man", ("0",), "1", "people"), ("a red hat", ("1",), "2", "clothing")
            ),
            caption("1", "Two people outside .", ("Two people", ("0", "2"), "3", "people")),
            caption("2", "A trick", ("A trick", (), None, "notvisual"), source="person:w1"),
        ),
        chains=(
            Chain("1", ("0",), ("people",)),
            Chain("2", ("1",), ("clothing",)),
            Chain("3", ("0", "2"), ("people",)),
            Chain("4", ("2",)),
        ),
        attributes={"split": "train", "indoors": False},
        provenance={"mentions": "linked"},
    )
    park = Image(
        "park",
        50,
        40,
        captions=(
            caption("0", "The man and a park .", ("The man", (), "1", "people"), ("a park", (), "2", "scene")),
            caption("1", "A guy .", ("A guy", (), "1", "other")),
        ),
        # The first chain leaves its types to its mentions.
        chains=(Chain("1", flags=("nobox",)), Chain("2", types=("scene",), flags=("scene",))),
        attributes={"split": "val"},
    )
    return [street, park, Image("bare", attributes={"split": "val"})]


@pytest.fixture(scope="module")
def found() -> Statistics:
    return statistics(small_corpus(), name="small")


def test_pictures_are_counted_by_size_and_kind(found: Statistics) -> None:
    assert found.images == 3
    assert found.pictures.sized == 2
    assert found.pictures.width == Summary(2, 75.0, 75.0, 50, 100)
    assert found.pictures.height == Summary(2, 70.0, 70.0, 40, 100)
    assert found.pictures.attributes == {"indoors": {"false": 1}, "split": {"val": 2, "train": 1}}
    assert found.pictures.provenance == {"mentions": {"linked": 1}}


def test_captions_are_counted_by_length_and_source(found: Statistics) -> None:
    assert found.captions.count == 5
    assert found.captions.per_image == Distribution(((0, 1), (2, 1), (3, 1)))
    assert found.captions.words == Distribution(((2, 2), (3, 1), (5, 1), (6, 1)))
    assert found.captions.words.mean == 18 / 5
    assert found.captions.sources == {"gold": 4, "person:w1": 1}
    assert found.captions.without_box == 3


def test_boxes_are_counted_by_label_and_place(found: Statistics) -> None:
    boxes = found.boxes
    assert (boxes.count, boxes.labels, boxes.without_area, boxes.unmentioned) == (4, 4, 1, 1)
    assert boxes.per_image == boxes.classes_per_image == Distribution(((0, 2), (4, 1)))
    assert (boxes.one_class, boxes.many_classes) == (0, 0)
    assert boxes.top_labels == (("hat", 1), ("man", 1), ("pole", 1), ("woman", 1))
    assert boxes.flags == {"occluded": 1}
    # The hat's 400 of the man's 4,000 square pixels; the other two overlap nothing.
    assert boxes.best_iou == pytest.approx((0.1 + 0.1) / 4)
    assert boxes.enclosed == 1 / 4


@pytest.mark.parametrize(
    ("classes", "one", "many"),
    [([1], 1, 0), ([6], 0, 0), ([7], 0, 1), ([0, 1, 2, 7], 0.25, 0.25), ([0, 1, 1, 1], 0.75, 0)],
)
def test_images_of_one_class_and_of_more_than_six_are_shares_of_all_images(
    classes: list[int], one: float, many: float
) -> None:
    images = [
        Image(f"{i}", boxes=tuple(Box(f"{k}", 0, 0, 1, 1, f"c{k}") for k in range(n))) for i, n in enumerate(classes)
    ]
    found = statistics(images).boxes
    assert (found.one_class, found.many_classes) == (one, many)


def test_mentions_of_nothing_to_be_seen_are_no_expressions(found: Statistics) -> None:
    mentions = found.mentions
    assert (mentions.count, mentions.expressions, mentions.not_visual, mentions.with_box) == (7, 6, 1, 3)
    assert (mentions.per_image, mentions.per_caption, mentions.words) == (6 / 3, 6 / 5, 13 / 6)
    assert mentions.noun_phrases == len({"man", "hat", "people", "park", "guy"})


def test_chains_are_counted_by_mentions_and_boxes(found: Statistics) -> None:
    chains = found.chains
    assert (chains.count, chains.unmentioned, chains.mentions, chains.boxes) == (5, 1, 6, 3)
    assert (chains.per_image, chains.mentions_per_chain, chains.boxes_per_chain) == (5 / 3, 6 / 5, 3 / 5)
    assert chains.with_unmentioned == 6
    assert chains.several_mentions == 1 / 5
    assert (chains.one_box, chains.several_boxes, chains.no_box) == (2 / 5, 1 / 5, 2 / 5)
    assert chains.images_with_several_boxes == 1 / 3


def test_a_chain_counts_in_each_of_its_types_with_all_its_mentions_and_boxes(found: Statistics) -> None:
    rows = {t.type: (t.chains, t.mentions, t.boxes, t.mentions_per_chain, t.images) for t in found.chains.types}
    assert rows == {
        "people": (3, 4, 3, 4 / 3, 2 / 3),
        "clothing": (1, 1, 1, 1, 1 / 3),
        "other": (1, 2, 0, 2, 1 / 3),
        "scene": (1, 1, 0, 1, 1 / 3),
    }
    assert list(rows) == ["people", "clothing", "other", "scene"]


def test_words_have_their_shares_of_expressions_and_boxes(found: Statistics) -> None:
    nouns = {w.word: (w.occurrences, w.boxes, w.occurrence_share, w.box_share) for w in found.words.nouns}
    assert nouns == {
        "man": (2, 1, 2 / 6, 1 / 4),
        "guy": (1, 0, 1 / 6, 0),
        "hat": (1, 1, 1 / 6, 1 / 4),
        "park": (1, 0, 1 / 6, 0),
        "person": (1, 2, 1 / 6, 2 / 4),
    }
    assert list(nouns) == ["man", "guy", "hat", "park", "person"]
    assert [(w.word, w.occurrences, w.boxes) for w in found.words.adjectives] == [("red", 1, 1)]


def test_ngrams_are_those_of_all_captions(found: Statistics) -> None:
    assert found.ngrams is not None
    assert (found.ngrams.images, found.ngrams.captions) == (2, 5)
    assert found.ngrams.distinct == (13, 13, 8, 5)


@pytest.mark.parametrize(
    ("labels", "provenance", "said", "expected"),
    [
        (["cat", "dog", "cat"], {}, "a fat cat", (2, "labels")),
        (["cat", "dog", "cat"], {}, "", (2, "labels")),
        (["cat", "dog", "cat"], {"labels": "captions"}, "a fat cat", (1, "phrases")),
        (["cat", "dog", "cat"], {"labels": "captions"}, "", (2, "labels")),
        (["object", "object"], {}, "a fat cat", (1, "phrases")),
        (["object", "object"], {}, "", (None, None)),
        ([], {}, "", (None, None)),
    ],
)
def test_a_category_is_a_label_unless_labels_come_from_captions(
    labels: list[str], provenance: dict[str, str], said: str, expected: tuple[int | None, str | None]
) -> None:
    boxes = tuple(Box(str(i), 0, 0, 1, 1, label) for i, label in enumerate(labels))
    captions = (Caption("0", said, (Mention(0, len(said), ("0",)),)),) if said else ()
    found = statistics([Image("a", boxes=boxes, captions=captions, provenance=provenance)])
    assert (found.object_categories, found.categories_from) == expected
    assert found.objects_per_category == (len(labels) / expected[0] if expected[0] else None)


def test_a_mention_without_boxes_of_its_own_refers_to_its_chains() -> None:
    image = Image(
        "a",
        boxes=(Box("0", 0, 0, 1, 1),),
        captions=(caption("0", "a dog", ("a dog", (), "1", "animals")),),
        chains=(Chain("1", ("0",)),),
    )
    found = statistics([image])
    assert (found.mentions.with_box, found.captions.without_box, found.boxes.unmentioned) == (1, 0, 0)


def test_an_attribute_with_a_value_of_its_own_for_each_image_is_no_kind() -> None:
    images = [Image(str(i), attributes={"url": f"u{i}", "split": "train"}) for i in range(101)]
    assert statistics(images).pictures.attributes == {"split": {"train": 101}, "url": None}
    assert statistics(images[:100]).pictures.attributes["url"] is not None


NOTHING: list[Image] = []
EDGES = {
    "no image": NOTHING,
    "one bare image": [Image("a")],
    "a caption of no words": [Image("a", captions=(Caption("0", " . "),))],
    "results that name boxes of another file": [Image("a", captions=(Caption("0", "cat", (Mention(0, 3, ("9",)),)),))],
}


@pytest.mark.parametrize("images", EDGES.values(), ids=EDGES.keys())
def test_where_there_is_nothing_to_divide_by_the_answer_is_none(images: list[Image]) -> None:
    found = statistics(images)
    assert found.boxes.per_image.mean is found.boxes.best_iou is found.boxes.one_class is None
    assert found.chains.mentions_per_chain is found.chains.no_box is None
    assert found.objects_per_category is None
    json.dumps(found.to_json(), allow_nan=False)


@given(corpora())
def test_any_corpus_has_statistics_that_agree_with_each_other(images: list[Image]) -> None:
    found = statistics(iter(images), name="any")
    assert found.images == len(images)
    assert found.boxes.count == sum(len(image.boxes) for image in images) == found.boxes.per_image.total
    assert found.captions.count == found.captions.per_image.total == sum(found.captions.sources.values())
    assert found.mentions.expressions + found.mentions.not_visual == found.mentions.count
    assert found.chains.count + found.chains.unmentioned == sum(len(image.chains) for image in images)
    assert found.chains.with_unmentioned == found.chains.count + found.chains.unmentioned
    for share in (found.boxes.best_iou, found.boxes.enclosed, found.chains.no_box, found.chains.several_mentions):
        assert share is None or 0 <= share <= 1
    if found.chains.count:
        shares = found.chains.one_box, found.chains.several_boxes, found.chains.no_box
        assert sum(share or 0 for share in shares) == pytest.approx(1)


@given(corpora(), st.randoms(use_true_random=False))
def test_the_order_of_images_does_not_matter(images: list[Image], random: Any) -> None:
    mixed = list(images)
    random.shuffle(mixed)
    one, other = (statistics(some).to_json() for some in (images, mixed))
    # Sums of floating point numbers alone may differ in their last digits.
    assert one["boxes"].pop("best_iou") == pytest.approx(other["boxes"].pop("best_iou"))
    assert one == other


def keys(value: Any) -> Any:
    """The nested names of a JSON object, without those that are a corpus' own words."""
    if not isinstance(value, dict):
        return None
    own = {"attributes", "provenance", "sources", "flags"}
    return {name: None if name in own else keys(inner) for name, inner in value.items()}


def test_json_has_the_same_keys_for_every_corpus(found: Statistics) -> None:
    full, empty = found.to_json(), statistics([]).to_json()
    assert keys({**full, "ngrams": None}) == keys(empty)
    assert json.loads(json.dumps(full, allow_nan=False)) == full
    assert full["captions"]["words"]["histogram"] == [[2, 2], [3, 1], [5, 1], [6, 1]]
    assert empty["ngrams"] is None
    assert empty["boxes"]["per_image"] == {
        "n": 0,
        "mean": None,
        "median": None,
        "lowest": None,
        "highest": None,
        "histogram": [],
    }


@pytest.fixture(scope="module")
def val(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Statistics:
    """The statistics of Flickr30k Entities' 1,000 validation images."""
    folder = shared_data / "flickr30k_entities"
    part = tmp_path_factory.mktemp("val") / "val.zip"
    with zipfile.ZipFile(folder / "annotations.zip") as whole, zipfile.ZipFile(part, "w") as some:
        for id in (folder / "val.txt").read_text().split():
            for name in (f"Annotations/{id}.xml", f"Sentences/{id}.txt"):
                some.writestr(name, whole.read(name))
    return statistics(open_corpus(part, "flickr30k-entities"), name="val")


def test_flickr30k_entities_has_the_counts_that_are_known_of_its_validation_images(val: Statistics) -> None:
    assert (val.images, val.captions.count, val.boxes.count) == (1000, 5000, 8595)
    assert val.captions.without_box == 14
    assert val.mentions.with_box == 14433
    assert (val.boxes.without_area, val.boxes.unmentioned) == (0, 0)
    assert val.pictures.provenance == {"labels": {"captions": 1000}}
    # Distinct ids in brackets, and distinct names in the XML, counted with grep. The paper's 244,035 are the latter.
    assert (val.chains.count, val.chains.with_unmentioned) == (7730, 7732)


@pytest.mark.parametrize(
    ("figure", "paper", "tolerance"),
    [
        # Table 1 and Section 3.4 of the paper are about 31,783 images; these are 1,000 of them.
        (lambda s: s.boxes.per_image.mean, 8.7, 0.2),
        (lambda s: s.mentions.per_image, 16.6, 0.3),
        (lambda s: s.mentions.per_caption, 3.3, 0.1),
        (lambda s: s.mentions.words, 2.35, 0.03),
        (lambda s: s.chains.per_image, 7.7, 0.1),
        (lambda s: s.chains.boxes_per_chain, 1.13, 0.03),
        (lambda s: s.chains.several_mentions, 0.486, 0.01),
        (lambda s: s.chains.one_box, 0.591, 0.01),
        (lambda s: s.chains.several_boxes, 0.200, 0.01),
        (lambda s: s.chains.no_box, 0.209, 0.01),
        (lambda s: s.chains.images_with_several_boxes, 0.670, 0.02),
        (lambda s: s.boxes.best_iou, 0.37, 0.01),
        (lambda s: s.boxes.enclosed, 0.492, 0.01),
    ],
)
def test_flickr30k_entities_has_the_papers_averages_and_shares(
    val: Statistics, figure: Any, paper: float, tolerance: float
) -> None:
    assert figure(val) == pytest.approx(paper, abs=tolerance)


def test_flickr30k_entities_has_the_papers_table_of_types(val: Statistics) -> None:
    # Table 4's mentions and boxes per chain, and the shares of images of Section 3.4.
    paper = {
        "people": (3.17, 1.95, 0.942),
        "clothing": (1.76, 1.44, 0.699),
        "bodyparts": (1.50, 1.42, 0.280),
        "animals": (3.63, 1.44, 0.120),
        "vehicles": (2.77, 1.21, 0.138),
        "instruments": (2.85, 1.61, 0.043),
        "scene": (2.03, 0.62, 0.797),
        "other": (1.94, 1.04, 0.918),
    }
    assert {t.type for t in val.chains.types} == paper.keys()
    for row in val.chains.types:
        mentions, boxes, images = paper[row.type]
        # A type with few chains among 1,000 images strays further.
        slack = 0.08 if row.chains > 1000 else 0.6
        assert row.mentions_per_chain == pytest.approx(mentions, abs=slack)
        assert row.boxes_per_chain == pytest.approx(boxes, abs=slack)
        assert row.images == pytest.approx(images, abs=0.02)


def test_coco_and_nocaps_compare_as_in_the_nocaps_paper(shared_data: Path) -> None:
    coco = open_corpus([shared_data / "coco" / f for f in ("captions_val2017.json", "instances_val2017_boxes.json")])
    nocaps = open_corpus(shared_data / "nocaps" / "nocaps_val_1500_captions.json")
    one, other = compare([coco, nocaps], ["coco", "nocaps"])
    # Figure 2 and Section 3.2: 2.9 classes and 7.4 instances per image, 10 words against 11, 20 % of one class.
    assert one.boxes.classes_per_image.mean == pytest.approx(2.9, abs=0.05)
    assert one.boxes.per_image.mean == pytest.approx(7.4, abs=0.05)
    assert one.boxes.one_class == pytest.approx(0.20, abs=0.01)
    assert one.boxes.many_classes is not None
    assert one.boxes.many_classes < 0.10
    assert one.captions.words.mean == pytest.approx(10, abs=0.5)
    assert other.captions.words.mean == pytest.approx(11, abs=0.5)
    assert (one.object_categories, one.boxes.without_area) == (80, 1)
    assert other.pictures.attributes["domain"] == {"near-domain": 877, "out-domain": 482, "in-domain": 141}
    # Table 1: in equal samples nocaps has more of each.
    assert one.ngrams is not None
    assert other.ngrams is not None
    assert (one.ngrams.images, one.ngrams.captions) == (other.ngrams.images, other.ngrams.captions) == (1500, 7500)
    assert all(mine < theirs for mine, theirs in zip(one.ngrams.distinct, other.ngrams.distinct, strict=True))


def test_a_sample_of_coco_has_as_many_ngrams_as_the_nocaps_paper_found(shared_data: Path) -> None:
    coco = open_corpus(shared_data / "coco" / "captions_val2017.json")
    (found,) = compare([coco], ["coco"], images=4500, captions_each=5)
    assert found.ngrams is not None
    assert found.ngrams.captions == 22500
    # Table 1 of the paper, whose tokeniser is not told.
    assert found.ngrams.distinct == pytest.approx((6913, 46664, 92946, 119582), rel=0.04)


def test_image_labels_are_counted_and_absent_ones_apart() -> None:
    labels = (ImageLabel("Dog"), ImageLabel("Cat", 0), ImageLabel("Dog", 0.5, "machine"))
    pictures = statistics([Image("a", labels=labels), Image("b")]).pictures
    assert (pictures.labels, pictures.absent_labels, pictures.labelled) == (3, 1, 1)
