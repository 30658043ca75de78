"""The page of caption scores in a real browser: what people read, sort, search, compare and copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    return [many("ours", OURS), many("theirs", THEIRS)]


@pytest.fixture(scope="session")
def compared(systems: list[Evaluation]) -> list[Comparison]:
    return compare_systems(systems, samples=50, swaps=50)


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


def current(page: Page) -> str:
    return page.locator(".card.current h2").inner_text()


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
    found = rows(show(), "#scores")
    assert [row[0].split()[0] for row in found] == list(systems[0].scores)
    for row, one in zip(found, compared, strict=True):
        for cell, system in zip(row[1:3], systems, strict=True):
            low, high = system.intervals[one.column]
            assert cell == f"{figure(system.scores[one.column])} {figure(low)} to {figure(high)}"
        sign = "+" if one.difference > 0 else ""
        assert row[4].startswith(sign + figure(one.difference))
        assert row[5] == f"{figure(one.p)} {figure(one.p_adjusted)}"


def test_the_difference_turns_with_the_pair_that_is_chosen(show: Open) -> None:
    page = show()
    before = rows(page, "#scores")[4][4]
    page.locator("#scorer").select_option(label="theirs")
    page.locator("#rival").select_option(label="ours")
    after = rows(page, "#scores")[4][4]
    assert before.startswith("+")
    assert after.startswith("−")
    assert before.split()[0][1:] == after.split()[0][1:]
    page.locator("#rival").select_option(label="nothing")
    assert len(rows(page, "#scores")[4]) == 4


def test_parts_by_metric_and_by_system(show: Open, systems: list[Evaluation]) -> None:
    page = show()
    assert [row[:2] for row in rows(page, "#part-table")] == [["in", "2"], ["near", "1"], ["out", "37"], ["all", "40"]]
    near = systems[0].by["domain"]["near"]
    assert rows(page, "#part-table")[1][2].startswith(figure(near.scores["cider"]))
    page.locator("#part-view").select_option(label="theirs")
    expected = [figure(value) for value in systems[1].by["domain"]["out"].scores.values()]
    assert rows(page, "#part-table")[2][2:] == expected


def test_a_parts_name_shows_its_images(show: Open) -> None:
    page = show()
    page.get_by_role("button", name="in", exact=True).click()
    assert sorted(ids(page)) == ["a", "d"]
    assert page.locator("#count").inner_text() == "2 of 40 images"


def test_signatures_are_shown_and_copied_with_one_click(show: Open, systems: list[Evaluation]) -> None:
    page = show(permissions=["clipboard-read", "clipboard-write"])
    page.locator("#signatures summary").click()
    assert page.locator("#signatures code").first.inner_text() == systems[0].signatures["bleu1"]
    page.locator("#signatures li .copy").nth(1).click()
    page.wait_for_selector(".toast.shown")
    assert page.evaluate("navigator.clipboard.readText()") == systems[0].signatures["cider"]
    page.locator("#copy-signatures").click()
    page.get_by_text("Signatures copied").wait_for()
    everything = dict.fromkeys(systems[0].signatures.values())
    assert page.evaluate("navigator.clipboard.readText()") == "\n".join(everything)


def test_the_table_is_copied_as_markdown(show: Open, systems: list[Evaluation]) -> None:
    page = show(permissions=["clipboard-read", "clipboard-write"])
    page.locator("#copy-table").click()
    page.wait_for_selector(".toast.shown")
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
    told = [text.removesuffix("Copy").strip() for text in page.locator("#warnings li").all_inner_texts()]
    assert told == ["ours: beware of this", "ours: counted: 3 missing"]
    page.locator("#warnings .copy").first.click()
    page.wait_for_selector(".toast.shown")
    assert page.evaluate("navigator.clipboard.readText()") == "ours: beware of this"


def test_images_come_first_where_the_systems_differ_most(show: Open, systems: list[Evaluation]) -> None:
    page = show()
    values = [one.per_image("cider") for one in systems]
    apart = sorted(values[0], key=lambda id: -abs(values[0][id] - values[1][id]))
    assert ids(page)[:3] == apart[:3]


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
    for pressed, sign in (("false", 1), ("true", -1)):
        if page.locator("#direction").get_attribute("aria-pressed") != pressed:
            page.locator("#direction").click()
        there = {id: value for id, value in values.items() if value == value}
        shown = [there[id] for id in ids(page)[:3]]
        assert shown == pytest.approx(sorted(there.values(), key=lambda value: sign * value)[:3], abs=2e-5)
    page.locator("#direction").click()


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
    assert ids(page)[:2] == ["a", "b"]
    bar, first = page.evaluate("['#bar', '.card'].map(one => document.querySelector(one).getBoundingClientRect())")
    assert 0 <= first["top"] - bar["bottom"] < 20


def test_the_name_of_a_metric_sorts_by_it(show: Open) -> None:
    page = show()
    page.locator("#scores").get_by_role("button", name="bleu2").click()
    assert page.locator("#column").evaluate("one => one.selectedOptions[0].text") == "bleu2"
    assert page.locator("#sort").input_value() == "apart"
    assert page.locator(".card .cell.chosen button").first.inner_text() == "bleu2"
    card(page, "b").get_by_role("button", name="bleu3").click()
    assert page.locator("#spread-title").inner_text() == "Where they differ by bleu3"


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
        assert ids(page) == found, query
        assert page.locator("#nothing").is_visible() is (not found)
        page.keyboard.press("Escape")
    page.locator("#query").fill("dogs play")
    assert page.evaluate("[...CSS.highlights.get('found')].map(String)") == ["dogs", "play", "dogs", "play", "dogs"]


FILTERS = [
    ({"part": "near (1)"}, ["b"]),
    ({"which": "ours: with objects not there (1)"}, ["a"]),
    ({"which": "theirs: with objects not there (2)"}, ["b", "d"]),
    ({"which": "not all the same (3)"}, ["a", "b", "d"]),
    ({"label": "dog"}, ["b"]),
    ({"rival": "nothing", "column": "bleu1", "from": "1", "part": "near (1)"}, ["b"]),
    ({"rival": "theirs", "column": "bleu1", "from": "0.5"}, ["b"]),
    ({"label": "nothing like it"}, []),
]


def test_filters(show: Open) -> None:
    page = show()
    for choices, found in FILTERS:
        choose(page, choices)
        assert sorted(ids(page)) == found, choices
        page.locator("#clear").click()
        assert page.locator("#count").inner_text() == "40 images"
        assert page.locator("#sort").input_value() == "apart"


def test_a_bar_of_the_histogram_shows_its_images(show: Open) -> None:
    page = show()
    bar = page.locator(".bars button:not(:disabled)").last
    told = bar.get_attribute("title") or ""
    bar.click()
    n = len(ids(page))
    assert told.endswith(f": {n} image{'s' if n != 1 else ''}")
    assert 0 < n < 40


def test_where_the_systems_differ_most_is_told_and_linked(show: Open, systems: list[Evaluation]) -> None:
    page = show()
    values = [one.per_image("cider") for one in systems]
    leads = {id: values[0][id] - values[1][id] for id in values[0]}
    (ours, theirs) = page.locator("#ends section").all()
    assert ours.locator("h3").inner_text().startswith("ours is furthest ahead")
    assert ours.locator("a").first.inner_text() == max(leads, key=lambda id: leads[id])
    assert theirs.locator("a").first.inner_text() == min(leads, key=lambda id: leads[id])
    theirs.locator("a").first.click()
    page.wait_for_selector(".card.current")
    assert current(page) == min(leads, key=lambda id: leads[id])
    n_higher = sum(lead > 0 for lead in leads.values())
    assert f"ours is higher on {n_higher} image" in page.locator("#spread-note").inner_text()
    ours.get_by_role("button").click()
    assert ids(page)[0] == max(leads, key=lambda id: leads[id])


def test_a_card_has_captions_references_and_every_systems_scores(show: Open, systems: list[Evaluation]) -> None:
    found = card(show(), "c/3 é")
    assert found.locator(".system li").all_inner_texts() == [OURS["c/3 é"], THEIRS["c/3 é"]]
    assert found.locator(".references li").all_inner_texts() == REFERENCES["c/3 é"]
    for column in systems[0].scores:
        cell = found.locator(".cell", has=found.page.get_by_role("button", name=column, exact=True))
        expected = [f"{one.per_image(column)['c/3 é']:.3f}".removeprefix("0") for one in systems]
        assert cell.locator("dd").all_inner_texts() == expected


def test_hallucinated_objects_are_marked(show: Open) -> None:
    found = card(show(), "a").first
    assert found.locator("mark.wrong").all_inner_texts() == ["dog"]
    assert found.locator(".absent").all_inner_texts() == ["✗ not there: dog"]
    assert card(found.page, "d").locator(".absent").all_inner_texts() == ["✗ not there: cake"]


def test_words_for_objects_light_up_their_boxes(show: Open) -> None:
    page = show(fragment="#a")
    page.locator("#card-0 mark", has_text="horse").first.hover()
    assert page.locator("#card-0 .box.on .label").inner_text() == "horse"


def test_an_image_has_its_picture_or_a_layout_or_neither(show: Open) -> None:
    page = show(fragment="#a")
    page.locator("#card-0 img").evaluate("one => one.decode()")
    page.locator("#query").fill("snow")
    assert page.locator("#card-1 .layout .box .label").inner_text() == "dog"
    page.locator("#query").fill("bus")
    assert page.locator("#card-2 figure").count() == 0


def test_why_shows_the_alignment_and_the_tuples(show: Open) -> None:
    page = show(fragment="#a")
    why = page.locator("#card-0 .why")
    drawing = why.locator("svg.alignment").first
    assert drawing.get_attribute("aria-label") == (
        "3 matches: two, puppies – dogs (synonym), run quickly – running (paraphrase)"
    )
    assert why.locator("h3").first.inner_text() == (
        "ours, meteor 3 matches with reference 2: precision .50, recall .25, penalty .30 for 3 chunks"
    )
    assert drawing.locator("text").all_text_contents() == [*SAID, *REFERENCE]
    assert drawing.locator(".unmatched").all_text_contents() == [*SAID[4:], "in", *REFERENCE[4:]]
    kinds = drawing.locator("g").evaluate_all("all => all.map(one => one.getAttribute('class'))")
    assert kinds == ["match exact", "match synonym", "match paraphrase"]
    assert why.locator(".tuples .right").all_inner_texts() == ["✓ dog", "✓ puppy · brown = dog · brown"]
    assert why.locator(".tuples .wrong").all_inner_texts() == ["✗ cat", "✗ cow"]
    assert why.locator(".tuples .missed").all_inner_texts() == ["○ dog · chase · ball"]


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
    assert button.get_attribute("aria-expanded") == "false"
    button.click()
    assert card(page, "a").first.locator(".because").count() == 3
    page.keyboard.press("e")
    assert card(page, "a").first.locator(".because").count() == 0
    page.keyboard.press("E")
    assert card(page, "a").first.locator(".because").count() == 3
    assert card(page, "b").get_by_text("not among the images that are explained").count() == 1


def test_keys_go_from_image_to_image_and_are_no_commands_in_a_field(show: Open) -> None:
    page = show()
    order = ids(page)
    for key, there in [("j", 0), ("j", 1), ("ArrowDown", 2), ("k", 1), ("ArrowUp", 0), ("k", 0)]:
        page.keyboard.press(key)
        assert current(page) == order[there]
    page.locator("#query").click()
    page.keyboard.type("jes?")
    assert page.locator("#query").input_value() == "jes?"
    page.keyboard.press("Escape")
    page.locator("#clear").click()
    page.keyboard.press("s")
    assert page.locator("#sort").input_value() == "score"
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()


@pytest.mark.parametrize(("fragment", "id"), [("#n30", "n30"), ("#c%2F3%20%C3%A9", "c/3 é"), ("#a", "a")])
def test_a_link_leads_to_its_image(show: Open, fragment: str, id: str) -> None:
    page = show(fragment=fragment)
    assert current(page) == id
    bar, top = page.evaluate("['#bar', '.current'].map(one => document.querySelector(one).getBoundingClientRect())")
    assert 0 <= top["top"] - bar["bottom"] < 20


def test_a_link_to_an_image_that_is_filtered_out_clears_the_filter(show: Open) -> None:
    page = show()
    page.locator("#query").fill("horse")
    page.evaluate("location.hash = '#n20'")
    page.wait_for_selector(".card.current")
    assert current(page) == "n20"


def test_the_link_of_an_image_is_copied(show: Open, written: Path) -> None:
    page = show(permissions=["clipboard-read", "clipboard-write"])
    card(page, "c/3 é").get_by_text("Copy link").click()
    page.wait_for_selector(".toast.shown")
    assert page.evaluate("navigator.clipboard.readText()") == written.as_uri() + "#c%2F3%20%C3%A9"


def test_only_images_near_the_view_are_there_and_all_are_reached(show: Open) -> None:
    page = show()
    page.locator("#sort").select_option(label="as they were scored")
    seen: dict[str, None] = {}
    while ids(page)[-1] != "n35":
        seen.update(dict.fromkeys(ids(page)))
        page.evaluate("scrollBy(0, 500)")
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.locator(".card").count() < 24
    seen.update(dict.fromkeys(ids(page)))
    assert list(seen) == [*OURS, *MORE]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling(show: Open, scheme: str) -> None:
    page = show(**PHONE, color_scheme=scheme, fragment="#a")
    assert page.locator("#card-0 .why svg.alignment").first.bounding_box()
    page.locator("#toggle").click()
    assert page.locator("#column").is_visible()
    for top in (0, 800, 1600, 3000):
        page.evaluate("top => scrollTo(0, top)", top)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


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
    write_captions_page(made, compare_systems(made, samples=9, swaps=9), tmp_path / "page.html", title=HOSTILE)
    page = show(tmp_path / "page.html")
    page.locator("#query").fill(HOSTILE)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("e")
    assert current(page) == HOSTILE
    assert page.title() == HOSTILE
    assert page.locator(".system li").first.inner_text() == HOSTILE
    assert page.locator(".tuples .wrong").inner_text() == f"✗ {HOSTILE}"
    assert page.evaluate("window.ran") is None


def test_one_system_alone_speaks_of_no_other(show: Open, tmp_path: Path) -> None:
    write_captions_page([evaluation("ours", OURS)], [], tmp_path / "page.html")
    page = show(tmp_path / "page.html")
    assert ids(page) == list(OURS)
    assert not page.locator("#rival").is_visible()
    assert page.locator("#spread-title").inner_text() == "Images by cider"
    assert [one.split(" ")[0] for one in page.locator("#ends h3").all_inner_texts()] == ["Best", "Worst"]
    assert len(rows(page, "#scores")[0]) == 3
    assert page.locator("#about").inner_text() == "4 images · ours · 2 references each · 3 boxes"


def test_of_very_many_images_the_page_says_which_are_listed(show: Open, tmp_path: Path) -> None:
    write_captions_page([evaluation("ours", OURS)], [], tmp_path / "page.html", most_images=2)
    page = show(tmp_path / "page.html")
    assert ids(page) == ["a", "b"]
    assert page.locator("#about").inner_text().startswith("4 images · the first 2 are listed · ours")
    assert [row[1] for row in rows(page, "#part-table")] == ["2", "1", "1", "4"]


def test_odd_evaluations_are_shown(show: Open, tmp_path: Path) -> None:
    nan = float("nan")
    long = "word " * 3000
    said = {"long": long, "none": "", "odd": "\u202eemoji 👩‍🚀 \u0000"}
    references = {"long": [long], "none": ["x"] * 50, "odd": ["ok"]}
    metrics: list[Metric] = [Bleu(), Cider(), Fixed([nan, 0.5, -2.5], name="with gaps"), Fixed([nan] * 3, name="never")]
    one = evaluation("ours", said, references=references, images=None, metrics=metrics, samples=0)
    other = evaluation("theirs", {"odd": "ok"}, references=references, images=None, metrics=metrics[:2], samples=0)
    other.metrics = metrics
    other.statistics = {**other.statistics, "with gaps": means([0.5]), "never": means([nan])}
    write_captions_page([one, other], [], tmp_path / "page.html")
    page = show(tmp_path / "page.html")
    page.locator("#sort").select_option(label="as they were scored")
    assert ids(page)[0] == "long"
    page.locator("#direction").click()
    assert ids(page)[:2] == ["odd", "none"]
    assert card(page, "none").locator(".none").all_inner_texts() == ["no caption", "not scored"]
    choose(page, {"column": "with gaps", "rival": "nothing"})
    page.locator("#direction").click()
    assert ids(page)[:2] == ["odd", "none"]
    assert rows(page, "#scores")[-1] == ["never", "–", "–"]
    assert page.locator("#column option").all_inner_texts()[-2:] == ["cider", "with gaps"]
