"""Plots: one look, whole files, the same each time."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from PIL import Image as Picture

from limner.corpus import Box, Caption, Chain, Image, Mention
from limner.corpus.statistics import statistics
from limner.errors import LimnerError, MissingLibrary
from limner.lazy import load
from limner.look import plots
from limner.look.palette import PALETTE
from limner.report.statistics_plots import draw, figures
from refusals import refusal

pytest.importorskip("matplotlib", reason="the plots extra is not installed")


def image(id: str, word: str = "dog", n: int = 2) -> Image:
    text = f"two big {word}s run"
    names = tuple(str(i) for i in range(n))
    return Image(
        id,
        boxes=tuple(Box(i, 0, 0, 9, 9, word) for i in names),
        captions=(Caption("0", text, (Mention(0, len(text) - 4, names, "1", ("animals",)),)),),
        chains=(Chain("1", names, ("animals", "other")),),
    )


FULL = statistics([image("a"), image("b", "cat", 5)], name="full")
TEXTS = statistics([Image("a", captions=(Caption("0", "A cat ."),))], name="texts")
ALL = ["types", "nouns", "modifiers", "classes-per-image", "boxes-per-image", "caption-length", "ngrams"]


@pytest.mark.parametrize(
    ("corpora", "names"),
    [
        ([FULL], ALL),
        ([FULL, FULL], ALL),
        ([FULL, TEXTS], ALL),
        ([TEXTS], ["caption-length", "ngrams"]),
        ([statistics([])], []),
    ],
)
def test_every_figure_that_applies_is_drawn_as_svg_and_png(corpora: list, names: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "a" / "plots"
    assert draw(corpora, folder) == [folder / f"{name}.{kind}" for name in names for kind in ("svg", "png")]
    assert sorted(p.name for p in folder.iterdir()) == sorted(f"{n}.{k}" for n in names for k in ("svg", "png"))
    for path in folder.glob("*.png"):
        with Picture.open(path) as picture:
            assert picture.width >= 600
            assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 5
    for path in folder.glob("*.svg"):
        assert path.read_bytes().startswith(b"<?xml")


def test_equal_statistics_give_equal_files(tmp_path: Path) -> None:
    one, other = draw([FULL], tmp_path / "one"), draw([FULL], tmp_path / "other")
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


def test_words_are_drawn_as_they_are(tmp_path: Path) -> None:
    # A dollar sign is no formula, and a script that the font lacks is no warning (which would fail this test).
    strange = Image(
        "a", captions=(Caption("0", "x", (Mention(0, 1, chain="1"),)),), chains=(Chain("1", types=("$^$",)),)
    )
    found = statistics([strange, image("b", "犬")], name=r"$\frac$ 犬")
    assert len(draw([found], tmp_path)) == 14
    (panel,) = dict(figures([found]))["types"].axes
    assert panel.get_title(loc="left") == r"$\frac$ 犬"
    assert "$^$" in [text.get_text() for text in panel.get_xticklabels()]


def test_the_bars_have_the_heights_of_the_counts() -> None:
    (panel,) = dict(figures([FULL]))["types"].axes
    assert [text.get_text() for text in panel.get_xticklabels()] == ["animals", "other"]
    heights = {c.get_label(): [bar.get_height() for bar in c] for c in panel.containers}
    assert heights == {"chains": [2, 2], "mentions": [2, 2], "boxes": [7, 7]}
    colours = [c[0].get_facecolor() for c in panel.containers]
    assert len(set(colours)) == 3


def test_a_histogram_shows_shares_and_gathers_the_largest_values() -> None:
    with plots.figure(6, 3) as (_, (panel,)):
        plots.histograms(panel, {"a": [(1, 250), (2, 149), (7, 1)], "b": [(1, 4)]}, "boxes", "images")
    filled, outline, *_ = panel.patches
    assert list(filled.get_data().values) == pytest.approx([250 / 400, 150 / 400])
    assert list(outline.get_data().edges) == [0.5, 1.5, 2.5]
    assert [text.get_text() for text in panel.get_xticklabels()] == ["1", "2+"]
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["a: mean 1.4", "b: mean 1.0"]


def test_a_corpus_keeps_its_colour_where_the_other_has_nothing_to_show() -> None:
    (panel,) = dict(figures([TEXTS, FULL]))["boxes-per-image"].axes
    (text,) = panel.get_legend().get_texts()
    assert text.get_text() == "full: mean 3.5"
    assert panel.lines[0].get_color() == PALETTE[1]


@pytest.mark.parametrize(
    ("values", "open_end", "expected"),
    [
        (range(5), False, ["0", "1", "2", "3", "4"]),
        (range(41), True, ["0", "5", "10", "15", "20", "25", "30", "35", "40+"]),
        (range(2, 34), True, ["5", "10", "15", "20", "25", "30", "33+"]),
        (range(3, 4), False, ["3"]),
        (range(100), False, [str(n) for n in range(0, 100, 10)]),
    ],
)
def test_bins_are_numbered_sparsely(values: range, open_end: bool, expected: list[str]) -> None:
    with plots.figure(6, 3) as (_, (panel,)):
        plots._number_bins(panel, values, open_end=open_end)
    assert [text.get_text() for text in panel.get_xticklabels()] == expected


def test_labels_too_long_for_their_place_are_turned() -> None:
    def turned(names: list[str]) -> bool:
        with plots.figure(6, 3) as (_, (panel,)):
            plots.grouped_bars(panel, names, {"a": [1.0] * len(names)}, "n")
        return panel.get_xticklabels()[0].get_rotation() != 0

    assert turned(["instruments"] * 10)
    assert not turned(["dog", "cat"])


def test_the_look_is_left_behind_with_the_figure() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    with plots.figure(2, 2) as (figure, _):
        assert matplotlib.rcParams["axes.titleweight"] == "bold"
    figure.savefig(io.BytesIO())
    assert dict(matplotlib.rcParams) == before


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    with refusal(LimnerError):
        draw([FULL], tmp_path / "file" / "plots")


def test_without_matplotlib_the_error_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    # None in sys.modules makes an import fail as if the library were not installed.
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "limner.look.plots")
    with refusal(MissingLibrary):
        load("limner.look.plots")
