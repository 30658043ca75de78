"""The page of `limner show` in a real browser: what people point at, type and see."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image as Picture

from limner.corpus import Box, Caption, Image, Mention, open_corpus
from limner.report import Pictures, write_page
from limner.report.pages.domain_words import DomainWords
from limner.score.content import gold_sets, human, summarise
from page_checks import (
    expect,
    expect_current,
    expect_first_ids,
    expect_ids,
    expect_text,
    expect_value,
    gap_below_bar,
    settle,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = "</script><script>window.ran=1</script><img src=x onerror=window.ran=1>\"'><svg onload=window.ran=1>"
PHONE = {"width": 375, "height": 740}

Open = Callable[..., "Page"]


def caption(id: str, *pieces: str | tuple[str, ...], source: str = "gold") -> Caption:
    """A caption from plain text and (phrase, box, box …)."""
    text, mentions = "", []
    for piece in pieces:
        words, *boxes = (piece,) if isinstance(piece, str) else piece
        if boxes:
            mentions.append(Mention(len(text), len(text) + len(words), tuple(boxes)))
        text += words
    return Caption(id, text, tuple(mentions), source)


def park(id: str, *more: Box, **fields: Any) -> Image:
    """A man, two dogs and whatever else, described twice."""
    boxes = (
        Box("m", 10, 10, 60, 90, "man", types=("people",)),
        Box("d", 100, 50, 140, 90, "dog", types=("animals",)),
        Box("e", 150, 50, 190, 90, "dog", types=("animals",)),
        *more,
    )
    captions = (
        caption("0", ("A 👨 man", "m"), " walks ", ("two dogs", "d", "e"), " ."),
        caption("1", ("A dog", "d"), " follows ", ("him", "m"), f" in park {id} ."),
    )
    return Image(id, 200, 100, boxes, captions, **fields)


GOLD = [
    park("first", attributes={"domain": "in"}),
    park("second", Box("b", 0, 0, 9, 9, "ball"), attributes={"domain": "near"}),
    park("third/3 é", Box("b", 0, 0, 9, 9, "ball"), Box("c", 20, 0, 29, 9, "ball"), attributes={"domain": "out"}),
    *(park(f"n{i}", attributes={"domain": "in"}) for i in range(40)),
]
GOOD = [
    Image(image.id, captions=(caption("0", ("Dog", "d"), " and ", ("man", "m"), source="system:good"),))
    for image in GOLD
    if image.id != "n7"
]
POOR = [
    Image("first", captions=(caption("0", ("Man", "m"), " and dog", source="system:poor"),)),
    Image("second", captions=(caption("0", ("Ball", "b"), source="system:poor"),)),
    Image("n20", captions=(caption("0", "Nothing", source="system:poor"),)),
]


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("show")
    Picture.new("RGB", (200, 100), "green").save(folder / "first.png")
    write_page(
        GOLD,
        [("good.jsonl", GOOD), ("poor.jsonl", POOR)],
        folder / "page.html",
        pictures=Pictures(folder, folder / "page.html"),
        title="Parks",
    )
    return folder / "page.html"


@pytest.fixture
def show(open_page: Open, written: Path) -> Open:
    """Open a page and wait for its first image."""

    def opened(path: Path = written, fragment: str = "", **more: Any) -> Page:
        page = open_page(path, fragment, **more)
        page.wait_for_selector(".card")
        return page

    return opened


def ids(page: Page) -> list[str]:
    """The images near the view, in the order they stand in."""
    return page.locator(".card h2").all_inner_texts()


def lit(page: Page, kind: str = ".box") -> list[str]:
    """What is lit: boxes by number, or the words of mentions."""
    found = page.locator(f".card.lit {kind}.on")
    return found.evaluate_all("all => all.map(one => one.matches('.box') ? one.dataset.boxes : one.textContent)")


def card(page: Page, number: int) -> Any:
    return page.locator(f"#card-{number}")


def test_a_word_lights_up_its_boxes_and_every_other_word_for_them(show: Open) -> None:
    page = show()
    card(page, 0).get_by_text("two dogs").hover()
    expect_value(lambda: sorted(lit(page)), ["1", "2"])
    expect_value(lambda: lit(page, "mark"), ["two dogs", "A dog", "Dog"])
    card(page, 0).get_by_text("walks").hover(position={"x": 1, "y": 1})
    page.mouse.move(5, 5)
    expect_value(lambda: lit(page), [])


def test_a_box_lights_up_its_words_in_every_sentence(show: Open) -> None:
    page = show()
    card(page, 0).locator(".box[data-boxes='0']").hover()
    expect_value(lambda: lit(page), ["0"])
    expect_value(lambda: lit(page, "mark"), ["A 👨 man", "him", "man", "Man"])
    expect_text(card(page, 0).locator(".box.on .label"), "man people")


def test_lit_boxes_are_seen_and_the_others_are_not(show: Open) -> None:
    page = show()
    opacity = "one => getComputedStyle(one).opacity"
    man, dog = (card(page, 0).locator(f".box[data-boxes='{i}']") for i in (0, 1))
    expect_value(lambda: (man.evaluate(opacity), dog.evaluate(opacity)), ("1", "1"))
    card(page, 0).get_by_text("him").hover()
    expect_value(lambda: (man.evaluate(opacity), dog.evaluate(opacity)), ("1", "0"))
    expect(card(page, 0).locator(".veil mask rect")).to_have_count(2)


def test_words_have_the_colours_of_their_boxes(show: Open) -> None:
    page = show()
    border = "(one, side) => getComputedStyle(one)['border' + side + 'Color']"
    man = card(page, 0).locator(".box[data-boxes='0']").evaluate(border, "Left")
    for words in ("A 👨 man", "him"):
        assert card(page, 0).get_by_text(words).evaluate(border, "Bottom") == man
    assert card(page, 0).get_by_text("A dog").evaluate(border, "Bottom") != man
    stripes = card(page, 0).get_by_text("two dogs").evaluate("one => one.style.borderImage")
    assert "--c1" in stripes
    assert "--c2" in stripes


def test_a_click_keeps_things_lit_and_another_lets_them_go(show: Open) -> None:
    page = show()
    words = card(page, 0).get_by_text("him")
    words.click()
    page.mouse.move(5, 5)
    expect_value(lambda: lit(page), ["0"])
    words.click()
    page.mouse.move(5, 5)
    expect_value(lambda: lit(page), [])


def test_a_tap_lights_up_on_a_phone(show: Open) -> None:
    page = show(**PHONE, has_touch=True)
    card(page, 0).get_by_text("him").tap()
    expect_value(lambda: lit(page), ["0"])


def test_an_image_has_its_picture_or_a_layout(show: Open) -> None:
    page = show()
    picture = card(page, 0).locator("img")
    picture.evaluate("one => one.decode()")
    assert picture.evaluate("one => one.naturalWidth") == 200
    expect(card(page, 1).locator("img")).to_have_count(0)
    expect(card(page, 1).locator(".layout .box .label").first).to_be_visible()
    layout = "Layout with 5 boxes: 2 × dog, 2 × ball, man"
    expect(card(page, 2).locator("figure")).to_have_attribute("aria-label", layout)


def test_scores_of_an_image_and_means_at_the_top(show: Open) -> None:
    page = show()
    # Gold says {man, dog, dog} and {dog, man}; good says {dog, man}: P 1, R (2/3 + 1)/2.
    expect_text(card(page, 0).locator("section", has_text="good").locator(".prf"), "P 1.00  R .83  F .91")
    summary = [
        ["gold", "43", "–", "–", "–"],
        ["good", "42", "1.0000", ".8333", ".9091"],
        ["poor", "3", ".3333", ".1389", ".1961"],
        ["human", "43", ".8333", ".8333", ".8000"],
        ["oracle", "43", "1.0000", ".8333", ".9091"],
    ]
    expect_value(lambda: [row.split() for row in page.locator("#summary tbody tr").all_inner_texts()], summary)


def test_an_image_without_a_result_says_so(show: Open) -> None:
    page = show(fragment="#n7")
    expect_text(card(page, 10).locator("section", has_text="good"), "good no caption")


SEARCHES = [
    ("second", ["second"]),
    ("walk PARK seco", ["second"]),
    ("alks", []),
    ('"park third 3 e"', ["third/3 é"]),
    ('"dog follow"', []),
    ("rd/3", ["third/3 é"]),
    ("ball", ["second"]),
    ("near", ["second"]),
    ("(.*[", []),
]


def test_search_finds_words_by_their_beginning_phrases_and_ids(show: Open) -> None:
    page = show()
    for query, found in SEARCHES:
        page.keyboard.press("/")
        page.keyboard.type(query)
        expect_ids(page, found)
        expect_text(page.locator("#count"), f"{len(found)} of 43 images")
        expect(page.locator("#nothing")).to_be_visible(visible=not found)
        page.keyboard.press("Escape")


def test_what_was_searched_for_is_marked(show: Open) -> None:
    page = show()
    page.locator("#query").fill("man second")
    expect_value(lambda: page.evaluate("[...CSS.highlights.get('found')].map(String)"), ["man", "second", "man"])
    page.locator("#clear").click()
    expect_value(lambda: page.evaluate("CSS.highlights.get('found').size"), 0)
    expect_text(page.locator("#count"), "43 images")


FILTERS = [
    ({"label": "ball"}, ["second", "third/3 é"]),
    ({"label": "bal"}, ["second", "third/3 é"]),
    ({"type": "people (43)", "label": "ball"}, ["second", "third/3 é"]),
    ({"source": "with poor"}, ["first", "second", "n20"]),
    ({"source": "without good"}, ["n7"]),
    ({"fact": "domain: out (1)"}, ["third/3 é"]),
    ({"scorer": "poor", "from": "0.5"}, ["first"]),
    ({"scorer": "poor", "to": "0.5"}, ["second", "n20"]),
    ({"scorer": "good", "rival": "poor", "from": "0.5"}, ["second", "n20"]),
    ({"label": "nothing like it"}, []),
]


def test_filters(show: Open) -> None:
    page = show()
    for choices, found in FILTERS:
        choose(page, choices)
        expect_value(lambda: sorted(ids(page)), sorted(found), choices)
        expect(page.locator("#summary-of")).to_have_text(re.compile("^Means over the "))
        page.locator("#clear").click()
        expect_text(page.locator("#count"), "43 images")


def choose(page: Page, choices: dict[str, str]) -> None:
    for name, value in choices.items():
        field = page.locator(f"#{name}")
        if field.evaluate("one => one.tagName") == "SELECT":
            field.select_option(label=value)
        else:
            field.fill(value)


ORDERS = [
    ({"sort": "by number of boxes"}, True, ["third/3 é", "second", "first"]),
    ({"sort": "by id"}, False, ["first", "n0", "n1"]),
    ({"sort": "by id"}, True, ["third/3 é", "second", "n39"]),
    ({"sort": "as in the corpus"}, True, ["n39", "n38", "n37"]),
    # Images without a score come last, whichever way.
    ({"scorer": "poor"}, False, ["second", "n20", "first"]),
    ({"scorer": "poor"}, True, ["first", "second", "n20"]),
    ({"scorer": "good", "rival": "poor"}, True, ["second", "n20", "first"]),
]


def test_sorting(show: Open) -> None:
    page = show()
    for choices, reverse, first in ORDERS:
        choose(page, choices)
        if page.locator("#direction").get_attribute("aria-pressed") != str(reverse).lower():
            page.locator("#direction").click()
        expect_first_ids(page, first)


def test_another_order_is_shown_from_its_beginning(show: Open) -> None:
    page = show()
    page.evaluate("scrollBy(0, 6000)")
    page.locator("#sort").select_option(label="by id")
    expect_first_ids(page, ["first", "n0"])
    expect_value(lambda: gap_below_bar(page, ".card"), lambda gap: 0 <= gap < 20)


def test_the_means_are_of_the_images_shown(show: Open) -> None:
    page = show()
    page.locator("#query").fill("first")
    expect_text(page.locator("#summary tbody tr").nth(2), "poor 1 1.0000 .4167 .5882")


def test_sources_can_be_hidden(show: Open) -> None:
    page = show()
    expect(card(page, 0).locator("section")).to_have_count(5)
    page.get_by_role("checkbox", name="gold").uncheck()
    expect_text(card(page, 0).locator("section h3 span:first-child"), ["good", "poor", "human", "oracle"])


def test_keys_go_from_image_to_image(show: Open) -> None:
    page = show()
    for key, there in [
        ("j", "first"),
        ("j", "second"),
        ("ArrowDown", "third/3 é"),
        ("k", "second"),
        ("ArrowUp", "first"),
    ]:
        page.keyboard.press(key)
        expect_current(page, there)
    expect_value(lambda: gap_below_bar(page, "#card-0"), lambda gap: 0 <= gap < 20)
    page.keyboard.press("k")
    expect_current(page, "first")


def test_keys_go_on_from_what_is_in_view(show: Open) -> None:
    page = show()
    page.keyboard.press("j")
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    page.locator("#card-0").wait_for(state="detached")
    page.keyboard.press("j")
    expect(page.locator(".card.current h2")).to_have_text(re.compile("^n"))


def test_keys_go_from_mention_to_mention(show: Open) -> None:
    page = show()
    page.keyboard.press("j")
    steps = [
        ("ArrowRight", "A 👨 man", ["0"]),
        ("ArrowRight", "two dogs", ["1", "2"]),
        ("ArrowRight", "A dog", ["1"]),
        ("ArrowLeft", "two dogs", ["1", "2"]),
        ("ArrowLeft", "A 👨 man", ["0"]),
        ("ArrowLeft", "Man", ["0"]),
    ]
    for key, words, boxes in steps:
        page.keyboard.press(key)
        expect(page.locator("mark:focus")).to_have_text(words)
        expect_value(lambda: sorted(lit(page)), boxes)
    page.keyboard.press("Escape")
    expect_value(lambda: lit(page), [])


def test_keys_show_and_hide_and_help(show: Open) -> None:
    page = show()
    label = card(page, 0).locator(".box .label").first
    expect(label).to_be_hidden()
    page.keyboard.press("l")
    expect(label).to_be_visible()
    page.keyboard.press("b")
    expect(card(page, 0).locator(".box").first).to_have_css("opacity", "0")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


def test_what_is_typed_into_a_field_is_no_command(show: Open) -> None:
    page = show()
    page.locator("#query").click()
    page.keyboard.type("jk?")
    expect(page.locator(".card.current")).to_have_count(0)
    expect(page.locator("#query")).to_have_value("jk?")
    page.keyboard.press("Escape")
    expect(page.locator("#query")).not_to_be_focused()


@pytest.mark.parametrize(
    ("fragment", "id"), [("#n30", "n30"), ("#third%2F3%20%C3%A9", "third/3 é"), ("#first", "first")]
)
def test_a_link_leads_to_its_image(show: Open, fragment: str, id: str) -> None:
    page = show(fragment=fragment)
    expect_current(page, id)
    expect_value(lambda: gap_below_bar(page, ".current"), lambda gap: 0 <= gap < 20)
    expect_value(lambda: page.evaluate("document.activeElement.className"), "card current")


def test_a_link_to_an_image_that_is_filtered_out_clears_the_filter(show: Open) -> None:
    page = show()
    page.locator("#query").fill("second")
    page.evaluate("location.hash = '#n20'")
    page.wait_for_selector(".card.current")
    expect_current(page, "n20")
    expect(page.locator("#query")).to_have_value("")


def test_a_link_to_nothing_shows_the_beginning(show: Open) -> None:
    page = show()
    for fragment in ["#nowhere", "#%E0%A4%A", "#bar", "#"]:
        page.evaluate("hash => { location.hash = hash; }", fragment)
        expect_first_ids(page, ["first"])
        expect(page.locator(".card.current")).to_have_count(0)


def test_the_link_of_an_image_is_copied(show: Open, written: Path) -> None:
    page = show(permissions=["clipboard-read", "clipboard-write"])
    card(page, 2).get_by_text("Copy link").click()
    expect(page.locator(".toast.shown")).to_be_visible()
    expect_text(page.locator("#toast"), "Link copied")
    expect_value(lambda: page.evaluate("navigator.clipboard.readText()"), written.as_uri() + "#third%2F3%20%C3%A9")


def test_only_images_near_the_view_are_there_and_all_are_reached(show: Open) -> None:
    page = show()
    assert page.locator(".card").count() < 12
    seen: dict[str, None] = {}
    while ids(page)[-1] != "n39":
        seen.update(dict.fromkeys(ids(page)))
        page.evaluate("scrollBy(0, 500)")
        settle(page)
        assert page.locator(".card").count() < 16
    seen.update(dict.fromkeys(ids(page)))
    assert list(seen) == [image.id for image in GOLD]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling(show: Open, scheme: str) -> None:
    page = show(**PHONE, color_scheme=scheme)
    page.locator("#toggle").click()
    expect(page.locator("#label")).to_be_visible()
    expect_value(lambda: page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
    page.evaluate("scrollTo(0, 3000)")
    expect_value(lambda: page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(show: Open, contrast: str, scheme: str) -> None:
    page = show(color_scheme=scheme)
    card(page, 1).get_by_text("two dogs").hover()
    for selector in [
        "h1",
        ".hint",
        ".about",
        "#summary td",
        ".card h2 a",
        ".facts",
        ".copy",
        "mark",
        "mark.on",
        ".prf",
    ]:
        assert page.locator(selector).first.evaluate(contrast) >= 4.5, selector


def test_nothing_in_the_data_runs(show: Open, tmp_path: Path) -> None:
    boxes = (Box("0", 0, 0, 50, 50, HOSTILE, 0.5, (HOSTILE,), (HOSTILE,), (HOSTILE,)),)
    gold = Image(HOSTILE, 100, 100, boxes, (caption("0", (HOSTILE, "0"), HOSTILE),), attributes={HOSTILE: HOSTILE})
    plain = Image("plain", 9, 9, attributes={HOSTILE: "2"})
    result = Image(HOSTILE, captions=(caption("0", (HOSTILE, "0"), source=f"system:{HOSTILE}"),))
    write_page([gold, plain], [(HOSTILE, [result])], tmp_path / "page.html", title=HOSTILE)
    page = show(tmp_path / "page.html")
    page.locator("mark").first.hover()
    page.locator(".box").first.hover()
    page.locator("#query").fill(HOSTILE)
    page.locator("#label").fill(HOSTILE)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect_current(page, HOSTILE)
    expect(page).to_have_title(HOSTILE)
    assert page.evaluate("window.ran") is None
    expect_text(page.locator("mark").first, HOSTILE)


def test_odd_images_are_shown(show: Open, tmp_path: Path) -> None:
    many = tuple(Box(str(i), i % 90, i % 80, i % 90 + 5, i % 80 + 5, f"thing {i % 7}") for i in range(2000))
    images = [
        Image("nothing"),
        Image("words", captions=(Caption("0", "Only words ."),)),
        Image("flat", boxes=(Box("0", 3, 3, 3, 3),)),
        Image("many", 100, 100, many, (caption("0", ("all", *(box.id for box in many))),)),
    ]
    write_page(images, [], tmp_path / "page.html")
    page = show(tmp_path / "page.html")
    expect_ids(page, ["nothing", "words", "flat", "many"])
    expect_text(card(page, 0).locator("figure"), "no picture and no boxes")
    card(page, 3).get_by_text("all").hover()
    expect_value(lambda: len(lit(page)), 2000)


def test_linked_pictures_are_shown(show: Open, tmp_path: Path) -> None:
    (tmp_path / "my pictures").mkdir()
    Picture.new("RGB", (40, 20)).save(tmp_path / "my pictures" / "a#1.png")
    path = tmp_path / "page.html"
    write_page([Image("a#1")], [], path, pictures=Pictures(tmp_path / "my pictures", path, link=True))
    page = show(path)
    page.locator("img").first.evaluate("one => one.decode()")
    assert page.locator("img").evaluate("one => one.naturalWidth") == 40


def test_a_corpus_without_scores_does_not_speak_of_them(show: Open, tmp_path: Path) -> None:
    write_page([Image("a", captions=(Caption("0", "Words ."),))], [], tmp_path / "page.html")
    page = show(tmp_path / "page.html")
    expect(page.locator("#scorer")).to_be_hidden()
    expect(page.locator("#summary")).to_be_hidden()
    expect(page.locator("#type")).to_be_hidden()


def test_the_human_bound_of_a_real_corpus_is_that_of_the_scorer(show: Open, shared_data: Path, tmp_path: Path) -> None:
    annotations = sorted((shared_data / "flickr30k_entities").glob("*.zip"))
    if not annotations:
        pytest.skip("Flickr30k Entities is not among the real data")
    wanted = (shared_data / "flickr30k_entities" / "val.txt").read_text().split()[:100]
    images = list(open_corpus(annotations[0], ids=wanted))
    write_page(images, [], tmp_path / "page.html")
    people = {image.id: score for image in images if (score := human(gold_sets(image))) is not None}
    expected = summarise(people)
    figures = [f"{value:.4f}".removeprefix("0") for value in (expected.P, expected.R, expected.F)]
    row = show(tmp_path / "page.html").locator("#summary tbody tr").first
    expect_text(row, " ".join(["human", str(expected.n_images), *figures]))


def test_names_of_classes_have_the_colour_of_their_domain(show: Open, tmp_path: Path) -> None:
    words = DomainWords({"Dog": "in-domain", "Park": "out-domain"})
    write_page(GOLD[:1], [], tmp_path / "page.html", domains=words)
    page = show(tmp_path / "page.html")
    names = page.locator(".card .domain")
    assert names.all_inner_texts() == ["dogs", "dog", "park"]
    assert [name.get_attribute("title") for name in names.all()] == ["in-domain", "in-domain", "out-domain"]
    colours = [name.evaluate("name => getComputedStyle(name).color") for name in names.all()]
    assert colours[0] == colours[1] != colours[2]
    assert page.locator("#about .domain").all_inner_texts() == ["in-domain", "out-domain"]
    # A name within a mention still belongs to it.
    assert page.locator("mark.mention .domain").all_inner_texts() == ["dogs", "dog"]
    expect_text(page.locator(".card li").first, "A 👨 man walks two dogs .")
