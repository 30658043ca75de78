"""Choices of constraints as text and as files."""

from __future__ import annotations

import json
from pathlib import Path

from limner.caption.constraints.constraint_choice import ConstraintChooser, choose_constraints
from limner.caption.constraints.constraint_files import (
    ChoiceSummary,
    choice_text,
    read_choices,
    read_excluded_classes,
    write_choices,
)
from limner.corpus import Image
from limner.corpus.box import Box
from limner.corpus.reading import Reading
from limner.errors import BadInput
from refusals import refusal


def test_like_boxes_are_told_together_and_many_only_counted() -> None:
    people = [Box(f"p{i}", 0, 0, 5, 5, "person") for i in range(6)]
    boxes = [Box("d", 0, 0, 20, 20, "dog"), Box("h", 0, 0, 10, 10, "fire hydrant"), *people]
    assert choice_text(choose_constraints(Image("park", boxes=tuple(boxes)), top=1)) == (
        "park: dog\n"
        "  + dog           dog / dogs\n"
        "                  1 of 2 by area: 400 square pixels; box d\n"
        "  - fire hydrant  2 of 2 by area; 1 is taken; box h\n"
        "  - person        class 'Person' is excluded; boxes p0, p1, p2, p3 and 2 more\n"
    )


def test_an_image_with_nothing_to_ask_for_says_so() -> None:
    assert choice_text(choose_constraints(Image("bare"))) == "bare: nothing\n"


def test_what_a_terminal_would_obey_is_escaped() -> None:
    label = "dog\x1b[31m\nred"
    text = choice_text(choose_constraints(Image("a\x07", boxes=(Box("\x1b", 0, 0, 1, 1, label),))))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert len(text.splitlines()) == 3


def test_choices_of_a_corpus_are_written_and_summed_up(tmp_path: Path) -> None:
    park = Image("park", boxes=(Box("d", 0, 0, 20, 20, "dog"), Box("p", 0, 0, 9, 9, "person")))
    summary = write_choices([park, Image("bare")], ConstraintChooser(), tmp_path / "out.jsonl", as_json=True)
    first, second = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert first == json.loads(json.dumps(choose_constraints(park).to_json()))
    assert second["constraints"] == []
    assert summary == ChoiceSummary(
        n_images=2,
        n_with_constraints=1,
        n_constraints=1,
        n_by_area=1,
        n_boxes=2,
        n_unknown=2,
        unknown_labels={"dog": None, "person": None},
        excluded={"Person"},
    )
    write_choices([park], ConstraintChooser(), tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == choice_text(choose_constraints(park))


def test_excluded_classes_are_listed_one_a_line(tmp_path: Path) -> None:
    listed = tmp_path / "classes.txt"
    listed.write_text("# mine\n\nDogs\n Cup \n")
    assert read_excluded_classes(listed) == ["Dogs", "Cup"]
    listed.write_text("# none\n")
    with refusal(BadInput) as raised:
        read_excluded_classes(listed)
    assert raised.value.code == "no-excluded-classes"


PARK = Image("park", 50, 50, boxes=(Box("d", 0, 0, 20, 20, "dog"),))


def given(folder: Path, *constraints: dict[str, list[str]]) -> Path:
    path = folder / "asked.jsonl"
    lines = [{"image": "sea", "constraints": []}, {"image": "park", "constraints": constraints}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_boxes_of_a_constraint_are_those_of_its_image(tmp_path: Path) -> None:
    path = given(tmp_path, {"phrases": ["dog"], "boxes": ["no-such", "d"]})
    with refusal(BadInput):
        read_choices(path)(PARK)
    reading = Reading(lenient=True)
    (constraint,) = read_choices(path, reading)(PARK)
    assert (constraint.phrases, constraint.boxes) == (("dog",), ("d",))
    assert reading.skipped == {"unknown box of a constraint": 1}
    assert read_choices(path)(Image("elsewhere")) == ()


def test_a_phrase_without_a_word_is_told_with_its_line(tmp_path: Path) -> None:
    path = given(tmp_path, {"phrases": ["...", "dog"]}, {"phrases": ["!"]})
    with refusal(BadInput):
        read_choices(path)
    reading = Reading(lenient=True)
    (constraint,) = read_choices(path, reading)(PARK)
    assert constraint.phrases == ("dog",)
    assert reading.skipped == {"phrase without a word": 2}
