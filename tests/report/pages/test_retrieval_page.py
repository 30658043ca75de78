"""The page of what was retrieved: nothing that was found can change it, and every picture has its regions."""

from __future__ import annotations

import re

from limner.corpus import Caption, Image
from limner.report.pages.marked_pictures import MarkedRegion
from limner.report.pages.page_pictures import Shown
from limner.report.pages.retrieval_page import PageResult, RetrievalPage

EVIL = "<script>alert(1)</script>&\"'"
PICTURE = Shown(200, 100, b"bytes", "image/png")


def page(*results: PageResult, asked: Shown | None = None) -> str:
    query = [("a ", None), ("dog", 0), (" by ", None), (EVIL, 1)]
    return RetrievalPage(f"title {EVIL}", query, results, [f"note {EVIL}"], f"signature {EVIL}", asked).html()


def test_what_was_found_is_text_and_never_a_tag() -> None:
    image = Image(f"id {EVIL}", 200, 100, captions=(Caption("0", f"caption {EVIL}"),))
    html = page(PageResult(image, PICTURE, 0.5, [MarkedRegion((0, 0, 50, 50), 1, f"remark {EVIL}")]))
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 6
    assert "default-src 'none'" in html


def test_regions_lie_where_they_are_in_the_picture() -> None:
    image = Image("a", 200, 100)
    html = page(PageResult(image, PICTURE, 0.5, [MarkedRegion((50, 25, 150, 100), 7, "dog")]))
    assert 'class="box c1" style="left:25.00%;top:25.00%;width:50.00%;height:75.00%"' in html
    assert "aspect-ratio:2.0000" in html


def test_the_best_fills_its_bar_and_those_below_zero_have_none() -> None:
    image = Image("a", 4, 3)
    html = page(PageResult(image, None, 0.8), PageResult(image, None, 0.4), PageResult(image, None, -0.2))
    assert re.findall(r'<i style="width:(\d+)%">', html) == ["100", "50", "0"]
    assert html.count("no picture") == 3


def test_all_below_zero_have_no_bar() -> None:
    html = page(PageResult(Image("a"), None, -0.1), PageResult(Image("b"), None, -0.2))
    assert re.findall(r'<i style="width:(\d+)%">', html) == ["0", "0"]


def test_sentences_stand_beside_their_pictures() -> None:
    captions = tuple(Caption(str(n), f"caption {n}") for n in range(7))
    html = page(PageResult(Image("a", captions=captions), PICTURE, 0.5, sentence="a dog"), asked=PICTURE)
    assert '<ol class="sentences">' in html
    assert '<p class="sentence">a dog</p>' in html
    assert 'class="asked"' in html
    assert "caption 3" not in html


def test_many_captions_are_counted() -> None:
    captions = tuple(Caption(str(n), f"caption {n}") for n in range(7))
    html = page(PageResult(Image("a", captions=captions), PICTURE, 0.5))
    assert "caption 4" in html
    assert "caption 5" not in html
    assert "and 2 more" in html
