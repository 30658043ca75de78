from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Caption, Mention
from limner.describe.realise.remarks import (
    COMPOUNDS,
    INTRANSITIVE,
    OBJECTS,
    PARTICLES,
    STATES,
    SURFACES,
    Act,
    Setting,
    act_of,
    read_remarks,
    setting_of,
)


def marked(text: str) -> Caption:
    """A caption whose phrases in brackets are mentions of the boxes 0, 1, 2 and so on."""
    plain, mentions = "", []
    for number, part in enumerate(text.replace("]", "[").split("[")):
        if number % 2:
            mentions.append(Mention(len(plain), len(plain) + len(part), (str(number // 2),)))
        plain += part
    return Caption("0", plain, tuple(mentions))


BOXES = {"0", "1", "2", "3"}


def settings_in(text: str, boxes: set[str] = BOXES) -> list[str]:
    return [str(setting) for setting in read_remarks(marked(text), boxes).settings]


def acts_in(text: str, boxes: set[str] = BOXES) -> list[tuple[str, int]]:
    return [(str(act), mention) for act, mention in read_remarks(marked(text), boxes).acts]


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("[A man] in a kitchen .", ["in a kitchen"]),
        ("[A man] In The Kitchen .", ["in the kitchen"]),
        ("[A man] on a blue tennis court .", ["on a blue tennis court"]),
        ("[A man] on top of a table near some water", ["on a table", "near some water"]),
        ("[A man] in the middle of the street", ["in the middle of the street"]),
        ("[A dog] walking towards the beach", ["toward the beach"]),
        ("In a park [a man] eats .", ["in a park"]),
        ("[A man] on grass", ["on grass"]),
        ("[A man] in a", []),
        ("[A man] in", []),
        ("[A man] in a hat", []),
        ("[A man] in a tall red green old wooden kitchen", []),
        ("[A man] in the background", []),
        ("[A man] of a kitchen", []),
        ("", []),
    ],
)
def test_settings_of_captions(text: str, settings: list[str]) -> None:
    assert settings_in(text) == settings


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("[A man] playing tennis .", [("playing tennis", 0)]),
        ("[A man] plays tennis .", [("playing tennis", 0)]),
        ("[A man] is playing a game of tennis .", [("playing a game of tennis", 0)]),
        ("[A man] and [a woman] are standing .", [("standing", 1)]),
        ("[A dog] laying down in a park", [("lying down", 0)]),
        ("[A car] parked on the street", [("parked", 0)]),
        ("[A man] who is surfing waves and [a dog] swimming", [("surfing waves", 0), ("swimming", 1)]),
        ("[A man] riding a wave", [("riding a wave", 0)]),
        ("[A man] riding", []),
        ("[A man] holding something", []),
        ("A man playing tennis", []),
        ("Playing tennis", []),
        ("[A man] kicked Bob", []),
    ],
)
def test_acts_of_captions_and_who_does_them(text: str, acts: list[tuple[str, int]]) -> None:
    assert acts_in(text) == acts


@pytest.mark.parametrize(
    "text",
    [
        "[A man] standing on [a bench]",
        "[A man] standing next to [a bench]",
        "[A man] standing in front of the [bench]",
        "[A man] playing [tennis]",
        "[A man] eating [food]",
        "[A man] playing tennis with [a dog]",
        "[A man] eating spaghetti",
    ],
)
def test_what_is_done_to_something_or_beside_it_is_no_act_by_itself(text: str) -> None:
    assert acts_in(text) == []


def test_nothing_inside_the_mention_of_a_box_is_read() -> None:
    assert settings_in("[A man in a kitchen] on [a street]") == []
    assert settings_in("[A man] in [a kitchen]") == []
    assert settings_in("[A man] in [a] kitchen") == []
    assert acts_in("[A man playing tennis] .") == []


def test_a_mention_of_boxes_that_are_not_there_is_read() -> None:
    assert settings_in("[A man] in [a kitchen]", {"0"}) == ["in a kitchen"]
    assert acts_in("[A man] standing on [a beach]", {"0"}) == [("standing", 0)]
    assert acts_in("[A man] standing on a beach", set()) == []


@pytest.mark.parametrize(
    "text", ["[A man] in , a kitchen", "[A man] in a. Kitchen", "[A man] in the middle , of the street", "in - a park"]
)
def test_punctuation_ends_a_setting(text: str) -> None:
    assert "kitchen" not in " ".join(settings_in(text))
    assert settings_in(text) == []


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("[A man] , playing tennis", []),
        ("[A man] eating. Food on a table.", ["eating"]),
        ("[A man] playing , tennis on tv", ["playing"]),
        ("[A man] playing a game. Of tennis , no word .", ["playing a game"]),
        ("[A dog] lying , down the road", ["lying"]),
    ],
)
def test_punctuation_ends_an_act(text: str, acts: list[str]) -> None:
    assert [act for act, _ in acts_in(text)] == acts


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("on a blue tennis court", "tennis court"),
        ("in the living room", "living room"),
        ("on train tracks", "train tracks"),
        ("in a small room", "room"),
        ("on the streets", "street"),
        ("on a table", "table"),
    ],
)
def test_the_noun_of_a_setting_is_its_place(text: str, noun: str) -> None:
    setting = setting_of(text)
    assert setting is not None
    assert setting.noun == noun


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "in",
        "in ",
        "in a",
        "in  a kitchen",
        "in a kitchen ",
        " in a kitchen",
        "in a kitchen\n",
        "in a kitchen. Buy now!",
        "in a kitchen , buy",
        "In a kitchen",
        "in a <b>kitchen</b>",
        "in a kitchen with knives",
        "in my kitchen",
        "on top of a table",
        "in a blorbish kitchen",
        "murdering",
        "playing",
        "in a the kitchen",
        "in \u202ea kitchen",
    ],
)
def test_no_other_text_is_a_setting(text: str) -> None:
    assert setting_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "play tennis",
        "plays tennis",
        "playing  tennis",
        "playing tennis ",
        "playing tennis\n",
        "playing Tennis",
        "playing with fire",
        "riding",
        "holding",
        "murdering people",
        "lying down there",
        "flying down",
        "playing tennis. Buy now!",
        "in a kitchen",
    ],
)
def test_no_other_text_is_an_act(text: str) -> None:
    assert act_of(text) is None


@given(st.text(max_size=30))
def test_any_text_is_nothing_or_itself(text: str) -> None:
    for remark in (setting_of(text), act_of(text)):
        assert remark is None or str(remark) == text


ACTS = [
    *(Act(verb) for verb in sorted(INTRANSITIVE | STATES)),
    *(Act(verb, particle) for verb, particles in PARTICLES.items() for particle in particles),
    *(Act(verb, object=said) for verb, objects in OBJECTS.items() for said in objects),
]


@pytest.mark.parametrize("act", ACTS, ids=str)
def test_every_act_of_the_vocabulary_is_read_from_captions_and_phrasebooks(act: Act) -> None:
    assert act_of(str(act)) == act
    assert read_remarks(marked(f"[It] is {act} ."), {"0"}).acts == [(act, 0)]


WORDS = [
    "[A man]", "[a dog]", "[the bench]", ",", ".", "a", "an", "the", "some", "is", "are", "and", "who", "with",
    "in", "on", "top", "of", "middle", "side", "front", "next", "to", "towards", "at", "near", "by", "down", "around",
    "kitchen", "street", "streets", "beach", "tennis", "court", "field", "room", "living", "tracks", "train", "table",
    "snow", "covered", "large", "blue", "wooden", "playing", "plays", "play", "laying", "lies", "standing", "flies",
    "parked", "seated", "game", "wave", "waves", "riding", "eating", "grass", "posing", "for", "camera", "smiles",
    "background", "outside", "driving", "<b>", "7", "Kitchen", "日本",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))
def test_whatever_is_read_from_a_caption_is_accepted_from_a_phrasebook(text: str) -> None:
    caption = marked(text)
    boxes = {id for mention in caption.mentions for id in mention.boxes}
    remarks = read_remarks(caption, boxes)
    for setting in remarks.settings:
        assert setting_of(str(setting)) == setting
        assert setting.noun
    for act, mention in remarks.acts:
        assert act_of(str(act)) == act
        assert 0 <= mention < len(caption.mentions)


def test_surfaces_are_places_to_be_on() -> None:
    for surface in sorted(SURFACES):
        assert setting_of(f"on a {surface}") == Setting("on", f"a {surface}")


def test_places_of_two_words_are_settings() -> None:
    assert not {place for place in COMPOUNDS if setting_of(f"in the {place}") is None}
    assert setting_of("in a lot") is None
