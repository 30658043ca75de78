from __future__ import annotations

from collections.abc import Callable

from limner.corpus import Box
from limner.describe.realise import Phrasebook
from limner.describe.realise.described_things import Thing
from limner.describe.realise.sentence_plan import in_focus, ordered
from limner.text.kinds import kind_of


def things(*nouns: str) -> list[Thing]:
    return [Thing((Box(noun, 0, 0, 1, 1, noun),), noun, kind_of(noun)) for noun in nouns]


def nouns(given: list[Thing]) -> list[str]:
    return [thing.noun for thing in given]


Books = Callable[..., Phrasebook]


def test_without_captions_people_come_first_and_places_last() -> None:
    given = things("street", "table", "dog", "ball", "woman")
    assert nouns(ordered(given, None)) == ["woman", "dog", "table", "ball", "street"]


def test_equals_stay_in_the_order_of_the_selection(make_book: Books) -> None:
    assert nouns(ordered(things("ball", "kite", "sign"), None)) == ["ball", "kite", "sign"]
    assert nouns(ordered(things("kite", "sign", "ball"), make_book())) == ["kite", "sign", "ball"]


def test_captions_tell_who_comes_first(make_book: Books) -> None:
    learnt = make_book(before={"pizza": {"table": 50, "man": 3}, "man": {"pizza": 40, "table": 60}})
    assert nouns(ordered(things("table", "pizza", "man"), learnt)) == ["man", "pizza", "table"]


def test_nouns_that_captions_do_not_tell_of_go_by_their_kind(make_book: Books) -> None:
    learnt = make_book(kinds_before={"people": {"other": 9}, "other": {"animals": 5}})
    assert nouns(ordered(things("zebra", "kite", "pilot"), learnt)) == ["pilot", "kite", "zebra"]


def test_what_is_known_of_a_table_holds_of_a_dining_table(make_book: Books) -> None:
    learnt = make_book(before={"pizza": {"table": 50}, "table": {"lamp": 5}})
    assert nouns(ordered(things("dining table", "pizza"), learnt)) == ["pizza", "dining table"]


def test_the_focus_comes_first() -> None:
    given = things("woman", "dog", "car")
    for focus in ("car", "cars", "Car", "vehicles", "vehicle"):
        assert nouns(ordered(given, None, focus)) == ["car", "woman", "dog"]
    assert nouns(ordered(given, None, "unicorn")) == ["woman", "dog", "car"]
    assert in_focus(given[0], "people")


def test_thousands_of_things_are_ordered(make_book: Books) -> None:
    many = things(*(f"thing {i}" for i in range(5000)), "man")
    assert nouns(ordered(many, make_book()))[40] == "man"
