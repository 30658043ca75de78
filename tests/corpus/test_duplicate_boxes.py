"""Merging of boxes that were drawn twice, against its definition by brute force."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Box, Candidate, Caption, Chain, Corpus, Image, Mention, open_corpus
from limner.corpus.duplicate_boxes import DuplicateBoxes, box_key, merge_duplicates
from limner.errors import BadInput
from limner.text.kinds import kind_of_noun
from refusals import refusal
from strategies import images

TYPES = ("people", "clothing", "other")


@st.composite
def crowded(draw: st.DrawFn) -> Image:
    """An image whose boxes nearly all overlap, with chains, mentions and candidates."""
    n = draw(st.integers(1, 7))
    edges = st.integers(0, 4)
    boxes = []
    for i in range(n):
        x0, y0, dx, dy = draw(edges), draw(edges), draw(edges), draw(edges)
        types = tuple(draw(st.lists(st.sampled_from(TYPES), max_size=2, unique=True)))
        label = draw(st.sampled_from(["man", "shirt", "thing"]))
        boxes.append(Box(str(i), x0, y0, 50 + dx, 50 + dy, label, draw(st.sampled_from([0.5, 1.0])), types))
    ids = st.lists(st.sampled_from([str(i) for i in range(n)]), unique=True, max_size=3).map(tuple)
    chains = tuple(
        Chain(f"c{i}", draw(ids), tuple(draw(st.lists(st.sampled_from(TYPES), max_size=1))))
        for i in range(draw(st.integers(0, 3)))
    )
    chain_ids = [None, *(chain.id for chain in chains)]
    mentions = tuple(
        Mention(
            2 * i,
            2 * i + 1,
            draw(ids),
            draw(st.sampled_from(chain_ids)),
            candidates=tuple(Candidate(box, -rank) for rank, box in enumerate(draw(ids))),
        )
        for i in range(draw(st.integers(0, 4)))
    )
    return Image("1", 60, 60, tuple(boxes), (Caption("0", "a b c d e f", mentions),), chains)


@given(st.one_of(crowded(), images()))
def test_merging_what_is_merged_changes_nothing(image: Image) -> None:
    once = merge_duplicates(image)
    assert merge_duplicates(once) == once


@given(crowded())
def test_no_mention_is_lost_and_all_refer_to_what_they_referred_to(image: Image) -> None:
    merged = merge_duplicates(image)
    before, after = list(image.mentions()), list(merged.mentions())
    assert [(m.start, m.end) for _, m in before] == [(m.start, m.end) for _, m in after]
    kept, boxes = {box.id for box in merged.boxes}, image.box_by_id()
    for (_, old), (_, new) in zip(before, after, strict=True):
        assert bool(old.boxes) == bool(new.boxes)
        assert bool(old.candidates) == bool(new.candidates)
        assert (old.chain is None) == (new.chain is None)
        assert set(new.boxes) <= kept
        # What stays lies where something lay that the mention referred to.
        assert set(old.boxes) & kept <= set(new.boxes)
    assert all(merged.box_by_id()[id].corners == boxes[id].corners for id in kept)


@given(crowded(), st.randoms())
def test_the_order_of_boxes_chains_and_captions_does_not_matter(image: Image, random: Random) -> None:
    shuffled = {
        name: tuple(random.sample(parts, len(parts)))
        for name, parts in (("boxes", image.boxes), ("chains", image.chains), ("captions", image.captions))
    }
    merged, other = merge_duplicates(image), merge_duplicates(replace(image, **shuffled))
    assert set(merged.boxes) == set(other.boxes)
    assert _sets(merged) == _sets(other)


@given(crowded())
def test_boxes_merge_as_the_definition_has_it(image: Image) -> None:
    assert {box.corners for box in merge_duplicates(image).boxes} == by_definition(image)
    merged = merge_duplicates(image)
    assert sorted(box.id for box in merged.boxes) == sorted(definition_ids(image))


@given(crowded())
def test_chains_with_the_same_boxes_are_one(image: Image) -> None:
    chains = [frozenset(chain.boxes) for chain in merge_duplicates(image).chains if chain.boxes]
    assert len(set(chains)) == len(chains)


def by_definition(image: Image) -> set[tuple[float, ...]]:
    boxes = image.box_by_id()
    return {boxes[id].corners for id in definition_ids(image)}


def definition_ids(image: Image) -> list[str]:
    """The boxes that stay: the best pair of all is merged, again and again, until there is none."""
    kinds: dict[str, set[str]] = {}
    for box in image.boxes:
        said = {kind for chain in image.chains if box.id in chain.boxes for kind in chain.types} | set(box.types)
        kinds[box.id] = said or {kind_of_noun(box.label)}
    spans = {box.id: {m.start for _, m in image.mentions() if box.id in m.boxes} for box in image.boxes}
    alive = {box.id: box for box in image.boxes}
    while True:
        pairs = []
        for a in alive.values():
            for b in alive.values():
                told, of_other = kinds[a.id] - {"other"}, kinds[b.id] - {"other"}
                least = 0.8 if told & of_other else 2.0 if told and of_other else 0.9
                if a.id < b.id and a.iou(b) >= least:
                    pairs.append((-a.iou(b), *sorted((a, b), key=box_key)))
        if not pairs:
            return list(alive)
        best = min(pairs, key=lambda pair: (pair[0], box_key(pair[1]), box_key(pair[2])))
        keeper, goner = sorted(best[1:], key=lambda box: (-len(spans[box.id]), -box.area, box_key(box)))
        kinds[keeper.id] |= kinds[goner.id]
        spans[keeper.id] |= spans[goner.id]
        del alive[goner.id]


def _sets(image: Image) -> list[Any]:
    mentions = sorted((m.start, tuple(sorted(m.boxes)), m.chain or "") for _, m in image.mentions())
    return [mentions, sorted((chain.id, tuple(sorted(chain.boxes))) for chain in image.chains)]


# --- single cases


def man(id: str, x0: float = 0, types: tuple[str, ...] = ("people",)) -> Box:
    return Box(id, x0, 0, 100, 100, "man", types=types)


@pytest.mark.parametrize(
    ("first", "second", "n_left"),
    [
        (man("a"), man("b", 20), 1),
        (man("a"), man("b", 20.5), 2),
        (man("a", types=("other",)), man("b", 10, types=("other",)), 1),
        (man("a", types=("other",)), man("b", 11, types=("other",)), 2),
        (man("a"), man("b", types=("clothing",)), 2),
        (man("a"), man("b", 15, types=("clothing", "people")), 1),
        (man("a", types=()), man("b"), 1),
        (man("a", types=("other", "people")), man("b", types=("clothing", "other")), 2),
        (man("a"), man("b", 10, types=("other",)), 1),
        (man("a"), man("b", 11, types=("other",)), 2),
        (Box("a", 0, 0, 9, 9, "man"), Box("b", 0, 0, 9, 9, "shirt"), 2),
        (Box("a", 0, 0, 9, 9, "man"), Box("b", 0, 0, 9, 9, "woman"), 1),
    ],
)
def test_thresholds_and_types(first: Box, second: Box, n_left: int) -> None:
    assert len(merge_duplicates(Image("1", 200, 200, (first, second))).boxes) == n_left


def test_mentions_candidates_and_chains_follow() -> None:
    caption = Caption(
        "0",
        "a man and a guy",
        (
            Mention(0, 5, ("a", "b"), "c1", candidates=(Candidate("b", 2), Candidate("a", 1))),
            Mention(10, 15, ("b",), "c2"),
        ),
    )
    chains = (Chain("c1", ("a", "b"), ("people",)), Chain("c2", ("b",), ("people",)), Chain("c3", (), ("scene",)))
    merged = merge_duplicates(Image("1", 100, 100, (man("a"), man("b", 5)), (caption,), chains))
    # Both mentions refer to b, and one of them to a.
    assert [box.id for box in merged.boxes] == ["b"]
    first, second = merged.captions[0].mentions
    assert (first.boxes, first.candidates, first.chain) == (("b",), (Candidate("b", 2),), "c1")
    assert (second.boxes, second.chain) == (("b",), "c1")
    assert [chain.id for chain in merged.chains] == ["c1", "c3"]


def test_a_corpus_is_merged_as_it_streams_and_counted() -> None:
    corpus = Corpus.of([Image("1", 100, 100, (man("a"), man("b"))), Image("2", 100, 100, (man("a"),))])
    duplicates = DuplicateBoxes()
    assert [len(image.boxes) for image in duplicates.merged(corpus)] == [1, 1]
    assert duplicates.share("boxes") == pytest.approx(1 / 3)
    assert duplicates.share("chains") == 0
    assert [len(image.boxes) for image in duplicates.merged(corpus)] == [1, 1]
    assert duplicates.before["boxes"] == 3


def test_too_many_boxes_are_refused() -> None:
    boxes = tuple(Box(str(i), 0, 0, 1, 1) for i in range(4097))
    with refusal(BadInput):
        merge_duplicates(Image("1", 10, 10, boxes))


def test_flickr30k_entities_is_merged_already(shared_data: Path) -> None:
    ids = (shared_data / "flickr30k_entities" / "val.txt").read_text().split()[:200]
    duplicates = DuplicateBoxes()
    corpus = open_corpus(shared_data / "flickr30k_entities" / "annotations.zip", ids=ids)
    assert sum(1 for _ in duplicates.merged(corpus)) == 200
    assert duplicates.share("boxes") < 0.01
    assert duplicates.share("chains") < 0.01


@pytest.mark.parametrize(("shift", "n_boxes"), [(0.0, 1500), (1e-3, 1500)])
def test_many_boxes_of_one_thing_take_little_memory(shift: float, n_boxes: int) -> None:
    boxes = tuple(man(str(i), i * shift) for i in range(n_boxes))
    tracemalloc.start()
    try:
        merged = merge_duplicates(Image("1", 200, 200, boxes))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(merged.boxes) == 1
    # A million pairs, of 16 bytes each and twice as much while they are sorted; as tuples they were 300 MB.
    assert peak < 120e6


def test_what_is_of_more_kinds_than_before_is_compared_again() -> None:
    # The man and the thing overlap most but are of two types, until one that is of both joins the man.
    image = Image("1", 200, 200, (man("a"), man("b", 1, ("scene",)), man("c", 12, ("people", "scene"))))
    assert len(merge_duplicates(image).boxes) == 1
