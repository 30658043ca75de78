"""A real browser for the tests of pages; they are skipped, with the reason, where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium as the system has it."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("a test of a page in the browser: there is no Chromium; `make setup` installs it where it can")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page from disk; whatever it logs as an error, throws or fetches fails the test."""
    contexts, faults = [], []

    def opened(path: Path, fragment: str = "", width: int = 1280, height: int = 900, **more: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: faults.append(request.url) if foreign(request.url) else None)
        page.goto(path.as_uri() + fragment)
        return page

    def foreign(url: str) -> bool:
        return not url.startswith(("data:image/", "file:"))

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


CONTRAST = """one => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const painted = colours => {
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
      .map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  };
  const light = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const grounds = [];
  for (let over = one; over; over = over.parentElement) grounds.unshift(getComputedStyle(over).backgroundColor);
  const [a, b] = [light(painted(grounds)), light(painted([...grounds, getComputedStyle(one).color]))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}"""


@pytest.fixture(scope="session")
def contrast() -> str:
    """A function of the browser: by how much an element's text stands out from its ground."""
    return CONTRAST
