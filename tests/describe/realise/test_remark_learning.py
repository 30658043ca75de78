from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Box, Caption, Image, Mention
from limner.describe.realise import learn_phrasebook, read_phrasebook, write_phrasebook
from limner.describe.realise.evidence import Evidence, clues
from limner.describe.realise.remark_learning import RemarkLearner
from limner.describe.realise.remark_table import NO_VERB, RemarkTable, table_faults, truth_of
from limner.describe.realise.remarks import COMPOUNDS, INTRANSITIVE, OBJECTS, STATES, SURFACES, Act, setting_of
from limner.errors import BadInput
from limner.text.kinds import kind_of_noun
from limner.text.labels import many
from refusals import refusal


def learnt(images: list[Image]) -> RemarkTable:
    learner = RemarkLearner()
    for image in images:
        learner.add(image)
    return learner.table(learner.clue_rows())


def probability(table: RemarkTable, truth: str, *names: str) -> float:
    return float(table.evidence.probabilities(names)[table.evidence.outcomes.index(truth)])


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("in a kitchen", "kitchen"),
        ("on a blue tennis court", "tennis court"),
        ("on the streets", "street"),
        ("playing tennis", "tennis"),
        ("playing a game of tennis", "tennis"),
        ("riding waves", "wave"),
        ("posing for the camera", "camera"),
        ("lying down", "lie"),
        ("standing", "stand"),
        ("parked", "parked"),
    ],
)
def test_a_remark_is_true_if_its_place_its_game_or_its_verb_is(text: str, truth: str) -> None:
    assert truth_of(text) == truth


def test_ovens_are_clues_of_kitchens_and_surfboards_of_beaches(photos: list[Image]) -> None:
    table = learnt(photos)
    oven, surfboard = clues(photos[1]), clues(photos[41])
    # Nine of ten, drawn a little to one half.
    assert 0.8 < probability(table, "kitchen", *oven) < 0.9
    assert 0.1 < probability(table, "kitchen", *surfboard) < 0.2
    assert 0.8 < probability(table, "beach", *surfboard) < 0.9
    assert 0.1 < probability(table, "beach", *oven) < 0.2
    assert probability(table, "kitchen", "oven") > 0.5 > probability(table, "kitchen", "surfboard")
    assert {name for name, _ in table.evidence.reasons("kitchen", oven)} == {"oven", "small oven"}


def test_what_is_said_is_counted_by_who_it_is_said_of(photos: list[Image]) -> None:
    table = learnt(photos)
    counts = {"in a kitchen": 80, "on the beach": 80}
    assert table.settings == {"": counts, "man": counts, "kind people": counts}
    assert table.acts == {"": {"standing": 80}, "man": {"standing": 80}}
    assert table.prepositions == {"": {"in": 80, "on": 80}, NO_VERB: {"in": 80}, "stand": {"on": 80}}
    assert table.n_captions == 2.0
    shown = {"kitchen": 40, "beach": 40, "stand": 40, "man": 80}
    assert table.shown == {**shown, **dict.fromkeys(("woman", "boy", "girl", "child", "baby"), 0)}


def test_captions_that_speak_of_no_place_tell_nothing_of_which_it_is(photos: list[Image]) -> None:
    silent = [Image(f"s{i}", 640, 480, image.boxes, (Caption("0", "A man ."),)) for i, image in enumerate(photos * 3)]
    of_places, of_all = learnt(photos), learnt(photos + silent)
    assert of_all.shown["kitchen"] == of_places.shown["kitchen"]
    oven = clues(photos[1])
    # Three of four images say nothing, and where it is is as clear as before; what is done is no longer said as often.
    assert probability(of_all, "kitchen", *oven) > 0.8
    surfboard = clues(photos[41])
    assert probability(of_all, "stand", *surfboard) < 0.3 < 0.8 < probability(of_places, "stand", *surfboard)


def test_only_gold_captions_teach(photos: list[Image]) -> None:
    image = photos[0]
    said = tuple(Caption(c.id, c.text, c.mentions, "person:labels") for c in image.captions)
    learner = RemarkLearner()
    assert not learner.add(Image(image.id, 640, 480, image.boxes, said))
    assert learner.add(image)


def test_nothing_at_all_makes_an_empty_table() -> None:
    table = learnt([])
    assert table.settings == table.acts == table.prepositions == {"": {}}
    assert set(table.shown.values()) == {0}
    assert list(table_faults(table)) == []


@pytest.mark.parametrize(
    ("texts", "holds"),
    [
        (["A man in a hat ."], {"man"}),
        (["A man in a hat .", "A woman ."], set()),
        (["A boy ."], {"boy"}),
        (["A boy ; a kid ."], set()),
        (["A lady and a woman ."], set()),
        (["Men ."], {"man"}),
    ],
)
def test_a_word_for_people_holds_where_no_other_is_used(texts: list[str], holds: set[str]) -> None:
    captions = tuple(Caption(str(i), text) for i, text in enumerate(texts))
    shown = learnt([Image("i", 10, 10, (), captions)]).shown
    assert {word for word, n in shown.items() if n} == holds


def test_words_alike_make_the_same_true() -> None:
    street = [Image(str(i), 10, 10, (), (Caption("0", "A man on the street ."),)) for i in range(6)]
    road = [Image(f"r{i}", 10, 10, (), (Caption("0", "A quiet road ."),)) for i in range(3)]
    assert learnt(street + road).shown["street"] == 9


PLACES = [
    *sorted(COMPOUNDS | SURFACES),
    "kitchen", "street", "beach", "building", "room", "park", "field", "road", "water", "ocean", "snow",
    "grass", "sidewalk", "wall", "city", "forest", "restaurant", "sky", "mountain", "slope", "river", "house",
]  # fmt: skip
SETTINGS = [
    text for place in PLACES for text in (f"in the {place}", f"near some {many(place)}") if setting_of(text) is not None
]
ACTS = [str(Act(verb)) for verb in sorted(INTRANSITIVE | STATES)] + [
    str(Act(verb, object=said)) for verb, objects in OBJECTS.items() for said in objects
]


@pytest.mark.parametrize("text", SETTINGS + ACTS)
def test_whatever_a_caption_says_holds_of_its_image(text: str) -> None:
    sentence = f"A man is {text} ."
    image = Image("i", 10, 10, (Box("0", 0, 0, 9, 9, "man"),), (Caption("0", sentence, (Mention(0, 5, ("0",)),)),))
    assert learnt([image] * 5).shown[truth_of(text)] == 5


def test_places_in_the_table_of_this_test_are_scenes() -> None:
    assert all(kind_of_noun(place) == "scene" for place in PLACES if place not in COMPOUNDS | SURFACES)


def test_a_phrasebook_is_learnt_from_few_images_in_front_of_buildings() -> None:
    sentence = "A man in front of a building ."
    captions = tuple(Caption(str(i), sentence, (Mention(0, 5, ("0",)),)) for i in range(3))
    images = [Image(str(i), 10, 10, (Box("0", 0, 0, 9, 9, "man"),), captions) for i in range(10)]
    remarks = learn_phrasebook(images).remarks
    assert remarks is not None
    assert remarks.shown["building"] == 10


def test_equal_images_give_equal_tables(photos: list[Image], said_images: Callable[[], list[Image]]) -> None:
    images = photos + said_images()
    assert learnt(images) == learnt(images)


SAID = [
    "in", "on", "near", "the", "a", "in front of", "kitchen", "buildings", "building", "tennis court", "tennis courts",
    "train tracks", "train", "streets", "large", "is", "standing", "plays", "tennis", "riding", "waves", "parked",
    "eating leaves", "lying down", "leaves", ",", ".",
]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(SAID), max_size=6).map(" ".join), min_size=1, max_size=4))
def test_no_table_that_was_learnt_is_refused_when_it_is_read(texts: list[str]) -> None:
    captions = tuple(Caption(str(i), f"A man {text}", (Mention(0, 5, ("0",)),)) for i, text in enumerate(texts))
    table = learnt([Image("i", 10, 10, (Box("0", 0, 0, 9, 9, "man"),), captions)] * 4)
    assert list(table_faults(table)) == []


def test_a_table_that_would_break_or_fill_the_memory_is_refused(photos: list[Image], tmp_path: Path) -> None:
    book = learn_phrasebook(photos)
    assert book.remarks is not None
    table, weights = book.remarks, book.remarks.evidence.weights
    larger = {**weights, **{f"outcome {i}": {f"clue {i}": 1.0} for i in range(2_000)}}
    for hostile in (
        replace(table, shown=dict.fromkeys(table.shown, -5)),
        replace(table, n_captions=1e308),
        replace(table, evidence=Evidence(weights={**weights, "man": {"": -5000.0}})),
        replace(table, evidence=Evidence(weights=larger)),
    ):
        write_phrasebook(replace(book, remarks=hostile), tmp_path / "book.json")
        with refusal(BadInput):
            read_phrasebook(tmp_path / "book.json")
