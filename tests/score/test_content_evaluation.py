"""Everything that is measured of a system's results, in one pass."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Caption, Image
from limner.errors import BadInput
from limner.score import content_evaluation
from limner.score.content_evaluation import evaluate, evaluate_content
from refusals import refusal
from strategies import corpora


def spoken(caption: Caption, name: str = "s") -> Caption:
    """A gold caption as a system's result."""
    return replace(caption, source=f"system:{name}", mentions=tuple(replace(m, chain=None) for m in caption.mentions))


def results(gold: list[Image], pick: Callable[[Image], Caption]) -> list[Image]:
    return [Image(image.id, captions=(spoken(pick(image)),)) for image in gold]


@pytest.fixture
def gold(image: Callable[..., Image]) -> list[Image]:
    return [
        image("[A man]m rides [a brown horse]h .", "[A man]m on [a horse]h near [a cow]c .", "Fun .", id="i"),
        image("[A dog]d .", "[A small dog]d and [a cat]c .", id="j"),
        image("Words .", "More [words] .", id="k"),
    ]


def test_a_report_has_every_measure(gold: list[Image], caption: Callable[..., Caption]) -> None:
    said = {"i": "[A man]m rides [a horse]h .", "j": "[A red cat]c and [a dog]d .", "k": "What ?"}
    given = [Image(id, captions=(caption(text, "0", "system:s"),)) for id, text in said.items()]
    found = evaluate_content(given, gold)
    assert (found["n_images"], found["source"]) == (2, "system:s")
    # i: P (1 + 1) / 2, R (1 + 2/3) / 2. j: P (1/2 + 1) / 2, R (1 + 1) / 2.
    p, r = (1.0, 5 / 6), (0.75, 1.0)
    assert found["P"] == pytest.approx(0.875)
    assert found["R"] == pytest.approx((5 / 6 + 1) / 2)
    assert found["F"] == pytest.approx((2 * p[0] * p[1] / sum(p) + 2 * r[0] * r[1] / sum(r)) / 2)
    assert found["P_sd"] == pytest.approx(0.125)
    assert found["left_out"] == {"images": 1, "gold_captions": 3, "missing": 0}
    assert found["zero"] == {"empty": 0, "missing": 0}
    assert found["human"]["n_images"] == 2
    assert found["oracle"]["F"] >= found["F"]
    assert found["ordering"]["tau"] == pytest.approx((1 - 1) / 2)
    assert found["lexicalisation"]["score"] == 1
    assert found["attributes"]["P"] == 0
    assert found["prepositions"]["R"] == 0
    assert found["verbs"]["P"] == found["verbs"]["R"] == 1
    assert found["by"]["label"]["label m"]["n_selected"] == 1
    assert list(found["by"]["boxes"]) == ["2", "3"]
    # Two images are too few for an interval.
    assert [found["intervals"][value] for value in "PRF"] == [[None, None]] * 3
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_classes_are_compared_beside_boxes(image: Callable[..., Image], caption: Callable[..., Caption]) -> None:
    drawn = image("[A dog]a and [a cat]c .", "[Dogs]a,b .", boxes="a b c")
    labels = {"a": "dog", "b": "Dogs", "c": "cat"}
    drawn = replace(drawn, boxes=tuple(replace(box, label=labels[box.id]) for box in drawn.boxes))
    said = Image("i", captions=(caption("[A dog]b .", "0", "system:s"),))
    found = evaluate_content([said], [drawn])
    # b is in one of two captions; a dog, whichever, is in both.
    assert [found[name] for name in "PRF"] == pytest.approx([1 / 2, 1 / 4, 1 / 3])
    by_class = found["class_level"]
    assert [by_class[name] for name in "PRF"] == pytest.approx([1, 3 / 4, 6 / 7])
    assert (by_class["n_images"], by_class["F_sd"]) == (1, 0)
    # {dog, cat} against {dog} and the other way round.
    assert [by_class["human"][name] for name in "PRF"] == pytest.approx([3 / 4, 3 / 4, 2 / 3])
    assert by_class["oracle"]["F"] == pytest.approx(6 / 7)


def test_captions_without_a_box_count_in_precision_if_asked(gold: list[Image]) -> None:
    said = results(gold, lambda image: image.captions[0])
    usual, found = (evaluate_content(said, gold, all_captions=flag) for flag in (False, True))
    assert usual["captions_without_box"] == {"n": 3, "counted": False}
    assert found["captions_without_box"] == {"n": 3, "counted": True}
    assert found["left_out"] == {"images": 1, "gold_captions": 2, "missing": 0}
    # i: two of its three captions refer to boxes; j: both.
    assert found["P"] == pytest.approx((2 / 3 + 1) / 2)
    assert found["R"] == usual["R"]
    assert found["class_level"]["P"] == pytest.approx(found["P"])
    assert found["human"]["P"] < usual["human"]["P"]
    assert found["by"]["label"]["label m"]["mentioned"] == pytest.approx(2 / 3)
    assert "for precision all|" in found["signature"]
    assert "|no_box:3 captions lower precision|" in found["signature"]
    for name in ("ordering", "lexicalisation", "attributes", "prepositions", "verbs"):
        assert found[name] == usual[name]


def test_where_labels_and_mentions_are_from_goes_with_the_score(gold: list[Image]) -> None:
    said = results(gold, lambda image: image.captions[0])
    plain = evaluate(said, gold)
    assert plain.to_json()["provenance"] == {}
    assert plain.provenance.warning() is None
    assert not any(f"|{name}:" in plain.signature() for name in ("labels", "mentions", "training"))
    facts = {"labels": "captions", "mentions": "linked, all"}
    linked = [replace(image, provenance=facts) for image in gold]
    told = [replace(image, provenance=facts) for image in said]
    seen = [replace(told[0], provenance={**facts, "training": "yes"}), *told[1:]]
    found = evaluate(seen, linked)
    assert found.to_json()["provenance"] == {
        "labels": "captions",
        "mentions": "linked, all",
        "training": "yes in 1 of 2 images",
    }
    assert "|labels:captions|mentions:linked, all|training:yes in 1 of 2 images|" in found.signature()
    assert "too high" in str(found.provenance.warning())


def test_captions_that_are_missing_do_not_count_in_the_provenance(gold: list[Image]) -> None:
    facts = {"labels": "captions", "mentions": "linked"}
    linked = [replace(image, provenance=facts) for image in gold]
    said = [replace(image, provenance=facts) for image in results(gold[:1], lambda image: image.captions[0])]
    found = evaluate(said, linked, missing="zero")
    assert found.to_json()["zero"]["missing"] == 1
    assert found.to_json()["provenance"] == facts


def test_results_that_say_nothing_of_labels_are_not_said_to_be_told_them(gold: list[Image]) -> None:
    linked = [replace(image, provenance={"labels": "captions", "mentions": "linked"}) for image in gold]
    found = evaluate(results(gold, lambda image: image.captions[0]), linked)
    assert found.to_json()["provenance"] == {"labels": "unknown", "mentions": "linked"}
    assert found.provenance.warning() == "mentions were linked by the names of classes, not by people"
    assert "|labels:unknown|mentions:linked|" in found.signature()


HELD_OUT = {"labels": "captions", "labels_from": 2, "labels_seed": 0}


@pytest.mark.parametrize(
    ("of_gold", "of_results", "labels"),
    [
        (HELD_OUT, HELD_OUT, "2 held-out captions, seed 0"),
        (HELD_OUT, {}, "unknown"),
        ({"labels": "captions"}, {}, "unknown"),
        ({"labels": "captions"}, {"labels": "captions"}, "captions"),
        ({}, {"labels": "captions"}, "captions"),
        ({"labels": "captions"}, HELD_OUT, "captions"),
        (HELD_OUT, {"labels": "captions"}, "captions"),
        (HELD_OUT, {**HELD_OUT, "labels_seed": 1}, "captions"),
    ],
    ids=[
        "alike",
        "held out of gold alone",
        "of gold alone",
        "both leak",
        "results leak",
        "gold holds none out",
        "results hold none out",
        "others",
    ],
)
def test_labels_are_held_out_only_where_gold_holds_the_same_out(
    gold: list[Image], of_gold: dict[str, Any], of_results: dict[str, Any], labels: str
) -> None:
    told = [replace(image, provenance=of_gold) for image in gold]
    said = [replace(image, provenance=of_results) for image in results(gold, lambda image: image.captions[0])]
    assert evaluate(said, told).provenance.to_json() == {"labels": labels}


def test_an_empty_caption_scores_nothing_and_is_counted(gold: list[Image]) -> None:
    silent = [Image(image.id, captions=(Caption("0", "Hm .", source="system:s"),)) for image in gold]
    found = evaluate_content(silent, gold)
    assert (found["P"], found["R"], found["F"], found["n_images"]) == (0, 0, 0, 2)
    assert found["zero"] == {"empty": 2, "missing": 0}
    assert found["lexicalisation"]["score"] is None
    assert found["lexicalisation"]["left_out"] == {"images": 2}
    assert found["human"]["F"] > 0


@pytest.mark.parametrize(("missing", "n_images", "zero", "left_out"), [("zero", 2, 1, 0), ("skip", 1, 0, 2)])
def test_a_missing_result_scores_nothing_or_is_left_out(
    gold: list[Image], missing: Any, n_images: int, zero: int, left_out: int
) -> None:
    found = evaluate_content(results(gold[:1], lambda image: image.captions[0]), gold, missing=missing)
    assert (found["n_images"], found["zero"]["missing"], found["left_out"]["missing"]) == (n_images, zero, left_out)
    assert found["human"]["n_images"] == n_images
    assert found["ordering"]["left_out"]["images"] == 0
    assert f"missing:{missing}" in found["signature"]


def test_nothing_is_measured_where_captions_do_not_fit_images_in_memory(
    gold: list[Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_evaluation.ContentEvaluation, "add", lambda *_: pytest.fail("something was measured"))
    given = results(gold, lambda image: image.captions[0])
    with refusal(BadInput):
        evaluate_content(given, gold[:2])
    with refusal(BadInput):
        evaluate_content(given[:1], gold)


def test_nothing_more_is_measured_once_a_caption_is_missing(gold: list[Image], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_evaluation, "PORTION", 1)
    sizes: list[int] = []
    measure = content_evaluation.ContentEvaluation.add
    monkeypatch.setattr(
        content_evaluation.ContentEvaluation,
        "add",
        lambda self, references: sizes.append(len(references.images)) or measure(self, references),
    )
    with refusal(BadInput):
        evaluate_content(results(gold[:1], lambda image: image.captions[0]), iter(gold))
    assert sizes == [1]


@pytest.mark.parametrize("portion", [1, 256])
def test_gold_that_repeats_an_image_is_refused(
    gold: list[Image], monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    monkeypatch.setattr(content_evaluation, "PORTION", portion)
    with refusal(BadInput):
        evaluate_content(results(gold, lambda image: image.captions[0]), [*gold, gold[0]])


def test_without_an_image_to_score_there_are_no_figures(gold: list[Image]) -> None:
    found = evaluate_content(results(gold[2:], lambda image: image.captions[0]), gold[2:])
    assert (found["n_images"], found["F"], found["left_out"]["images"]) == (0, 0, 1)
    json.dumps(found, allow_nan=False)


def test_the_signature_tells_what_could_change_a_score(gold: list[Image]) -> None:
    first = evaluate(results(gold, lambda image: image.captions[0]), gold)
    last = evaluate(results(gold, lambda image: image.captions[-1]), gold, missing="zero")
    assert first.signature().startswith("metric:content|version:3|")
    assert "captions:2-2|images:2|missing:error" in first.signature()
    assert first.signature() != last.signature()
    assert "|dropped:1 images|no_box:3 captions left out|" in first.signature()


def test_the_signature_tells_what_subsets_and_surface_depend_on(gold: list[Image]) -> None:
    def choices(images: list[Image]) -> dict[str, str]:
        signature = evaluate(results(gold, lambda image: image.captions[0]), images).signature()
        return dict(choice.split(":", 1) for choice in signature.split("|"))

    first = choices(gold)
    assert choices([replace(image, boxes=image.boxes[::-1]) for image in gold[::-1]]) == first
    resized = [replace(gold[0], width=200), *gold[1:]]
    typed = [replace(gold[0], boxes=(replace(gold[0].boxes[0], types=("people",)), *gold[0].boxes[1:])), *gold[1:]]
    for other in (resized, typed):
        assert {name for name, value in choices(other).items() if value != first[name]} == {"subsets"}
    # The last image is not scored, since nobody refers to a box of it, but the model of surface learns from its words.
    reworded = [*gold[:2], replace(gold[2], captions=(Caption("0", "Other words ."), *gold[2].captions[1:]))]
    assert {name for name, value in choices(reworded).items() if value != first[name]} == {"surface_data"}
    relabelled = [replace(gold[0], boxes=tuple(replace(box, label="x") for box in gold[0].boxes)), *gold[1:]]
    assert {name for name, value in choices(relabelled).items() if value != first[name]} == {"data", "subsets"}


@pytest.mark.usefixtures("intervals_of_few")
def test_classes_have_intervals_too(gold: list[Image]) -> None:
    by_class = evaluate_content(results(gold, lambda image: image.captions[0]), gold)["class_level"]
    low, high = by_class["intervals"]["F"]
    assert low <= by_class["F"] <= high
    assert by_class["intervals"]["confidence"] == 0.95


class Watched(Image, frozen=True, gc=True, weakref=True):
    """An image that can be seen to have been released."""


def test_gold_streams_and_portions_add_up(gold: list[Image], monkeypatch: pytest.MonkeyPatch) -> None:
    given = results(gold, lambda image: image.captions[0])
    together = evaluate_content(given, gold)
    n_alive: list[int] = []
    alive: list[weakref.ref[Image]] = []

    def images() -> Iterator[Image]:
        for image in gold:
            n_alive.append(sum(kept() is not None for kept in alive))
            fresh = Watched(image.id, image.width, image.height, boxes=image.boxes, captions=image.captions)
            alive.append(weakref.ref(fresh))
            yield fresh

    monkeypatch.setattr(content_evaluation, "PORTION", 1)
    assert evaluate_content(given, images()) == together
    assert max(n_alive) <= 1


@given(corpora(max_size=3), st.sampled_from(["error", "zero", "skip"]))
def test_any_corpus_can_be_scored_against_itself(gold: list[Image], missing: Any) -> None:
    said = [i for i in gold if any(c.source == "gold" for c in i.captions)]
    if not said:
        return
    given = results(said, lambda image: next(c for c in image.captions if c.source == "gold"))
    found = evaluate_content(given, said, missing=missing)
    assert found["n_images"] + found["left_out"]["images"] == len(said)
    assert 0 <= found["F"] <= found["oracle"]["F"] + 1e-12
    assert all(isfinite(value) for value in numbers(found))


def numbers(found: object) -> list[float]:
    if isinstance(found, dict):
        return [number for value in found.values() for number in numbers(value)]
    return [found] if isinstance(found, float) else []


def test_people_are_scored_on_flickr30k_entities(val: list[Image]) -> None:
    """The bounds that docs/score-content.md states."""
    found = evaluate_content(results(val, lambda image: image.captions[0]), val)
    assert found["left_out"] == {"images": 0, "gold_captions": 14, "missing": 0}
    bounds = {
        name: [round(found[name]["human"][column], 3) for column in columns] for name, columns in BOUND_COLUMNS.items()
    }
    assert bounds == {
        "ordering": [0.824],
        "lexicalisation": [0.74],
        "attributes": [0.402, 0.212, 0.228],
        "prepositions": [0.635, 0.289, 0.321],
        "verbs": [0.517, 0.211, 0.238],
    }


BOUND_COLUMNS = {
    "ordering": ("tau",),
    "lexicalisation": ("score",),
    "attributes": ("P", "R", "F"),
    "prepositions": ("P", "R", "F"),
    "verbs": ("P", "R", "F"),
}


def test_intervals_of_shares_lie_between_0_and_1(gold: list[Image], caption: Callable[..., Caption]) -> None:
    many = [replace(gold[0], id=str(i)) for i in range(40)]
    said = ["[A man]m rides [a horse]h .", "[A man]m ."]
    given = [Image(image.id, captions=(caption(said[i % 2], "0", "system:s"),)) for i, image in enumerate(many)]
    found = evaluate_content(given, many)
    low, high = found["intervals"]["R"]
    assert 0 <= low < found["R"] < high <= 1


def test_captions_without_words_are_those_that_scores_of_captions_call_empty(gold: list[Image]) -> None:
    texts = [".", "\N{ZERO WIDTH SPACE}", "A ."]
    said = [
        Image(image.id, captions=(Caption("0", text, source="system:s"),))
        for image, text in zip(gold, texts, strict=True)
    ]
    assert evaluate_content(said, gold)["captions_without_words"] == 2
