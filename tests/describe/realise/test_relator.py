from __future__ import annotations

from collections.abc import Callable

import pytest

from limner.corpus import Box
from limner.describe.realise import Phrasebook
from limner.describe.realise.described_things import Thing
from limner.describe.realise.relation_words import NAMED_TOGETHER, Relation, read_relation, relation_of
from limner.describe.realise.relator import UNLIKELY_ACT, Relator, is_simple, without_act
from limner.describe.realise.spatial_relations import is_plausible
from limner.describe.realise.thing_layout import BUCKETS, Frame, layout
from limner.text.kinds import kind_of

Spot = tuple[float, float, float, float]
Books = Callable[..., Phrasebook]
OVER: tuple[Spot, Spot] = ((100, 50, 200, 250), (90, 180, 260, 300))
LYING: tuple[Spot, Spot] = ((100, 150, 240, 240), (90, 180, 260, 300))
ASIDE: tuple[Spot, Spot] = ((0, 100, 100, 300), (120, 100, 220, 300))
FAR: tuple[Spot, Spot] = ((0, 0, 10, 10), (900, 900, 910, 910))
INSIDE: tuple[Spot, Spot] = ((100, 100, 150, 150), (0, 0, 300, 300))
AROUND: tuple[Spot, Spot] = (INSIDE[1], INSIDE[0])


def thing(noun: str, *spots: Spot) -> Thing:
    return Thing(tuple(Box(str(i), *spot, label=noun) for i, spot in enumerate(spots)), noun, kind_of(noun))


def said(book: Phrasebook | None, a: str, b: str, where: tuple[Spot, Spot], **how: bool) -> str:
    return str(Relator(book).relation(thing(a, where[0]), thing(b, where[1]), **how))


@pytest.mark.parametrize(
    ("a", "b", "where", "expected"),
    [
        ("person", "horse", OVER, "riding"),
        ("person", "horse", ASIDE, "and"),
        ("person", "couch", OVER, "sitting on"),
        ("person", "couch", LYING, "on"),
        ("person", "cell phone", OVER, "talking on"),
        ("person", "dining table", OVER, "sitting at"),
        ("person", "kitchen table", OVER, "at"),
        ("person", "umbrella", OVER, "holding"),
        ("person", "umbrella", FAR, "and"),
        ("person", "dog", OVER, "and"),
        ("woman", "horse", OVER, "riding"),
        ("cat", "horse", OVER, "on"),
    ],
)
def test_what_people_say_of_such_a_pair_is_said_where_the_boxes_allow_it(
    book: Phrasebook, a: str, b: str, where: tuple[Spot, Spot], expected: str
) -> None:
    assert said(book, a, b, where) == expected


def test_an_act_that_is_not_clear_gives_way_to_its_preposition(make_book: Books) -> None:
    counts = {"sitting on": {"oue": 5}, "lying on": {"oue": 5}, "sleeping on": {"oue": 5}, "perched on": {"oue": 1}}
    more = make_book(by_nouns={"cat": {"couch": counts}})
    assert said(more, "cat", "couch", OVER) == "on"


@pytest.mark.parametrize(("on", "both", "expected"), [(9, 4, "riding"), (30, 4, "riding on"), (30, 0, "riding")])
def test_an_act_takes_the_preposition_that_people_say_more_often_than_its_verb(
    make_book: Books, on: int, both: int, expected: str
) -> None:
    counts = {"riding": {"oue": 30}, "on": {"oue": on}} | ({"riding on": {"oue": both}} if both else {})
    likely = Relator(make_book(by_nouns={"person": {"surfboard": counts}})).in_image({"ride": 0.9})
    assert str(likely.relation(thing("person", OVER[0]), thing("surfboard", OVER[1]))) == expected


def test_who_looks_at_something_is_not_at_it(make_book: Books) -> None:
    counts = {"looking at": {"oue": 5}, "staring at": {"oue": 5}, "pointing at": {"oue": 5}, "at": {"oue": 3}}
    counts |= {"near": {"oue": 4}}
    assert said(make_book(by_nouns={"cat": {"bird": counts}}), "cat", "bird", OVER) == "near"


def test_an_act_that_few_tell_of_is_not_said(make_book: Books) -> None:
    counts = {
        "holding": {"oue": 6},
        "eating": {"oue": 6},
        "cutting": {"oue": 6},
        "making": {"oue": 6},
        "with": {"oue": 5},
    }
    assert said(make_book(by_nouns={"man": {"cake": {**counts, "slicing": {"oue": 6}}}}), "man", "cake", OVER) == "with"


def test_an_act_that_was_said_once_or_twice_is_not_said_again(make_book: Books) -> None:
    book = make_book(by_nouns={"man": {"cake": {"juggling": {"oue": 2}}}})
    assert said(book, "man", "cake", OVER) != "juggling"


def test_of_things_of_which_only_the_kind_is_known_little_is_said(make_book: Books) -> None:
    book = make_book(
        by_kinds={"people": {"other": {"on": {"oue": 90}, "with": {"oue": 9}}, "scene": {"on": {"oue": 9}}}}
    )
    assert said(book, "man", "oven", OVER) == "next to"
    assert said(book, "man", "lamp", OVER) == "with"
    assert said(book, "man", "carnival", OVER) == "with"
    assert said(book, "man", "plaza", OVER) == "on"


@pytest.mark.parametrize(
    ("a", "b", "where", "expected"),
    [
        ("person", "hat", AROUND, "wearing"),
        ("dog", "collar", AROUND, "with"),
        ("person", "chair", OVER, "on"),
        ("person", "dining table", OVER, "at"),
        ("person", "street", INSIDE, "on"),
        ("person", "kitchen", INSIDE, "in"),
        ("person", "stadium", INSIDE, "in"),
        ("person", "tennis court", INSIDE, "on"),
        ("person", "carnival", INSIDE, "near"),
        ("person", "building", INSIDE, "in front of"),
        ("person", "car", INSIDE, "in"),
        ("apple", "bowl", INSIDE, "in"),
        ("person", "bowl", INSIDE, "near"),
        ("car", "truck", ASIDE, "next to"),
        ("car", "truck", FAR, "and"),
        ("lamp", "clock", ((100, 0, 140, 40), (100, 60, 140, 100)), "above"),
        ("clock", "lamp", ((100, 60, 140, 100), (100, 0, 140, 40)), "below"),
        ("person", "car", ((100, 200, 140, 300), (90, 80, 180, 150)), "near"),
    ],
)
def test_without_captions_the_boxes_tell(a: str, b: str, where: tuple[Spot, Spot], expected: str) -> None:
    assert said(None, a, b, where) == expected


def test_what_is_asked_for_is_kept(book: Phrasebook) -> None:
    assert said(book, "person", "horse", OVER, acts=False) == "on"
    assert said(book, "person", "dog", OVER, together=False) != "and"
    assert said(book, "person", "dining table", OVER, acts=False, support=False) not in ("at", "on", "in")
    assert said(None, "car", "truck", FAR, together=False) == "with"


RIDE, WEAR, ON = Relation("ride"), Relation("wear"), Relation(preposition="on")


@pytest.mark.parametrize(
    ("relation", "a", "b", "where", "can_be"),
    [
        (RIDE, "person", "horse", OVER, True),
        (RIDE, "person", "horse", ASIDE, False),
        (RIDE, "person", "horse", (OVER[1], OVER[0]), False),
        (RIDE, "table", "horse", OVER, False),
        (WEAR, "person", "hat", AROUND, True),
        (WEAR, "person", "hat", ASIDE, False),
        (ON, "cat", "couch", OVER, True),
        (ON, "cat", "person", OVER, False),
        (ON, "couch", "cat", (OVER[1], OVER[0]), False),
        (Relation(preposition="in"), "cat", "box", INSIDE, True),
        (Relation(preposition="in"), "cat", "box", AROUND, False),
        (Relation(preposition="under"), "cat", "table", (OVER[1], OVER[0]), True),
        (Relation(preposition="under"), "cat", "table", OVER, False),
        (Relation(preposition="next to"), "cat", "dog", ASIDE, True),
        (Relation(preposition="next to"), "cat", "dog", FAR, False),
        (Relation(preposition="of"), "bowl", "fruit", AROUND, True),
        (Relation(preposition="of"), "table", "fruit", AROUND, False),
        (Relation("look", preposition="at"), "cat", "dog", FAR, True),
        (Relation("lie", preposition="on"), "person", "bed", LYING, True),
        (Relation("lie", preposition="on"), "person", "bed", OVER, False),
        (ON, "cat", "bench", INSIDE, True),
        (ON, "cat", "bench", ((100, 200, 200, 300), (0, 0, 300, 300)), False),
        (Relation(preposition="at"), "person", "bench", OVER, False),
        (Relation(preposition="at"), "person", "dining table", OVER, True),
        (Relation(participle="surrounded", preposition="by"), "person", "plant", OVER, False),
        (Relation("hold"), "person", "bag", FAR, False),
        (Relation("fly"), "person", "kite", FAR, True),
        (Relation(preposition="between"), "cat", "tree", ASIDE, False),
        (Relation(participle="gathered", preposition="around"), "person", "table", OVER, False),
    ],
)
def test_what_the_boxes_allow(relation: Relation, a: str, b: str, where: tuple[Spot, Spot], can_be: bool) -> None:
    one, other = thing(a, where[0]), thing(b, where[1])
    assert is_plausible(relation, one, other, layout(one.frame, other.frame)) == can_be


def test_a_crowd_is_on_a_bus_only_if_most_of_it_is() -> None:
    bus = thing("bus", (100, 0, 400, 200))
    few = thing("person", (120, 50, 150, 120), *[(x, 50, x + 20, 120) for x in (0, 30, 420, 450)])
    most = thing("person", *[(x, 50, x + 20, 120) for x in (120, 150, 200, 250, 280, 310)], (420, 50, 440, 120))
    assert not is_plausible(ON, few, bus, layout(few.frame, bus.frame))
    assert is_plausible(ON, most, bus, layout(most.frame, bus.frame))


def test_what_is_said_of_three_people_holds_of_all_three() -> None:
    bench = thing("bench", (100, 100, 400, 200))
    two, third = [(120, 50, 160, 180), (200, 50, 240, 180)], (450, 50, 490, 180)
    assert is_plausible(ON, thing("person", *two), bench, layout(thing("person", *two).frame, bench.frame))
    three = thing("person", *two, third)
    assert not is_plausible(ON, three, bench, layout(three.frame, bench.frame))


def test_nobody_rides_two_horses() -> None:
    one, two = thing("person", OVER[0]), thing("horse", OVER[1], OVER[1])
    assert not is_plausible(RIDE, one, two, layout(one.frame, two.frame))


@pytest.mark.parametrize(
    ("words", "relation"),
    [
        (" riding ", "riding"),
        (" is riding ", "riding"),
        ("rides", "riding"),
        ("that is sitting on top of", "sitting on"),
        (", wearing", "wearing"),
        ("and is holding", "holding"),
        ("who has", "with"),
        ("laying down on", "lying down on"),
        ("happily sitting next to", "sitting next to"),
        ("is parked in front of", "parked in front of"),
        ("being ridden by", "ridden by"),
        ("looks up at", "looking up at"),
        ("close to", "near"),
        (",", "and"),
        ("&", "and"),
        ("and", "and"),
        ("standing on a tennis court holding", "holding"),
        ("to", None),
        ("for", None),
        ("parked", None),
        ("sitting", None),
        ("in a room with", None),
        ("with Bob near", None),
        ("", None),
        ("trying to start riding", None),
    ],
)
def test_words_between_two_things_are_of_a_known_shape_or_not_read(words: str, relation: str | None) -> None:
    read = read_relation(words)
    assert (None if read is None else str(read.relation)) == relation


def test_what_is_said_can_be_written_and_read() -> None:
    for text in ("riding", "sitting on", "parked in front of", "looking up at", "near", "and"):
        relation = relation_of(text)
        assert relation is not None
        assert str(relation) == text
    assert relation_of("rides") is None
    assert relation_of("on top of") is None
    assert relation_of("") is None


def test_what_is_left_without_an_act() -> None:
    assert without_act(RIDE) == ON
    assert without_act(Relation("sit", preposition="in")) == Relation(preposition="in")
    assert without_act(Relation("hold")) is None
    assert without_act(NAMED_TOGETHER) == NAMED_TOGETHER


def test_simple_relations() -> None:
    assert is_simple(RIDE)
    assert not is_simple(Relation("overlook"))
    assert not is_simple(Relation(preposition="beneath"))


@pytest.mark.parametrize(
    ("where", "bucket"), [(OVER, "oue"), (ASIDE, "nle"), (FAR, "fue"), (INSIDE, "ils"), (AROUND, "hlb")]
)
def test_layouts(where: tuple[Spot, Spot], bucket: str) -> None:
    assert layout(Frame(*where[0]), Frame(*where[1])).bucket == bucket


def test_points_have_a_layout_too() -> None:
    point, line = Frame(5, 5, 5, 5), Frame(0, 5, 10, 5)
    assert layout(point, line).a_in_b == 1.0
    assert layout(point, point).bucket in BUCKETS
    assert layout(Frame(50, 50, 50, 50), line).a_in_b == 0.0


def crowd_over(noun: str, n: int, below: str, n_below: int = 1) -> tuple[Thing, Thing]:
    """People side by side, all of them on the one or few things below."""
    spots = [(100.0 + 10 * i, 50.0, 200.0 + 10 * i, 250.0) for i in range(n)]
    return thing(noun, *spots), thing(below, *[(90.0 + 10 * i, 180.0, 290.0 + 10 * i, 300.0) for i in range(n_below)])


@pytest.mark.parametrize(
    ("n", "below", "n_below", "fits"),
    [
        (1, "skateboard", 1, True),
        (2, "skateboard", 1, False),
        (2, "skateboard", 2, True),
        (3, "surfboard", 2, False),
        (2, "chair", 1, False),
        (2, "horse", 1, True),
        (3, "horse", 1, False),
        (4, "horse", 2, True),
        (5, "horse", 2, False),
        (2, "bicycle", 1, True),
        (3, "motorcycle", 1, False),
        (5, "couch", 1, True),
    ],
)
def test_no_more_people_are_on_a_thing_than_it_carries(n: int, below: str, n_below: int, fits: bool) -> None:
    people, carrier = crowd_over("man", n, below, n_below)
    how = layout(people.frame, carrier.frame)
    assert is_plausible(Relation(preposition="on"), people, carrier, how) == fits
    assert is_plausible(Relation("sit", preposition="on"), people, carrier, how) == fits
    assert is_plausible(RIDE, people, carrier, how) == fits
    # What says nothing of being carried is not touched by that.
    assert is_plausible(Relation(preposition="near"), people, carrier, how)
    # Without captions, too, nobody is put where there is no room.
    assert fits or str(Relator(None).relation(people, carrier)) != "on"


def test_a_verb_that_is_unlikely_in_an_image_is_not_said(book: Phrasebook) -> None:
    relator = Relator(book)
    rider, horse = thing("person", OVER[0]), thing("horse", OVER[1])
    for probability, relation in ((0.9, "riding"), (UNLIKELY_ACT, "riding"), (UNLIKELY_ACT - 0.01, "on"), (0.0, "on")):
        assert str(relator.in_image({"ride": probability}).relation(rider, horse)) == relation


def test_a_verb_of_which_nothing_is_known_is_said(book: Phrasebook) -> None:
    rider, horse = thing("person", OVER[0]), thing("horse", OVER[1])
    assert str(Relator(book).in_image({"hold": 0.0}).relation(rider, horse)) == "riding"


def test_what_is_unlikely_in_one_image_says_nothing_of_another(book: Phrasebook) -> None:
    relator = Relator(book)
    rider, horse = thing("person", OVER[0]), thing("horse", OVER[1])
    here = relator.in_image({"ride": 0.0})
    assert str(here.relation(rider, horse)) == "on"
    assert str(relator.relation(rider, horse)) == "riding"
    assert str(here.in_image({"ride": 0.9}).relation(rider, horse)) == "riding"


@pytest.mark.parametrize(
    ("a", "b", "where", "expected"),
    [
        ("person", "sink", OVER, "next to"),
        ("person", "sink", ((0, 0, 50, 50), (200, 0, 300, 100)), "near"),
        ("person", "ball", ((100, 50, 200, 250), (120, 20, 150, 52)), "with"),
        ("person", "bat", OVER, "next to"),
    ],
)
def test_nobody_is_with_a_sink_or_below_a_ball(a: str, b: str, where: tuple[Spot, Spot], expected: str) -> None:
    assert said(None, a, b, where, together=False) == expected


def may_be(words: str, a: Thing, b: Thing) -> bool:
    relation = relation_of(words)
    assert relation is not None
    return is_plausible(relation, a, b, layout(a.frame, b.frame))


def test_things_that_stand_in_their_place_are_not_with_anybody() -> None:
    person, ball, oven = thing("person", OVER[0]), thing("ball", OVER[1]), thing("oven", OVER[1])
    assert may_be("with", person, ball)
    assert not may_be("with", person, oven)
    assert not may_be("with", person, thing("couch", OVER[1]))


def test_nobody_is_on_what_is_much_smaller() -> None:
    person, small = thing("person", (0, 0, 100, 200)), (40.0, 60.0, 60.0, 80.0)
    assert not may_be("on", person, thing("cell phone", small))
    assert may_be("talking on", person, thing("cell phone", small))
    assert may_be("on", thing("person", (0, 0, 100, 200)), thing("skateboard", (20, 190, 80, 210)))


def test_who_is_on_a_horse_has_their_feet_above_its_feet() -> None:
    horse = thing("horse", (0, 100, 300, 300))
    assert may_be("on", thing("person", (100, 40, 180, 220)), horse)
    assert not may_be("on", thing("person", (250, 80, 330, 310)), horse)


def test_nobody_is_at_a_bat() -> None:
    person = thing("person", OVER[0])
    assert may_be("at", person, thing("table", OVER[1]))
    assert not may_be("at", person, thing("bat", OVER[1]))


def test_three_people_do_not_hold_one_racket() -> None:
    people, racket = crowd_over("man", 3, "racket")
    rackets = crowd_over("man", 3, "racket", 3)[1]
    assert not may_be("holding", people, racket)
    assert may_be("holding", people, rackets)
    assert may_be("watching", people, racket)


def test_several_people_play_several_instruments() -> None:
    play = Relation("play")
    trio, guitars = thing("man", *[(100.0 * i, 0.0, 100.0 * i + 90, 200.0) for i in range(3)]), thing("guitar", OVER[1])
    assert not is_plausible(play, trio, guitars, layout(trio.frame, guitars.frame))
    band = thing("band", *[box.corners for box in trio.boxes])
    several = thing("guitar", (0, 100, 50, 150), (100, 100, 150, 150))
    assert is_plausible(play, band, several, layout(band.frame, several.frame))
    assert not is_plausible(play, band, guitars, layout(band.frame, guitars.frame))


def test_nobody_is_behind_something_because_one_caption_said_so(make_book: Books) -> None:
    def behind(n: int) -> str:
        return said(make_book(by_nouns={"baby": {"crib": {"behind": {"ile": n}}}}), "baby", "crib", INSIDE)

    assert (behind(2), behind(5)) == ("in", "behind")


def test_skis_are_not_ridden(make_book: Books) -> None:
    counts = {"riding": {"oue": 30}, "on": {"oue": 20}}
    book = make_book(by_nouns={"person": {"skis": counts, "snowboard": counts}})
    assert [said(book, "person", noun, OVER) for noun in ("skis", "snowboard")] == ["on", "riding"]


@pytest.mark.parametrize(
    ("noun", "expected"), [("bus", "near"), ("clock", "near"), ("bicycle", "with"), ("bag", "with")]
)
def test_nobody_is_with_a_bus_or_a_clock(noun: str, expected: str) -> None:
    assert said(None, "man", noun, AROUND, together=False) == expected


@pytest.mark.parametrize(("lying", "expected"), [(1, "sitting on"), (5, "on")])
def test_a_posture_is_said_if_hardly_anybody_tells_another(make_book: Books, lying: int, expected: str) -> None:
    counts = {"sitting on": {"oue": 20}, "lying on": {"oue": lying}}
    assert said(make_book(by_nouns={"cat": {"couch": counts}}), "cat", "couch", OVER) == expected


def test_an_umbrella_beside_a_chair_is_not_on_it() -> None:
    chair: Spot = (100, 100, 200, 300)
    assert said(None, "umbrella", "chair", ((180, 0, 400, 200), chair), together=False) != "on"
    assert said(None, "umbrella", "chair", ((120, 80, 190, 200), chair), together=False) == "on"
