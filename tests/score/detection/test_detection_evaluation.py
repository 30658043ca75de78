"""Scores of detections: pycocotools is the oracle, and a brute-force bootstrap that of intervals."""

from __future__ import annotations

import json

import numpy as np
import pytest
from msgspec.structs import replace

from detection_cases import made_case, reference, summary
from limner.corpus import Box, Image
from limner.corpus.classes.detector_classes import DetectorClasses
from limner.errors import BadInput, LimnerError
from limner.score.detection import evaluate_detections
from limner.score.detection.average_precision import FIGURES
from limner.score.detection.detection_evaluation import SystemScores
from refusals import refusal


def scored(gold: list[Image], detected: list[Image], **options: object) -> SystemScores:
    options = {"classes": "gold", "samples": 0, **options}
    return evaluate_detections({"mine": detected}, gold, **options).systems[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(40))
def test_figures_are_those_of_pycocotools(seed: int) -> None:
    gold, detected = made_case(seed)
    mine, theirs = scored(gold, detected), reference(gold, detected)
    np.testing.assert_allclose(list(mine.values.values()), summary(theirs), atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_figures_of_each_class_and_area_are_those_of_pycocotools(seed: int) -> None:
    gold, detected = made_case(seed)
    mine, theirs = scored(gold, detected), reference(gold, detected)
    names = {category["id"]: category["name"] for category in theirs.cocoGt.dataset["categories"]}
    for k, number in enumerate(theirs.params.catIds):
        precision, recall = theirs.eval["precision"][:, :, k], theirs.eval["recall"][:, k]
        if names[number] not in mine.labels:
            assert (precision == -1).all()
            continue
        row = mine.figures.by_class[mine.labels.index(names[number])]
        expected = [precision[:, :, 0, 2], precision[0, :, 0, 2], precision[5, :, 0, 2]]
        expected += [precision[:, :, area, 2] for area in (1, 2, 3)]
        expected += [recall[:, 0, 0], recall[:, 0, 1], recall[:, 0, 2], *(recall[:, area, 2] for area in (1, 2, 3))]
        means = [values.mean() if (values > -1).all() else np.nan for values in expected]
        np.testing.assert_allclose(row, means, atol=1e-12)


def test_more_than_a_hundred_detections_of_an_image_are_cut_as_pycocotools_cuts_them() -> None:
    gold, detected = made_case(3, n_images=3, n_labels=1, most=400)
    assert max(len(image.boxes) for image in detected) > 150
    np.testing.assert_allclose(
        list(scored(gold, detected).values.values()), summary(reference(gold, detected)), atol=1e-12
    )


def test_fractions_of_pixels_score_as_in_pycocotools() -> None:
    gold, detected = made_case(5, n_images=30)
    random = np.random.default_rng(0)
    shifts = {image.id: random.uniform(-0.4, 0.4, size=(len(image.boxes), 2)).tolist() for image in detected}
    moved = [
        replace(
            image,
            boxes=tuple(
                replace(box, x0=box.x0 + x if box.x0 else 0, y0=box.y0 + y if box.y0 else 0)
                for box, (x, y) in zip(image.boxes, shifts[image.id], strict=True)
            ),
        )
        for image in detected
    ]
    np.testing.assert_allclose(list(scored(gold, moved).values.values()), summary(reference(gold, moved)), atol=1e-12)


def test_perfect_detections_score_1_and_none_score_0() -> None:
    gold = [Image("1", 100, 100, (Box("a", 0, 0, 50, 50, "cat"), Box("b", 20, 20, 99, 99, "cat")))]
    assert scored(gold, gold).values["AP"] == pytest.approx(1)
    assert scored(gold, [Image("1")]).values["AP"] == 0
    assert scored(gold, []).values["AR100"] == 0


def test_figures_without_each_image_are_those_of_the_others_alone() -> None:
    gold, detected = made_case(11, n_images=35)
    whole = evaluate_detections({"mine": detected}, gold, classes="gold", samples=100).systems[0]
    assert whole.figures.without is not None
    for i, id in enumerate(sorted((image.id for image in gold), key=int)):
        others = scored([g for g in gold if g.id != id], [d for d in detected if d.id != id])
        np.testing.assert_allclose(whole.figures.without[i], list(others.values.values()), atol=1e-12)


def test_intervals_are_like_those_of_a_bootstrap_that_scores_every_sample() -> None:
    gold, detected = made_case(2, n_images=60)
    mine = evaluate_detections({"mine": detected}, gold, classes="gold", samples=1000).systems[0]
    by_id = {image.id: image for image in detected}
    random = np.random.default_rng(1)
    sampled = []
    for _ in range(150):
        drawn = [gold[i] for i in random.integers(0, len(gold), size=len(gold))]
        copies = [replace(image, id=str(n)) for n, image in enumerate(drawn)]
        found = [replace(by_id[image.id], id=str(n)) for n, image in enumerate(drawn)]
        sampled.append(scored(copies, found).values["AP50"])
    low, high = mine.intervals["AP50"]
    assert low < mine.values["AP50"] < high
    assert high - low == pytest.approx(4 * np.std(sampled), rel=0.35)


def test_few_images_have_no_intervals() -> None:
    gold, detected = made_case(1, n_images=10)
    assert np.isnan(evaluate_detections({"mine": detected}, gold, samples=100).systems[0].intervals["AP"].low)


def test_systems_are_compared() -> None:
    gold, detected = made_case(4, n_images=60)
    worse = [replace(image, boxes=image.boxes[: len(image.boxes) // 2]) for image in detected]
    scores = evaluate_detections({"all": detected, "half": worse}, gold, classes="gold", samples=200)
    (ap, *_) = scores.differences
    first, second = scores.systems
    assert (ap.column, ap.first, ap.second) == ("AP", "all", "half")
    assert ap.difference == pytest.approx(first.values["AP"] - second.values["AP"])
    assert ap.p < 0.05
    assert ap.low > 0
    same = evaluate_detections({"a": detected, "b": detected}, gold, classes="gold", samples=200)
    assert same.differences[0].p == 1


# --- which classes count


def test_labels_in_other_words_mean_classes_and_others_are_left_out() -> None:
    boxes = (
        Box("a", 0, 0, 50, 50, "man"),
        Box("b", 60, 0, 99, 50, "Dog"),
        Box("c", 0, 60, 40, 99, "bike"),
        Box("d", 50, 60, 99, 99, "sky"),
        Box("e", 0, 0, 99, 99, "crowd"),
    )
    found = (Box("0", 0, 0, 50, 50, "person", 0.9), Box("1", 60, 0, 99, 50, "dog", 0.8))
    mine = scored([Image("1", 100, 100, boxes)], [Image("1", 100, 100, found)], classes="auto")
    assert mine.labels == ["dog", "person"]
    assert mine.values["AP"] == pytest.approx(1)
    # A bike may be a bicycle or a motorcycle: it means neither.
    assert [mine.counts[name] for name in ("n_gold", "n_crowd", "n_other_labels")] == [2, 1, 2]
    assert "classes:coco 80 " in mine.signature
    assert "dropped:2 boxes of other labels" in mine.signature


def test_detections_of_other_classes_than_cocos_are_of_golds() -> None:
    gold = [Image("1", 100, 100, (Box("a", 0, 0, 50, 50, "sun"), Box("b", 50, 0, 90, 50, "moon")))]
    found = [Image("1", 100, 100, (Box("0", 0, 0, 50, 50, "sun", 0.9), Box("1", 0, 0, 9, 9, "star", 0.9)))]
    mine = scored(gold, found, classes="auto")
    assert mine.labels == ["moon", "sun"]
    assert (mine.counts["n_detections"], mine.counts["n_other_classes"]) == (1, 1)
    chosen = scored(gold, found, classes=DetectorClasses(["sun", "star"]))
    assert chosen.labels == ["sun"]
    assert chosen.counts["n_other_labels"] == 1


def test_gold_without_a_class_of_the_detector_is_an_error() -> None:
    gold = [Image("1", 100, 100, (Box("a", 0, 0, 50, 50, "sky"),))]
    with refusal(BadInput):
        scored(gold, gold, classes="coco")
    with refusal(LimnerError):
        scored([Image("1")], gold, classes="gold")


# --- images that do not fit


def test_images_that_are_missing_count_as_without_detections_unless_skipped() -> None:
    gold, detected = made_case(7)
    some = detected[:-3]
    mine = scored(gold, some)
    empty = [*some, *(Image(image.id) for image in detected[-3:])]
    assert mine.values == pytest.approx(scored(gold, empty).values, nan_ok=True)
    assert "3 (" in mine.warnings[0]
    assert "gold images are not among the detections" in mine.warnings[0]
    skipped = scored(gold, some, missing="skip")
    assert skipped.values == pytest.approx(scored(gold[:-3], some).values, nan_ok=True)
    with refusal(BadInput):
        scored(gold, some, missing="error")


def test_images_that_are_not_in_gold_are_left_out_and_told() -> None:
    gold, detected = made_case(7)
    mine = scored(gold[:-1], detected)
    assert mine.values == pytest.approx(scored(gold[:-1], detected[:-1]).values, nan_ok=True)
    assert mine.counts["n_extra_images"] == 1
    with refusal(BadInput):
        scored(gold, [replace(image, id=f"x{image.id}") for image in detected])


def test_some_ids_can_be_scored_alone() -> None:
    gold, detected = made_case(8)
    ids = {image.id for image in gold[:6]}
    mine = scored(gold, detected, ids=ids)
    assert mine.values == pytest.approx(scored(gold[:6], detected[:6]).values, nan_ok=True)
    assert not mine.warnings


def test_golds_own_boxes_and_equal_scores_are_told() -> None:
    gold, detected = made_case(9)
    assert not scored(gold, detected).warnings
    own, equal = scored(gold, gold).warnings
    assert "are exactly gold's own boxes" in own
    assert "have the same score" in equal


def test_boxes_of_a_picture_of_another_size_are_scaled() -> None:
    gold = [Image("1", 200, 200, (Box("a", 20, 20, 100, 100, "cat"),))]
    half = [Image("1", 100, 100, (Box("0", 10, 10, 50, 50, "cat", 0.5),))]
    assert scored(gold, half).values["AP"] == pytest.approx(1)
    with refusal(BadInput):
        scored(gold, [Image("1", 100, 50, half[0].boxes)])


def test_an_image_that_comes_twice_is_an_error() -> None:
    gold, detected = made_case(9)
    with refusal(BadInput):
        scored([*gold, gold[0]], detected)
    with refusal(BadInput):
        scored(gold, [*detected, detected[0]])


def test_signatures_tell_gold_and_choices_apart() -> None:
    gold, detected = made_case(9)
    signature = scored(gold, detected).signature
    assert signature == scored(gold[::-1], detected[::-1]).signature
    moved = [replace(gold[0], boxes=gold[0].boxes[1:]), *gold[1:]]
    others = [scored(moved, detected), scored(gold, detected, missing="skip"), scored(gold, detected, classes="coco")]
    assert len({signature, *(other.signature for other in others)}) == 4


def test_json_has_every_figure_for_every_class() -> None:
    gold, detected = made_case(10)
    report = json.loads(json.dumps(evaluate_detections({"mine": detected}, gold, samples=0).to_json()))
    assert set(FIGURES) < report.keys()
    assert report["per_class"].keys() == {"cat", "dog", "horse"}
    assert set(FIGURES) | {"n_gold", "n_detections"} == report["per_class"]["cat"].keys()
    assert report["system"] == "mine"
