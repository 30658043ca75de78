"""Scenes: what is said to happen happens in the picture's geometry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from limner.playground.catalogue import KINDS
from limner.playground.grammar import VERBS
from limner.playground.scene import Fact, Group, Scene, Thing
from limner.playground.scene_settings import SETTINGS
from limner.playground.world import World


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return list(map(World(seed=11).scene, range(900)))


def facts_of(scenes: list[Scene], *verbs: str) -> Iterator[tuple[Scene, Fact]]:
    found = [(scene, fact) for scene in scenes for fact in scene.facts if fact.verb in verbs]
    assert len(found) >= 5, f"too few to judge: {verbs}"
    yield from found


def shared_width(a: Thing, b: Thing) -> int:
    return min(a.box[2], b.box[2]) - max(a.box[0], b.box[0])


def touch(a: Thing, b: Thing) -> bool:
    return shared_width(a, b) >= 0 and min(a.box[3], b.box[3]) >= max(a.box[1], b.box[1])


def test_a_rider_is_above_and_over_what_is_ridden(scenes: list[Scene]) -> None:
    for _, fact in facts_of(scenes, "ride", "ride board", "surf", "ski"):
        rider, mount = fact.subjects[0], fact.objects[0]
        assert rider.box[1] < mount.box[1] or mount.kind.name in ("elephant", "horse")
        assert rider.box[1] < mount.box[3]
        assert touch(rider, mount)
        assert shared_width(rider, mount) > 0.5 * min(rider.box[2] - rider.box[0], mount.box[2] - mount.box[0])


def test_those_who_sit_or_lie_on_something_are_on_it(scenes: list[Scene]) -> None:
    for _, fact in facts_of(scenes, "sit on", "lie on", "sleep on"):
        for sitter in fact.subjects:
            seat = fact.objects[0]
            assert touch(sitter, seat)
            assert seat.box[0] - 5 <= (sitter.box[0] + sitter.box[2]) / 2 <= seat.box[2] + 5


def test_what_is_held_or_eaten_is_within_reach(scenes: list[Scene]) -> None:
    for _, fact in facts_of(scenes, "hold", "carry", "eat", "play", "read", "push", "hold umbrella"):
        for thing in fact.objects:
            near = 0.8 * fact.subjects[0].scale if thing.kind.name == "balloon" else 2
            person = fact.subjects[0]
            assert shared_width(person, thing) > -near
            assert thing.box[1] < person.box[3]
            assert person.box[1] - near < thing.box[3]


def test_a_chaser_faces_and_follows_what_it_chases(scenes: list[Scene]) -> None:
    for _, fact in facts_of(scenes, "chase"):
        hunter, prey = fact.subjects[0], fact.objects[0]
        ahead = (prey.box[0] + prey.box[2]) - (hunter.box[0] + hunter.box[2])
        assert (ahead < 0) == hunter.flip


def test_talkers_face_each_other(scenes: list[Scene]) -> None:
    for _, fact in facts_of(scenes, "talk"):
        left, right = sorted(fact.subjects, key=lambda t: t.box[0] + t.box[2])
        assert (left.flip, right.flip) == (False, True)


def test_what_is_on_something_rests_on_it(scenes: list[Scene]) -> None:
    laid = [t for scene in scenes for t in scene.things if t.on is not None]
    assert len(laid) > 50
    for thing in laid:
        assert thing.on is not None
        middle = (thing.box[0] + thing.box[2]) / 2
        assert thing.on.box[0] <= middle <= thing.on.box[2]
        assert thing.on.box[1] <= thing.box[3] <= thing.on.box[3] + 2


def test_birds_and_planes_fly_above_the_ground(scenes: list[Scene]) -> None:
    for scene, fact in facts_of(scenes, "fly", "float"):
        for thing in fact.subjects:
            assert thing.box[1] < scene.horizon


def test_floating_things_are_on_the_water(scenes: list[Scene]) -> None:
    for scene, fact in facts_of(scenes, "sail", "swim"):
        for thing in fact.subjects:
            assert scene.horizon < thing.box[3] < scene.shore + 0.05 * scene.height


def test_the_kite_is_over_its_flyers_head(scenes: list[Scene]) -> None:
    for _, fact in facts_of(scenes, "fly kite"):
        assert fact.objects[0].box[1] < fact.subjects[0].box[1]


def test_whoever_stands_on_the_ground_has_their_feet_below_the_horizon(scenes: list[Scene]) -> None:
    for scene in scenes:
        for group in scene.groups:
            if group.where != "aloft":
                assert max(t.box[3] for t in group.things) > scene.horizon


def test_things_are_larger_the_nearer_they_stand(scenes: list[Scene]) -> None:
    near, far = [], []
    for scene in scenes:
        for group in scene.groups:
            if group.where == "ground" and not SETTINGS[scene.setting].indoor:
                (near if group.y > 0.85 * scene.height else far).append(group.scale)
    assert sum(near) / len(near) > 1.4 * sum(far) / len(far)


def test_groups_are_painted_from_back_to_front(scenes: list[Scene]) -> None:
    for scene in scenes:
        rows = [group.y for group in scene.groups if group.where != "aloft" and group.things[0].kind.figure != "rug"]
        assert rows == sorted(rows)


def test_clothes_are_on_their_wearers(scenes: list[Scene]) -> None:
    for scene in scenes:
        for thing in scene.things:
            if thing.wearer is not None:
                outer, inner = thing.wearer.box, thing.box
                assert outer[0] <= inner[0]
                assert outer[1] <= inner[1]
                assert inner[2] <= outer[2]
                assert inner[3] <= outer[3]


def test_nobody_wears_two_garments_of_one_class(scenes: list[Scene]) -> None:
    for scene in scenes:
        for thing in scene.things:
            names = [garment.kind.name for garment in thing.garments]
            assert len(names) == len(set(names))


def test_boxes_are_whole_pixels_within_the_picture_and_in_order(scenes: list[Scene]) -> None:
    for scene in scenes:
        boxes = [thing.box for thing in scene.things]
        assert boxes == sorted(boxes)
        assert [thing.number for thing in scene.things] == list(range(len(boxes)))
        for x0, y0, x1, y1 in boxes:
            assert 0 <= x0 < x1 <= scene.width
            assert 0 <= y0 < y1 <= scene.height


def test_only_scenery_reaches_beyond_the_pictures_edge(scenes: list[Scene]) -> None:
    for scene in scenes:
        for thing in scene.things:
            x0, y0, x1, y1 = thing.box
            if (x1 - x0) * (y1 - y0) < 0.9 * thing.full:
                assert "scenery" in thing.kind.traits or thing.on is not None


def test_an_event_is_not_hidden_by_what_stands_about(scenes: list[Scene]) -> None:
    hidden = total = 0
    for scene in scenes:
        for i, group in enumerate(scene.groups):
            for fact in group.facts[:1]:
                for thing in fact.subjects:
                    total += 1
                    hidden += _covered(thing, scene.groups[i + 1 :]) > 0.6
    assert hidden < 0.02 * total


def _covered(thing: Thing, nearer: list[Group]) -> float:
    x0, y0, x1, y1 = thing.box
    shares = [0.0]
    for group in nearer:
        for other in group.things:
            w = min(x1, other.box[2]) - max(x0, other.box[0])
            h = min(y1, other.box[3]) - max(y0, other.box[1])
            shares.append(max(0, w) * max(0, h) / ((x1 - x0) * (y1 - y0)))
    return max(shares)


def test_every_act_can_be_told(scenes: list[Scene]) -> None:
    assert {fact.verb for scene in scenes for fact in scene.facts} <= set(VERBS)


def test_every_setting_and_nearly_every_class_appears(scenes: list[Scene]) -> None:
    assert {scene.setting for scene in scenes} == set(SETTINGS)
    seen = {thing.kind.name for scene in scenes for thing in scene.things}
    assert len(seen) > 0.95 * len(KINDS)
