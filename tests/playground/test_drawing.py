"""Pictures: what is drawn is where the boxes say, and good for a sheet."""

from __future__ import annotations

import pytest
from PIL import Image as Pictures

from limner.playground.catalogue import rgb
from limner.playground.drawing.canvas import resolve
from limner.playground.drawing.contact_sheet import CELL, GAP, contact_sheet
from limner.playground.drawing.picture import BACKDROPS, draw, draw_alone
from limner.playground.scene_settings import SETTINGS
from limner.playground.world import World
from refusals import refusal


@pytest.mark.parametrize("number", range(25))
def test_a_thing_drawn_alone_fills_its_box(number: int) -> None:
    scene = World(seed=6).scene(number)
    for thing in scene.things:
        x0, y0, x1, y1 = thing.box
        if (x1 - x0) * (y1 - y0) > 0.95 * thing.full:
            pixels = draw_alone(thing, (scene.width, scene.height)).getchannel("A").getbbox()
            assert pixels is not None
            assert max(abs(a - b) for a, b in zip(pixels, thing.box, strict=True)) <= 1, thing


def test_drawing_does_not_change_a_scene() -> None:
    world = World(seed=6)
    scene, image = world.staged(4, "folder")
    draw(scene)
    assert [thing.box for thing in scene.things] == [box.corners for box in image.boxes]
    assert image.boxes == world.image(4).boxes
    assert image.captions == world.image(4).captions
    assert image.file == "folder/p6-000004.png"


def test_the_same_scene_makes_the_same_pixels() -> None:
    one, two = (draw(World(seed=6).scene(2)) for _ in range(2))
    assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("size", [(640, 480), (201, 333), (900, 300)])
def test_a_picture_has_its_scenes_size(size: tuple[int, int]) -> None:
    picture = draw(World(seed=6, size=size).scene(1))
    assert (picture.size, picture.mode) == (size, "RGB")


def test_every_setting_has_a_backdrop() -> None:
    assert set(BACKDROPS) == set(SETTINGS)


def test_a_thing_can_be_seen_in_its_box() -> None:
    world = World(seed=6)
    for number in range(6):
        scene = world.scene(number)
        whole = draw(scene)
        nearest = scene.groups.pop()
        without = draw(scene)
        for thing in nearest.things:
            assert whole.crop(thing.box).tobytes() != without.crop(thing.box).tobytes()


@pytest.mark.parametrize(
    ("ink", "colour"),
    [("coat", (100, 50, 20)), ("#0a0b0c", (10, 11, 12)), ("coat+", None), ("coat--", None)],
)
def test_inks_are_roles_or_colours(ink: str, colour: tuple[int, int, int] | None) -> None:
    found = resolve(ink, {"coat": (100, 50, 20)})
    if colour is not None:
        assert found == colour
    else:
        assert (sum(found) > 170) == ink.endswith("+")


def test_a_sheet_is_a_grid_of_all_pictures() -> None:
    world = World(seed=6)
    entries = [(draw(scene), image) for scene, image in map(world.staged, range(8))]
    plain = contact_sheet(entries)
    assert plain.size == (6 * (CELL + GAP) + GAP, 2 * (240 + GAP) + GAP)
    small = entries[0][0].resize((CELL, 240), Pictures.Resampling.LANCZOS)
    assert plain.crop((GAP, GAP, GAP + CELL, GAP + 240)).tobytes() == small.tobytes()


def test_a_sheet_can_show_captions_and_their_boxes() -> None:
    scene, image = World(seed=6).staged(0)
    entry = [(draw(scene), image)]
    plain, marked = contact_sheet(entry), contact_sheet(entry, boxes=True)
    assert marked.height > plain.height
    colours = {colour for _, colour in marked.getcolors(1 << 24)}
    assert (214, 62, 74) in colours


def test_a_sheet_of_nothing_is_refused() -> None:
    with refusal(ValueError):
        contact_sheet([])


def test_colours_are_words_or_hex() -> None:
    assert rgb("#102030") == (16, 32, 48)
    assert rgb("red")[0] > rgb("red")[1]
