from __future__ import annotations

from limner.caption.constraints.constraint_choice import choice_text, choose_constraints
from limner.corpus import Image
from limner.corpus.box import Box


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
