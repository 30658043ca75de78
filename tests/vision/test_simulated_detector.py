"""The simulated detector: what it is fitted to comes out of it again."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Box, Image
from limner.corpus.geometry import iou
from limner.errors import BadInput, LimnerError
from limner.vision import error_fitting
from limner.vision.error_fitting import fit_profile
from limner.vision.error_profile import LEVELS, N_LEVELS, ErrorProfile, band_of, built_in_profile, read_profile
from limner.vision.error_rates import ErrorRates, similarity
from limner.vision.simulated_detector import SimulatedDetector, moved_boxes
from memory import memory_below
from refusals import refusal

LABELS = ("person", "dog", "cat", "car", "truck")


@cache
def world(n: int = 600, seed: int = 0) -> list[Image]:
    """Gold boxes of some classes in pictures of 400 by 300."""
    random = np.random.default_rng(seed)
    images = []
    for number in range(n):
        boxes = []
        for i in range(random.integers(0, 5)):
            sides = np.minimum(np.exp(random.uniform(2.5, 5.5, size=2)), [390, 290])
            x0, y0 = (random.random(2) * (np.array([400, 300]) - sides)).tolist()
            label = LABELS[random.choice(len(LABELS), p=[0.4, 0.2, 0.2, 0.1, 0.1])]
            boxes.append(Box(str(i), x0, y0, x0 + sides[0], y0 + sides[1], label))
        images.append(Image(str(number), 400, 300, tuple(boxes)))
    return images


def detected(detector: SimulatedDetector, images: list[Image]) -> list[Image]:
    return [Image(image.id, image.width, image.height, detector.detect_boxes(image)) for image in images]


def test_detections_depend_on_the_image_and_the_seed_alone() -> None:
    images = world()[:30]
    detector = SimulatedDetector(seed=3)
    forwards = detected(detector, images)
    backwards = detected(SimulatedDetector(seed=3), images[::-1])[::-1]
    assert forwards == backwards
    assert forwards != detected(SimulatedDetector(seed=4), images)
    shuffled = [replace(image, boxes=image.boxes[::-1]) for image in images]
    assert detected(detector, shuffled) == forwards
    assert SimulatedDetector(seed=3).signature != SimulatedDetector(seed=4).signature


def test_signatures_do_not_depend_on_where_a_profile_is_from() -> None:
    moved = SimulatedDetector(replace(built_in_profile(), source="elsewhere/gold.jsonl"))
    assert moved.signature == SimulatedDetector().signature
    assert moved.signature.endswith("|code:1")


def test_detections_are_sound_boxes_best_first() -> None:
    detector = SimulatedDetector()
    for image in detected(detector, world()[:100]):
        scores = [box.score for box in image.boxes]
        assert scores == sorted(scores, reverse=True)
        assert {box.label for box in image.boxes} <= set(detector.class_names)
        assert len(scores) <= detector.profile.most


def test_a_profile_fitted_to_simulated_detections_is_the_profile_that_made_them() -> None:
    profile = built_in_profile()
    images = world()
    again = fit_profile(images, detected(SimulatedDetector(profile, seed=5, false_positives=0.2), images))
    rates, fitted = ErrorRates(profile), ErrorRates(again)
    n_gold = np.array(again.n_gold)
    # What was expected of the boxes that there are, by band; loose boxes and chance matches blur it a little.
    numbers = [profile.classes.index(name) for name in again.classes]
    expected = (n_gold * rates.right[numbers]).sum(axis=0)
    assert np.array(again.n_right).sum(axis=0) / expected == pytest.approx(1, abs=0.08)
    assert fitted.right.shape == (len(again.classes) + 1, 5)
    weights = np.array(again.n_right).sum(axis=0)
    assert mean_of(again.overlaps, weights) == pytest.approx(mean_of(profile.overlaps, weights), abs=0.03)
    of_scores = [np.array(made.right_scores)[:, None] for made in (again, profile)]
    assert mean_of(of_scores[0], weights) == pytest.approx(mean_of(of_scores[1], weights), abs=0.4)


def mean_of(quantiles: Any, weights: np.ndarray) -> float:
    """The mean of distributions that are given by quantiles, `[bands, parts, levels]`, weighted by bands."""
    means = np.trapezoid(np.array(quantiles), LEVELS, axis=-1).mean(axis=1)
    return float(weights @ means / weights.sum())


def test_false_positives_can_be_turned_off_and_up() -> None:
    images = world()[:200]
    numbers = [
        sum(len(image.boxes) for image in detected(SimulatedDetector(false_positives=factor), images))
        for factor in (0.0, 0.5, 1.0)
    ]
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[2]
    alone = [Image("1", 400, 300), Image("2", 400, 300)]
    assert not any(image.boxes for image in detected(SimulatedDetector(false_positives=0), alone))
    with refusal(LimnerError):
        SimulatedDetector(false_positives=-1)


def test_labels_that_mean_no_class_are_detected_only_if_asked() -> None:
    images = [Image(str(i), 400, 300, (Box("a", 50, 50, 250, 250, "sun"),)) for i in range(50)]
    assert not any(image.boxes for image in detected(SimulatedDetector(false_positives=0), images))
    open_ended = SimulatedDetector(false_positives=0, every_label=True)
    labels = [box.label for image in detected(open_ended, images) for box in image.boxes]
    assert labels.count("sun") > 20
    men = [Image("1", 400, 300, (Box("a", 50, 50, 250, 250, "man"),))]
    assert {box.label for box in SimulatedDetector(false_positives=0).detect_boxes(men[0])} <= {"person"}


def test_the_size_of_a_picture_must_be_known() -> None:
    with refusal(BadInput):
        SimulatedDetector().detect_boxes(Image("1", boxes=(Box("a", 0, 0, 5, 5, "dog"),)))


@given(
    st.lists(st.tuples(*[st.integers(0, 90)] * 2, *[st.integers(5, 60)] * 2), min_size=1, max_size=5),
    st.floats(0.3, 0.99),
    st.integers(0, 99),
)
def test_moved_boxes_keep_the_wanted_overlap(placed: list[tuple[int, int, int, int]], wanted: float, seed: int) -> None:
    boxes = np.array([[x, y, x + w, y + h] for x, y, w, h in placed], dtype=np.float64)
    steps = np.random.default_rng(seed).normal(size=(len(boxes), 4))
    moved = moved_boxes(boxes, steps, np.full(len(boxes), wanted), np.array([1000.0, 1000.0]))
    kept = iou(boxes[:, None], moved[:, None])[:, 0, 0]
    # Only the picture's edge keeps a box from moving so far.
    assert (kept >= wanted - 1e-6).all()
    inside = (moved > 0).all(axis=1)
    assert kept[inside] == pytest.approx(wanted, abs=1e-6)


# --- chances


def test_what_is_alike_is_confused() -> None:
    assert similarity("dog", "cat") > similarity("dog", "car")
    assert similarity("hot dog", "dog") > similarity("hot dog", "car")
    rates = ErrorRates(built_in_profile())
    dog = built_in_profile().classes.index("dog")
    chances = rates.confusion_chances(dog, "dog")
    assert chances[dog] == 0
    assert chances.sum() == pytest.approx(1)
    assert chances.min() >= 0
    assert chances[built_in_profile().classes.index("cat")] > chances[built_in_profile().classes.index("toaster")]


def test_classes_that_were_never_seen_have_the_chances_of_all() -> None:
    profile = built_in_profile()
    blank = msgspec.structs.replace(
        profile,
        n_gold=[[0] * 5, *profile.n_gold[1:]],
        n_right=[[0] * 5, *profile.n_right[1:]],
    )
    rates = ErrorRates(blank)
    assert rates.right[0] == pytest.approx(rates.right[-1], abs=0.03)
    assert ((rates.right > 0) & (rates.right < 1)).all()
    assert ((rates.confused >= 0) & (rates.confused <= 1)).all()


def test_levels_rise_from_0_to_1_with_the_median_in_the_middle() -> None:
    assert (np.diff(LEVELS) > 0).all()
    assert [LEVELS[0], LEVELS[N_LEVELS // 2], LEVELS[-1]] == [0.0, 0.5, 1.0]


def test_sizes_are_in_bands() -> None:
    assert band_of(np.array([0.0, 0.004, 0.005, 0.1, 0.9])).tolist() == [0, 0, 1, 3, 4]


# --- files


def test_profiles_are_written_and_read(tmp_path: Path) -> None:
    profile = built_in_profile()
    profile.save(tmp_path / "profile.json")
    assert read_profile(tmp_path / "profile.json") == profile


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("classes", ["dog", "dog"]),
        ("n_right", [[10**6] * 5] * 80),
        ("n_gold", [[1] * 4] * 80),
        ("false_classes", {"unicorn": 1}),
        ("false_scores", {"": [0.0] * 5}),
        ("false_scores", {}),
        ("confused_overlaps", [2.0] * N_LEVELS),
        ("offsets", [[0.0] * 4, [[1.0, 2.0, 0.0, 0.0], [2.0, 1.0, 0.0, 0.0], [0.0] * 4, [0.0] * 4]]),
        ("n_false", []),
        ("false_present", 2.0),
        ("false_bands", [0] * 5),
        ("n_confused", [1]),
        ("n_false", [10**17, 1]),
        ("n_images", -1),
        ("offsets", [[0.0] * 4, np.triu(np.ones((4, 4))).tolist()]),
        ("limner_model", "selector"),
        ("version", 9),
    ],
)
def test_a_faulty_profile_is_refused(tmp_path: Path, field: str, value: Any) -> None:
    record = {**msgspec.to_builtins(built_in_profile()), field: value}
    (tmp_path / "profile.json").write_bytes(msgspec.json.encode(record))
    with refusal(BadInput):
        read_profile(tmp_path / "profile.json")


@pytest.mark.parametrize("digits", [30, 400])
@pytest.mark.parametrize("field", ["n_gold", "n_false"])
def test_a_count_of_any_length_is_refused(tmp_path: Path, field: str, digits: int) -> None:
    record = msgspec.json.encode(built_in_profile()).decode()
    start = record.index(f'"{field}":[') + len(f'"{field}":[') + (field == "n_gold")
    end = record.index(",", start)
    (tmp_path / "profile.json").write_text(f"{record[:start]}1{'0' * digits}{record[end:]}")
    with refusal(BadInput):
        read_profile(tmp_path / "profile.json")


def test_the_profile_that_comes_with_limner_says_where_it_is_from() -> None:
    profile = built_in_profile()
    assert isinstance(profile, ErrorProfile)
    assert "Flickr30k" in profile.source
    assert len(profile.classes) == 80


# --- fitting


def test_fitting_counts_misses_confusions_and_false_boxes() -> None:
    gold = [
        Image(str(i), 100, 100, (Box("a", 0, 0, 40, 40, "dog"), Box("b", 50, 50, 90, 90, "man"))) for i in range(60)
    ]
    found = [
        Image(
            str(i),
            100,
            100,
            (
                Box("0", 0, 0, 40, 36, "dog" if i < 50 else "cat", 0.9),
                Box("1", 50, 0, 60, 10, "car", 0.2),
                *((Box("2", 50, 50, 90, 90, "person", 0.6),) if i < 30 else ()),
            ),
        )
        for i in range(60)
    ]
    profile = fit_profile(gold, found)
    dog, person = profile.classes.index("dog"), profile.classes.index("person")
    assert (sum(profile.n_gold[dog]), sum(profile.n_right[dog])) == (60, 50)
    assert (sum(profile.n_gold[person]), sum(profile.n_right[person])) == (60, 30)
    assert profile.confusions == {"dog": {"cat": 10}}
    assert profile.false_classes == {"car": 60}
    assert profile.n_false == [0, 60]
    assert (profile.most, profile.least_score) == (3, 0.2)
    # Only the bottom edge of the dogs moves, by a tenth.
    assert profile.offsets[0][3] == pytest.approx(-0.1 * 50 / 80, abs=1e-4)


def test_detections_in_a_crowd_are_excused_and_loose_ones_belong_to_their_box() -> None:
    gold = [
        Image(str(i), 200, 200, (Box("a", 0, 0, 40, 40, "dog"), Box("c", 100, 100, 200, 200, "crowd")))
        for i in range(60)
    ]
    boxes = (Box("0", 0, 0, 40, 15, "dog", 0.9), Box("1", 120, 120, 150, 150, "person", 0.5))
    profile = fit_profile(gold, [Image(str(i), 200, 200, boxes) for i in range(60)])
    assert sum(map(sum, profile.n_right)) == 60
    assert profile.n_false == [60]


def test_boxes_are_matched_a_few_at_a_time_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    images = world()[:200]
    found = detected(SimulatedDetector(), images)
    whole = fit_profile(images, found)
    monkeypatch.setattr(error_fitting, "BLOCK", 1)
    assert fit_profile(images, found) == whole


def test_an_image_with_too_many_overlapping_boxes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_fitting, "MAX_PAIRS", 8)
    crowded = Image("7", 100, 100, tuple(Box(str(i), 0, 0, 40, 40, "dog") for i in range(3)))
    with pytest.raises(BadInput) as refused:
        fit_profile([crowded], [crowded])
    assert (refused.value.code, refused.value.place) == ("too-many-boxes", "image '7'")


def test_memory_does_not_grow_with_the_square_of_the_boxes() -> None:
    boxes = tuple(
        Box(str(i), i % 100 * 10, i // 100 * 10, i % 100 * 10 + 9, i // 100 * 10 + 9, "dog") for i in range(8000)
    )
    with memory_below(300 << 20):
        profile = fit_profile([Image("a", 1000, 1000, boxes)], [Image("a", 1000, 1000, boxes)])
    assert sum(map(sum, profile.n_right)) == 8000


def test_fitting_needs_pictures_in_common_and_enough_of_them() -> None:
    images = world()[:100]
    found = detected(SimulatedDetector(), images)
    with refusal(LimnerError):
        fit_profile(images[:50], found[50:])
    with refusal(LimnerError):
        fit_profile(images[:5], found[:5])
    with refusal(LimnerError):
        fit_profile(images, [Image("1")])
    with refusal(BadInput):
        fit_profile(
            [Image("1", boxes=(Box("a", 0, 0, 5, 5, "dog"),))], [Image("1", boxes=(Box("0", 0, 0, 5, 5, "dog"),))]
        )
