from __future__ import annotations

from pathlib import Path

import pytest

from limner.score import evaluate_localisation
from localisation_cases import made_case

plots = pytest.importorskip("limner.report.localisation_plots", reason="matplotlib is not installed")


def test_figures_are_written_as_svg_and_png(tmp_path: Path) -> None:
    gold, results = made_case(1, n_images=8)
    _, others = made_case(2, n_images=8)
    scores = evaluate_localisation({"mine": results, "theirs": others}, gold, samples=0)
    written = plots.draw(scores.systems, tmp_path / "figures")
    names = ("types", "errors", "confusions", "phrases")
    assert [path.name for path in written] == [f"{name}.{kind}" for name in names for kind in ("svg", "png")]


def test_bars_are_the_values() -> None:
    gold, results = made_case(1, n_images=8)
    (system,) = evaluate_localisation({"mine": results}, gold, samples=0).systems
    (panel,) = plots.types_figure([system]).axes
    assert [bar.get_height() for bar in panel.patches] == pytest.approx(
        [subset["R@1"] for subset in system.by("type").values()]
    )
    (panel,) = plots.errors_figure([system]).axes
    assert sum(bar.get_width() for bar in panel.patches) == pytest.approx(1)
