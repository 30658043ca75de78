"""Checks of a page in a browser that wait: a page draws itself in its own time, and a busy machine takes longer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

Value = TypeVar("Value")

# Far longer than any page needs: on an idle machine every check is met at once.
SECONDS = 30

expect = playwright.expect
expect.set_options(timeout=1_000 * SECONDS)


def expect_text(locator: Locator, text: str | Sequence[str]) -> None:
    """Wait until the element shows the text, or the elements the texts, one each."""
    if text:
        expect(locator).to_have_text(text if isinstance(text, str) else list(text), use_inner_text=True)
    else:
        expect(locator).to_have_count(0)


def expect_ids(page: Page, ids: Sequence[str]) -> None:
    """Wait until these are the images near the view, in the order they stand in."""
    expect_text(page.locator(".card h2"), ids)


def expect_first_ids(page: Page, ids: Sequence[str]) -> None:
    """Wait until the images near the view begin with these."""
    for number, id in enumerate(ids):
        expect_text(page.locator(".card h2").nth(number), id)


def expect_current(page: Page, id: str) -> None:
    """Wait until this is the current image."""
    expect_text(page.locator(".card.current h2"), id)


def expect_value(read: Callable[[], Value], wanted: Value | Callable[[Value], bool], about: Any = "") -> None:
    """Wait until `read` returns the value, or one that `wanted` accepts; for what no locator can tell."""
    value = read()
    end = time.monotonic() + SECONDS
    while not (wanted(value) if callable(wanted) else value == wanted):
        assert time.monotonic() < end, f"{value!r} instead of {wanted!r} {about}"
        time.sleep(0.05)
        value = read()


def settle(page: Page) -> None:
    """Wait until the page has drawn what it was asked to: two frames later."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def gap_below_bar(page: Page, selector: str) -> float:
    """How far, in pixels, the first such element begins below the bar."""
    read = "one => one.getBoundingClientRect()"
    bar, element = (page.locator(which).first.evaluate(read) for which in ("#bar", selector))
    return float(element["top"] - bar["bottom"])
