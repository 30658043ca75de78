"""How a page of `limner show` feels in a real browser, against a plain page of the same pictures and words, in one run.

    python benchmarks/show_page.py [--json] [--images N] [--gold CORPUS [--results FILE...] [--pictures DIR]]

Measured in headless Chromium: until the first image is drawn; frames while the
whole page is scrolled through, one step a frame; until the browser has drawn
the answer to a search, a filter and a sort. The peer is one HTML file with an
`<img>` and five paragraphs an image, all there from the start, filtered by
hiding. Without data, a corpus of random boxes and pictures stands in.
"""

from __future__ import annotations

import argparse
import base64
import html
import io
import json
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from limner.corpus import Box, Caption, Image, Mention, open_corpus
from limner.report import Pictures, write_page

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WORDS = ["man", "woman", "dog", "street", "ball", "tree", "shirt", "car", "child", "table", "hat", "bench"]
STEP = 160
"""Pixels a frame: ten thousand a second, as fast as a wheel is spun."""

WATCH = """new MutationObserver((_, self) => {
  if (!document.querySelector('article')) return;
  self.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.firstImage = performance.now(); }, 0));
}).observe(document, {childList: true, subtree: true});"""

LOADED = "() => [window.firstImage, performance.getEntriesByType('navigation')[0].loadEventStart]"

SCROLL = """async ([step, most]) => {
  const frame = () => new Promise(requestAnimationFrame), times = [];
  let before = await frame();
  while (times.length < most && scrollY + innerHeight < document.documentElement.scrollHeight - 2) {
    scrollBy(0, step);
    const now = await frame();
    times.push(now - before);
    before = now;
  }
  const reached = scrollY;
  scrollTo(0, 0);
  return {times, reached};
}"""

ANSWER = """async ([id, value]) => {
  const drawn = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
  await drawn();
  const field = document.getElementById(id), start = performance.now();
  field.value = value;
  field.dispatchEvent(new Event('input', {bubbles: true}));
  const worked = performance.now() - start;
  await drawn();
  return [worked, performance.now() - start];
}"""


@contextmanager
def chromium() -> Iterator[Any]:
    """The system's browser; the program ends, and says why, where there is none."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        print("skipped: needs Chromium, and playwright from PyPI", file=sys.stderr)
        sys.exit()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--gold")
    parser.add_argument("--results", nargs="*", default=[])
    parser.add_argument("--pictures", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        rows, pages = write_both(given, Path(folder))
        for row, page in zip(rows, pages, strict=True):
            row.update(measure(browser, page))
    if given.json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        print(f"{row.pop('what')}:")
        for name, value in row.items():
            print(f"  {name}: {value:,.1f}")


def write_both(given: argparse.Namespace, folder: Path) -> tuple[list[dict[str, Any]], list[Path]]:
    """Write our page and the plain one, and say what they are and how large."""
    pictures = given.pictures or folder
    corpus = open_corpus(given.gold) if given.gold else made_up(given.images, folder)
    images = list(islice(corpus, given.images))
    results = [(name, open_corpus(name)) for name in given.results] or [("first", first_boxes(images))]
    ours, plain = folder / "ours.html", folder / "plain.html"
    started = time.perf_counter()
    write_page(images, results, ours, pictures=Pictures(pictures, ours))
    seconds = time.perf_counter() - started
    write_plain(images, Pictures(pictures, plain), plain)
    rows: list[dict[str, Any]] = [
        {"what": f"limner show, {len(images):,} images", "written in s": seconds, "MB": ours.stat().st_size / 1e6},
        {"what": "a plain page of the same", "MB": plain.stat().st_size / 1e6},
    ]
    return rows, [ours, plain]


def measure(browser: Any, path: Path, sorts: Sequence[str] = ("score", "boxes", "id", "n")) -> dict[str, float]:
    """Milliseconds, in a window of 1,280 by 900."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(WATCH)
    page.goto(path.as_uri(), wait_until="load")
    page.wait_for_timeout(1000)
    painted, loaded = page.evaluate(LOADED)
    found = {"first image drawn after ms": painted, "loaded after ms": loaded}
    scrolled = page.evaluate(SCROLL, [STEP, 3000])
    times = sorted(scrolled["times"])
    found |= {
        "scrolled through px": scrolled["reached"],
        "frames": len(times),
        "frame, median ms": statistics.median(times),
        "frame, 95 % ms": times[int(0.95 * len(times))],
        "frame, 99 % ms": times[int(0.99 * len(times))],
        "frame, longest ms": times[-1],
        "frames over 34 ms, %": 100 * sum(t > 34 for t in times) / len(times),
    }
    for what, field, values in [
        ("search", "query", ["m", "ma", "man", "man in", "man in a r", "", "dog", "zzz", ""]),
        ("filter by label", "label", ["dog", "do", "d", "man", ""]),
        ("sort", "sort", sorts),
    ]:
        if not page.locator(f"#{field}").count():
            continue
        answers = [page.evaluate(ANSWER, [field, value]) for value in values]
        found[f"{what}, median ms"] = statistics.median(drawn for _, drawn in answers)
        found[f"{what}, longest ms"] = max(drawn for _, drawn in answers)
        found[f"{what}, longest at work ms"] = max(worked for worked, _ in answers)
    page.close()
    return found


def made_up(n: int, folder: Path) -> Iterator[Image]:
    """Images of nine random boxes, five captions of four mentions and a noisy picture of about 30 kB."""
    from PIL import Image as Picture

    random_ = random.Random(0)
    for number in range(n):
        boxes = []
        for i in range(9):
            x, y = random_.randrange(400), random_.randrange(275)
            boxes.append(
                Box(str(i), x, y, x + random_.randrange(10, 100), y + random_.randrange(10, 100), random_.choice(WORDS))
            )
        captions = tuple(caption(str(i), random_.sample(boxes, 4), "gold") for i in range(5))
        coarse = Picture.frombytes("RGB", (63, 47), random_.randbytes(63 * 47 * 3))
        coarse.resize((500, 375)).save(folder / f"{number}.jpg", quality=85)
        yield Image(str(number), 500, 375, tuple(boxes), captions, file=f"{number}.jpg")


def first_boxes(images: Iterable[Image]) -> list[Image]:
    """A system that mentions the first three boxes."""
    return [Image(i.id, captions=(caption("0", list(i.boxes[:3]), "system:first"),)) for i in images if i.boxes]


def caption(id: str, boxes: list[Box], source: str) -> Caption:
    text, mentions = "", []
    for box in boxes:
        text += " and " if text else ""
        mentions.append(Mention(len(text), len(text) + len(box.label) + 2, (box.id,)))
        text += f"a {box.label}"
    return Caption(id, text, tuple(mentions), source)


def write_plain(images: Iterable[Image], pictures: Pictures, path: Path) -> None:
    """The same pictures and words without anything to help: every image there from the start."""
    from limner.corpus.reading import Reading

    out = io.StringIO()
    out.write("<!doctype html><meta charset=utf-8><input id=query><main>")
    for image in images:
        shown = pictures.show(image, Reading())
        source = f"data:{shown.mime};base64,{base64.b64encode(shown.data).decode()}" if shown else ""
        words = "".join(f"<p>{html.escape(c.text)}</p>" for c in image.captions)
        out.write(f'<article><img width=440 height=330 src="{source}">{words}</article>\n')
    out.write(
        "</main><script>query.oninput = () => { for (const a of document.querySelectorAll('article'))"
        " a.hidden = !a.textContent.toLowerCase().includes(query.value.toLowerCase()); }</script>"
    )
    path.write_text(out.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main()
