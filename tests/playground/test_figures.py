"""Figures: what is drawn fills the extent that scenes are composed with, and no more."""

from __future__ import annotations

import pytest

from limner.playground.catalogue import CHILDREN, COLOURS, KINDS, PEOPLE
from limner.playground.figures import FIGURES, clip_art, figure
from limner.playground.figures.garments import GARMENTS
from limner.playground.figures.people import HAIR
from limner.playground.figures.shape import Figure, Sketch
from limner.playground.figures.skeleton import POSES
from refusals import refusal

HAIRBREADTH = 0.004
"""Metres by which a curve may fall short of its extent, being drawn with corners: under a pixel at any size."""


def drawn_extent(drawn: Figure) -> tuple[float, float, float, float]:
    points = [p for shape in drawn.shapes for outline in shape.contours or shape.outlines for p in outline]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def standing_figures() -> list[tuple[str, ...]]:
    kinds = [kind for kind in KINDS.values() if kind.figure not in ("body", "garment")]
    return sorted({(kind.figure, variant) for kind in kinds for variant in kind.variants})


@pytest.mark.parametrize("key", standing_figures(), ids="-".join)
def test_a_figure_fills_its_extent(key: tuple[str, ...]) -> None:
    assert drawn_extent(figure(*key)) == pytest.approx(figure(*key).bounds, abs=HAIRBREADTH)


@pytest.mark.parametrize("pose", POSES)
@pytest.mark.parametrize("build", PEOPLE)
def test_a_body_fills_its_extent_in_every_pose(build: str, pose: str) -> None:
    for hair in set(HAIR[build]):
        body = figure("body", build, pose, hair)
        assert drawn_extent(body) == pytest.approx(body.bounds, abs=HAIRBREADTH)


@pytest.mark.parametrize("name", GARMENTS)
def test_a_garment_fills_its_extent_in_every_pose(name: str) -> None:
    for pose in POSES:
        worn = figure("garment", name, "woman", pose)
        assert drawn_extent(worn) == pytest.approx(worn.bounds, abs=HAIRBREADTH)


def test_a_contour_belongs_to_the_extent() -> None:
    sketch = Sketch(edge=0.1)
    sketch.box("paint", 0.0, 0.0, 1.0, 2.0)
    assert sketch.figure().bounds == (-0.1, -0.1, 1.1, 2.1)
    assert drawn_extent(sketch.figure()) == pytest.approx((-0.1, -0.1, 1.1, 2.1))


def test_a_sharp_corner_grows_no_point_beyond_the_extent() -> None:
    sketch = Sketch(edge=0.05)
    sketch.poly("paint", (0.0, 0.0), (2.0, 0.05), (0.0, 0.1))
    assert drawn_extent(sketch.figure())[2] <= 2.05 + 1e-9


def test_a_tapering_limb_holds_both_of_its_circles() -> None:
    sketch = Sketch(edge=0.0)
    sketch.limb("paint", (0.0, 0.0, 0.3), (0.4, 0.0, 0.05))
    assert drawn_extent(sketch.figure()) == pytest.approx((-0.3, -0.3, 0.45, 0.3), abs=0.01)


def shapes_of(monkeypatch: pytest.MonkeyPatch, variant: str, *lines: str) -> list[tuple[str, tuple[float, ...]]]:
    """The inks and extents of the shapes that lines of clip art draw."""
    stanza = [(verb, text) for verb, _, text in (line.partition(" ") for line in ("edge 0", *lines))]
    flag = [("box", "flag 0,0 1,1")]
    monkeypatch.setattr(clip_art, "STANZAS", {("thing", ""): stanza, ("flag", ""): flag})
    return [(part.ink, part.outlines[0].bounds) for part in clip_art.stanza_figure("thing", variant).parts]


@pytest.mark.parametrize(
    ("variant", "lines", "shapes"),
    [
        ("", ["box a 1,0 2,1"], [("a", (1, 0, 2, 1))]),
        ("", ["box* a 1,0 2,1"], [("a", (1, 0, 2, 1)), ("a", (-2, 0, -1, 1))]),
        ("run", ["box?run,walk a 0,0 1,1", "box!run b 0,0 1,1"], [("a", (0, 0, 1, 1))]),
        ("walk", ["box?run a 0,0 1,1", "box!run b 0,0 1,1"], [("b", (0, 0, 1, 1))]),
        ("", ["from 1,2", "box a 0,0 1,1", "box c b0,0 b1,1"], [("a", (1, 2, 2, 3)), ("c", (0, 0, 1, 1))]),
        ("", ["from 1,2", "from ground", "box a 0,0 1,1"], [("a", (0, 0, 1, 1))]),
        ("", ["draw flag 0,0 3,4"], [("flag", (0, 0, 1, 1)), ("flag", (3, 4, 4, 5))]),
        ("", ["draw* flag"], [("flag", (0, 0, 1, 1)), ("flag", (-1, 0, 0, 1))]),
        ("", ["dot a 0,0,1 5,0,2"], [("a", (-1, -1, 1, 1)), ("a", (3, -2, 7, 2))]),
        ("", ["axis 0,1", "limb a 0,0,1 3,0,1"], [("a", (-1, -1, 1, 4))]),
    ],
)
def test_lines_of_clip_art_are_drawn_as_written(
    monkeypatch: pytest.MonkeyPatch, variant: str, lines: list[str], shapes: list[tuple[str, tuple[float, ...]]]
) -> None:
    assert shapes_of(monkeypatch, variant, *lines) == shapes


@pytest.mark.parametrize(
    "line",
    [
        "box",
        "near",
        "anchor hand",
        "sphere a 0,0,1",
        "dot a",
        "eye a",
        "limb a 0,0,1 edge=.1",
        "line a .1 0,0",
    ],
)
def test_a_line_that_draws_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    with refusal(ValueError):
        shapes_of(monkeypatch, "", line)


def test_a_figure_is_written_once() -> None:
    stanzas = clip_art.by_variant([("cat", []), ("cat: lie sleep", []), ("dog: lie", [])])
    assert list(stanzas) == [("cat", ""), ("cat", "lie"), ("cat", "sleep"), ("dog", "lie")]
    with refusal(ValueError):
        clip_art.by_variant([("cat", []), ("dog", []), ("cat", [])])
    with refusal(ValueError):
        clip_art.by_variant([("cat: lie", []), ("cat: sleep lie", [])])


def test_children_are_shorter_than_grown_ups() -> None:
    height = {name: figure("body", name, "stand", HAIR[name][0]).bounds[3] for name in PEOPLE}
    assert max(height[child] for child in CHILDREN) < 0.8 * min(height[one] for one in ("man", "woman"))


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_a_class_is_drawn_coloured_and_spoken_of(kind) -> None:  # type: ignore[no-untyped-def]
    assert kind.figure in FIGURES
    assert set(kind.colours) <= set(COLOURS)
    assert set(kind.mistaken) <= set(KINDS)
    assert kind.words
    assert kind.type in ("people", "clothing", "animals", "vehicles", "instruments", "other")
    if kind.figure == "garment":
        assert kind.name in GARMENTS
