from __future__ import annotations

from pathlib import Path

import pytest

from limner.learn.stage_settings import EpochFigures

plots = pytest.importorskip("limner.report.training_plots", reason="matplotlib is not installed")


def epochs(losses: list[float], ciders: list[float]) -> list[EpochFigures]:
    pairs = zip(losses, ciders, strict=True)
    return [EpochFigures(at, loss, 10, 1.0, 1.0, {"CIDEr": cider}) for at, (loss, cider) in enumerate(pairs, 1)]


HISTORY = {"words": epochs([5.0, 4.0, 3.0], [0.1, 0.4, 0.3]), "cider": epochs([-0.1, -0.2], [0.5, 0.6])}


def test_lines_are_the_figures_and_stages_follow_each_other() -> None:
    words, cider, held_out = plots.training_figure(HISTORY).axes
    assert list(words.lines[0].get_ydata()) == [5.0, 4.0, 3.0]
    assert list(cider.lines[0].get_ydata()) == [0.1, 0.2]  # rewards
    first, _, second, *_ = held_out.lines
    assert (list(first.get_xdata()), list(first.get_ydata())) == ([1, 2, 3], [0.1, 0.4, 0.3])
    assert (list(second.get_xdata()), list(second.get_ydata())) == ([4, 5], [0.5, 0.6])


def test_the_chosen_epoch_is_marked() -> None:
    ring = plots.training_figure(HISTORY).axes[0].lines[1]
    assert (list(ring.get_xdata()), list(ring.get_ydata())) == ([2], [4.0])
    ring = plots.training_figure(HISTORY, {"words": 3}).axes[0].lines[1]
    assert (list(ring.get_xdata()), list(ring.get_ydata())) == ([3], [3.0])


def test_one_stage_one_epoch_and_no_cider_are_drawn(tmp_path: Path) -> None:
    assert (
        plots.write_training_plot({"words": HISTORY["words"][:1]}, tmp_path / "model")
        == tmp_path / "model/training.svg"
    )
    assert [path.name for path in (tmp_path / "model").iterdir()] == ["training.svg"]
    plots.write_training_plot({"words": [EpochFigures(1, 2.0, 3, 1.0, 1.0, {})]}, tmp_path)
    plots.write_training_plot({}, tmp_path)
