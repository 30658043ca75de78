"""Tables, frames and sentences for notebooks."""

from __future__ import annotations

from xml.etree import ElementTree

from limner.look.notebook import Rectangle, html_block, html_table, html_text, svg_frame
from limner.look.palette import PALETTE, numbered_colour
from refusals import refusal

SVG = "{http://www.w3.org/2000/svg}"


def test_a_table_has_a_head_and_rows_and_escapes_every_cell() -> None:
    table = ElementTree.fromstring(html_table(["metric", "a<b"], [["CIDEr", 1.5], ['"&', None]], caption="3 <images>"))
    assert [cell.text for cell in table.iterfind("thead/tr/th")] == ["metric", "a<b"]
    assert [[cell.text for cell in row] for row in table.iterfind("tbody/tr")] == [["CIDEr", "1.5"], ['"&', "None"]]
    assert table.findtext("caption") == "3 <images>"


def test_numbers_stand_at_the_right_unless_the_columns_say_otherwise() -> None:
    assert [cell.get("style") for cell in ElementTree.fromstring(html_table(["a", "b"], [])).iter("th")] == [
        "text-align:left",
        "text-align:right",
    ]
    table = ElementTree.fromstring(html_table(["a", "b"], [], align="><"))
    assert [cell.get("style") for cell in table.iter("th")] == ["text-align:right", "text-align:left"]


def test_a_long_table_counts_what_it_does_not_show() -> None:
    table = ElementTree.fromstring(html_table(["n"], [[i] for i in range(1_002)], max_rows=2))
    assert [cell.text for cell in table.iterfind("tbody/tr/td")] == ["0", "1"]
    assert table.findtext("tfoot/tr/td") == "and 1,000 more"


def test_a_row_that_does_not_fit_the_head_is_an_error() -> None:
    with refusal(ValueError):
        html_table(["a", "b"], [["only one"]])


def test_a_frame_draws_its_rectangles_in_its_own_units() -> None:
    frame = ElementTree.fromstring(
        svg_frame(200, 100, [Rectangle(10, 20, 60, 90, "a <dog>", numbered_colour(1))], side=400)
    )
    assert (frame.get("width"), frame.get("height"), frame.get("viewBox")) == ("400", "200", "0 0 200 100")
    border, drawn = frame.iter(f"{SVG}rect")
    assert (border.get("width"), border.get("height")) == ("200", "100")
    assert [drawn.get(name) for name in ("x", "y", "width", "height", "stroke")] == ["10", "20", "50", "70", PALETTE[1]]
    assert [text.text for text in frame.iter(f"{SVG}text")] == ["a <dog>"]


def test_a_frame_shows_a_picture_below_its_rectangles() -> None:
    frame = ElementTree.fromstring(svg_frame(200, 100, [Rectangle(0, 0, 1, 1)], picture='a"b.png'))
    assert [element.tag.removeprefix(SVG) for element in frame] == ["rect", "image", "rect"]
    assert frame[1].get("href") == 'a"b.png'


def test_a_frame_without_a_size_is_an_error() -> None:
    with refusal(ValueError):
        svg_frame(0, 100)


def test_words_of_a_sentence_are_underlined_in_their_colour_and_escaped() -> None:
    text = html_text([("A ", ""), ("<dog>", PALETTE[0]), (" & co.", "")])
    assert text == f'A <span style="border-bottom:2px solid {PALETTE[0]}">&lt;dog&gt;</span> &amp; co.'


def test_a_block_puts_its_parts_below_its_title() -> None:
    block = ElementTree.fromstring(html_block("A & B", html_text([("a", "")]), html_table(["n"], [])))
    assert block.findtext("div/strong") == "A & B"
    assert [len(block), block[1].text, block[2][0].tag] == [3, "a", "table"]


def test_colours_start_again_after_the_last() -> None:
    assert numbered_colour(0) == numbered_colour(len(PALETTE)) == PALETTE[0]
