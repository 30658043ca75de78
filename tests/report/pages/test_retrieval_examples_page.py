"""The page of examples of retrieval."""

from __future__ import annotations

import re

from limner.corpus import Image
from limner.report.pages.marked_pictures import MarkedRegion
from limner.report.pages.page_pictures import Shown
from limner.report.pages.retrieval_examples_page import Example, ExampleSection, ExamplesPage, Piece, ShownSentence

EVIL = "<script>alert('x')</script>\"&"


def page(text: str = "A dog") -> str:
    regions = [MarkedRegion((10.0, 20.0, 60.0, 70.0), 0, f"{text}: 0.25")]
    pieces = [Piece(text, 0, 0.25), Piece(" runs .")]
    distances = {"whole": 0.5, "phrases": 0.25, "mixture": 0.375}
    right = ShownSentence(f"first {text}", True, pieces, regions, distances)
    wrong = right._replace(is_right=False)
    shown = Shown(100, 100, b"picture", "image/jpeg")
    example = Example(Image(f"id {text}", 100, 100), shown, f"about {text}", [wrong, right])
    sections = [ExampleSection(f"title {text}", f"why {text}", 3, [example]), ExampleSection("none", "nothing", 0, [])]
    return ExamplesPage(f"mixture {text}", f"whole {text}", (0.5, 1.25), sections, f"signature {text}").html()


def test_no_text_of_a_corpus_becomes_markup() -> None:
    made = page(EVIL)
    assert "<script" not in made
    assert made.count("&lt;script&gt;") >= 8
    assert '"&"' not in made


def test_a_phrase_has_the_colour_of_its_region_and_its_distance() -> None:
    made = page()
    assert made.count('<span class="mention c0">A dog</span> <small>(0.25)</small> runs .') == 2
    boxes = re.findall(r'<div class="box c0" style="([^"]*)" title="A dog: 0.25">', made)
    assert boxes == ["left:10.00%;top:20.00%;width:50.00%;height:50.00%"] * 2
    assert re.findall(r"<dd>(.*?)</dd>", made) == ["0.500", "0.250", "0.375"] * 2


def test_pictures_are_counted_and_a_section_may_be_empty() -> None:
    made = page()
    assert "3 pictures, 1 of them shown" in made
    assert "There is none." in made
    assert made.index("✗ wrong") < made.index("✓ right")
    assert "alpha 0.5 and gamma 1.25" in made
