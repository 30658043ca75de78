"""Scores of localisation: cases worked by hand, and brute force over `Box` objects as the oracle."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Box, Candidate, Caption, Chain, Image, Mention, open_corpus
from limner.errors import BadInput, LimnerError
from limner.score import evaluate_localisation
from limner.score.localisation import phrase_ranking
from limner.score.localisation.gold_phrases import read_gold
from limner.score.localisation.localisation_evaluation import SystemScores
from limner.score.localisation.phrase_table import VALUES
from localisation_cases import made_case, reference
from refusals import refusal

MEN = "A man and a man ."


def scored(results: list[Image], gold: list[Image], **options: object) -> SystemScores:
    return evaluate_localisation({"mine": results}, gold, **{"samples": 0, **options}).systems[0]  # type: ignore[arg-type]


def gold_image(*captions: Caption, id: str = "1") -> Image:
    """Two men, side by side, and the hat of the first."""
    boxes = (Box("left", 0, 0, 40, 100), Box("right", 60, 0, 100, 100), Box("hat", 10, 0, 30, 20))
    return Image(id, 100, 100, boxes, captions)


def result_image(*captions: Caption, boxes: tuple[Box, ...] = (), id: str = "1") -> Image:
    usual = (Box("l", 0, 0, 40, 96), Box("r", 60, 0, 100, 96), Box("both", 0, 0, 100, 96), Box("sky", 40, 0, 60, 30))
    return Image(id, 100, 100, boxes or usual, captions)


def ranked(start: int, end: int, *ids: str, answer: tuple[str, ...] = ()) -> Mention:
    return Mention(start, end, answer, candidates=tuple(Candidate(id, -i) for i, id in enumerate(ids)))


def two_men(*boxes: str) -> Caption:
    return Caption("0", "Two men .", (Mention(0, 7, boxes or ("left", "right"), types=("people",)),))


# Cases of one phrase with two gold boxes, worked by hand: R@1, R@5 and the bound under each protocol.
@pytest.mark.parametrize(
    ("protocol", "mention", "first", "fifth", "bound"),
    [
        # The box around both men is right only if their boxes are merged.
        ("merged", ranked(0, 7, "both", "l", "r"), 1, 1, 1),
        ("any", ranked(0, 7, "both", "sky"), 0, 0, 1),
        ("as-many", ranked(0, 7, "both", "sky"), 0, 0, 1),
        ("as-many", ranked(0, 7, "both", "l", "r"), 0.5, 1, 1),
        ("any", Mention(0, 7, ("l", "r")), 1, 1, 1),
        # One of the men: half of the boxes.
        ("merged", ranked(0, 7, "l", "both"), 0, 1, 1),
        ("any", ranked(0, 7, "l", "both"), 1, 1, 1),
        ("as-many", ranked(0, 7, "l", "both"), 0.5, 0.5, 1),
        # Both men: the two best boxes count at once if as many are asked for.
        ("as-many", ranked(0, 7, "r", "l"), 1, 1, 1),
        ("as-many", ranked(0, 7, "r", "sky", "l"), 0.5, 1, 1),
        # An answer of two boxes is one box if boxes are merged, and stands before the ranking.
        ("merged", Mention(0, 7, ("l", "r")), 1, 1, 1),
        ("merged", ranked(0, 7, "sky", "l", "r", answer=("l", "r")), 1, 1, 1),
        ("any", Mention(0, 7, ("sky", "r")), 0, 1, 1),
        ("as-many", Mention(0, 7, ("r", "l")), 1, 1, 1),
        # No answer at all.
        ("merged", Mention(0, 7), 0, 0, 1),
        ("as-many", Mention(0, 7, origin="ungrounded"), 0, 0, 1),
    ],
)
def test_a_phrase_of_two_boxes(protocol: str, mention: Mention, first: float, fifth: float, bound: float) -> None:
    values = scored(
        [result_image(Caption("0", "Two men .", (mention,)))], [gold_image(two_men())], protocol=protocol
    ).values
    assert [values["R@1"], values["R@5"], values["bound"]] == [first, fifth, bound]


def test_equal_phrases_of_one_caption_keep_their_own_boxes() -> None:
    gold = gold_image(Caption("0", MEN, (Mention(0, 5, ("left",)), Mention(10, 15, ("right",)))))
    crossed = result_image(Caption("0", MEN, (Mention(0, 5, ("r",)), Mention(10, 15, ("l",)))))
    straight = result_image(Caption("0", MEN, (Mention(0, 5, ("l",)), Mention(10, 15, ("r",)))))
    assert scored([crossed], [gold]).values["R@1"] == 0
    assert scored([straight], [gold]).values["R@1"] == 1
    assert scored([crossed], [gold]).errors["other phrase"] == 2


def test_equal_captions_of_one_image_keep_their_own_boxes() -> None:
    text = "A man ."
    gold = gold_image(Caption("a", text, (Mention(0, 5, ("left",)),)), Caption("b", text, (Mention(0, 5, ("right",)),)))
    backwards = result_image(Caption("b", text, (Mention(0, 5, ("r",)),)), Caption("a", text, (Mention(0, 5, ("l",)),)))
    assert scored([backwards], [gold]).values["R@1"] == 1
    unnamed = result_image(Caption("0", text, (Mention(0, 5, ("l",)),)), Caption("1", text, (Mention(0, 5, ("r",)),)))
    assert scored([unnamed], [gold]).values["R@1"] == 1


def test_iou_of_exactly_the_threshold_is_right() -> None:
    gold = Image("1", 100, 100, (Box("a", 0, 0, 40, 40),), (Caption("0", "A cat", (Mention(0, 5, ("a",)),)),))
    half = Image("1", 100, 100, (Box("0", 0, 0, 40, 20),), (Caption("0", "A cat", (Mention(0, 5, ("0",)),)),))
    assert scored([half], [gold]).values["R@1"] == 1
    assert scored([half], [gold], iou=0.501).values["R@1"] == 0


def test_suppression_makes_room_for_other_boxes() -> None:
    near = tuple(Box(str(i), 0, 0, 40, 90 + i) for i in range(5))
    boxes = (*near, Box("r", 60, 0, 100, 100))
    gold = gold_image(Caption("0", "A man .", (Mention(0, 5, ("right",)),)))
    mention = ranked(0, 5, *(box.id for box in boxes))
    results = [result_image(Caption("0", "A man .", (mention,)), boxes=boxes)]
    assert scored(results, [gold]).values["R@5"] == 1
    without = scored(results, [gold], nms=None)
    assert (without.values["R@5"], without.values["R@10"]) == (0, 1)
    assert "nms:none" in without.signature


def test_results_may_name_the_boxes_of_gold() -> None:
    gold = gold_image(two_men("left"))
    results = [Image("1", captions=(Caption("0", "Two men .", (Mention(0, 7, ("left",)),)),))]
    system = scored(results, [gold])
    assert system.values["R@1"] == 1
    assert system.settings["candidates"] == "gold"


def test_boxes_of_another_scale_are_brought_to_golds() -> None:
    results = [Image("1", 200, 200, (Box("0", 0, 0, 80, 200),), (Caption("0", "Two men .", (Mention(0, 7, ("0",)),)),))]
    assert scored(results, [gold_image(two_men("left"))]).values["R@1"] == 1


def test_phrases_that_are_not_visual_or_have_no_box_are_left_out() -> None:
    text = "A man in it by a wall ."
    mentions = (
        Mention(0, 5, ("left",), "m"),
        Mention(9, 11, types=("notvisual",)),
        Mention(15, 21, chain="w", types=("scene",)),
    )
    boxes = gold_image().boxes
    gold = Image("1", 100, 100, boxes, (Caption("0", text, mentions),), (Chain("m", ("left",)), Chain("w")))
    system = scored([result_image(Caption("0", text, (Mention(0, 5, ("l",)),)))], [gold])
    assert len(system.table.phrases) == 1
    assert system.counts["left_out"] == {"not_visual": 1, "no_box": 1, "images": 0, "skipped": 0}


def test_sources_of_error() -> None:
    text = "A man , a man in a hat and a dog by a car ."
    places = {"man": (0, 5), "other": (8, 13), "hat": (17, 22), "dog": (27, 32), "car": (36, 41)}
    boxes = (*gold_image().boxes, Box("dog", 40, 60, 60, 90), Box("car", 40, 0, 60, 30))
    names = {"man": "left", "other": "right", "hat": "hat", "dog": "dog", "car": "car"}
    types = {"man": "people", "other": "people", "hat": "clothing", "dog": "animals", "car": "vehicles"}
    gold = Image(
        "1",
        100,
        100,
        boxes,
        (Caption("0", text, tuple(Mention(*places[n], (names[n],), types=(types[n],)) for n in places)),),
    )
    drawn = (
        Box("l", 0, 0, 40, 96),
        Box("low", 60, 65, 100, 100),
        Box("r", 60, 0, 100, 96),
        Box("h", 10, 0, 30, 18),
        Box("nowhere", 44, 40, 56, 44),
        Box("c", 40, 2, 60, 30),
    )
    answers = {"man": "l", "other": "low", "hat": "l", "dog": "nowhere", "car": "nowhere"}
    results = [
        Image("1", 100, 100, drawn, (Caption("0", text, tuple(Mention(*places[n], (answers[n],)) for n in places)),))
    ]
    system = scored(results, [gold])
    assert system.errors == {
        "right": 1,
        "partly right": 0,
        "no answer": 0,
        "other phrase": 1,  # the hat is on its man
        "no proposal": 1,  # nobody drew the dog
        "poor overlap": 1,  # half of the other man
        "background": 1,
    }
    assert system.outcomes.confusions(system.table, system.is_scored) == {"clothing": {"people": 1}}


def test_the_same_thing_in_another_caption_is_no_other_phrase() -> None:
    gold = gold_image(two_men("left"), Caption("1", "A guy .", (Mention(0, 5, ("left",)),)))
    poor = (Box("0", 0, 0, 40, 30),)
    captions = (Caption("0", "Two men .", (Mention(0, 7, ("0",)),)), Caption("1", "A guy .", (Mention(0, 5, ("0",)),)))
    assert scored([result_image(*captions, boxes=poor)], [gold]).errors["no proposal"] == 2


def test_some_of_the_boxes_are_partly_right_if_as_many_are_asked_for() -> None:
    system = scored(
        [result_image(Caption("0", "Two men .", (ranked(0, 7, "l", "sky"),)))],
        [gold_image(two_men())],
        protocol="as-many",
    )
    assert system.errors["partly right"] == 1
    assert system.counts["all_found"]["R@1"] == 0


@pytest.mark.parametrize("protocol", ["merged", "any", "as-many"])
@given(seed=st.integers(0, 10**6), iou=st.sampled_from([0.3, 0.5, 0.8]), nms=st.sampled_from([None, 0.0, 0.3, 0.5]))
def test_values_are_those_of_brute_force(protocol: str, seed: int, iou: float, nms: float | None) -> None:
    gold, results = made_case(seed, n_images=2)
    expected = reference(gold, results, protocol, iou, nms)
    if not len(expected):
        return
    system = scored(results, gold, protocol=protocol, iou=iou, nms=nms)
    np.testing.assert_allclose(system.outcomes.values, expected)
    np.testing.assert_allclose(list(system.values.values()), expected.mean(axis=0))


@given(seed=st.integers(0, 10**6))
def test_many_candidates_are_looked_at_window_by_window(seed: int) -> None:
    # More candidates than a window has, near each other, so that the first window does not suffice.
    gold, results = made_case(seed, n_images=1, n_boxes=90)
    if any(mention.boxes for _, mention in gold[0].mentions()):
        system = scored(results, gold, nms=0.1)
        np.testing.assert_allclose(system.outcomes.values, reference(gold, results, "merged", 0.5, 0.1))


@given(seed=st.integers(0, 10**6), protocol=st.sampled_from(["merged", "any", "as-many"]))
def test_recall_grows_with_the_boxes_that_are_looked_at_and_never_passes_the_bound(seed: int, protocol: str) -> None:
    gold, results = made_case(seed)
    values = scored(results, gold, protocol=protocol).outcomes.values
    assert (np.diff(values, axis=1) >= -1e-12).all()


def test_subsets_add_up() -> None:
    gold, results = made_case(3, n_images=12)
    system = scored(results, gold)
    n = len(system.table.phrases)
    assert sum(subset["n_phrases"] for subset in system.by("size").values()) == n
    assert sum(subset["n_phrases"] for subset in system.by("boxes").values()) == n
    # A phrase of several types counts in each.
    n_types = sum(len(phrase.mention.types) for phrase in system.table.phrases)
    assert sum(subset["n_phrases"] for subset in system.by("type").values()) == n_types
    expected = reference(gold, results, "merged", 0.5, 0.5)
    is_clothing = ["clothing" in phrase.mention.types for phrase in system.table.phrases]
    assert system.by("type")["clothing"]["R@5"] == pytest.approx(expected[is_clothing, 1].mean())


def test_frequent_phrases_are_counted_whatever_their_case() -> None:
    captions = [
        Caption(str(i), text, (Mention(0, len(text), ("left",)),)) for i, text in enumerate(["A man", "a  man", "he"])
    ]
    answers = [replace(caption, mentions=(Mention(0, len(caption.text), ("l",)),)) for caption in captions]
    system = scored([result_image(*answers)], [gold_image(*captions)])
    first, second = system.outcomes.frequent(system.table, system.is_scored)
    assert (first["phrase"], first["n"], first["R@1"]) == ("a man", 2, 1)
    assert second["phrase"] == "he"


# Missing and faulty results.


def pair(id: str) -> tuple[Image, Image]:
    gold = gold_image(Caption("0", MEN, (Mention(0, 5, ("left",)), Mention(10, 15, ("right",)))), id=id)
    return gold, result_image(Caption("0", MEN, (Mention(0, 5, ("l",)), Mention(10, 15, ("r",)))), id=id)


def test_a_missing_phrase_is_an_error_that_names_it() -> None:
    gold, result = pair("1")
    caption = result.captions[0]
    partial = replace(result, captions=(replace(caption, mentions=caption.mentions[:1]),))
    with refusal(BadInput):
        scored([partial], [gold])
    assert scored([partial], [gold], missing="zero").values["R@1"] == 0.5
    skipped = scored([partial], [gold], missing="skip")
    assert skipped.values["R@1"] == 1
    assert skipped.counts["left_out"]["skipped"] == 1


def test_missing_images_and_captions_follow_the_policy() -> None:
    (first, result), (second, _) = pair("1"), pair("2")
    with refusal(BadInput):
        scored([result], [first, second])
    system = scored([result], [first, second], missing="zero")
    assert system.values["R@1"] == 0.5
    assert system.errors["no answer"] == 2
    assert system.counts["missing"] == {"images": 1, "phrases_of_images": 2, "phrases_of_captions": 0, "phrases": 0}
    bare = replace(result, captions=())
    assert scored([bare], [first], missing="zero").counts["missing"]["phrases_of_captions"] == 2


def test_skipped_phrases_are_skipped_for_all_systems() -> None:
    (first, result), (second, other) = pair("1"), pair("2")
    scores = evaluate_localisation(
        {"both": [result, other], "one": [result]}, [first, second], missing="skip", samples=0
    )
    assert [int(system.is_scored.sum()) for system in scores.systems] == [2, 2]


def test_gold_phrases_that_a_chunker_did_not_find_count_as_missed() -> None:
    gold, result = pair("1")
    found = replace(
        result,
        captions=(replace(result.captions[0], mentions=(Mention(0, 5, ("l",)), Mention(8, 15, ("r",)))),),
        provenance={"mentions": "chunked"},
    )
    system = scored([found], [gold])
    assert system.values["R@1"] == 0.5
    assert system.settings["phrases"] == "found"
    assert "phrases:found" in system.signature
    assert system.counts["extra_phrases"] == 1
    assert any("1 of 2 gold phrases were not found" in warning for warning in system.warnings)
    with refusal(BadInput):
        scored([found], [gold], phrases="gold")


def test_a_caption_of_another_text_is_an_error_that_names_it() -> None:
    gold, result = pair("1")
    changed = replace(result, captions=(replace(result.captions[0], text="A man and a boy ."),))
    with refusal(BadInput):
        scored([changed], [gold])


def test_spaces_do_not_matter() -> None:
    gold, result = pair("1")
    spaced = replace(result, captions=(Caption("0", "A man and a man.", result.captions[0].mentions),))
    assert scored([spaced], [gold]).values["R@1"] == 1


def test_candidates_that_do_not_exist_are_an_error() -> None:
    gold, _ = pair("1")
    results = [Image("1", captions=(Caption("0", MEN, (Mention(0, 5, ("no such",)), Mention(10, 15))),))]
    with refusal(BadInput):
        scored(results, [gold])


def test_an_image_with_too_many_boxes_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, results = made_case(0, n_images=1)
    n_gold = len(read_gold(gold).images["0"].corners)
    monkeypatch.setattr(phrase_ranking, "MAX_PAIRS", n_gold * max(n_gold, len(results[0].boxes)))
    scored(results, gold)
    monkeypatch.setattr(phrase_ranking, "MAX_PAIRS", phrase_ranking.MAX_PAIRS - 1)
    with pytest.raises(BadInput) as refused:
        scored(results, gold)
    assert refused.value.code == "too-many-boxes"
    assert refused.value.place.endswith("image '0'")


def test_faulty_choices_are_errors() -> None:
    gold, result = pair("1")
    for options in (
        {"protocol": "all"},
        {"missing": "none"},
        {"phrases": "mine"},
        {"iou": 0},
        {"iou": float("nan")},
        {"nms": 2},
    ):
        with pytest.raises(LimnerError):
            scored([result], [gold], **options)
    with refusal(LimnerError):
        evaluate_localisation({}, [gold])
    with refusal(BadInput):
        scored([result, result], [gold])
    with refusal(BadInput):
        scored([replace(result, id="9")], [gold])
    with refusal(BadInput):
        scored([result], [Image("1", captions=(Caption("0", ""),))])


def test_an_empty_caption_does_no_harm() -> None:
    gold, result = pair("1")
    system = scored(
        [replace(result, captions=(*result.captions, Caption("9", "")))],
        [replace(gold, captions=(*gold.captions, Caption("9", "")))],
    )
    assert system.values["R@1"] == 1


def test_boxes_that_are_golds_own_are_warned_of() -> None:
    gold, _ = pair("1")
    mentions = (Mention(0, 5, ("left",)), Mention(10, 15, ("right",)))
    copied = Image("1", 100, 100, gold.boxes, (Caption("0", MEN, mentions),))
    assert any("exactly gold's own" in warning for warning in scored([copied], [gold]).warnings)
    told = replace(copied, provenance={"candidates": "gold"})
    assert not scored([told], [gold]).warnings
    assert "candidates:gold" in scored([told], [gold]).signature


# Intervals, tests, signatures.


def test_intervals_resample_images_and_hold_the_value() -> None:
    gold, results = made_case(11, n_images=60)
    system = scored(results, gold, samples=500)
    for name in VALUES:
        low, high = system.to_json()["intervals"][name]
        assert low < system.values[name] < high
    # A plain bootstrap of images, of the ratio of sums.
    sums, numbers = system.statistics.rows[:, 1], system.statistics.rows[:, len(system.columns) * len(VALUES)]
    drawn = np.random.default_rng(0).integers(0, len(sums), size=(4000, len(sums)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / numbers[drawn].sum(axis=1), [0.025, 0.975])
    assert system.to_json()["intervals"]["R@5"] == pytest.approx([low, high], abs=0.02)


def test_systems_are_compared_on_the_same_phrases() -> None:
    gold, results = made_case(11, n_images=60)
    _, others = made_case(12, n_images=60)
    swapped = [
        replace(image, boxes=other.boxes, captions=other.captions) for image, other in zip(results, others, strict=True)
    ]
    scores = evaluate_localisation({"a": results, "b": swapped}, gold)
    first = scores.differences[0]
    assert (first.column, first.first, first.second, first.by) == ("R@1", "a", "b", "")
    assert first.difference == pytest.approx(scores.systems[0].values["R@1"] - scores.systems[1].values["R@1"])
    assert {row.subset for row in scores.differences if row.by == "type"} == {"people", "clothing", "animals", "scene"}
    same = evaluate_localisation({"a": results, "b": results}, gold).differences[0]
    assert (same.difference, same.p) == (0, 1)


def test_a_type_of_few_images_has_neither_interval_nor_test() -> None:
    gold, results = made_case(11, n_images=60)
    _, others = made_case(12, n_images=60)
    swapped = [
        replace(image, boxes=other.boxes, captions=other.captions) for image, other in zip(results, others, strict=True)
    ]
    # Of instruments there are seven images; the rest is of types that all images have.
    rare = [
        replace(image, captions=tuple(_typed(caption, number < 7) for caption in image.captions))
        for number, image in enumerate(gold)
    ]
    scores = evaluate_localisation({"a": results, "b": swapped}, rare)
    by_type = scores.systems[0].by("type")
    assert by_type["instruments"]["intervals"]["R@5"] == [None, None]
    assert None not in by_type["people"]["intervals"]["R@5"]
    tests = {row.subset: row for row in scores.differences if row.by == "type"}
    assert (tests["instruments"].n_images, np.isnan(tests["instruments"].p)) == (7, True)
    assert (tests["people"].n_images, np.isnan(tests["people"].p)) == (60, False)


def _typed(caption: Caption, is_rare: bool) -> Caption:
    types = ("people", "instruments") if is_rare else ("people",)
    return replace(caption, mentions=tuple(replace(mention, types=types) for mention in caption.mentions))


def test_the_bound_of_the_same_boxes_is_not_tested() -> None:
    gold, results = made_case(11, n_images=60)
    ranked, worse = ([_from_rank(image, first) for image in results] for first in (0, 1))
    columns = {row.column for row in evaluate_localisation({"a": ranked, "b": worse}, gold).differences}
    assert columns == {"R@1", "R@5", "R@10"}


def _from_rank(image: Image, first: int) -> Image:
    """The image with rankings from a rank on, and no other answers."""
    return replace(
        image,
        captions=tuple(
            replace(c, mentions=tuple(replace(m, boxes=(), candidates=m.candidates[first:]) for m in c.mentions))
            for c in image.captions
        ),
    )


def test_training_images_are_warned_of_and_signed() -> None:
    gold, results = made_case(3)
    seen = [replace(image, provenance={"training": "yes"}) for image in results[:2]] + results[2:]
    system = scored(seen, gold)
    assert any("2 of 4 images were seen in training" in warning for warning in system.warnings)
    assert "training:yes in 2 of 4 images" in system.signature


def test_what_gold_lacks_is_told_with_what_it_misses() -> None:
    gold, results = made_case(3)
    renamed = [replace(results[0], id="nosuch"), *results[1:]]
    with refusal(BadInput):
        scored(renamed, gold)


def test_boxes_on_a_picture_of_another_size_are_warned_of() -> None:
    gold, results = made_case(3)
    doubled = [
        replace(
            image,
            width=2 * image.width,
            height=2 * image.height,
            boxes=tuple(replace(b, x0=2 * b.x0, y0=2 * b.y0, x1=2 * b.x1, y1=2 * b.y1) for b in image.boxes),
        )
        for image in results
    ]
    system = scored(doubled, gold)
    assert system.values == scored(results, gold).values
    assert any("4 images have another size than gold's" in warning for warning in system.warnings)


def test_signatures_tell_choices_apart() -> None:
    gold, results = made_case(1)
    usual = scored(results, gold).signature
    assert "protocol:merged|iou:0.5|nms:0.5" in usual
    for options in ({"protocol": "any"}, {"iou": 0.6}, {"nms": None}, {"missing": "zero"}):
        assert scored(results, gold, **options).signature != usual
    moved = [replace(gold[0], boxes=tuple(replace(b, x0=0) for b in gold[0].boxes)), *gold[1:]]
    assert scored(results, moved).signature != usual
    assert scored(results[::-1], gold[::-1]).signature == usual


def test_scores_are_json() -> None:
    gold, results = made_case(1)
    scores = evaluate_localisation({"a": results, "b": results}, gold, samples=0).to_json()
    assert json.loads(json.dumps(scores, allow_nan=False))["n_phrases"] == scores["n_phrases"]
    assert {"n_phrases", "R@1", "R@5", "R@10", "bound"} <= scores.keys()


def test_flickr30k_entities_has_as_many_phrases_as_the_field_counts(shared_data: Path) -> None:
    folder = shared_data / "flickr30k_entities"
    ids = frozenset((folder / "val.txt").read_text().split())
    gold = read_gold(open_corpus(folder / "annotations.zip", ids=ids))
    assert gold.n_phrases == 14_433
    assert len(gold.images) == 1_000
