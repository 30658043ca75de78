from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Box, Caption, Image, Mention
from limner.describe.realise import FluentRealiser, Phrasebook, learn_phrasebook
from limner.describe.realise.described_things import nameable, things_of
from limner.describe.realise.evidence import clues
from limner.describe.realise.remarks import Remark
from limner.describe.selectors import Selection
from limner.errors import LimnerError
from limner.playground import World
from refusals import refusal
from strategies import images

Spot = tuple[float, float, float, float]
Books = Callable[..., Phrasebook]
PERSON: Spot = (100, 50, 200, 250)
BELOW: Spot = (90, 180, 260, 300)
BESIDE: Spot = (220, 60, 320, 250)


def picture(*boxes: tuple[str, Spot], image_id: str = "i", **more: Any) -> Image:
    made = (Box(str(i), *spot, label=label, **more) for i, (label, spot) in enumerate(boxes))
    return Image(image_id, 640, 480, tuple(made))


def tell(image: Image, book: Phrasebook | None = None, **how: Any) -> Caption:
    return FluentRealiser(book, **how).realise(image, [box.id for box in image.boxes])


def ways(*boxes: tuple[str, Spot], book: Phrasebook | None = None, **how: Any) -> set[str]:
    """Every sentence that chance gives for the same boxes."""
    return {tell(picture(*boxes, image_id=str(n)), book, **how).text for n in range(60)}


RIDER = [("person", PERSON), ("horse", BELOW)]


def test_a_learnt_act_comes_in_every_pattern(book: Phrasebook) -> None:
    assert ways(*RIDER, book=book) == {
        "A person riding a horse.",
        "A person is riding a horse.",
        "A person rides a horse.",
        "There is a person riding a horse.",
    }


def test_without_captions_the_boxes_tell() -> None:
    assert ways(*RIDER) == {"A person on a horse.", "A person is on a horse.", "There is a person on a horse."}


def test_little_detail_has_no_acts(book: Phrasebook) -> None:
    assert "A person on a horse." in ways(*RIDER, book=book, detail="low")
    assert not any("rid" in text for text in ways(*RIDER, book=book, detail="low"))


def test_simple_sentences_are_whole_ones(book: Phrasebook) -> None:
    assert ways(*RIDER, book=book, simple=True) == {
        "A person is riding a horse.",
        "A person rides a horse.",
        "There is a person riding a horse.",
    }


def test_simple_sentences_are_short() -> None:
    boxes = [
        (label, (50.0 * i, 0.0, 50.0 * i + 20, 40.0)) for i, label in enumerate(["cat", "cup", "fork", "hat", "tv"])
    ]
    text = tell(picture(*boxes), simple=True).text
    assert text.count(".") > 1
    assert max(len(sentence.split()) for sentence in text.split(".")) <= 12


def test_the_focus_is_named_first(book: Phrasebook) -> None:
    for text in ways(*RIDER, book=book, focus="animals"):
        assert text.lower().index("horse") < text.index("person")


def test_things_of_one_noun_are_one_mention() -> None:
    image = picture(*[("dog", (50.0 * i, 0.0, 50.0 * i + 40, 40.0)) for i in range(3)])
    caption = tell(image)
    assert re.search(r"\b[Tt]hree dogs", caption.text)
    assert [mention.boxes for mention in caption.mentions] == [("0", "1", "2")]


def test_people_are_named_together() -> None:
    texts = ways(("man", PERSON), ("woman", BESIDE))
    assert texts == {"A man and a woman.", "There is a man and a woman."}


def test_clothes_are_worn_by_whom_they_are_on() -> None:
    boxes = [("man", PERSON), ("woman", BESIDE), ("hat", (240.0, 60.0, 280.0, 90.0))]
    assert ways(*boxes) == {"A man and a woman in a hat.", "There is a man and a woman in a hat."}
    texts = ways(("man", PERSON), ("hat", (120.0, 50.0, 160.0, 80.0)))
    assert "A man wearing a hat." in texts
    assert "A man wears a hat." in texts


def test_what_only_some_wear_is_said_of_these() -> None:
    boxes = [("man", PERSON), ("man", BESIDE), ("hat", (120.0, 50.0, 160.0, 80.0)), ("truck", (0.0, 0.0, 330.0, 240.0))]
    assert any(text.startswith("Two men, one in a hat, ") for text in ways(*boxes))


def test_what_everybody_has_is_not_counted_again() -> None:
    boxes = [("man", PERSON), ("man", BESIDE), ("hat", (120.0, 50.0, 160.0, 80.0)), ("hat", (240.0, 60.0, 280.0, 90.0))]
    assert "Two men wearing hats." in ways(*boxes)


def test_one_who_acts_alone_is_told_apart(book: Phrasebook) -> None:
    boxes = [*RIDER, ("person", (400.0, 50.0, 480.0, 250.0)), ("person", (500.0, 50.0, 580.0, 250.0))]
    texts = ways(*boxes, book=book)
    assert all(
        re.match(r"(A|There is a) person (is )?rid(es|ing) a horse .*two other people\.", text) for text in texts
    )


def test_acts_are_not_laid_upon_bystanders(make_book: Books) -> None:
    counts = {"man": {"dog": {"next to": {"nle": 20, "tle": 20}}, "umbrella": {"holding": {"oue": 20}}}}
    told = make_book(by_nouns=counts, before={"dog": {"umbrella": 50}, "man": {"dog": 50, "umbrella": 50}})
    texts = ways(("man", PERSON), ("dog", (210.0, 100.0, 310.0, 260.0)), ("umbrella", BELOW), book=told)
    assert texts == {
        "A man next to a dog, holding an umbrella.",
        "A man next to a dog is holding an umbrella.",
        "A man next to a dog holds an umbrella.",
        "There is a man next to a dog, holding an umbrella.",
    }


def test_what_somebody_is_on_comes_before_what_is_nearby(make_book: Books) -> None:
    counts = {"man": {"tree": {"next to": {"nle": 20}}, "scooter": {"on": {"oue": 20}}}}
    told = make_book(by_nouns=counts, before={"man": {"tree": 50, "scooter": 50}, "tree": {"scooter": 50}})
    texts = ways(("man", PERSON), ("tree", (220.0, 60.0, 310.0, 260.0)), ("scooter", BELOW), book=told)
    assert "A man on a scooter next to a tree." in texts


def test_nobody_sits_and_lies_at_once(book: Phrasebook) -> None:
    boxes = [("person", PERSON), ("couch", BELOW), ("dining table", BELOW)]
    for text in ways(*boxes, book=book):
        assert len(re.findall(r"sit|lying|lies", text)) <= 1


def test_words_that_most_people_use_are_trusted(book: Phrasebook) -> None:
    texts = ways(("person", PERSON), ("dining table", BELOW), book=book)
    assert all("a table" in text and "erson" in text for text in texts)


def test_people_s_own_words_may_claim_more(make_book: Books) -> None:
    counts = {"person": {"man": 30, "person": 20, "woman": 25}}
    told = make_book(nouns=counts)
    image = picture(("person", PERSON))
    assert "man" not in tell(image, told).text
    assert re.search(r"\b[Aa] man\b", tell(image, told, words="people's").text)
    assert "people" in tell(picture(("person", PERSON), ("person", BESIDE)), told, words="people's").text


def test_two_nouns_that_people_call_alike_keep_their_own(make_book: Books) -> None:
    told = make_book(nouns={"bicycle": {"bike": 30, "bicycle": 5}})
    assert "bike" in tell(picture(("bicycle", PERSON)), told).text
    both = tell(picture(("bicycle", PERSON), ("bike", BESIDE)), told).text
    assert "a bicycle" in both.lower()
    assert "a bike" in both.lower()


def test_verbs_agree_with_how_many_there_are(book: Phrasebook) -> None:
    riders = [("person", PERSON), ("person", (150.0, 50.0, 250.0, 250.0)), ("horse", BELOW)]
    assert "Two people ride a horse." in ways(*riders, book=book)
    assert "Two people are riding a horse." in ways(*riders, book=book)
    assert "There are two people riding a horse." in ways(*riders, book=book)


def test_a_box_chosen_twice_is_mentioned_once() -> None:
    caption = FluentRealiser().realise(picture(*RIDER), ["0", "1", "0"])
    assert sorted(id for mention in caption.mentions for id in mention.boxes) == ["0", "1"]


def test_attributes_are_those_of_the_boxes() -> None:
    image = picture(("car", PERSON), attributes=("red", "old"))
    assert "old red car" in tell(image).text
    assert "red" not in tell(image, detail="low").text


def test_one_thing_is_told_in_several_ways() -> None:
    texts = ways(("dog", (20.0, 20.0, 100.0, 100.0)))
    assert {
        "A dog.",
        "There is a dog.",
        "A picture of a dog.",
        "A dog on the left side of the picture.",
        "There is a dog on the left side of the picture.",
    } <= texts
    assert "A close view of a dog." in ways(("dog", (0.0, 0.0, 640.0, 400.0)))
    assert "Two dogs next to each other." in ways(("dog", PERSON), ("dog", BESIDE))


def test_many_things_take_more_than_one_sentence() -> None:
    labels = ["man", "dog", "car", "tree", "cup", "lamp", "kite", "book", "sign", "street", "ball", "clock", "sofa"]
    image = picture(*[(label, (45.0 * i, 0.0, 45.0 * i + 40, 40.0)) for i, label in enumerate(labels)])
    caption = tell(image)
    assert caption.text.count(".") >= 2
    assert sorted(id for mention in caption.mentions for id in mention.boxes) == sorted(map(str, range(13)))


def test_nothing_chosen_is_a_picture_without_mentions() -> None:
    caption = FluentRealiser().realise(picture(*RIDER), [])
    assert (caption.text, caption.mentions, caption.source) == ("A picture.", (), "system:fluent")


def test_a_box_that_is_not_there_is_refused() -> None:
    with refusal(ValueError):
        FluentRealiser().realise(picture(*RIDER), ["9"])


@pytest.mark.parametrize("how", [{"detail": "much"}, {"words": "false"}])
def test_settings_that_are_not_there_are_refused(how: dict[str, str]) -> None:
    with refusal(LimnerError):
        FluentRealiser(**how)  # type: ignore[arg-type]


SETTINGS = st.fixed_dictionaries(
    {
        "detail": st.sampled_from(["low", "medium", "high"]),
        "simple": st.booleans(),
        "focus": st.sampled_from([None, "dog", "people"]),
        "words": st.sampled_from(["true", "people's"]),
        "seed": st.integers(0, 3),
    }
)


def check(image: Image, chosen: list[str], caption: Caption) -> None:
    """Every chosen box is in exactly one mention, no other is, and the text is a sentence."""
    counts = Counter(id for mention in caption.mentions for id in mention.boxes)
    assert counts == Counter(set(chosen))
    assert all(caption.phrase(mention).strip() == caption.phrase(mention) for mention in caption.mentions)
    assert caption.text.endswith(".")
    assert "  " not in caption.text
    assert " ," not in caption.text
    assert " ." not in caption.text.replace(" ..", "")
    assert caption.text[0] == caption.text[0].upper() or len(caption.text[0].upper()) > 1


LABELS = (
    "person",
    "man",
    "dog",
    "horse",
    "hat",
    "face",
    "street",
    "cup",
    "skis",
    "grass",
    "group",
    "car",
    "table",
    "tv",
)


@st.composite
def crowded(draw: st.DrawFn) -> Image:
    """An image of many boxes with common labels."""
    n = draw(st.integers(1, 12))
    boxes = []
    for i in range(n):
        x0, y0 = draw(st.integers(0, 300)), draw(st.integers(0, 300))
        width, height = draw(st.integers(0, 300)), draw(st.integers(0, 170))
        boxes.append(Box(str(i), x0, y0, x0 + width, y0 + height, draw(st.sampled_from(LABELS)), attributes=("red",)))
    return Image(draw(st.sampled_from(["a", "b", "c"])), 640, 480, tuple(boxes))


@given(crowded(), SETTINGS, st.booleans(), st.data())
def test_every_chosen_box_is_mentioned_once_and_no_other(
    book: Phrasebook, image: Image, how: dict[str, Any], learnt: bool, data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.sampled_from([box.id for box in image.boxes]), unique=True, min_size=1))
    realiser = FluentRealiser(book if learnt else None, **how)
    caption = realiser.realise(image, chosen)
    named = [id for thing in nameable(things_of(image, chosen)) for id in thing.ids]
    check(image, named, caption)
    # All boxes have attributes: nobody is left out.
    assert set(named) == set(chosen)
    assert FluentRealiser(book if learnt else None, **how).realise(image, chosen) == caption


@given(images(), SETTINGS)
def test_any_image_can_be_told(image: Image, how: dict[str, Any]) -> None:
    chosen = [box.id for box in image.boxes]
    caption = FluentRealiser(**how).realise(image, chosen)
    if chosen:
        # A box whose label says nothing is left out if another says something.
        check(image, [id for thing in nameable(things_of(image, chosen)) for id in thing.ids], caption)


def test_a_box_whose_label_says_nothing_is_left_out_if_another_says_something() -> None:
    nothing = picture(("face", PERSON), ("object", BELOW), ("hand", BESIDE))
    assert {id for mention in tell(nothing).mentions for id in mention.boxes} == {"0", "1", "2"}
    something = picture(("face", PERSON), ("object", BELOW), ("hand", BESIDE), ("dog", BELOW))
    assert [mention.boxes for mention in tell(something).mentions] == [("3",)]


def test_a_face_whose_attribute_cannot_be_said_is_left_out(book: Phrasebook) -> None:
    face = Box("1", 120, 60, 160, 100, "face", attributes=("xyzzy",))
    image = Image("i", 640, 480, (Box("0", *PERSON, "child"), face))
    assert [mention.boxes for mention in tell(image, book).mentions] == [("0",)]


def test_what_is_on_something_may_be_named_before_it() -> None:
    texts = [("A table with a vase .", "table", "vase")] * 6 + [("A vase on a table .", "vase", "table")] * 4
    boxes = (Box("table", 0, 200, 600, 400, "table"), Box("vase", 200, 100, 260, 250, "vase"))
    training = [
        Image(
            str(n), 640, 480, boxes, (Caption("0", text, (Mention(0, len(first) + 2, (first,)), _last(text, second))),)
        )
        for n, (text, first, second) in enumerate(texts * 3)
    ]
    drafts = FluentRealiser(learn_phrasebook(training)).drafts(training[0], ["table", "vase"])
    first_boxes = {draft.caption.mentions[0].boxes for draft in drafts}
    assert first_boxes == {("table",), ("vase",)}


def _last(text: str, noun: str) -> Mention:
    return Mention(text.rindex(noun) - 2, text.rindex(noun) + len(noun), (noun,))


def test_a_setting_is_a_mention_of_no_box_with_its_probability(photo_book: Phrasebook, photos: list[Image]) -> None:
    remarks = photo_book.remarks
    assert remarks is not None
    for image, place in ((photos[1], "a kitchen"), (photos[41], "the beach")):
        caption = FluentRealiser(photo_book).realise(image, ["a"])
        man, setting = caption.mentions
        likely = remarks.evidence.probabilities(clues(image))[remarks.evidence.outcomes.index(place.split()[1])]
        assert caption.phrase(man) in ("A man", "a man")
        assert caption.phrase(setting) == place
        assert (setting.boxes, setting.types, setting.origin) == ((), ("scene",), "ungrounded")
        assert setting.probability == pytest.approx(likely, abs=5e-4)


def test_an_act_and_a_setting_come_in_every_pattern(photo_book: Phrasebook, photos: list[Image]) -> None:
    image, book = photos[41], replace(photo_book, ngrams=None)
    texts = {FluentRealiser(book, seed=seed).realise(image, ["a"]).text for seed in range(60)}
    assert texts == {
        "A man standing on the beach.",
        "A man is standing on the beach.",
        "A man stands on the beach.",
        "There is a man standing on the beach.",
    }


def test_little_detail_has_no_settings_or_acts_of_the_phrasebook(photo_book: Phrasebook, photos: list[Image]) -> None:
    for image in photos[::9]:
        realiser = FluentRealiser(photo_book, detail="low")
        caption = realiser.realise(image, ["a"])
        assert caption.text in ("A man.", "There is a man.", "A picture of a man.")
        assert len(realiser.drafts(image, ["a"])) == 1
        assert realiser.reasons(image, ["a"]) == []


def test_simple_sentences_with_settings_are_whole_ones(photo_book: Phrasebook, photos: list[Image]) -> None:
    book = replace(photo_book, ngrams=None)
    texts = {FluentRealiser(book, seed=seed, simple=True).realise(photos[41], ["a"]).text for seed in range(60)}
    assert texts == {
        "A man is standing on the beach.",
        "A man stands on the beach.",
        "There is a man standing on the beach.",
    }


def test_the_focus_is_named_before_a_setting(photo_book: Phrasebook, photos: list[Image]) -> None:
    for seed in range(20):
        caption = FluentRealiser(photo_book, seed=seed, focus="surfboard").realise(photos[41], ["a", "b0"])
        assert [mention.boxes for mention in caption.mentions][:2] == [("b0",), ("a",)]


def test_drafts_are_everything_that_could_be_said_and_the_best_of_them_is(
    photo_book: Phrasebook, photos: list[Image]
) -> None:
    realiser = FluentRealiser(photo_book)
    drafts = realiser.drafts(photos[41], ["a"])
    said = {(_text(draft.clause.act), _text(draft.clause.setting)) for draft in drafts}
    assert said == {("", ""), ("", "on the beach"), ("standing", "on the beach")}
    likeness = [draft.likeness or 0.0 for draft in drafts]
    assert likeness == sorted(likeness, reverse=True)
    assert len({draft.caption.text for draft in drafts}) == len(drafts)
    assert realiser.realise(photos[41], ["a"]) == drafts[0].caption
    # Asking again changes nothing.
    assert [draft.caption for draft in realiser.drafts(photos[41], ["a"])] == [draft.caption for draft in drafts]
    assert realiser.drafts(photos[41], []) == []
    assert len(FluentRealiser().drafts(photos[41], ["a"])) == 1


def _text(remark: Remark | None) -> str:
    return "" if remark is None else str(remark.what)


@given(st.integers(0, 79), st.booleans(), SETTINGS)
def test_with_settings_too_every_span_is_exact_and_every_box_mentioned_once(
    photo_book: Phrasebook, photos: list[Image], number: int, both: bool, how: dict[str, Any]
) -> None:
    image, chosen = photos[number], ["a", "b0"] if both else ["a"]
    realiser = FluentRealiser(photo_book, **how)
    caption = realiser.realise(image, chosen)
    check(image, chosen, caption)
    assert realiser.realise(image, chosen) == caption
    for mention in caption.mentions:
        if mention.origin == "ungrounded":
            assert caption.phrase(mention) in ("a kitchen", "the beach")
            assert caption.text[: mention.start].endswith((" in ", " on "))
        else:
            assert caption.phrase(mention).split()[-1] in ("man", "oven", "surfboard")


def test_the_playground_is_told_in_many_ways_and_its_colours_are_true() -> None:
    world = World()
    book = learn_phrasebook(world.image(number) for number in range(150))
    realiser = FluentRealiser(book)
    texts = set()
    for number in range(200, 260):
        image = world.image(number)
        chosen = [box.id for box in image.boxes[:4]]
        caption = realiser.realise(image, chosen)
        check(image, chosen, caption)
        texts.add(caption.text)
        by_id = image.box_by_id()
        for mention in caption.mentions:
            known = {word for id in mention.boxes for word in by_id[id].attributes}
            said = set(caption.phrase(mention).lower().split())
            assert not (said & {"red", "blue", "green", "yellow", "purple", "pink"}) - known
    assert len(texts) == 60
    assert len({text.split()[1] for text in texts}) > 10


def test_five_thousand_boxes_are_told() -> None:
    boxes = tuple(Box(str(i), i % 600, i % 400, i % 600 + 9, i % 400 + 9, f"label {i % 2500}") for i in range(5000))
    image = Image("i", 640, 480, boxes)
    caption = FluentRealiser().realise(image, [box.id for box in boxes])
    assert sum(len(mention.boxes) for mention in caption.mentions) == 5000


def test_only_what_is_in_the_middle_is_said_to_be() -> None:
    where = "in the middle of the picture"
    assert any(text.endswith(f"{where}.") for text in ways(("dog", (270.0, 200.0, 370.0, 280.0))))
    assert not any(where in text for text in ways(("dog", (270.0, 380.0, 370.0, 470.0))))


def test_one_of_several_is_not_said_to_be_somewhere() -> None:
    boxes = (Box("0", 20, 20, 100, 100, "dog"), Box("1", 500, 20, 600, 100, "dog"))
    for number in range(40):
        image = Image(str(number), 640, 480, boxes)
        assert "side of the picture" not in FluentRealiser().realise(image, ["0"]).text


def test_what_a_bowl_is_of_comes_first(make_book: Callable[..., Phrasebook]) -> None:
    book = make_book(
        by_nouns={
            "bowl": {"broccoli": {"of": {"hls": 50, "hlb": 50, "hub": 50, "hdb": 50}}, "table": {"on": {"oue": 50}}}
        },
        before={"bowl": {"table": 9, "broccoli": 9}, "table": {"broccoli": 9}},
    )
    image = picture(("bowl", (100, 100, 200, 200)), ("table", (80, 150, 300, 300)), ("broccoli", (120, 120, 150, 150)))
    assert "bowl of broccoli" in tell(image, book).text


def test_glasses_to_drink_from_are_not_pairs_of_glasses(make_book: Callable[..., Phrasebook]) -> None:
    book = make_book(nouns={"wine glass": {"glass": 60, "wine glass": 40}})
    several = picture(("wine glass", PERSON), ("wine glass", BESIDE))
    assert "wine glasses" in tell(several, book).text
    assert "a glass" in tell(picture(("wine glass", PERSON)), book).text.lower()


def test_a_person_who_may_be_a_man_is_left_out_unless_in_focus() -> None:
    near, far = (150.0, 60.0, 250.0, 250.0), (500.0, 50.0, 600.0, 250.0)
    both = picture(("man", PERSON), ("person", near))
    assert [mention.boxes for mention in tell(both).mentions] == [("0",)]
    assert len(tell(both, focus="person").mentions) == 2
    assert len(tell(picture(("man", PERSON), ("person", far))).mentions) == 2
    assert len(tell(picture(("woman", PERSON), ("male", near))).mentions) == 2
    tall = picture(("man", PERSON), ("person", near), attributes=("tall",))
    assert len(tell(tall).mentions) == 2


def test_two_things_never_get_the_same_word(photo_book: Phrasebook, photos: list[Image]) -> None:
    book = replace(photo_book, nouns={"human": {"man": 60, "human": 5}})
    image = replace_boxes(photos[41], Box("p", 300, 50, 380, 250, "person"), Box("h", 450, 50, 530, 250, "human"))
    assert FluentRealiser(book).realise(image, ["p", "h"]).text.lower().count("a man") <= 1


def replace_boxes(image: Image, *boxes: Box) -> Image:
    return Image(image.id, image.width, image.height, (*image.boxes, *boxes))


def test_long_sentences_say_where_they_are_too(photo_book: Phrasebook, photos: list[Image]) -> None:
    nouns = [
        "cup",
        "fork",
        "knife",
        "spoon",
        "bowl",
        "clock",
        "vase",
        "book",
        "kite",
        "ball",
        "bat",
        "bench",
        "bed",
        "cat",
    ]
    more = [Box(noun, 10 * i, 400, 10 * i + 8, 410, noun) for i, noun in enumerate(nouns)]
    image = replace_boxes(photos[41], *more)
    draft, *others = FluentRealiser(photo_book).drafts(image, ["a", *nouns])
    assert draft.likeness is not None
    assert draft.likeness > 0.0
    assert "on the beach" in draft.caption.text
    assert others


def test_what_people_say_decides_whether_an_act_is_told(said_images: Callable[[], list[Image]]) -> None:
    riders = [image for image in said_images() if image.id.startswith("horse")]
    told = []
    for words in ("riding", "on"):
        captions = tuple(Caption(str(i), f"A person {words} a horse .") for i in range(4))
        plain = [Image(f"{words}{n}", 400, 400, riders[0].boxes, captions) for n in range(20)]
        others = [
            Image(f"o{n}", 400, 400, (Box("0", 0, 0, 9, 9, "cup"),), (Caption("0", "A cup ."),)) for n in range(20)
        ]
        ngrams = learn_phrasebook([*plain, *others]).ngrams
        book = replace(learn_phrasebook(said_images()), ngrams=ngrams)
        texts = {draft.caption.text for draft in FluentRealiser(book).drafts(riders[0], ["a", "b"])}
        assert any("rid" in text for text in texts)
        assert any(" on a horse" in text for text in texts)
        told.append(FluentRealiser(book).realise(riders[0], ["a", "b"]).text)
    assert "rid" in told[0]
    assert "on a horse" in told[1]


def test_of_several_selections_that_promise_alike_the_one_is_said_that_reads_best(photos: list[Image]) -> None:
    realiser = FluentRealiser(learn_phrasebook(photos))
    image = photos[1]
    man, both = Selection(["a"]), Selection(["a", "b0"])
    worth = {s.boxes[-1]: realiser.drafts(image, s.boxes)[0].likeness or 0.0 for s in (man, both)}
    assert worth["a"] > worth["b0"]
    for offers in ([man, both], [both, man]):
        assert realiser.realise_any(image, offers) == realiser.realise(image, ["a"])


def test_a_selection_that_promises_too_little_is_not_said(photos: list[Image]) -> None:
    realiser = FluentRealiser(learn_phrasebook(photos))
    offers = [Selection(["a", "b0"]), Selection(["a"], 0.5)]
    assert realiser.realise_any(photos[1], offers) == realiser.realise(photos[1], ["a", "b0"])


def test_without_captions_to_compare_with_the_first_selection_is_said(book: Phrasebook, photos: list[Image]) -> None:
    offers = [Selection(["a", "b0"]), Selection(["a"])]
    for realiser in (FluentRealiser(book), FluentRealiser()):
        assert realiser.realise_any(photos[1], offers) == realiser.realise(photos[1], ["a", "b0"])


def test_what_is_in_focus_is_not_left_out_for_another_selection(photos: list[Image]) -> None:
    book = learn_phrasebook(photos)
    offers = [Selection(["a", "b0"]), Selection(["a"])]
    said = FluentRealiser(book, focus="oven").realise_any(photos[1], offers)
    assert any("b0" in mention.boxes for mention in said.mentions)
    assert all("b0" not in mention.boxes for mention in FluentRealiser(book).realise_any(photos[1], offers).mentions)
