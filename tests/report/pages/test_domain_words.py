"""Names of classes in captions, by domain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from limner.corpus import Box, Caption, Image, Mention
from limner.corpus.reading import Reading
from limner.errors import LimnerError
from limner.report.pages.domain_words import DomainWords, read_class_domains
from limner.report.pages.page_data import pieces_of
from limner.report.pages.show_page import Entries, write_page
from refusals import refusal
from strategies import images

WORDS = DomainWords({"Dog": "in-domain", "Hot dog": "out-domain", "Human hand": "near-domain", "Camel": "out-domain"})
IN, NEAR, OUT = ({"d": number} for number in range(3))


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("A camel and two dogs .", ["A ", ["camel", OUT], " and two ", ["dogs", IN], " ."]),
        # The longest name counts, and an occurrence is whole words.
        ("Hot dogs , dogged", [["Hot dogs", OUT], " , dogged"]),
        ("his hand", ["his ", ["hand", NEAR]]),
        ("nothing", ["nothing"]),
        ("", []),
    ],
)
def test_names_of_classes_are_pieces_with_their_domain(text: str, marked: list[Any]) -> None:
    assert WORDS.mark(text, pieces_of(Caption("0", text), {})) == marked


def test_a_mention_keeps_its_boxes_in_every_part() -> None:
    caption = Caption("0", "A big dog by it .", (Mention(0, 9, ("x",)), Mention(13, 15)))
    assert WORDS.mark(caption.text, pieces_of(caption, {"x": 0})) == [
        ["A big ", 0],
        ["dog", 0, IN],
        " by ",
        ["it"],
        " .",
    ]


def test_a_name_may_reach_over_the_edge_of_a_mention() -> None:
    caption = Caption("0", "a hot dog", (Mention(6, 9, ("x",)),))
    assert WORDS.mark(caption.text, pieces_of(caption, {"x": 0})) == ["a ", ["hot ", OUT], ["dog", 0, OUT]]


@given(images())
def test_no_letter_is_lost(image: Image) -> None:
    for caption in image.captions:
        marked = WORDS.mark(caption.text, pieces_of(caption, {box.id: i for i, box in enumerate(image.boxes)}))
        assert "".join(piece if isinstance(piece, str) else piece[0] for piece in marked) == caption.text


def test_colours_of_boxes_do_not_depend_on_domains() -> None:
    boxes = (Box("x", 0, 0, 5, 5, "dog"), Box("y", 5, 5, 9, 9, "camel"))
    caption = Caption("0", "A dog , a camel", (Mention(0, 5, ("x",)), Mention(8, 15, ("y",))))
    image = Image("a", 10, 10, boxes, (caption,))
    plain, marked = Entries([]).make(image, [], None), Entries([], WORDS).make(image, [], None)
    assert plain["b"] == marked["b"]
    assert Entries([], WORDS).tables()["domains"] == ["in-domain", "near-domain", "out-domain"]
    assert "domains" not in Entries([]).tables()
    assert DomainWords({"Dog": "out-domain"}).names == [None, None, "out-domain"]


def test_domains_are_read_from_the_file_of_bench_domains(tmp_path: Path) -> None:
    path = tmp_path / "classes.csv"
    path.write_text(
        "class,mentions,domain,why\nDog,9,in-domain,often\nTree,3,ignored,broad\nCamel,0,out-domain,never\n"
    )
    words = read_class_domains(path, Reading())
    assert words.mark("dog tree camel", ["dog tree camel"]) == [["dog", IN], " tree ", ["camel", OUT]]
    write_page([Image("a", captions=(Caption("0", "A dog"),))], [], tmp_path / "page.html", domains=words)
    assert json.dumps({"d": 0}, separators=(",", ":")) in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    "text",
    [
        "class,mentions\nDog,9\n",
        "class,domain\nDog,indomain\n",
        "class,domain\nDog,ignored\n",
    ],
)
def test_what_tells_no_domain_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "classes.csv"
    path.write_text(text)
    with refusal(LimnerError):
        read_class_domains(path, Reading())


def test_a_domain_that_is_none_is_refused() -> None:
    with refusal(LimnerError):
        DomainWords({"Dog": "in"})
