"""The page of localisation in a real browser: what people point at, choose and see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from limner.report import write_localisation_page
from limner.score import evaluate_localisation
from localisation_cases import made_case
from page_checks import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[..., "Page"]

# How many captions have a phrase of clothing that a system has right.
N_RIGHT = """s => data.images.filter(
  image => image.m.some(m => m.s[s].e === 0 && m.t.some(t => data.types[t] === 'clothing'))).length"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    gold, results = made_case(1, n_images=10)
    _, others = made_case(2, n_images=10)
    systems = evaluate_localisation({"mine": results, "theirs": others}, gold, samples=0).systems
    path = tmp_path_factory.mktemp("page") / "page.html"
    write_localisation_page(systems, path)
    return path


def test_gold_stands_beside_the_answers(page_file: Path, open_page: Open) -> None:
    page = open_page(page_file)
    card = page.locator(".card").first
    assert card.locator(".view h3").all_inner_texts() == ["people", "mine", "theirs"]
    assert card.locator(".view").first.locator(".box").count() >= 1


def test_a_phrase_and_its_boxes_light_up_together(page_file: Path, open_page: Open) -> None:
    page = open_page(page_file)
    card = page.locator(".card").first
    mention = card.locator(".said mark[data-boxes]").first
    mention.click()
    numbers = (mention.get_attribute("data-boxes") or "").split()
    expect(card.locator(".box.on")).to_have_count(len(numbers))
    colours = card.locator(".box.on").evaluate_all("all => all.map(box => getComputedStyle(box).borderTopColor)")
    assert len(set(colours)) == 1


def test_captions_are_chosen_by_type_and_error(page_file: Path, open_page: Open) -> None:
    page = open_page(page_file)
    n_all = len(page.evaluate("data.images"))
    page.select_option("#type", "clothing")
    page.select_option("#error", "0")
    expected = page.evaluate(N_RIGHT, 0)
    assert 0 < expected < n_all
    expect(page.locator("#count")).to_have_text(f"{expected} of {n_all} captions")
    page.select_option("#system", "1")
    other = page.evaluate(N_RIGHT, 1)
    expect(page.locator("#count")).to_have_text(f"{other} of {n_all} captions")


def test_a_part_of_a_figure_chooses_its_phrases(page_file: Path, open_page: Open) -> None:
    page = open_page(page_file)
    page.locator("#errors .stack button.right").first.click()
    assert page.input_value("#error") == "0"
    page.locator("#types button").first.click()
    assert page.input_value("#type") != ""


def test_a_phone_shows_the_pictures_below_each_other(page_file: Path, open_page: Open) -> None:
    page = open_page(page_file, width=375, height=740)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    tops = (
        page.locator(".card")
        .first.locator(".view")
        .evaluate_all("all => all.map(view => view.getBoundingClientRect().top)")
    )
    assert tops == sorted(set(tops))
