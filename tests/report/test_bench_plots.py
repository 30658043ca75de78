"""The figures of benchmarks show what they are given."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from limner.corpus.statistics.corpus_figures import Distribution
from limner.look import plots
from limner.report.bench_plots import (
    BLUE,
    ORANGE,
    MentionCount,
    composition_figure,
    evenness_figure,
    mention_histogram_figure,
    mentions_figure,
)

pytest.importorskip("matplotlib")

CLASSES = [
    MentionCount("Man", 3000, True),
    MentionCount("Dog", 900, True),
    MentionCount("Handbag", 3, True),
    MentionCount("Owl", 3, False),
    MentionCount("Harp", 2, False),
    MentionCount("Tick", 0, False),
]


def colours(bars: Iterable[Any]) -> list[str]:
    from matplotlib.colors import to_hex

    return [to_hex(bar.get_facecolor()).upper() for bar in bars]


def test_a_bar_for_every_class_that_is_mentioned_in_the_colour_of_its_domain() -> None:
    (panel,) = mentions_figure(CLASSES, 1000).axes
    assert [name.get_text() for name in panel.get_xticklabels()] == ["Man", "Dog", "Handbag", "Owl", "Harp"]
    assert [bar.get_height() for bar in panel.patches] == [3000, 900, 3, 3, 2]
    assert colours(panel.patches) == [ORANGE, ORANGE, ORANGE, BLUE, BLUE]
    assert panel.get_yscale() == "log"
    assert "not mentioned at all: 1" in panel.get_title(loc="left")
    assert [line.get_ydata()[0] for line in panel.lines] == [1000]


def test_many_classes_take_several_rows() -> None:
    many = [MentionCount(f"class {i:03}", 400 - i, i < 5) for i in range(400)]
    panels = mentions_figure(many, 395).axes
    assert [len(panel.patches) for panel in panels] == [175, 175, 50]
    assert [len(panel.lines) for panel in panels] == [1, 0, 0]
    assert len({panel.get_ylim() for panel in panels}) == 1


def test_classes_are_counted_in_bins_that_double() -> None:
    (panel,) = mention_histogram_figure(CLASSES, 1000).axes
    names = [name.get_text() for name in panel.get_xticklabels()]
    assert names[:4] == ["0", "1", "2–3", "4–7"]
    assert names[-1] == "2048–4095"
    out, inside = panel.containers
    assert [bar.get_height() for bar in out][:4] == [1, 0, 2, 0]
    assert [bar.get_height() for bar in inside][:4] == [0, 0, 1, 0]
    assert sum(bar.get_height() for bar in inside) == 3


@pytest.mark.parametrize(("more_than", "place"), [(0, 0.5), (1, 1.5), (2, 2.0), (3, 2.5), (1023, 10.5), (5, 3.0)])
def test_the_threshold_stands_between_those_at_it_and_those_above(more_than: int, place: float) -> None:
    (panel,) = mention_histogram_figure(CLASSES, more_than).axes
    assert panel.lines[0].get_xdata()[0] == pytest.approx(place)


def test_corpora_are_side_by_side_by_classes_and_instances() -> None:
    few, many = Distribution(((1, 3), (2, 1))), Distribution(((4, 2),))
    figure = composition_figure({"chosen": (many, many), "coco": (few, many)})
    assert [panel.get_xlabel() for panel in figure.axes] == ["classes per image", "instances per image"]
    told = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert told == ["chosen: mean 4.0", "coco: mean 1.2"]


def test_how_evenly_classes_occur() -> None:
    (panel,) = evenness_figure({"chosen": [3, 9, 3], "random": [50, 1]}).axes
    assert [list(line.get_ydata()) for line in panel.lines] == [[9, 3, 3], [50, 1]]


def test_nothing_mentioned_is_drawn_too(tmp_path: Path) -> None:
    unsaid = [MentionCount("Tick", 0, False)]
    figures = {"a": mentions_figure(unsaid, 1000), "b": mention_histogram_figure(unsaid, 1000)}
    assert len(plots.save(figures, tmp_path)) == 4
    assert len(plots.save({"c": mentions_figure([], 1), "d": mention_histogram_figure([], 0)}, tmp_path)) == 4
