"""Settings of training: learning rates worked by hand, and when a stage is at its end."""

from __future__ import annotations

import pytest

from limner.learn.stage_settings import EpochFigures, StageSettings, best_epoch, is_finished, learning_rate_at
from refusals import refusal


def rates(n_steps: int, **settings: object) -> list[float]:
    made = StageSettings(epochs=1, learning_rate=8.0, **settings)  # type: ignore[arg-type]
    return [learning_rate_at(made, step, n_steps) for step in range(n_steps)]


def test_learning_rates_are_those_of_their_schedule() -> None:
    assert rates(3) == [8, 8, 8]
    assert rates(4, schedule="linear") == [8, 6, 4, 2]
    assert rates(4, schedule="cosine") == pytest.approx([8, 4 + 4 * 0.5**0.5, 4, 4 - 4 * 0.5**0.5])
    assert rates(6, schedule="linear", warm_up=2) == [4, 8, 8, 6, 4, 2]
    assert rates(2, warm_up=4) == [2, 4]
    # An epoch that has more batches than the first goes on with the last rate.
    assert learning_rate_at(StageSettings(epochs=1, schedule="linear"), 9, 4) == 0


def history(*values: float) -> list[EpochFigures]:
    return [EpochFigures(n, 1.0, 1, 2.0, 0.0, {"cider": value}) for n, value in enumerate(values, 1)]


def test_the_best_epoch_is_the_first_of_equals_or_the_last_without_a_figure() -> None:
    assert best_epoch(history(0.1, 0.3, 0.3), StageSettings(epochs=3, best_by="cider")) == 2
    assert best_epoch(history(0.1, 0.3, 0.2), StageSettings(epochs=3)) == 3
    assert best_epoch([], StageSettings(epochs=3)) == 0


def test_a_stage_ends_with_its_epochs_or_without_a_better_figure() -> None:
    patient = StageSettings(epochs=9, best_by="cider", patience=2)
    assert not is_finished(history(0.3, 0.1), patient)
    assert is_finished(history(0.3, 0.1, 0.3), patient)
    assert not is_finished(history(0.3, 0.1, 0.4), patient)
    assert is_finished(history(0.1, 0.2), StageSettings(epochs=2))


@pytest.mark.parametrize(
    "wrong",
    [
        {"epochs": 0},
        {"batch": 0},
        {"clip": -1.0},
        {"learning_rate": 0.0},
        {"learning_rate": float("nan")},
        {"weight_decay": float("inf")},
        {"momentum": 1.0},
        {"average": -0.1},
        {"patience": 1},
        {"warm_up": -1},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with refusal(ValueError):
        StageSettings(**{"epochs": 1, **wrong})  # type: ignore[arg-type]


def test_speed_is_items_of_a_second() -> None:
    assert EpochFigures(1, 0.5, 100, 4.0, 9.0, {}).items_per_second == 25
