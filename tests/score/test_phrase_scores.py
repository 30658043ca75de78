"""Phrases against gold: counts by hand, and by brute force."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Caption, Image, Mention
from limner.errors import BadInput
from limner.score.phrase_scores import evaluate_phrases
from refusals import refusal

TEXT = "A man in blue rides a horse on the beach ."


def image(*mentions: tuple[str, str], text: str = TEXT, id: str = "a", source: str = "gold") -> Image:
    """An image with a caption whose mentions are these phrases with these types, in order."""
    spans, reached = [], 0
    for phrase, types in mentions:
        start = text.index(phrase, reached)
        reached = start + len(phrase)
        spans.append(Mention(start, reached, types=tuple(types.split("/"))))
    return Image(id, captions=(Caption("0", text, tuple(spans), source),))


GOLD = image(("A man", "people"), ("blue", "clothing"), ("a horse", "animals"), ("the beach", "scene"))


def test_spans_must_be_exact_and_types_equal() -> None:
    found = image(("A man", "people"), ("blue", "other"), ("horse", "animals"), ("the beach", "notvisual"))
    scores = evaluate_phrases([found], [GOLD]).to_json(samples=0)
    assert scores["P"] == scores["R"] == scores["F"] == 0.75
    assert scores["type_accuracy"] == pytest.approx(1 / 3)
    assert scores["visual_accuracy"] == pytest.approx(2 / 3)
    assert scores["not_visual_P"] == 0
    assert scores["not_visual_R"] is None
    assert scores["confusions"] == [
        {"gold": "clothing", "found": "other", "n": 1},
        {"gold": "scene", "found": "notvisual", "n": 1},
    ]
    assert scores["by_type"]["animals"] == {"gold": 1, "found": 0, "typed": 0}
    assert scores["intervals"] is None


def test_gold_against_itself_is_perfect_and_nothing_scores_zero() -> None:
    perfect = evaluate_phrases([GOLD], [GOLD]).to_json()
    assert perfect["F"] == perfect["type_accuracy"] == perfect["visual_accuracy"] == 1
    nothing = evaluate_phrases([image()], [GOLD]).to_json()
    assert nothing["P"] is None
    assert nothing["R"] == nothing["F"] == 0


def test_types_are_sets() -> None:
    gold = image(("A man", "people/other"))
    assert evaluate_phrases([image(("A man", "other/people"))], [gold]).to_json()["type_accuracy"] == 1
    assert evaluate_phrases([image(("A man", "people"))], [gold]).to_json()["type_accuracy"] == 0


def test_spaces_do_not_count_but_other_words_are_refused() -> None:
    raw = image(("A man", "people"), ("the beach", "scene"), text="A man in blue rides a horse on the beach.")
    assert evaluate_phrases([raw], [GOLD]).to_json()["R"] == 0.5
    with refusal(BadInput):
        evaluate_phrases([image(text="A man in red .")], [GOLD])


def test_pronouns_and_the_like_count_only_where_every_phrase_does() -> None:
    text = "It is a dog in the background ."
    gold = image(("It", "notvisual"), ("a dog", "animals"), ("the background", "notvisual"), text=text)
    found = image(("a dog", "animals"), text=text)
    assert evaluate_phrases([found], [gold]).to_json()["F"] == 1
    assert evaluate_phrases([found], [gold], every=True).to_json()["R"] == pytest.approx(1 / 3)
    assert evaluate_phrases([found], [gold]).signature() != evaluate_phrases([found], [gold], every=True).signature()


def test_missing_captions_are_an_error_or_zero_or_left_out() -> None:
    other = image(("A man", "people"), id="b")
    with refusal(BadInput):
        evaluate_phrases([other], [GOLD, other])
    assert evaluate_phrases([other], [GOLD, other], missing="zero").to_json()["R"] == pytest.approx(1 / 5)
    left = evaluate_phrases([other], [GOLD, other], missing="skip").to_json()
    assert (left["R"], left["left_out"]) == (1, {"gold captions that are missing": 1})


def test_gold_captions_without_a_phrase_and_of_systems_do_not_count() -> None:
    scores = evaluate_phrases([GOLD], [GOLD, image(id="b"), image(("A man", "people"), id="c", source="system:x")])
    assert scores.n_captions == 1
    assert scores.left_out == {"gold captions without a phrase": 1}


def test_an_image_that_appears_twice_is_refused() -> None:
    with refusal(BadInput):
        evaluate_phrases([GOLD, GOLD], [GOLD])


def test_signatures_tell_gold_of_other_types_apart() -> None:
    changed = image(("A man", "people"), ("blue", "other"), ("a horse", "animals"), ("the beach", "scene"))
    assert evaluate_phrases([GOLD], [GOLD]).signature() == evaluate_phrases([changed], [GOLD]).signature()
    assert evaluate_phrases([GOLD], [GOLD]).signature() != evaluate_phrases([GOLD], [changed]).signature()


SPANS = st.sets(st.sampled_from(list(zip(range(0, 20, 2), range(1, 21, 2), strict=True))))


@given(st.lists(st.tuples(SPANS, SPANS), min_size=1, max_size=5))
def test_precision_and_recall_are_of_all_images_together(pairs: list[tuple[set[tuple[int, int]], ...]]) -> None:
    def images(side: int) -> list[Image]:
        return [
            Image(
                str(i),
                captions=(Caption("0", "abcdefghijklmnopqrstuv", tuple(Mention(*s) for s in sorted(pair[side]))),),
            )
            for i, pair in enumerate(pairs)
        ]

    scores = evaluate_phrases(images(0), images(1), every=True).to_json(samples=0)
    scored = [(found, gold) for found, gold in pairs if gold]
    both = sum(len(found & gold) for found, gold in scored)
    n_found, n_gold = (sum(len(pair[side]) for pair in scored) for side in (0, 1))
    assert scores["P"] == (both / n_found if n_found else None)
    assert scores["R"] == (both / n_gold if n_gold else None)
    assert scores["F"] == (2 * both / (n_found + n_gold) if n_found + n_gold else None)
