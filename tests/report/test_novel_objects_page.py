"""The page of examples of novel objects."""

from __future__ import annotations

from limner.corpus import Image
from limner.report.pages.novel_objects_page import (
    ASKED,
    KNOWN,
    LEGEND,
    NOVEL,
    LayoutBox,
    MarkedWords,
    NovelExample,
    NovelObjectsPage,
    NovelSection,
    RowCaption,
)
from limner.report.pages.page_pictures import Shown

PIECES = [MarkedWords("A "), MarkedWords("dog", (KNOWN,)), MarkedWords(" & a "), MarkedWords("zebra", (ASKED, NOVEL))]
BOXES = [LayoutBox((0, 0, 20, 50), "zebra", True), LayoutBox((0, 0, 100, 50), "dog<b>", False)]


def page(*examples: NovelExample, n_images: int = 1) -> str:
    section = NovelSection("Near-domain", "Both", n_images, examples)
    return NovelObjectsPage([section], ["zebra"], "gold").html()


def example(picture: Shown | None = None) -> NovelExample:
    captions = [RowCaption("Up-Down", PIECES[:2]), RowCaption("Up-Down + CBS", PIECES, "zebra; dog", 2)]
    return NovelExample(Image("<7>", 100, 50), picture, BOXES, captions)


def test_words_have_the_marks_of_what_they_are() -> None:
    html = page(example())
    assert 'A <span class="word known">dog</span> &amp; a <span class="word asked novel">zebra</span>' in html
    assert "asked: zebra; dog · 2 said" in html
    assert all(meaning in html for meaning in LEGEND.values())


def test_boxes_lie_where_they_are_the_largest_below() -> None:
    html = page(example())
    assert 'class="frame plan" style="aspect-ratio:2.0000"' in html
    assert html.index("dog&lt;b&gt;") < html.index('<div class="thing fresh" style="left:0.00%;top:0.00%;width:20.00%')
    assert "&lt;7&gt;" in html


def test_a_picture_is_embedded() -> None:
    html = page(example(Shown(100, 50, b"bytes", "image/webp")))
    assert 'class="frame photo"' in html
    assert "data:image/webp;base64,Ynl0ZXM=" in html


def test_a_section_counts_what_it_does_not_show() -> None:
    assert "1,200 images, 1 of them shown" in page(example(), n_images=1200)
    assert "There is none." in page(n_images=0)
