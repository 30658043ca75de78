"""Facts of captions and references compared."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.score.meteor.wordnet import WordNet
from limner.score.spice.scene_graph import Counts, Matcher, SceneGraph, graph_of

SYNSETS = {
    "couch": [1],
    "sofa": [1],
    "lounge": [1, 2],
    "waiting_room": [2],
    "big": [3],
    "large": [3],
    "ride": [4],
    "drive": [4, 5],
    "push": [5],
    "goose": [6],
}
WORDNET = WordNet(SYNSETS, {"geese": ["goose"]})
MATCHER = Matcher(WORDNET)


def graph(text: str) -> SceneGraph:
    """A graph from facts as tests write them: "dog; dog brown; dog | chase | cat"."""
    facts = [tuple(part.strip() for part in fact.split("|")) for fact in text.split(";") if fact.strip()]
    objects = [fact[0] for fact in facts if len(fact) == 1 and " " not in fact[0]]
    attributes = [(one, rest) for fact in facts if len(fact) == 1 for one, _, rest in [fact[0].partition(" ")] if rest]
    relations = [(fact[0], fact[1], fact[2]) for fact in facts if len(fact) == 3]
    return graph_of(objects, attributes, relations)


def counts(caption: str, *references: str, matcher: Matcher = MATCHER) -> dict[str, Counts]:
    return matcher.counts(matcher.merge([graph(caption)]), matcher.merge([graph(one) for one in references]))


CASES = [
    ("dog", "dog", (1, 1, 1)),
    ("dog", "cat", (1, 0, 1)),
    ("sofa", "couch", (1, 1, 1)),
    ("geese", "goose", (1, 1, 1)),
    # Facts are of one kind: an attribute is never matched by a thing.
    ("dog; dog big", "dog; big", (2, 1, 2)),
    ("dog; dog big", "dog; dog large", (2, 2, 2)),
    ("dog; cat; dog big", "dog; cat; cat large", (3, 2, 3)),
    ("man; car; man | drive | car", "man; car; man | ride | car", (3, 3, 3)),
    # Direction counts.
    ("man; car; man | ride | car", "man; car; car | ride | man", (3, 2, 3)),
    ("man; car; man | ride | car", "man; car; man | push | car", (3, 2, 3)),
    # Both ends may be synonyms at once.
    ("man; sofa; man | push | sofa", "man; couch; man | drive | couch", (3, 3, 3)),
    ("", "dog", (0, 0, 1)),
    ("dog", "", (1, 0, 0)),
    ("", "", (0, 0, 0)),
]


@pytest.mark.parametrize(("caption", "reference", "expected"), CASES)
def test_facts_match_where_every_part_is_the_same_word_or_a_synonym(
    caption: str, reference: str, expected: tuple[int, int, int]
) -> None:
    assert counts(caption, reference)["all"] == Counts(*expected)


def test_without_wordnet_only_the_same_word_matches() -> None:
    plain = Matcher(None)
    assert counts("sofa; dog", "couch; dog", matcher=plain)["all"] == Counts(2, 1, 2)


def test_references_merge_things_and_facts_that_are_synonymous() -> None:
    merged = MATCHER.merge([graph("couch; couch big"), graph("sofa; dog; sofa large; dog | on | sofa")])
    assert merged.facts == [("couch",), ("dog",), ("couch", "big"), ("dog", "on", "sofa")]


def test_who_shares_a_sense_with_one_of_a_group_joins_it() -> None:
    """Lounge is a couch and a waiting room, so here all three are one; couch and waiting room alone are two."""
    assert len(MATCHER.merge([graph("couch"), graph("waiting_room")]).facts) == 2
    for order in permutations(["couch", "waiting_room", "lounge"]):
        merged = MATCHER.merge([graph(name) for name in order])
        assert merged.facts == [(order[0],)]
        assert merged.matches(MATCHER.merge([graph("sofa")])) == [[0]]


def test_what_references_say_together_is_said() -> None:
    assert counts("dog; dog big; dog brown", "dog; dog large", "dog; dog brown")["all"] == Counts(3, 3, 3)


def test_a_fact_of_the_references_may_be_matched_twice_and_recall_stays_a_share() -> None:
    found = counts("man; man push; man ride", "man; man drive")["all"]
    assert found == Counts(3, 3, 2)
    assert (found.precision, found.recall, found.f) == (1.0, 1.0, 1.0)


def test_f_is_the_harmonic_mean() -> None:
    found = Counts(said=4, matched=2, expected=8)
    assert (found.precision, found.recall) == (0.5, 0.25)
    assert found.f == pytest.approx(1 / 3)
    assert Counts(0, 0, 3).f == Counts(3, 0, 0).f == Counts().f == 0.0


def test_facts_are_counted_by_category() -> None:
    found = counts("dog; cat; dog red; cat two; dog | see | cat", "dog; cat; dog blue; cat two; cat big; cat old")
    assert found["object"] == Counts(2, 2, 2)
    assert found["attribute"] == Counts(2, 1, 4)
    assert found["color"] == Counts(1, 0, 1)
    assert found["count"] == Counts(1, 1, 1)
    assert found["size"] == Counts(0, 0, 1)
    assert found["relation"] == Counts(1, 0, 0)
    assert found["all"] == Counts(5, 3, 6)
    assert "size" not in counts("dog", "dog")


def test_the_explanation_has_every_fact_once() -> None:
    caption = MATCHER.merge([graph("dog; sofa; dog big; dog | on | sofa")])
    references = MATCHER.merge([graph("dog; couch; dog brown"), graph("cat; dog; dog large")])
    found = MATCHER.explain(caption, references)
    assert found.matched == [(("dog",), ("dog",)), (("sofa",), ("couch",)), (("dog", "big"), ("dog", "large"))]
    assert found.wrong == [("dog", "on", "sofa")]
    assert found.missed == [("cat",), ("dog", "brown")]


def test_what_one_fact_says_of_two_is_missed_of_neither() -> None:
    """A lounge is a couch and a waiting room."""
    found = MATCHER.explain(MATCHER.merge([graph("lounge")]), MATCHER.merge([graph("couch; waiting_room")]))
    assert found.matched == [(("lounge",), ("couch",))]
    assert found.missed == []


WORDS = [*(word for word in SYNSETS if word != "waiting_room"), "dog", "red", "two"]


@st.composite
def graphs(draw: st.DrawFn) -> SceneGraph:
    names = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True))
    name, value = st.sampled_from(names), st.sampled_from(WORDS)
    return graph_of(
        names,
        draw(st.lists(st.tuples(name, value), max_size=4)),
        draw(st.lists(st.tuples(name, value, name), max_size=4)),
    )


def compare(caption: SceneGraph, references: list[SceneGraph]) -> Counts:
    return MATCHER.counts(MATCHER.merge([caption]), MATCHER.merge(references))["all"]


@given(graphs())
def test_a_caption_is_all_right_against_itself(caption: SceneGraph) -> None:
    found = compare(caption, [caption])
    assert (found.precision, found.recall, found.f) == (1.0, 1.0, 1.0)


@given(graphs(), st.lists(graphs(), min_size=1, max_size=3), graphs())
def test_another_reference_never_makes_a_fact_wrong(
    caption: SceneGraph, references: list[SceneGraph], another: SceneGraph
) -> None:
    assert compare(caption, [*references, another]).matched >= compare(caption, references).matched


@given(graphs(), st.lists(graphs(), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_references_makes_no_difference(caption: SceneGraph, references: list[SceneGraph], random) -> None:  # type: ignore[no-untyped-def]
    before = compare(caption, references)
    random.shuffle(references)
    assert compare(caption, [*references, references[0]]) == before


@given(graphs(), st.lists(graphs(), min_size=1, max_size=3))
def test_explanations_and_counts_agree(caption: SceneGraph, references: list[SceneGraph]) -> None:
    said, expected = MATCHER.merge([caption]), MATCHER.merge(references)
    found = MATCHER.explain(said, expected)
    counted = MATCHER.counts(said, expected)["all"]
    assert len(found.matched) == counted.matched
    assert len(found.matched) + len(found.wrong) == counted.said
    assert len({same for _, same in found.matched}) + len(found.missed) <= counted.expected
