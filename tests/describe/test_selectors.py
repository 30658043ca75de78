from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from msgspec.structs import replace

from limner.corpus import Box, Caption, Image, Mention, open_corpus
from limner.describe.selectors import (
    START,
    Combined,
    Concepts,
    Limited,
    Selector,
    average_ranks,
    find_selector,
    seen,
)
from limner.errors import LimnerError
from limner.score.content import gold_sets, score_selection, summarise
from refusals import refusal
from strategies import images


def box(id: str, x: float, y: float, side: float, label: str) -> Box:
    return Box(id, x, y, x + side, y + side, label)


# A picture of 100 by 100: a large dog at the left edge, a small cat in the middle, a middling cow in the corner.
IMAGE = Image("i", 100, 100, (box("d", 0, 20, 60, "dog"), box("c", 45, 45, 10, "cat"), box("o", 70, 70, 30, "cow")))


@pytest.mark.parametrize(
    ("name", "order"),
    [("size", ["d", "o", "c"]), ("position", ["c", "d", "o"]), ("all", ["d", "c", "o"])],
)
def test_visual_selectors_order_boxes_by_what_is_seen(name: str, order: list[str]) -> None:
    assert find_selector(name).select(IMAGE) == order


def caption(id: str, *boxes: str) -> Caption:
    text = " ".join("x" * len(boxes))
    return Caption(id, text, tuple(Mention(2 * i, 2 * i + 1, (b,)) for i, b in enumerate(boxes)))


SAID = Image("s", 100, 100, IMAGE.boxes, (caption("0", "c", "d"), caption("1", "c", "d"), caption("2", "d", "o")))
CONCEPTS = Concepts.count([SAID])


def test_concepts_are_counted_in_the_order_people_mention_them() -> None:
    assert CONCEPTS.mentions == {"cat": 2, "dog": 3, "cow": 1}
    assert CONCEPTS.followers == {START: {"cat": 2, "dog": 1}, "cat": {"dog": 2}, "dog": {"cow": 1}}


def test_systems_captions_and_mentions_without_boxes_are_not_counted() -> None:
    said = Image("s", boxes=IMAGE.boxes, captions=(Caption("0", "x", (Mention(0, 1, ("d",)),), "system:x"),))
    bare = Image("t", boxes=IMAGE.boxes, captions=(Caption("0", "x y", (Mention(0, 1), Mention(2, 3, ("c",)))),))
    assert Concepts.count([said, bare]) == Concepts({"cat": 1}, {START: {"cat": 1}})


def test_unigram_prefers_what_is_mentioned_most() -> None:
    assert find_selector("unigram", CONCEPTS).select(IMAGE) == ["d", "c", "o"]


def test_bigram_follows_the_likeliest_successor_and_stops_where_nothing_ever_followed() -> None:
    assert find_selector("bigram", CONCEPTS).select(IMAGE) == ["c", "d", "o"]
    two_dogs = Image("i", 100, 100, (box("d", 0, 0, 9, "dog"), box("e", 9, 9, 9, "dog")))
    assert len(find_selector("bigram", CONCEPTS).select(two_dogs)) == 1
    cows = Image("i", 100, 100, (box("o", 0, 0, 9, "cow"),))
    assert find_selector("bigram", CONCEPTS).select(cows) == []


def test_the_papers_rank_of_unselected_boxes() -> None:
    # 3 of 9 selected: the remaining six all rank 6.5 (section 5.1).
    ranks = average_ranks("abcdefghi", "cab")
    assert [ranks[id] for id in "cab"] == [1, 2, 3]
    assert {ranks[id] for id in "defghi"} == {6.5}


def test_combined_averages_ranks() -> None:
    # bigram: c 1, d 2, o 3; size: d 1, o 2, c 3; sums c 4, d 3, o 5.
    assert find_selector("bigram+size", CONCEPTS).select(IMAGE) == ["d", "c", "o"]


TWINS = Image("i", 100, 100, (box("b", 0, 0, 9, "dog"), box("a", 0, 0, 9, "dog")))


@pytest.mark.parametrize("name", ["size", "position"])
def test_ties_of_what_is_seen_break_by_the_order_of_boxes(name: str) -> None:
    assert find_selector(name, CONCEPTS).select(TWINS) == ["b", "a"]


@pytest.mark.parametrize("name", ["unigram", "bigram", "unigram+bigram"])
def test_ties_of_text_break_by_the_seed_and_never_by_the_order_of_boxes(name: str) -> None:
    turned = replace(TWINS, boxes=TWINS.boxes[::-1])
    orders = set()
    for seed in range(20):
        order = find_selector(name, CONCEPTS, seed).select(TWINS)
        assert find_selector(name, CONCEPTS, seed).select(turned) == order
        orders.add(order[0])
    assert orders == {"a", "b"}


def test_random_is_the_same_for_one_seed_and_differs_between_seeds() -> None:
    many = Image("i", 100, 100, tuple(box(str(i), i, i, 9, "dog") for i in range(20)))
    orders = [find_selector("random", seed=seed).select(many) for seed in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])


@pytest.mark.parametrize(("k", "n"), [(1, 1), (3, 3), (15, 3)])
def test_at_most_k_boxes_are_chosen(k: int, n: int) -> None:
    assert len(Limited(find_selector("size"), k).select(IMAGE)) == n


def test_fewer_than_one_box_cannot_be_asked_for() -> None:
    with refusal(ValueError):
        Limited(find_selector("size"), 0)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sise", "did you mean 'size'?"),
        ("bigram", "needs counts of what people mention"),
        ("size+x", "unknown selector 'x'"),
    ],
)
def test_an_unknown_selector_or_a_missing_corpus_is_told(name: str, said: str) -> None:
    with pytest.raises(LimnerError) as caught:
        find_selector(name)
    assert said in str(caught.value)


@given(images())
def test_a_selector_sees_nothing_that_people_said(image: Image) -> None:
    bare = seen(image)
    assert (bare.captions, bare.chains, dict(bare.attributes), bare.labels) == ((), (), {}, ())
    assert bare.provenance == image.provenance
    assert bare.boxes == image.boxes


@given(images())
def test_every_selector_chooses_each_box_at_most_once(image: Image) -> None:
    ids = {box.id for box in image.boxes}
    concepts = Concepts.count([image])
    names = ["random", "size", "all", "unigram", "bigram", "bigram+size", "unigram+random"]
    for name in names + (["position"] if image.width else []):
        chosen = find_selector(name, concepts).select(seen(image))
        assert len(chosen) == len(set(chosen))
        assert set(chosen) <= ids
        if name != "bigram":
            assert set(chosen) == ids


@pytest.fixture(scope="module")
def val(shared_data: Path) -> list[Image]:
    folder = shared_data / "flickr30k_entities"
    ids = (folder / "val.txt").read_text().split()
    return list(open_corpus(folder / "annotations.zip", ids=ids))


@pytest.mark.parametrize(
    ("name", "k", "expected"),
    [
        ("size", 4, (0.6076, 0.6865, 0.6249)),
        ("position", 4, (0.5734, 0.6416, 0.5858)),
        ("position", 1, (0.6128, 0.1892, 0.2794)),
        ("all", 10_000, (0.5397, 1.0, 0.6874)),
    ],
)
def test_flickr30k_entities_validation_scores(
    val: list[Image], name: str, k: int, expected: tuple[float, float, float]
) -> None:
    selector: Selector = Limited(find_selector(name), k)
    gold = {image.id: gold_sets(image) for image in val}
    scores = {image.id: score_selection(selector.select(seen(image)), gold[image.id]) for image in val}
    assert summarise(scores)[1:4] == pytest.approx(expected, abs=5e-5)


def test_combining_a_selector_with_itself_changes_nothing(val: list[Image]) -> None:
    size = find_selector("size")
    assert all(Combined(size, size).select(image) == size.select(image) for image in val[:100])
