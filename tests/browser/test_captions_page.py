"""The page of caption scores in a real browser: what people read, sort, search, compare and copy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image as Picture

from caption_evaluations import IMAGES, OURS, REFERENCES, THEIRS, evaluation
from limner.corpus import Box, Image
from limner.report import Pictures, write_captions_page
from limner.report.pages import captions_page as writing
from limner.report.pages.caption_entries import Joined
from limner.report.pages.caption_explanations import Explained
from limner.score.bleu import Bleu
from limner.score.caption_evaluation import Evaluation, compare_systems
from limner.score.cider import Cider
from limner.score.metric import Metric, means
from limner.score.paired import Comparison
from limner.score.run import Run
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
    from playwright.sync_api import Locator, Page

HOSTILE = "</script><script>window.ran=1</script><img src=x onerror=window.ran=1>\"'><svg onload=window.ran=1>"
PHONE = {"width": 375, "height": 740}

Open = Callable[..., "Page"]

MORE = {f"n{i}": f"a man and {i} dogs" for i in range(36)}
MORE_REFERENCES = {id: ["a man with dogs", f"{text} run"] for id, text in MORE.items()}
MORE_IMAGES = {id: Image(id, attributes={"domain": "out"}) for id in MORE}

SAID = ["two", "puppies", "run", "quickly", "past", "somebody", "somewhere"]
REFERENCE = ["dogs", "running", "in", "two", "extraordinarily", "large", "parks"]
ALIGNED = [
    SAID,
    REFERENCE,
    [[0, 1, 3, 1, 0], [1, 1, 0, 1, 2], [2, 2, 1, 1, 3]],
    1,
    3,
    0.5,
    0.25,
    0.3,
]
TUPLES = [[[["dog"], 0], [["puppy", "brown"], ["dog", "brown"]]], [["cat"]], [["dog", "chase", "ball"]]]


def explained(joined: Joined, most: int) -> Iterator[Explained]:
    """Explanations of the first image alone."""
    yield Explained("meteor", "alignment", [{"a": ALIGNED}, {}])
    yield Explained("spice*", "tuples", [{"a": TUPLES}, {"a": [[], [["cow"]], []]}])


def many(name: str, said: dict[str, str]) -> Evaluation:
    return evaluation(
        name, {**said, **MORE}, references={**REFERENCES, **MORE_REFERENCES}, images={**IMAGES, **MORE_IMAGES}
    )


@pytest.fixture(scope="session")
def systems() -> list[Evaluation]:
    evaluations = [many("ours", OURS), many("theirs", THEIRS)]
    with pytest.MonkeyPatch.context() as patch:
        # Nearly all captions are right: those that are wrong are too few for intervals, which the page is to show.
        patch.setattr("limner.score.resampling.FEWEST_EFFECTIVE", 1)
        assert all(evaluation.intervals for evaluation in evaluations)
    return evaluations


@pytest.fixture(scope="session")
def compared(systems: list[Evaluation]) -> list[Comparison]:
    return compare_systems(systems, swaps=50)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory, systems: list[Evaluation], compared: list[Comparison]) -> Path:
    folder = tmp_path_factory.mktemp("captions")
    Picture.new("RGB", (200, 100), "green").save(folder / "a.png")
    path = folder / "page.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "explain", explained)
        write_captions_page(systems, compared, path, pictures=Pictures(folder, path), title="Parks")
    return path


@pytest.fixture
def show(open_page: Open, written: Path) -> Open:
    """Open the page and scroll to its images."""

    def opened(path: Path = written, fragment: str = "", **more: Any) -> Page:
        page = open_page(path, fragment, **more)
        page.wait_for_selector("#scores tbody tr")
        if not fragment:
            page.locator("#bar").scroll_into_view_if_needed()
            page.evaluate("byId('bar').scrollIntoView()")
        page.wait_for_selector(".card")
        return page

    return opened


def ids(page: Page) -> list[str]:
    """The images near the view, in the order they stand in."""
    return page.locator(".card h2").all_inner_texts()


def card(page: Page, id: str) -> Locator:
    return page.locator(".card", has=page.locator("h2", has_text=id))


def rows(page: Page, table: str) -> list[list[str]]:
    """The cells of a table, lines within one joined."""
    found = page.locator(f"{table} tbody tr")
    read = "all => all.map(row => [...row.cells].map(cell => cell.innerText.replaceAll('\\n', ' ').trim()))"
    return [list(row) for row in found.evaluate_all(read)]


def figure(value: float) -> str:
    return f"{value:.4f}".replace("0.", ".").replace("-", "−")


def test_the_table_has_every_value_with_its_interval_and_the_difference_with_p(
    show: Open, systems: list[Evaluation], compared: list[Comparison]
) -> None:
    page = show()
    expect(page.locator("#scores tbody tr")).to_have_count(len(systems[0].scores))
    table = rows(page, "#scores")
    assert [row[0].split()[0] for row in table] == list(systems[0].scores)
    for row, one in zip(table, compared, strict=True):
        for cell, system in zip(row[1:3], systems, strict=True):
            low, high = system.intervals[one.column]
            assert cell == f"{figure(system.scores[one.column])} {figure(low)} to {figure(high)}"
        sign = "+" if one.difference > 0 else ""
        assert row[4].startswith(sign + figure(one.difference))
        assert row[5] == f"{figure(one.p)} {figure(one.p_adjusted)}"


def test_bold_is_what_tests_agree_on_and_every_column_is_in_view(open_page: Open, tmp_path: Path) -> None:
    long = [many(f"{name}_with_a_long_name", said) for name, said in (("ours", OURS), ("theirs", THEIRS))]
    compared = compare_systems(long, swaps=50)
    is_sure = {test.column: test.column == "cider" for test in compared}
    decided = [test._replace(p_adjusted=0.05 if is_sure[test.column] else 0.66) for test in compared]
    write_captions_page(long, decided, tmp_path / "page.html", people=[replace(long[1], name="human")])
    page = open_page(tmp_path / "page.html", width=1300)
    page.wait_for_selector("#scores tbody tr")
    bold = page.locator("#scores tbody tr:has(td.best)").all_inner_texts()
    assert [row.split()[0] for row in bold] == ["cider"]
    assert page.evaluate("(table => table.scrollWidth <= table.parentNode.clientWidth)(byId('scores'))")
    assert page.locator("#people thead").inner_text().split() == ["human"]
    assert page.locator("#people tbody tr").count() == len(long[0].scores)


def test_the_difference_turns_with_the_pair_that_is_chosen(show: Open) -> None:
    page = show()
    before = rows(page, "#scores")[4][4]
    page.locator("#scorer").select_option(label="theirs")
    page.locator("#rival").select_option(label="ours")
    assert before.startswith("+")
    expect_value(lambda: rows(page, "#scores")[4][4].split()[0], "−" + before.split()[0][1:])
    page.locator("#rival").select_option(label="nothing")
    expect_value(lambda: len(rows(page, "#scores")[4]), 4)


def test_subsets_by_metric_and_by_system(show: Open, systems: list[Evaluation]) -> None:
    page = show()
    counts = [["in", "2"], ["near", "1"], ["out", "37"], ["all", "40"]]
    expect_value(lambda: [row[:2] for row in rows(page, "#subset-table")], counts)
    near = figure(systems[0].by["domain"]["near"].scores["cider"])
    expect_value(lambda: rows(page, "#subset-table")[1][2].split()[0], near)
    page.locator("#subset-view").select_option(label="theirs")
    expected = [figure(value) for value in systems[1].by["domain"]["out"].scores.values()]
    expect_value(lambda: [cell.split()[0] for cell in rows(page, "#subset-table")[2][2:]], expected)


def test_a_subsets_name_shows_its_images(show: Open) -> None:
    page = show()
    page.get_by_role("button", name="in", exact=True).click()
    expect_value(lambda: sorted(ids(page)), ["a", "d"])
    expect_text(page.locator("#count"), "2 of 40 images")


def test_signatures_are_shown_and_copied_with_one_click(show: Open, systems: list[Evaluation]) -> None:
    page = show(permissions=["clipboard-read", "clipboard-write"])
    page.locator("#signatures summary").click()
    expect_text(page.locator("#signatures code").first, systems[0].signatures["bleu1"])
    page.locator("#signatures li .copy").nth(1).click()
    expect(page.locator(".toast.shown")).to_be_visible()
    expect_value(lambda: page.evaluate("navigator.clipboard.readText()"), systems[0].signatures["cider"])
    page.locator("#copy-signatures").click()
    page.get_by_text("Signatures copied").wait_for()
    everything = dict.fromkeys(systems[0].signatures.values())
    expect_value(lambda: page.evaluate("navigator.clipboard.readText()"), "\n".join(everything))


def test_the_table_is_copied_as_markdown(show: Open, systems: list[Evaluation]) -> None:
    page = show(permissions=["clipboard-read", "clipboard-write"])
    page.locator("#copy-table").click()
    expect(page.locator(".toast.shown")).to_be_visible()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[:2] == ["|  | ours | theirs |", "| --- | ---: | ---: |"]
    assert lines[2].startswith(f"| bleu1 | {figure(systems[0].scores['bleu1'])} (")


class Fixed:
    """A metric with values and warnings of the test's choosing."""

    def __init__(self, values: Sequence[float], *warnings: str, name: str = "fixed") -> None:
        self.name = name
        self.columns = (name,)
        self._values = values
        self._warnings = warnings

    def measure(self, run: Run) -> Any:
        found = means(list(self._values), {"word": self.name})
        object.__setattr__(found, "warnings", self._warnings)
        return found


def test_warnings_are_shown_and_copied(show: Open, tmp_path: Path) -> None:
    warned: list[Metric] = [Fixed([0.1, 0.2, 0.3, 0.4], "beware of this")]
    one = evaluation("ours", OURS, metrics=warned, counts={"missing": 3})
    other = evaluation("theirs", THEIRS, metrics=[Fixed([0.1, 0.2, 0.3, 0.4])])
    write_captions_page([one, other], [], tmp_path / "page.html")
    page = show(tmp_path / "page.html", permissions=["clipboard-read", "clipboard-write"])
    warnings = [re.compile(f"^{text}\\s*Copy$") for text in ("ours: beware of this", "ours: counted: 3 missing")]
    expect(page.locator("#warnings li")).to_have_text(warnings)
    page.locator("#warnings .copy").first.click()
    expect(page.locator(".toast.shown")).to_be_visible()
    expect_value(lambda: page.evaluate("navigator.clipboard.readText()"), "ours: beware of this")


def test_images_come_first_where_the_systems_differ_most(show: Open, systems: list[Evaluation]) -> None:
    page = show()
    values = [one.per_image("cider") for one in systems]
    apart = sorted(values[0], key=lambda id: -abs(values[0][id] - values[1][id]))
    expect_first_ids(page, apart[:3])


def test_sorting_by_any_metric_and_by_the_difference(show: Open, systems: list[Evaluation]) -> None:
    page = show()
    for column in ("bleu1", "cider", "chair_i"):
        values = [one.per_image(column) for one in systems]
        choose(page, {"column": column, "scorer": "ours", "rival": "nothing"})
        assert_sorted(page, values[0])
        choose(page, {"rival": "theirs", "sort": "by score"})
        assert_sorted(page, {id: values[0][id] - values[1][id] for id in values[0]})


def assert_sorted(page: Page, values: dict[str, float]) -> None:
    """The images nearest the beginning are those with the lowest values, and reversed, with the highest."""
    for pressed in ("false", "true"):
        if page.locator("#direction").get_attribute("aria-pressed") != pressed:
            page.locator("#direction").click()
        expect_lowest(page, values, -1 if pressed == "true" else 1)
    page.locator("#direction").click()


def expect_lowest(page: Page, values: dict[str, float], sign: int) -> None:
    numbers = {id: value for id, value in values.items() if value == value}
    expected = pytest.approx(sorted(numbers.values(), key=lambda value: sign * value)[:3], abs=2e-5)
    expect_value(lambda: [numbers.get(id) for id in ids(page)[:3]], lambda shown: shown == expected)


def choose(page: Page, choices: dict[str, str]) -> None:
    for name, value in choices.items():
        field = page.locator(f"#{name}")
        if field.evaluate("one => one.tagName") == "SELECT":
            field.select_option(label=value)
        else:
            field.fill(value)


def test_another_order_is_shown_from_its_beginning(show: Open) -> None:
    page = show()
    page.evaluate("scrollBy(0, 6000)")
    page.locator("#sort").select_option(label="by id")
    expect_first_ids(page, ["a", "b"])
    expect_value(lambda: gap_below_bar(page, ".card"), lambda gap: 0 <= gap < 20)


def test_the_name_of_a_metric_sorts_by_it(show: Open) -> None:
    page = show()
    page.locator("#scores").get_by_role("button", name="bleu2").click()
    expect_text(page.locator("#column option:checked"), "bleu2")
    expect(page.locator("#sort")).to_have_value("apart")
    expect_text(page.locator(".card .cell.chosen button").first, "bleu2")
    card(page, "b").get_by_role("button", name="bleu3").click()
    expect_text(page.locator("#spread-title"), "Where they differ by bleu3")


SEARCHES = [
    ("horse", ["a"]),
    ("SNOW thro", ["b"]),
    ("orse", []),
    ('"a slice of cake"', ["d"]),
    ("3 é", ["c/3 é"]),
    ("/3 street", ["c/3 é"]),
    ("near", ["b"]),
    ("(.*[", []),
]


def test_search_finds_words_of_captions_and_references_and_ids(show: Open) -> None:
    page = show()
    for query, found in SEARCHES:
        page.keyboard.press("/")
        page.keyboard.type(query)
        expect_ids(page, found)
        expect(page.locator("#nothing")).to_be_visible(visible=not found)
        page.keyboard.press("Escape")
    page.locator("#query").fill("dogs play")
    marked = ["dogs", "play", "dogs", "play", "dogs"]
    expect_value(lambda: page.evaluate("[...CSS.highlights.get('found')].map(String)"), marked)


FILTERS = [
    ({"subset": "near (1)"}, ["b"]),
    ({"which": "ours: with objects not there (1)"}, ["a"]),
    ({"which": "theirs: with objects not there (2)"}, ["b", "d"]),
    ({"which": "not all the same (3)"}, ["a", "b", "d"]),
    ({"label": "dog"}, ["b"]),
    ({"rival": "nothing", "column": "bleu1", "from": "1", "subset": "near (1)"}, ["b"]),
    ({"rival": "theirs", "column": "bleu1", "from": "0.5"}, ["b"]),
    ({"label": "nothing like it"}, []),
]


def test_filters(show: Open) -> None:
    page = show()
    for choices, found in FILTERS:
        choose(page, choices)
        expect_value(lambda: sorted(ids(page)), found, choices)
        page.locator("#clear").click()
        expect_text(page.locator("#count"), "40 images")
        expect(page.locator("#sort")).to_have_value("apart")


def test_a_bar_of_the_histogram_shows_its_images(show: Open) -> None:
    page = show()
    bar = page.locator(".bars button:not(:disabled)").last
    told = bar.get_attribute("title") or ""
    n = int(told.rpartition(": ")[2].split()[0])
    assert 0 < n < 40
    assert told.endswith(f": {n} image{'s' if n != 1 else ''}")
    bar.click()
    expect(page.locator(".card")).to_have_count(n)


def test_where_the_systems_differ_most_is_told_and_linked(show: Open, systems: list[Evaluation]) -> None:
    page = show()
    values = [one.per_image("cider") for one in systems]
    leads = {id: values[0][id] - values[1][id] for id in values[0]}
    expect(page.locator("#ends section")).to_have_count(2)
    (ours, theirs) = page.locator("#ends section").all()
    expect(ours.locator("h3")).to_have_text(re.compile("^ours is furthest ahead"))
    expect_text(ours.locator("a").first, max(leads, key=lambda id: leads[id]))
    expect_text(theirs.locator("a").first, min(leads, key=lambda id: leads[id]))
    theirs.locator("a").first.click()
    page.wait_for_selector(".card.current")
    expect_current(page, min(leads, key=lambda id: leads[id]))
    n_higher = sum(lead > 0 for lead in leads.values())
    expect(page.locator("#spread-note")).to_contain_text(f"ours is higher on {n_higher} image")
    ours.get_by_role("button").click()
    expect_first_ids(page, [max(leads, key=lambda id: leads[id])])


def test_a_card_has_captions_references_and_every_systems_scores(show: Open, systems: list[Evaluation]) -> None:
    found = card(show(), "c/3 é")
    expect_text(found.locator(".system li"), [OURS["c/3 é"], THEIRS["c/3 é"]])
    expect_text(found.locator(".references li"), REFERENCES["c/3 é"])
    for column in systems[0].scores:
        cell = found.locator(".cell", has=found.page.get_by_role("button", name=column, exact=True))
        expected = [f"{one.per_image(column)['c/3 é']:.3f}".removeprefix("0") for one in systems]
        expect_text(cell.locator("dd"), expected)


def test_hallucinated_objects_are_marked(show: Open) -> None:
    found = card(show(), "a").first
    expect_text(found.locator("mark.wrong"), ["dog"])
    expect_text(found.locator(".absent"), ["✗ not there: dog"])
    expect_text(card(found.page, "d").locator(".absent"), ["✗ not there: cake"])


def test_words_for_objects_light_up_their_boxes(show: Open) -> None:
    page = show(fragment="#a")
    page.locator("#card-0 mark", has_text="horse").first.hover()
    expect_text(page.locator("#card-0 .box.on .label"), "horse")


def test_an_image_has_its_picture_or_a_layout_or_neither(show: Open) -> None:
    page = show(fragment="#a")
    page.locator("#card-0 img").evaluate("one => one.decode()")
    page.locator("#query").fill("snow")
    expect_text(page.locator("#card-1 .layout .box .label"), "dog")
    page.locator("#query").fill("bus")
    expect(page.locator("#card-2 figure")).to_have_count(0)


def test_why_shows_the_alignment_and_the_tuples(show: Open) -> None:
    page = show(fragment="#a")
    why = page.locator("#card-0 .why")
    drawing = why.locator("svg.alignment").first
    told = "3 matches: two, puppies – dogs (synonym), run quickly – running (paraphrase)"
    expect(drawing).to_have_attribute("aria-label", told)
    expect_text(
        why.locator("h3").first,
        "ours, meteor 3 matches with reference 2: precision .50, recall .25, penalty .30 for 3 chunks",
    )
    expect(drawing.locator("text")).to_have_text([*SAID, *REFERENCE])
    expect(drawing.locator(".unmatched")).to_have_text([*SAID[4:], "in", *REFERENCE[4:]])
    expect(drawing.locator("g")).to_have_class(["match exact", "match synonym", "match paraphrase"])
    expect_text(why.locator(".tuples .right"), ["✓ dog", "✓ puppy · brown = dog · brown"])
    expect_text(why.locator(".tuples .wrong"), ["✗ cat", "✗ cow"])
    expect_text(why.locator(".tuples .missed"), ["○ dog · chase · ball"])


def test_lines_of_the_alignment_end_at_their_words(show: Open) -> None:
    for width in (1280, 375):
        page = show(fragment="#a", width=width)
        ends = page.locator("#card-0 .why svg.alignment").first.evaluate(
            """drawing => {
              const words = [...drawing.querySelectorAll('text')].map(one => one.getBoundingClientRect());
              const path = drawing.querySelector('.synonym path[d*=C]').getBoundingClientRect();
              return [words[1], words[7], path].map(({left, right, top, bottom}) => ({left, right, top, bottom}));
            }"""
        )
        said, reference, line = ends
        if width == 1280:
            assert line["top"] >= said["bottom"] - 8
            assert line["bottom"] <= reference["top"] + 8
            assert reference["left"] <= line["left"] <= reference["right"]
            assert said["left"] <= line["right"] <= said["right"]
        else:
            assert said["right"] <= line["left"] <= line["right"] <= reference["left"]


def test_why_opens_and_closes_by_button_and_by_key(show: Open) -> None:
    page = show()
    button = card(page, "a").first.locator(".more")
    expect(button).to_have_attribute("aria-expanded", "false")
    button.click()
    expect(card(page, "a").first.locator(".because")).to_have_count(3)
    page.keyboard.press("e")
    expect(card(page, "a").first.locator(".because")).to_have_count(0)
    page.keyboard.press("E")
    expect(card(page, "a").first.locator(".because")).to_have_count(3)
    expect(card(page, "b").get_by_text("not among the explained images")).to_have_count(1)


def test_keys_go_from_image_to_image_and_are_no_commands_in_a_field(show: Open) -> None:
    page = show()
    # Cards are drawn as they come into view.
    page.locator(".card h2").nth(2).wait_for(state="attached")
    order = ids(page)
    for key, there in [("j", 0), ("j", 1), ("ArrowDown", 2), ("k", 1), ("ArrowUp", 0), ("k", 0)]:
        page.keyboard.press(key)
        expect_current(page, order[there])
    page.locator("#query").click()
    page.keyboard.type("jes?")
    expect(page.locator("#query")).to_have_value("jes?")
    page.keyboard.press("Escape")
    page.locator("#clear").click()
    page.keyboard.press("s")
    expect(page.locator("#sort")).to_have_value("score")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()


@pytest.mark.parametrize(("fragment", "id"), [("#n30", "n30"), ("#c%2F3%20%C3%A9", "c/3 é"), ("#a", "a")])
def test_a_link_leads_to_its_image(show: Open, fragment: str, id: str) -> None:
    page = show(fragment=fragment)
    expect_current(page, id)
    expect_value(lambda: gap_below_bar(page, ".current"), lambda gap: 0 <= gap < 20)


def test_a_link_to_an_image_that_is_filtered_out_clears_the_filter(show: Open) -> None:
    page = show()
    page.locator("#query").fill("horse")
    page.evaluate("location.hash = '#n20'")
    page.wait_for_selector(".card.current")
    expect_current(page, "n20")


def test_the_link_of_an_image_is_copied(show: Open, written: Path) -> None:
    page = show(permissions=["clipboard-read", "clipboard-write"])
    card(page, "c/3 é").get_by_text("Copy link").click()
    expect(page.locator(".toast.shown")).to_be_visible()
    expect_value(lambda: page.evaluate("navigator.clipboard.readText()"), written.as_uri() + "#c%2F3%20%C3%A9")


def test_only_images_near_the_view_are_there_and_all_are_reached(show: Open) -> None:
    page = show()
    page.locator("#sort").select_option(label="in the order scored")
    seen: dict[str, None] = {}
    while ids(page)[-1] != "n35":
        seen.update(dict.fromkeys(ids(page)))
        page.evaluate("scrollBy(0, 500)")
        settle(page)
        assert page.locator(".card").count() < 24
    seen.update(dict.fromkeys(ids(page)))
    assert list(seen) == [*OURS, *MORE]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling(show: Open, scheme: str) -> None:
    page = show(**PHONE, color_scheme=scheme, fragment="#a")
    expect(page.locator("#card-0 .why svg.alignment").first).to_be_visible()
    page.locator("#toggle").click()
    expect(page.locator("#column")).to_be_visible()
    for top in (0, 800, 1600, 3000):
        page.evaluate("top => scrollTo(0, top)", top)
        expect_value(lambda: page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(show: Open, contrast: str, scheme: str) -> None:
    page = show(color_scheme=scheme, fragment="#a")
    for selector in [
        "h1",
        ".about",
        ".note",
        "#scores td b",
        "#scores small",
        "#scores button.metric",
        ".panel h3",
        ".card h2 a",
        ".copy",
        "mark.wrong",
        ".absent",
        ".cell button",
        ".cell dd",
        ".because small",
        ".tuples .right",
        ".tuples .wrong",
        ".tuples .missed",
        ".tuples small",
    ]:
        assert page.locator(selector).first.evaluate(contrast) >= 4.5, selector


def test_nothing_in_the_data_runs(show: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = Image(HOSTILE, 100, 100, (Box("0", 0, 0, 50, 50, HOSTILE),), attributes={"domain": HOSTILE})
    made: list[Evaluation] = []
    for name in (HOSTILE, f"{HOSTILE} 2"):
        metrics: list[Metric] = [Fixed([0.5], HOSTILE, name=HOSTILE)]
        said, images = {HOSTILE: name}, {HOSTILE: image}
        made.append(evaluation(name, said, references={HOSTILE: [HOSTILE]}, images=images, metrics=metrics))

    def why(joined: Joined, most: int) -> Iterator[Explained]:
        yield Explained(HOSTILE, "alignment", [{HOSTILE: [[HOSTILE], [HOSTILE], [[0, 1, 0, 1, 0]], 0, 1, 1, 1, 0]}, {}])
        yield Explained(HOSTILE, "tuples", [{HOSTILE: [[[[HOSTILE], [HOSTILE]]], [[HOSTILE]], []]}, {}])

    monkeypatch.setattr(writing, "explain", why)
    write_captions_page(made, compare_systems(made, swaps=9), tmp_path / "page.html", title=HOSTILE)
    page = show(tmp_path / "page.html")
    page.locator("#query").fill(HOSTILE)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("e")
    expect_current(page, HOSTILE)
    expect(page).to_have_title(HOSTILE)
    expect_text(page.locator(".system li").first, HOSTILE)
    expect_text(page.locator(".tuples .wrong"), f"✗ {HOSTILE}")
    assert page.evaluate("window.ran") is None


def test_one_system_alone_speaks_of_no_other(show: Open, tmp_path: Path) -> None:
    write_captions_page([evaluation("ours", OURS)], [], tmp_path / "page.html")
    page = show(tmp_path / "page.html")
    expect_ids(page, list(OURS))
    expect(page.locator("#rival")).to_be_hidden()
    expect_text(page.locator("#spread-title"), "Images by cider")
    expect(page.locator("#ends h3")).to_have_text([re.compile("^Best "), re.compile("^Worst ")])
    expect_value(lambda: len(rows(page, "#scores")[0]), 3)
    expect_text(page.locator("#about"), "4 images · ours · 2 references each · 3 boxes")


def test_of_very_many_images_the_page_says_which_are_listed(show: Open, tmp_path: Path) -> None:
    write_captions_page([evaluation("ours", OURS)], [], tmp_path / "page.html", most_images=2)
    page = show(tmp_path / "page.html")
    expect_ids(page, ["a", "b"])
    expect(page.locator("#about")).to_have_text(re.compile("^4 images · the first 2 are listed · ours"))
    expect_value(lambda: [row[1] for row in rows(page, "#subset-table")], ["2", "1", "1", "4"])


def test_odd_evaluations_are_shown(show: Open, tmp_path: Path) -> None:
    nan = float("nan")
    long = "word " * 3000
    said = {"long": long, "none": "", "odd": "\u202eemoji 👩‍🚀 \u0000"}
    references = {"long": [long], "none": ["x"] * 50, "odd": ["ok"]}
    metrics: list[Metric] = [Bleu(), Cider(), Fixed([nan, 0.5, -2.5], name="with gaps"), Fixed([nan] * 3, name="never")]
    one = evaluation("ours", said, references=references, images=None, metrics=metrics, samples=0)
    other = evaluation("theirs", {"odd": "ok"}, references=references, images=None, metrics=metrics[:2], samples=0)
    other.metrics = one.metrics
    other.statistics = {**other.statistics, "with gaps": means([0.5]), "never": means([nan])}
    write_captions_page([one, other], [], tmp_path / "page.html")
    page = show(tmp_path / "page.html")
    page.locator("#sort").select_option(label="in the order scored")
    expect_first_ids(page, ["long"])
    page.locator("#direction").click()
    expect_first_ids(page, ["odd", "none"])
    expect_text(card(page, "none").locator(".none"), ["no caption", "not scored"])
    choose(page, {"column": "with gaps", "rival": "nothing"})
    page.locator("#direction").click()
    expect_first_ids(page, ["odd", "none"])
    expect_value(lambda: rows(page, "#scores")[-1], ["never", "–", "–"])
    expect(page.locator("#column option").last).to_have_text("with gaps")
    expect(page.locator("#column option").nth(-2)).to_have_text("cider")
