from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Box, Caption, Image
from limner.describe.realise import FluentRealiser, Phrasebook
from limner.describe.realise.described_things import things_of
from limner.describe.realise.evidence import Evidence, clues
from limner.describe.realise.relation_words import Relation
from limner.describe.realise.remark_choice import (
    MOST_ACTING,
    MOST_ACTS,
    MOST_SETTINGS,
    TRUE_ACT,
    TRUE_SETTING,
    TRUE_WORD,
    RemarkChooser,
)
from limner.describe.realise.remark_table import WORDS_FOR_PEOPLE, RemarkTable, truth_of
from limner.describe.realise.remarks import Remark
from limner.describe.realise.sentence_plan import Arm, Clause, Node

Books = Callable[..., Phrasebook]
Counts = Mapping[str, int]


def table(
    settings: Counts, acts: Counts, likely: Mapping[str, float], /, *, of: tuple[str, ...] = ("man",), **more: Any
) -> RemarkTable:
    """What is said of some nouns, where truths have fixed probabilities, whatever the boxes are."""
    truths = sorted({*map(truth_of, (*settings, *acts)), *WORDS_FOR_PEOPLE})
    odds = {truth: likely.get(truth, 0.01) / (1 - likely.get(truth, 0.01)) for truth in truths}
    fields: dict[str, Any] = {
        "settings": {"": dict(settings), **{noun: dict(settings) for noun in of}},
        "acts": {"": dict(acts), **{noun: dict(acts) for noun in of}},
        "prepositions": {"": {}},
        "shown": dict.fromkeys(truths, 100),
        "n_captions": 5.0,
        "evidence": Evidence(weights={truth: {"": log(odds[truth])} for truth in truths}),
    }
    return RemarkTable(**{**fields, **more})


def picture(*labels: str) -> Image:
    """Things side by side, far apart."""
    return Image(
        "i", 2000, 100, tuple(Box(str(i), 200 * i, 0, 200 * i + 50, 90, name) for i, name in enumerate(labels))
    )


def clause_of(image: Image, n_heads: int = 1, relation: Relation | None = None) -> Clause:
    """A clause of the first things, and with a relation to all others."""
    nodes = [Node(thing) for thing in things_of(image, [box.id for box in image.boxes])]
    arms = [] if relation is None else [Arm(relation, [node]) for node in nodes[n_heads:]]
    return Clause(nodes[:n_heads], arms)


def completions(
    remarks: RemarkTable, *labels: str, n_heads: int = 1, relation: Relation | None = None, hidden: str = ""
) -> list[tuple[str, str]]:
    """The act and the setting of each completion as text; `hidden` is a label of a box that is not spoken of."""
    image = picture(*labels)
    clause = clause_of(image, n_heads, relation)
    if hidden:
        image = picture(*labels, hidden)
    chooser = RemarkChooser(remarks)
    said = chooser.completions(clause, image, chooser.probabilities(clues(image)))
    return [(_text(act), _text(setting)) for act, setting in said]


def _text(remark: Remark | None) -> str:
    return "" if remark is None else str(remark.what)


@pytest.mark.parametrize(
    ("likely", "said"),
    [
        (TRUE_SETTING + 0.01, [("", "in a kitchen")]),
        (TRUE_SETTING - 0.01, []),
    ],
)
def test_a_setting_is_considered_if_it_is_likely_enough(likely: float, said: list[tuple[str, str]]) -> None:
    assert completions(table({"in a kitchen": 9}, {}, {"kitchen": likely}), "man") == said


@pytest.mark.parametrize(("likely", "said"), [(TRUE_ACT + 0.01, [("playing tennis", "")]), (TRUE_ACT - 0.01, [])])
def test_an_act_is_considered_if_it_is_likely_enough(likely: float, said: list[tuple[str, str]]) -> None:
    assert completions(table({}, {"playing tennis": 9}, {"tennis": likely}), "man") == said


@pytest.mark.parametrize(
    ("setting", "place", "is_said"),
    [
        ("on a plate", "plate", True),
        ("on a white plate", "plate", False),
        ("on a snowy street", "street", True),
        ("on the side of a building", "building", False),
        ("behind a building", "building", False),
        ("on a wave", "wave", False),
    ],
)
def test_a_setting_claims_no_colour_and_no_exact_spot(setting: str, place: str, is_said: bool) -> None:
    remarks = table({setting: 9}, {}, {place: 0.99}, of=("cup",))
    assert completions(remarks, "cup") == ([("", setting)] if is_said else [])


def test_a_crowd_does_not_play_tennis() -> None:
    remarks = table({}, {"playing tennis": 9}, {"tennis": 0.99})
    assert completions(remarks, *["man"] * MOST_ACTING) == [("playing tennis", "")]
    assert completions(remarks, *["man"] * (MOST_ACTING + 1)) == []


NEXT_TO = Relation(preposition="next to")


@pytest.mark.parametrize(
    ("act", "truth", "likely", "is_said"),
    [
        ("playing tennis", "tennis", TRUE_ACT + 0.01, True),
        ("playing tennis", "tennis", TRUE_ACT - 0.01, False),
        ("standing", "stand", 0.99, False),
    ],
)
def test_beside_a_thing_an_act_must_say_more(act: str, truth: str, likely: float, is_said: bool) -> None:
    said = completions(table({}, {act: 9}, {truth: likely}), "man", "dog", relation=NEXT_TO)
    assert ((act, "") in said) == is_said


def test_who_does_something_to_a_box_does_nothing_else() -> None:
    said = completions(table({}, {"playing tennis": 9}, {"tennis": 0.99}), "man", "dog", relation=Relation("hold"))
    assert said == []


def test_an_act_that_was_rarely_said_of_a_noun_is_not_said() -> None:
    likely = {"tennis": 0.99}
    assert completions(table({}, {"playing tennis": 2}, likely), "man") == []
    assert completions(table({}, {"playing tennis": 3}, likely), "man") == [("playing tennis", "")]
    assert completions(table({}, {"playing tennis": 9}, likely), "woman") == []


@pytest.mark.parametrize(
    ("place", "setting", "label"),
    [
        ("kitchen", "in a kitchen", "kitchen"),
        ("street", "on the streets", "street"),
        ("tennis court", "on a tennis court", "court"),
        ("tennis court", "on a tennis court", "tennis court"),
        ("train tracks", "on train tracks", "train tracks"),
        ("train tracks", "on train tracks", "track"),
        ("table", "on a table", "dining table"),
    ],
)
def test_a_place_that_has_a_box_is_never_an_ungrounded_setting(place: str, setting: str, label: str) -> None:
    remarks = table({setting: 9}, {}, {place: 0.99}, of=("cup",))
    assert completions(remarks, "cup") == [("", setting)]
    assert completions(remarks, "cup", hidden=label) == []


def test_things_lie_on_surfaces_only_where_nothing_else_is_said() -> None:
    remarks = table({"on a table": 9, "in a kitchen": 9}, {}, {"table": 0.99, "kitchen": 0.9}, of=("cup",))
    assert {setting for _, setting in completions(remarks, "cup")} == {"on a table", "in a kitchen"}
    assert {setting for _, setting in completions(remarks, "cup", "fork", n_heads=2)} == {"in a kitchen"}
    assert {s for _, s in completions(remarks, "cup", "fork", relation=NEXT_TO)} == {"in a kitchen"}


@pytest.mark.parametrize(
    ("label", "hidden", "is_said"), [("man", "", True), ("man", "boat", False), ("boat", "man", True)]
)
def test_who_may_be_on_a_boat_is_not_said_to_be_in_the_water(label: str, hidden: str, is_said: bool) -> None:
    remarks = table({"in the water": 9}, {}, {"water": 0.99}, of=("man", "boat"))
    assert bool(completions(remarks, label, hidden=hidden)) == is_said


def test_what_is_said_to_be_in_a_place_has_no_other_setting() -> None:
    remarks = table({"in a kitchen": 9}, {}, {"kitchen": 0.99})
    assert completions(remarks, "man", "street", relation=Relation(preposition="on")) == []


@pytest.mark.parametrize(
    ("label", "act", "can"),
    [
        ("man", "flying", False),
        ("man", "grazing", False),
        ("man", "parked", False),
        ("man", "swimming", True),
        ("bird", "flying", True),
        ("airplane", "flying", True),
        ("kite", "flying", False),
        ("cow", "grazing", True),
        ("car", "parked", True),
        ("cup", "standing", False),
    ],
)
def test_people_do_not_fly_and_lifeless_things_do_nothing(label: str, act: str, can: bool) -> None:
    remarks = table({"on a street": 9}, {act: 9}, {truth_of(act): 0.99, "street": 0.9}, of=(label,))
    assert ((act, "on a street") in completions(remarks, label)) == can


def test_who_works_does_so_somewhere() -> None:
    remarks = table({"in a kitchen": 9}, {"working": 9}, {"kitchen": 0.9, "work": 0.9})
    assert completions(remarks, "man") == [("working", "in a kitchen"), ("", "in a kitchen")]


def test_only_the_best_are_candidates() -> None:
    settings = {f"{preposition} the kitchen": 9 for preposition in ("in", "near", "by", "outside", "at")}
    acts = dict.fromkeys(("running", "jumping", "swimming", "posing"), 9)
    likely = {"kitchen": 0.9, "run": 0.9, "jump": 0.85, "swim": 0.8, "pose": 0.76}
    said = completions(table(settings, acts, likely), "man")
    assert len(said) == (1 + MOST_ACTS) * (1 + MOST_SETTINGS) - 1
    assert {act for act, _ in said} == {"", "running", "jumping"}


def test_what_is_true_is_said_as_most_people_do() -> None:
    remarks = table({"in a kitchen": 90, "in the kitchen": 10}, {"standing": 90}, {"kitchen": 0.9, "stand": 0.9})
    assert completions(remarks, "man")[0] == ("standing", "in a kitchen")


def test_a_completion_knows_its_probability() -> None:
    remarks = table({"in a kitchen": 30, "in the kitchen": 10}, {}, {"kitchen": 0.8}, of=())
    image = picture("man")
    chooser = RemarkChooser(remarks)
    said = chooser.completions(clause_of(image), image, chooser.probabilities(clues(image)))
    assert [setting.probability for _, setting in said if setting is not None] == [pytest.approx(0.8)] * 2


def test_what_is_said_of_a_noun_outweighs_what_is_said_of_all() -> None:
    settings = {"": {"in a kitchen": 50, "near a kitchen": 50}, "man": {"near a kitchen": 50}}
    remarks = table({"in a kitchen": 50, "near a kitchen": 50}, {}, {"kitchen": 0.9}, settings=settings)
    assert completions(remarks, "man")[0] == ("", "near a kitchen")


def test_prepositions_follow_the_verbs_that_they_follow_in_captions() -> None:
    prepositions = {"": {"in": 50, "near": 50}, "stand": {"near": 50}}
    remarks = table(
        {"in a kitchen": 50, "near a kitchen": 45},
        {"standing": 50},
        {"kitchen": 0.9, "stand": 0.9},
        prepositions=prepositions,
    )
    assert completions(remarks, "man")[0] == ("standing", "near a kitchen")


@pytest.mark.parametrize(("likely", "word"), [(TRUE_WORD + 0.01, "woman"), (TRUE_WORD - 0.01, "person")])
def test_a_person_is_called_what_is_likely_enough(likely: float, word: str) -> None:
    chooser = RemarkChooser(table({}, {}, {"woman": likely, "girl": 0.3}))
    (thing,) = things_of(picture("person"), ["0"])
    assert chooser.word(thing, chooser.probabilities(clues(picture("person")))) == word


def test_several_people_and_those_who_are_called_something_keep_their_words() -> None:
    chooser = RemarkChooser(table({}, {}, {"woman": 0.99}))
    image = picture("person", "person", "boy")
    likely = chooser.probabilities(clues(image))
    assert [chooser.word(thing, likely) for thing in things_of(image, ["0", "1", "2"])] == ["person", "boy"]


def told(remarks: RemarkTable, image: Image, make_book: Books) -> Caption:
    return FluentRealiser(make_book(remarks=remarks)).realise(image, [box.id for box in image.boxes])


def test_verbs_that_are_truths_have_their_probabilities() -> None:
    remarks = table({"in a kitchen": 9}, {"standing": 9, "playing tennis": 9}, {"stand": 0.7, "kitchen": 0.9})
    chooser = RemarkChooser(remarks)
    assert chooser.acts(chooser.probabilities(clues(picture("man")))) == {"stand": pytest.approx(0.7)}


SETTINGS = ["in a kitchen", "on the beach", "near the street", "on a table"]
ACTS = ["standing", "playing tennis", "flying", "riding a wave", "parked"]
LABELS = ["man", "dog", "kitchen", "car", "cup", "street", "table", "person"]


@given(
    st.dictionaries(st.sampled_from(SETTINGS), st.integers(1, 50)),
    st.dictionaries(st.sampled_from(ACTS), st.integers(1, 50)),
    st.dictionaries(st.sampled_from([*map(truth_of, (*SETTINGS, *ACTS)), "man", "woman"]), st.floats(0.01, 0.99)),
    st.lists(st.sampled_from(LABELS), min_size=1, max_size=4),
)
def test_nothing_that_is_unlikely_is_ever_said(
    make_book: Books,
    settings: Counts,
    acts: Counts,
    likely: Mapping[str, float],
    labels: list[str],
) -> None:
    remarks = table(settings, acts, likely, of=tuple(LABELS))
    image = picture(*labels)
    realiser = FluentRealiser(make_book(remarks=remarks))
    ids = [box.id for box in image.boxes]
    caption = realiser.realise(image, ids)
    assert realiser.realise(image, ids) == caption
    for mention in caption.mentions:
        if mention.origin == "ungrounded":
            assert mention.boxes == ()
            assert mention.probability is not None
            assert mention.probability >= TRUE_SETTING - 1e-3
            assert caption.phrase(mention).split()[-1] not in labels
    for draft in realiser.drafts(image, ids):
        act, setting = draft.clause.act, draft.clause.setting
        if act is not None:
            assert act.probability >= TRUE_ACT
            assert act.probability == pytest.approx(likely[truth_of(str(act.what))])
        if setting is not None:
            assert setting.probability >= TRUE_SETTING
