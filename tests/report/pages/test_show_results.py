"""Results: whose captions they are, which boxes they mean, and what is refused."""

from __future__ import annotations

import pytest

from limner.corpus import Box, Caption, Image, Mention
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.report.pages.show_page import Results
from refusals import refusal

GOLD = Image("a", 100, 100, (Box("0", 0, 0, 50, 50, "dog"),), (Caption("0", "A dog ."),))


def said(text: str, source: str = "system:s", box: str = "0", id: str = "0") -> Caption:
    return Caption(id, text, (Mention(0, len(text), (box,)),), source)


def results(*files: tuple[str, list[Image]], lenient: bool = False) -> Results:
    return Results(files, Reading(lenient=lenient))


def taken(found: Results, gold: Image = GOLD) -> list[tuple[str, str]]:
    return [(one.source, one.caption.text) for one in found.take(gold)]


def test_captions_keep_the_source_they_name() -> None:
    found = results(("r.jsonl", [Image("a", captions=(said("One"), said("Two", "person:p", id="1")))]))
    assert found.sources == ["system:s", "person:p"]
    assert taken(found) == [("system:s", "One"), ("person:p", "Two")]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("out/mine.jsonl", "mine"),
        ("mine.v1.jsonl.gz", "mine.v1"),
        ("mine.json", "mine"),
        ("-", "results"),
        (".jsonl", ".jsonl"),
    ],
)
def test_a_file_of_gold_captions_only_is_a_system_of_its_name(file: str, name: str) -> None:
    found = results((file, [Image("a", captions=(said("One", "gold"),))]))
    assert found.sources == [f"system:{name}"]
    assert taken(found) == [(f"system:{name}", "One")]


def test_gold_captions_among_a_systems_are_copies_and_others_are_told_of() -> None:
    reading = Reading()
    captions = (Caption("0", "A dog ."), Caption("1", "A cat ."), said("One", id="2"))
    found = Results([("r.jsonl", [Image("a", captions=captions)])], reading)
    assert taken(found) == [("system:s", "One")]
    assert reading.warnings == {"gold caption of a result passed over, which the corpus does not have": 1}


def test_one_system_in_two_files_is_two_systems() -> None:
    one = [Image("a", captions=(said("One"),))]
    assert results(("x/a.jsonl", one), ("x/b.jsonl", one)).sources == ["system:s (a)", "system:s (b)"]
    assert results(("x/a.jsonl", one), ("y/a.jsonl", one)).sources == ["system:s (1)", "system:s (2)"]


def test_results_for_an_image_that_is_not_there_are_refused() -> None:
    found = results(("r.jsonl", [Image("b", captions=(said("One"),))]))
    assert taken(found) == []
    assert found.pending
    with refusal(BadInput):
        found.refuse_rest()


def test_lenient_they_are_counted() -> None:
    reading = Reading(lenient=True)
    found = Results([("r.jsonl", [Image("b"), Image("c")])], reading)
    found.refuse_rest()
    assert reading.skipped == {"result for an unknown image": 2}


def test_a_box_that_nobody_has_is_refused_or_when_lenient_left_out_alone() -> None:
    image = Image("a", captions=(Caption("0", "x y", (Mention(0, 1, ("0", "9")), Mention(2, 3, ("9",))), "system:s"),))
    with refusal(BadInput):
        list(results(("r.jsonl", [image])).take(GOLD))
    reading = Reading(lenient=True)
    (one,) = Results([("r.jsonl", [image])], reading).take(GOLD)
    assert [mention.boxes for mention in one.caption.mentions] == [("0",), ()]
    assert reading.skipped == {"reference to a box that is not there": 2}


def test_boxes_that_differ_from_gold_are_the_systems_own() -> None:
    same, other, more = Box("0", 0, 0, 50, 50, "dog"), Box("0", 0, 0, 49, 50, "dog"), Box("7", 1, 1, 2, 2, "hat")
    for boxes, own in [((same,), set()), ((other,), {"0"}), ((same, more), {"7"})]:
        (one,) = results(("r.jsonl", [Image("a", 100, 100, boxes, (said("One"),))])).take(GOLD)
        assert one.boxes.keys() == own


def test_own_boxes_on_a_picture_of_another_size_are_refused() -> None:
    image = Image("a", 200, 200, (Box("7", 1, 1, 2, 2),), (said("One", box="7"),))
    with refusal(BadInput):
        list(results(("r.jsonl", [image])).take(GOLD))
