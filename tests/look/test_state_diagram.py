"""Drawings of states and arrows, whatever they stand for."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from limner.look.state_diagram import Arrow, Group, draw_states, lay_out

SVG = "{http://www.w3.org/2000/svg}"
GROUPS = [Group("left", 0, [[0], [1, 2]], "short"), Group("<right>", 1, [[3]], "enough")]


def drawn(arrows: list[Arrow]) -> ET.Element:
    return ET.fromstring(
        draw_states(
            GROUPS,
            arrows,
            double=[False, False, False, True],
            red=[False, True, False, False],
            title="a & b",
            legend=["first", "second"],
        )
    )


def test_states_are_circles_and_their_numbers() -> None:
    svg = drawn([])
    assert len(list(svg.iter(f"{SVG}circle"))) == 5  # one of the four is double
    assert [circle.get("class") for circle in svg.iter(f"{SVG}circle")].count("open") == 1
    said = [text.text for text in svg.iter(f"{SVG}text")]
    assert said == ["left", "<right>", "0", "1", "2", "3", "first", "second"]
    assert svg.findtext(f"{SVG}title") == "a & b"


def test_an_arrow_has_its_label_and_ends_in_a_tip_or_a_cross() -> None:
    svg = drawn([Arrow(0, 3, "<go>", "all", "tokens"), Arrow(1, 1, "stay", "", "other"), Arrow(2, None, "", "", "x")])
    arrows = {group.get("class"): group for group in svg.iter(f"{SVG}g") if "arrow " in (group.get("class") or "")}
    assert arrows["arrow tokens"].findtext(f"{SVG}text") == "<go>"
    tips = {kind: group.find(f"{SVG}path").get("marker-end") is not None for kind, group in arrows.items()}  # type: ignore[union-attr]
    assert tips == {"arrow tokens": True, "arrow other": True, "arrow x": False}


def test_arrows_of_tokens_lie_on_top() -> None:
    svg = drawn([Arrow(0, 3, "", "", "tokens"), Arrow(1, 2, "", "", "fallback")])
    kinds = [group.get("class") for group in svg.iter(f"{SVG}g") if "arrow " in (group.get("class") or "")]
    assert kinds == ["arrow fallback", "arrow tokens"]


def test_groups_of_a_higher_rank_stand_further_right() -> None:
    layout = lay_out(GROUPS, 100)
    (_, left), (_, right) = layout.boxes
    assert left[2] < right[0]
    assert layout.width == right[2]
    assert layout.places[1][0] == layout.places[2][0] == layout.places[0][0] + 100
