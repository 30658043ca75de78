from __future__ import annotations

from collections.abc import Callable

from limner.corpus import Box
from limner.describe.realise import Phrasebook
from limner.describe.realise.described_things import Thing
from limner.describe.realise.relator import Relator
from limner.describe.realise.sentence_plan import Arm, Clause, plan
from limner.text.kinds import kind_of

Books = Callable[..., Phrasebook]
Spot = tuple[float, float, float, float]
MAN: Spot = (100, 50, 200, 250)
BELOW: Spot = (90, 180, 260, 300)


def things(*given: tuple[str, Spot]) -> list[Thing]:
    return [Thing((Box(noun, *spot, label=noun),), noun, kind_of(noun)) for noun, spot in given]


def said(arms: list[Arm]) -> list[str]:
    return [f"{arm.relation} {' + '.join(node.thing.noun for node in arm.objects)}" for arm in arms]


def told(clause: Clause) -> tuple[list[str], list[str]]:
    return [node.thing.noun for node in clause.heads], said(clause.arms)


def acts(**by_noun: str) -> dict[str, dict[str, dict[str, dict[str, int]]]]:
    """A man does this to these."""
    return {"man": {noun: {act: {"oue": 20}} for noun, act in by_noun.items()}}


def make(book: Phrasebook | None, *nouns: str, most: int = 6) -> Clause:
    return plan(things(("man", MAN), *((noun, BELOW) for noun in nouns)), Relator(book), most=most)


def test_at_most_two_acts_are_told(make_book: Books) -> None:
    book = make_book(by_nouns=acts(cup="holding", book="reading", pipe="using"))
    assert told(make(book, "cup", "book", "pipe"))[1] == ["holding cup", "reading book", "next to pipe"]


def test_nobody_takes_two_postures(make_book: Books) -> None:
    book = make_book(by_nouns=acts(chair="sitting on", plaza="standing on", skateboard="riding"))
    assert told(make(book, "chair", "plaza"))[1] == ["sitting on chair", "on plaza"]
    assert told(make(book, "chair", "skateboard"))[1][0] == "sitting on chair"
    assert "riding" not in " ".join(told(make(book, "chair", "skateboard"))[1])


def test_nobody_is_on_two_things_at_once(make_book: Books) -> None:
    book = make_book(by_nouns=acts(chair="on", bench="in front of", couch="on"))
    assert told(make(book, "chair", "bench"))[1] == ["on chair", "in front of bench"]
    (first, *others) = told(make(book, "chair", "scooter"))[1]
    assert first == "on chair"
    assert not any(other.startswith("on") for other in others)


def test_the_same_verb_is_not_said_twice(make_book: Books) -> None:
    book = make_book(by_nouns=acts(ball="playing with", sandbox="playing in"))
    assert sum("playing" in arm for arm in told(make(book, "ball", "sandbox"))[1]) == 1


def test_objects_of_one_act_are_named_together(make_book: Books) -> None:
    book = make_book(by_nouns=acts(cup="holding", bag="holding"))
    assert told(make(book, "cup", "bag"))[1] == ["holding cup + bag"]


def test_an_act_of_one_is_not_said_of_both(make_book: Books) -> None:
    book = make_book(by_nouns=acts(cup="holding"))
    given = things(("man", MAN), ("woman", (400, 50, 500, 250)), ("cup", BELOW))
    clause = plan(given, Relator(book), most=5)
    assert told(clause) == (["man", "woman"], [])
    assert [str(arm.relation) for arm in clause.heads[0].arms] == ["holding"]


def test_what_people_name_together_are_heads(make_book: Books) -> None:
    book = make_book(by_nouns={"man": {"dog": {"and": {"oue": 20}}, "frisbee": {"throwing": {"oue": 20}}}})
    assert told(make(book, "dog"))[0] == ["man", "dog"]
    assert told(make(book, "dog", "frisbee")) == (["man"], ["next to dog", "throwing frisbee"])


def test_what_finds_no_place_is_left_for_another_sentence() -> None:
    clause = make(None, "cup", "kite", "lamp", most=2)
    assert [thing.noun for thing in clause.rest] == ["kite", "lamp"]


def test_clothes_go_with_whom_they_are_on() -> None:
    given = things(
        ("man", MAN), ("woman", (300, 50, 400, 250)), ("hat", (320, 50, 360, 80)), ("scarf", (120, 60, 160, 90))
    )
    clause = plan(given, Relator(None), most=5)
    assert [(node.thing.noun, said(node.arms)) for node in clause.heads] == [
        ("man", ["wearing scarf"]),
        ("woman", ["wearing hat"]),
    ]


def test_a_place_at_the_head_has_the_others_in_it() -> None:
    given = things(("street", (0, 0, 600, 400)), ("car", (100, 100, 200, 200)))
    assert told(plan(given, Relator(None), most=5)) == (["street"], ["with car"])


def test_a_bird_that_a_dog_has_caught_does_not_do_what_the_dog_does() -> None:
    dog, far = (0.0, 0.0, 300.0, 300.0), (310.0, 0.0, 600.0, 300.0)
    assert told(plan(things(("dog", dog), ("bird", (20.0, 120.0, 120.0, 220.0))), Relator(None), most=4))[0] == ["dog"]
    assert told(plan(things(("dog", dog), ("bird", far)), Relator(None), most=4))[0] == ["dog", "bird"]


def test_a_jacket_is_the_mans_and_not_the_crowds() -> None:
    man, crowd, jacket = things(
        ("man", (200, 100, 300, 330)), ("person", (100, 80, 500, 334)), ("jacket", (205, 160, 300, 330))
    )
    crowd.collective = "crowd"
    clause = plan([man, crowd, jacket], Relator(None), most=4)
    worn = {node.thing.noun: said(node.arms) for node in clause.heads}
    assert worn == {"man": ["wearing jacket"], "person": []}
    alone = plan([crowd, jacket], Relator(None), most=4)
    assert [arm.of_some for node in alone.heads for arm in node.arms] == [True]


def test_nobody_is_on_a_street_and_a_road(make_book: Books) -> None:
    _, arms = told(make(None, "street", "road"))
    assert [arm.split()[0] for arm in arms].count("on") == 1
