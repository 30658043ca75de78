"""Why this box, why not that one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from limner.corpus import Box, Image
from limner.describe.learned import FAMILIES, LearnedSelector, render
from limner.describe.learned.box_layout import Layout
from limner.describe.learned.selection_reasons import BoxReasons, Explanation, Reason, words_for

World = Callable[[int, int], list[Image]]

FARM = Image(
    "farm",
    100,
    100,
    (
        Box("man", 20, 10, 80, 90, "man", score=0.5),
        Box("hat", 40, 10, 60, 20, "hat"),
        *(Box(f"sheep {i}", 85, 10 * i, 89 + i, 10 * i + 9, "sheep") for i in range(5)),
        Box("gnu", 0, 0, 9, 9, "gnu"),
    ),
)


@pytest.fixture(scope="module")
def words(selector: LearnedSelector) -> dict[str, dict[str, str]]:
    layout = Layout([FARM])
    said = words_for(layout, selector.model.priors)
    return {id: {family: said[family][row] for family in FAMILIES} for row, id in enumerate(layout.ids)}


@pytest.mark.parametrize(
    ("box", "family", "said"),
    [
        ("man", "geometry", "large, central"),
        ("hat", "geometry", "small, off the centre"),
        ("sheep 0", "geometry", "tiny, at the top edge"),
        ("gnu", "geometry", "tiny, at the left and top edge"),
        ("man", "type", "a person"),
        ("hat", "type", "clothing"),
        ("gnu", "type", "a thing of no special kind"),
        ("gnu", "label", "gnu was never seen"),
        ("hat", "containment", "inside man"),
        ("man", "containment", "around hat"),
        ("gnu", "containment", "inside nothing"),
        ("sheep 4", "redundancy", "largest of five sheep"),
        ("sheep 2", "redundancy", "third largest of five sheep"),
        ("man", "redundancy", "the only man"),
        ("man", "crowding", "one of eight boxes"),
        ("man", "score", "score 0.50"),
        ("gnu", "company", "among other labels"),
    ],
)
def test_families_put_what_they_see_into_words(
    words: dict[str, dict[str, str]], box: str, family: str, said: str
) -> None:
    assert words[box][family] == said


def test_a_label_is_told_with_how_often_people_mention_it(words: dict[str, dict[str, str]]) -> None:
    assert words["man"]["label"].startswith("people mention ")
    assert words["man"]["label"].endswith("% of boxes labelled man")


def test_the_families_lead_from_the_usual_to_what_is_expected(selector: LearnedSelector, world: World) -> None:
    for image in world(10, 30):
        for box in selector.explain(image).boxes:
            odds = np.log(box.usual / (1 - box.usual)) + sum(reason.effect for reason in box.reasons)
            assert 1 / (1 + np.exp(-odds)) == pytest.approx(box.p)
            assert [abs(r.effect) for r in box.reasons] == sorted((abs(r.effect) for r in box.reasons), reverse=True)
            assert {reason.family for reason in box.reasons} == set(FAMILIES)


def test_what_is_explained_is_what_is_chosen(selector: LearnedSelector, world: World) -> None:
    for image in world(20, 31):
        explained = selector.explain(image)
        assert [box.id for box in explained.boxes if box.chosen] == selector.select(image)
        assert sorted(box.id for box in explained.boxes) == sorted(box.id for box in image.boxes)
        assert sum(box.r for box in explained.boxes) == pytest.approx(1)


def test_no_box_that_is_left_out_would_help_and_none_chosen_harms(selector: LearnedSelector, world: World) -> None:
    for image in world(20, 32):
        explained = selector.explain(image)
        for box in explained.boxes:
            assert (box.gain >= -1e-9) if box.chosen else (box.gain <= 1e-9)
        chosen = [box for box in explained.boxes if box.chosen]
        assert pytest.approx(sum(box.p for box in chosen) / len(chosen)) == explained.P
        assert pytest.approx(sum(box.r for box in chosen)) == explained.R
        assert pytest.approx(2 * explained.P * explained.R / (explained.P + explained.R)) == explained.F


def test_the_gain_of_an_only_box_is_all_of_f(selector: LearnedSelector) -> None:
    explained = selector.explain(Image("a", 100, 100, (Box("0", 0, 0, 50, 50, "man"),)))
    assert explained.boxes[0].gain == pytest.approx(explained.F)


def test_an_explanation_is_rendered_line_by_line() -> None:
    reasons = (Reason("geometry", 0.9, "large, central"), Reason("label", -0.3, "rare"), Reason("score", 0.05, "score"))
    boxes = (
        BoxReasons("1", "man", True, 0.9, 0.6, 0.31, 0.5, reasons),
        BoxReasons("2", "hat\n", False, 0.2, 0.1, -0.04, 0.5, (Reason("type", -0.8, "clothing"),)),
        BoxReasons("3", "dog", False, 0.2, 0.1, 0.0, 0.5, ()),
    )
    assert render(Explanation("a\x1b", 0.9, 0.6, 0.72, boxes)).splitlines() == [
        r"a\x1b: 1 of 3 boxes chosen; expected P 0.90, R 0.60, F 0.72",
        "  + man (1): expected in 90% of captions, adds 0.310 of F; large, central (++); rare (-)",
        r"  - hat\n (2): expected in 20% of captions, would cost 0.040 of F; clothing (--)",
        "  - dog (3): expected in 20% of captions, would cost 0.000 of F; nothing unusual",
    ]
    assert (
        render(Explanation("a", 0.9, 0.6, 0.72, boxes), limit=1).splitlines()[-1]
        == "  … and 1 more that are not chosen"
    )


def test_an_image_without_boxes_has_nothing_to_explain(selector: LearnedSelector) -> None:
    assert render(selector.explain(Image("a", 5, 5))) == "a: 0 of 0 boxes chosen; expected P 0.00, R 0.00, F 0.00"
