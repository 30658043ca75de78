"""The boxes that slots may refer to, against the rule written out plainly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.caption.region_inputs import BoxInputs, Labels, RegionSettings
from limner.caption.slot_proposals import RegionSlots, SlotSettings
from limner.corpus import Box, Image
from limner.corpus.geometry import iou
from refusals import refusal

NUMBERS = {"dog": 1, "cat": 2}
INPUTS = BoxInputs(Labels([]), RegionSettings(boxes=20))

boxes = st.lists(
    st.tuples(
        st.integers(0, 60),
        st.integers(0, 60),
        st.integers(1, 40),
        st.integers(1, 40),
        st.sampled_from(["dog", "cat", "Dogs", "wombat", "object"]),
        st.sampled_from([0.2, 0.5, 0.6, 0.9, 1.0]),
    ),
    max_size=8,
)


def seen(listed: list[tuple[int, int, int, int, str, float]]) -> Image:
    return Image(
        "a",
        100,
        100,
        tuple(Box(str(at), x, y, x + w, y + h, label, score) for at, (x, y, w, h, label, score) in enumerate(listed)),
    )


@given(boxes)
def test_proposals_are_sure_and_do_not_cover_others_of_their_class(
    listed: list[tuple[int, int, int, int, str, float]],
) -> None:
    image = seen(listed)
    regions = INPUTS.read(image)
    places = RegionSlots(SlotSettings(), NUMBERS).places(regions)
    kept: list[Box] = []
    for box in sorted(image.boxes, key=lambda box: -box.score):
        name = box.label.lower().rstrip("s")
        rivals = [other for other in kept if other.label.lower().rstrip("s") == name]
        covered = any(iou([box.corners], [other.corners])[0, 0] >= 0.5 - 1e-9 for other in rivals)
        if box.score >= 0.5 and name in NUMBERS and not covered:
            kept.append(box)
    found = {id for id, is_proposal in zip(regions.box_ids, places.proposals, strict=True) if is_proposal}
    assert found == {box.id for box in kept}
    assert places.classes[0] == 0
    assert not places.proposals[0]


def test_half_of_a_box_is_enough_to_cover_it() -> None:
    image = Image("a", 8, 8, (Box("0", 0, 0, 8, 4, "dog", 0.9), Box("1", 0, 0, 8, 8, "dog", 0.8)))
    assert RegionSlots(SlotSettings(), NUMBERS).places(INPUTS.read(image)).proposals.tolist() == [False, True, False]
    apart = RegionSlots(SlotSettings(iou=0.51), NUMBERS).places(INPUTS.read(image))
    assert apart.proposals.tolist() == [False, True, True]


def test_regions_without_labels_have_no_class() -> None:
    regions = INPUTS.read(Image("a", 8, 8, (Box("0", 0, 0, 8, 4, "dog"),)))
    places = RegionSlots(SlotSettings(), NUMBERS).places(regions._replace(names=()))
    assert not places.classes.any()
    assert not places.proposals.any()


@pytest.mark.parametrize("settings", [{"score": 1.1}, {"score": -0.1}, {"iou": 0.0}, {"iou": 2.0}, {"iou": np.nan}])
def test_impossible_settings_are_refused(settings: dict[str, float]) -> None:
    with refusal(ValueError):
        SlotSettings(**settings)
